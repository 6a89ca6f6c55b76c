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
            draw_path::DrawPath,
            layouts::{ConstantBinding, DYNAMIC_OFFSETS, DrawLayout},
            pipeline_plan::PipelinePlan,
            ranges::BufferRange,
            windows::{ConstantSlot, WindowBinding, WindowSlot},
        },
    },
    objects::shader::{BoundRows, CONSTANT_GROUP, SeenRows, Shader},
    record::command::stage_bit,
    services::ids::unique_id,
};

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
        if PipelinePlan::from(stage).is_dispatch() {
            self.bindings.set_constant_buffer(&mut self.compute.groups, stage, slot, range);
        } else if self.bindings.set_constant_buffer(&mut self.groups, stage, slot, range) {
            self.ready.forget_bindings();
        }
    }

    pub(super) fn resolve_constants(&mut self, plan: PipelinePlan) {
        if self.has_other_rows(plan) {
            self.resolve_resources(plan);
            self.bindings.of_mut(plan).take_constants_changed();
        }
        if let Some(layout) = self.layout_by_index_of(plan).cloned() {
            self.pending_groups_mut(plan).index.set_used(true);
            if self.bind_constants(plan, &layout) {
                return;
            }
            self.go(DrawPath::NoWindow);
        }
        self.pending_groups_mut(plan).index.set_used(false);
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
        let bound = self.bindings.stage(stage);
        let bound = shader.open_constants.iter().filter_map(|open| {
            let range = bound.constants(open.slot as usize)?;
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
        groups.set_padded(CONSTANT_GROUP, false);
        groups.index.begin(Self::delta(layout));
        // Shaders do not read the slots that have no binding in the layout.
        self.bindings.begin_constants(plan);
        let mut key = self.pending_groups_mut(plan).take_key();
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
                    self.pending_groups_mut(plan).keep_key(key);
                    return false;
                };
                self.accesses.reads(AccessRange::buffer(range.id));
                let (shared, is_same) = self.bindings.sharing(stage, slot, indexed);
                if !is_same {
                    self.pending_groups_mut(plan).keep_key(key);
                    self.forget_plan();
                    return false;
                }
                let at = dynamic as u8;
                let binding = WindowBinding { window, indexed, at, shared };
                let known = match open {
                    None => ConstantSlot::Indexed(binding),
                    Some(_) => ConstantSlot::OpenIndexed(binding),
                };
                self.bindings.set_constant_slot(stage, slot, known);
                self.pending_groups_mut(plan).index.select(&window, &range);
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
            self.bindings.set_constant_slot(stage, slot, known);
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
        groups.set_padded(CONSTANT_GROUP, !padded.is_empty());
        groups.set_offsets(CONSTANT_GROUP, offsets, dynamic);
        let make = |encoder: &Self| encoder.make_constant_group(layout, &padded);
        let place = (!layout.constants.is_empty()).then(|| self.find_group(&key, make)).flatten();
        self.set_group(plan, CONSTANT_GROUP, place);
        let moved = if plan == PipelinePlan::Draw { self.constants_bound(layout, &offsets) } else { 0 };
        let groups = self.pending_groups_mut(plan);
        groups.keep_key(key);
        groups.set_moved_constants(moved);
        if groups.replace_layout_ids(layout.ids()).is_some() {
            self.layout_changed(plan);
        }
        true
    }

    pub(crate) fn bound_constants(&self, constants: &ConstantBinding) -> Option<BufferRange<'r>> {
        self.bindings.stage(constants.stage).constants(constants.slot)
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
