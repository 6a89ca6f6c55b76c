//! The prologue: commands that are executed before the passes of a section of the run.
//!
//! wgpu has no copies and no dispatches within a render pass. In Direct3D 11, however, an update may be
//! between two draws, and some draws need a padded copy or a dispatch of the driver. If such a command ended
//! the pass, a pass of 1,000 draws could become 1,000 passes. Therefore it goes into a second encoder, the
//! *prologue*, whose commands are submitted before the others.
//!
//! # When a command moves into the prologue
//!
//! A command may move before all others if none of them writes a range that it reads, or uses a range that it
//! writes. [`accesses`](super::parts::accesses) contains the ranges of all commands except those in the
//! prologue, which keep their order. A pending clear of one of the ranges is executed first, so that its
//! write is in the account as well. Moving is useful while a pass is open. Commands that write only new
//! buffers also move while no pass is open, if the prologue exists, because then the account need not contain
//! their reads.
//!
//! # Sections
//!
//! A run begins with one *section*, which has one encoder and at most one prologue. Suppose that a dispatch
//! of the run has written the arguments of indirect draws, and each draw needs a copy of its own arguments.
//! None of the copies can move before the dispatch, so each of them would end the pass. Instead, the first
//! command that conflicts only with commands before the open pass begins a new section, with an empty
//! account, and the following commands move into its prologue. If a command conflicts with the open pass
//! itself, it only ends the pass, because the next command would have the same conflict in any section.
//!
//! Sections are submitted in order, so nothing else depends on them: pending clears, open queries, debug
//! groups and the members of textures continue. However, bindings that stay the same are declared only once.
//! Therefore a new section makes all bindings dirty, and the draw that has begun it resolves its inputs again
//! ([`Encoder::in_one_section`]).
//!
//! # Figures
//!
//! Measured with wgpu 30 on two cores: one more pass costs 7 µs of CPU time on the noop backend, and one more
//! encoder costs 16 µs in addition. On llvmpipe these are 26 and 36 µs. An encoder for each pass, which would
//! need no sections, is therefore too expensive. On llvmpipe, 100 indirect draws whose arguments were written
//! in the same run take 9 ms in two passes with a section, and 21 ms in 100 passes without sections.

use crate::encode::{
    emulate_hooks::SharedDispatches,
    encoder::Encoder,
    parts::{
        accesses::{AccessKind, AccessRange, MoveVerdict},
        prologue::CommandPlace,
    },
};

impl<'r> Encoder<'r> {
    /// Declares the accesses of the next commands outside of passes, and returns their common place. Commands
    /// with one place keep their order. Writes to buffers that no other command uses need no declaration.
    pub(super) fn place(&mut self, reads: &[AccessRange], writes: &[AccessRange]) -> CommandPlace {
        if !self.clears.is_empty() {
            reads.iter().chain(writes).for_each(|part| self.flush_clears(part));
        }
        let is_open = self.pass.is_open();
        if is_open || (writes.is_empty() && self.sections.has_prologue()) {
            match self.accesses.may_move(reads, writes) {
                MoveVerdict::Free => return CommandPlace::Prologue,
                MoveVerdict::AfterEarlierPasses if self.pass.is_render() => {
                    self.begin_section();
                    return CommandPlace::Prologue;
                }
                MoveVerdict::AfterEarlierPasses | MoveVerdict::AfterOpenPass => {}
            }
        }
        self.end_pass();
        reads.iter().for_each(|part| self.accesses.reads(*part));
        writes.iter().for_each(|part| self.accesses.add(*part, AccessKind::Write));
        if !is_open {
            // The next pass begins after these commands.
            self.accesses.end_pass();
        }
        CommandPlace::Run
    }

    /// Returns the wgpu encoder of a place, and ends the pass if it is the run's own encoder.
    pub(super) fn encoder_at(&mut self, place: CommandPlace) -> &mut wgpu::CommandEncoder {
        match place {
            CommandPlace::Prologue => self.sections.prologue(&self.gpu.device),
            CommandPlace::Run => self.outside(),
        }
    }

    /// Ends the pass, and begins a section with an empty list of accesses.
    fn begin_section(&mut self) {
        self.end_pass();
        self.flush_batches();
        self.events.leave_encoder(&mut self.encoder);
        let ended = std::mem::replace(&mut self.encoder, new_encoder(&self.gpu.device));
        self.sections.end(std::mem::take(&mut self.used).then_some(ended));
        self.accesses.begin_section();
        self.caches.sections += 1;
        self.bindings.change_all();
    }

    /// Resolves the inputs of a draw, a second time if that has begun a section, because the list of accesses
    /// must contain all inputs of the draw. The second time begins no section, because no pass is open.
    #[inline]
    pub(super) fn in_one_section<T>(&mut self, resolve: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        loop {
            let section = self.caches.sections;
            let resolved = resolve(self);
            if self.caches.sections == section {
                return resolved;
            }
        }
    }
}

/// Creates the encoder of a section's own commands.
pub(super) fn new_encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("onze run") })
}
