//! Depth-stencil targets that are larger than the render targets.
//!
//! In Direct3D 11 draws reach the area that the targets share. The targets of a wgpu pass have one size. So each render
//! target is drawn in an *enlarged* texture of the depth's size: what it has is copied there before the pass, unless the
//! pass clears it, and comes back after the pass. Scissors keep draws within the shared area.
//!
//! wgpu copies no part of a multisampled texture: such targets are drawn, sample by sample ([`crate::encode::emulate::samples`]).

use crate::{objects::view::View, services::gpu::Gpu};

use crate::encode::{Encoder, emulate::samples::can_copy_samples, state::TARGETS};

/// What an enlarged texture is made of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct EnlargedShape {
    size: [u32; 2],
    samples: u32,
    /// Of the texture, and of the view that is drawn to.
    formats: [wgpu::TextureFormat; 2],
}

#[derive(Debug)]
struct EnlargedTexture {
    shape: EnlargedShape,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    last_run: u64,
}

impl EnlargedTexture {
    fn new(gpu: &Gpu, shape: EnlargedShape) -> Self {
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

/// What one encoding thread keeps for enlarged targets: of each slot the last texture.
#[derive(Debug, Default)]
pub(in crate::encode) struct EnlargedTargets {
    slots: [Option<EnlargedTexture>; TARGETS],
}

impl EnlargedTargets {
    /// What is drawn to in place of the view in a slot.
    pub(in crate::encode) fn view(&self, slot: usize) -> Option<&wgpu::TextureView> {
        self.slots.get(slot)?.as_ref().map(|enlarged| &enlarged.view)
    }

    /// Drops what was last used before a run.
    pub(in crate::encode) fn retire(&mut self, oldest: u64) {
        for slot in &mut self.slots {
            slot.take_if(|enlarged| enlarged.last_run < oldest);
        }
    }
}

/// What an enlarged texture holds for a target, until the pass has ended.
#[derive(Debug)]
pub(in crate::encode) struct BorrowedTarget {
    enlarged: wgpu::Texture,
    target: wgpu::Texture,
    mip: u32,
    /// Of the array or of the depth.
    slice: u32,
    /// The size of the target.
    size: [u32; 2],
}

impl BorrowedTarget {
    fn new(view: &View, enlarged: &wgpu::Texture) -> Self {
        let range = view.desc.range;
        Self {
            enlarged: enlarged.clone(),
            target: view.member_texture().clone(),
            mip: range.first_mip,
            slice: view.depth_slice().unwrap_or(range.first_slice),
            size: [view.width, view.height],
        }
    }
}

fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
}

impl Encoder<'_> {
    /// Whether the render targets can be enlarged.
    pub(in crate::encode) fn can_enlarge(&self) -> bool {
        let mut colors = self.targets.color.iter().flatten();
        self.targets.samples == 1 || colors.all(|view| can_copy_samples(self.gpu, view.member_texture()))
    }

    /// Before a pass whose depth is larger: gives each target a texture of its size, with what the target has. `clears`:
    /// the slots that the pass clears.
    pub(in crate::encode) fn enlarge(&mut self, clears: &[bool; TARGETS]) -> Vec<BorrowedTarget> {
        let (size, samples) = (self.targets.size, self.targets.samples);
        let mut borrowed = Vec::new();
        for (slot, view) in self.targets.color.into_iter().enumerate() {
            let Some(view) = view else { continue };
            let shape =
                EnlargedShape { size, samples, formats: [view.member_texture().format(), view.format] };
            let last_run = self.caches.runs;
            let kept = &mut self.caches.enlarged.slots[slot];
            if kept.as_ref().is_none_or(|enlarged| enlarged.shape != shape) {
                *kept = None;
            }
            let enlarged = kept.get_or_insert_with(|| EnlargedTexture::new(self.gpu, shape));
            enlarged.last_run = last_run;
            let loan = BorrowedTarget::new(view, &enlarged.texture);
            if !clears[slot] {
                self.copy_enlarged(&loan, true);
            }
            borrowed.push(loan);
        }
        borrowed
    }

    /// After a pass with enlarged targets: their texels go back.
    pub(in crate::encode) fn give_back(&mut self, borrowed: &[BorrowedTarget]) {
        for loan in borrowed {
            self.copy_enlarged(loan, false);
        }
    }

    /// Copies a target into its enlarged texture, or back.
    fn copy_enlarged(&mut self, loan: &BorrowedTarget, enlarges: bool) {
        let place = |texture, mip_level, z| wgpu::TexelCopyTextureInfo {
            texture,
            mip_level,
            origin: wgpu::Origin3d { x: 0, y: 0, z },
            aspect: wgpu::TextureAspect::All,
        };
        let (enlarged, target) = (place(&loan.enlarged, 0, 0), place(&loan.target, loan.mip, loan.slice));
        let (from, to) = if enlarges { (target, enlarged) } else { (enlarged, target) };
        if loan.target.sample_count() == 1 {
            self.encoder.copy_texture_to_texture(from, to, extent(loan.size));
        } else {
            self.draw_samples(from, to, loan.size);
        }
    }
}
