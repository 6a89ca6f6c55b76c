//! Looks up handles and enters their objects into the open object table.

use std::{any::Any, sync::Arc};

use onze_ddi::{Handle, ResourceHandle, ShaderResourceViewHandle, UnorderedAccessViewHandle};

use crate::{
    objects::{
        resource::{Resource, ResourceMemory},
        view::{BufferView, View},
    },
    record::{
        command::{NO_OBJECT, ObjectIndex},
        object_table::PageObject,
        recorder::{
            NotRecorded, PageSink, PageWriter, Recorded,
            handle_state::{BUFFER, ObjectState, RENAMABLE, ResourceState},
            identities::CurrentIdentity,
        },
    },
};

/// A buffer's object index, offset and size, in the form that commands use.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferObject {
    pub(crate) object: ObjectIndex,
    /// First byte in the wgpu buffer, or 0 for an import.
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// The object that a shader-resource view shows, which is a texture or a buffer.
#[derive(Debug)]
pub(crate) enum SeenObject {
    /// Index of a texture view in the open object table.
    Texture(ObjectIndex),
    Buffer(Arc<BufferView>),
}

impl<E: PageSink> PageWriter<'_, E> {
    /// Index of an object in the open table, or `NO_OBJECT` without a handle or if the handle is not open in
    /// the context.
    #[inline]
    pub(crate) fn object<T: Any + Send + Sync, K: onze_ddi::HandleKind>(
        &mut self,
        handle: Option<Handle<K>>,
        wrap: fn(Arc<T>) -> PageObject,
    ) -> ObjectIndex {
        let Some(handle) = handle else {
            return NO_OBJECT;
        };
        match self.handles.private::<ObjectState, K>(handle) {
            Some(state) if state.serial == self.r.serial => state.object,
            _ => self.again().enter(handle, wrap).unwrap_or(NO_OBJECT),
        }
    }

    /// The object that a shader-resource view shows, entered into the open table if it is a texture view.
    #[inline]
    pub(crate) fn view(&mut self, view: Option<ShaderResourceViewHandle>) -> SeenObject {
        let Some(handle) = view else {
            return SeenObject::Texture(NO_OBJECT);
        };
        match self.handles.private::<ObjectState, _>(handle) {
            Some(state) if state.serial == self.r.serial => SeenObject::Texture(state.object),
            _ => self.again().enter_view(handle),
        }
    }

    /// Enters a texture view into the table, but not a buffer view, because the buffer may have another
    /// identity at the next bind.
    #[inline(never)]
    fn enter_view(&mut self, handle: ShaderResourceViewHandle) -> SeenObject {
        if let Some(view) = self.handles.object_as::<View, _>(handle) {
            let object = PageObject::View(view);
            return SeenObject::Texture(self.enter_object(handle, object).unwrap_or(NO_OBJECT));
        }
        match self.handles.object_as::<BufferView, _>(handle) {
            Some(view) => SeenObject::Buffer(view),
            None => {
                self.not_open(handle);
                SeenObject::Texture(NO_OBJECT)
            }
        }
    }

    /// Index in the open table of the storage of a view's hidden counter, or `None` if the view has no
    /// counter.
    pub(crate) fn counter(&mut self, handle: UnorderedAccessViewHandle) -> Recorded<ObjectIndex> {
        match self.handles.private::<ObjectState, _>(handle) {
            Some(state) if state.serial == self.r.serial => Ok(state.object),
            _ => {
                let storage = self
                    .handles
                    .object_as::<BufferView, _>(handle)
                    .ok_or(NotRecorded)?
                    .counter
                    .clone()
                    .ok_or(NotRecorded)?;
                self.enter_object(handle, PageObject::Buffer(storage))
            }
        }
    }

    /// Index in the open table of the storage of a buffer's filled size, which stream output sets.
    pub(crate) fn filled_size(&mut self, handle: ResourceHandle) -> Recorded<ObjectIndex> {
        let storage = self.resource(handle)?.filled.clone().ok_or(NotRecorded)?;
        Ok(self.enter_new(PageObject::Buffer(storage)))
    }

    #[inline(never)]
    fn enter<T: Any + Send + Sync, K: onze_ddi::HandleKind>(
        &mut self,
        handle: Handle<K>,
        wrap: fn(Arc<T>) -> PageObject,
    ) -> Recorded<ObjectIndex> {
        match self.handles.object_as::<T, K>(handle) {
            Some(object) => self.enter_object(handle, wrap(object)),
            None => Err(self.not_open(handle)),
        }
    }

    #[inline]
    fn enter_object<K: onze_ddi::HandleKind>(
        &mut self,
        handle: Handle<K>,
        object: PageObject,
    ) -> Recorded<ObjectIndex> {
        let index = match object {
            PageObject::View(view) if view.following.is_some() => return self.enter_following(handle, view),
            object => self.r.objects.enter(object),
        };
        match self.handles.private_mut(handle) {
            Some(state) => *state = ObjectState::new(self.r.serial, index),
            None => return Err(self.not_open(handle)),
        }
        Ok(index)
    }

    #[cold]
    fn not_open<K: onze_ddi::HandleKind>(&mut self, handle: Handle<K>) -> NotRecorded {
        self.bug(format!("{handle:?} is not open in the context that uses it"));
        NotRecorded
    }

    /// State of a resource in this recording, initialized by the first use in it.
    #[inline]
    pub(crate) fn resource_state(&mut self, handle: ResourceHandle) -> Recorded<ResourceState> {
        match self.handles.private::<ResourceState, _>(handle) {
            Some(state) if state.recording == self.r.recording => Ok(*state),
            _ => self.first_use(handle),
        }
    }

    /// Mutable state of a resource, which [`PageWriter::resource_state`] must have initialized earlier in the
    /// same entry.
    pub(crate) fn resource_state_mut(&mut self, handle: ResourceHandle) -> Recorded<&mut ResourceState> {
        self.handles.private_mut(handle).ok_or(NotRecorded)
    }

    /// Stores a modified copy of the state from [`PageWriter::resource_state`].
    pub(crate) fn set_resource_state(&mut self, handle: ResourceHandle, state: ResourceState) {
        if let Ok(place) = self.resource_state_mut(handle) {
            *place = state;
        }
    }

    #[cold]
    fn first_use(&mut self, handle: ResourceHandle) -> Recorded<ResourceState> {
        let (recording, alignment) = (self.r.recording, self.r.gpu.slice_alignment());
        let fresh = self.resource(handle).map(|resource| ResourceState::new(resource, recording, alignment));
        let (Ok(fresh), Some(state)) = (fresh, self.handles.private_mut::<ResourceState, _>(handle)) else {
            self.bug(format!("{handle:?} is not open in the context that uses it"));
            return Err(NotRecorded);
        };
        *state = fresh;
        Ok(fresh)
    }

    /// The shared, read-only data of a resource.
    pub(crate) fn resource(&self, handle: ResourceHandle) -> Recorded<&Resource> {
        (**self.handles.object(handle).ok_or(NotRecorded)?).downcast_ref().ok_or(NotRecorded)
    }

    /// The current identity of a buffer or staging resource in the open table. `mark` updates the state to
    /// record where the buffer is about to be bound.
    #[inline(always)]
    pub(crate) fn buffer(
        &mut self,
        handle: ResourceHandle,
        mark: impl FnOnce(&mut ResourceState),
    ) -> Recorded<BufferObject> {
        let serial = self.r.serial;
        let state = match self.handles.private_mut::<ResourceState, _>(handle) {
            Some(state) if state.serial == serial => state,
            _ => {
                self.again().enter_buffer(handle)?;
                self.handles.private_mut::<ResourceState, _>(handle).ok_or(NotRecorded)?
            }
        };
        mark(state);
        Ok(BufferObject { object: state.object, offset: state.offset, size: state.size })
    }

    #[inline(never)]
    fn enter_buffer(&mut self, handle: ResourceHandle) -> Recorded<()> {
        let state = self.resource_state(handle)?;
        if !state.is(BUFFER) {
            self.bug(format!("{handle:?} is used as a buffer but is not one"));
            return Err(NotRecorded);
        }
        let (object, offset) = match self.r.identities.get(state.identity) {
            Some(CurrentIdentity::Upload(page)) => (
                self.r.uploads.object(*page, &mut self.r.objects, self.r.serial).ok_or(NotRecorded)?,
                state.offset,
            ),
            Some(CurrentIdentity::Listed { retained, offset }) => {
                let (storage, offset) = (retained.storage().clone(), *offset);
                (self.enter_new(PageObject::Buffer(storage)), offset)
            }
            Some(CurrentIdentity::Base(_)) => self.enter_base_storage(handle)?,
            None if state.is(RENAMABLE) && !E::IS_IMMEDIATE => {
                let import = self.import(handle)?;
                (self.enter_new(PageObject::Import(import)), 0)
            }
            // A back buffer is a texture and cannot reach this point.
            Some(CurrentIdentity::Texture(_)) => return Err(NotRecorded),
            None => self.enter_base_storage(handle)?,
        };
        let serial = self.r.serial;
        let state = self.resource_state_mut(handle)?;
        (state.serial, state.object, state.offset) = (serial, object, offset);
        Ok(())
    }

    /// Enters the base storage of a buffer, or the mirror of a staging resource, into the open table.
    pub(crate) fn enter_base_storage(&mut self, handle: ResourceHandle) -> Recorded<(ObjectIndex, u32)> {
        let storage = match &self.resource(handle)?.memory {
            ResourceMemory::Buffer { base } => base.clone(),
            ResourceMemory::Staging(staging) => staging.mirror().clone(),
            ResourceMemory::Texture(_) => return Err(NotRecorded),
        };
        // A storage that shares its wgpu buffer is within one chunk, and every other storage begins at 0, so
        // the offset fits.
        let offset = u32::try_from(storage.offset).map_err(|_| NotRecorded)?;
        Ok((self.enter_new(PageObject::Buffer(storage)), offset))
    }

    /// Index in the open table of a texture that is the source or destination of a copy.
    pub(crate) fn texture(&mut self, handle: ResourceHandle) -> Recorded<ObjectIndex> {
        let state = self.resource_state(handle)?;
        if state.serial == self.r.serial {
            return Ok(state.object);
        }
        let Some(resource) = self.handles.object_as::<Resource, _>(handle) else {
            self.bug(format!("{handle:?} is not a resource of this driver"));
            return Err(NotRecorded);
        };
        let object = if resource.is_back_buffer() {
            self.back_buffer_object(handle, &resource)?
        } else {
            PageObject::Resource(resource)
        };
        let object = self.enter_new(object);
        let serial = self.r.serial;
        let state = self.resource_state_mut(handle)?;
        (state.serial, state.object) = (serial, object);
        Ok(object)
    }

    /// Index of a resource in the recording's imports, added there by the first call.
    pub(crate) fn import(&mut self, handle: ResourceHandle) -> Recorded<u32> {
        let state = self.resource_state(handle)?;
        if let Some(import) = state.import.checked_sub(1) {
            return Ok(import);
        }
        let resource = self.handles.object_as::<Resource, _>(handle).ok_or(NotRecorded)?;
        let import = self.r.end.add_import(handle, resource).ok_or(NotRecorded)?;
        self.resource_state_mut(handle)?.import = import + 1;
        Ok(import)
    }

    pub(super) fn enter_new(&mut self, object: PageObject) -> ObjectIndex {
        self.r.objects.enter(object)
    }
}
