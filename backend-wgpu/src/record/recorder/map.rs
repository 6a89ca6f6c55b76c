//! Maps of dynamic resources.
//!
//! | map | memory that is lent | effect of the unmap |
//! | --- | --- | --- |
//! | discard, small buffer | scratch | copies the scratch to a new slice and renames |
//! | discard, other buffer | the CPU side of a new upload block | renames |
//! | no overwrite, small buffer | a scratch copy of the slice | copies the scratch back to the slice |
//! | no overwrite, other buffer | the CPU side of its upload block | marks the written bytes |
//! | discard, texture | the CPU side of a new upload block | copies in place |
//!
//! Small buffers share upload blocks. A shared block cannot be lent, because a submission during the map must
//! upload the other buffers' slices. For the same reason, the bytes already written to a buffer's own block
//! are set aside before a no-overwrite map lends that block again.
//!
//! A slice that an executed list has exported must not be written, because the list may be replayed, so its
//! bytes are copied to a new slice first.

use onze_ddi::{
    DriverBug, MapPage, MapType, MappedMemory, RecordError, ResourceDesc, ResourceHandle, Written,
    zeroed_page,
};

use crate::{
    objects::staging::Footprint,
    record::{
        page::TexturePlace,
        recorder::{
            NotRecorded, PageSink, PageWriter, RecordScope, Recorded, Recorder,
            copy::whole_blocks,
            handle_state::{BUFFER, OWN_PAGE, ResourceState},
            identities::CurrentIdentity,
        },
        upload::{LARGEST_SLICE, UploadSlice},
    },
    services::platform::CAN_WAIT,
};

/// The memory on loan, encoded in the map's cookie.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum MapLoan {
    Discard,
    Copy,
    /// Zeroed memory, because only the GPU knows the buffer's contents; at unmap, the written bytes are
    /// copied to the base storage in place.
    InPlace,
    Block(u32),
}

impl MapLoan {
    /// Encodes the loan together with the recording number, so that memory from an earlier recording can be
    /// detected.
    fn cookie(self, recording: u32) -> u64 {
        let (kind, block) = match self {
            Self::Discard => (1, 0),
            Self::Copy => (2, 0),
            Self::InPlace => (3, 0),
            Self::Block(block) => (4, block),
        };
        u64::from(recording & 0xff_ffff) << 40 | kind << 32 | u64::from(block)
    }

    fn of_cookie(cookie: u64, recording: u32) -> Option<Self> {
        if cookie >> 40 != u64::from(recording & 0xff_ffff) {
            return None;
        }
        match cookie >> 32 & 0xff {
            1 => Some(Self::Discard),
            2 => Some(Self::Copy),
            3 => Some(Self::InPlace),
            4 => Some(Self::Block(cookie as u32)),
            _ => None,
        }
    }
}

fn bug(words: &'static str) -> RecordError {
    RecordError::Bug(DriverBug(words.into()))
}

fn scratch_bytes(page: &mut MapPage, size: u32) -> Result<&mut [u8], RecordError> {
    bytemuck::cast_slice_mut(page).get_mut(..size as usize).ok_or(bug("the scratch memory is too small"))
}

impl<E: PageSink> RecordScope<'_, E> {
    /// The fast path of a discard, for a small buffer that this recording has already used, which in all
    /// other cases returns `None` and has no effect.
    #[inline]
    pub(crate) fn lend_scratch(&mut self, handle: ResourceHandle) -> Option<MappedMemory> {
        let Recorder { uploads, recording, .. } = &mut *self.writer.r;
        let state = self.writer.handles.private::<ResourceState, _>(handle)?;
        if state.recording != *recording || state.flags & (BUFFER | OWN_PAGE) != BUFFER {
            return None;
        }
        let size = state.size;
        let scratch = uploads.spare_scratch()?;
        Some(MappedMemory::new(scratch, 0..size as usize, MapLoan::Discard.cookie(*recording), size, size))
    }

    /// The fast path of a discard's unmap: the scratch memory becomes the contents of a buffer that needs no
    /// other work. In all other cases nothing changes and the memory is returned as the error.
    #[inline(always)]
    pub(crate) fn unmap_scratch(
        &mut self,
        handle: ResourceHandle,
        memory: MappedMemory,
        written: &Written,
    ) -> Result<(), MappedMemory> {
        let is_discard = memory.cookie() == MapLoan::Discard.cookie(self.writer.r.recording);
        if !is_discard || !self.replace(handle, memory.bytes()) {
            return Err(memory);
        }
        self.writer.r.uploads.return_scratch(memory.into_page().0, written.hull(u32::MAX));
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn dynamic_map(
        &mut self,
        handle: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        let state = self
            .writer
            .resource_state(handle)
            .map_err(|NotRecorded| bug("a map of a resource that is not open"))?;
        match map_type {
            MapType::WriteDiscard if !state.is(BUFFER) => self.map_texture(handle, subresource),
            MapType::WriteDiscard => self.map_discard(&state),
            MapType::WriteNoOverwrite if state.is(BUFFER) => self.map_no_overwrite(handle, &state),
            MapType::WriteNoOverwrite | MapType::Read | MapType::Write | MapType::ReadWrite => {
                Err(bug("a dynamic resource can only be mapped to discard or without overwriting"))
            }
        }
    }

    fn lent(&self, page: MapPage, size: u32, loan: MapLoan) -> MappedMemory {
        MappedMemory::new(page, 0..size as usize, loan.cookie(self.writer.r.recording), size, size)
    }

    fn map_discard(&mut self, state: &ResourceState) -> Result<MappedMemory, RecordError> {
        if state.is(OWN_PAGE) {
            let block =
                self.writer.r.uploads.own_block(state.size, true).map_err(|_| RecordError::OutOfMemory)?;
            let bytes =
                self.writer.r.uploads.lend(block, false).ok_or(bug("a free upload page is lent already"))?;
            return Ok(self.lent(bytes, state.size, MapLoan::Block(block)));
        }
        let scratch = self.writer.r.uploads.scratch();
        Ok(self.lent(scratch, state.size, MapLoan::Discard))
    }

    fn map_no_overwrite(
        &mut self,
        handle: ResourceHandle,
        state: &ResourceState,
    ) -> Result<MappedMemory, RecordError> {
        self.make_writable(handle, state)?;
        let state = self
            .writer
            .resource_state(handle)
            .map_err(|NotRecorded| bug("a map of a resource that is not open"))?;
        let Some(CurrentIdentity::Upload(block)) = self.writer.r.identities.get(state.identity).cloned()
        else {
            // Only the GPU knows the contents, because the recording has copied into the buffer or because
            // this platform cannot wait for a readback.
            return Ok(self.lent(zeroed_page(state.size as usize), state.size, MapLoan::InPlace));
        };
        let slice = UploadSlice { block, offset: state.offset };
        if state.is(OWN_PAGE) {
            // A submission may happen while the block is lent.
            let spill = E::IS_IMMEDIATE;
            let bytes =
                self.writer.r.uploads.lend(slice.block, spill).ok_or(bug("the buffer is mapped already"))?;
            return Ok(self.lent(bytes, state.size, MapLoan::Block(slice.block)));
        }
        let mut scratch = self.writer.r.uploads.scratch();
        let from =
            self.writer.r.uploads.read(slice, state.size).ok_or(bug("the buffer is mapped already"))?;
        scratch_bytes(&mut scratch, state.size)?.copy_from_slice(from);
        Ok(self.lent(scratch, state.size, MapLoan::Copy))
    }

    /// Copies a buffer from a list's slice into a slice that may be written.
    fn make_writable(&mut self, handle: ResourceHandle, state: &ResourceState) -> Result<(), RecordError> {
        let Some(CurrentIdentity::Listed { retained, offset }) =
            self.writer.r.identities.get(state.identity).cloned()
        else {
            return Ok(());
        };
        // If the list's recording ended while the slice was mapped, the slice's bytes are missing, and the
        // buffer's contents are undefined.
        let bytes = retained.bytes(offset..offset + state.size).unwrap_or_default();
        self.rename_to(handle, state, bytes).map_err(|NotRecorded| RecordError::OutOfMemory)
    }

    /// Makes `bytes` the contents of a buffer by assigning another identity to it.
    pub(crate) fn rename_to(
        &mut self,
        handle: ResourceHandle,
        state: &ResourceState,
        bytes: &[u8],
    ) -> Recorded<()> {
        let slice = if state.is(OWN_PAGE) {
            let slice = self.fresh_block(state.size)?;
            self.fill(slice, state.size, bytes)?;
            slice
        } else {
            self.fresh_cut(state, bytes.get(..state.size as usize).unwrap_or(bytes))?
        };
        self.rename(handle, slice);
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn dynamic_unmap(
        &mut self,
        handle: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: &Written,
    ) -> Recorded<()> {
        let (page, cookie) = memory.into_page();
        // Memory of an earlier recording is dropped, because its destination no longer exists.
        let loan = MapLoan::of_cookie(cookie, self.writer.r.recording).ok_or(NotRecorded)?;
        let state = self.writer.resource_state(handle)?;
        match loan {
            MapLoan::Block(index) if state.is(BUFFER) => {
                self.writer.r.uploads.take_back(index, page, written.ranges(state.size));
                let current = self.writer.r.identities.get(state.identity);
                let stays = matches!(current, Some(CurrentIdentity::Upload(block)) if *block == index);
                if !stays {
                    self.rename(handle, UploadSlice { block: index, offset: 0 });
                }
            }
            MapLoan::Block(index) => return self.unmap_texture(handle, subresource, index, page, written),
            MapLoan::Discard => {
                self.rename_to(
                    handle,
                    &state,
                    bytemuck::cast_slice(&page).get(..state.size as usize).ok_or(NotRecorded)?,
                )?;
                self.writer.r.uploads.return_scratch(page, written.hull(state.size));
            }
            MapLoan::Copy => {
                let range = written.hull(state.size);
                if let Some(CurrentIdentity::Upload(index)) =
                    self.writer.r.identities.get(state.identity).cloned()
                {
                    let at = UploadSlice { block: index, offset: state.offset + range.start };
                    let bytes = bytemuck::cast_slice::<_, u8>(&page)
                        .get(range.start as usize..range.end as usize)
                        .ok_or(NotRecorded)?;
                    if !bytes.is_empty() {
                        self.fill(at, range.end - range.start, bytes)?;
                    }
                }
                self.writer.r.uploads.return_scratch(page, 0..state.size);
            }
            MapLoan::InPlace => {
                let hull = written.hull(state.size);
                let bytes = bytemuck::cast_slice::<_, u8>(&page)
                    .get(hull.start as usize..hull.end as usize)
                    .ok_or(NotRecorded)?;
                self.update_bytes(handle, hull, bytes, written.ranges(state.size))?;
            }
        }
        Ok(())
    }

    fn map_texture(&mut self, handle: ResourceHandle, subresource: u32) -> Result<MappedMemory, RecordError> {
        let (at, _) =
            self.writer.footprint(handle, subresource).map_err(|NotRecorded| RecordError::OutOfMemory)?;
        let uploads = &mut self.writer.r.uploads;
        let block = uploads.own_block(at.size(), false).map_err(|_| RecordError::OutOfMemory)?;
        let bytes = uploads.lend(block, false).ok_or(bug("a free upload page is lent already"))?;
        let cookie = MapLoan::Block(block).cookie(self.writer.r.recording);
        Ok(MappedMemory::new(bytes, 0..at.size() as usize, cookie, at.row_pitch, at.depth_pitch()))
    }

    fn unmap_texture(
        &mut self,
        handle: ResourceHandle,
        subresource: u32,
        index: u32,
        page: MapPage,
        written: &Written,
    ) -> Recorded<()> {
        let (at, extent) = self.writer.footprint(handle, subresource)?;
        self.writer.r.uploads.take_back(index, page, written.ranges(at.size()));
        let ResourceDesc::Texture(desc) = &self.writer.resource(handle)?.desc else {
            return Err(NotRecorded);
        };
        let ((mip, slice), format) = (desc.mip_and_slice(subresource), desc.format);
        let dst = TexturePlace { object: self.writer.texture(handle)?, mip, origin: [0, 0, slice] };
        self.copy_to_texture(UploadSlice { block: index, offset: 0 }, at, dst, whole_blocks(format, extent))
    }
}

impl<E: PageSink> PageWriter<'_, E> {
    /// The extent of a texture's subresource in texels, and its footprint in an upload block.
    fn footprint(&self, handle: ResourceHandle, subresource: u32) -> Recorded<(Footprint, [u32; 3])> {
        let ResourceDesc::Texture(desc) = &self.resource(handle)?.desc else {
            return Err(NotRecorded);
        };
        let extent = desc.mip_extent(desc.mip_and_slice(subresource).0);
        let footprint = Footprint::of_texture(desc.format, extent, 0).ok_or(NotRecorded)?;
        Ok((footprint, extent.into()))
    }

    /// Whether a map with no-overwrite must first read the buffer back. This is the case for a buffer in its
    /// base storage, because the GPU or the buffer's creation has written data there that must be kept. On
    /// platforms that cannot wait for the GPU, the written bytes are copied to the base storage in place
    /// instead.
    pub(crate) fn must_read_base(&mut self, handle: ResourceHandle, map_type: MapType) -> bool {
        map_type == MapType::WriteNoOverwrite
            && CAN_WAIT
            && E::IS_IMMEDIATE
            && self.resource_state(handle).is_ok_and(|state| state.is(BUFFER) && state.identity == 0)
    }
}

const _: () = assert!(LARGEST_SLICE.is_multiple_of(16), "scratch memory is made of whole blocks");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_come_back_in_their_own_recording_only() {
        for loan in
            [MapLoan::Discard, MapLoan::Copy, MapLoan::InPlace, MapLoan::Block(u32::MAX), MapLoan::Block(0)]
        {
            let cookie = loan.cookie(7);
            assert_eq!(MapLoan::of_cookie(cookie, 7), Some(loan));
            assert_eq!(MapLoan::of_cookie(cookie, 8), None);
        }
    }
}
