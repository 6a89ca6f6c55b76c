//! Upload pages, which carry the application's bytes to the GPU.
//!
//! An upload page is CPU memory with a wgpu buffer of the same size. Bytes written to the CPU side are copied
//! once for each page and submission, through the immediate context's [`belt`](crate::submit::belt), before
//! the submission's commands. Copying them early is correct because a recorded slice is never written again.
//!
//! Small constants share pages, in which slices are cut one after the other at multiples of 256 bytes. Vertex
//! and index fetches are bounded only by the whole wgpu buffer, so vertex buffers, index buffers and large
//! buffers get pages of their own with a zeroed tail.
//!
//! A page is reused when it holds no identity of this context and its storage has no other owner. Later
//! copies are ordered after the submissions that used the page, so no fence is needed. A command list retains
//! the pages of its recording ([`Retained`]) with their CPU bytes as long as it lives, and they are uploaded
//! when the list is executed for the first time.

use crate::services::sizes::{COARSE_PAGE, KEEP_FREE_PAGES, KEEP_LARGE_FREE_PAGES, SMALLEST_PAGE};
pub(crate) use crate::services::sizes::{LARGEST_SLICE, SHARED_PAGE};

mod page;
mod retained;

use std::{collections::VecDeque, ops::Range, sync::Arc};

use onze_ddi::{MapBlock, MapPage, OutOfMemory, zeroed_page};

use crate::{
    objects::{
        allocator::{Storage, group_storage},
        identity::BufferIdentity,
    },
    record::{command::ObjectIndex, object_table::ObjectTable},
    services::{cache_invalidation::CacheInvalidation, gpu::Gpu},
};

use self::page::{NOTHING, UploadPage};

use self::retained::ReturnedPages;
pub(crate) use self::{
    page::{SLICE_ALIGNMENT, Written},
    retained::Retained,
};

const CLASSES: usize = 33;

const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM
    .union(wgpu::BufferUsages::STORAGE)
    .union(wgpu::BufferUsages::VERTEX)
    .union(wgpu::BufferUsages::INDEX)
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) page: u32,
    pub(crate) offset: u32,
}

/// The page that slices are cut from, with its index in [`Uploads`].
#[derive(Debug)]
struct Shared {
    index: u32,
    page: UploadPage,
}

#[derive(Debug)]
pub(crate) struct Cut<'a> {
    pub(crate) slice: Slice,
    page: &'a mut UploadPage,
}

impl Cut<'_> {
    /// Index of the slice's page in an object table, where the first use enters it.
    #[inline]
    pub(crate) fn object(self, objects: &mut ObjectTable, serial: u32) -> ObjectIndex {
        self.page.object(objects, serial)
    }
}

/// Bytes that were written to a page before it was lent again, set aside for the next submission.
#[derive(Debug)]
struct Spill {
    storage: Arc<Storage>,
    offset: u32,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Uploads {
    device: wgpu::Device,
    invalidation: Arc<CacheInvalidation>,
    pages: Vec<Option<UploadPage>>,
    holes: Vec<u32>,
    /// Free pages by size class, with those freed last at the end.
    free: [VecDeque<u32>; CLASSES],
    /// The page that slices are cut from, which is taken out of `pages` meanwhile.
    shared: Option<Shared>,
    spills: Vec<Spill>,
    /// Memory that is lent for the map of a slice.
    scratch: Vec<MapPage>,
    returned: Arc<ReturnedPages>,
    reclaims: u64,
    handed_out: u64,
}

fn class_of(size: u64) -> usize {
    size.max(SMALLEST_PAGE.into()).next_power_of_two().ilog2() as usize
}

fn page_size(size: u64) -> u64 {
    if size > COARSE_PAGE {
        size.next_multiple_of(COARSE_PAGE)
    } else {
        size.max(SMALLEST_PAGE.into()).next_power_of_two()
    }
}

impl Uploads {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            device: gpu.device.clone(),
            invalidation: gpu.invalidation.clone(),
            pages: Vec::new(),
            holes: Vec::new(),
            free: std::array::from_fn(|_| VecDeque::new()),
            shared: None,
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
    /// Fails if the GPU is out of memory.
    pub(crate) fn slice(&mut self, size: u32) -> Result<Slice, OutOfMemory> {
        let room = size.max(1).next_multiple_of(SLICE_ALIGNMENT);
        let shared = self.shared(room).ok_or(OutOfMemory)?;
        let offset = shared.page.used;
        shared.page.used += room;
        let slice = Slice { page: shared.index, offset };
        self.handed_out += u64::from(room);
        Ok(slice)
    }

    /// Turns to another shared page if the current one has no room for `units` times [`SLICE_ALIGNMENT`]
    /// bytes. Returns false if there was room already, or if the GPU is out of memory.
    pub(crate) fn make_room(&mut self, units: u16) -> bool {
        let room = u32::from(units) * SLICE_ALIGNMENT;
        let has_room = self.shared.as_ref().is_some_and(|Shared { page, .. }| room <= page.size - page.used);
        !has_room && self.turn_over().is_some()
    }

    /// The page that slices are cut from, with at least `room` bytes left.
    fn shared(&mut self, room: u32) -> Option<&mut Shared> {
        let has_room = self.shared.as_ref().is_some_and(|Shared { page, .. }| room <= page.size - page.used);
        if !has_room {
            self.turn_over()?;
        }
        self.shared.as_mut()
    }

    #[cold]
    fn turn_over(&mut self) -> Option<()> {
        let index = self.take(SHARED_PAGE, true).ok()?;
        self.define(index);
        self.put_back();
        self.take_out(index)
    }

    /// Puts the page that slices are cut from back into `pages`.
    fn put_back(&mut self) -> Option<u32> {
        let Shared { index, mut page } = self.shared.take()?;
        page.zero_from = page.zero_from.max(page.used);
        *self.pages.get_mut(index as usize)? = Some(page);
        Some(index)
    }

    fn take_out(&mut self, index: u32) -> Option<()> {
        let page = self.pages.get_mut(index as usize)?.take()?;
        self.shared = Some(Shared { index, page });
        Some(())
    }

    /// Cuts a slice of `units` times [`SLICE_ALIGNMENT`] bytes, which contains `data` from offset `at` and
    /// zeros elsewhere. Returns `None` without any effect if the page has no room for it.
    #[inline(always)]
    pub(crate) fn cut(&mut self, units: u16, at: u32, data: &[u8]) -> Option<Cut<'_>> {
        let room = u32::from(units) * SLICE_ALIGNMENT;
        let Shared { index, page } = self.shared.as_mut()?;
        let offset = page.cut(room, at, data)?;
        self.handed_out += u64::from(room);
        Some(Cut { slice: Slice { page: *index, offset }, page })
    }

    /// Takes a page for one buffer or one copy. If it may be bound (`bound`), all of the page is defined, and
    /// it is zero after `size`.
    ///
    /// # Errors
    /// Fails if the GPU is out of memory.
    pub(crate) fn own_page(&mut self, size: u32, bound: bool) -> Result<u32, OutOfMemory> {
        let index = self.take(size, bound)?;
        if bound {
            self.define(index);
        }
        if let Some(page) = self.page_mut(index) {
            (page.used, page.sent) = (page.size, page.size);
            if bound && page.zero_from > size {
                let tail = size..page.zero_from;
                if let Some(bytes) =
                    page.bytes_mut().and_then(|b| b.get_mut(tail.start as usize..tail.end as usize))
                {
                    bytes.fill(0);
                }
                page.mark(tail);
                page.zero_from = size;
            }
            self.handed_out += u64::from(page.size);
        }
        Ok(index)
    }

    /// Takes a slice, or above [`LARGEST_SLICE`] a whole page, for bytes that are only copied from.
    ///
    /// # Errors
    /// Fails if the GPU is out of memory.
    pub(crate) fn copy_source(&mut self, size: u32) -> Result<Slice, OutOfMemory> {
        if size <= LARGEST_SLICE {
            self.slice(size)
        } else {
            Ok(Slice { page: self.own_page(size, false)?, offset: 0 })
        }
    }

    /// The CPU bytes of a slice, marked for upload.
    pub(crate) fn write(&mut self, at: Slice, size: u32) -> Option<&mut [u8]> {
        let page = self.page_mut(at.page)?;
        let range = at.offset..at.offset.checked_add(size)?;
        page.mark(range.clone());
        page.bytes_mut()?.get_mut(range.start as usize..range.end as usize)
    }

    pub(crate) fn read(&self, at: Slice, size: u32) -> Option<&[u8]> {
        let end = at.offset.checked_add(size)?;
        self.page(at.page)?.bytes()?.get(at.offset as usize..end as usize)
    }

    /// Lends the CPU side of a page, after setting aside bytes that are not yet uploaded if `spill` is set,
    /// so that a submission can upload them while the page is lent.
    pub(crate) fn lend(&mut self, index: u32, spill: bool) -> Option<MapPage> {
        let page = self.pages.get_mut(index as usize)?.as_mut()?;
        if spill && !page.is_clean() {
            for range in page.unsent() {
                let aligned = page.whole_words(&range);
                let bytes = page.bytes()?.get(aligned.start as usize..aligned.end as usize)?;
                match self.spills.last_mut() {
                    Some(last)
                        if Arc::ptr_eq(&last.storage, &page.storage)
                            && last.offset as usize + last.bytes.len() == aligned.start as usize =>
                    {
                        last.bytes.extend_from_slice(bytes);
                    }
                    _ => {
                        let (storage, bytes) = (page.storage.clone(), bytes.to_vec());
                        self.spills.push(Spill { storage, offset: aligned.start, bytes });
                    }
                }
            }
            page.clean();
        }
        page.bytes.take()
    }

    /// Takes the CPU side of a lent page back and marks the ranges that were written.
    pub(crate) fn take_back(
        &mut self,
        index: u32,
        bytes: MapPage,
        written: impl Iterator<Item = Range<u32>>,
    ) {
        let Some(page) = self.page_mut(index) else {
            return;
        };
        let fits = bytes.len() as u64 * size_of::<MapBlock>() as u64 == page.storage.size;
        if page.bytes.is_none() && fits {
            page.bytes = Some(bytes);
            written.for_each(|range| page.mark_apart(range));
        }
    }

    /// Index of a page in an object table, where the first use enters it.
    pub(crate) fn object(
        &mut self,
        index: u32,
        objects: &mut ObjectTable,
        serial: u32,
    ) -> Option<ObjectIndex> {
        Some(self.page_mut(index)?.object(objects, serial))
    }

    /// The identity of a buffer of `size` bytes in a slice.
    pub(crate) fn identity(&self, at: Slice, size: u32) -> Option<BufferIdentity> {
        let storage = self.page(at.page)?.storage.clone();
        Some(BufferIdentity { storage, offset: at.offset.into(), size: size.into() })
    }

    /// Counts an identity in a page, which prevents the page's reuse.
    pub(crate) fn retain(&mut self, index: u32) {
        if let Some(page) = self.page_mut(index) {
            page.identities += 1;
        }
    }

    pub(crate) fn release(&mut self, index: u32) {
        if let Some(page) = self.page_mut(index) {
            page.identities = page.identities.saturating_sub(1);
        }
    }

    /// Takes memory for the map of a slice: [`LARGEST_SLICE`] zero bytes.
    pub(crate) fn scratch(&mut self) -> MapPage {
        self.scratch.pop().unwrap_or_else(|| zeroed_page(LARGEST_SLICE as usize))
    }

    /// Like [`Uploads::scratch`], but returns `None` instead of allocating memory if no scratch memory is
    /// left.
    #[inline]
    pub(crate) fn spare_scratch(&mut self) -> Option<MapPage> {
        self.scratch.pop()
    }

    /// Takes such memory back and zeroes the range `written`, so that no map sees data of an earlier one.
    #[inline]
    pub(crate) fn return_scratch(&mut self, mut page: MapPage, written: Range<u32>) {
        let end = written.end.min(LARGEST_SLICE) as usize;
        let start = (written.start as usize).min(end);
        if let Some(bytes) = bytemuck::cast_slice_mut::<_, u8>(&mut page).get_mut(start..end) {
            bytes.fill(0);
        }
        if page.len() * size_of::<MapBlock>() == LARGEST_SLICE as usize && self.scratch.len() < 16 {
            self.scratch.push(page);
        }
    }

    /// Passes every range that was written since the last call to `write`, for upload before the next
    /// submission, and returns the number of bytes.
    pub(crate) fn upload(&mut self, mut write: impl FnMut(Written<'_>)) -> u64 {
        let mut sent = 0;
        // Spilled bytes are older than the present contents of their page, so they go first.
        for spill in self.spills.drain(..) {
            let (buffer, offset) = (&spill.storage.buffer, spill.offset.into());
            write(Written { buffer, offset, bytes: &spill.bytes, written_to: SLICE_ALIGNMENT });
            sent += spill.bytes.len() as u64;
        }
        let shared = self.shared.iter_mut().map(|shared| &mut shared.page);
        for page in self.pages.iter_mut().flatten().chain(shared) {
            if !page.free {
                sent += page.upload(&mut write);
                page.clean();
            }
        }
        sent
    }

    /// Discards the bytes that a dropped recording has set aside.
    pub(crate) fn forget_spills(&mut self) {
        self.spills.clear();
    }

    /// Frees pages without users, which the immediate context requests after a submission and a deferred one
    /// between two recordings.
    pub(crate) fn reclaim(&mut self) {
        self.reclaims += 1;
        self.handed_out = 0;
        self.take_returned();
        let shared = self.put_back();
        for index in 0..self.pages.len() {
            let Some(page) = self.pages.get_mut(index).and_then(Option::as_mut) else {
                continue;
            };
            // Pages of commands, exports of lists and snapshots of imports all hold references to the
            // storage.
            let unused =
                page.identities == 0 && page.bytes.is_some() && Arc::get_mut(&mut page.storage).is_some();
            if page.free || !unused {
                continue;
            }
            page.free = true;
            page.free_since = self.reclaims;
            self.free[class_of(page.storage.size)].push_back(index as u32);
        }
        if let Some(index) = shared
            && self.page(index).is_some_and(|page| !page.free)
        {
            self.take_out(index);
        }
        self.drop_old(KEEP_FREE_PAGES, KEEP_LARGE_FREE_PAGES);
    }

    pub(crate) fn trim(&mut self) {
        self.reclaim();
        self.drop_old(0, 0);
        self.scratch.clear();
    }

    /// Moves all pages in use to a list, in order and with their indices here, and leaves the upload to the
    /// list's execution.
    pub(crate) fn keep(&mut self, retained: &mut Vec<(u32, Arc<Retained>)>) {
        self.put_back();
        for index in 0..self.pages.len() {
            let place = &mut self.pages[index];
            if place.as_ref().is_none_or(|page| page.free) {
                continue;
            }
            if let Some(page) = place.take() {
                self.holes.push(index as u32);
                retained.push((index as u32, Arc::new(Retained::new(page, &self.returned))));
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        let shared = self.shared.iter().map(|shared| &shared.page);
        self.pages.iter().flatten().chain(shared).map(|page| page.storage.size).sum()
    }

    fn page(&self, index: u32) -> Option<&UploadPage> {
        match &self.shared {
            Some(shared) if shared.index == index => Some(&shared.page),
            _ => self.pages.get(index as usize)?.as_ref(),
        }
    }

    fn page_mut(&mut self, index: u32) -> Option<&mut UploadPage> {
        match &mut self.shared {
            Some(shared) if shared.index == index => Some(&mut shared.page),
            _ => self.pages.get_mut(index as usize)?.as_mut(),
        }
    }

    /// Makes sure that all bytes of a page are defined before the page is bound.
    fn define(&mut self, index: u32) {
        if let Some(page) = self.page_mut(index)
            && !page.defined
        {
            page.defined = true;
            // The CPU side is zero where nothing was written, so uploading all of it defines the page.
            page.dirty = 0..page.size;
        }
    }

    fn take_returned(&mut self) {
        while let Some(mut page) = self.returned.pop() {
            page.identities = 0;
            page.serial = 0;
            page.free = false;
            if page.bytes.is_some() {
                self.insert(page);
            }
        }
    }

    fn insert(&mut self, page: UploadPage) -> u32 {
        if let Some(index) = self.holes.pop()
            && let Some(place) = self.pages.get_mut(index as usize)
        {
            *place = Some(page);
            return index;
        }
        self.pages.push(Some(page));
        self.pages.len() as u32 - 1
    }

    /// Takes a free page of at least `size` bytes or creates a new one, which is defined if it is to be
    /// bound.
    fn take(&mut self, size: u32, bound: bool) -> Result<u32, OutOfMemory> {
        let size = u64::from(size);
        let class = class_of(page_size(size));
        let free = self.free.get_mut(class).ok_or(OutOfMemory)?;
        // Sizes within a class differ only above COARSE_PAGE, where pages are few and a search is cheap.
        let found = free.iter().rposition(|index| {
            self.pages
                .get(*index as usize)
                .and_then(Option::as_ref)
                .is_some_and(|page| page.storage.size >= size)
        });
        if let Some(index) = found.and_then(|at| free.remove(at)) {
            if let Some(page) = self.page_mut(index) {
                page.free = false;
                (page.used, page.sent) = (0, 0);
                page.identities = 0;
            }
            return Ok(index);
        }
        // Most pages are bound by a worker before they are uploaded. Bind groups made then would contain an
        // uninitialized buffer, so wgpu would check at each bind whether it must clear that buffer. A new
        // page that is to be bound is therefore defined at creation.
        let size = page_size(size);
        let storage = group_storage(&self.device, &self.invalidation, "upload page", size, USAGES, bound)?;
        let bytes = Some(zeroed_page(storage.size as usize));
        // Sizes are requested as u32 and rounded up only slightly.
        let size = u32::try_from(storage.size).unwrap_or(u32::MAX);
        Ok(self.insert(UploadPage {
            storage,
            size,
            bytes,
            dirty: NOTHING,
            apart: Vec::new(),
            used: 0,
            sent: 0,
            zero_from: 0,
            written_to: 0,
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
            let keep = if 1u64 << class > COARSE_PAGE { keep_large } else { keep };
            while let Some(index) = free.front().copied() {
                let place = self.pages.get_mut(index as usize);
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
