//! Constant buffers: the bind group whose buffers have dynamic offsets, as many as the adapter allows.

use std::{num::NonZeroU64, sync::Arc};

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        emulate_hooks::PaddedCopies,
        encoder::Encoder,
        fast_hooks::DrawsByIndex,
        parts::{
            accesses::AccessRange,
            bindings::Bindings,
            groups::PendingGroups,
            layouts::{ConstantBinding, DYNAMIC_OFFSETS, DrawLayout},
            pipeline_plan::PipelinePlan,
            plans::DrawPath,
            ranges::{BufferRange, CONSTANT_SLOTS},
            windows::{ConstantSlot, WindowBinding, WindowSlot},
        },
    },
    objects::shader::{BoundRows, CONSTANT_GROUP, IndexedSlot, SeenRows, Shader},
    record::command::stage_bit,
    services::ids::unique_id,
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
        if self.of(stage).constants_dirty {
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
                self.of_mut(stage).constants_dirty = true;
                true
            }
        }
    }
}

impl<'r> Bindings<'r> {
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
            groups.set_split(indexed.field, !is_same);
        }
        if let Some(index) = window.place(&range) {
            groups.index = groups.index & window.others() | index;
            return false;
        }
        self.move_window(groups, (stage, slot), range, window)
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
                self.of_mut(at.0).constants_dirty = true;
                true
            }
        }
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
            self.of_mut(stage).constants_dirty = true;
            return true;
        };
        known.window = window;
        groups.move_offset(CONSTANT_GROUP, known.at, window.base as u32);
        groups.index = groups.index & window.others() | window.place(&range).unwrap_or(0);
        false
    }

    /// Notes that a slot shares its field with the same slot of the other stage.
    fn share(&mut self, stage: ShaderStage, slot: usize) {
        let known = self.stages[stage].constant_slots.get_mut(slot).and_then(ConstantSlot::window);
        if let Some(known) = known {
            known.shared = true;
        }
    }

    /// Returns whether the same slot of the other stage shares the field, and whether both slots have the
    /// same buffer. The second result is `true` if no slot shares the field.
    fn sharing(&self, stage: ShaderStage, slot: usize, indexed: IndexedSlot) -> (bool, bool) {
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

impl<'r> Encoder<'r> {
    /// Binds a constant buffer to the same slot of all stages whose bits are set.
    pub(crate) fn set_constant_buffer(&mut self, stages: u8, slot: u8, range: Option<BufferRange<'r>>) {
        // The stages that most draws use have separate code, in which the stage is a constant.
        const VERTEX: u8 = stage_bit(ShaderStage::Vertex);
        const PIXEL: u8 = stage_bit(ShaderStage::Pixel);
        if stages & VERTEX != 0 {
            self.set_constant_buffer_of(ShaderStage::Vertex, slot, range);
        }
        if stages & PIXEL != 0 {
            self.set_constant_buffer_of(ShaderStage::Pixel, slot, range);
        }
        if stages & !(VERTEX | PIXEL) != 0 {
            self.set_rare_constant_buffer(stages & !(VERTEX | PIXEL), slot, range);
        }
    }

    #[inline(never)]
    fn set_rare_constant_buffer(&mut self, stages: u8, slot: u8, range: Option<BufferRange<'r>>) {
        for stage in ShaderStage::ALL.into_iter().filter(|stage| stages & stage_bit(*stage) != 0) {
            self.set_constant_buffer_of(stage, slot, range);
        }
    }

    #[inline(always)]
    fn set_constant_buffer_of(&mut self, stage: ShaderStage, slot: u8, range: Option<BufferRange<'r>>) {
        match stage.into() {
            PipelinePlan::Draw => {
                if self.bindings.set_constant_buffer(&mut self.groups, stage, slot, range) {
                    self.ready.forget_bindings();
                }
            }
            PipelinePlan::Dispatch => {
                self.bindings.set_constant_buffer(&mut self.compute.groups, stage, slot, range);
            }
        }
    }

    pub(super) fn resolve_constants(&mut self, plan: PipelinePlan) {
        if self.has_other_rows(plan) {
            self.resolve_resources(plan);
            self.bindings.of_mut(plan).constants_dirty = false;
        }
        if let Some(layout) = self.layout_by_index_of(plan).cloned() {
            self.pending_groups_mut(plan).indexed = true;
            if self.bind_constants(plan, &layout) {
                return;
            }
            self.go(DrawPath::NoWindow);
        }
        self.pending_groups_mut(plan).indexed = false;
        if let Some(layout) = self.draw_layout(plan).cloned() {
            self.bind_constants(plan, &layout);
        }
    }

    /// Returns whether a buffer that the shader reads as a whole has another size than the layout was made
    /// for.
    fn has_other_rows(&self, plan: PipelinePlan) -> bool {
        self.draw_layout(plan).is_some_and(|layout| {
            layout.constants.iter().any(|constants| {
                constants.open.is_some_and(|declared| {
                    let bound = self.bound_constants(constants);
                    bound.map_or(declared, |range| declared.max(self.visible(range))) != constants.needed
                })
            })
        })
    }

    /// Returns the number of bytes of a constant buffer that the adapter can bind.
    fn visible(&self, range: BufferRange<'_>) -> u64 {
        range.size.min(self.gpu.limits.max_uniform_buffer_binding_size) / 16 * 16
    }

    /// Returns the constant buffers that the shader indexes and that have more rows than it declares.
    pub(super) fn seen_rows(&self, stage: ShaderStage, shader: &Shader) -> SeenRows {
        let constants = &self.bindings.stages[stage].constants;
        let bound = shader.open_constants.iter().filter_map(|open| {
            let range = (*constants.get(open.slot as usize)?)?;
            let rows = (self.visible(range) / 16) as u32;
            (rows > open.rows).then_some(BoundRows { slot: open.slot, rows })
        });
        let bound: Vec<_> = bound.collect();
        (!bound.is_empty()).then(|| bound.into())
    }

    /// Binds the group of constant buffers. Returns `false` if the layout needs a window for a slot and no
    /// window contains its buffer, or if slots that share a field have different buffers.
    fn bind_constants(&mut self, plan: PipelinePlan, layout: &Arc<DrawLayout>) -> bool {
        let groups = self.pending_groups_mut(plan);
        (groups.padded, groups.index, groups.split) = (false, 0, 0);
        groups.delta = Self::delta(layout);
        // Shaders do not read the slots that have no binding in the layout.
        for stage in plan.stages() {
            self.bindings.stages[*stage].constant_slots = [ConstantSlot::Unread; CONSTANT_SLOTS];
        }
        let mut key = std::mem::take(&mut self.pending_groups_mut(plan).key);
        key.clear();
        key.push(layout.groups[CONSTANT_GROUP].id.into());
        let (mut offsets, mut dynamic) = ([0; DYNAMIC_OFFSETS], 0);
        // This vector rarely allocates, because padded copies are rare.
        let mut padded = Vec::new();
        for constants in &layout.constants {
            let ConstantBinding { stage, slot, needed, open, is_dynamic, indexed, .. } = *constants;
            let bound = self.bound_constants(constants);
            if let Some(indexed) = indexed {
                let window = bound.and_then(|range| WindowSlot::new(needed, indexed, &range));
                let Some((window, range)) = window.zip(bound) else {
                    self.pending_groups_mut(plan).key = key;
                    return false;
                };
                self.accesses.reads(AccessRange::buffer(range.id));
                let bindings = &mut self.bindings;
                let (shared, is_same) = bindings.sharing(stage, slot, indexed);
                if !is_same {
                    self.pending_groups_mut(plan).key = key;
                    self.forget_plan();
                    return false;
                }
                let at = dynamic as u8;
                if let Some(place) = bindings.stages[stage].constant_slots.get_mut(slot) {
                    let binding = WindowBinding { window, indexed, at, shared };
                    *place = match open {
                        None => ConstantSlot::Indexed(binding),
                        Some(_) => ConstantSlot::OpenIndexed(binding),
                    };
                }
                if let Some(other) = partner(stage).filter(|_| shared) {
                    bindings.share(other, slot);
                }
                let index = window.place(&range).unwrap_or(0);
                let groups = self.pending_groups_mut(plan);
                groups.index = groups.index & window.others() | index;
                key.push(window.id);
                if let Some(place) = offsets.get_mut(dynamic) {
                    *place = window.base as u32;
                    dynamic += 1;
                }
                continue;
            }
            // A padded copy declares its own read, and may move before later writes to the buffer.
            if let Some(range) = bound.filter(|range| range.size >= needed) {
                // The whole buffer is declared, because another dynamic offset does not change the bindings.
                self.accesses.reads(AccessRange::buffer(range.id));
            }
            let mut known = ConstantSlot::Unknown;
            let (id, offset) = match bound {
                Some(range) if range.size >= needed => {
                    if is_dynamic {
                        let (id, at) = (range.id, dynamic as u8);
                        known = match open {
                            None => ConstantSlot::Dynamic { id, needed, at },
                            Some(_) => ConstantSlot::OpenDynamic { id, needed, at },
                        };
                    }
                    (range.id, range.offset)
                }
                Some(range) if range.size > 0 => {
                    let copy = self.padded_copy(range, 0, needed, wgpu::BufferUsages::UNIFORM);
                    padded.push((constants.binding, copy));
                    let id = unique_id();
                    // The entry can be dropped soon, because no later draw binds the copy.
                    self.caches.spent.insert(id);
                    (id, 0)
                }
                _ => (
                    self.encoding.objects.nulls.uniform.buffer_id,
                    self.encoding.objects.nulls.uniform.offset,
                ),
            };
            if let Some(place) = self.bindings.stages[stage].constant_slots.get_mut(slot) {
                *place = known;
            }
            key.push(id);
            match offsets.get_mut(dynamic) {
                Some(place) if is_dynamic => {
                    *place = offset as u32;
                    dynamic += 1;
                }
                _ => key.push(offset),
            }
        }
        let groups = self.pending_groups_mut(plan);
        groups.padded = !padded.is_empty();
        if groups.groups[CONSTANT_GROUP].set_offsets(offsets, dynamic) {
            groups.moved |= 1 << CONSTANT_GROUP;
        }
        let make = |encoder: &Self| encoder.make_constant_group(layout, &padded);
        let place = (!layout.constants.is_empty()).then(|| self.find_group(&key, make)).flatten();
        self.set_group(plan, CONSTANT_GROUP, place);
        let learns = self.pending_groups_mut(plan).learns && layout.plan.is_none();
        let moved = if learns { self.moves(layout, &offsets) } else { 0 };
        let groups = self.pending_groups_mut(plan);
        groups.key = key;
        (groups.moved_offsets, groups.learned_from) = (moved, None);
        if groups.layout_ids != layout.ids() {
            groups.layout_ids = layout.ids();
            self.layout_changed(plan);
        }
        true
    }

    pub(crate) fn bound_constants(&self, constants: &ConstantBinding) -> Option<BufferRange<'r>> {
        *self.bindings.stages[constants.stage].constants.get(constants.slot)?
    }

    /// Makes the bind group of constant buffers, with the padded copies and the bindings that they replace.
    pub(super) fn make_constant_group(
        &self,
        layout: &DrawLayout,
        padded: &[(u32, wgpu::Buffer)],
    ) -> Option<wgpu::BindGroup> {
        let null = &self.encoding.objects.nulls.uniform;
        let null =
            BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: null.offset, size: null.size };
        let entries: Vec<_> = layout
            .constants
            .iter()
            .map(|constants| {
                let ConstantBinding { binding, needed, is_dynamic, .. } = *constants;
                let bytes = constants.bytes();
                let copy = padded.iter().find(|(at, _)| *at == binding).map(|(_, copy)| copy);
                let bound = self.bound_constants(constants).filter(|range| range.size >= needed);
                let bound = bound.unwrap_or(null);
                let (buffer, offset) = match copy {
                    Some(copy) => (copy, 0),
                    None if is_dynamic => (bound.buffer, 0),
                    None => (bound.buffer, bound.offset),
                };
                let range = wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(bytes) };
                wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(range) }
            })
            .collect();
        Some(self.make_group(layout.groups[CONSTANT_GROUP].layout.as_ref()?, &entries))
    }
}
