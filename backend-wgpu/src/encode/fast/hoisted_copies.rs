//! Hoisted copies. A copy whose ranges the run has not used yet is submitted before the run, so that it does
//! not split the open pass.
//!
//! An application that updates a texture or a vertex buffer between two draws rarely draws with the old
//! contents in the same frame. wgpu has no copies within a pass. Such a copy therefore goes into a second
//! encoder, whose commands are submitted before those of the run. This is correct if no command that the run
//! has encoded so far uses the copy's destination or writes its source.

use crate::encode::{
    encoder::Encoder,
    fast_hooks::CopyHoisting,
    parts::accesses::{AccessKind, AccessRange},
};

impl<'r> CopyHoisting for Encoder<'r> {
    fn outside_to_copy(&mut self, src: AccessRange, dst: AccessRange) -> &mut wgpu::CommandEncoder {
        if !self.clears.is_empty() {
            self.flush_clears(&src);
            self.flush_clears(&dst);
        }
        if self.pass.is_open()
            && self.accesses.allow_before(&src, AccessKind::Read)
            && self.accesses.allow_before(&dst, AccessKind::Write)
        {
            return self.hoisted.encoder(&self.gpu.device);
        }
        self.reads(src);
        self.writes(dst);
        self.outside()
    }
}
