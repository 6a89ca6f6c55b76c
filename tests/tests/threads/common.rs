//! State that the threads of a stress test share, and the lists that they send to the executing thread.

use std::{
    any::Any,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use onze::prelude::*;
use onze_tests::{Quad, Random};

pub(crate) const WORDS: usize = 16;
pub(crate) const BYTES: u32 = 4 * WORDS as u32;
pub(crate) const SIDE: u32 = 8;

/// Maximum number of lists that are offered to other threads, after which each new list replaces one of them.
const LISTS: usize = 16;
/// Maximum number of objects that wait for another thread to drop them.
const PASSED: usize = 64;

/// Locks a mutex of the test, ignoring poisoning because a thread that panics fails the test anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A condition that must be true after each execution of a list, directly or within another list.
#[derive(Clone)]
pub(crate) enum Check {
    /// The buffer contains these words, and a failure describes the buffer with the string.
    Words(&'static str, Buffer, Vec<u32>),
    /// The subresource contains these texels, unless they are `drawn` and the driver does not draw.
    Texels { what: &'static str, texture: Texture2d, subresource: u32, expected: Vec<u32>, drawn: bool },
    /// The buffer contains the contents that [`Common::late`] had when the list was executed.
    Late(Buffer),
    /// The query has this result, except that nothing is visible on drivers that do not draw.
    Answer(onze::Query, QueryData),
}

#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) list: CommandList,
    pub(crate) checks: Vec<Check>,
    pub(crate) thread: usize,
}

pub(crate) struct Common {
    pub(crate) device: Device,
    /// Every list and the immediate context discard this quad's constants.
    pub(crate) quad: Quad,
    pub(crate) mesh: (VertexShader, PixelShader, InputLayout),
    pub(crate) textured: PixelShader,
    /// A dynamic buffer, which each list discards before reading it.
    pub(crate) dynamic: Buffer,
    /// A dynamic buffer that only the immediate context writes and that lists copy when they are executed.
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

/// Returns the input elements of the mesh: a position per vertex and a colour per instance.
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

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Offers a list to all threads, which may execute it in their own lists.
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

    pub(crate) fn offered(&self, r: &mut Random) -> Option<Recorded> {
        let lists = lock(&self.lists);
        (!lists.is_empty()).then(|| r.pick(&lists).clone())
    }

    /// Leaves an object for another thread, and drops one object if too many wait.
    pub(crate) fn pass(&self, r: &mut Random, thing: Box<dyn Any + Send>) {
        let other = {
            let mut passed = lock(&self.passed);
            passed.push(thing);
            let at = r.below(passed.len() as u32) as usize;
            (passed.len() > PASSED).then(|| passed.swap_remove(at))
        };
        drop(other);
    }

    /// Takes all offered lists and waiting objects, so that the caller can drop them.
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
