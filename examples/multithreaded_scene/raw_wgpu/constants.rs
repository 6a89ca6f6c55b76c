//! All constants of a frame in a single buffer that is uploaded once per frame.

use bytemuck::bytes_of;

use crate::constants::{LightConstants, ObjectConstants, PassConstants};
use crate::gpu::targets::SHADOW_EXTENT;
use crate::plan::{Frame, Pass};
use crate::scene::Scene;

/// A buffer with a slot for each object and for the water, followed by a slot for each pass and a slot for
/// the lights.
#[derive(Debug)]
pub(super) struct Constants {
    buffer: wgpu::Buffer,
    bytes: Vec<u8>,
    /// Reused staging memory, because `Queue::write_buffer` would allocate in every call.
    uploads: wgpu::util::StagingBelt,
    stride: usize,
    objects: usize,
    pass_stride: usize,
}

impl Constants {
    pub(super) fn new(device: &wgpu::Device, scene: &Scene) -> Self {
        // The noop backend reports no alignment, but copies need multiples of four bytes.
        let alignment = device.limits().min_uniform_buffer_offset_alignment.max(4) as usize;
        let stride = size_of::<ObjectConstants>().next_multiple_of(alignment);
        let objects = scene.objects.len() + 1;
        let pass_stride =
            size_of::<PassConstants>().max(size_of::<LightConstants>()).next_multiple_of(alignment);
        let size = stride * objects + pass_stride * (Pass::ALL.len() + 1);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("constants"),
            size: size as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let uploads = wgpu::util::StagingBelt::new(device.clone(), size as u64);
        Self { buffer, bytes: vec![0; size], uploads, stride, objects, pass_stride }
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the slot of the first object, because a dynamic offset selects another object's slot.
    pub(super) fn object(&self) -> wgpu::BindingResource<'_> {
        self.at(0, size_of::<ObjectConstants>())
    }

    pub(super) fn pass(&self, pass: Pass) -> wgpu::BindingResource<'_> {
        self.at(self.frame_slot(pass as usize), size_of::<PassConstants>())
    }

    pub(super) fn lights(&self) -> wgpu::BindingResource<'_> {
        self.at(self.frame_slot(Pass::ALL.len()), size_of::<LightConstants>())
    }

    fn frame_slot(&self, number: usize) -> usize {
        self.stride * self.objects + self.pass_stride * number
    }

    fn at(&self, offset: usize, size: usize) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: offset as u64,
            size: wgpu::BufferSize::new(size as u64),
        })
    }

    pub(super) fn write_frame(&mut self, frame: &Frame) {
        for pass in Pass::ALL {
            self.write(self.frame_slot(pass as usize), bytes_of(&PassConstants::new(frame, pass)));
        }
        let lights = LightConstants::new(frame, SHADOW_EXTENT);
        self.write(self.frame_slot(Pass::ALL.len()), bytes_of(&lights));
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Splits the objects' slots into at most `count` consecutive parts, each with the index of its first
    /// object.
    pub(super) fn parts(&mut self, count: usize) -> impl Iterator<Item = (usize, &mut [u8])> {
        let part = self.objects.div_ceil(count);
        let slots = &mut self.bytes[..self.stride * self.objects];
        slots.chunks_mut(part * self.stride).enumerate().map(move |(number, slots)| (number * part, slots))
    }

    pub(super) fn upload(&mut self, mut encoder: wgpu::CommandEncoder) -> wgpu::CommandBuffer {
        if let Some(size) = wgpu::BufferSize::new(self.buffer.size()) {
            self.uploads.write_buffer(&mut encoder, &self.buffer, 0, size).copy_from_slice(&self.bytes);
        }
        self.uploads.finish_and_recall_on_submit(&encoder);
        encoder.finish()
    }
}
