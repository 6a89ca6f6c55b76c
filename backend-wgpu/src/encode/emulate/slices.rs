//! Ranges of commands that are encoded once for each slice of the targets.
//!
//! A pass of wgpu draws to one slice, but the primitives of a geometry shader select theirs. Each draw alone would
//! need a pass for each slice. After the first such draw, the draws that follow and the commands that set their state
//! form a range. Any other command ends the range. It is encoded in a pass for one slice, then again in a pass for the
//! next slice, and so on. Draws without a selection are made in the pass of the first slice only.
//!
//! The result is the same as that of one draw after the other, because a primitive changes only its own slice. So a
//! range ends before a draw that also writes buffers or textures.

use onze_ddi::{OutputValue, ShaderStage};

use crate::{
    encode::{
        emulate_hooks::{SampleCounting, SliceRanges},
        encoder::Encoder,
        fast_hooks::Bundling,
        parts::page_objects::PageObjects,
    },
    record::{
        command::{Command, CommandClass, StateCommand},
        page::Page,
    },
};

impl<'r> SliceRanges<'r> for Encoder<'r> {
    #[inline(never)]
    fn encode_slices(&mut self, page: &'r Page, objects: &PageObjects<'r>, commands: &[Command]) -> usize {
        self.ready.interrupt();
        let end = commands.iter().position(|command| match command.class() {
            CommandClass::Bind(_) | CommandClass::Draw(_) => false,
            CommandClass::State(state) => matches!(state, StateCommand::SetTargets(_)),
            CommandClass::Work(_) => true,
        });
        let mut range = commands.get(..end.unwrap_or(commands.len())).unwrap_or_default();
        if !range.iter().any(|command| command.is_draw()) {
            return 0;
        }
        self.finish_bundle();
        let (state, bindings) = (self.state.clone(), self.bindings.clone());
        self.in_each_slice(|encoder, slice| {
            if slice > 0 {
                encoder.state = state.clone();
                encoder.state.dirty_all();
                encoder.bindings = bindings.clone();
                encoder.bindings.change_all();
                encoder.reconsider_counter();
            }
            let done = encoder.encode_slice(page, objects, range, slice);
            range = range.get(..done).unwrap_or_default();
        });
        range.len()
    }

    fn in_each_slice(&mut self, mut encode: impl FnMut(&mut Self, u32)) {
        for slice in 0..self.targets.slices() {
            self.ready.interrupt();
            self.ready.forget();
            self.ready_expansion = None;
            self.one_slice = Some(slice);
            let stats = self.stats;
            encode(self, slice);
            if slice > 0 {
                // Each draw is counted once.
                (self.stats.draws, self.stats.ways, self.stats.stored_draws) =
                    (stats.draws, stats.ways, stats.stored_draws);
            }
        }
        self.one_slice = None;
        self.select(None);
        self.ready.expect_slices();
    }
}

impl<'r> Encoder<'r> {
    /// Encodes the commands of a range for one slice, up to the first draw that must not be in a range, and returns
    /// their number.
    fn encode_slice(
        &mut self,
        page: &'r Page,
        objects: &PageObjects<'r>,
        commands: &[Command],
        slice: u32,
    ) -> usize {
        for (at, command) in commands.iter().enumerate() {
            if command.is_draw() {
                if self.draw_writes() || self.state.stream_shader.is_some() {
                    return at;
                }
                if !self.selects_slices() {
                    if slice != 0 {
                        continue;
                    }
                    self.select(None);
                }
            }
            self.encode_one(page, objects, *command);
        }
        commands.len()
    }

    /// Returns whether the primitives of the next draw select slices of the targets.
    fn selects_slices(&self) -> bool {
        let shader = self.bindings.shader(ShaderStage::Geometry);
        shader.is_some_and(|shader| OutputValue::RenderTargetArrayIndex.is_in(&shader.code.reflection))
    }
}
