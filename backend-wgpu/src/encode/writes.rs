//! Draws whose pixel shader writes through unordered-access views.
//!
//! Each draw sees the writes of earlier draws. Within a render pass wgpu orders nothing, and a buffer that a
//! draw of the pass may write can have no other use in that pass. So a pass has one set of ranges that its
//! draws may write ([`CurrentPass`](crate::encode::parts::passes::CurrentPass)), and it ends before a draw that
//!
//! * may write another range;
//! * reads or overwrites the writes of another draw in the pass, unless both draws only count
//!   ([`VariableTouch`]);
//! * reads a buffer or a texture of the set through any other binding.
//!
//! A draw without targets needs a pass if it writes through views or if an open query counts it. wgpu makes
//! passes only from targets, so the draw gets a *stand-in*: a target that no draw writes, at least as large
//! as the draw's area. While samples are counted, the sample counter is the stand-in
//! ([`super::emulate::sample_counts`]).

use onze_ddi::{ShaderStage, UnorderedAccessKind};

use crate::{
    encode::{
        encoder::Encoder,
        parts::{accesses::AccessRange, pipeline_plan::PipelinePlan, ranges::BufferPart},
    },
    objects::shader::{Shader, VariableTouch},
};

impl<'r> Encoder<'r> {
    /// Returns the pixel shader of the next draw, if it writes through views.
    fn writing_shader(&self) -> Option<&'r Shader> {
        self.bindings.shader(ShaderStage::Pixel).filter(|shader| !shader.touches.is_empty())
    }

    /// Returns whether the next draw, or an earlier draw of the pass, writes through views.
    pub(super) fn minds_writes(&self) -> bool {
        self.pass.has_writes() || self.writing_shader().is_some()
    }

    /// Returns whether the next draw itself writes through views.
    pub(super) fn draw_writes(&self) -> bool {
        self.writing_shader().is_some()
    }

    /// Opens the pass for a draw, after everything else is resolved, and ends the open pass first if the draw
    /// must not be in it. `arguments` is the buffer that contains an indirect draw's arguments.
    pub(super) fn open_pass_for_draw(&mut self, arguments: Option<u64>) {
        if !self.minds_writes() {
            return self.open_pass();
        }
        let writes = self.written_parts();
        if self.pass.is_render() && !(self.pass.allows_writing(&writes) && self.may_read(arguments)) {
            self.end_pass();
        }
        self.open_pass();
        self.pass.begin_writes(writes);
    }

    /// Copies replaced buffers back, after a draw that writes to them through views.
    pub(super) fn after_writes(&mut self) {
        self.copy_back(PipelinePlan::Draw);
        self.buffers_changed();
    }

    /// Returns the ranges that the pixel shader of the next draw may write.
    fn written_parts(&self) -> Vec<(AccessRange, VariableTouch)> {
        let Some(shader) = self.writing_shader() else { return Vec::new() };
        let (bindings, reflection) = (self.bindings.of(PipelinePlan::Draw), &shader.code.reflection);
        let bytes = |part: BufferPart<'_>| {
            AccessRange::bytes(part.storage.buffer_id, part.offset.into(), part.size.into())
        };
        let slots = reflection.unordered_access.iter().map(|slot| match slot.kind {
            UnorderedAccessKind::Buffer { .. } => bindings.unordered().get(slot.slot).map(bytes),
            // A slot of a typed buffer may also have a 1D texture bound.
            UnorderedAccessKind::TypedBuffer { .. } | UnorderedAccessKind::Texture { .. } => {
                if let Some(part) = bindings.unordered().get(slot.slot) {
                    return Some(bytes(part));
                }
                let view_slot = shader.view_slots.iter().find(|of| of.unordered && of.slot == slot.slot)?;
                self.written_texture(PipelinePlan::Draw, view_slot).map(AccessRange::seen)
            }
        });
        let counters =
            reflection.counters.iter().map(|counter| bindings.counters().get(counter.slot).map(bytes));
        let parts = slots.chain(counters).zip(&shader.touches);
        parts.filter_map(|(part, touch)| Some((part?, *touch))).collect()
    }

    /// Returns whether the pass allows everything that the next draw reads. Buffers are compared as a whole,
    /// because wgpu tracks one state for each.
    fn may_read(&self, arguments: Option<u64>) -> bool {
        if !self.pass.has_writes() {
            return true;
        }
        let bindings = &self.bindings;
        let index = self.state.index.range.map(|range| range.id);
        let vertex = self.state.vertex.iter().filter_map(|slot| slot.range).map(|range| range.id);
        let stages = || self.draw_plan().stages().iter().map(|stage| bindings.stage(*stage));
        let whole = |id: u64| self.pass.allows_reading(&AccessRange::buffer(id));
        arguments.into_iter().chain(index).chain(vertex).all(whole)
            && stages().flat_map(|stage| stage.buffers().ids()).all(whole)
            && stages().all(|stage| {
                let slots = stage.shader().into_iter().flat_map(|shader| &shader.code.reflection.resources);
                let mut views = slots.filter_map(|slot| stage.texture(slot.slot));
                views.all(|view| self.pass.allows_reading(&AccessRange::seen(view)))
            })
    }
}
