//! One upload page.

use std::{ops::Range, sync::Arc};

use onze_ddi::MapPage;

use crate::{
    command::ObjectIndex,
    identity::Storage,
    page::{Page, PageObject},
};

use super::SLICE_ALIGNMENT;

/// The empty range that any other can be added to.
#[allow(clippy::reversed_empty_ranges, reason = "whatever it is joined with is all of the result")]
pub(super) const NOTHING: Range<u32> = u32::MAX..0;

/// Bytes between two ranges below which they are uploaded as one, with what is between.
const NEAR: u32 = 1024;

/// Ranges of a page that are uploaded apart, besides the one that was written last. With more, all between the last
/// two is uploaded.
pub(super) const MOST_APART: usize = 15;

/// CPU memory and a wgpu buffer of the same size.
#[derive(Debug)]
pub(crate) struct UploadPage {
    pub(super) storage: Arc<Storage>,
    /// Bytes.
    pub(super) size: u32,
    /// The CPU side; `None` while it is on loan.
    pub(super) bytes: Option<MapPage>,
    /// What was written since the last upload.
    pub(super) dirty: Range<u32>,
    /// The same, far from that; empty if `dirty` is.
    pub(super) apart: Vec<Range<u32>>,
    /// Bytes that slices were cut from; all of a page that has one owner.
    pub(super) used: u32,
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
    /// The page of commands in which `object` is valid.
    pub(super) serial: u32,
    pub(super) object: ObjectIndex,
}

impl UploadPage {
    /// The page as an object of a page of commands, entered at its first use there.
    #[inline]
    pub(super) fn object(&mut self, commands: &mut Page, serial: u32) -> ObjectIndex {
        if self.serial != serial {
            self.serial = serial;
            self.object = commands.objects.len() as ObjectIndex;
            commands.objects.push(PageObject::Buffer(self.storage.clone()));
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

    /// Notes what is written, which may be far from what was written before.
    pub(super) fn mark_apart(&mut self, range: Range<u32>) {
        let is_near = |other: &Range<u32>| {
            range.start <= other.end.saturating_add(NEAR) && other.start <= range.end.saturating_add(NEAR)
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

    /// Notes that all was uploaded.
    pub(super) fn clean(&mut self) {
        self.dirty = NOTHING;
        self.apart.clear();
    }

    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref().map(bytemuck::cast_slice)
    }

    pub(super) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        self.bytes.as_deref_mut().map(bytemuck::cast_slice_mut)
    }

    /// Hands out what was written since the last time, and says how many bytes that were.
    pub(super) fn upload(&self, write: &mut impl FnMut(&wgpu::Buffer, u64, &[u8])) -> u64 {
        let Some(bytes) = self.bytes() else {
            return 0;
        };
        let mut sent = 0;
        for range in self.apart.iter().chain([&self.dirty]) {
            let range = self.whole_words(range);
            let written = bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
            if !written.is_empty() {
                write(&self.storage.buffer, range.start.into(), written);
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

    /// Cuts off `room` bytes that have `data` from `at` on, and zeros elsewhere, and says where. There is room.
    #[inline(always)]
    pub(super) fn cut(&mut self, room: u32, at: u32, data: &[u8]) -> Option<u32> {
        let offset = self.used;
        let slice: &mut [u8] = bytemuck::cast_slice_mut(self.bytes.as_deref_mut()?);
        let slice = slice.get_mut(offset as usize..(offset + room) as usize)?;
        let (at, end) = (at as usize, at as usize + data.len());
        slice.get_mut(at..end)?.copy_from_slice(data);
        let may_be_written = if room == SLICE_ALIGNMENT { self.written_to as usize } else { slice.len() };
        if at != 0 {
            slice.get_mut(..at.min(may_be_written))?.fill(0);
        }
        if end < may_be_written {
            slice.get_mut(end..may_be_written)?.fill(0);
        }
        let written_to = if room == SLICE_ALIGNMENT { end as u32 } else { SLICE_ALIGNMENT };
        self.written_to = self.written_to.max(written_to);
        self.used += room;
        self.dirty.start = self.dirty.start.min(offset);
        self.dirty.end = self.dirty.end.max(self.used);
        Some(offset)
    }
}
