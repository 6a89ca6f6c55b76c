//! Maps: memory that the processor reads or writes.
//!
//! The driver gives up a page of memory while it is mapped ([`MappedMemory`]); the guard or token
//! holds it and gives it back. A guard borrows the context, so that nothing can be drawn with a mapped
//! resource.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use onze_ddi::{
    Handle, Key, MapError, MapType, MappedMemory, RecordError, ResourceDesc, ResourceHandle, Usage,
    zeroed_page,
};

use super::{
    ContextCore, DeviceContext, Table,
    mapped::{MappedSubresource, MappedSubresources},
    open_map::Map,
    runtime::ContextKind,
};
use crate::{
    device_core::{HandleState, ObjectFlags},
    objects::{Owned, Resource},
    report::{Error, MessageId},
    validate,
};

bitflags::bitflags! {
    /// How to map. D3D11: `D3D11_MAP_FLAG`, with its values.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub struct MapFlags: u32 {
        /// Answer [`Error::WasStillDrawing`] instead of waiting.
        const DO_NOT_WAIT = 0x10_0000;
    }
}

/// A map that the application holds as a token.
#[derive(Debug)]
pub(crate) struct OwnedMap {
    pub(crate) map: Map,
    dropped: Arc<AtomicBool>,
}

/// A mapped resource, for code that cannot hold a borrow. From [`DeviceContext::map_owned`].
///
/// A token that is dropped is unmapped by the context's next call.
#[derive(Debug)]
pub struct MapToken {
    key: Key,
    subresource: u32,
    dropped: Arc<AtomicBool>,
}

impl Drop for MapToken {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Release);
    }
}

impl DeviceContext {
    /// Maps a subresource; the guard dereferences to its bytes and unmaps when it is dropped.
    /// D3D11: `Map`.
    ///
    /// | resource | map types |
    /// | --- | --- |
    /// | dynamic buffer | `WriteDiscard`, `WriteNoOverwrite` |
    /// | dynamic texture | `WriteDiscard` |
    /// | staging, on an immediate context | `Read`, `Write`, `ReadWrite`, as its CPU access allows |
    ///
    /// Waits until the GPU has done what a staging resource depends on. Memory of `WriteDiscard` holds
    /// arbitrary bytes, never uninitialised ones.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for anything that the table does not have;
    /// [`Error::DeferredContextMapWithoutInitialDiscard`] for `WriteNoOverwrite` on a deferred context
    /// before a `WriteDiscard` in the same recording; [`Error::DeviceRemoved`]; [`Error::OutOfMemory`].
    pub fn map(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedSubresource<'_>, Error> {
        self.map_with_flags(resource, subresource, map_type, MapFlags::empty())
    }

    /// As [`map`](Self::map), with flags.
    ///
    /// # Errors
    /// As [`map`](Self::map); [`Error::WasStillDrawing`] with [`MapFlags::DO_NOT_WAIT`].
    pub fn map_with_flags(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<MappedSubresource<'_>, Error> {
        let key = resource.key();
        if map_type == MapType::WriteDiscard && subresource == 0 && self.start_replacing(key) {
            return Ok(MappedSubresource { context: self });
        }
        self.start_guarded(key, resource.owner(), subresource, map_type, flags)?;
        Ok(MappedSubresource { context: self })
    }

    /// Maps several subresources together; they are unmapped together. D3D11: `Map`, several times.
    ///
    /// # Errors
    /// As [`map`](Self::map), for the first that fails; then none is mapped.
    pub fn map_many<const N: usize>(
        &mut self,
        maps: [(&dyn MapTarget, u32, MapType); N],
    ) -> Result<MappedSubresources<'_>, Error> {
        // While they are collected they are owned like those of tokens, so that none is mapped twice.
        let mut markers = Vec::with_capacity(N);
        let mut failed = None;
        for (resource, subresource, map_type) in maps {
            match resource.start(self, subresource, map_type) {
                Ok(map) => markers.push(self.own_map(map)),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let started: Vec<_> = markers.iter().filter_map(|marker| self.take_owned_map(marker)).collect();
        match failed {
            None => Ok(MappedSubresources { context: self, maps: started }),
            Some(error) => {
                started.into_iter().for_each(|mut map| self.finish_map(&mut map));
                Err(error)
            }
        }
    }

    /// Keeps a map; true in what is returned says that nobody needs it any more.
    fn own_map(&mut self, map: Map) -> Arc<AtomicBool> {
        let dropped = Arc::new(AtomicBool::new(false));
        self.core.rt.owned_maps.push(OwnedMap { map, dropped: dropped.clone() });
        self.core.rt.draw.ready = false;
        dropped
    }

    fn take_owned_map(&mut self, dropped: &Arc<AtomicBool>) -> Option<Map> {
        let index = self.core.rt.owned_maps.iter().position(|m| Arc::ptr_eq(&m.dropped, dropped))?;
        Some(self.core.rt.owned_maps.swap_remove(index).map)
    }

    /// Maps a subresource and returns a token instead of a guard: use [`bytes_mut`](Self::bytes_mut) and
    /// [`unmap`](Self::unmap) with it. D3D11: `Map`.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn map_owned(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MapToken, Error> {
        let (key, owner) = (resource.key(), resource.owner());
        let map = self.start_map(key, owner, subresource, map_type, MapFlags::empty())?;
        Ok(MapToken { key: map.key, subresource, dropped: self.own_map(map) })
    }

    /// The bytes of a token's map; empty for a token of another context.
    pub fn bytes_mut(&mut self, token: &MapToken) -> &mut [u8] {
        let found = self.core.rt.owned_maps.iter_mut().find(|m| Arc::ptr_eq(&m.dropped, &token.dropped));
        match found {
            Some(owned) => {
                let len = owned.map.bytes().len();
                owned.map.range_mut(0..len).unwrap_or_default()
            }
            None => &mut [],
        }
    }

    /// Ends a token's map. D3D11: `Unmap`.
    ///
    /// A token of another context is ignored, and [`MessageId::UnmapInvalid`] is reported.
    pub fn unmap(&mut self, token: MapToken) {
        match self.take_owned_map(&token.dropped) {
            Some(mut map) => self.finish_map(&mut map),
            None => {
                let name = self.core.shared(token.key).map(|s| s.name()).unwrap_or_default();
                let subresource = token.subresource;
                let text = format_args!("subresource {subresource} of {name} is not mapped in this context");
                self.report(MessageId::UnmapInvalid, text);
            }
        }
    }

    /// Ends the maps whose tokens were dropped.
    pub(crate) fn sweep_owned_maps(&mut self) {
        while let Some(index) = self.core.rt.owned_maps.iter().position(|m| m.dropped.load(Ordering::Acquire))
        {
            let mut owned = self.core.rt.owned_maps.swap_remove(index);
            self.finish_map(&mut owned.map);
        }
    }

    pub(crate) fn is_mapped(&mut self, key: Key) -> bool {
        if !self.core.rt.owned_maps.is_empty() {
            self.sweep_owned_maps();
        }
        self.core.rt.owned_maps.iter().any(|m| m.map.key == key)
    }

    /// Starts the usual map of all: `WriteDiscard` of a small constant buffer that nothing stands against.
    /// The driver is called when it ends. False, and nothing has happened, if a closer look is needed.
    fn start_replacing(&mut self, key: Key) -> bool {
        let ContextCore { table, handles, guarded, rt, .. } = &mut self.core;
        let is_free = rt.owned_maps.is_empty() && guarded.replaced.is_none();
        let Some(state) = handles.runtime_mut::<HandleState>(key) else { return false };
        if !is_free || state.flags & ObjectFlags::REPLACED.bits() == 0 || state.mapped != 0 {
            return false;
        }
        if !table.is_fast_path(rt.slow_path) || !guarded.has_room(state.byte_width) {
            return self.start_replacing_with_care(key);
        }
        state.discarded = 1;
        guarded.replace(key, state.byte_width);
        true
    }

    /// The same where calls go into nothing, perhaps, the driver is entered by one thread only, or more memory is
    /// needed.
    #[cold]
    #[inline(never)]
    fn start_replacing_with_care(&mut self, key: Key) -> bool {
        let ContextCore { device, table, handles, guarded, rt, .. } = &mut self.core;
        // The table of a removed device answers with an error.
        if rt.lost || (matches!(table, Table::Immediate(_)) && device.removed_reason().is_some()) {
            return false;
        }
        let Some(state) = handles.runtime_mut::<HandleState>(key) else { return false };
        state.discarded = 1;
        guarded.make_room(state.byte_width);
        guarded.replace(key, state.byte_width);
        true
    }

    #[inline(never)]
    pub(super) fn finish_guarded(&mut self) {
        let Some(key) = self.core.guarded.replaced.take() else { return self.finish_lent() };
        self.core.with_guarded(move |f, cx, guarded| {
            let (offset, data) = guarded.written();
            f.dynamic_replace(cx.entry(), Handle::new(key), offset, data);
        });
    }

    /// A guard was forgotten: what it has mapped stays mapped.
    #[cold]
    fn forget_replaced(&mut self) {
        if let Some(key) = self.core.guarded.replaced.take()
            && let Some(state) = self.core.handles.runtime_mut::<HandleState>(key)
        {
            state.mapped += 1;
        }
    }

    #[inline(never)]
    fn start_guarded(
        &mut self,
        key: Key,
        owner: &Owned,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<(), Error> {
        self.core.guarded.lent = Some(self.start_map(key, owner, subresource, map_type, flags)?);
        Ok(())
    }

    fn start_map(
        &mut self,
        key: Key,
        owner: &Owned,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<Map, Error> {
        if self.core.guarded.replaced.is_some() {
            self.forget_replaced();
        }
        if map_type == MapType::WriteDiscard
            && subresource == 0
            && let Some(result) = self.discard_buffer(key)
        {
            return result;
        }
        self.start_any_map(key, owner, subresource, map_type, flags)
    }

    /// The usual case: `WriteDiscard` of a dynamic buffer that nothing stands against. It looks at this
    /// context's own data of the buffer, and at nothing else. `None`, and nothing has happened, if a closer
    /// look is needed.
    fn discard_buffer(&mut self, key: Key) -> Option<Result<Map, Error>> {
        if !self.core.rt.owned_maps.is_empty() || self.core.rt.lost {
            return None;
        }
        let state = self.core.handles.runtime_mut::<HandleState>(key)?;
        if state.flags & ObjectFlags::DYNAMIC_BUFFER.bits() == 0 || state.mapped != 0 {
            return None;
        }
        let had_discarded = std::mem::replace(&mut state.discarded, 1);
        state.mapped = 1;
        let map_type = MapType::WriteDiscard;
        match self.core.with(move |f, cx| f.dynamic_map(cx.entry(), Handle::new(key), 0, map_type)) {
            Some(Ok(memory)) => Some(Ok(Map::new(key, 0, map_type, memory))),
            failed => Some(self.discard_failed(key, had_discarded, failed)),
        }
    }

    #[cold]
    fn discard_failed(
        &mut self,
        key: Key,
        had_discarded: u32,
        result: Option<Result<MappedMemory, RecordError>>,
    ) -> Result<Map, Error> {
        if let Some(state) = self.core.handles.runtime_mut::<HandleState>(key) {
            (state.discarded, state.mapped) = (had_discarded, 0);
        }
        let result = result.map(|result| result.map_err(MapError::from));
        let result = self.take_mapped(key, 0, MapType::WriteDiscard, false, result);
        if let Err(error) = &result {
            self.report(MessageId::MapInvalid, error);
        }
        result
    }

    fn start_any_map(
        &mut self,
        key: Key,
        owner: &Owned,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<Map, Error> {
        if !self.core.rt.owned_maps.is_empty() {
            self.sweep_owned_maps();
        }
        let Some(state) = self.handle_state_of(key, owner) else {
            let shared = &owner.shared;
            return match shared.resource_desc() {
                // The recording was lost before it used the resource; it goes on into nothing.
                Some(desc) if self.core.rt.lost && shared.is_of(&self.core.device) => {
                    self.check_lost_map(desc, subresource, map_type).map_err(|e| e.about(shared.name()))?;
                    let memory = Self::scratch_memory(Some(desc));
                    Ok(Map::new(key, subresource, map_type, memory).marked(false, true))
                }
                _ => Err(Error::InvalidArg(format!("{} cannot be used in this context", shared.name()))),
            };
        };
        let result = self.check_map(key, state, subresource, map_type);
        let result = result.and_then(|staging| self.enter_map(key, subresource, map_type, staging, flags));
        if let Err(error) = &result {
            self.report(MessageId::MapInvalid, error);
        }
        result
    }

    /// Whether the map is allowed; true for a staging resource.
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
        let deferred = self.is_deferred();
        let offsets = self.core.device.version.has_constant_buffer_offsets();
        validate::map(desc, deferred, map_type, state.discarded != 0, offsets).map_err(about)?;
        if subresource >= desc.subresources() {
            let count = desc.subresources();
            return Err(about(Error::InvalidArg(format!("subresource {subresource} is not below {count}"))));
        }
        if self.core.rt.owned_maps.iter().any(|m| m.map.key == key && m.map.subresource == subresource) {
            return Err(about(Error::InvalidCall(format!("subresource {subresource} is mapped already"))));
        }
        // No guard can be alive while the context is borrowed here, but one may have been forgotten.
        let tokens = self.core.rt.owned_maps.iter().filter(|m| m.map.key == key && !m.map.scratch).count();
        if state.mapped as usize > tokens {
            return Err(about(Error::InvalidCall("a guard of it was forgotten, so it is mapped".to_owned())));
        }
        Ok(desc.usage() == Usage::Staging)
    }

    /// What is invalid stays invalid when the recording is lost. Whether it has discarded is not known
    /// any more, so that does not count.
    fn check_lost_map(&self, desc: &ResourceDesc, subresource: u32, map_type: MapType) -> Result<(), Error> {
        validate::map(desc, true, map_type, true, self.core.device.version.has_constant_buffer_offsets())?;
        if subresource >= desc.subresources() {
            let count = desc.subresources();
            return Err(Error::InvalidArg(format!("subresource {subresource} is not below {count}")));
        }
        Ok(())
    }

    fn enter_map(
        &mut self,
        key: Key,
        subresource: u32,
        map_type: MapType,
        staging: bool,
        flags: MapFlags,
    ) -> Result<Map, Error> {
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

    /// Makes a map of what the driver has answered; `None` if it was not asked, as the recording is lost.
    fn take_mapped(
        &mut self,
        key: Key,
        subresource: u32,
        map_type: MapType,
        staging: bool,
        result: Option<Result<MappedMemory, MapError>>,
    ) -> Result<Map, Error> {
        let (memory, scratch) = match result {
            Some(Ok(memory)) => (memory, false),
            // The application goes on recording into nothing; finish_command_list says so.
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
        Ok(Map::new(key, subresource, map_type, memory).marked(staging, scratch))
    }

    /// Memory for a recording that is lost.
    fn scratch_memory(desc: Option<&ResourceDesc>) -> MappedMemory {
        let (size, row) = match desc {
            Some(ResourceDesc::Buffer(d)) => (d.byte_width, d.byte_width),
            Some(ResourceDesc::Texture2d(d)) => {
                let row = d.format.row_pitch(d.width);
                (row * d.format.rows(d.height), row)
            }
            _ => (0, 0),
        };
        MappedMemory::new(zeroed_page(size as usize), 0..size as usize, 0, row, size)
    }

    #[inline(never)]
    fn finish_lent(&mut self) {
        if let Some(mut map) = self.core.guarded.lent.take() {
            self.finish_map(&mut map);
        }
    }

    pub(crate) fn finish_map(&mut self, map: &mut Map) {
        let Some(memory) = map.memory.take() else { return };
        if map.scratch || map.staging {
            return self.finish_other_map(map, memory);
        }
        let (key, subresource, written) = (map.key, map.subresource, map.written());
        self.core
            .with(move |f, cx| f.dynamic_unmap(cx.entry(), Handle::new(key), subresource, memory, written));
        self.count_unmap(key);
    }

    #[inline(never)]
    fn finish_other_map(&mut self, map: &mut Map, memory: MappedMemory) {
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

    /// Ends all maps that tokens hold: a list may not end with a map.
    pub(crate) fn finish_all_maps(&mut self) {
        // One by one: what is still mapped must not be destroyed while another map ends.
        while let Some(mut owned) = self.core.rt.owned_maps.pop() {
            self.finish_map(&mut owned.map);
        }
        debug_assert!(matches!(
            self.core.rt.kind,
            ContextKind::Deferred { .. } | ContextKind::Immediate { .. }
        ));
    }
}

/// What [`DeviceContext::map_many`] takes: any [`Resource`].
pub trait MapTarget {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "only resources implement it")]
    fn start(&self, context: &mut DeviceContext, subresource: u32, map_type: MapType) -> Result<Map, Error>;
}

#[allow(private_interfaces, reason = "only resources implement it")]
impl<T: Resource> MapTarget for T {
    fn start(&self, context: &mut DeviceContext, subresource: u32, map_type: MapType) -> Result<Map, Error> {
        context.start_map(self.key(), self.owner(), subresource, map_type, MapFlags::empty())
    }
}
