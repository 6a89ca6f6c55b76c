//! Enlarged targets: textures that replace render targets smaller than the depth-stencil target of their
//! pass.

use crate::{encode::parts::ranges::TARGETS, objects::view::View, services::gpu::Gpu};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnlargedShape {
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    /// Formats of the texture and of the view that is drawn to.
    pub(crate) formats: [wgpu::TextureFormat; 2],
}

#[derive(Debug)]
pub(crate) struct EnlargedTexture {
    pub(crate) shape: EnlargedShape,
    pub(crate) texture: wgpu::Texture,
    view: wgpu::TextureView,
    pub(crate) last_run: u64,
}

impl EnlargedTexture {
    pub(crate) fn new(gpu: &Gpu, shape: EnlargedShape) -> Self {
        let [format, seen] = shape.formats;
        let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
        usage |= if shape.samples > 1 {
            wgpu::TextureUsages::TEXTURE_BINDING
        } else {
            wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST
        };
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("enlarged target"),
            size: extent(shape.size),
            mip_level_count: 1,
            sample_count: shape.samples,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: if seen == format { &[] } else { std::slice::from_ref(&seen) },
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(seen),
            usage: Some(wgpu::TextureUsages::RENDER_ATTACHMENT),
            ..wgpu::TextureViewDescriptor::default()
        });
        Self { shape, texture, view, last_run: 0 }
    }
}

/// Enlarged textures of an encoding thread: the last one for each target slot.
#[derive(Debug, Default)]
pub(crate) struct EnlargedTargets {
    pub(crate) slots: [Option<EnlargedTexture>; TARGETS],
}

impl EnlargedTargets {
    /// Returns the view that replaces the render target in a slot.
    pub(crate) fn view(&self, slot: usize) -> Option<&wgpu::TextureView> {
        self.slots.get(slot)?.as_ref().map(|enlarged| &enlarged.view)
    }

    /// Drops textures that were last used before run `oldest`.
    pub(crate) fn retire(&mut self, oldest: u64) {
        for slot in &mut self.slots {
            slot.take_if(|enlarged| enlarged.last_run < oldest);
        }
    }
}

/// A render target that an enlarged texture replaces until the pass has ended.
#[derive(Debug)]
pub(crate) struct BorrowedTarget {
    pub(crate) enlarged: wgpu::Texture,
    pub(crate) target: wgpu::Texture,
    pub(crate) mip: u32,
    pub(crate) slice: u32,
    pub(crate) size: [u32; 2],
}

impl BorrowedTarget {
    /// `slice` is the slice of the view that the pass draws to.
    pub(crate) fn new(view: &View, slice: u32, enlarged: &wgpu::Texture) -> Self {
        let range = view.desc.range;
        Self {
            enlarged: enlarged.clone(),
            target: view.member_texture().clone(),
            mip: range.first_mip,
            slice: view.depth_slice().unwrap_or(range.first_slice) + slice,
            size: [view.width, view.height],
        }
    }
}

pub(crate) fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
}
