//! One upload page: its storage, its CPU bytes, and the ranges that are not uploaded yet.

pub(crate) use crate::services::sizes::MOST_APART;
use crate::services::sizes::NEAR_BYTES;

use std::{ops::Range, sync::Arc};

use onze_ddi::MapPage;

use crate::{
    objects::allocator::Storage,
    record::{
        command::ObjectIndex,
        object_table::{ObjectTable, PageObject},
    },
};

/// Slices start at multiples of this: what constant buffers may be bound at, and rows of texels.
pub(crate) const SLICE_ALIGNMENT: u32 = 256;

/// Bytes on their way to a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// Where in the buffer; it and the size are multiples of 4.
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
    /// Of each [`SLICE_ALIGNMENT`] bytes, those from here on are zero.
    pub(crate) written_to: u32,
}

/// The empty range that any other can be added to.
#[allow(clippy::reversed_empty_ranges, reason = "whatever it is joined with is all of the result")]
pub(super) const NOTHING: Range<u32> = u32::MAX..0;

/// CPU memory and a wgpu buffer of the same size.
#[derive(Debug)]
pub(crate) struct UploadPage {
    pub(super) storage: Arc<Storage>,
    /// Bytes.
    pub(super) size: u32,
    /// The CPU side; `None` while it is on loan.
    pub(super) bytes: Option<MapPage>,
    /// What was written since the last upload, but for slices that were cut with their contents.
    pub(super) dirty: Range<u32>,
    /// The same, far from that; empty if `dirty` is.
    pub(super) apart: Vec<Range<u32>>,
    /// Bytes that slices were cut from; all of a page that has one owner.
    pub(super) used: u32,
    /// How much of that is uploaded, or dirty.
    pub(super) sent: u32,
    /// From here on all bytes are zero.
    pub(super) zero_from: u32,
    /// Of each [`SLICE_ALIGNMENT`] bytes, those from here on are zero.
    pub(super) written_to: u32,
    /// Identities of the context that lie in it.
    pub(super) identities: u32,
    /// All of the wgpu buffer is defined, so that wgpu need not clear it at a bind.
    pub(super) defined: bool,
    pub(super) free: bool,
    pub(super) free_since: u64,
    /// The object table in which `object` is valid.
    pub(super) serial: u32,
    pub(super) object: ObjectIndex,
}

impl UploadPage {
    /// The page as an object of a table, entered at its first use there.
    #[inline]
    pub(super) fn object(&mut self, objects: &mut ObjectTable, serial: u32) -> ObjectIndex {
        if self.serial != serial {
            self.serial = serial;
            self.object = objects.enter(PageObject::Buffer(self.storage.clone()));
        }
        self.object
    }

    /// Notes what is written.
    #[inline]
    pub(super) fn mark(&mut self, range: Range<u32>) {
        self.dirty = self.dirty.start.min(range.start)..self.dirty.end.max(range.end);
        self.zero_from = self.zero_from.max(range.end);
        self.written_to = SLICE_ALIGNMENT;
    }

    /// What was written since the last upload.
    pub(super) fn unsent(&self) -> impl Iterator<Item = Range<u32>> {
        let last = if self.sent < self.used {
            self.dirty.start.min(self.sent)..self.dirty.end.max(self.used)
        } else {
            self.dirty.clone()
        };
        self.apart.iter().cloned().chain([last]).filter(|range| !range.is_empty())
    }

    /// Whether there is nothing to upload.
    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.sent >= self.used
    }

    /// Notes what is written, which may be far from what was written before.
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

    /// Notes that all was uploaded, or is on its way.
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

    /// Hands out what was written since the last time, and says how many bytes that were.
    pub(super) fn upload(&self, write: &mut impl FnMut(Written<'_>)) -> u64 {
        let Some(bytes) = self.bytes() else {
            return 0;
        };
        let mut sent = 0;
        for range in self.unsent() {
            let range = self.whole_words(&range);
            let written = bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
            if !written.is_empty() {
                let is_aligned = range.start.is_multiple_of(SLICE_ALIGNMENT);
                let written_to = if is_aligned { self.written_to } else { SLICE_ALIGNMENT };
                let (buffer, offset) = (&self.storage.buffer, range.start.into());
                write(Written { buffer, offset, bytes: written, written_to });
            }
            sent += written.len() as u64;
        }
        sent
    }

    /// The range with the rest of its first and last word.
    pub(super) fn whole_words(&self, range: &Range<u32>) -> Range<u32> {
        let align = wgpu::COPY_BUFFER_ALIGNMENT as u32;
        range.start & !(align - 1)..range.end.next_multiple_of(align).min(self.size)
    }

    /// Cuts off `room` bytes that have `data` from `at` on, and zeros elsewhere, and says where. `None`, and nothing
    /// has happened, if there is no room.
    #[inline(always)]
    pub(super) fn cut(&mut self, room: u32, at: u32, data: &[u8]) -> Option<u32> {
        let offset = self.used;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.bytes.as_deref_mut()?);
        let slice = bytes.get_mut(offset as usize..offset as usize + room as usize)?;
        let (at, end) = (at as usize, at as usize + data.len());
        slice.get_mut(at..end)?.copy_from_slice(data);
        // As a rule all slices are written alike, and so there is nothing else in any of them.
        if at != 0 || end != self.written_to as usize || room != SLICE_ALIGNMENT {
            zero_around(slice, at..end, &mut self.written_to);
        }
        self.used = offset + room;
        Some(offset)
    }
}

/// Zeroes a slice but for a range of it, as far as it may be written at all: see [`UploadPage::written_to`].
#[inline(never)]
fn zero_around(slice: &mut [u8], kept: Range<usize>, written_to: &mut u32) {
    let is_unit = slice.len() == SLICE_ALIGNMENT as usize;
    let may_be_written = if is_unit { *written_to as usize } else { slice.len() };
    if let Some(before) = slice.get_mut(..kept.start.min(may_be_written)) {
        before.fill(0);
    }
    if let Some(behind) = slice.get_mut(kept.end..may_be_written) {
        behind.fill(0);
    }
    *written_to = (*written_to).max(if is_unit { kept.end as u32 } else { SLICE_ALIGNMENT });
}
