//! Renaming, which assigns another identity to a buffer so that new contents need not wait for the GPU.
//!
//! Before the GPU writes a renamed buffer, the buffer is copied back to its base storage.

use onze_ddi::{CoreLayer, PageSlice, ResourceHandle};

use crate::{
    objects::{
        identity::{BufferIdentity, Identity},
        resource::Resource,
    },
    record::{
        command::ObjectIndex,
        command_list::{ExportedIdentity, List, ListImport},
        page::{BufferPlace, CopyCommand, Page},
        recorder::{
            CONSTANT_SLOTS, NotRecorded, PageSink, PageWriter, RecordScope, Recorded, Recorder, STAGE_ROWS,
            StageConstants,
            handle_state::{RENAMABLE, ResourceState},
            identities::CurrentIdentity,
            objects::BufferObject,
            state::{BoundView, index_buffer, vertex_buffer},
        },
        upload::{CutSlice, UploadSlice},
    },
};

impl<E: PageSink> RecordScope<'_, E> {
    /// Makes an upload slice the contents of a buffer for the following commands.
    #[inline(never)]
    pub(crate) fn rename(&mut self, handle: ResourceHandle, slice: UploadSlice) {
        let Ok(mut state) = self.writer.resource_state(handle) else { return };
        self.writer.put_identity(handle, &mut state, CurrentIdentity::Upload(slice.block));
        state.set_slice(slice);
        if state.may_be_bound() {
            let Recorder { uploads, page, objects, constants, views, serial, .. } = &mut *self.writer.r;
            if let Some(object) = uploads.object(slice.block, objects, *serial) {
                (state.serial, state.object) = (*serial, object);
            }
            rebind(page, (constants, views), &*self.core, handle, &mut state);
        }
        self.writer.set_resource_state(handle, state);
    }

    /// Returns the location for a GPU write to a buffer, in its base storage. The current contents are copied
    /// there first, unless the write replaces the `whole` buffer.
    pub(crate) fn copy_target(&mut self, handle: ResourceHandle, whole: bool) -> Recorded<BufferPlace> {
        if let Some(base) = self.writer.resource(handle)?.base_storage() {
            base.mark_written();
        }
        let state = self.writer.resource_state(handle)?;
        let away = match self.writer.r.identities.get(state.identity) {
            Some(CurrentIdentity::Base(_)) => false,
            Some(_) => true,
            // The identity of an import is unknown until the list is executed.
            None => !E::IS_IMMEDIATE && state.is(RENAMABLE),
        };
        if !away {
            let buffer = self.writer.buffer(handle, |_| ())?;
            return Ok(BufferPlace { object: buffer.object, offset: buffer.offset.into() });
        }
        // Under a predicate, the copy that replaces the contents may be skipped, so the old contents are
        // still needed.
        let is_replaced = whole && !self.writer.r.is_predicated();
        let from = if is_replaced { None } else { self.writer.buffer(handle, |_| ()).ok() };
        let (object, offset) = self.writer.enter_base_storage(handle)?;
        let base = BufferPlace { object, offset: offset.into() };
        if let Some(from) = from {
            let from = BufferPlace { object: from.object, offset: from.offset.into() };
            self.writer.copy(CopyCommand::ToBase { from, base, size: state.size.into() });
        }
        self.writer.return_to_base(handle)?;
        let mut state = self.writer.resource_state(handle)?;
        (state.serial, state.object, state.offset) = (self.writer.r.serial, object, offset);
        let Recorder { page, constants, views, .. } = &mut *self.writer.r;
        rebind(page, (constants, views), &*self.core, handle, &mut state);
        self.writer.set_resource_state(handle, state);
        Ok(base)
    }

    /// Replaces the whole contents of a buffer that already has a slice of this context. Updates usually take
    /// this path from the second draw of a recording on, so the handle and the upload block are looked up only
    /// once. `bytes` are at least as many as the buffer has. Returns false without any effect if the buffer
    /// needs more work.
    #[inline(always)]
    pub(crate) fn replace(&mut self, handle: ResourceHandle, bytes: &[u8]) -> bool {
        let Recorder { uploads, page, objects, constants, views, serial, recording, .. } =
            &mut *self.writer.r;
        let Some(state) = self.writer.handles.private_mut::<ResourceState, _>(handle) else { return false };
        let Some(bytes) = bytes.get(..state.size as usize).filter(|_| state.has_slice(*recording)) else {
            return false;
        };
        let Some(CutSlice { slice, block }) = uploads.cut(state.room.into(), bytes) else { return false };
        let bound = (page, &*constants, &**views);
        if move_slice(bound, handle, state, slice, || (*serial, block.object(objects, *serial))) {
            let place = state.identity;
            self.writer.r.move_to(place, slice.block);
        }
        true
    }

    /// Repeats [`RecordScope::replace`] with a new upload block, if the current upload block has no room.
    #[cold]
    #[inline(never)]
    pub(super) fn replace_in_next_page(&mut self, handle: ResourceHandle, bytes: &[u8]) -> bool {
        let Some(state) = self.writer.handles.private::<ResourceState, _>(handle) else { return false };
        let r = &mut *self.writer.r;
        state.has_slice(r.recording) && r.uploads.make_room(state.room.into()) && self.replace(handle, bytes)
    }

    /// Takes the slices that wait in the context's upload page, and makes them the contents of their buffers
    /// for the following commands.
    #[inline(never)]
    pub(crate) fn take_slices(&mut self) {
        let slices = self.writer.handles.uploads.take_slices();
        let Recorder { uploads, objects, serial, recording, .. } = &mut *self.writer.r;
        let (serial, recording) = (*serial, *recording);
        if let Some((block, object)) = uploads.lent_object(objects, serial) {
            for PageSlice { resource, offset } in &slices {
                let slice = UploadSlice { block, offset: *offset };
                let state = self.writer.handles.private_mut::<ResourceState, _>(*resource);
                // Buffers that already have a slice of this context are looked up only once.
                let Some(state) = state.filter(|state| state.has_slice(recording)) else {
                    self.rename(*resource, slice);
                    continue;
                };
                let Recorder { page, constants, views, .. } = &mut *self.writer.r;
                let bound = (page, &*constants, &**views);
                if move_slice(bound, *resource, state, slice, || (serial, object)) {
                    let place = state.identity;
                    self.writer.r.move_to(place, block);
                }
            }
        }
        self.writer.handles.uploads.return_slices(slices);
    }
}

/// Moves a buffer from a slice to another slice, and rebinds it. `object` returns the serial number of the open
/// object table and the index of the slice's block in it. Returns whether the slice is in another block.
#[inline(always)]
fn move_slice(
    (page, constants, views): (&mut Page, &StageConstants, &[BoundView]),
    handle: ResourceHandle,
    state: &mut ResourceState,
    slice: UploadSlice,
    object: impl FnOnce() -> (u32, ObjectIndex),
) -> bool {
    state.offset = slice.offset;
    // D3D11 allows no other bind flags for a constant buffer, so this buffer has no other bindings.
    if state.constant_slots != 0 {
        (state.serial, state.object) = object();
        rebind_constants(page, constants, handle, state);
    } else if state.views != 0 {
        (state.serial, state.object) = object();
        rebind_views(page, views, handle, state);
    } else {
        state.serial = 0;
    }
    let is_other = state.upload != slice.block + 1;
    state.upload = slice.block + 1;
    is_other
}

impl<E> Recorder<E> {
    /// Records that the identity at `place` has moved to another upload block.
    #[inline(never)]
    fn move_to(&mut self, place: u32, page: u32) {
        self.identities.put(place, CurrentIdentity::Upload(page), &mut self.uploads);
    }
}

impl<E: PageSink> PageWriter<'_, E> {
    /// Assigns another identity to a buffer without rebinding it, and adds the buffer to the exports of a
    /// recording.
    pub(crate) fn set_identity(&mut self, handle: ResourceHandle, current: CurrentIdentity) -> Recorded<()> {
        let mut state = self.resource_state(handle)?;
        self.put_identity(handle, &mut state, current);
        self.set_resource_state(handle, state);
        Ok(())
    }

    /// Like [`set_identity`](Self::set_identity), but updates a copy of the handle state instead of the
    /// handle.
    fn put_identity(&mut self, handle: ResourceHandle, state: &mut ResourceState, current: CurrentIdentity) {
        let new = self.r.identities.put(state.identity, current, &mut self.r.uploads);
        if state.identity == 0 {
            self.add_export(handle, new);
        }
        (state.identity, state.serial, state.upload) = (new, 0, 0);
    }

    /// Makes the base storage the buffer's identity, without copying or rebinding anything.
    pub(crate) fn return_to_base(&mut self, handle: ResourceHandle) -> Recorded<()> {
        if !E::IS_IMMEDIATE {
            let base = self.resource(handle)?.base_storage().ok_or(NotRecorded)?.clone();
            return self.set_identity(handle, CurrentIdentity::Base(base));
        }
        let place = self.resource_state(handle)?.identity;
        self.r.identities.remove(place, &mut self.r.uploads);
        let state = self.resource_state_mut(handle)?;
        (state.identity, state.serial, state.upload) = (0, 0, 0);
        Ok(())
    }

    /// The current identity of an import, or `None` if this context does not know it.
    pub(crate) fn identity(&mut self, import: &ListImport) -> Option<Identity> {
        if import.resource.is_back_buffer() {
            return self.back_buffer_identity(import);
        }
        self.buffer_identity(import.handle).map(Identity::Buffer)
    }

    /// The current identity of a buffer, or `None` if this context does not know it.
    pub(crate) fn buffer_identity(&mut self, handle: ResourceHandle) -> Option<BufferIdentity> {
        let state = self.resource_state(handle).ok()?;
        match self.r.identities.get(state.identity) {
            Some(current) => current.identity(state.offset, state.size, &self.r.uploads),
            None if E::IS_IMMEDIATE => {
                Some(BufferIdentity::base(self.resource(handle).ok()?.base_storage()?, state.size.into()))
            }
            None => None,
        }
    }

    /// Adopts the identities that an executed list assigns to buffers, without rebinding anything, because
    /// executing a list resets the state.
    pub(crate) fn take_exports(&mut self, list: &List) {
        for export in &list.exports {
            let done = match &export.identity {
                ExportedIdentity::Base => self.return_to_base(export.handle),
                ExportedIdentity::Upload { retained, offset } => {
                    let current = CurrentIdentity::Listed { retained: retained.clone(), offset: *offset };
                    self.set_identity(export.handle, current)
                }
            };
            if done.is_err() {
                self.bug(format!("{:?} of a list is not open where the list is executed", export.resource));
            }
        }
    }

    fn add_export(&mut self, handle: ResourceHandle, place: u32) {
        if !E::IS_IMMEDIATE
            && let Some(resource) = self.handles.object_as::<Resource, _>(handle)
        {
            self.r.end.add_export(handle, resource, place);
        }
    }

    /// Records that memory for uploads could not be allocated, so that the error is reported to the runtime
    /// at the end of the entry.
    #[cold]
    pub(crate) fn memory_spent(&mut self) {
        self.r.out_of_memory = true;
    }
}

/// Rebinds a renamed buffer in every slot where it is bound, checking only the slots in the handle state and
/// removing stale slots from it.
fn rebind(
    page: &mut Page,
    (constants, views): (&StageConstants, &[BoundView]),
    core: &dyn CoreLayer,
    handle: ResourceHandle,
    state: &mut ResourceState,
) {
    rebind_constants(page, constants, handle, state);
    if state.vertex_slots != 0 || state.index_buffer != 0 {
        rebind_vertices(page, core, handle, state);
    }
    if state.views != 0 {
        rebind_views(page, views, handle, state);
    }
}

#[inline(never)]
fn rebind_views(page: &mut Page, views: &[BoundView], handle: ResourceHandle, state: &mut ResourceState) {
    let (found, before) = (found(state), page.commands.len());
    let bound = views.iter().filter(|view| view.buffer == handle);
    page.commands.extend(bound.map(|view| view.command(found)));
    state.views = u8::from(page.commands.len() > before);
}

#[inline(always)]
fn rebind_constants(
    page: &mut Page,
    constants: &StageConstants,
    handle: ResourceHandle,
    state: &mut ResourceState,
) {
    if !state.constant_stages.is_power_of_two() {
        return rebind_in_stages(page, constants, handle, state);
    }
    let stage = state.constant_stages.trailing_zeros() as usize % STAGE_ROWS;
    let mut slots = u32::from(state.constant_slots);
    while slots != 0 {
        let slot = slots.trailing_zeros();
        slots &= slots - 1;
        let bound = &constants[stage][slot as usize % CONSTANT_SLOTS];
        if bound.buffer == Some(handle) {
            page.commands.push(bound.command(1 << stage, slot, state.object, state.offset));
        } else {
            state.constant_slots &= !(1 << slot);
        }
    }
}

/// Like [`rebind_constants`], for a buffer that may be bound in several stages, so that stages which see the
/// same range share one command.
#[inline(never)]
fn rebind_in_stages(
    page: &mut Page,
    constants: &StageConstants,
    handle: ResourceHandle,
    state: &mut ResourceState,
) {
    for slot in bits(state.constant_slots.into()) {
        let bound = |stage: u32| &constants[stage as usize % STAGE_ROWS][slot as usize % CONSTANT_SLOTS];
        let mut stages = state.constant_stages;
        let mut is_bound = false;
        while stages != 0 {
            let first = bound(stages.trailing_zeros());
            let mut alike = stages & stages.wrapping_neg();
            stages &= !alike;
            if first.buffer != Some(handle) {
                continue;
            }
            for stage in bits(stages.into()) {
                if bound(stage) == first {
                    alike |= 1 << stage;
                }
            }
            stages &= !alike;
            page.commands.push(first.command(alike, slot, state.object, state.offset));
            is_bound = true;
        }
        if !is_bound {
            state.constant_slots &= !(1 << slot);
        }
    }
}

#[inline(never)]
fn rebind_vertices(page: &mut Page, core: &dyn CoreLayer, handle: ResourceHandle, state: &mut ResourceState) {
    let found = found(state);
    let bound = core.vertex_buffers(None);
    for slot in bits(state.vertex_slots) {
        match bound.get(slot as usize) {
            Some(bound) if bound.buffer == Some(handle) => {
                page.commands.push(vertex_buffer(slot, bound, found));
            }
            _ => state.vertex_slots &= !(1 << slot),
        }
    }
    if state.index_buffer != 0 {
        let bound = core.index_buffer();
        if bound.buffer == Some(handle) {
            page.commands.push(index_buffer(bound, found));
        } else {
            state.index_buffer = 0;
        }
    }
}

/// The buffer in the form that commands use, or `None` if it is not in the open page's table.
#[inline]
fn found(state: &ResourceState) -> Option<BufferObject> {
    (state.serial != 0).then_some(BufferObject {
        object: state.object,
        offset: state.offset,
        size: state.size,
    })
}

#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_in_order() {
        assert_eq!(bits(0b1000_0101).collect::<Vec<_>>(), [0, 2, 7]);
        assert_eq!(bits(1 << 31).collect::<Vec<_>>(), [31]);
        assert_eq!(bits(0).count(), 0);
    }
}
