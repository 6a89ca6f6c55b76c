//! Operations that declare the accesses of commands to textures and buffers ([`super::parts::accesses`]).
//!
//! A command calls [`Encoder::reads`] and [`Encoder::writes`] before it is encoded. Both operations first
//! execute the pending clears that overlap the range, and then add the access to the run's list.

use crate::{
    encode::{
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        parts::{
            accesses::{AccessKind, AccessRange},
            pipeline_plan::PipelinePlan,
        },
    },
    objects::view::View,
};

impl<'r> Encoder<'r> {
    /// Declares that the next command reads a range. If the range has pending clears, they are executed first
    /// and the pass ends.
    #[inline]
    pub(super) fn reads(&mut self, part: AccessRange) {
        if !self.clears.is_empty() {
            self.flush_clears(&part);
        }
        self.accesses.reads(part);
    }

    /// Declares that the next command reads the subresources of a view, which may end the pass.
    #[inline]
    pub(super) fn reads_view(&mut self, view: &'r View) {
        self.reads(AccessRange::seen(view));
        self.reads_members(view);
    }

    /// Declares that the next command writes the subresources of a view, which may end the pass.
    pub(super) fn writes_view(&mut self, view: &'r View) {
        self.writes(AccessRange::seen(view));
        self.writes_members(view, &view.desc.range);
    }

    /// Declares that the next command writes a range. If the range has pending clears, they are executed
    /// first and the pass ends.
    pub(super) fn writes(&mut self, part: AccessRange) {
        if !self.clears.is_empty() {
            self.flush_clears(&part);
        }
        self.adds_write(part);
    }

    /// Declares a write to a range that has no pending clear, so the pass stays open.
    pub(super) fn adds_write(&mut self, part: AccessRange) {
        self.accesses.add(part, AccessKind::Write);
    }

    /// Makes the next draw and dispatch copy their padded buffers again, because a buffer was written.
    pub(super) fn buffers_changed(&mut self) {
        self.padded_changed(PipelinePlan::Draw);
        self.padded_changed(PipelinePlan::Dispatch);
    }
}
