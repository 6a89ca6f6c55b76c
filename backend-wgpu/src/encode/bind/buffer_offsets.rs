//! Dynamic offsets of structured and raw buffers that shaders read.
//!
//! A small dynamic buffer usually moves within its upload block when it is discarded. Then its bind group and
//! all other resolved state stay valid, and only an offset changes.

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

/// Dynamic offsets of the buffers of all shaders of a pipeline.
#[derive(Debug, Default)]
pub(super) struct BufferOffsets {
    /// Bindings and their offsets, sorted by binding because wgpu requires the offsets in this order.
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

    fn bindings(&self) -> impl Iterator<Item = u32> {
        self.offsets.iter().take(self.count).map(|(binding, _)| *binding)
    }

    /// Returns the offsets in a fixed array, and the number of them that are used.
    fn get(&self) -> ([u32; DYNAMIC_OFFSETS], usize) {
        (self.offsets.map(|(_, offset)| offset), self.count)
    }
}

impl<'r> Bindings<'r> {
    /// Moves the buffer in a `t` slot to another range of the same wgpu buffer, at an offset that wgpu can
    /// bind. Returns `false` and changes nothing, if that takes more than another dynamic offset.
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
    /// Binds a buffer to a `t` slot of a stage, or empties the slot. Usually the buffer is in the same upload
    /// block as before, so only an offset of a bind group changes.
    pub(crate) fn set_resource_buffer(&mut self, stage: ShaderStage, slot: u8, part: Option<BufferPart<'r>>) {
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

    /// Sets the dynamic offsets of the resource group. If `direct`, wgpu binds all buffers as they are, so
    /// their slots may move these offsets later.
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
