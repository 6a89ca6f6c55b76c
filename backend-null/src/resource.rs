//! Resources: bytes in memory, one page per subresource, laid out as a staging resource is mapped.

use std::sync::{Mutex, MutexGuard, PoisonError};

use onze_ddi::{
    Allocation, Box3d, Format, MapPage, MappedMemory, ResourceDesc, SubresourceData, Usage, zeroed_page,
};

/// Rows of textures are padded to this many bytes, as GPUs do: who forgets the pitch finds out here.
const ROW_ALIGNMENT: u32 = 256;

/// The read-only half of a resource, and its contents.
///
/// The contents are touched when commands execute, which only the immediate context's thread does, so
/// nobody ever waits for the lock. It is here because create and destroy come from any thread.
#[derive(Debug)]
pub(crate) struct NullResource {
    desc: ResourceDesc,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The contents of each subresource; `None` while it is mapped: the page is with the application.
    pages: Vec<Option<MapPage>>,
    allocation: Option<Allocation>,
    /// The submission that used the contents last; 0 for none.
    used_by: u64,
}

/// How a subresource lies in its page.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Layout {
    row_pitch: u32,
    rows: u32,
}

impl Layout {
    fn bytes(self) -> usize {
        self.row_pitch as usize * self.rows as usize
    }
}

/// A part of a subresource in rows of blocks and bytes: what a box is in memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    first_row: usize,
    rows: usize,
    first_byte: usize,
    bytes: usize,
}

impl Region {
    /// The same size at another place.
    fn at(self, other: Region) -> Self {
        Self { first_row: other.first_row, first_byte: other.first_byte, ..self }
    }
}

impl NullResource {
    pub(crate) fn new(
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
        allocation: Allocation,
    ) -> Self {
        let pages = (0..desc.subresources()).map(|s| Some(zeroed_page(layout(desc, s).bytes()))).collect();
        let state = State { pages, allocation: Some(allocation), used_by: 0 };
        let resource = Self { desc: desc.clone(), state: Mutex::new(state) };
        for (subresource, data) in (0..).zip(initial_data) {
            let region = resource.region(subresource, None);
            resource.write(subresource, region, &region.pack(data), 0);
        }
        resource
    }

    /// Bytes that the resource takes: what is allocated for it.
    pub(crate) fn size(desc: &ResourceDesc) -> u64 {
        (0..desc.subresources()).map(|s| layout(desc, s).bytes() as u64).sum()
    }

    /// Whether deferred contexts map it, and so have more to remember of it.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.desc.usage() == Usage::Dynamic
    }

    /// The number of subresources.
    pub(crate) fn subresources(&self) -> u32 {
        self.desc.subresources()
    }

    /// The memory to give back. `None` the second time.
    pub(crate) fn take_allocation(&self) -> Option<Allocation> {
        self.state().allocation.take()
    }

    /// Whether commands of a submission, which may not have been announced yet, use the contents.
    pub(crate) fn is_used_by(&self, submission: u64) -> bool {
        self.state().used_by == submission
    }

    /// A part of a subresource; `None` is the whole.
    pub(crate) fn region(&self, subresource: u32, part: Option<Box3d>) -> Region {
        match &self.desc {
            ResourceDesc::Buffer(desc) => {
                let part = part.unwrap_or(Box3d::bytes(0..desc.byte_width));
                Region {
                    first_row: 0,
                    rows: 1,
                    first_byte: part.left as usize,
                    bytes: part.right.saturating_sub(part.left) as usize,
                }
            }
            ResourceDesc::Texture2d(desc) => {
                let (width, height) = desc.mip_size(subresource % desc.resolved_mip_levels().max(1));
                texel_region(desc.format, part.unwrap_or(Box3d::rect(0, 0, width, height)))
            }
            // A kind of resource that this driver does not announce is never created.
            _ => Region { first_row: 0, rows: 0, first_byte: 0, bytes: 0 },
        }
    }

    /// Reads a part, without padding between rows.
    pub(crate) fn read(&self, subresource: u32, region: Region, submission: u64) -> Vec<u8> {
        let pitch = layout(&self.desc, subresource).row_pitch as usize;
        let mut state = self.state();
        state.used_by = submission;
        let mut bytes = Vec::with_capacity(region.rows * region.bytes);
        if let Some(Some(page)) = state.pages.get(subresource as usize) {
            let page: &[u8] = bytemuck::cast_slice(page);
            for row in region.first_row..region.first_row + region.rows {
                let start = row * pitch + region.first_byte;
                bytes.extend_from_slice(page.get(start..start + region.bytes).unwrap_or_default());
            }
        }
        bytes
    }

    /// Writes a part from bytes that [`Self::read`] or [`Region::pack`] returned.
    pub(crate) fn write(&self, subresource: u32, region: Region, bytes: &[u8], submission: u64) {
        let pitch = layout(&self.desc, subresource).row_pitch as usize;
        let mut state = self.state();
        state.used_by = submission;
        let Some(Some(page)) = state.pages.get_mut(subresource as usize) else { return };
        let page: &mut [u8] = bytemuck::cast_slice_mut(page);
        for (row, from) in (region.first_row..).zip(bytes.chunks_exact(region.bytes.max(1))) {
            let start = row * pitch + region.first_byte;
            if let Some(to) = page.get_mut(start..start + region.bytes) {
                to.copy_from_slice(from);
            }
        }
    }

    /// Copies a part of another resource, or of this one, to a part of this one.
    pub(crate) fn copy(
        &self,
        subresource: u32,
        at: Region,
        from: &Self,
        from_subresource: u32,
        part: Region,
        submission: u64,
    ) {
        // By way of a copy of the bytes, so that a part may overlap itself.
        let bytes = from.read(from_subresource, part, submission);
        self.write(subresource, part.at(at), &bytes, submission);
    }

    /// Replaces a whole page, with the padding: what a DISCARD in a list comes to.
    pub(crate) fn replace(&self, subresource: u32, with: &MapPage, submission: u64) {
        let mut state = self.state();
        state.used_by = submission;
        if let Some(Some(page)) = state.pages.get_mut(subresource as usize)
            && page.len() == with.len()
        {
            page.copy_from_slice(with);
        }
    }

    /// Lends a subresource's page; `None` while it is away already. The cookie is the subresource.
    pub(crate) fn lend(&self, subresource: u32) -> Option<MappedMemory> {
        let page = self.state().pages.get_mut(subresource as usize)?.take()?;
        Some(self.mapped(subresource, page, u64::from(subresource)))
    }

    /// Takes a page back.
    pub(crate) fn take_back(&self, memory: MappedMemory) {
        let (page, subresource) = memory.into_page();
        if let Some(slot) = self.state().pages.get_mut(subresource as usize) {
            *slot = Some(page);
        }
    }

    /// Fresh memory for a subresource, zeroed.
    pub(crate) fn fresh(&self, subresource: u32) -> MapPage {
        zeroed_page(layout(&self.desc, subresource).bytes())
    }

    /// A page of a subresource as mapped memory.
    pub(crate) fn mapped(&self, subresource: u32, page: MapPage, cookie: u64) -> MappedMemory {
        let layout = layout(&self.desc, subresource);
        MappedMemory::new(page, 0..layout.bytes(), cookie, layout.row_pitch, layout.bytes() as u32)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves the bytes as they were.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Region {
    /// Gathers the rows of what the application hands over.
    pub(crate) fn pack(self, data: &SubresourceData<'_>) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.rows * self.bytes);
        for row in 0..self.rows {
            let start = row * data.row_pitch as usize;
            bytes.extend_from_slice(data.bytes.get(start..start + self.bytes).unwrap_or_default());
        }
        bytes
    }
}

fn texel_region(format: Format, part: Box3d) -> Region {
    let (width, height) = format.block_size();
    Region {
        first_row: (part.top / height) as usize,
        rows: format.rows(part.bottom.saturating_sub(part.top)) as usize,
        first_byte: (part.left / width) as usize * format.bytes_per_block() as usize,
        bytes: format.row_pitch(part.right.saturating_sub(part.left)) as usize,
    }
}

fn layout(desc: &ResourceDesc, subresource: u32) -> Layout {
    match desc {
        ResourceDesc::Buffer(desc) => Layout { row_pitch: desc.byte_width, rows: 1 },
        ResourceDesc::Texture2d(desc) => {
            let (width, height) = desc.mip_size(subresource % desc.resolved_mip_levels().max(1));
            Layout {
                row_pitch: desc.format.row_pitch(width).next_multiple_of(ROW_ALIGNMENT),
                rows: desc.format.rows(height),
            }
        }
        _ => Layout { row_pitch: 0, rows: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onze_ddi::Texture2dDesc;

    fn texture(format: Format, width: u32, height: u32) -> NullResource {
        let desc = ResourceDesc::Texture2d(Texture2dDesc {
            mip_levels: 0,
            ..Texture2dDesc::new(format, width, height)
        });
        NullResource::new(&desc, &[], Allocation::new(0))
    }

    #[test]
    fn a_box_of_a_compressed_texture_counts_blocks() {
        let t = texture(Format::BC1_UNORM, 16, 16);
        let part = t.region(0, Some(Box3d::rect(4, 8, 12, 16)));
        assert_eq!(part, Region { first_row: 2, rows: 2, first_byte: 8, bytes: 16 });
        // A mip smaller than a block is one block.
        assert_eq!(t.region(4, None), Region { first_row: 0, rows: 1, first_byte: 0, bytes: 8 });
    }

    #[test]
    fn a_part_that_overlaps_itself_is_copied_as_it_was() {
        let t = texture(Format::R8_UNORM, 4, 1);
        t.write(0, t.region(0, None), &[1, 2, 3, 4], 1);
        t.copy(
            0,
            t.region(0, Some(Box3d::rect(1, 0, 4, 1))),
            &t,
            0,
            t.region(0, Some(Box3d::rect(0, 0, 3, 1))),
            1,
        );
        assert_eq!(t.read(0, t.region(0, None), 1), [1, 1, 2, 3]);
    }

    #[test]
    fn what_lies_outside_is_neither_read_nor_written() {
        let t = texture(Format::R8_UNORM, 2, 2);
        let outside = Region { first_row: 1000, rows: 1, first_byte: 0, bytes: 2 };
        t.write(0, outside, &[9, 9], 1);
        assert!(t.read(0, outside, 1).is_empty());
        t.write(77, outside, &[9, 9], 1);
    }
}
