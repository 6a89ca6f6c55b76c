//! The upload page: memory of a context in which the runtime places new contents of small buffers.
//!
//! A discard of a small buffer needs no entry of the driver. The driver lends the page, and the runtime cuts
//! a *slice* off the page for each discard, one after another. The application writes to the slice, and the
//! slice then waits until the driver's next entry takes it. From then on, the slice is the buffer's contents.
//!
//! The page is in the context's [`HandleStorage`](crate::HandleStorage), which the runtime lends to each
//! entry, so either side can access the page without a call.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use onze_ddi::{Key, ResourceHandle, UploadPage, zeroed_page};
//!
//! // The driver lends a page whose slices begin at multiples of at least 64 bytes.
//! let mut page = UploadPage::default();
//! page.lend(zeroed_page(256), 0, 64);
//!
//! // The runtime cuts a slice for 20 bytes, and the application writes them.
//! let buffer = ResourceHandle::new(Key::new(0, NonZeroU32::MIN));
//! let offset = page.next_slice(20).expect("the page is empty");
//! page.bytes_mut(offset..offset + 20).expect("within the page").fill(1);
//! page.add(buffer, offset, 20);
//! assert_eq!(page.next_slice(20), Some(64));
//!
//! // The next entry of the driver takes the slice.
//! assert_eq!((page.slices()[0].resource, page.slices()[0].offset), (buffer, 0));
//! page.clear_slices();
//! assert_eq!(page.take_back().map(|(_, used)| used), Some(64));
//! ```

use std::ops::Range;

use crate::{
    handle::ResourceHandle,
    map::{MapBlock, MapPage},
};

/// Largest alignment of slices in bytes. Every adapter supports offsets of constant buffers and structured
/// buffers that are multiples of it.
pub const LARGEST_SLICE_ALIGNMENT: u32 = 256;

/// Returns the alignment of a slice of `room` bytes: the next power of two, but at most
/// [`LARGEST_SLICE_ALIGNMENT`].
///
/// Buffers of different sizes that are discarded in turn for each draw then have slices that are a multiple of
/// their size apart, so that a driver can number the slices of each buffer.
#[inline]
pub const fn slice_alignment(room: u32) -> u32 {
    if room < LARGEST_SLICE_ALIGNMENT { room.next_power_of_two() } else { LARGEST_SLICE_ALIGNMENT }
}

/// A slice that the application has written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageSlice {
    /// The buffer whose contents the slice becomes.
    pub resource: ResourceHandle,
    /// Offset of the slice in the page, in bytes. The slice has as many bytes as the buffer.
    pub offset: u32,
}

/// The upload page of a context; see the [module](self). An empty page has no memory.
#[derive(Debug, Default)]
pub struct UploadPage {
    memory: MapPage,
    alignment: u32,
    /// Number of bytes that slices were cut from, and the bytes that were used before the page was lent.
    used: u32,
    /// The slices that no entry has taken yet, in the order of their discards.
    slices: Vec<PageSlice>,
}

/// The driver's side.
impl UploadPage {
    /// Lends memory whose first `used` bytes are in use already. All sizes of slices are rounded up to multiples of
    /// `alignment`, a power of two of at most [`LARGEST_SLICE_ALIGNMENT`].
    pub fn lend(&mut self, memory: MapPage, used: u32, alignment: u32) {
        (self.memory, self.used, self.alignment) = (memory, used, alignment);
    }

    /// Ends the loan, and returns the memory and the number of its used bytes, or `None` if the page is empty.
    /// The driver first takes the waiting slices.
    pub fn take_back(&mut self) -> Option<(MapPage, u32)> {
        let memory = std::mem::take(&mut self.memory);
        (!memory.is_empty()).then(|| (memory, std::mem::take(&mut self.used)))
    }

    /// Returns the waiting slices, in the order of their discards.
    #[inline]
    pub fn slices(&self) -> &[PageSlice] {
        &self.slices
    }

    /// Takes the list of waiting slices, so that a driver can take them while it uses the handles. The driver
    /// returns the list with [`return_slices`](Self::return_slices), which keeps its memory.
    #[inline]
    pub fn take_slices(&mut self) -> Vec<PageSlice> {
        std::mem::take(&mut self.slices)
    }

    /// Takes back the memory of a list from [`take_slices`](Self::take_slices).
    #[inline]
    pub fn return_slices(&mut self, mut slices: Vec<PageSlice>) {
        slices.clear();
        self.slices = slices;
    }

    /// Returns whether a slice waits for the driver.
    #[inline]
    pub fn has_slices(&self) -> bool {
        !self.slices.is_empty()
    }

    /// Removes the waiting slices, after the driver has taken them.
    #[inline]
    pub fn clear_slices(&mut self) {
        self.slices.clear();
    }

    /// Returns the number of used bytes.
    #[inline]
    pub fn used(&self) -> u32 {
        self.used
    }
}

/// The runtime's side.
impl UploadPage {
    /// Returns the offset of the next slice of `size` bytes, or `None` if the page lacks room for it.
    #[inline]
    pub fn next_slice(&self, size: u32) -> Option<u32> {
        let align = slice_alignment(self.room(size));
        let offset = self.used.wrapping_add(align - 1) & !(align - 1);
        let end = u64::from(offset) + u64::from(self.room(size));
        (end <= size_of_val::<[MapBlock]>(&self.memory) as u64).then_some(offset)
    }

    /// Returns the bytes of a slice of `size` bytes together with its padding.
    #[inline]
    fn room(&self, size: u32) -> u32 {
        let mask = self.alignment.saturating_sub(1);
        size.max(1).saturating_add(mask) & !mask
    }

    /// Returns bytes of the page, or `None` if they are out of range.
    #[inline]
    pub fn bytes_mut(&mut self, range: Range<u32>) -> Option<&mut [u8]> {
        bytemuck::cast_slice_mut(&mut self.memory).get_mut(range.start as usize..range.end as usize)
    }

    /// Returns bytes of the page, or `None` if they are out of range.
    #[inline]
    pub fn bytes(&self, range: Range<u32>) -> Option<&[u8]> {
        bytemuck::cast_slice(&self.memory).get(range.start as usize..range.end as usize)
    }

    /// Adds a written slice, whose offset [`next_slice`](Self::next_slice) has returned.
    #[inline]
    pub fn add(&mut self, resource: ResourceHandle, offset: u32, size: u32) {
        self.used = offset + self.room(size);
        self.slices.push(PageSlice { resource, offset });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::num::NonZeroU32;

    use super::*;
    use crate::{handle::Key, map::zeroed_page};

    fn buffer(slot: u32) -> ResourceHandle {
        ResourceHandle::new(Key::new(slot, NonZeroU32::MIN))
    }

    #[test]
    fn slices_follow_each_other_at_multiples_of_their_size() {
        let mut page = UploadPage::default();
        assert_eq!(page.next_slice(0), None, "an empty page has no room");
        page.lend(zeroed_page(4096), 0, 64);
        let mut cut = |size| {
            let offset = page.next_slice(size).unwrap();
            page.add(buffer(size), offset, size);
            offset
        };
        let sizes = [64, 16, 128, 64, 256, 300, 64];
        assert_eq!(sizes.map(&mut cut), [0, 64, 128, 256, 512, 768, 1088]);
        let slices: Vec<_> = page.slices().iter().map(|slice| slice.offset).collect();
        assert_eq!(slices, [0, 64, 128, 256, 512, 768, 1088]);
        assert_eq!(page.used(), 1152);
    }

    #[test]
    fn a_slice_ends_within_the_page() {
        let mut page = UploadPage::default();
        page.lend(zeroed_page(512), 192, 64);
        assert_eq!(page.next_slice(256), Some(256));
        assert_eq!(page.next_slice(257), None);
        page.add(buffer(0), 256, 256);
        assert_eq!([page.next_slice(1), page.next_slice(u32::MAX)], [None, None]);
        page.clear_slices();
        let (memory, used) = page.take_back().unwrap();
        assert_eq!((size_of_val::<[MapBlock]>(&memory), used), (512, 512));
        assert!(page.take_back().is_none() && page.next_slice(1).is_none());
    }
}
