//! `UpdateSubresource`, which writes the application's bytes in call order relative to the draws.
//!
//! An update of a constant buffer assigns another identity to it. Any other resource is updated by a copy
//! from an upload slice, because draws before and after the update may read the resource.

use std::ops::Range;

use onze_ddi::{Box3d, OutOfMemory, ResourceDesc, ResourceHandle, SubresourceData, TextureDesc};

use crate::{
    objects::staging::Footprint,
    record::{
        page::{BufferPlace, CopyCommand, TexturePlace},
        recorder::{
            NotRecorded, PageSink, RecordScope, Recorded,
            copy::whole_blocks,
            handle_state::{RENAMABLE, ResourceState},
        },
        upload::UploadSlice,
    },
};

impl<E: PageSink> RecordScope<'_, E> {
    /// Runs an update that is too complex for [`RecordScope::replace`], either by renaming or by a copy in
    /// place.
    #[inline(never)]
    pub(super) fn update(
        &mut self,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) -> Recorded<()> {
        let state = self.writer.resource_state(dst)?;
        if state.is(RENAMABLE) && !self.writer.r.is_predicated() {
            return self.rename_to(dst, &state, data.bytes);
        }
        match self.writer.resource(dst)?.desc.clone() {
            ResourceDesc::Buffer(desc) => {
                let range = dst_box.map_or(0..desc.byte_width, |b| b.left..b.right);
                self.update_bytes(dst, range.clone(), data.bytes, std::iter::once(range))
            }
            ResourceDesc::Texture(desc) => self.update_texels(dst, &desc, subresource, dst_box, data),
        }
    }

    /// Writes the given ranges of a buffer by copying from an upload slice into its base storage. `bytes` are
    /// the contents of the range `hull`, which contains the ranges.
    pub(super) fn update_bytes(
        &mut self,
        dst: ResourceHandle,
        hull: Range<u32>,
        bytes: &[u8],
        ranges: impl Iterator<Item = Range<u32>>,
    ) -> Recorded<()> {
        let size = hull.end.saturating_sub(hull.start);
        // The application need not write anything to a map, and an empty copy would be invalid.
        if size == 0 {
            return Ok(());
        }
        let slice = self.copy_source(size)?;
        self.fill(slice, size, bytes)?;
        let mut ranges = ranges.peekable();
        let whole = ranges.peek() == Some(&(0..self.writer.resource_state(dst)?.size));
        let r = &mut *self.writer.r;
        let object = r.uploads.object(slice.block, &mut r.objects, r.serial).ok_or(NotRecorded)?;
        let to = self.copy_target(dst, whole)?;
        for Range { start, end } in ranges {
            let from = slice.offset + (start - hull.start);
            self.writer.copy(CopyCommand::BufferToBuffer {
                src: BufferPlace { object, offset: from.into() },
                dst: BufferPlace { object: to.object, offset: to.offset + u64::from(start) },
                size: (end - start).into(),
            });
        }
        Ok(())
    }

    fn update_texels(
        &mut self,
        dst: ResourceHandle,
        desc: &TextureDesc,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) -> Recorded<()> {
        let (mip, slice) = desc.mip_and_slice(subresource);
        let (width, height, depth) = desc.mip_extent(mip);
        let part = dst_box.unwrap_or(Box3d { back: depth, ..Box3d::rect(0, 0, width, height) });
        let extent = [
            part.right.checked_sub(part.left).ok_or(NotRecorded)?,
            part.bottom.checked_sub(part.top).ok_or(NotRecorded)?,
            part.back.checked_sub(part.front).ok_or(NotRecorded)?,
        ];
        let at = Footprint::of_texture(desc.format, extent.into(), 0).ok_or(NotRecorded)?;
        let source = self.copy_source(at.size())?;
        let Some(bytes) = self.writer.r.uploads.write(source, at.size()) else {
            self.writer.memory_spent();
            return Err(NotRecorded);
        };
        at.fill(bytes, &data);
        let origin = [part.left, part.top, slice + part.front];
        let to = TexturePlace { object: self.writer.texture(dst)?, mip, origin };
        self.copy_to_texture(source, at, to, whole_blocks(desc.format, extent))
    }

    pub(super) fn copy_to_texture(
        &mut self,
        source: UploadSlice,
        at: Footprint,
        dst: TexturePlace,
        extent: [u32; 3],
    ) -> Recorded<()> {
        let r = &mut *self.writer.r;
        let object = r.uploads.object(source.block, &mut r.objects, r.serial).ok_or(NotRecorded)?;
        let src = BufferPlace { object, offset: source.offset.into() };
        self.writer.copy(CopyCommand::BufferToTexture { src, bytes_per_row: at.row_pitch, dst, extent });
        Ok(())
    }

    /// Takes a whole upload block for a buffer's new contents.
    pub(super) fn fresh_block(&mut self, size: u32) -> Recorded<UploadSlice> {
        let slice = self.writer.r.uploads.own_block(size, true).map(|block| UploadSlice { block, offset: 0 });
        self.or_spent(slice)
    }

    /// Cuts a slice for a small buffer, with `data` followed by zeros.
    pub(super) fn fresh_cut(&mut self, state: &ResourceState, data: &[u8]) -> Recorded<UploadSlice> {
        let uploads = &mut self.writer.r.uploads;
        uploads.make_room(state.room.into());
        let slice = uploads.cut(state.room.into(), data).map(|cut| cut.slice).ok_or(OutOfMemory);
        self.or_spent(slice)
    }

    fn copy_source(&mut self, size: u32) -> Recorded<UploadSlice> {
        let slice = self.writer.r.uploads.copy_source(size);
        self.or_spent(slice)
    }

    fn or_spent(&mut self, slice: Result<UploadSlice, OutOfMemory>) -> Recorded<UploadSlice> {
        if slice.is_err() {
            self.writer.memory_spent();
        }
        slice.map_err(|OutOfMemory| NotRecorded)
    }

    /// Writes bytes to an upload slice of `size` bytes, and leaves the rest of the slice unchanged if `bytes`
    /// is shorter.
    pub(super) fn fill(&mut self, slice: UploadSlice, size: u32, bytes: &[u8]) -> Recorded<()> {
        let to = self.writer.r.uploads.write(slice, size).ok_or(NotRecorded)?;
        let length = to.len().min(bytes.len());
        to[..length].copy_from_slice(&bytes[..length]);
        Ok(())
    }
}
