//! The open pass, its bindings, and the ranges that its draws may write.

use onze_ddi::Viewport;

use crate::{
    encode::parts::{
        accesses::AccessRange, enlarged_targets::BorrowedTarget, hash::SlabIndex, merging::WaitingDraw,
        ranges::VERTEX_SLOTS,
    },
    objects::shader::VariableTouch,
    record::page::InstancedDraw,
};

pub(in crate::encode) struct OpenPass {
    pub(in crate::encode) pass: wgpu::RenderPass<'static>,
    /// The last draw, if others may be merged with it.
    pub(in crate::encode) waiting: Option<WaitingDraw>,
    /// The pass uses the last occlusion query set of the run.
    pub(in crate::encode) counts: bool,
    pub(in crate::encode) counts_samples: bool,
    /// The render targets that larger textures replace during the pass.
    pub(in crate::encode) borrowed: Vec<BorrowedTarget>,
}

impl OpenPass {
    pub(in crate::encode) fn counts_samples(&self) -> bool {
        self.counts_samples
    }

    /// Returns the pass after the waiting draw, if there is one, was encoded.
    #[inline]
    pub(in crate::encode) fn pass(&mut self) -> &mut wgpu::RenderPass<'static> {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
        &mut self.pass
    }

    /// Encodes a draw, while none waits for merging.
    #[inline]
    pub(in crate::encode) fn draw(&mut self, indexed: bool, args: &InstancedDraw) {
        let Some((range, instances)) = args.ranges() else { return };
        if indexed {
            self.pass.draw_indexed(range, args.base_vertex, instances);
        } else {
            self.pass.draw(range, instances);
        }
    }
}

#[derive(Default)]
#[allow(clippy::large_enum_variant, reason = "an encoder has one, and opening it must not allocate")]
pub(in crate::encode) enum PassState {
    /// No pass is open, so commands go to the encoder.
    #[default]
    None,
    Render(OpenPass),
    Compute(wgpu::ComputePass<'static>),
}

impl PassState {
    #[inline]
    pub(in crate::encode) fn render(&mut self) -> Option<&mut OpenPass> {
        match self {
            Self::Render(open) => Some(open),
            Self::None | Self::Compute(_) => None,
        }
    }

    pub(in crate::encode) const fn is_render(&self) -> bool {
        matches!(self, Self::Render(_))
    }

    pub(in crate::encode) const fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A vertex or index buffer in the pass: identifier, offset, size.
pub(in crate::encode) type PassBuffer = (u64, u64, u64);

/// The bindings of the open pass, so that nothing is bound twice, except for bind groups, which
/// [`PendingGroups`](super::groups::PendingGroups) tracks.
#[derive(Debug, Default)]
pub(in crate::encode) struct PassBindings {
    pub(in crate::encode) pipeline: Option<SlabIndex>,
    pub(in crate::encode) pulled: Option<SlabIndex>,
    pub(in crate::encode) vertex: [PassBuffer; VERTEX_SLOTS],
    pub(in crate::encode) index: (PassBuffer, bool),
    pub(in crate::encode) viewport: Option<Viewport>,
    pub(in crate::encode) scissor: Option<[u32; 4]>,
    pub(in crate::encode) blend_factor: Option<[f32; 4]>,
    pub(in crate::encode) stencil_ref: Option<u8>,
}

impl PassBindings {
    pub(in crate::encode) fn forget_objects(&mut self) {
        (self.pipeline, self.pulled) = (None, None);
        self.vertex = [(0, 0, 0); VERTEX_SLOTS];
        self.index = ((0, 0, 0), false);
    }

    pub(in crate::encode) fn reset(&mut self) {
        self.viewport = None;
        self.scissor = None;
        self.blend_factor = None;
        self.stencil_ref = None;
    }
}

/// The ranges that draws of the open pass may write, each with the kind of access.
#[derive(Debug, Default)]
pub(in crate::encode) struct PassWrites(pub(in crate::encode) Vec<(AccessRange, VariableTouch)>);

impl PassWrites {
    pub(in crate::encode) fn clear(&mut self) {
        self.0.clear();
    }

    pub(in crate::encode) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a draw with these accesses can join the pass that an earlier draw began.
    pub(in crate::encode) fn allows(&self, writes: &[(AccessRange, VariableTouch)]) -> bool {
        let may = |(part, touch): &(AccessRange, VariableTouch)| {
            self.0.iter().any(|(known, before)| known == part && before.commutes_with(*touch))
        };
        writes.iter().all(may)
    }

    /// Returns whether a draw that reads a range can join the pass.
    pub(in crate::encode) fn allows_reading(&self, part: &AccessRange) -> bool {
        !self.0.iter().any(|(written, _)| written.overlaps(part))
    }
}
