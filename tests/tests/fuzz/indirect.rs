//! Indirect draws and dispatches, and the commands that write their arguments.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, maybe, odd};

/// Compute shaders that write small numbers, with results that do not depend on the order of the threads.
const SHADERS: &[&str] = &[
    "@group(3) @binding(0) var<storage, read_write> words: array<u32>;
    @compute @workgroup_size(3) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
        words[id.x] = (id.x + n.x + n.y) % 5u;
    }",
    "@group(3) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
        atomicMax(&words[(id.x * 7u + id.y) % arrayLength(&words)], (id.x + id.z) % 5u);
    }",
];

const WORDS: u32 = 24;

/// Returns small numbers as the contents of an argument buffer, so that draws with any of them are small.
fn words(r: &mut Random) -> Vec<u32> {
    (0..WORDS).map(|_| r.below(5)).collect()
}

#[derive(Clone, Default)]
pub(crate) struct Indirect {
    /// Buffers of small numbers that are valid arguments at any offset, with the views through which shaders
    /// write them.
    arguments: Vec<(Buffer, UnorderedAccessView)>,
    shaders: Vec<ComputeShader>,
}

impl Indirect {
    pub(crate) fn new(device: &Device, r: &mut Random) -> Self {
        let mut all = Self::default();
        for _ in 0..2 {
            let desc = BufferDesc::indirect(4 * WORDS, BindFlags::UNORDERED_ACCESS);
            let Ok(buffer) = device.create_buffer(&desc, Some(bytemuck::cast_slice(&words(r)))) else {
                continue;
            };
            let view = UnorderedAccessViewDesc::raw_buffer(4 * r.below(3), u32::MAX);
            let view = device.create_unordered_access_view(&buffer, Some(&view)).ok();
            all.arguments.extend(view.map(|view| (buffer, view)));
        }
        let sources = SHADERS.iter().map(|text| ShaderSource::wgsl(text, "main"));
        all.shaders.extend(sources.filter_map(|source| device.create_compute_shader(source).ok()));
        all
    }

    /// Returns whether a view covers arguments. Only shaders of this module may write through such a view,
    /// because draws with other arguments could take a very long time.
    pub(crate) fn is_seen_by(&self, view: &UnorderedAccessView) -> bool {
        self.arguments.iter().any(|(_, own)| own == view)
    }

    pub(crate) fn buffers(&self) -> impl Iterator<Item = Buffer> {
        self.arguments.iter().map(|(buffer, _)| buffer.clone())
    }
}

/// Draws or dispatches with arguments from a buffer, or writes new arguments.
pub(crate) fn command(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let Indirect { arguments, shaders } = &w.indirect;
    let Some((buffer, view)) = any(r, arguments) else { return };
    let offset = if r.one_in(12) { odd(r, 4 * WORDS) } else { 4 * r.below(WORDS - 4) };
    let kind = r.below(8);
    w.say(format_args!("indirect {kind} {:?} {offset}", buffer.desc()));
    match kind {
        0..3 => cx.draw_instanced_indirect(buffer, offset),
        3..5 => cx.draw_indexed_instanced_indirect(buffer, offset),
        5 | 6 => {
            cx.cs_set_shader(maybe(r, shaders));
            let written = any(r, arguments).map_or(view, |(_, view)| view);
            cx.cs_set_unordered_access_views(0, written);
            if kind == 5 {
                cx.dispatch_indirect(buffer, offset);
            } else {
                cx.dispatch(r.below(4), 1, r.below(3));
            }
        }
        _ => cx.update_subresource(buffer, 0, None, &words(r), 0, 0),
    }
}
