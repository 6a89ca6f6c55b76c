//! Maps, which give the CPU access to the contents of resources.
//!
//! There are two paths: a `Map` with `WRITE_DISCARD` takes either of them, and every other map takes the
//! general path.
//!
//! 1. **Replacement** ([`replacement`]) is the fast path, for guards of small dynamic buffers that are used
//!    only as constant buffers or only through shader-resource views. The application writes to the context's
//!    upload page, and the driver's next entry takes the new contents.
//! 2. **The general path** ([`general`]): the driver lends an upload block
//!    ([`MappedMemory`](onze_ddi::MappedMemory)), and the unmap returns the block.
//!
//! The application receives a map as a [guard](guard) or as a [token](MapToken). A guard borrows the context,
//! so that nothing can be drawn with the mapped resource. A token does not borrow the context, so the context
//! stores the map.

mod general;
mod guard;
mod open_map;
mod replacement;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use onze_ddi::{Key, MapType};

pub(crate) use self::general::dynamic_layout;
pub use self::guard::{MappedSubresource, MappedSubresources};
pub(super) use self::{
    open_map::{OpenMap, OwnedMap},
    replacement::Replacement,
};

use super::DeviceContext;
use crate::{
    objects::Resource,
    report::{Error, MessageId},
};

bitflags::bitflags! {
    /// Options for a map (D3D11: `D3D11_MAP_FLAG`, with its values).
    #[doc(alias = "D3D11_MAP_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub struct MapFlags: u32 {
        /// Makes a map fail with [`Error::WasStillDrawing`] instead of waiting. In a browser, where calls
        /// cannot block, every map behaves this way.
        const DO_NOT_WAIT = 0x10_0000;
    }
}

/// A map that does not borrow the context, created by [`DeviceContext::map_owned`].
///
/// If a token is dropped, a later call of the context unmaps its resource.
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
    /// Maps a subresource and returns a guard that dereferences to the bytes and unmaps the subresource when
    /// it is dropped (D3D11: `Map`).
    ///
    /// | resource | map types |
    /// | --- | --- |
    /// | dynamic buffer | `WriteDiscard`, `WriteNoOverwrite` |
    /// | dynamic texture | `WriteDiscard` |
    /// | staging, on an immediate context | `Read`, `Write`, `ReadWrite`, as its CPU access allows |
    ///
    /// For a staging resource, the call waits until the GPU has finished the commands that use it. With
    /// `WriteDiscard`, the memory initially contains zeros or older data, but never uninitialised bytes.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for combinations that are not in the table;
    /// [`Error::DeferredContextMapWithoutInitialDiscard`] for `WriteNoOverwrite` on a deferred context before
    /// a `WriteDiscard` in the same recording; [`Error::DeviceRemoved`] if the device was removed;
    /// [`Error::OutOfMemory`] if there is not enough memory.
    #[doc(alias = "Map")]
    pub fn map(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedSubresource<'_>, Error> {
        self.map_with_flags(resource, subresource, map_type, MapFlags::empty())
    }

    /// Works like [`map`](Self::map), but accepts flags (D3D11: `Map`).
    ///
    /// # Errors
    /// Returns the same errors as [`map`](Self::map), and [`Error::WasStillDrawing`] if the call would have
    /// to wait and the flags contain [`MapFlags::DO_NOT_WAIT`].
    #[doc(alias = "Map")]
    pub fn map_with_flags(
        &mut self,
        resource: &impl Resource,
        subresource: u32,
        map_type: MapType,
        flags: MapFlags,
    ) -> Result<MappedSubresource<'_>, Error> {
        let key = resource.key();
        if map_type == MapType::WriteDiscard && subresource == 0 && self.begin_replacement(key) {
            return Ok(MappedSubresource { context: self });
        }
        self.start_guard(key, resource.owner(), subresource, map_type, flags)?;
        Ok(MappedSubresource { context: self })
    }

    /// Maps several subresources together, with one guard that unmaps them together (D3D11: `Map`, several
    /// times).
    ///
    /// # Errors
    /// Returns the error of [`map`](Self::map) for the first subresource that cannot be mapped, in which case
    /// nothing is mapped.
    #[doc(alias = "Map")]
    pub fn map_many<const N: usize>(
        &mut self,
        maps: [(&dyn MapTarget, u32, MapType); N],
    ) -> Result<MappedSubresources<'_>, Error> {
        // Until all maps have started, they are stored like the maps of tokens, so that no subresource is mapped twice.
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

    /// Stores a token's map, and returns the flag that the token sets when it is dropped.
    fn own_map(&mut self, map: OpenMap) -> Arc<AtomicBool> {
        let dropped = Arc::new(AtomicBool::new(false));
        self.core.rt.owned_maps.push(OwnedMap { map, dropped: dropped.clone() });
        self.core.rt.draw.leave_fast_path();
        dropped
    }

    fn take_owned_map(&mut self, dropped: &Arc<AtomicBool>) -> Option<OpenMap> {
        let index = self.core.rt.owned_maps.iter().position(|m| Arc::ptr_eq(&m.dropped, dropped))?;
        Some(self.core.rt.owned_maps.swap_remove(index).map)
    }

    /// Maps a subresource and returns a token instead of a guard, to be passed to
    /// [`bytes_mut`](Self::bytes_mut) and [`unmap`](Self::unmap) (D3D11: `Map`).
    ///
    /// # Errors
    /// Returns the same errors as [`map`](Self::map).
    #[doc(alias = "Map")]
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

    /// Returns the bytes of a token's map, or an empty slice for a token of another context
    /// ([`MessageId::UnmapInvalid`]).
    ///
    /// Also use this method to read the bytes of a map with [`MapType::Read`](crate::MapType::Read).
    pub fn bytes_mut(&mut self, token: &MapToken) -> &mut [u8] {
        let maps = &self.core.rt.owned_maps;
        let Some(index) = maps.iter().position(|m| Arc::ptr_eq(&m.dropped, &token.dropped)) else {
            self.report_token("bytes_mut", token);
            return &mut [];
        };
        let map = &mut self.core.rt.owned_maps[index].map;
        let len = map.bytes().len();
        map.range_mut(0..len).unwrap_or_default()
    }

    #[cold]
    fn report_token(&self, call: &str, token: &MapToken) {
        let name = self.core.shared(token.key).map_or("a resource".to_owned(), |shared| shared.name());
        let text = format_args!(
            "`{call}` was given that of subresource {} of {name}, which is not mapped here; use a token with the context \
             that mapped",
            token.subresource
        );
        self.report_about(MessageId::UnmapInvalid, token.key, text);
    }

    /// Ends a token's map, so that later commands see the written bytes (D3D11: `Unmap`).
    ///
    /// A token of another context is ignored and reported as [`MessageId::UnmapInvalid`].
    #[doc(alias = "Unmap")]
    pub fn unmap(&mut self, token: MapToken) {
        match self.take_owned_map(&token.dropped) {
            Some(mut map) => self.finish_map(&mut map),
            None => self.report_token("unmap", &token),
        }
    }

    /// Ends the maps whose tokens the application has dropped without calling [`unmap`](Self::unmap).
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

    /// Ends the maps of all tokens, because a recording must not end while resources are mapped.
    pub(crate) fn finish_all_maps(&mut self) {
        // Removes one map at a time, so that the other resources still count as mapped and are not destroyed.
        while let Some(mut owned) = self.core.rt.owned_maps.pop() {
            self.finish_map(&mut owned.map);
        }
    }
}

/// A resource that can be passed to [`DeviceContext::map_many`], as every [`Resource`] can.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be mapped",
    label = "expected a buffer or a texture, such as a `Buffer` or a `Texture2d`",
    note = "the resource of a view is `view.texture_2d()` or `view.buffer()`"
)]
pub trait MapTarget {
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "only resources implement it")]
    fn start(
        &self,
        context: &mut DeviceContext,
        subresource: u32,
        map_type: MapType,
    ) -> Result<OpenMap, Error>;
}

#[allow(private_interfaces, reason = "only resources implement it")]
impl<T: Resource> MapTarget for T {
    fn start(
        &self,
        context: &mut DeviceContext,
        subresource: u32,
        map_type: MapType,
    ) -> Result<OpenMap, Error> {
        context.start_map(self.key(), self.owner(), subresource, map_type, MapFlags::empty())
    }
}
