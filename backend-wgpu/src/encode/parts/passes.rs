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

pub(crate) struct OpenPass {
    pub(crate) pass: wgpu::RenderPass<'static>,
    /// The last draw, if others may be merged with it.
    pub(crate) waiting: Option<WaitingDraw>,
    /// The pass uses the last occlusion query set of the run.
    pub(crate) counts: bool,
    pub(crate) counts_samples: bool,
    /// The render targets that larger textures replace during the pass.
    pub(crate) borrowed: Vec<BorrowedTarget>,
}

impl OpenPass {
    pub(crate) fn counts_samples(&self) -> bool {
        self.counts_samples
    }

    /// Returns the pass after the waiting draw, if there is one, was encoded.
    #[inline]
    pub(crate) fn pass(&mut self) -> &mut wgpu::RenderPass<'static> {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
        &mut self.pass
    }

    /// Encodes a draw, while none waits for merging.
    #[inline]
    pub(crate) fn draw(&mut self, indexed: bool, args: &InstancedDraw) {
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
pub(crate) enum PassState {
    /// No pass is open, so commands go to the encoder.
    #[default]
    None,
    Render(OpenPass),
    Compute(wgpu::ComputePass<'static>),
}

impl PassState {
    #[inline]
    pub(crate) fn render(&mut self) -> Option<&mut OpenPass> {
        match self {
            Self::Render(open) => Some(open),
            Self::None | Self::Compute(_) => None,
        }
    }

    pub(crate) const fn is_render(&self) -> bool {
        matches!(self, Self::Render(_))
    }

    pub(crate) const fn is_open(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A vertex or index buffer in the pass: identifier, offset, size.
pub(crate) type PassBuffer = (u64, u64, u64);

/// The bindings of the open pass, so that nothing is bound twice, except for bind groups, which
/// [`PendingGroups`](super::groups::PendingGroups) tracks.
#[derive(Debug, Default)]
pub(crate) struct PassBindings {
    pub(crate) pipeline: Option<SlabIndex>,
    pub(crate) pulled: Option<SlabIndex>,
    pub(crate) vertex: [PassBuffer; VERTEX_SLOTS],
    pub(crate) index: (PassBuffer, bool),
    pub(crate) viewport: Option<Viewport>,
    pub(crate) scissor: Option<[u32; 4]>,
    pub(crate) blend_factor: Option<[f32; 4]>,
    pub(crate) stencil_ref: Option<u8>,
}

impl PassBindings {
    pub(crate) fn forget_objects(&mut self) {
        (self.pipeline, self.pulled) = (None, None);
        self.vertex = [(0, 0, 0); VERTEX_SLOTS];
        self.index = ((0, 0, 0), false);
    }

    pub(crate) fn reset(&mut self) {
        self.viewport = None;
        self.scissor = None;
        self.blend_factor = None;
        self.stencil_ref = None;
    }
}

/// The ranges that draws of the open pass may write, each with the kind of access.
#[derive(Debug, Default)]
pub(crate) struct PassWrites(pub(crate) Vec<(AccessRange, VariableTouch)>);

impl PassWrites {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a draw with these accesses can join the pass that an earlier draw began.
    pub(crate) fn allows(&self, writes: &[(AccessRange, VariableTouch)]) -> bool {
        let may = |(part, touch): &(AccessRange, VariableTouch)| {
            self.0.iter().any(|(known, before)| known == part && before.commutes_with(*touch))
        };
        writes.iter().all(may)
    }

    /// Returns whether a draw that reads a range can join the pass.
    pub(crate) fn allows_reading(&self, part: &AccessRange) -> bool {
        !self.0.iter().any(|(written, _)| written.overlaps(part))
    }
}
