//! Clears of buffers: one value for all words of a part.
//!
//! wgpu clears buffers to zero. Other values are written by a small compute shader.

use std::num::NonZeroU64;

use crate::services::{gpu::Gpu, sizes::FILL_CHUNK};

use super::{Encoder, accesses::Part, merge::compute_pipeline, state::BufferRange};

/// Where a storage binding may begin, on any adapter.
const BINDING_ALIGNMENT: u64 = 256;

/// The pipeline that writes a value.
#[derive(Debug)]
pub(super) struct Fill {
    pipeline: wgpu::ComputePipeline,
}

impl Fill {
    fn new(gpu: &Gpu) -> Option<Self> {
        super::scoped(&gpu.device, || {
            let module = gpu.device.create_shader_module(wgpu::include_wgsl!("fill.wgsl"));
            Self { pipeline: compute_pipeline(gpu, &module, "main") }
        })
        .ok()
    }
}

impl Encoder<'_> {
    /// Writes a value into all words of a range of whole words.
    pub(super) fn fill_buffer(&mut self, range: &BufferRange<'_>, word: u32) {
        if range.size == 0 {
            return;
        }
        self.writes(Part::bytes(range.id, range.offset, range.size));
        if word == 0 {
            self.outside().clear_buffer(range.buffer, range.offset, Some(range.size));
        } else {
            let mut done = 0;
            while done < range.size {
                let chunk = (range.size - done).min(FILL_CHUNK);
                self.fill_chunk(range.buffer, range.offset + done, chunk, word);
                done += chunk;
            }
        }
        self.buffers_changed();
    }

    fn fill_chunk(&mut self, buffer: &wgpu::Buffer, offset: u64, size: u64, word: u32) {
        let shared = self.caches.shared.clone();
        let Some(fill) = shared.fill.get_or_init(|| self.encoding.compilers.make(Fill::new)) else {
            self.report("a clear of a buffer is lost: the adapter has no compute shaders");
            return;
        };
        let before = offset % BINDING_ALIGNMENT;
        let words = (size / 4) as u32;
        let params = self.parameters(&[(before / 4) as u32, words, word, 0]);
        let destination =
            wgpu::BufferBinding { buffer, offset: offset - before, size: NonZeroU64::new(before + size) };
        let bindings = [params.as_entire_binding(), wgpu::BindingResource::Buffer(destination)];
        self.run_own_groups(&fill.pipeline, &bindings, [words.div_ceil(64).min(1024), 1]);
    }
}
