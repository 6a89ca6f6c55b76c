//! Dynamic offsets of structured and raw buffers that shaders read.
//!
//! A small dynamic buffer that is discarded lies elsewhere in the same upload page, as a rule. Then its bind group stays,
//! and so does all that was resolved.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        bind::BindPoint,
        encoder::Encoder,
        parts::{
            accesses::AccessRange, groups::PendingGroups, layouts::DYNAMIC_OFFSETS, ranges::BufferPart,
            state::Bindings,
        },
    },
    objects::{
        shader::{RESOURCE_GROUP, lane_and_slot},
        stage::{PipelineKind, lane},
    },
};

/// The dynamic offsets of the buffers of all shaders.
#[derive(Debug, Default)]
pub(super) struct BufferOffsets {
    /// With the bindings, in their order, as wgpu takes the offsets.
    offsets: [(u32, u32); DYNAMIC_OFFSETS],
    count: usize,
}

impl BufferOffsets {
    pub(super) fn add(&mut self, binding: u32, offset: u32) {
        let behind = self.offsets.iter().take(self.count).filter(|(other, _)| *other > binding).count();
        if let Some(later) = self.offsets.get_mut(self.count - behind..=self.count) {
            later.rotate_right(1);
            later[0] = (binding, offset);
            self.count += 1;
        }
    }

    /// The bindings that have them, in their order.
    fn bindings(&self) -> impl Iterator<Item = u32> {
        self.offsets.iter().take(self.count).map(|(binding, _)| *binding)
    }

    /// The offsets, and how many there are.
    fn get(&self) -> ([u32; DYNAMIC_OFFSETS], usize) {
        (self.offsets.map(|(_, offset)| offset), self.count)
    }
}

impl<'r> Bindings<'r> {
    /// Moves the buffer in a `t` slot to another part of the same wgpu buffer, which lies where wgpu can bind it. False,
    /// and nothing has happened, if that is more than another dynamic offset of a bind group.
    #[inline]
    fn move_buffer(
        &mut self,
        groups: &mut PendingGroups,
        lane: usize,
        slot: u8,
        part: BufferPart<'r>,
    ) -> bool {
        if self.resources_dirty {
            return false;
        }
        let Some(at) = self.stages[lane].buffers.move_to(slot, part) else { return false };
        groups.move_offset(RESOURCE_GROUP, at, part.offset);
        true
    }
}

impl<'r> Encoder<'r> {
    /// A buffer in a `t` slot of a stage, or nothing. As a rule it is another place in the same upload page, which only
    /// moves an offset of a bind group.
    pub(in crate::encode) fn set_resource_buffer(
        &mut self,
        stage: ShaderStage,
        slot: u8,
        part: Option<BufferPart<'r>>,
    ) {
        let alignment = self.gpu.limits.min_storage_buffer_offset_alignment;
        let Some((kind, lane)) = lane(stage) else { return };
        if let Some(part) = part.filter(|part| part.offset.is_multiple_of(alignment)) {
            let moved = match kind {
                PipelineKind::Render => self.state.bindings.move_buffer(&mut self.groups, lane, slot, part),
                PipelineKind::Compute => {
                    let groups = &mut self.compute.groups;
                    self.compute.bindings.move_buffer(groups, lane, slot, part)
                }
            };
            if moved {
                let (first, size) = (u64::from(part.offset), u64::from(part.size));
                return self.reads(AccessRange::bytes(part.storage.buffer_id, first, size));
            }
        }
        match kind {
            PipelineKind::Render => {
                self.ready.forget();
                self.state.bindings.set_buffer(lane, slot, part);
            }
            PipelineKind::Compute => self.compute.set().set_buffer(lane, slot, part),
        }
    }

    /// Makes the offsets those of the group of resources. `direct`: wgpu binds all buffers as they are.
    #[inline(never)]
    pub(super) fn set_buffer_offsets<K: BindPoint>(&mut self, offsets: &BufferOffsets, direct: bool) {
        let stages = &mut K::bindings_mut(self).stages;
        stages.iter_mut().for_each(|stage| stage.buffers.forget_dynamic());
        for (at, binding) in (0..).zip(offsets.bindings()).filter(|_| direct) {
            let (lane, slot) = lane_and_slot(binding);
            stages[lane].buffers.set_dynamic(slot, at);
        }
        let (offsets, dynamic) = offsets.get();
        let groups = K::groups_mut(self);
        if groups.groups[RESOURCE_GROUP].set_offsets(offsets, dynamic) {
            groups.moved |= 1 << RESOURCE_GROUP;
        }
    }
}
