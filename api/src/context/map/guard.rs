//! Guards: they borrow the context while a resource is mapped, and unmap when they are dropped.

use std::ops::{Deref, DerefMut, Range};

use bytemuck::{NoUninit, Pod};
use onze_ddi::MappedMemory;

use super::Map;
use crate::{context::DeviceContext, report::MessageId};

/// The bytes of a mapped subresource. D3D11: `D3D11_MAPPED_SUBRESOURCE`.
///
/// Dereferences to `[u8]`, aligned to 16 bytes. Borrowing all bytes mutably counts all of them as
/// written; [`write`](Self::write) and [`slice_mut`](Self::slice_mut) count only what they touch, so
/// that a large buffer mapped with `WriteNoOverwrite` uploads little. Unmaps when it is dropped.
#[derive(Debug)]
pub struct MappedSubresource<'a> {
    /// Keeps the map, so that the guard is one reference: [`ContextCore`](crate::context::ContextCore).
    pub(super) context: &'a mut DeviceContext,
}

impl MappedSubresource<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        let core = &self.context.core;
        if core.replacement.is_open() {
            core.replacement.contents()
        } else {
            core.guard_map.as_ref().map_or(&[], Map::bytes)
        }
    }

    /// A range that the caller overwrites whole.
    #[inline]
    fn overwrite(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        let core = &mut self.context.core;
        if core.replacement.is_open() {
            core.replacement.overwrite(range)
        } else {
            core.guard_map.as_mut()?.range_mut(range)
        }
    }

    #[inline]
    fn range_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        let core = &mut self.context.core;
        if core.replacement.is_open() {
            core.replacement.contents_mut(range)
        } else {
            core.guard_map.as_mut()?.range_mut(range)
        }
    }

    /// The pitch of memory that was lent, or the size of a buffer.
    fn pitch(&self, of: fn(&MappedMemory) -> u32) -> u32 {
        let core = &self.context.core;
        if core.replacement.is_open() {
            core.replacement.len()
        } else {
            core.guard_map.as_ref().and_then(|map| map.memory.as_ref()).map_or(0, of)
        }
    }

    /// Bytes from one row (of blocks) to the next; for buffers their size. D3D11: `RowPitch`.
    pub fn row_pitch(&self) -> u32 {
        self.pitch(|memory| memory.row_pitch)
    }

    /// Bytes of the whole subresource; for buffers their size. D3D11: `DepthPitch`.
    pub fn depth_pitch(&self) -> u32 {
        self.pitch(|memory| memory.depth_pitch)
    }

    /// Writes a value at an offset in bytes.
    ///
    /// What does not fit is not written, and [`MessageId::MapInvalid`] is reported.
    #[inline]
    pub fn write<T: NoUninit>(&mut self, offset: usize, value: &T) {
        self.write_slice(offset, std::slice::from_ref(value));
    }

    /// Writes values at an offset in bytes, as [`write`](Self::write).
    #[inline]
    pub fn write_slice<T: NoUninit>(&mut self, offset: usize, values: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let end = offset.saturating_add(bytes.len());
        match self.overwrite(offset..end) {
            Some(target) if target.len() == bytes.len() => target.copy_from_slice(bytes),
            _ => self.does_not_fit(offset..end),
        }
    }

    #[cold]
    #[inline(never)]
    fn does_not_fit(&self, range: Range<usize>) {
        let len = self.bytes().len();
        self.context.report(
            MessageId::MapInvalid,
            format_args!("bytes {range:?} are not within the {len} mapped ones; nothing was written"),
        );
    }

    /// A range of the bytes, to write to; empty when it is not within the mapped bytes.
    pub fn slice_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        self.range_mut(range).unwrap_or_default()
    }

    /// The bytes as values, as many as fit.
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        let bytes = self.bytes();
        let whole = bytes.len() - bytes.len() % size_of::<T>().max(1);
        bytemuck::try_cast_slice(&bytes[..whole]).unwrap_or_default()
    }

    /// The bytes as values to write to, as many as fit.
    pub fn as_mut_slice<T: Pod>(&mut self) -> &mut [T] {
        let len = self.bytes().len();
        let whole = len - len % size_of::<T>().max(1);
        let bytes = self.range_mut(0..whole).unwrap_or_default();
        bytemuck::try_cast_slice_mut(bytes).unwrap_or_default()
    }
}

impl Deref for MappedSubresource<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl DerefMut for MappedSubresource<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        let len = self.bytes().len();
        self.range_mut(0..len).unwrap_or_default()
    }
}

impl Drop for MappedSubresource<'_> {
    #[inline]
    fn drop(&mut self) {
        self.context.finish_guard();
    }
}

/// Several mapped subresources, in the order that they were given to [`DeviceContext::map_many`].
#[derive(Debug)]
pub struct MappedSubresources<'a> {
    pub(super) context: &'a mut DeviceContext,
    pub(super) maps: Vec<Map>,
}

impl MappedSubresources<'_> {
    /// The bytes of one; empty when there is none of that index.
    pub fn bytes(&self, index: usize) -> &[u8] {
        self.maps.get(index).map_or(&[], Map::bytes)
    }

    /// The bytes of one, to write to.
    pub fn bytes_mut(&mut self, index: usize) -> &mut [u8] {
        match self.maps.get_mut(index) {
            Some(map) => {
                let len = map.bytes().len();
                map.range_mut(0..len).unwrap_or_default()
            }
            None => &mut [],
        }
    }

    /// Bytes from one row (of blocks) of one to the next; for buffers their size.
    pub fn row_pitch(&self, index: usize) -> u32 {
        self.maps.get(index).and_then(|m| m.memory.as_ref()).map_or(0, |m| m.row_pitch)
    }

    /// How many are mapped.
    pub fn len(&self) -> usize {
        self.maps.len()
    }

    /// Whether none is mapped.
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }
}

impl Drop for MappedSubresources<'_> {
    fn drop(&mut self) {
        for map in &mut self.maps {
            self.context.finish_map(map);
        }
    }
}
