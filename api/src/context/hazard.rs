//! Hazards: a resource that is bound as an output is bound nowhere else.
//!
//! Outputs are render targets, the depth-stencil target and unordered-access views. Tracking is per range of
//! views (subresources of a texture, bytes of a buffer), and per plane for depth and stencil. A new output
//! unbinds the inputs and outputs that see a common part; a new input that sees an output is not bound.

use onze_ddi::{DsvFlags, Format, Key, ShaderResources, ShaderStage, SlotClass, ViewDesc};

use super::{DeviceContext, bound::RENDER_TARGET_SLOTS};
use crate::{
    device_core::{ObjectFlags, ObjectShared},
    objects::{ShaderResourceView, Slots, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

/// Whether a shader-resource view sees the stencil plane (else: depth or colour).
fn sees_stencil(view: &ViewDesc) -> bool {
    let stencil = [Format::X24_TYPELESS_G8_UINT, Format::X32_TYPELESS_G8X24_UINT];
    view.texture().is_some_and(|view| stencil.contains(&view.format))
}

/// Whether an output writes what an input reads.
fn conflicts(input: &ObjectShared, output: &ObjectShared) -> bool {
    let (Some((read, from)), Some((written, to))) = (input.view(), output.view()) else { return false };
    let read_only = if sees_stencil(read) { DsvFlags::READ_ONLY_STENCIL } else { DsvFlags::READ_ONLY_DEPTH };
    let is_read_only = written.texture().is_some_and(|written| written.flags.contains(read_only));
    from.key == to.key && read.overlaps(written) && !is_read_only
}

/// Whether two outputs write a common part of a resource.
fn both_write(a: &ObjectShared, b: &ObjectShared) -> bool {
    match (a.view(), b.view()) {
        (Some((a, from)), Some((b, to))) => from.key == to.key && a.overlaps(b),
        _ => false,
    }
}

/// Most outputs that one call binds.
const MOST_OUTPUTS: usize = RENDER_TARGET_SLOTS + 1;

/// New outputs that may be bound elsewhere too.
#[derive(Debug, Default)]
pub(super) struct Hazardous {
    keys: [Option<Key>; MOST_OUTPUTS],
    count: usize,
}

impl Hazardous {
    /// Adds a view if its resource can be bound in several ways.
    pub(super) fn add(&mut self, context: &DeviceContext, key: Key) {
        if context.is_hazardous(key)
            && let Some(place) = self.keys.get_mut(self.count)
        {
            *place = Some(key);
            self.count += 1;
        }
    }

    /// Whether `test` holds for one of them.
    fn any(&self, context: &DeviceContext, test: impl Fn(&ObjectShared) -> bool) -> bool {
        self.keys.iter().flatten().filter_map(|key| context.core.shared(*key)).any(test)
    }
}

impl DeviceContext {
    /// Whether a view sees what is bound as an output.
    pub(super) fn is_output(&self, view: &ShaderResourceView) -> bool {
        let bound = &self.core.rt.bound;
        let color = bound.render_targets.get(None).iter().flatten().map(|h| h.key());
        let written = bound.cs_unordered_access_views.get(None).iter().flatten().map(|h| h.key());
        color
            .chain(bound.depth_stencil_view.map(|h| h.key()))
            .chain(written)
            .filter_map(|key| self.core.shared(key))
            .any(|output| conflicts(&view.owner().shared, output))
    }

    /// Unbinds the shader resources that see one of the new outputs.
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
                    self.report(id, words);
                    self.bind_slots::<ShaderResources>(stage, slot, std::iter::once(None));
                }
            }
        }
    }

    /// Unbinds the unordered-access views that see one of the new outputs.
    pub(super) fn unbind_unordered_access_of(&mut self, outputs: &Hazardous, id: MessageId) {
        if outputs.count == 0 {
            return;
        }
        for slot in 0..self.core.rt.bound.cs_unordered_access_views.high() {
            let view = self.core.rt.bound.cs_unordered_access_views.at(slot);
            let Some(view) = view.and_then(|view| self.core.shared(view.key())) else { continue };
            if outputs.any(self, |output| both_write(view, output)) {
                self.report(id, format_args!("{} was bound in slot u{slot}", view.name()));
                self.unbind_unordered_access_view(slot);
            }
        }
    }

    /// Unbinds whatever sees what new unordered-access views see, which go into slots from `start` on.
    pub(super) fn unbind_users_of(&mut self, start: u32, views: &impl Slots<UnorderedAccessView>) {
        const { assert!(SlotClass::UnorderedAccess.slots() as usize <= MOST_OUTPUTS) };
        let id = MessageId::SetUnorderedAccessViewsHazard;
        let mut hazardous = Hazardous::default();
        for view in (0..views.count()).filter_map(|i| views.get(i)) {
            hazardous.add(self, view.key());
        }
        self.unbind_inputs_of(&hazardous, id);
        self.unbind_targets_of(&hazardous, id);
        // A view that moves to another slot leaves the one where it was.
        let new = |slot: usize| (start as usize..start as usize + views.count()).contains(&slot);
        for slot in (0..self.core.rt.bound.cs_unordered_access_views.high()).filter(|slot| !new(*slot)) {
            let bound = self.core.rt.bound.cs_unordered_access_views.at(slot);
            let Some(bound) = bound.and_then(|view| self.core.shared(view.key())) else { continue };
            let mut given = (0..views.count()).filter_map(|i| views.get(i));
            if given.any(|view| both_write(bound, &view.owner().shared)) {
                self.report(id, format_args!("{} was bound in slot u{slot}", bound.name()));
                self.unbind_unordered_access_view(slot);
            }
        }
    }

    /// Unbinds the targets that see one of the new outputs.
    fn unbind_targets_of(&mut self, outputs: &Hazardous, id: MessageId) {
        if outputs.count == 0 {
            return;
        }
        let bound = &self.core.rt.bound;
        let sees = |key: Key| {
            let target = self.core.shared(key)?;
            outputs.any(self, |output| both_write(target, output)).then_some(target)
        };
        let mut color: [_; RENDER_TARGET_SLOTS] = std::array::from_fn(|slot| bound.render_targets.at(slot));
        let mut depth_stencil = bound.depth_stencil_view;
        let mut unbound = Vec::new();
        for target in &mut color {
            if let Some(seen) = target.and_then(|view| sees(view.key())) {
                unbound.push(format!("{} was bound", seen.name()));
                *target = None;
            }
        }
        if let Some(seen) = depth_stencil.and_then(|view| sees(view.key())) {
            unbound.push(format!("{} was bound", seen.name()));
            depth_stencil = None;
        }
        for words in &unbound {
            self.report(id, words);
        }
        if !unbound.is_empty() {
            self.bind_render_targets(&color, depth_stencil);
        }
    }

    /// Unbinds a back buffer as a present of the flip model does. The debug layer tells that to a draw that comes before
    /// targets are bound again.
    pub(crate) fn unbind_presented(&mut self, back_buffer: Key) {
        let had_target = self.core.rt.bound.render_targets.high() > 0;
        self.unbind_views_of(back_buffer);
        if had_target && self.core.rt.bound.render_targets.high() == 0 {
            self.core.rt.bound.unbound_by_present = Some(back_buffer);
        }
    }

    /// Unbinds all that sees a resource which can be a render target and a shader resource: a back buffer.
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
        let state = self.core.handles.runtime::<crate::device_core::HandleState>(key);
        state.is_some_and(|state| state.flags & ObjectFlags::HAZARDOUS.bits() != 0)
    }
}
