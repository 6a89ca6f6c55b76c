//! Temporary buffers, and the driver's own pipelines that replace features of wgpu.

use wgpu::util::DeviceExt;

use crate::encode::{
    device_encoding::DeviceEncoding,
    encoder::Encoder,
    own_pipelines::{CoverPipeline, OwnCompute},
    parts::prologue::CommandPlace,
};

/// The alignment of storage bindings in each device.
const BINDING_ALIGNMENT: u64 = 256;

/// Number of bindings for which [`UnusedBuffer`] has a part.
const UNUSED_PARTS: u64 = 8;

/// The buffer for unused bindings of the driver's dispatches. It has a part for each binding, because bindings that shaders
/// may write must not overlap.
#[derive(Clone, Debug)]
pub(crate) struct UnusedBuffer(wgpu::Buffer);

impl UnusedBuffer {
    /// Returns the entry of a binding: the whole buffer, or a part of this one if the binding is unused.
    pub(crate) fn entry<'a>(
        &'a self,
        binding: u32,
        used: Option<&'a wgpu::Buffer>,
    ) -> wgpu::BindGroupEntry<'a> {
        let resource = match used {
            Some(used) => used.as_entire_binding(),
            None => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.0,
                offset: BINDING_ALIGNMENT * u64::from(binding),
                size: std::num::NonZeroU64::new(BINDING_ALIGNMENT),
            }),
        };
        wgpu::BindGroupEntry { binding, resource }
    }
}

impl<'r> Encoder<'r> {
    pub(crate) fn unused_buffer(&self) -> UnusedBuffer {
        let size = BINDING_ALIGNMENT * UNUSED_PARTS;
        let make = || UnusedBuffer(self.temporary(size, wgpu::BufferUsages::STORAGE));
        self.caches.unused.get_or_init(make).clone()
    }

    /// Creates a buffer for a few commands, whose size is rounded up to a multiple of 4 bytes.
    pub(crate) fn temporary(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("temporary"),
            size: size.next_multiple_of(4).max(4),
            usage: usage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Creates a small uniform buffer with parameters for one of the driver's own pipelines.
    pub(crate) fn parameters(&self, words: &[u32]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("parameters"),
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::UNIFORM,
        })
    }

    /// Runs `groups` workgroups of a pipeline with one bind group, in a place that the caller has chosen.
    pub(crate) fn run_own_groups(
        &mut self,
        place: CommandPlace,
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
        let mut pass = self.encoder_at(place).begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
    }

    /// Returns one of the driver's own compute pipelines, or reports the message `lost` if it cannot be made.
    pub(crate) fn own_compute(&mut self, which: OwnCompute, lost: &str) -> Option<&'r wgpu::ComputePipeline> {
        let DeviceEncoding { own_pipelines, compilers, .. } = self.encoding;
        let pipeline = own_pipelines.compute(compilers, which);
        if pipeline.is_none() {
            self.report(lost);
        }
        pipeline
    }

    /// Returns one of the driver's own render pipelines, or reports the message `lost` if it cannot be made.
    pub(crate) fn own_cover(&mut self, which: CoverPipeline, lost: &str) -> Option<wgpu::RenderPipeline> {
        let DeviceEncoding { own_pipelines, compilers, .. } = self.encoding;
        let pipeline = own_pipelines.cover(compilers, which);
        if pipeline.is_none() {
            self.report(lost);
        }
        pipeline
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use super::*;
    use crate::testing::noop;

    #[test]
    fn unused_bindings_do_not_overlap() {
        let (device, runtime) = noop();
        let buffer = device.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: BINDING_ALIGNMENT * UNUSED_PARTS,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let unused = UnusedBuffer(buffer.clone());
        let mut end = 0;
        for binding in 0..UNUSED_PARTS as u32 {
            let wgpu::BindingResource::Buffer(part) = unused.entry(binding, None).resource else { panic!() };
            assert!(part.offset >= end);
            end = part.offset + part.size.unwrap().get();
        }
        assert!(end <= buffer.size());
        runtime.assert_clean();
    }
}
