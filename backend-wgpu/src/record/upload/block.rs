//! One upload block: its storage, its CPU bytes, and the ranges that are not uploaded yet.

pub(crate) use crate::services::sizes::MOST_APART;
use crate::services::sizes::NEAR_BYTES;

use std::{ops::Range, sync::Arc};

use onze_ddi::{MapPage, upload_page::slice_alignment};

use crate::{
    objects::allocator::Storage,
    record::{
        command::ObjectIndex,
        object_table::{ObjectTable, PageObject},
    },
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferWrite<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// Offset in the buffer, a multiple of 4 like the size.
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
}

/// The empty range, which joined with another range yields that range.
#[allow(clippy::reversed_empty_ranges, reason = "joining it with a range yields that range")]
pub(super) const NOTHING: Range<u32> = u32::MAX..0;

/// CPU memory paired with a wgpu buffer of the same size, to which each submission copies the memory's
/// written ranges.
#[derive(Debug)]
pub(crate) struct UploadBlock {
    pub(super) storage: Arc<Storage>,
    pub(super) size: u32,
    /// The CPU side, or `None` while it is lent.
    pub(super) bytes: Option<MapPage>,
    /// Range that was written since the last upload, except slices that were cut together with their
    /// contents.
    pub(super) dirty: Range<u32>,
    /// Further written ranges that are far from `dirty`, none if `dirty` is empty.
    pub(super) apart: Vec<Range<u32>>,
    /// Number of bytes that slices have been cut from, or the whole size for a block with one owner.
    pub(super) used: u32,
    /// Number of the used bytes that are uploaded or marked as dirty.
    pub(super) sent: u32,
    /// Offset from which all bytes of the block are zero, so that they need no clearing.
    pub(super) zero_from: u32,
    /// Number of the context's identities in this block, which is not reused until the number is 0.
    pub(super) identities: u32,
    /// Whether all of the wgpu buffer is defined, so that wgpu need not clear the buffer when it is bound.
    pub(super) defined: bool,
    pub(super) free: bool,
    pub(super) free_since: u64,
    pub(super) serial: u32,
    pub(super) object: ObjectIndex,
}

impl UploadBlock {
    /// Index of the block in an object table, entered there by the first use.
    #[inline]
    pub(crate) fn object(&mut self, objects: &mut ObjectTable, serial: u32) -> ObjectIndex {
        if self.serial != serial {
            self.serial = serial;
            self.object = objects.enter(PageObject::Buffer(self.storage.clone()));
        }
        self.object
    }

    #[inline]
    pub(super) fn mark(&mut self, range: Range<u32>) {
        self.dirty = self.dirty.start.min(range.start)..self.dirty.end.max(range.end);
        self.zero_from = self.zero_from.max(range.end);
    }

    /// The ranges that were written since the last upload.
    pub(super) fn unsent(&self) -> impl Iterator<Item = Range<u32>> {
        let last = if self.sent < self.used {
            self.dirty.start.min(self.sent)..self.dirty.end.max(self.used)
        } else {
            self.dirty.clone()
        };
        self.apart.iter().cloned().chain([last]).filter(|range| !range.is_empty())
    }

    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.sent >= self.used
    }

    /// Marks a written range, which may be far from previously written ranges.
    pub(super) fn mark_apart(&mut self, range: Range<u32>) {
        let is_near = |other: &Range<u32>| {
            range.start <= other.end.saturating_add(NEAR_BYTES)
                && other.start <= range.end.saturating_add(NEAR_BYTES)
        };
        if !self.dirty.is_empty() && !is_near(&self.dirty) {
            let has_room = self.apart.len() < MOST_APART;
            match self.apart.iter_mut().find(|other| is_near(other)) {
                Some(other) => std::mem::swap(other, &mut self.dirty),
                None if has_room => self.apart.push(std::mem::replace(&mut self.dirty, NOTHING)),
                None => {}
            }
        }
        self.mark(range);
    }

    pub(super) fn clean(&mut self) {
        (self.dirty, self.sent) = (NOTHING, self.used);
        self.apart.clear();
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref().map(bytemuck::cast_slice)
    }

    pub(super) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        self.bytes.as_deref_mut().map(bytemuck::cast_slice_mut)
    }

    /// Passes each range that is not uploaded yet to `write`, and returns the number of bytes.
    pub(super) fn upload(&self, write: &mut impl FnMut(BufferWrite<'_>)) -> u64 {
        let Some(bytes) = self.bytes() else {
            return 0;
        };
        let mut sent = 0;
        for range in self.unsent() {
            let range = self.whole_words(&range);
            let written = bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
            if !written.is_empty() {
                let (buffer, offset) = (&self.storage.buffer, range.start.into());
                write(BufferWrite { buffer, offset, bytes: written });
            }
            sent += written.len() as u64;
        }
        sent
    }

    /// Extends a range to whole words of 4 bytes, because wgpu's copies require this.
    pub(super) fn whole_words(&self, range: &Range<u32>) -> Range<u32> {
        let align = wgpu::COPY_BUFFER_ALIGNMENT as u32;
        range.start & !(align - 1)..range.end.next_multiple_of(align).min(self.size)
    }

    /// Returns the offset of the next slice of `room` bytes, or `None` if the block lacks room.
    #[inline]
    pub(super) fn next_slice(&self, room: u32) -> Option<u32> {
        let align = slice_alignment(room);
        let offset = self.used.wrapping_add(align - 1) & !(align - 1);
        (u64::from(offset) + u64::from(room) <= self.size.into()).then_some(offset)
    }

    /// Cuts off `room` bytes that contain `data` followed by zeros, and returns their offset, or returns
    /// `None` without any effect if the block lacks room.
    #[inline(always)]
    pub(super) fn cut(&mut self, room: u32, data: &[u8]) -> Option<u32> {
        let offset = self.next_slice(room)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.bytes.as_deref_mut()?);
        let slice = bytes.get_mut(offset as usize..)?.get_mut(..room as usize)?;
        let (start, rest) = slice.split_at_mut_checked(data.len())?;
        start.copy_from_slice(data);
        rest.fill(0);
        self.used = offset + room;
        Some(offset)
    }
}
