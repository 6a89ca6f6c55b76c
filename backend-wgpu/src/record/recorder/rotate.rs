//! Rotation, which assigns the texture of the next back buffer to each back buffer of a swap chain.
//!
//! On the immediate context, an object table contains fixed textures, so a rotation happens between two
//! pages, and the preamble of the next page binds the views of the new textures. Deferred contexts do not
//! rotate, because they record back buffers only as imports.

use std::sync::Arc;

use onze_ddi::{Handle, HandleKind, ResourceHandle};

use crate::{
    objects::{identity::Identity, resource::Resource, texture::TextureMemory, view::View},
    record::{
        command::ObjectIndex,
        command_list::ListImport,
        object_table::PageObject,
        recorder::{
            NotRecorded, PageSink, PageWriter, Recorded,
            handle_state::{ObjectState, ResourceState},
            identities::CurrentIdentity,
        },
    },
};

impl<E: PageSink> PageWriter<'_, E> {
    /// Rotates the textures of back buffers without rebinding anything. The open page and its object table
    /// must be new.
    pub(crate) fn rotate(&mut self, back_buffers: &[ResourceHandle]) -> Recorded<()> {
        let memories: Option<Vec<_>> = back_buffers.iter().map(|handle| self.texture_now(*handle)).collect();
        let mut memories = memories.ok_or(NotRecorded)?;
        memories.rotate_left(1);
        for (handle, memory) in back_buffers.iter().zip(memories) {
            self.set_identity(*handle, CurrentIdentity::Texture(memory))?;
        }
        Ok(())
    }

    /// The current texture of a back buffer on the immediate context.
    pub(crate) fn texture_now(&self, handle: ResourceHandle) -> Option<Arc<TextureMemory>> {
        self.texture_of(handle, self.resource(handle).ok()?)
    }

    /// Like [`texture_now`](Self::texture_now), for a back buffer that may not be open in the context, in
    /// which case it has never rotated.
    fn texture_of(&self, handle: ResourceHandle, back_buffer: &Resource) -> Option<Arc<TextureMemory>> {
        let place = self.handles.private::<ResourceState, _>(handle).map_or(0, |state| state.identity);
        match self.r.identities.get(place) {
            Some(CurrentIdentity::Texture(memory)) => Some(memory.clone()),
            Some(CurrentIdentity::Upload(_) | CurrentIdentity::Listed { .. } | CurrentIdentity::Base(_))
            | None => back_buffer.frame_texture(&self.r.gpu),
        }
    }

    /// The view of the current texture that corresponds to a view of a back buffer, on the immediate context.
    fn view_now(&mut self, view: &Arc<View>) -> Arc<View> {
        let following = view.following.as_ref();
        let memory = following.and_then(|f| self.texture_of(f.back_buffer, &view.resource));
        let Some(memory) = memory else { return view.clone() };
        view.of(&self.r.gpu, &memory).unwrap_or_else(|_error| {
            // Only exhausted memory has to be reported here, because draws on a lost device have no effect,
            // and all other errors were reported when the view was created.
            self.memory_spent();
            view.clone()
        })
    }

    /// The table entry for a back buffer that is the source or destination of a copy.
    pub(super) fn back_buffer_object(
        &mut self,
        handle: ResourceHandle,
        resource: &Resource,
    ) -> Recorded<PageObject> {
        if E::IS_IMMEDIATE {
            return self.texture_of(handle, resource).map(PageObject::Texture).ok_or(NotRecorded);
        }
        self.import(handle).map(PageObject::Import)
    }

    /// Enters a view of a back buffer into the open table.
    #[cold]
    pub(super) fn enter_following<K: HandleKind>(
        &mut self,
        handle: Handle<K>,
        view: Arc<View>,
    ) -> Recorded<ObjectIndex> {
        let object = if E::IS_IMMEDIATE {
            PageObject::View(self.view_now(&view))
        } else {
            PageObject::Import(self.import_view(view)?)
        };
        let index = self.enter_new(object);
        *self.handles.private_mut(handle).ok_or(NotRecorded)? = ObjectState::new(self.r.serial, index);
        Ok(index)
    }

    /// The current identity of an import that is a back buffer or a view of a back buffer, or `None` on a
    /// deferred context.
    pub(super) fn back_buffer_identity(&mut self, import: &ListImport) -> Option<Identity> {
        if !E::IS_IMMEDIATE {
            return None;
        }
        match &import.view {
            Some(view) => Some(Identity::View(self.view_now(view))),
            None => self.texture_of(import.handle, &import.resource).map(Identity::Texture),
        }
    }

    /// Adds a nested list's import to the imports of this recording, and returns its index.
    pub(crate) fn import_again(&mut self, import: &ListImport) -> Recorded<u32> {
        match &import.view {
            Some(view) => self.import_view(view.clone()),
            None => self.import(import.handle),
        }
    }

    fn import_view(&mut self, view: Arc<View>) -> Recorded<u32> {
        let handle = view.following.as_ref().ok_or(NotRecorded)?.back_buffer;
        self.r.end.add_view_import(handle, view).ok_or(NotRecorded)
    }
}
