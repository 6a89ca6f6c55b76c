//! Hazards: a resource that is bound as an output must not be bound anywhere else at the same time.
//!
//! Outputs are render targets, the depth-stencil target, stream-output targets, and unordered-access views of
//! the pixel and compute stages. Views are tracked by range (subresources of a texture, bytes of a buffer), and
//! by plane for depth and stencil. Stream-output targets, vertex buffers and the index buffer count as whole
//! buffers. A new output unbinds inputs and
//! outputs that overlap with it, and a new input that overlaps with an output is not bound.

use std::ops::Range;

use onze_ddi::{
    DsvFlags, Format, IndexBufferBinding, Key, STREAM_OUTPUT_SLOTS, ShaderResources, ShaderStage,
    UnorderedAccessViews, VertexBufferBinding, ViewDesc,
};

use super::{
    DeviceContext,
    bound::{RENDER_TARGET_SLOTS, UNORDERED_ACCESS_SLOTS},
};
use crate::{
    device_core::{HandleState, ObjectFlags, ObjectShared},
    objects::{Buffer, ShaderResourceView, Slots, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

impl ObjectShared {
    /// Returns whether this is a resource or a view of it.
    pub(super) fn sees(&self, resource: Key) -> bool {
        self.key == resource || self.view().is_some_and(|(_, seen)| seen.key == resource)
    }

    /// Returns whether this is a view that overlaps with another view or with a whole resource.
    pub(super) fn sees_part_of(&self, other: &Self) -> bool {
        match (self.view(), other.view()) {
            (Some((a, from)), Some((b, of))) => from.key == of.key && a.overlaps(b),
            (Some((_, from)), None) => from.key == other.key,
            (None, _) => false,
        }
    }
}

/// Returns whether a shader-resource view reads the stencil plane instead of depth or colour.
fn sees_stencil(view: &ViewDesc) -> bool {
    let stencil = [Format::X24_TYPELESS_G8_UINT, Format::X32_TYPELESS_G8X24_UINT];
    view.texture().is_some_and(|view| stencil.contains(&view.format))
}

/// Returns whether an output writes to a range that an input reads.
fn conflicts(input: &ObjectShared, output: &ObjectShared) -> bool {
    let (Some((read, from)), Some((written, to))) = (input.view(), output.view()) else {
        return input.sees_part_of(output);
    };
    let read_only = if sees_stencil(read) { DsvFlags::READ_ONLY_STENCIL } else { DsvFlags::READ_ONLY_DEPTH };
    let is_read_only = written.texture().is_some_and(|written| written.flags.contains(read_only));
    from.key == to.key && read.overlaps(written) && !is_read_only
}

/// Maximum number of outputs in one call. Render targets and unordered-access views share their slots, and
/// the additional output is the depth-stencil target.
const MOST_OUTPUTS: usize = RENDER_TARGET_SLOTS + 1;
const _: () = assert!(UNORDERED_ACCESS_SLOTS <= RENDER_TARGET_SLOTS);

/// New outputs whose resources may also be bound elsewhere.
#[derive(Debug, Default)]
pub(super) struct Hazardous {
    keys: [Option<Key>; MOST_OUTPUTS],
    count: usize,
}

impl Hazardous {
    /// Adds a view if its resource can also be bound in another way.
    pub(super) fn add(&mut self, context: &DeviceContext, key: Key) {
        if context.is_hazardous(key)
            && let Some(place) = self.keys.get_mut(self.count)
        {
            *place = Some(key);
            self.count += 1;
        }
    }

    /// Adds a buffer that becomes a stream-output target.
    pub(super) fn add_stream_target(&mut self, buffer: Key) {
        if let Some(place) = self.keys.get_mut(self.count) {
            *place = Some(buffer);
            self.count += 1;
        }
    }

    /// Returns whether `test` is true for any of the outputs.
    fn any(&self, context: &DeviceContext, test: impl Fn(&ObjectShared) -> bool) -> bool {
        self.keys.iter().flatten().filter_map(|key| context.core.shared(*key)).any(test)
    }
}

impl DeviceContext {
    /// Returns the objects that are bound as outputs: views of targets, unordered-access views, and the buffers of
    /// stream output.
    fn bound_outputs(&self) -> impl Iterator<Item = &ObjectShared> {
        let bound = &self.core.rt.bound;
        let color = bound.render_targets.get(None).iter().flatten().map(|h| h.key());
        let written = UnorderedAccessView::STAGES.iter().flat_map(|stage| {
            bound.stages[*stage].unordered_access_views.get(None).iter().flatten().map(|h| h.key())
        });
        let depth_stencil = bound.depth_stencil_view.map(|h| h.key());
        let streams = bound.stream_targets.get(None).iter().flatten().map(|h| h.key());
        color.chain(depth_stencil).chain(written).chain(streams).filter_map(|key| self.core.shared(key))
    }

    /// Returns whether a view overlaps with a bound output.
    pub(super) fn is_output(&self, view: &ShaderResourceView) -> bool {
        self.bound_outputs().any(|output| conflicts(&view.owner().shared, output))
    }

    /// Returns whether a part of a buffer is bound as an output, where `state` is the buffer's state in this
    /// context.
    #[inline]
    pub(super) fn is_written(&self, buffer: &Buffer, state: HandleState) -> bool {
        let outputs = ObjectFlags::UNORDERED_ACCESS.union(ObjectFlags::STREAM_OUTPUT);
        let is_possible = state.flags & outputs.bits() != 0;
        is_possible && self.bound_outputs().any(|output| output.sees(buffer.key()))
    }

    /// Unbinds the shader resources, the vertex buffers and the index buffer that overlap with one of the new outputs.
    pub(super) fn unbind_inputs_of(&mut self, outputs: &Hazardous, id: MessageId) {
        if outputs.count == 0 {
            return;
        }
        for stage in ShaderStage::ALL {
            let slots = self.core.rt.bound.stages[stage].shader_resources.high();
            for slot in 0..slots {
                let input = self.core.rt.bound.stages[stage].shader_resources.at(slot);
                let Some(input) = input.and_then(|input| self.core.shared(input.key())) else { continue };
                if outputs.any(self, |output| conflicts(input, output)) {
                    let words =
                        format!("{} was bound in slot t{slot} of the {} stage", input.name(), stage.name());
                    self.report_about(id, input.key, words);
                    self.bind_slots::<ShaderResources>(stage, slot, std::iter::once(None));
                }
            }
        }
        for slot in 0..self.core.rt.bound.vertex_buffers.high() {
            let Some(buffer) = self.core.rt.bound.vertex_buffers.at(slot).buffer else { continue };
            if outputs.any(self, |output| output.sees(buffer.key())) {
                let words = format!("{} was vertex buffer {slot}", self.name_of(Some(buffer.key())));
                self.report_about(id, buffer.key(), words);
                self.bind_vertex_buffers(slot, std::iter::once(VertexBufferBinding::default()));
            }
        }
        if let Some(buffer) = self.core.rt.bound.index_buffer.buffer
            && outputs.any(self, |output| output.sees(buffer.key()))
        {
            let words = format!("{} was the index buffer", self.name_of(Some(buffer.key())));
            self.report_about(id, buffer.key(), words);
            self.bind_index_buffer(IndexBufferBinding::default());
        }
    }

    /// Unbinds the unordered-access views of a stage that overlap with one of the new outputs, but leaves the
    /// slots in `new` unchanged.
    pub(super) fn unbind_unordered_access_of(
        &mut self,
        stage: ShaderStage,
        outputs: &Hazardous,
        new: Range<usize>,
        id: MessageId,
    ) {
        if outputs.count == 0 {
            return;
        }
        let slots = 0..self.core.rt.bound.stages[stage].unordered_access_views.high();
        for slot in slots.filter(|slot| !new.contains(slot)) {
            let view = self.core.rt.bound.stages[stage].unordered_access_views.at(slot);
            let Some(view) = view.and_then(|view| self.core.shared(view.key())) else { continue };
            if outputs.any(self, |output| view.sees_part_of(output)) {
                let words =
                    format!("{} was bound in slot u{slot} of the {} stage", view.name(), stage.name());
                self.report_about(id, view.key, words);
                self.bind_slots::<UnorderedAccessViews>(stage, slot, std::iter::once(None));
            }
        }
    }

    /// Unbinds everything that overlaps with `views`, which are about to be bound to the compute stage, at
    /// slot `start` and the following slots.
    pub(super) fn unbind_users_of(&mut self, start: u32, views: &impl Slots<UnorderedAccessView>) {
        let id = MessageId::SetUnorderedAccessViewsHazard;
        let mut outputs = Hazardous::default();
        for view in (0..views.count()).filter_map(|i| views.get(i)) {
            outputs.add(self, view.key());
        }
        self.unbind_inputs_of(&outputs, id);
        self.unbind_targets_of(&outputs, id);
        self.unbind_stream_targets_of(&outputs, id);
        self.unbind_unordered_access_of(ShaderStage::Pixel, &outputs, 0..0, id);
        // A view that moves to another slot is unbound from its old slot.
        let new = start as usize..start as usize + views.count();
        self.unbind_unordered_access_of(ShaderStage::Compute, &outputs, new, id);
    }

    /// Unbinds the stream-output targets that overlap with one of the new outputs.
    pub(super) fn unbind_stream_targets_of(&mut self, outputs: &Hazardous, id: MessageId) {
        let bound = &self.core.rt.bound;
        if outputs.count == 0 || bound.stream_targets.high() == 0 {
            return;
        }
        let mut targets: [_; STREAM_OUTPUT_SLOTS] = std::array::from_fn(|slot| bound.stream_targets.at(slot));
        for (slot, target) in targets.iter_mut().enumerate() {
            let Some(key) = target.map(|target| target.key()) else { continue };
            if outputs.any(self, |output| output.sees(key)) {
                let words = format!("{} was stream-output target {slot}", self.name_of(Some(key)));
                self.report_about(id, key, words);
                *target = None;
            }
        }
        self.bind_stream_targets(&targets);
    }

    /// Unbinds the targets that overlap with one of the new outputs.
    pub(super) fn unbind_targets_of(&mut self, outputs: &Hazardous, id: MessageId) {
        if outputs.count == 0 {
            return;
        }
        let bound = &self.core.rt.bound;
        let sees = |key: Key| {
            let target = self.core.shared(key)?;
            outputs.any(self, |output| target.sees_part_of(output)).then_some(target)
        };
        let mut color: [_; RENDER_TARGET_SLOTS] = std::array::from_fn(|slot| bound.render_targets.at(slot));
        let mut depth_stencil = bound.depth_stencil_view;
        let mut unbound = Vec::new();
        for target in &mut color {
            if let Some(seen) = target.and_then(|view| sees(view.key())) {
                unbound.push((seen.key, format!("{} was bound", seen.name())));
                *target = None;
            }
        }
        if let Some(seen) = depth_stencil.and_then(|view| sees(view.key())) {
            unbound.push((seen.key, format!("{} was bound", seen.name())));
            depth_stencil = None;
        }
        for (key, words) in &unbound {
            self.report_about(id, key, words);
        }
        if !unbound.is_empty() {
            self.bind_render_targets(&color, depth_stencil);
        }
    }

    /// Unbinds a back buffer after a present in the flip model. If the application draws before it binds
    /// targets again, the debug layer reports this present as the cause.
    pub(crate) fn unbind_presented(&mut self, back_buffer: Key) {
        let had_target = self.core.rt.bound.render_targets.high() > 0;
        self.unbind_views_of(back_buffer);
        if had_target && self.core.rt.bound.render_targets.high() == 0 {
            self.core.rt.bound.unbound_by_present = Some(back_buffer);
        }
    }

    /// Unbinds all render-target views and shader-resource views of a back buffer.
    pub(crate) fn unbind_views_of(&mut self, resource: Key) {
        let sees = |context: &Self, view: Key| {
            let seen = context.core.shared(view).and_then(|view| view.depends_on.as_ref());
            seen.is_some_and(|seen| seen.key == resource)
        };
        for stage in ShaderStage::ALL {
            for slot in 0..self.core.rt.bound.stages[stage].shader_resources.high() {
                let view = self.core.rt.bound.stages[stage].shader_resources.at(slot);
                if view.is_some_and(|view| sees(self, view.key())) {
                    self.bind_slots::<ShaderResources>(stage, slot, std::iter::once(None));
                }
            }
        }
        let bound = &self.core.rt.bound;
        let mut color: [_; RENDER_TARGET_SLOTS] = std::array::from_fn(|slot| bound.render_targets.at(slot));
        for target in &mut color {
            *target = target.filter(|view| !sees(self, view.key()));
        }
        let depth_stencil = bound.depth_stencil_view;
        self.bind_render_targets(&color, depth_stencil);
    }

    fn is_hazardous(&self, key: Key) -> bool {
        let state = self.core.handles.runtime::<HandleState>(key);
        state.is_some_and(|state| state.flags & ObjectFlags::HAZARDOUS.bits() != 0)
    }
}
