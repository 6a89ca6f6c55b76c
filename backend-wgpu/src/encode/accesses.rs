//! Accesses: the parts of textures and buffers that the commands of a run read and write.
//!
//! The encoder does not keep wgpu's commands in the order of the calls. So each command says what it reads
//! ([`Encoder::reads`]) and writes ([`Encoder::writes`]) before it is encoded. Four questions are answered from that:
//!
//! * How long does a clear wait? Until a command reads or writes its part ([`super::clear`]).
//! * Which copies are submitted before the run? Those whose parts the run has not used ([`super::fast::hoisted_copies`]).
//! * Which textures can a draw read? Those whose parts the targets of its pass do not write ([`super::pass`]).
//! * What does a bundle read when it is executed? What its draws read when they were recorded ([`super::fast::bundle`]).

use crate::{
    encode::{
        bind::{ComputeBindPoint, GraphicsBindPoint},
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        parts::accesses::{AccessKind, AccessRange},
    },
    objects::view::View,
};

impl<'r> Encoder<'r> {
    /// Before a command that reads a part. May end the pass.
    #[inline]
    pub(super) fn reads(&mut self, part: AccessRange) {
        if !self.clears.is_empty() {
            self.flush_clears(&part);
        }
        self.accesses.reads(part);
    }

    /// Before a command that reads what a view sees. May end the pass.
    #[inline]
    pub(super) fn reads_view(&mut self, view: &'r View) {
        self.reads(AccessRange::seen(view));
        self.reads_members(view);
    }

    /// Before a command that writes what a view sees. May end the pass.
    pub(super) fn writes_view(&mut self, view: &'r View) {
        self.writes(AccessRange::seen(view));
        self.writes_members(view, &view.desc.range);
    }

    /// Before a command that writes a part. May end the pass.
    pub(super) fn writes(&mut self, part: AccessRange) {
        if !self.clears.is_empty() {
            self.flush_clears(&part);
        }
        self.adds_write(part);
    }

    /// Before a command that writes a part for which no clear waits.
    pub(super) fn adds_write(&mut self, part: AccessRange) {
        self.accesses.add(part, AccessKind::Write);
    }

    /// A buffer was written: padded copies of buffers must be made again.
    pub(super) fn buffers_changed(&mut self) {
        self.padded_changed::<GraphicsBindPoint>();
        self.padded_changed::<ComputeBindPoint>();
    }
}
