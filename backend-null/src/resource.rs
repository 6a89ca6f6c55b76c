//! Resources as bytes in memory, where each subresource has one [`MapPage`] with the layout of mapped staging
//! resources.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crossbeam_queue::ArrayQueue;
use onze_ddi::{
    Allocation, Box3d, DriverBug, Format, MapPage, MappedMemory, ResourceDesc, SubresourceData, zeroed_page,
};

/// Alignment of texture rows in bytes, as large as on GPUs so that programs that ignore the pitch also fail
/// on this driver.
const ROW_ALIGNMENT: u32 = 256;

/// The read-only half of a resource, with the contents of its subresources.
///
/// The contents are accessed only when commands execute, on the immediate context's thread, and need no lock,
/// because each use takes the contents out of their slot and then puts them back.
#[derive(Debug)]
pub(crate) struct NullResource {
    pub(crate) desc: ResourceDesc,
    /// The contents of each subresource, in a slot that is empty while the application has the memory mapped.
    pages: Box<[ArrayQueue<MapPage>]>,
    allocation: ArrayQueue<Allocation>,
    used_by: AtomicU64,
}

fn filled<T>(with: T) -> ArrayQueue<T> {
    let place = ArrayQueue::new(1);
    // The push cannot fail, because a new slot has room for one value.
    drop(place.push(with));
    place
}

/// The memory region of a box in a subresource, measured in depth slices, rows of blocks, and bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    first_slice: usize,
    slices: usize,
    first_row: usize,
    rows: usize,
    first_byte: usize,
    bytes: usize,
}

impl NullResource {
    pub(crate) fn new(
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
        allocation: Allocation,
    ) -> Self {
        let pages = (0..desc.subresources()).map(|s| filled(zeroed_page(layout(desc, s).bytes))).collect();
        let allocation = filled(allocation);
        let resource = Self { desc: desc.clone(), pages, allocation, used_by: AtomicU64::new(0) };
        for (subresource, data) in (0..).zip(initial_data) {
            let region = resource.region(subresource, None);
            resource.write(subresource, region, &region.pack(data), 0);
        }
        resource
    }

    /// Returns the resource's size in bytes, which is also the size of its allocation.
    pub(crate) fn size(desc: &ResourceDesc) -> u64 {
        (0..desc.subresources()).map(|s| layout(desc, s).bytes as u64).sum()
    }

    pub(crate) fn take_allocation(&self) -> Option<Allocation> {
        self.allocation.pop()
    }

    /// Whether commands of the given submission, which may still be in recording, use the contents.
    pub(crate) fn is_used_by(&self, submission: u64) -> bool {
        self.used_by.load(Ordering::Relaxed) == submission
    }

    /// Returns the memory region of a box, or the whole subresource if `part` is `None`.
    pub(crate) fn region(&self, subresource: u32, part: Option<Box3d>) -> Region {
        let (format, (width, height, depth)) = shape(&self.desc, subresource);
        let part = match (part, &self.desc) {
            (None, _) => Box3d { back: depth, ..Box3d::rect(0, 0, width, height) },
            // For buffers only the x coordinates are used, so the other coordinates are replaced.
            (Some(part), ResourceDesc::Buffer(_)) => Box3d::bytes(part.left..part.right),
            (Some(part), _) => part,
        };
        let (block_width, block_height) = format.block_size();
        Region {
            first_slice: part.front as usize,
            slices: part.back.saturating_sub(part.front) as usize,
            first_row: (part.top / block_height) as usize,
            rows: format.rows(part.bottom.saturating_sub(part.top)) as usize,
            first_byte: (part.left / block_width) as usize * format.bytes_per_block() as usize,
            bytes: format.row_pitch(part.right.saturating_sub(part.left)) as usize,
        }
    }

    pub(crate) fn read(&self, subresource: u32, region: Region, submission: u64) -> Vec<u8> {
        let layout = layout(&self.desc, subresource);
        let mut bytes = Vec::with_capacity(region.slices * region.rows * region.bytes);
        self.with_page(subresource, submission, |page| {
            let page: &[u8] = bytemuck::cast_slice(page);
            for start in region.starts(&layout) {
                bytes.extend_from_slice(page.get(start..start + region.bytes).unwrap_or_default());
            }
        });
        bytes
    }

    pub(crate) fn write(&self, subresource: u32, region: Region, bytes: &[u8], submission: u64) {
        let layout = layout(&self.desc, subresource);
        self.with_page(subresource, submission, |page| {
            let page: &mut [u8] = bytemuck::cast_slice_mut(page);
            for (start, from) in region.starts(&layout).zip(bytes.chunks_exact(region.bytes.max(1))) {
                if let Some(to) = page.get_mut(start..start + region.bytes) {
                    to.copy_from_slice(from);
                }
            }
        });
    }

    /// Copies a region of `from`, which may be this resource, to this resource.
    pub(crate) fn copy(&self, to: (u32, Region), from: &Self, part: (u32, Region), submission: u64) {
        // The copy goes through a temporary buffer, because source and destination may overlap.
        let bytes = from.read(part.0, part.1, submission);
        let Region { first_slice, first_row, first_byte, .. } = to.1;
        self.write(to.0, Region { first_slice, first_row, first_byte, ..part.1 }, &bytes, submission);
    }

    /// Replaces all bytes of a subresource, including padding, for a DISCARD in a list.
    pub(crate) fn replace(&self, subresource: u32, with: &MapPage, submission: u64) {
        self.with_page(subresource, submission, |page| {
            if page.len() == with.len() {
                page.copy_from_slice(with);
            }
        });
    }

    /// Gives each resource the memory of the next resource, and gives the last resource the memory of the
    /// first, provided that all have the same description and none is mapped.
    pub(crate) fn rotate(resources: &[Arc<Self>]) {
        let Some(first) = resources.first() else { return };
        for subresource in 0..first.pages.len() {
            let places = || resources.iter().filter_map(|resource| resource.pages.get(subresource));
            let mut pages: Vec<_> = places().map(ArrayQueue::pop).collect();
            pages.rotate_left(1);
            for (place, page) in places().zip(pages) {
                page.map(|page| place.force_push(page));
            }
        }
    }

    pub(crate) fn lend(&self, subresource: u32) -> Result<MappedMemory, DriverBug> {
        let page = self.pages.get(subresource as usize).and_then(ArrayQueue::pop);
        let page = page.ok_or_else(|| DriverBug("the subresource is already mapped".into()))?;
        Ok(self.mapped(subresource, Some(page), u64::from(subresource)))
    }

    pub(crate) fn take_back(&self, memory: MappedMemory) {
        let (page, subresource) = memory.into_page();
        if let Some(place) = self.pages.get(subresource as usize) {
            place.force_push(page);
        }
    }

    /// Wraps a subresource's memory as mapped memory, or new zeroed memory if `page` is `None`.
    pub(crate) fn mapped(&self, subresource: u32, page: Option<MapPage>, cookie: u64) -> MappedMemory {
        let Layout { row_pitch, depth_pitch, bytes } = layout(&self.desc, subresource);
        let page = page.unwrap_or_else(|| zeroed_page(bytes));
        MappedMemory::new(page, 0..bytes, cookie, row_pitch as u32, depth_pitch as u32)
    }

    /// Uses the memory of a subresource as part of a submission, unless the subresource is mapped.
    fn with_page(&self, subresource: u32, submission: u64, use_it: impl FnOnce(&mut MapPage)) {
        self.used_by.store(submission, Ordering::Relaxed);
        let Some(place) = self.pages.get(subresource as usize) else { return };
        if let Some(mut page) = place.pop() {
            use_it(&mut page);
            place.force_push(page);
        }
    }
}

impl Region {
    fn starts(self, layout: &Layout) -> impl Iterator<Item = usize> + use<> {
        let Layout { row_pitch, depth_pitch, .. } = *layout;
        let rows = self.first_row..self.first_row + self.rows;
        (self.first_slice..self.first_slice + self.slices).flat_map(move |slice| {
            rows.clone().map(move |row| slice * depth_pitch + row * row_pitch + self.first_byte)
        })
    }

    pub(crate) fn pack(self, data: &SubresourceData<'_>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.slices * self.rows * self.bytes);
        let layout = Layout {
            row_pitch: data.row_pitch as usize,
            depth_pitch: data.depth_pitch as usize,
            bytes: data.bytes.len(),
        };
        for start in (Self { first_slice: 0, first_row: 0, first_byte: 0, ..self }).starts(&layout) {
            bytes.extend_from_slice(data.bytes.get(start..start + self.bytes).unwrap_or_default());
        }
        bytes
    }
}

/// Returns the format and extent of a subresource, where a buffer is one row of bytes.
fn shape(desc: &ResourceDesc, subresource: u32) -> (Format, (u32, u32, u32)) {
    match desc {
        ResourceDesc::Buffer(desc) => (Format::R8_UINT, (desc.byte_width, 1, 1)),
        ResourceDesc::Texture(desc) => (desc.format, desc.mip_extent(desc.mip_and_slice(subresource).0)),
    }
}

#[derive(Copy, Clone, Debug)]
struct Layout {
    row_pitch: usize,
    depth_pitch: usize,
    bytes: usize,
}

fn layout(desc: &ResourceDesc, subresource: u32) -> Layout {
    let (format, (width, height, depth)) = shape(desc, subresource);
    let alignment = if matches!(desc, ResourceDesc::Texture(_)) { ROW_ALIGNMENT } else { 1 };
    let row_pitch = format.row_pitch(width).next_multiple_of(alignment) as usize;
    let depth_pitch = row_pitch * format.rows(height) as usize;
    Layout { row_pitch, depth_pitch, bytes: depth_pitch * depth as usize }
}
