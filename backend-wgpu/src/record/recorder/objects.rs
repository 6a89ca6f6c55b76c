//! Looks up handles, and enters their objects into the open object table.

use std::{any::Any, sync::Arc};

use onze_ddi::{Handle, ResourceHandle, ShaderResourceViewHandle, UnorderedAccessViewHandle};

use crate::{
    objects::{
        resource::{Memory, Resource},
        view::{BufferView, View},
    },
    record::{
        command::{NO_OBJECT, ObjectIndex},
        object_table::PageObject,
        recorder::{
            End, PageWriter,
            handle_state::{BUFFER, ObjectState, RENAMABLE, ResourceState},
            identities::Current,
        },
    },
};

/// A buffer as commands name it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferObject {
    /// Index into the open object table.
    pub(crate) object: ObjectIndex,
    /// First byte: in the wgpu buffer, or 0 of an import.
    pub(crate) offset: u32,
    /// Bytes.
    pub(crate) size: u32,
}

/// What a view sees.
#[derive(Debug)]
pub(crate) enum SeenObject {
    /// The index of a view of a texture.
    Texture(ObjectIndex),
    /// A view of a buffer.
    Buffer(Arc<BufferView>),
}

impl<E: End> PageWriter<'_, E> {
    /// The index of an object in the open table; `NO_OBJECT` for none, and for a handle that is not open.
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

    /// What a shader-resource view sees, in the open table.
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

    /// A view of a buffer is never entered: what it sees may be elsewhere at the next bind.
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

    /// The storage of a view's counter, in the open table; `None` for a view without one.
    pub(crate) fn counter(&mut self, handle: UnorderedAccessViewHandle) -> Option<ObjectIndex> {
        match self.handles.private::<ObjectState, _>(handle) {
            Some(state) if state.serial == self.r.serial => Some(state.object),
            _ => {
                let storage = self.handles.object_as::<BufferView, _>(handle)?.counter.clone()?;
                self.enter_object(handle, PageObject::Buffer(storage))
            }
        }
    }

    #[inline(never)]
    fn enter<T: Any + Send + Sync, K: onze_ddi::HandleKind>(
        &mut self,
        handle: Handle<K>,
        wrap: fn(Arc<T>) -> PageObject,
    ) -> Option<ObjectIndex> {
        match self.handles.object_as::<T, K>(handle) {
            Some(object) => self.enter_object(handle, wrap(object)),
            None => self.not_open(handle),
        }
    }

    #[inline]
    fn enter_object<K: onze_ddi::HandleKind>(
        &mut self,
        handle: Handle<K>,
        object: PageObject,
    ) -> Option<ObjectIndex> {
        let index = match object {
            PageObject::View(view) if view.following.is_some() => return self.enter_following(handle, view),
            object => self.r.objects.enter(object),
        };
        match self.handles.private_mut(handle) {
            Some(state) => *state = ObjectState::new(self.r.serial, index),
            None => return self.not_open(handle),
        }
        Some(index)
    }

    #[cold]
    fn not_open<K: onze_ddi::HandleKind>(&mut self, handle: Handle<K>) -> Option<ObjectIndex> {
        self.bug(format!("{handle:?} is not open in the context that uses it"));
        None
    }

    /// What this recording knows of a resource.
    #[inline]
    pub(crate) fn resource_state(&mut self, handle: ResourceHandle) -> Option<ResourceState> {
        match self.handles.private::<ResourceState, _>(handle) {
            Some(state) if state.recording == self.r.recording => Some(*state),
            _ => self.first_use(handle),
        }
    }

    /// The same to write to; [`PageWriter::resource_state`] comes first in an entry.
    pub(crate) fn resource_state_mut(&mut self, handle: ResourceHandle) -> Option<&mut ResourceState> {
        self.handles.private_mut(handle)
    }

    /// Writes back what [`PageWriter::resource_state`] gave.
    pub(crate) fn set_resource_state(&mut self, handle: ResourceHandle, state: ResourceState) {
        if let Some(place) = self.resource_state_mut(handle) {
            *place = state;
        }
    }

    #[cold]
    fn first_use(&mut self, handle: ResourceHandle) -> Option<ResourceState> {
        let fresh = self.resource(handle).map(|resource| ResourceState::new(resource, self.r.recording));
        let (Some(fresh), Some(state)) = (fresh, self.handles.private_mut::<ResourceState, _>(handle)) else {
            self.bug(format!("{handle:?} is not open in the context that uses it"));
            return None;
        };
        *state = fresh;
        Some(fresh)
    }

    /// The read-only half of a resource.
    pub(crate) fn resource(&self, handle: ResourceHandle) -> Option<&Resource> {
        (**self.handles.object(handle)?).downcast_ref()
    }

    /// The buffer (or staging memory) that a handle means now, in the open table. `mark` notes where it
    /// is about to be bound.
    #[inline(always)]
    pub(crate) fn buffer(
        &mut self,
        handle: ResourceHandle,
        mark: impl FnOnce(&mut ResourceState),
    ) -> Option<BufferObject> {
        let serial = self.r.serial;
        let state = match self.handles.private_mut::<ResourceState, _>(handle) {
            Some(state) if state.serial == serial => state,
            _ => {
                self.again().enter_buffer(handle)?;
                self.handles.private_mut::<ResourceState, _>(handle)?
            }
        };
        mark(state);
        Some(BufferObject { object: state.object, offset: state.offset, size: state.size })
    }

    #[inline(never)]
    fn enter_buffer(&mut self, handle: ResourceHandle) -> Option<()> {
        let state = self.resource_state(handle)?;
        if !state.is(BUFFER) {
            self.bug(format!("{handle:?} is used as a buffer and is none"));
            return None;
        }
        let (object, offset) = match self.r.identities.get(state.identity) {
            Some(Current::Upload(page)) => {
                (self.r.uploads.object(*page, &mut self.r.objects, self.r.serial)?, state.offset)
            }
            Some(Current::Listed { retained, offset }) => {
                let (storage, offset) = (retained.storage().clone(), *offset);
                (self.enter_new(PageObject::Buffer(storage)), offset)
            }
            Some(Current::Base(_)) => self.enter_base_storage(handle)?,
            None if state.is(RENAMABLE) && !E::IS_IMMEDIATE => {
                let import = self.import(handle)?;
                (self.enter_new(PageObject::Import(import)), 0)
            }
            // A back buffer is no buffer.
            Some(Current::Texture(_)) => return None,
            None => self.enter_base_storage(handle)?,
        };
        let serial = self.r.serial;
        let state = self.resource_state_mut(handle)?;
        (state.serial, state.object, state.offset) = (serial, object, offset);
        Some(())
    }

    /// The storage that a buffer or staging resource was created with, as an object of the open table.
    pub(crate) fn enter_base_storage(&mut self, handle: ResourceHandle) -> Option<(ObjectIndex, u32)> {
        let storage = match &self.resource(handle)?.memory {
            Memory::Buffer { base } => base.clone(),
            Memory::Staging(staging) => staging.mirror().clone(),
            Memory::Texture(_) => return None,
        };
        // Storages that share a wgpu buffer lie within a chunk, others begin at 0.
        let offset = u32::try_from(storage.offset).ok()?;
        Some((self.enter_new(PageObject::Buffer(storage)), offset))
    }

    /// A texture as the source or destination of a copy.
    pub(crate) fn texture(&mut self, handle: ResourceHandle) -> Option<ObjectIndex> {
        let state = self.resource_state(handle)?;
        if state.serial == self.r.serial {
            return Some(state.object);
        }
        let Some(resource) = self.handles.object_as::<Resource, _>(handle) else {
            self.bug(format!("{handle:?} is no resource of this driver"));
            return None;
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
        Some(object)
    }

    /// The place of a resource among the imports of a recording.
    pub(crate) fn import(&mut self, handle: ResourceHandle) -> Option<u32> {
        let state = self.resource_state(handle)?;
        if let Some(import) = state.import.checked_sub(1) {
            return Some(import);
        }
        let resource = self.handles.object_as::<Resource, _>(handle)?;
        let import = self.r.end.add_import(handle, resource)?;
        self.resource_state_mut(handle)?.import = import + 1;
        Some(import)
    }

    pub(super) fn enter_new(&mut self, object: PageObject) -> ObjectIndex {
        self.r.objects.enter(object)
    }
}
