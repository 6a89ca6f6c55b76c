//! Copies of bytes between buffers at any offset and of any size.
//!
//! wgpu copies multiples of 4 bytes at multiples of 4, between different buffers. Other copies go through temporary
//! buffers and a small compute shader that merges bytes into words.

use wgpu::util::DeviceExt;

use crate::{
    encode::encoder::Encoder,
    services::{gpu::Gpu, sizes::MERGE_CHUNK},
};

/// The pipeline that merges bytes.
#[derive(Debug)]
pub(in crate::encode) struct MergePipeline {
    pipeline: wgpu::ComputePipeline,
}

impl MergePipeline {
    fn new(gpu: &Gpu) -> Option<Self> {
        crate::services::error_scope::scoped(&gpu.device, || {
            let module = gpu.device.create_shader_module(wgpu::include_wgsl!("merge.wgsl"));
            Self { pipeline: compute_pipeline(gpu, &module, "main") }
        })
        .ok()
    }
}

/// A compute pipeline with the layout that its shader asks for.
pub(in crate::encode) fn compute_pipeline(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: None,
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: gpu.pipeline_cache.load().as_deref(),
    })
}

/// A place in a wgpu buffer.
type BufferOffset<'b> = (&'b wgpu::Buffer, u64);

impl Encoder<'_> {
    /// A buffer for a few commands.
    pub(in crate::encode) fn temporary(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("temporary"),
            size: size.next_multiple_of(4).max(4),
            usage: usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A small buffer of parameters.
    pub(in crate::encode) fn parameters(&self, words: &[u32]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("parameters"),
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::UNIFORM,
        })
    }

    /// Runs `groups` workgroups of a pipeline with its one bind group. Ends the pass.
    pub(in crate::encode) fn run_own_groups(
        &mut self,
        pipeline: &wgpu::ComputePipeline,
        bindings: &[wgpu::BindingResource<'_>],
        groups: [u32; 2],
    ) {
        let entries: Vec<_> = (0u32..)
            .zip(bindings)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut pass = self.outside().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
    }

    /// Copies bytes. Both places may be in one buffer, and may overlap. Ends the pass.
    pub(in crate::encode) fn copy_bytes(&mut self, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64) {
        if size == 0 || src == dst {
            return;
        }
        if src.0 == dst.0 {
            // wgpu has no copies within one buffer; and no part may be read that was written already.
            let words = (src.1 % 4 + size).next_multiple_of(4);
            let between = self.temporary(words, wgpu::BufferUsages::empty());
            self.outside().copy_buffer_to_buffer(src.0, src.1 / 4 * 4, &between, 0, words);
            self.copy_bytes((&between, src.1 % 4), dst, size);
            return;
        }
        // The whole words in the middle need no merging if they lie alike in both.
        let head = (4 - dst.1 % 4) % 4;
        if src.1 % 4 == dst.1 % 4 && size >= head + 4 {
            let middle = (size - head) / 4 * 4;
            self.merge_bytes(src, dst, head);
            self.outside().copy_buffer_to_buffer(src.0, src.1 + head, dst.0, dst.1 + head, middle);
            let done = head + middle;
            self.merge_bytes((src.0, src.1 + done), (dst.0, dst.1 + done), size - done);
            return;
        }
        let mut done = 0;
        while done < size {
            let chunk = (size - done).min(MERGE_CHUNK);
            self.merge_bytes((src.0, src.1 + done), (dst.0, dst.1 + done), chunk);
            done += chunk;
        }
    }

    /// Copies up to [`MERGE_CHUNK`] bytes from anywhere to anywhere.
    fn merge_bytes(&mut self, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64) {
        if size == 0 {
            return;
        }
        let shared = self.caches.shared.clone();
        let Some(merge) = shared.merge.get_or_init(|| self.encoding.compilers.make(MergePipeline::new))
        else {
            self.report("a copy of odd bytes is lost: the adapter has no compute shaders");
            return;
        };
        let words = |at: u64| ((at % 4) + size).next_multiple_of(4);
        let (src_bytes, dst_bytes) = (words(src.1), words(dst.1));
        let from = self.temporary(src_bytes, wgpu::BufferUsages::STORAGE);
        let to = self.temporary(dst_bytes, wgpu::BufferUsages::STORAGE);
        let params =
            self.parameters(&[(src.1 % 4) as u32, (dst.1 % 4) as u32, size as u32, (dst_bytes / 4) as u32]);
        let encoder = self.outside();
        encoder.copy_buffer_to_buffer(src.0, src.1 / 4 * 4, &from, 0, src_bytes);
        encoder.copy_buffer_to_buffer(dst.0, dst.1 / 4 * 4, &to, 0, dst_bytes);
        let groups = (dst_bytes / 4).div_ceil(64).min(1024) as u32;
        let bindings = [params.as_entire_binding(), from.as_entire_binding(), to.as_entire_binding()];
        self.run_own_groups(&merge.pipeline, &bindings, [groups, 1]);
        self.outside().copy_buffer_to_buffer(&to, 0, dst.0, dst.1 / 4 * 4, dst_bytes);
    }
}
