//! Handle storage: a context's private data for each object that it uses, on cache lines that contexts do not
//! share.
//!
//! The runtime owns one storage per context, and an object that is open in the context has a block of whole
//! cache lines that no other context accesses. The first [`RUNTIME_BYTES`] of the block belong to the
//! runtime, and the rest are the driver's private bytes. Each side accesses its bytes as a plain-data struct
//! through `bytemuck`. The storage also contains references to the object's two read-only halves, the
//! [`DriverObject`] and the [`RuntimeObject`], which all contexts share.
//!
//! Looking up a handle takes two array accesses: one to a paged table that is indexed by the key, and one to
//! the block. Closed blocks are reused, and [`HandleStorage::trim`] gives back memory after a peak in usage.
//!
//! ```
//! use std::{num::NonZeroU32, sync::Arc};
//!
//! use onze_ddi::{HandleStorage, Key, ResourceHandle};
//!
//! // The runtime opens a handle with the number of private bytes that the driver requested.
//! let key = Key::new(0, NonZeroU32::MIN);
//! let mut storage = HandleStorage::new();
//! assert!(storage.open(key, size_of::<u32>(), Arc::new("the driver's half"), Arc::new(())));
//!
//! // The driver counts binds in its private bytes, which no other context accesses.
//! let buffer = ResourceHandle::new(key);
//! *storage.private_mut::<u32, _>(buffer).expect("open") += 1;
//! assert_eq!(storage.private::<u32, _>(buffer), Some(&1));
//! assert_eq!(storage.object_as::<&str, _>(buffer).as_deref(), Some(&"the driver's half"));
//! ```

use std::{any::Any, cell::Cell, ops::Range, sync::Arc};

use bytemuck::{Pod, Zeroable};

use crate::{
    device::DriverObject,
    handle::{Handle, Key},
    upload_page::UploadPage,
};

/// Alignment of blocks and unit of their sizes, in bytes, to keep two contexts from writing to the same cache
/// line.
pub const CACHE_LINE: usize = 64;

/// Number of bytes at the start of each block that belong to the runtime.
pub const RUNTIME_BYTES: usize = 16;

/// Maximum number of private bytes that a driver may request for a handle.
pub const MAX_PRIVATE_BYTES: usize = MAX_LINES * CACHE_LINE - RUNTIME_BYTES;

/// Maximum number of cache lines in a block.
const MAX_LINES: usize = 8;
/// Number of entries in a table page.
const PAGE: usize = 256;

/// The runtime's read-only half of an object, which all contexts share.
pub type RuntimeObject = Arc<dyn Any + Send + Sync>;

#[derive(Copy, Clone, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; CACHE_LINE / WORD]);

/// Size of a line's elements in bytes, chosen so that casts to data with the same alignment need no alignment
/// check.
const WORD: usize = size_of::<u64>();

const RUNTIME_WORDS: usize = RUNTIME_BYTES / WORD;

/// Whether private data of type `T` consists of whole words and fits into the first line after the runtime's
/// bytes.
const fn is_short<T>() -> bool {
    size_of::<T>().is_multiple_of(WORD) && RUNTIME_BYTES + size_of::<T>() <= CACHE_LINE
}

impl Line {
    #[inline]
    fn words<T>(&self) -> &[u64] {
        &self.0[RUNTIME_WORDS..RUNTIME_WORDS + size_of::<T>() / WORD]
    }

    #[inline]
    fn words_mut<T>(&mut self) -> &mut [u64] {
        &mut self.0[RUNTIME_WORDS..RUNTIME_WORDS + size_of::<T>() / WORD]
    }
}

#[derive(Copy, Clone, Default)]
struct BlockLocation {
    /// The key of the block's handle, or `None` if the block is free.
    key: Option<Key>,
    first_line: u32,
    /// Number of private bytes that the driver requested.
    private: u32,
}

#[derive(Default)]
struct StoredObject {
    place: BlockLocation,
    driver: Option<DriverObject>,
    runtime: Option<RuntimeObject>,
}

impl BlockLocation {
    fn lines(self) -> Range<usize> {
        let first = self.first_line as usize;
        first..first + lines_for(self.private as usize)
    }
}

struct TablePage {
    open: u32,
    /// Whether the page's number is in [`HandleStorage::emptied`].
    emptied: bool,
    // An array instead of a slice, so that indexing into a page needs no bounds check.
    entries: Box<[StoredObject; PAGE]>,
}

impl TablePage {
    fn new() -> Self {
        Self { open: 0, emptied: false, entries: Box::new(std::array::from_fn(|_| StoredObject::default())) }
    }
}

/// The open objects of one context; see the [module](self).
#[derive(Default)]
pub struct HandleStorage {
    /// The context's upload page, which is here because the runtime lends the storage to each entry.
    pub uploads: UploadPage,
    /// The block of the runtime's most recent look-up, because a driver usually looks up the same handle
    /// next.
    last: Cell<BlockLocation>,
    pages: Vec<Option<TablePage>>,
    lines: Vec<Line>,
    /// First lines of free blocks, indexed by the block's number of lines minus 1.
    free: [Vec<u32>; MAX_LINES],
    open: u32,
    high_water: u32,
    in_use: usize,
    /// Numbers of the pages that have become empty since the previous trim. The next trim visits only these
    /// pages, so that its cost does not depend on the number of open handles.
    emptied: Vec<u32>,
    /// Table pages without open handles, kept for reuse.
    spare: Vec<TablePage>,
    open_lines: usize,
    /// High-water mark of the lines in use, which each trim lowers a little.
    high_lines: usize,
    /// High-water mark of the page entries in use, which each trim lowers a little.
    high_entries: usize,
}

/// Lowers a high-water mark by a sixteenth, but not below the current usage `now`.
fn lowered(mark: usize, now: usize) -> usize {
    (mark - mark.div_ceil(16)).max(now)
}

impl std::fmt::Debug for HandleStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandleStorage")
            .field("open", &self.open)
            .field("high_water", &self.high_water)
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

const fn lines_for(private: usize) -> usize {
    (RUNTIME_BYTES + private).div_ceil(CACHE_LINE)
}

impl HandleStorage {
    /// Creates an empty storage for a new context.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of handles that are open now.
    pub fn open_handles(&self) -> u32 {
        self.open
    }

    /// The maximum number of handles that were open at the same time since the previous
    /// [`HandleStorage::trim`].
    pub fn high_water(&self) -> u32 {
        self.high_water
    }

    /// Number of bytes allocated for blocks and table pages, whether used or unused.
    pub fn bytes(&self) -> usize {
        let pages = self.in_use + self.spare.len();
        self.lines.capacity() * CACHE_LINE + pages * PAGE * size_of::<StoredObject>()
    }

    /// Opens a handle with zeroed runtime bytes and `private` zeroed bytes for the driver.
    ///
    /// Called only by the runtime. Returns false without any change if the handle is already open or if
    /// `private` exceeds [`MAX_PRIVATE_BYTES`].
    pub fn open(&mut self, key: Key, private: usize, driver: DriverObject, runtime: RuntimeObject) -> bool {
        let lines = lines_for(private);
        if lines > MAX_LINES || self.contains(key) {
            return false;
        }
        let first_line = match self.free[lines - 1].pop() {
            Some(line) => {
                self.lines[line as usize..line as usize + lines].fill(Line::zeroed());
                line
            }
            None => {
                let line = self.lines.len() as u32;
                self.lines.resize(self.lines.len() + lines, Line::zeroed());
                line
            }
        };
        let (page, slot) = (key.index() as usize / PAGE, key.index() as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| {
            self.in_use += 1;
            self.high_entries = self.high_entries.max(self.in_use * PAGE);
            self.spare.pop().unwrap_or_else(TablePage::new)
        });
        self.last.set(BlockLocation::default());
        let entry = &mut page.entries[slot];
        if entry.place.key.is_some() {
            // The runtime has not closed an older object with the same index, but the block of that object
            // must not leak.
            let lines = lines_for(entry.place.private as usize);
            self.free[lines - 1].push(entry.place.first_line);
            page.open -= 1;
            self.open -= 1;
            self.open_lines -= lines;
        }
        *entry = StoredObject {
            place: BlockLocation { key: Some(key), first_line, private: private as u32 },
            driver: Some(driver),
            runtime: Some(runtime),
        };
        page.open += 1;
        self.open += 1;
        self.open_lines += lines;
        self.high_lines = self.high_lines.max(self.open_lines);
        self.high_water = self.high_water.max(self.open);
        true
    }

    /// Closes a handle and returns the two read-only halves, or `None` if the handle is not open. Only the
    /// runtime calls this.
    pub fn close(&mut self, key: Key) -> Option<(DriverObject, RuntimeObject)> {
        let number = key.index() as usize / PAGE;
        let page = self.pages.get_mut(number)?.as_mut()?;
        let entry = &mut page.entries[key.index() as usize % PAGE];
        if entry.place.key != Some(key) {
            return None;
        }
        entry.place.key = None;
        self.last.set(BlockLocation::default());
        page.open -= 1;
        if page.open == 0 && !std::mem::replace(&mut page.emptied, true) {
            self.emptied.push(number as u32);
        }
        self.open -= 1;
        let lines = lines_for(entry.place.private as usize);
        self.free[lines - 1].push(entry.place.first_line);
        self.open_lines -= lines;
        Some((entry.driver.take()?, entry.runtime.take()?))
    }

    /// Whether a handle is open in this context.
    #[inline]
    pub fn contains(&self, key: Key) -> bool {
        self.entry(key).is_some()
    }

    /// Returns the driver's private data of a handle as a `T`.
    ///
    /// Returns `None` if the handle is not open here, or if the size of `T` differs from the number of bytes
    /// that the driver requested. A driver reports both cases as its own mistakes.
    #[inline]
    pub fn private<T: Pod, K>(&self, handle: Handle<K>) -> Option<&T> {
        let place = self.place(handle.key())?;
        if place.private as usize != size_of::<T>() {
            return None;
        }
        if is_short::<T>() {
            let words = self.lines.get(place.first_line as usize)?.words::<T>();
            return bytemuck::try_cast_slice(words).ok()?.first();
        }
        let bytes = bytemuck::cast_slice(self.lines.get(place.lines())?);
        bytemuck::try_from_bytes(&bytes[RUNTIME_BYTES..RUNTIME_BYTES + size_of::<T>()]).ok()
    }

    /// Returns the driver's private data of a handle for writing, under the rules of
    /// [`HandleStorage::private`].
    #[inline]
    pub fn private_mut<T: Pod, K>(&mut self, handle: Handle<K>) -> Option<&mut T> {
        let place = self.place(handle.key())?;
        if place.private as usize != size_of::<T>() {
            return None;
        }
        if is_short::<T>() {
            let words = self.lines.get_mut(place.first_line as usize)?.words_mut::<T>();
            return bytemuck::try_cast_slice_mut(words).ok()?.first_mut();
        }
        let bytes = bytemuck::cast_slice_mut(self.lines.get_mut(place.lines())?);
        bytemuck::try_from_bytes_mut(&mut bytes[RUNTIME_BYTES..RUNTIME_BYTES + size_of::<T>()]).ok()
    }

    /// Returns the driver's private bytes of a handle, for an entry that opens or creates the handle.
    pub fn private_bytes_mut(&mut self, key: Key) -> Option<&mut [u8]> {
        let place = self.entry(key)?.place;
        let (lines, private) = (place.lines(), place.private as usize);
        bytemuck::cast_slice_mut(self.lines.get_mut(lines)?).get_mut(RUNTIME_BYTES..RUNTIME_BYTES + private)
    }

    /// Returns the runtime's per-context data of a handle, as a `T` of [`RUNTIME_BYTES`] bytes. Only the
    /// runtime calls this.
    #[inline]
    pub fn runtime<T: Pod>(&self, key: Key) -> Option<&T> {
        let line = self.lines.get(self.look_up(key)? as usize)?;
        bytemuck::try_cast_slice(&line.0[..RUNTIME_WORDS]).ok()?.first()
    }

    /// Returns the runtime's per-context data of a handle for writing, under the rules of
    /// [`HandleStorage::runtime`].
    #[inline]
    pub fn runtime_mut<T: Pod>(&mut self, key: Key) -> Option<&mut T> {
        let first = self.look_up(key)? as usize;
        bytemuck::try_cast_slice_mut(&mut self.lines.get_mut(first)?.0[..RUNTIME_WORDS]).ok()?.first_mut()
    }

    /// Returns the driver's read-only half of an object, or `None` if the handle is not open here.
    #[inline]
    pub fn object<K>(&self, handle: Handle<K>) -> Option<&DriverObject> {
        self.entry(handle.key())?.driver.as_ref()
    }

    /// Returns the driver's read-only half as a `T`, or `None` if the handle is not open here or the half has
    /// another type.
    pub fn object_as<T: Any + Send + Sync, K>(&self, handle: Handle<K>) -> Option<Arc<T>> {
        self.object(handle)?.clone().downcast().ok()
    }

    /// Returns the runtime's read-only half of an object, or `None` if the handle is not open here. Only the
    /// runtime calls this.
    #[inline]
    pub fn runtime_object(&self, key: Key) -> Option<&RuntimeObject> {
        self.entry(key)?.runtime.as_ref()
    }

    /// Returns the open keys in the order of their indices, in time proportional to the number of table
    /// pages.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.pages.iter().flatten().flat_map(|page| page.entries.iter()).filter_map(|entry| entry.place.key)
    }

    /// Gives back memory that has not been in use recently. The runtime calls this in amortized processing,
    /// and no other call gives memory back.
    ///
    /// The high-water marks decrease slowly, so handles that each recording opens and closes need no new
    /// allocations. The memory of a usage peak is given back after some frames. Blocks of open handles may
    /// move, because a handle is not an address. Unless blocks move, the time depends on the number of
    /// handles that were closed since the previous trim, and not on the number of open handles.
    pub fn trim(&mut self) {
        for number in self.emptied.drain(..) {
            let Some(place) = self.pages.get_mut(number as usize) else { continue };
            if let Some(page) = place {
                page.emptied = false;
                if page.open == 0 {
                    self.in_use -= 1;
                    self.spare.extend(place.take());
                }
            }
        }
        while self.pages.last().is_some_and(Option::is_none) {
            self.pages.pop();
        }
        self.high_entries = lowered(self.high_entries, self.in_use * PAGE);
        if (self.in_use + self.spare.len()) * PAGE > 2 * self.high_entries {
            self.spare.truncate(self.high_entries / PAGE - self.in_use);
        }
        self.high_lines = lowered(self.high_lines, self.open_lines);
        if self.lines.len() > 2 * self.high_lines {
            self.compact();
        }
        self.high_water = self.open;
    }

    fn compact(&mut self) {
        self.last.set(BlockLocation::default());
        let mut lines = Vec::with_capacity(self.open_lines);
        let open = self.pages.iter_mut().flatten().flat_map(|page| page.entries.iter_mut());
        for place in open.map(|entry| &mut entry.place).filter(|place| place.key.is_some()) {
            let moved = place.lines();
            place.first_line = lines.len() as u32;
            lines.extend_from_slice(&self.lines[moved]);
        }
        self.lines = lines;
        self.free = Default::default();
    }

    /// Finds a block for the runtime, and caches it for the driver's next lookup.
    #[inline]
    fn look_up(&self, key: Key) -> Option<u32> {
        let place = self.entry(key)?.place;
        self.last.set(place);
        Some(place.first_line)
    }

    #[inline]
    fn place(&self, key: Key) -> Option<BlockLocation> {
        let last = self.last.get();
        if last.key == Some(key) { Some(last) } else { self.other_place(key) }
    }

    #[inline(never)]
    fn other_place(&self, key: Key) -> Option<BlockLocation> {
        Some(self.entry(key)?.place)
    }

    #[inline]
    fn entry(&self, key: Key) -> Option<&StoredObject> {
        let page = self.pages.get(key.index() as usize / PAGE)?.as_ref()?;
        let entry = &page.entries[key.index() as usize % PAGE];
        (entry.place.key == Some(key)).then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use std::num::NonZeroU32;

    use super::*;
    use crate::handle::kind;

    fn key(index: u32, generation: u32) -> Key {
        Key::new(index, NonZeroU32::new(generation).unwrap())
    }

    fn open(storage: &mut HandleStorage, key: Key, private: usize) -> bool {
        storage.open(key, private, Arc::new(key.index()), Arc::new("runtime"))
    }

    #[test]
    fn the_last_lookup_is_valid_only_while_its_handle_is_open() {
        let mut s = HandleStorage::new();
        let handle = |generation| Handle::<kind::Resource>::new(key(7, generation));
        assert!(open(&mut s, key(7, 1), 8) && open(&mut s, key(8, 1), 60));
        *s.private_mut::<u64, _>(handle(1)).unwrap() = 5;
        assert!(s.runtime::<u128>(key(7, 1)).is_some());
        assert_eq!(s.private::<u64, _>(handle(1)), Some(&5));
        assert!(s.private::<[u8; 60], _>(handle(1)).is_none(), "the size differs from the announced one");
        s.close(key(7, 1));
        assert!(s.private::<u64, _>(handle(1)).is_none() && s.private_mut::<u64, _>(handle(1)).is_none());
        assert!(open(&mut s, key(7, 2), 8));
        assert!(s.private::<u64, _>(handle(1)).is_none() && s.private::<u64, _>(handle(2)) == Some(&0));
        // A block that a trim has moved is found at its new location.
        for index in 100..200 {
            assert!(open(&mut s, key(index, 1), 8));
        }
        assert!(open(&mut s, key(7, 3), 8));
        *s.private_mut::<u64, _>(handle(3)).unwrap() = 6;
        assert!(s.runtime_mut::<u128>(key(7, 3)).is_some());
        (100..200).for_each(|index| drop(s.close(key(index, 1))));
        assert!(s.runtime::<u128>(key(7, 3)).is_some());
        (0..100).for_each(|_| s.trim());
        assert!(s.lines.len() < 100, "blocks have moved");
        assert_eq!(s.private::<u64, _>(handle(3)), Some(&6));
    }

    #[test]
    fn a_stale_handle_is_rejected() {
        let mut s = HandleStorage::new();
        assert!(open(&mut s, key(7, 1), 8));
        let old: Handle<kind::Resource> = Handle::new(key(7, 1));
        *s.private_mut::<u64, _>(old).unwrap() = 99;
        assert!(s.close(key(7, 1)).is_some());
        assert!(open(&mut s, key(7, 2), 8));
        assert!(
            s.private::<u64, _>(old).is_none() && s.object(old).is_none() && s.close(key(7, 1)).is_none()
        );
        let new: Handle<kind::Resource> = Handle::new(key(7, 2));
        assert_eq!(*s.private::<u64, _>(new).unwrap(), 0, "a reused block is zeroed");
    }

    #[test]
    fn blocks_of_two_objects_share_no_cache_line() {
        let mut s = HandleStorage::new();
        for i in 0..64 {
            assert!(open(&mut s, key(i * 301, 1), 8 + (i as usize % 3) * 60));
        }
        let mut lines: Vec<usize> = s
            .keys()
            .collect::<Vec<_>>()
            .into_iter()
            .flat_map(|k| {
                let bytes = s.private_bytes_mut(k).unwrap();
                let start = bytes.as_ptr() as usize - RUNTIME_BYTES;
                assert_eq!(start % CACHE_LINE, 0);
                (start / CACHE_LINE..=(start + RUNTIME_BYTES + bytes.len() - 1) / CACHE_LINE)
                    .collect::<Vec<_>>()
            })
            .collect();
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }

    #[test]
    fn memory_is_reused_and_bounded_after_a_spike() {
        let mut s = HandleStorage::new();
        for _ in 0..100 {
            for i in 0..1000 {
                assert!(open(&mut s, key(i, 1), 40));
            }
            for i in 0..1000 {
                assert!(s.close(key(i, 1)).is_some());
            }
        }
        assert_eq!(s.lines.len(), 1000);
        (0..200).for_each(|_| s.trim());
        assert!(s.lines.is_empty() && s.pages.is_empty() && s.spare.is_empty());
    }

    #[test]
    fn a_trim_visits_only_pages_with_closed_handles() {
        let mut s = HandleStorage::new();
        let pages = 40;
        for i in 0..pages * PAGE as u32 {
            assert!(open(&mut s, key(i, 1), 8));
        }
        s.trim();
        let listed = s.emptied.len();
        // One page is emptied, one is emptied and used again, and one loses a single handle.
        for i in 0..2 * PAGE as u32 + 1 {
            assert!(s.close(key(i, 1)).is_some());
        }
        assert!(open(&mut s, key(PAGE as u32, 2), 8));
        assert_eq!((listed, s.emptied.as_slice()), (0, &[0, 1][..]), "pages that a trim looks at");
        s.trim();
        assert!(s.emptied.is_empty() && s.pages[0].is_none() && s.pages[1].is_some());
        assert_eq!(s.pages.iter().flatten().count(), s.in_use);
        assert_eq!(s.in_use, pages as usize - 1);
        // The page that was used again can be emptied again.
        assert!(s.close(key(PAGE as u32, 2)).is_some());
        s.trim();
        assert!(s.pages[1].is_none());
    }

    #[test]
    fn a_wrong_private_size_is_refused() {
        let mut s = HandleStorage::new();
        assert!(!open(&mut s, key(0, 1), MAX_PRIVATE_BYTES + 1));
        assert!(open(&mut s, key(0, 1), MAX_PRIVATE_BYTES));
        assert!(s.private::<u64, kind::Resource>(Handle::new(key(0, 1))).is_none());
        assert!(!open(&mut s, key(0, 1), 8), "already open");
    }
}
