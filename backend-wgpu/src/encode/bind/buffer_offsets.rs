//! Dynamic offsets of structured and raw buffers that shaders read.
//!
//! A small dynamic buffer usually moves within its upload block when it is discarded. Then its bind group and
//! all other resolved state stay valid, and only an offset changes.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        encoder::Encoder,
        parts::{
            accesses::AccessRange, layouts::DYNAMIC_OFFSETS, pipeline_plan::PipelinePlan, ranges::BufferPart,
        },
    },
    objects::shader::{RESOURCE_GROUP, stage_and_slot},
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

impl<'r> Encoder<'r> {
    /// Binds a buffer to a `t` slot of a stage, or empties the slot. Usually the buffer is in the same upload
    /// block as before, so only an offset of a bind group changes.
    pub(crate) fn set_resource_buffer(&mut self, stage: ShaderStage, slot: u8, part: Option<BufferPart<'r>>) {
        let alignment = self.gpu.limits.min_storage_buffer_offset_alignment;
        if let Some(part) = part.filter(|part| part.offset.is_multiple_of(alignment)) {
            let is_dispatch = PipelinePlan::from(stage).is_dispatch();
            let groups = if is_dispatch { &mut self.compute.groups } else { &mut self.groups };
            if self.bindings.move_buffer(groups, stage, slot, part) {
                let (first, size) = (u64::from(part.offset), u64::from(part.size));
                return self.reads(AccessRange::bytes(part.storage.buffer_id, first, size));
            }
        }
        if PipelinePlan::from(stage) == PipelinePlan::Draw {
            self.ready.forget();
        }
        self.bindings.set_buffer(stage, slot, part);
    }

    /// Sets the dynamic offsets of the resource group. If `direct`, wgpu binds all buffers as they are, so
    /// their slots may move these offsets later.
    #[inline(never)]
    pub(super) fn set_buffer_offsets(&mut self, plan: PipelinePlan, offsets: &BufferOffsets, direct: bool) {
        let bindings = offsets.bindings().filter(|_| direct);
        self.bindings.set_dynamic_buffers(plan, bindings.map(stage_and_slot));
        let (offsets, dynamic) = offsets.get();
        self.pending_groups_mut(plan).set_offsets(RESOURCE_GROUP, offsets, dynamic);
    }
}
