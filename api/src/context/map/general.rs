//! The general path of a map: the driver lends memory, and the unmap returns the memory.

use onze_ddi::{
    Handle, Key, MapError, MapType, MappedMemory, ResourceDesc, ResourceHandle, Usage, zeroed_page,
};

use super::{MapFlags, OpenMap};
use crate::{
    context::{
        DeviceContext,
        object_use::{Call, ObjectUse},
    },
    device_core::{HandleState, ObjectFlags},
    objects::ObjectOwner,
    report::{Error, MessageId},
    validate::{self, MapPlace, NoOverwriteBuffers},
};

fn no_subresource(subresource: u32, count: u32) -> Error {
    Error::InvalidArg(format!("there is no subresource {subresource}; it has {count}, counted from 0"))
}

impl DeviceContext {
    #[inline(never)]
    pub(super) fn start_guard(
        &mut self,
        key: Key,
        owner: &ObjectOwner,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<(), Error> {
        self.core.guard_map = Some(self.start_map(key, owner, subresource, map_type, flags)?);
        Ok(())
    }

    /// Starts a map on the general path, for guards and tokens.
    pub(super) fn start_map(
        &mut self,
        key: Key,
        owner: &ObjectOwner,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<OpenMap, Error> {
        if self.core.replacement.is_open() {
            self.forget_replacement();
        }
        if !self.core.rt.owned_maps.is_empty() {
            self.sweep_owned_maps();
        }
        let Ok(state) = self.handle_state_of(key, owner, ObjectUse::of(Call::Map)) else {
            return self.start_lost_map(key, owner, subresource, map_type);
        };
        // For a discard of a dynamic buffer, the handle's state is sufficient, which avoids reading the
        // buffer object, whose memory other threads share.
        let is_valid = map_type == MapType::WriteDiscard
            && subresource == 0
            && state.flags & ObjectFlags::DYNAMIC_BUFFER.bits() != 0
            && state.mapped == 0
            && self.core.rt.owned_maps.is_empty();
        let result = if is_valid { Ok(false) } else { self.check_map(key, state, subresource, map_type) };
        let result = result.and_then(|staging| self.enter_map(key, subresource, map_type, staging, flags));
        self.core.device.reject(MessageId::MapInvalid, result)
    }

    /// Maps a resource that could not be opened, with temporary memory if the recording is lost.
    #[cold]
    fn start_lost_map(
        &mut self,
        key: Key,
        owner: &ObjectOwner,
        subresource: u32,
        map_type: MapType,
    ) -> Result<OpenMap, Error> {
        let shared = &owner.shared;
        match shared.resource_desc() {
            Some(desc) if self.core.rt.lost && shared.is_of(&self.core.device) => {
                self.check_lost_map(desc, subresource, map_type).map_err(|e| e.about(shared.name()))?;
                let memory = Self::scratch_memory(Some(desc));
                Ok(OpenMap::new(key, subresource, map_type, memory).marked(false, true))
            }
            _ => Err(Error::InvalidArg(format!("{} cannot be used in this context", shared.name()))),
        }
    }

    /// Checks whether the map is allowed, and returns true for a staging resource.
    fn check_map(
        &self,
        key: Key,
        state: HandleState,
        subresource: u32,
        map_type: MapType,
    ) -> Result<bool, Error> {
        let Some(shared) = self.core.shared(key) else {
            return Err(Error::InvalidArg("no resource".to_owned()));
        };
        let Some(desc) = shared.resource_desc() else {
            return Err(Error::InvalidArg("no resource".to_owned()));
        };
        let about = |error: Error| error.about(shared.name());
        let place = match (self.is_deferred(), state.discarded) {
            (false, _) => MapPlace::Immediate,
            (true, 0) => MapPlace::DeferredFirst,
            (true, _) => MapPlace::DeferredDiscarded,
        };
        validate::map(desc, place, map_type, self.no_overwrite_buffers()).map_err(about)?;
        if subresource >= desc.subresources() {
            let count = desc.subresources();
            return Err(about(no_subresource(subresource, count)));
        }
        if self.core.rt.owned_maps.iter().any(|m| m.map.key == key && m.map.subresource == subresource) {
            let text =
                format!("subresource {subresource} is mapped already; unmap it before it is mapped again");
            return Err(about(Error::InvalidCall(text)));
        }
        // No guard can be alive, because a guard borrows the context, unless the application has leaked one
        // with `mem::forget`.
        let tokens = self.core.rt.owned_maps.iter().filter(|m| m.map.key == key && !m.map.scratch).count();
        if state.mapped as usize > tokens {
            let text = "it is still mapped because its guard was forgotten (`mem::forget`); drop guards";
            return Err(about(Error::InvalidCall(text.to_owned())));
        }
        Ok(desc.usage() == Usage::Staging)
    }

    /// Works like [`Self::check_map`] for a lost recording, except that the rule about a first discard is not
    /// checked, because a lost recording does not know which resources it has discarded.
    fn check_lost_map(&self, desc: &ResourceDesc, subresource: u32, map_type: MapType) -> Result<(), Error> {
        validate::map(desc, MapPlace::DeferredDiscarded, map_type, self.no_overwrite_buffers())?;
        if subresource >= desc.subresources() {
            let count = desc.subresources();
            return Err(no_subresource(subresource, count));
        }
        Ok(())
    }

    fn no_overwrite_buffers(&self) -> NoOverwriteBuffers {
        if self.core.device.version.has_constant_buffer_offsets() {
            NoOverwriteBuffers::All
        } else {
            NoOverwriteBuffers::Geometry
        }
    }

    fn enter_map(
        &mut self,
        key: Key,
        subresource: u32,
        map_type: MapType,
        staging: bool,
        flags: MapFlags,
    ) -> Result<OpenMap, Error> {
        let handle: ResourceHandle = Handle::new(key);
        let result = if staging {
            let do_not_wait = flags.contains(MapFlags::DO_NOT_WAIT);
            self.core
                .with_immediate(|f, cx| f.staging_map(cx.entry(), handle, subresource, map_type, do_not_wait))
        } else {
            self.core.with(move |f, cx| {
                f.dynamic_map(cx.entry(), handle, subresource, map_type).map_err(MapError::from)
            })
        };
        self.take_mapped(key, subresource, map_type, staging, result)
    }

    /// Creates a map from the driver's result, which is `None` if the recording is lost, because the driver
    /// is then not called.
    fn take_mapped(
        &mut self,
        key: Key,
        subresource: u32,
        map_type: MapType,
        staging: bool,
        result: Option<Result<MappedMemory, MapError>>,
    ) -> Result<OpenMap, Error> {
        let (memory, scratch) = match result {
            Some(Ok(memory)) => (memory, false),
            // Further recording has no effect, and `finish_command_list` returns the error.
            Some(Err(MapError::OutOfMemory)) if self.is_deferred() => {
                onze_ddi::CoreLayer::set_error(&mut self.core.rt, onze_ddi::ContextError::OutOfMemory);
                (Self::scratch_memory(self.core.shared(key).and_then(|s| s.resource_desc())), true)
            }
            None => (Self::scratch_memory(self.core.shared(key).and_then(|s| s.resource_desc())), true),
            Some(Err(error)) => return Err(self.core.device.driver_error(error)),
        };
        if let Some(state) = self.core.handles.runtime_mut::<HandleState>(key) {
            state.discarded |= u32::from(map_type == MapType::WriteDiscard);
            state.mapped += u32::from(!scratch);
        }
        Ok(OpenMap::new(key, subresource, map_type, memory).marked(staging, scratch))
    }

    /// Returns temporary memory for a map in a recording that is lost.
    fn scratch_memory(desc: Option<&ResourceDesc>) -> MappedMemory {
        let (size, row, slice) = dynamic_layout(desc);
        MappedMemory::new(zeroed_page(size), 0..size, 0, row, slice)
    }

    #[inline(never)]
    pub(super) fn finish_guard_map(&mut self) {
        if let Some(mut map) = self.core.guard_map.take() {
            self.finish_map(&mut map);
        }
    }

    pub(crate) fn finish_map(&mut self, map: &mut OpenMap) {
        let Some(memory) = map.memory.take() else { return };
        if map.scratch || map.staging {
            return self.finish_other_map(map, memory);
        }
        let (key, subresource, written) = (map.key, map.subresource, map.written());
        self.core
            .with(move |f, cx| f.dynamic_unmap(cx.entry(), Handle::new(key), subresource, memory, written));
        self.count_unmap(key);
    }

    /// The slow path of [`Self::finish_map`], for staging memory and lost recordings.
    #[inline(never)]
    fn finish_other_map(&mut self, map: &mut OpenMap, memory: MappedMemory) {
        if map.scratch {
            return;
        }
        let (key, subresource, written) = (map.key, map.subresource, map.written());
        self.core.with_immediate(|f, cx| {
            f.staging_unmap(cx.entry(), Handle::new(key), subresource, memory, written);
        });
        self.count_unmap(key);
    }

    #[inline]
    fn count_unmap(&mut self, key: Key) {
        if let Some(state) = self.core.handles.runtime_mut::<HandleState>(key) {
            state.mapped = state.mapped.saturating_sub(1);
        }
    }
}

/// Returns the size of a dynamic resource in bytes, its row pitch and its depth pitch, without padding.
pub(crate) fn dynamic_layout(desc: Option<&ResourceDesc>) -> (usize, u32, u32) {
    match desc {
        Some(ResourceDesc::Buffer(desc)) => (desc.byte_width as usize, desc.byte_width, desc.byte_width),
        Some(ResourceDesc::Texture(desc)) => {
            let row = desc.format.row_pitch(desc.width);
            let slice = row.saturating_mul(desc.format.rows(desc.height));
            (slice as usize * desc.depth as usize, row, slice)
        }
        None => (0, 0, 0),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use crate::{prelude::*, report::Error};

    #[test]
    fn deferred_maps_need_a_discard_before_no_overwrite() {
        let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, mut immediate) = create_device(&desc).unwrap();
        let buffer = device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        assert!(immediate.map(&buffer, 0, MapType::WriteNoOverwrite).is_ok());
        let mut deferred = device.create_deferred_context().unwrap();
        for _recording in 0..2 {
            let error = deferred.map(&buffer, 0, MapType::WriteNoOverwrite).err().unwrap();
            assert!(matches!(error, Error::DeferredContextMapWithoutInitialDiscard(_)), "{error}");
            assert!(deferred.map(&buffer, 0, MapType::WriteDiscard).is_ok());
            assert!(deferred.map(&buffer, 0, MapType::WriteNoOverwrite).is_ok());
            deferred.finish_command_list(false).unwrap();
        }
    }
}
