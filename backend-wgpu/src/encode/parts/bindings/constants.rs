//! Constant buffers in `b` slots. Usually a new buffer in a slot changes only an offset of the bind group that
//! was made last, or the index of the draw.

use onze_ddi::ShaderStage;

use crate::{
    encode::parts::{
        bindings::Bindings,
        groups::PendingGroups,
        pipeline_plan::PipelinePlan,
        ranges::{BufferRange, CONSTANT_SLOTS},
        windows::{ConstantSlot, WindowBinding, WindowSlot},
    },
    objects::shader::{CONSTANT_GROUP, IndexedSlot},
    record::command::stage_bit,
};

/// Returns the stage whose slots can share the fields of a draw's index with those of `stage`.
const fn partner(stage: ShaderStage) -> Option<ShaderStage> {
    match stage {
        ShaderStage::Vertex => Some(ShaderStage::Pixel),
        ShaderStage::Pixel => Some(ShaderStage::Vertex),
        ShaderStage::Hull | ShaderStage::Domain | ShaderStage::Geometry | ShaderStage::Compute => None,
    }
}

impl<'r> Bindings<'r> {
    /// Binds a constant buffer to a `b` slot. Usually the buffer is in the same upload block as before, so
    /// only an offset of the bind group changes. Returns whether the group must be found again.
    #[inline(always)]
    pub(crate) fn set_constant_buffer(
        &mut self,
        groups: &mut PendingGroups,
        stage: ShaderStage,
        slot: u8,
        range: Option<BufferRange<'r>>,
    ) -> bool {
        let (bound, at) = (&mut self.stages[stage], usize::from(slot));
        let (Some(place), Some(known)) = (bound.constants.get_mut(at), bound.constant_slots.get(at).copied())
        else {
            return false;
        };
        *place = range;
        if self.of(stage).constants_changed {
            return false;
        }
        match (known, range) {
            (ConstantSlot::Indexed(binding), Some(range)) => {
                self.set_indexed(groups, (stage, at), range, binding)
            }
            (ConstantSlot::Unread, _) => false,
            (ConstantSlot::Dynamic { id, needed, at }, Some(range))
                if range.id == id && range.size >= needed =>
            {
                groups.move_offset(CONSTANT_GROUP, at, range.offset as u32);
                false
            }
            (ConstantSlot::OpenDynamic { .. } | ConstantSlot::OpenIndexed(_), Some(range)) => {
                self.set_open(groups, (stage, at), range, known)
            }
            (
                ConstantSlot::Unknown
                | ConstantSlot::Dynamic { .. }
                | ConstantSlot::Indexed(_)
                | ConstantSlot::OpenDynamic { .. }
                | ConstantSlot::OpenIndexed(_),
                _,
            ) => {
                self.of_mut(stage).constants_changed = true;
                true
            }
        }
    }

    /// Binds another buffer to a slot with a window, and returns whether the group must be found again.
    #[inline(always)]
    fn set_indexed(
        &mut self,
        groups: &mut PendingGroups,
        (stage, slot): (ShaderStage, usize),
        range: BufferRange<'r>,
        WindowBinding { window, indexed, shared, .. }: WindowBinding,
    ) -> bool {
        if shared {
            let other = partner(stage).and_then(|other| *self.stages[other].constants.get(slot)?);
            let is_same = other.is_some_and(|other| (other.id, other.offset) == (range.id, range.offset));
            groups.index.set_split(indexed.field, !is_same);
        }
        !groups.index.select(&window, &range) && self.move_window(groups, (stage, slot), range, window)
    }

    /// Binds another buffer to a slot whose buffer the shader reads as a whole, and returns whether the group
    /// must be found again.
    #[inline(never)]
    fn set_open(
        &mut self,
        groups: &mut PendingGroups,
        at: (ShaderStage, usize),
        range: BufferRange<'r>,
        known: ConstantSlot,
    ) -> bool {
        match known {
            ConstantSlot::OpenDynamic { id, needed, at } if range.id == id && range.size == needed => {
                groups.move_offset(CONSTANT_GROUP, at, range.offset as u32);
                false
            }
            ConstantSlot::OpenIndexed(binding) if range.size == binding.window.needed => {
                self.set_indexed(groups, at, range, binding)
            }
            _ => {
                self.of_mut(at.0).constants_changed = true;
                true
            }
        }
    }

    /// Returns the window of a slot, if another buffer in this slot of the stages only selects another element
    /// of the window.
    pub(crate) fn window(&self, stages: u8, slot: usize) -> Option<WindowSlot> {
        let mut found: Option<WindowBinding> = None;
        for stage in ShaderStage::ALL.into_iter().filter(|stage| stages & stage_bit(*stage) != 0) {
            let binding = match *self.stages[stage].constant_slots.get(slot)? {
                ConstantSlot::Unread => continue,
                ConstantSlot::Indexed(binding) => binding,
                ConstantSlot::Unknown
                | ConstantSlot::Dynamic { .. }
                | ConstantSlot::OpenDynamic { .. }
                | ConstantSlot::OpenIndexed(_) => return None,
            };
            let partner = partner(stage).filter(|_| binding.shared);
            let has_partner = partner.is_none_or(|partner| stages & stage_bit(partner) != 0);
            let is_same = found.is_none_or(|found| found.window.is_same_place(&binding.window));
            if !has_partner || !is_same {
                return None;
            }
            let needed = found.map_or(0, |found| found.window.needed);
            let window = binding.window.for_readers_of(needed);
            found = Some(WindowBinding { window, ..binding });
        }
        Some(found?.window)
    }

    /// Binds another window to a slot, because the previous window does not contain the buffer. Returns
    /// whether the group must be found again.
    #[inline(never)]
    fn move_window(
        &mut self,
        groups: &mut PendingGroups,
        (stage, slot): (ShaderStage, usize),
        range: BufferRange<'r>,
        window: WindowSlot,
    ) -> bool {
        let moved = window.moved(&range).filter(|moved| moved.id == window.id);
        let known = self.stages[stage].constant_slots.get_mut(slot).and_then(ConstantSlot::window);
        let (Some(window), Some(known)) = (moved, known) else {
            self.of_mut(stage).constants_changed = true;
            return true;
        };
        known.window = window;
        groups.move_offset(CONSTANT_GROUP, known.at, window.base as u32);
        groups.index.select(&window, &range);
        false
    }

    /// Marks all constant slots of a plan as unread, before those that its layout binds are set.
    pub(crate) fn begin_constants(&mut self, plan: PipelinePlan) {
        for stage in plan.stages() {
            self.stages[*stage].constant_slots = [ConstantSlot::Unread; CONSTANT_SLOTS];
        }
    }

    /// Sets the effect of a new buffer in a slot. If the slot has a window and shares its field with the same
    /// slot of the other stage, that slot learns of it.
    pub(crate) fn set_constant_slot(&mut self, stage: ShaderStage, slot: usize, mut known: ConstantSlot) {
        if let Some(place) = self.stages[stage].constant_slots.get_mut(slot) {
            *place = known;
        }
        let is_shared = known.window().is_some_and(|binding| binding.shared);
        if let Some(other) = partner(stage).filter(|_| is_shared)
            && let Some(known) =
                self.stages[other].constant_slots.get_mut(slot).and_then(ConstantSlot::window)
        {
            known.shared = true;
        }
    }

    /// Returns whether the same slot of the other stage shares the field, and whether both slots have the
    /// same buffer. The second result is `true` if no slot shares the field.
    pub(crate) fn sharing(&self, stage: ShaderStage, slot: usize, indexed: IndexedSlot) -> (bool, bool) {
        let partner = partner(stage).and_then(|other| {
            let other = &self.stages[other];
            let WindowBinding { indexed: with, .. } = *other.constant_slots.get(slot).copied()?.window()?;
            other.constants.get(slot).copied().filter(|_| with.field == indexed.field)
        });
        let place = |range: Option<BufferRange<'r>>| range.map(|range| (range.id, range.offset));
        let own = self.stages[stage].constants.get(slot).copied().flatten();
        (partner.is_some(), partner.is_none_or(|partner| place(partner) == place(own)))
    }
}
