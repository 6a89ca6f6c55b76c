//! Mapped memory, which moves between the driver and the runtime.
//!
//! A map moves a [`MapPage`] from the driver to the runtime, which lends a range of the page to the
//! application, and the unmap moves the page back. No borrow crosses the interface, no memory is copied, and
//! the driver cannot access the memory while it is lent.
//!
//! ```
//! use onze_ddi::{MappedMemory, Written, zeroed_page};
//!
//! // A driver lends 20 bytes of a page. The cookie identifies the page when the driver gets it back.
//! let mut memory = MappedMemory::new(zeroed_page(64), 16..36, 42, 20, 20);
//! memory.bytes_mut()[4..8].fill(0xff);
//! let written = Written::Range(4..8);
//!
//! let (page, cookie) = memory.into_page();
//! assert_eq!((page.len(), cookie), (4, 42));
//! assert_eq!(written.hull(20), 4..8);
//! ```

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// The purpose of a map, limited by the resource's usage (D3D11: `D3D11_MAP`).
#[doc(alias = "D3D11_MAP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapType {
    /// Reads the contents of a staging resource, without writing them.
    Read,
    /// Writes the contents of a staging resource, without reading them.
    Write,
    /// Reads and writes the contents of a staging resource.
    ReadWrite,
    /// Replaces the contents of a dynamic resource, without waiting for the GPU to finish reading the old
    /// contents.
    WriteDiscard,
    /// Writes bytes of a dynamic buffer that the GPU is not reading, while all other bytes keep their
    /// contents.
    WriteNoOverwrite,
}

/// Sixteen bytes with an alignment of 16, which D3D11 guarantees for mapped memory.
#[derive(Copy, Clone, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct MapBlock([u8; 16]);

/// Memory that can be mapped, in units of 16 bytes, owned by either the driver or the runtime.
pub type MapPage = Box<[MapBlock]>;

/// Allocates a [`MapPage`] of at least `bytes` zeroed bytes.
pub fn zeroed_page(bytes: usize) -> MapPage {
    vec![MapBlock::zeroed(); bytes.div_ceil(size_of::<MapBlock>())].into_boxed_slice()
}

/// The bytes of mapped memory that the application has written and that need an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing was written, so nothing needs an upload.
    Nothing,
    /// Only the bytes in this range were written, counted from the start of the mapped memory.
    Range(Range<u32>),
    /// Only the bytes in these ranges were written. The ranges are not empty, are in ascending order, and do
    /// not touch each other. Bytes outside the ranges keep the resource's contents, regardless of the mapped
    /// memory's contents.
    Ranges(Box<[Range<u32>]>),
    /// All bytes may have been written.
    All,
}

impl Written {
    /// Returns the written ranges, clamped to mapped memory of `bytes` bytes.
    pub fn ranges(&self, bytes: u32) -> impl Iterator<Item = Range<u32>> {
        let (one, more) = match self {
            Self::Nothing => (None, &[][..]),
            Self::Range(range) => (Some(range.clone()), &[][..]),
            Self::Ranges(ranges) => (None, &ranges[..]),
            Self::All => (Some(0..bytes), &[][..]),
        };
        let cut = move |range: Range<u32>| range.start.min(bytes)..range.end.min(bytes);
        one.into_iter().chain(more.iter().cloned()).map(cut).filter(|range| !range.is_empty())
    }

    /// Returns the range from the first to the last written byte, clamped to mapped memory of `bytes` bytes.
    pub fn hull(&self, bytes: u32) -> Range<u32> {
        self.ranges(bytes).reduce(|first, last| first.start..last.end).unwrap_or(0..0)
    }
}

/// Memory that a driver lends to the runtime, from the map until the unmap.
#[derive(Debug)]
pub struct MappedMemory {
    page: MapPage,
    /// Start of the mapped range within the page, in bytes. Offsets have 32 bits to keep this struct small,
    /// because each map moves it.
    start: u32,
    /// End of the mapped range within the page, in bytes.
    end: u32,
    cookie: u64,
    /// Bytes from one row of texels or blocks to the next, or a buffer's size.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next, or a buffer's size.
    pub depth_pitch: u32,
}

impl MappedMemory {
    /// Lends `range` (in bytes) of `page`. The driver chooses the cookie, and gets the cookie back with the
    /// page.
    ///
    /// The range is clamped to the page and to 4 GiB, and its start is rounded down to 16 bytes.
    #[inline]
    pub fn new(page: MapPage, range: Range<usize>, cookie: u64, row_pitch: u32, depth_pitch: u32) -> Self {
        let len = (page.len() * size_of::<MapBlock>()).min(u32::MAX as usize);
        let start = (range.start & !(size_of::<MapBlock>() - 1)).min(len);
        let end = range.end.clamp(start, len);
        Self { page, start: start as u32, end: end as u32, cookie, row_pitch, depth_pitch }
    }

    /// The mapped bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.page)[self.start as usize..self.end as usize]
    }

    /// The mapped bytes, for writing.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.page)[self.start as usize..self.end as usize]
    }

    /// The cookie that the driver chose when it lent the memory.
    #[inline]
    pub fn cookie(&self) -> u64 {
        self.cookie
    }

    /// Ends the loan, and returns the page and the cookie to the driver.
    #[inline]
    pub fn into_page(self) -> (MapPage, u64) {
        (self.page, self.cookie)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_memory_is_aligned_zeroed_and_clamped_to_its_page() {
        let mut m = MappedMemory::new(zeroed_page(100), 32..500, 7, 0, 0);
        assert_eq!(m.bytes().len(), 112 - 32);
        assert_eq!(m.bytes().as_ptr() as usize % 16, 0);
        assert!(m.bytes().iter().all(|b| *b == 0));
        m.bytes_mut()[0] = 9;
        let (page, cookie) = m.into_page();
        assert_eq!((bytemuck::cast_slice::<_, u8>(&page)[32], cookie), (9, 7));
    }

    #[test]
    fn written_ranges_are_clamped_to_the_memory() {
        let ranges = |written: &Written| written.ranges(16).collect::<Vec<_>>();
        let apart = Written::Ranges([2..4, 8..40, 60..70].into());
        assert_eq!((ranges(&apart), apart.hull(16)), (vec![2..4, 8..16], 2..16));
        let cases = [(Written::Range(3..99), 3..16), (Written::All, 0..16), (Written::Nothing, 0..0)];
        for (written, hull) in cases {
            assert_eq!(written.ranges(16).next().unwrap_or(0..0), hull, "{written:?}");
            assert_eq!(written.hull(16), hull, "{written:?}");
        }
    }
}
