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

/// A pass that takes draws.
pub(in crate::encode) struct OpenPass {
    pub(in crate::encode) pass: wgpu::RenderPass<'static>,
    /// The last draw, if others may be merged with it.
    pub(in crate::encode) waiting: Option<WaitingDraw>,
    /// It has the queries' last set.
    pub(in crate::encode) counts: bool,
    /// It has a sample counter.
    pub(in crate::encode) counts_samples: bool,
    /// What is drawn in larger textures.
    pub(in crate::encode) borrowed: Vec<BorrowedTarget>,
}

impl OpenPass {
    /// Whether it has a sample counter.
    pub(in crate::encode) fn counts_samples(&self) -> bool {
        self.counts_samples
    }

    /// The pass, in which all draws are made.
    #[inline]
    pub(in crate::encode) fn pass(&mut self) -> &mut wgpu::RenderPass<'static> {
        if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            self.draw(indexed, &args);
        }
        &mut self.pass
    }

    /// Makes a draw, while none waits.
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

/// The open pass.
#[derive(Default)]
#[allow(clippy::large_enum_variant, reason = "an encoder has one, and opening it must not allocate")]
pub(in crate::encode) enum PassState {
    /// Commands go to the encoder.
    #[default]
    None,
    /// Takes draws.
    Render(OpenPass),
    /// Takes dispatches.
    Compute(wgpu::ComputePass<'static>),
}

impl PassState {
    /// The pass that takes draws.
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

/// A vertex or index buffer as the pass has it: number, offset, size.
pub(in crate::encode) type PassBuffer = (u64, u64, u64);

/// What the open pass has bound, so that nothing is bound twice. Which bind groups it has is said by
/// [`super::bind::PendingGroups`].
#[derive(Debug, Default)]
pub(in crate::encode) struct PassBindings {
    pub(in crate::encode) pipeline: Option<SlabIndex>,
    /// The bind group of pulled vertex buffers.
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

/// What the draws of the open pass may write.
#[derive(Debug, Default)]
pub(in crate::encode) struct PassWrites(pub(in crate::encode) Vec<(AccessRange, VariableTouch)>);

impl PassWrites {
    pub(in crate::encode) fn clear(&mut self) {
        self.0.clear();
    }

    pub(in crate::encode) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a draw that does this may be made in the pass, if a draw before it began it.
    pub(in crate::encode) fn allows(&self, writes: &[(AccessRange, VariableTouch)]) -> bool {
        let may = |(part, touch): &(AccessRange, VariableTouch)| {
            self.0.iter().any(|(known, before)| known == part && before.commutes_with(*touch))
        };
        writes.iter().all(may)
    }

    /// Whether a draw that reads a part may be made in the pass.
    pub(in crate::encode) fn allows_reading(&self, part: &AccessRange) -> bool {
        !self.0.iter().any(|(written, _)| written.overlaps(part))
    }
}
