//! Depth-stencil targets that are larger than the render targets.
//!
//! In Direct3D 11, draws cover the area that all targets share. In wgpu, all targets of a pass have one size.
//! Therefore each render target is replaced by an *enlarged* texture of the depth target's size. The target's
//! contents are copied into it before the pass, unless the pass clears them, and are copied back after the
//! pass. The scissor keeps draws within the shared area.
//!
//! wgpu cannot copy a rectangle of a multisampled texture, so such targets are copied by draws, sample by
//! sample ([`samples`](crate::encode::emulate::samples)).

use crate::encode::{
    emulate::samples::can_copy_samples,
    emulate_hooks::TargetEnlargement,
    encoder::Encoder,
    parts::{
        enlarged_targets::{BorrowedTarget, EnlargedShape, EnlargedTexture, extent},
        ranges::TARGETS,
    },
};

impl<'r> TargetEnlargement for Encoder<'r> {
    fn can_enlarge(&self) -> bool {
        let mut colors = self.targets.color().iter().flatten();
        self.targets.samples() == 1 || colors.all(|view| can_copy_samples(self.gpu, view.member_texture()))
    }

    fn enlarge(&mut self, clears: &[bool; TARGETS]) -> Vec<BorrowedTarget> {
        let (size, samples) = (self.targets.size(), self.targets.samples());
        let mut borrowed = Vec::new();
        for (slot, view) in (*self.targets.color()).into_iter().enumerate() {
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
            let loan = BorrowedTarget::new(view, self.targets.slice(), &enlarged.texture);
            if !clears[slot] {
                self.copy_enlarged(&loan, true);
            }
            borrowed.push(loan);
        }
        borrowed
    }

    fn give_back(&mut self, borrowed: &[BorrowedTarget]) {
        for loan in borrowed {
            self.copy_enlarged(loan, false);
        }
    }
}

impl<'r> Encoder<'r> {
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
