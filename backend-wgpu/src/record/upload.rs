//! Upload blocks, which transfer the application's bytes to the GPU.
//!
//! An upload block is CPU memory paired with a wgpu buffer of the same size. For each submission, the bytes
//! written to the CPU side are copied to the buffer through the immediate context's
//! [`belt`](crate::submit::belt), before the submission's commands. This early copy is correct because a
//! recorded slice is not overwritten before the submission.
//!
//! Small constant buffers share blocks, with their slices cut one after another at multiples of the alignment that the
//! adapter requires for offsets of constant buffers.
//! Vertex and index fetches are bounded only by the whole wgpu buffer, so each vertex buffer, index buffer or
//! large buffer gets a separate block with a zeroed tail.
//!
//! The bytes of one block are lent to the runtime as the context's [`UploadPage`], in which the application
//! writes the contents of small dynamic buffers. They are taken back before a submission.
//!
//! A block is reused when none of this context's identities is in it and its storage has no other owner.
//! Later copies are ordered after the submissions that used the block, so no fence is needed. A command list
//! retains the blocks of its recording with their CPU bytes ([`RetainedBlock`]) until it is dropped, and
//! uploads them when it is executed for the first time.

use crate::services::sizes::{COARSE_BLOCK, KEEP_FREE_BLOCKS, KEEP_LARGE_FREE_BLOCKS, SMALLEST_BLOCK};
pub(crate) use crate::services::sizes::{LARGEST_SLICE, SHARED_BLOCK};

mod block;
mod retained;

use std::{collections::VecDeque, ops::Range, sync::Arc};

use onze_ddi::{MapBlock, MapPage, OutOfMemory, UploadPage, zeroed_page};

use crate::{
    objects::{
        allocator::{Storage, group_storage},
        identity::BufferIdentity,
    },
    record::{command::ObjectIndex, object_table::ObjectTable},
    services::{cache_invalidation::CacheInvalidation, gpu::Gpu},
};

use self::block::NOTHING;

use self::retained::ReturnedBlocks;
pub(crate) use self::{
    block::{BufferWrite, UploadBlock},
    retained::RetainedBlock,
};

const CLASSES: usize = 33;

const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM
    .union(wgpu::BufferUsages::STORAGE)
    .union(wgpu::BufferUsages::VERTEX)
    .union(wgpu::BufferUsages::INDEX)
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct UploadSlice {
    pub(crate) block: u32,
    pub(crate) offset: u32,
}

/// The block that slices are currently cut from, with its index in [`Uploads`].
#[derive(Debug)]
struct SharedBlock {
    index: u32,
    block: UploadBlock,
}

/// A slice with its block.
#[derive(Debug)]
pub(crate) struct CutSlice<'a> {
    pub(crate) slice: UploadSlice,
    pub(crate) block: &'a mut UploadBlock,
}

/// Bytes that were written to a block before the block was lent again, set aside for the next submission.
#[derive(Debug)]
struct SpilledBytes {
    storage: Arc<Storage>,
    offset: u32,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Uploads {
    device: wgpu::Device,
    /// Alignment of slices that the adapter requires.
    alignment: u32,
    invalidation: Arc<CacheInvalidation>,
    blocks: Vec<Option<UploadBlock>>,
    holes: Vec<u32>,
    /// Free blocks by size class, with the most recently freed blocks at the end.
    free: [VecDeque<u32>; CLASSES],
    /// The block that slices are currently cut from, kept out of `blocks` during that time.
    shared: Option<SharedBlock>,
    /// The block whose bytes are lent as the context's upload page, also kept out of `blocks`.
    lent: Option<SharedBlock>,
    /// The block that was lent last, if its rest can be lent again.
    last_lent: Option<u32>,
    spills: Vec<SpilledBytes>,
    /// Memory that is lent when a slice is mapped.
    scratch: Vec<MapPage>,
    returned: Arc<ReturnedBlocks>,
    reclaims: u64,
    handed_out: u64,
}

fn class_of(size: u64) -> usize {
    size.max(SMALLEST_BLOCK.into()).next_power_of_two().ilog2() as usize
}

fn block_size(size: u64) -> u64 {
    if size > COARSE_BLOCK {
        size.next_multiple_of(COARSE_BLOCK)
    } else {
        size.max(SMALLEST_BLOCK.into()).next_power_of_two()
    }
}

impl Uploads {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            device: gpu.device.clone(),
            alignment: gpu.slice_alignment(),
            invalidation: gpu.invalidation.clone(),
            blocks: Vec::new(),
            holes: Vec::new(),
            free: std::array::from_fn(|_| VecDeque::new()),
            shared: None,
            lent: None,
            last_lent: None,
            spills: Vec::new(),
            scratch: Vec::new(),
            returned: Arc::default(),
            reclaims: 0,
            handed_out: 0,
        }
    }

    pub(crate) fn handed_out(&self) -> u64 {
        self.handed_out
    }

    /// Cuts a slice of at most [`LARGEST_SLICE`] bytes for a constant buffer or for a copy.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the GPU is out of memory.
    pub(crate) fn slice(&mut self, size: u32) -> Result<UploadSlice, OutOfMemory> {
        let room = size.max(1).next_multiple_of(self.alignment);
        self.make_room(room);
        let SharedBlock { index, block } = self.shared.as_mut().ok_or(OutOfMemory)?;
        let offset = block.next_slice(room).ok_or(OutOfMemory)?;
        block.used = offset + room;
        let slice = UploadSlice { block: *index, offset };
        self.handed_out += u64::from(room);
        Ok(slice)
    }

    /// Turns to another shared block if the current block lacks room for a slice of `room` bytes, and returns
    /// false if there was enough room, or if the GPU is out of memory.
    pub(crate) fn make_room(&mut self, room: u32) -> bool {
        let has_room =
            self.shared.as_ref().is_some_and(|SharedBlock { block, .. }| block.next_slice(room).is_some());
        !has_room && self.turn_over().is_some()
    }

    #[cold]
    fn turn_over(&mut self) -> Option<()> {
        let index = self.take(SHARED_BLOCK, true).ok()?;
        self.define(index);
        self.put_back();
        self.take_out(index)
    }

    /// Puts the block that slices are cut from back into `blocks`.
    fn put_back(&mut self) -> Option<u32> {
        let SharedBlock { index, mut block } = self.shared.take()?;
        block.zero_from = block.zero_from.max(block.used);
        *self.blocks.get_mut(index as usize)? = Some(block);
        Some(index)
    }

    fn take_out(&mut self, index: u32) -> Option<()> {
        let block = self.blocks.get_mut(index as usize)?.take()?;
        self.shared = Some(SharedBlock { index, block });
        Some(())
    }

    /// Cuts a slice of `room` bytes, a multiple of the adapter's alignment, that contains `data`
    /// followed by zeros, or returns `None` without any effect if the block lacks room.
    #[inline(always)]
    pub(crate) fn cut(&mut self, room: u32, data: &[u8]) -> Option<CutSlice<'_>> {
        let SharedBlock { index, block } = self.shared.as_mut()?;
        let offset = block.cut(room, data)?;
        self.handed_out += u64::from(room);
        Some(CutSlice { slice: UploadSlice { block: *index, offset }, block })
    }

    /// Lends the context an upload page: the rest of the previous one, if it has room, or a new block.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the GPU is out of memory.
    pub(crate) fn lend_page(&mut self, page: &mut UploadPage) -> Result<(), OutOfMemory> {
        let last = self.last_lent.take().filter(|_| self.lent.is_none());
        self.take_page_back(page);
        let has_room = |block: &&UploadBlock| block.next_slice(LARGEST_SLICE).is_some();
        let index = match last.filter(|index| self.block(*index).filter(has_room).is_some()) {
            Some(index) => index,
            None => {
                let index = self.take(SHARED_BLOCK, true)?;
                self.define(index);
                index
            }
        };
        let place = self.blocks.get_mut(index as usize).ok_or(OutOfMemory)?;
        let mut block = place.take().ok_or(OutOfMemory)?;
        page.lend(block.bytes.take().unwrap_or_default(), block.used, self.alignment);
        self.lent = Some(SharedBlock { index, block });
        Ok(())
    }

    /// Ends the loan of the upload page, whose slices have been taken.
    pub(crate) fn take_page_back(&mut self, page: &mut UploadPage) {
        let Some((SharedBlock { index, mut block }, (bytes, used))) = self.lent.take().zip(page.take_back())
        else {
            return;
        };
        self.handed_out += u64::from(used - block.used);
        (block.bytes, block.used, block.zero_from) = (Some(bytes), used, block.zero_from.max(used));
        if let Some(place) = self.blocks.get_mut(index as usize) {
            *place = Some(block);
            self.last_lent = Some(index);
        }
    }

    /// Returns the index of the block that is lent as the upload page, and the block's index in an object
    /// table.
    #[inline]
    pub(crate) fn lent_object(
        &mut self,
        objects: &mut ObjectTable,
        serial: u32,
    ) -> Option<(u32, ObjectIndex)> {
        let SharedBlock { index, block } = self.lent.as_mut()?;
        Some((*index, block.object(objects, serial)))
    }

    /// Takes a block for one buffer or one copy. If it may be bound (`bound`), all of the block is defined,
    /// and all bytes after `size` are zero.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the GPU is out of memory.
    pub(crate) fn own_block(&mut self, size: u32, bound: bool) -> Result<u32, OutOfMemory> {
        let index = self.take(size, bound)?;
        if bound {
            self.define(index);
        }
        if let Some(block) = self.block_mut(index) {
            (block.used, block.sent) = (block.size, block.size);
            if bound && block.zero_from > size {
                let tail = size..block.zero_from;
                if let Some(bytes) =
                    block.bytes_mut().and_then(|b| b.get_mut(tail.start as usize..tail.end as usize))
                {
                    bytes.fill(0);
                }
                block.mark(tail);
                block.zero_from = size;
            }
            self.handed_out += u64::from(block.size);
        }
        Ok(index)
    }

    /// Takes memory for bytes that are only copied from: a slice or, above [`LARGEST_SLICE`], a whole block.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the GPU is out of memory.
    pub(crate) fn copy_source(&mut self, size: u32) -> Result<UploadSlice, OutOfMemory> {
        if size <= LARGEST_SLICE {
            self.slice(size)
        } else {
            Ok(UploadSlice { block: self.own_block(size, false)?, offset: 0 })
        }
    }

    /// Marks a slice for upload and returns its CPU bytes.
    pub(crate) fn write(&mut self, at: UploadSlice, size: u32) -> Option<&mut [u8]> {
        let block = self.block_mut(at.block)?;
        let range = at.offset..at.offset.checked_add(size)?;
        block.mark(range.clone());
        block.bytes_mut()?.get_mut(range.start as usize..range.end as usize)
    }

    pub(crate) fn read(&self, at: UploadSlice, size: u32) -> Option<&[u8]> {
        let end = at.offset.checked_add(size)?;
        self.block(at.block)?.bytes()?.get(at.offset as usize..end as usize)
    }

    /// Lends the CPU side of a block. If `spill` is set, bytes that are not yet uploaded are set aside first,
    /// so that a submission can upload them while the block is lent.
    pub(crate) fn lend(&mut self, index: u32, spill: bool) -> Option<MapPage> {
        let block = self.blocks.get_mut(index as usize)?.as_mut()?;
        if spill && !block.is_clean() {
            for range in block.unsent() {
                let aligned = block.whole_words(&range);
                let bytes = block.bytes()?.get(aligned.start as usize..aligned.end as usize)?;
                match self.spills.last_mut() {
                    Some(last)
                        if Arc::ptr_eq(&last.storage, &block.storage)
                            && last.offset as usize + last.bytes.len() == aligned.start as usize =>
                    {
                        last.bytes.extend_from_slice(bytes);
                    }
                    _ => {
                        let (storage, bytes) = (block.storage.clone(), bytes.to_vec());
                        self.spills.push(SpilledBytes { storage, offset: aligned.start, bytes });
                    }
                }
            }
            block.clean();
        }
        block.bytes.take()
    }

    /// Takes back the CPU side of a lent block, and marks the ranges that were written.
    pub(crate) fn take_back(
        &mut self,
        index: u32,
        bytes: MapPage,
        written: impl Iterator<Item = Range<u32>>,
    ) {
        let Some(block) = self.block_mut(index) else {
            return;
        };
        let fits = bytes.len() as u64 * size_of::<MapBlock>() as u64 == block.storage.size;
        if block.bytes.is_none() && fits {
            block.bytes = Some(bytes);
            written.for_each(|range| block.mark_apart(range));
        }
    }

    /// Index of a block in an object table, entered there by the first use.
    pub(crate) fn object(
        &mut self,
        index: u32,
        objects: &mut ObjectTable,
        serial: u32,
    ) -> Option<ObjectIndex> {
        Some(self.block_mut(index)?.object(objects, serial))
    }

    /// The identity of a buffer of `size` bytes whose bytes are in a slice.
    pub(crate) fn identity(&self, at: UploadSlice, size: u32) -> Option<BufferIdentity> {
        let storage = self.block(at.block)?.storage.clone();
        Some(BufferIdentity { storage, offset: at.offset.into(), size: size.into() })
    }

    /// Increments the number of identities in a block, so that the block is not reused.
    pub(crate) fn retain(&mut self, index: u32) {
        if let Some(block) = self.block_mut(index) {
            block.identities += 1;
        }
    }

    pub(crate) fn release(&mut self, index: u32) {
        if let Some(block) = self.block_mut(index) {
            block.identities = block.identities.saturating_sub(1);
        }
    }

    /// Takes memory for the map of a slice, with [`LARGEST_SLICE`] zero bytes.
    pub(crate) fn scratch(&mut self) -> MapPage {
        self.scratch.pop().unwrap_or_else(|| zeroed_page(LARGEST_SLICE as usize))
    }

    /// Like [`Uploads::scratch`], but returns `None` instead of allocating memory.
    #[inline]
    pub(crate) fn spare_scratch(&mut self) -> Option<MapPage> {
        self.scratch.pop()
    }

    /// Takes back scratch memory and zeroes the range `written`, so that a later map does not see its data.
    #[inline]
    pub(crate) fn return_scratch(&mut self, mut memory: MapPage, written: Range<u32>) {
        let end = written.end.min(LARGEST_SLICE) as usize;
        let start = (written.start as usize).min(end);
        if let Some(bytes) = bytemuck::cast_slice_mut::<_, u8>(&mut memory).get_mut(start..end) {
            bytes.fill(0);
        }
        if memory.len() * size_of::<MapBlock>() == LARGEST_SLICE as usize && self.scratch.len() < 16 {
            self.scratch.push(memory);
        }
    }

    /// Passes each range that is not uploaded yet to `write`, which uploads the range before the next
    /// submission, and returns the number of bytes.
    pub(crate) fn upload(&mut self, mut write: impl FnMut(BufferWrite<'_>)) -> u64 {
        let mut sent = 0;
        // Spilled bytes are older than the current contents of their block, so they are uploaded first.
        for spill in self.spills.drain(..) {
            let (buffer, offset) = (&spill.storage.buffer, spill.offset.into());
            write(BufferWrite { buffer, offset, bytes: &spill.bytes });
            sent += spill.bytes.len() as u64;
        }
        let shared = self.shared.iter_mut().map(|shared| &mut shared.block);
        for block in self.blocks.iter_mut().flatten().chain(shared) {
            if !block.free {
                sent += block.upload(&mut write);
                block.clean();
            }
        }
        sent
    }

    /// Discards the bytes that an abandoned recording has set aside.
    pub(crate) fn forget_spills(&mut self) {
        self.spills.clear();
    }

    /// Frees blocks that have no user. The immediate context calls this after a submission, and a deferred
    /// context calls it between two recordings.
    pub(crate) fn reclaim(&mut self) {
        self.reclaims += 1;
        self.handed_out = 0;
        self.take_returned();
        let shared = self.put_back();
        for index in 0..self.blocks.len() {
            let Some(block) = self.blocks.get_mut(index).and_then(Option::as_mut) else {
                continue;
            };
            // Pages of commands, exports of lists and snapshots of imports can all hold references to the
            // storage.
            let unused =
                block.identities == 0 && block.bytes.is_some() && Arc::get_mut(&mut block.storage).is_some();
            if block.free || !unused {
                continue;
            }
            block.free = true;
            block.free_since = self.reclaims;
            self.last_lent = self.last_lent.filter(|last| *last != index as u32);
            self.free[class_of(block.storage.size)].push_back(index as u32);
        }
        if let Some(index) = shared
            && self.block(index).is_some_and(|block| !block.free)
        {
            self.take_out(index);
        }
        self.drop_old(KEEP_FREE_BLOCKS, KEEP_LARGE_FREE_BLOCKS);
    }

    pub(crate) fn trim(&mut self) {
        self.reclaim();
        self.drop_old(0, 0);
        self.scratch.clear();
    }

    /// Moves all blocks in use to a list, in order and with their current indices, to be uploaded when the
    /// list is executed.
    pub(crate) fn keep(&mut self, retained: &mut Vec<(u32, Arc<RetainedBlock>)>) {
        self.put_back();
        self.last_lent = None;
        for index in 0..self.blocks.len() {
            let place = &mut self.blocks[index];
            if place.as_ref().is_none_or(|block| block.free) {
                continue;
            }
            if let Some(block) = place.take() {
                self.holes.push(index as u32);
                retained.push((index as u32, Arc::new(RetainedBlock::new(block, &self.returned))));
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        let shared = self.shared.iter().map(|shared| &shared.block);
        self.blocks.iter().flatten().chain(shared).map(|block| block.storage.size).sum()
    }

    fn block(&self, index: u32) -> Option<&UploadBlock> {
        match [&self.shared, &self.lent].into_iter().flatten().find(|shared| shared.index == index) {
            Some(shared) => Some(&shared.block),
            None => self.blocks.get(index as usize)?.as_ref(),
        }
    }

    fn block_mut(&mut self, index: u32) -> Option<&mut UploadBlock> {
        let shared = [&mut self.shared, &mut self.lent].into_iter().flatten();
        match shared.into_iter().find(|shared| shared.index == index) {
            Some(shared) => Some(&mut shared.block),
            None => self.blocks.get_mut(index as usize)?.as_mut(),
        }
    }

    /// Ensures that all bytes of a block are defined before the block is bound.
    fn define(&mut self, index: u32) {
        if let Some(block) = self.block_mut(index)
            && !block.defined
        {
            block.defined = true;
            // The CPU side is zero where nothing was written, so uploading the whole block defines all of it.
            block.dirty = 0..block.size;
        }
    }

    fn take_returned(&mut self) {
        while let Some(mut block) = self.returned.pop() {
            block.identities = 0;
            block.serial = 0;
            block.free = false;
            if block.bytes.is_some() {
                self.insert(block);
            }
        }
    }

    fn insert(&mut self, block: UploadBlock) -> u32 {
        if let Some(index) = self.holes.pop()
            && let Some(place) = self.blocks.get_mut(index as usize)
        {
            *place = Some(block);
            return index;
        }
        self.blocks.push(Some(block));
        self.blocks.len() as u32 - 1
    }

    /// Takes a free block of at least `size` bytes or creates a new block, which is defined if it is to be
    /// bound.
    fn take(&mut self, size: u32, bound: bool) -> Result<u32, OutOfMemory> {
        let size = u64::from(size);
        let class = class_of(block_size(size));
        let free = self.free.get_mut(class).ok_or(OutOfMemory)?;
        // Sizes within a class differ only above `COARSE_BLOCK`, where blocks are few and a search is cheap.
        let found = free.iter().rposition(|index| {
            self.blocks
                .get(*index as usize)
                .and_then(Option::as_ref)
                .is_some_and(|block| block.storage.size >= size)
        });
        if let Some(index) = found.and_then(|at| free.remove(at)) {
            if let Some(block) = self.block_mut(index) {
                block.free = false;
                (block.used, block.sent) = (0, 0);
                block.identities = 0;
            }
            return Ok(index);
        }
        // Most blocks are bound by a worker before they are uploaded. Bind groups that are created before the
        // upload would contain an uninitialized buffer, so wgpu would check at each bind whether it must
        // clear that buffer. For this reason, a new block that is to be bound is defined at creation.
        let size = block_size(size);
        let storage = group_storage(&self.device, &self.invalidation, "upload page", size, USAGES, bound)?;
        let bytes = Some(zeroed_page(storage.size as usize));
        // Sizes are requested as `u32` and rounded up only slightly.
        let size = u32::try_from(storage.size).unwrap_or(u32::MAX);
        Ok(self.insert(UploadBlock {
            storage,
            size,
            bytes,
            dirty: NOTHING,
            apart: Vec::new(),
            used: 0,
            sent: 0,
            zero_from: 0,
            identities: 0,
            defined: bound,
            free: false,
            free_since: 0,
            serial: 0,
            object: 0,
        }))
    }

    fn drop_old(&mut self, keep: u64, keep_large: u64) {
        for (class, free) in self.free.iter_mut().enumerate() {
            let keep = if 1u64 << class > COARSE_BLOCK { keep_large } else { keep };
            while let Some(index) = free.front().copied() {
                let place = self.blocks.get_mut(index as usize);
                let old = place.is_some_and(|place| {
                    let old = place.as_ref().is_none_or(|p| p.free_since + keep <= self.reclaims);
                    if old {
                        *place = None;
                    }
                    old
                });
                if !old {
                    break;
                }
                self.holes.push(index);
                free.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests;
