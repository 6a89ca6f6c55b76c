//! What the threads of the stress test share, and what they hand to the one that executes.

use std::{
    any::Any,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use onze::prelude::*;
use onze_tests::{Quad, Random};

/// Four-byte values in a buffer of the test.
pub(crate) const WORDS: usize = 16;
/// Bytes in it.
pub(crate) const BYTES: u32 = 4 * WORDS as u32;
/// Width and height of a target.
pub(crate) const SIDE: u32 = 8;

/// Lists that are kept for others to execute; a further one pushes out one of them.
const LISTS: usize = 16;
/// Objects on their way to another thread.
const PASSED: usize = 64;

/// Takes a lock of the test; a thread that fails while it holds one fails the test anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What must be so after a list was executed, however often and in whichever other list.
#[derive(Clone)]
pub(crate) enum Check {
    /// A buffer holds words.
    Words(&'static str, Buffer, Vec<u32>),
    /// A subresource holds texels; drivers that draw nothing leave it out if they come from drawing.
    Texels { what: &'static str, texture: Texture2d, subresource: u32, expected: Vec<u32>, drawn: bool },
    /// A buffer holds what [`Common::late`] held when the list was executed.
    Late(Buffer),
    /// A query has an answer; drivers that draw nothing see nothing.
    Answer(onze::Query, QueryData),
}

/// A list with what it leaves behind.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) list: CommandList,
    pub(crate) checks: Vec<Check>,
    /// Which thread has recorded it.
    pub(crate) thread: usize,
}

/// What all threads share.
pub(crate) struct Common {
    pub(crate) device: Device,
    /// Its constants are discarded by every list and by the immediate context.
    pub(crate) quad: Quad,
    /// Draws vertices with a colour for each instance.
    pub(crate) mesh: (VertexShader, PixelShader, InputLayout),
    /// Reads a texture.
    pub(crate) textured: PixelShader,
    /// Dynamic: every list discards it for itself.
    pub(crate) dynamic: Buffer,
    /// Dynamic: only the immediate context writes it.
    pub(crate) late: Buffer,
    lists: Mutex<Vec<Recorded>>,
    passed: Mutex<Vec<Box<dyn Any + Send>>>,
    stop: AtomicBool,
}

const MESH: &str = "
    struct Between {
        @builtin(position) position: vec4<f32>,
        @location(0) @interpolate(flat) color: vec4<f32>,
    }

    @vertex
    fn vs_main(@location(0) position: vec2<f32>, @location(1) color: vec4<f32>) -> Between {
        return Between(vec4<f32>(position, 0.0, 1.0), color);
    }

    @fragment
    fn ps_main(between: Between) -> @location(0) vec4<f32> { return between.color; }
";

const TEXTURED: &str = "
    @group(1) @binding(0) var picture: texture_2d<f32>;
    @group(2) @binding(0) var reader: sampler;

    @fragment
    fn ps_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
        return textureSample(picture, reader, position.xy / 8.0);
    }
";

/// The elements of the mesh's vertices: positions, and a colour for each instance.
pub(crate) fn mesh_elements() -> [InputElementDesc; 2] {
    [
        InputElementDesc::new("POSITION", 0, Format::R32G32_FLOAT),
        InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM).slot(1).per_instance(),
    ]
}

pub(crate) fn mesh(device: &Device) -> (VertexShader, PixelShader, InputLayout) {
    let vs = device.create_vertex_shader(ShaderSource::wgsl(MESH, "vs_main")).unwrap();
    let ps = device.create_pixel_shader(ShaderSource::wgsl(MESH, "ps_main")).unwrap();
    let layout = device.create_input_layout(&mesh_elements(), &vs).unwrap();
    (vs, ps, layout)
}

impl Common {
    pub(crate) fn new(device: &Device) -> Self {
        let dynamic = BufferDesc::dynamic(BYTES, BindFlags::VERTEX_BUFFER);
        Self {
            device: device.clone(),
            quad: Quad::new(device),
            mesh: mesh(device),
            textured: device.create_pixel_shader(ShaderSource::wgsl(TEXTURED, "ps_main")).unwrap(),
            dynamic: device.create_buffer(&dynamic, None).unwrap(),
            late: device.create_buffer(&dynamic, None).unwrap(),
            lists: Mutex::default(),
            passed: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// Tells all threads to come to an end.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Offers a list to all threads, to be executed by lists of theirs.
    pub(crate) fn offer(&self, r: &mut Random, list: Recorded) {
        let old = {
            let mut lists = lock(&self.lists);
            if lists.len() < LISTS {
                lists.push(list);
                None
            } else {
                let at = r.below(LISTS as u32) as usize;
                Some(std::mem::replace(&mut lists[at], list))
            }
        };
        drop(old);
    }

    /// A list that some thread has offered.
    pub(crate) fn offered(&self, r: &mut Random) -> Option<Recorded> {
        let lists = lock(&self.lists);
        (!lists.is_empty()).then(|| r.pick(&lists).clone())
    }

    /// Gives something away, and drops what another thread gave away.
    pub(crate) fn pass(&self, r: &mut Random, thing: Box<dyn Any + Send>) {
        let other = {
            let mut passed = lock(&self.passed);
            passed.push(thing);
            let at = r.below(passed.len() as u32) as usize;
            (passed.len() > PASSED).then(|| passed.swap_remove(at))
        };
        drop(other);
    }

    /// All that was offered or passed, to be dropped.
    pub(crate) fn take_all(&self) -> Vec<Box<dyn Any + Send>> {
        let lists = std::mem::take(&mut *lock(&self.lists));
        let mut all = std::mem::take(&mut *lock(&self.passed));
        for Recorded { list, checks, .. } in lists {
            all.push(Box::new(list));
            all.push(Box::new(checks));
        }
        all
    }
}
