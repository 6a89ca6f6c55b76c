//! Sections of a run: the encoders of their prologues, and the encoders of the sections that have ended.
//!
//! The operations are in [`crate::encode::prologue`].

/// The wgpu encoder of commands outside of passes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandPlace {
    /// The prologue of the section, so the open pass stays open.
    Prologue,
    /// The run's own encoder, for which the open pass ends.
    Run,
}

/// The encoders of a run, except for the encoder of the current section's own commands.
#[derive(Debug, Default)]
pub(crate) struct RunSections {
    /// The prologue of the current section, which its first command creates.
    prologue: Option<wgpu::CommandEncoder>,
    /// The encoders of the sections that have ended, in the order of submission, which are finished with the
    /// run.
    ended: Vec<wgpu::CommandEncoder>,
}

impl RunSections {
    /// Returns whether the current section has a prologue, so another command in it costs no encoder.
    pub(crate) fn has_prologue(&self) -> bool {
        self.prologue.is_some()
    }

    pub(crate) fn prologue(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        let desc = wgpu::CommandEncoderDescriptor { label: Some("prologue") };
        self.prologue.get_or_insert_with(|| device.create_command_encoder(&desc))
    }

    /// Ends a section with its own commands, or `None` if it has none outside of its prologue.
    pub(crate) fn end(&mut self, commands: Option<wgpu::CommandEncoder>) {
        self.ended.extend(self.prologue.take());
        self.ended.extend(commands);
    }

    /// Ends the last section, and returns the command buffers of the run in the order of submission.
    pub(crate) fn finish(mut self, commands: Option<wgpu::CommandEncoder>) -> Vec<wgpu::CommandBuffer> {
        self.end(commands);
        self.ended.into_iter().map(wgpu::CommandEncoder::finish).collect()
    }
}
