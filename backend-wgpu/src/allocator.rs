//! Buffer storage: constant buffers in shared chunks, everything else in a wgpu buffer of its own.
//!
//! wgpu's cost of a pass grows with the number of live wgpu buffers, and there may be a hundred
//! thousand constant buffers. So they are cut from chunks; a uniform binding has a size, so that no
//! shader reads its neighbour. Vertex and index fetches are bounded by the whole wgpu buffer only, so
//! those buffers are never cut from chunks.
//!
//! A chunk serves one size class (a power of two). A range that was given back is used again before
//! a new chunk is made. If something was written to it, the next submission zeroes it first: with a queue
//! write, which takes effect before that submission and after all that used the range before, together
//! with its neighbours. What a buffer is made with is written at once, and then nothing is left to zero.
//! Chunks that are wholly free go, all but one of each class.
//!
//! Ranges are given back wherever the last user of a storage goes, also on the path of a draw: so that
//! needs no lock. Taking one, which creating a buffer does, locks the class; but whole storages wait in a
//! [`Cache`] first, one for a few threads, where they are found without.

use std::{
    ops::Range,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

use crossbeam_queue::{ArrayQueue, SegQueue};
use onze_ddi::OutOfMemory;

use crate::{
    identity::{Storage, unique_id},
    sync::lock,
};

/// Ranges start at multiples of this, which is what D3D11 offsets constant buffers by.
pub(crate) const ALIGNMENT: u64 = 256;

/// The largest range that is cut from a chunk; larger ones get a wgpu buffer of their own.
pub(crate) const LARGEST_CLASS: u64 = 64 * 1024;

/// Size classes: 256 bytes to [`LARGEST_CLASS`], each twice the one before.
const CLASSES: usize = (LARGEST_CLASS / ALIGNMENT).ilog2() as usize + 1;

const SMALL_CHUNK: u64 = 256 * 1024;
const LARGE_CHUNK: u64 = 1024 * 1024;

/// Usages of constant buffers' storage.
pub(crate) const CONSTANT_USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Smallest wgpu buffer that [`own_storage`] makes, in bytes.
const SMALLEST_BUFFER: u64 = 16;

/// A wgpu buffer that is cut into ranges of one size.
#[derive(Debug)]
pub(crate) struct Chunk {
    buffer: wgpu::Buffer,
    buffer_id: u64,
    range_size: u64,
    ranges: u32,
    /// Ranges, by their index, that were used before, and whether something was written to them. Any
    /// thread adds; who has locked the class takes out.
    used: SegQueue<(u32, bool)>,
    /// From here on no range was ever used: they are zero. Written by who has locked the class.
    fresh: AtomicU32,
    /// The allocator's.
    used_bytes: Arc<AtomicU64>,
}

impl Chunk {
    /// Takes a range back, and whether something was written to it; `size` is that of the storage that it
    /// was. Waits for nobody.
    pub(crate) fn free(&self, offset: u64, size: u64, dirty: bool) {
        debug_assert!(size == self.range_size && offset.is_multiple_of(self.range_size));
        self.used_bytes.fetch_sub(self.range_size, Ordering::Relaxed);
        self.used.push(((offset / self.range_size) as u32, dirty));
    }

    /// A free range's index, and whether it may hold something else than zero. For who has locked the
    /// class.
    fn take(&self) -> Option<(u32, bool)> {
        if let Some(range) = self.used.pop() {
            return Some(range);
        }
        let range = self.fresh.load(Ordering::Relaxed);
        (range < self.ranges).then(|| {
            self.fresh.store(range + 1, Ordering::Relaxed);
            (range, false)
        })
    }

    /// Whether no storage has a range of it. For who has locked the class.
    fn is_idle(&self) -> bool {
        self.used.len() as u32 == self.fresh.load(Ordering::Relaxed)
    }
}

/// How many threads can create buffers without touching the same memory.
pub(crate) const CACHES: usize = 16;

/// Bytes of one class that a cache keeps at most, if these are several storages.
const CACHED_BYTES: u64 = 16 * 1024;

/// Storages of dropped buffers, which wait for the next buffers of the same threads.
#[derive(Debug)]
pub(crate) struct Cache {
    /// By class. Nobody else holds what is in them, or will let go of it in a moment.
    classes: [ArrayQueue<Arc<Storage>>; CLASSES],
}

impl Cache {
    fn new() -> Self {
        let capacity = |class: usize| ((CACHED_BYTES / (ALIGNMENT << class)) as usize).max(1);
        Self { classes: std::array::from_fn(|class| ArrayQueue::new(capacity(class))) }
    }

    /// Before a buffer lets go of its storage: keeps it, if it is a part of a chunk and nobody else has it.
    /// Waits for nobody.
    pub(crate) fn keep(&self, storage: &Arc<Storage>) {
        if storage.chunk.is_some()
            && Arc::strong_count(storage) == 1
            && let Some(class) = self.classes.get(class_of(storage.size))
        {
            // When enough are waiting, the range goes back to its chunk.
            drop(class.push(storage.clone()));
        }
    }

    /// A storage of a class, and whether it may hold something else than zero.
    fn take(&self, class: usize) -> Option<(Arc<Storage>, bool)> {
        let mut storage = self.classes.get(class)?.pop()?;
        // A submission may still be about to zero it for its last owner: the range then goes back.
        let dirty = Arc::get_mut(&mut storage)?.renew();
        Some((storage, dirty))
    }

    fn bytes(&self) -> u64 {
        self.classes
            .iter()
            .enumerate()
            .map(|(class, waiting)| (waiting.len() as u64) * (ALIGNMENT << class))
            .sum()
    }

    fn clear(&self) {
        for class in &self.classes {
            while class.pop().is_some() {}
        }
    }
}

/// Cuts constant buffers from chunks; see the [module](self).
#[derive(Debug)]
pub(crate) struct BufferAllocator {
    device: wgpu::Device,
    queue: wgpu::Queue,
    caches: [Arc<Cache>; CACHES],
    /// Storages that the next submission must zero, if they still exist.
    to_zero: SegQueue<Weak<Storage>>,
    /// Chunks by class. Those at the end are tried first.
    classes: [Mutex<Vec<Arc<Chunk>>>; CLASSES],
    /// Bytes in chunks.
    chunk_bytes: AtomicU64,
    /// Bytes in ranges that a storage has. Of its own, as a storage may outlive the allocator.
    used_bytes: Arc<AtomicU64>,
}

/// The memory that buffers are cut from, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    /// All of it.
    pub(crate) bytes: u64,
    /// What no buffer has.
    pub(crate) free: u64,
}

/// The class of a size of at most [`LARGEST_CLASS`] bytes.
fn class_of(size: u64) -> usize {
    (size.max(1).div_ceil(ALIGNMENT).next_power_of_two().ilog2()) as usize
}

impl BufferAllocator {
    /// An allocator without chunks.
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            caches: std::array::from_fn(|_| Arc::new(Cache::new())),
            to_zero: SegQueue::new(),
            classes: std::array::from_fn(|_| Mutex::default()),
            chunk_bytes: AtomicU64::new(0),
            used_bytes: Arc::default(),
        }
    }

    /// The cache that a thread, by its number, keeps its storages in.
    pub(crate) fn cache(&self, thread: usize) -> Arc<Cache> {
        let [first, ..] = &self.caches;
        self.caches.get(thread % CACHES).unwrap_or(first).clone()
    }

    /// Storage for a constant buffer of `size` bytes, all zero from the next submission on, also what lies
    /// beyond `size` up to the storage's own. From any thread; `cache` is that thread's.
    ///
    /// # Errors
    /// The GPU's memory is spent.
    pub(crate) fn allocate(&self, cache: &Cache, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        if size > LARGEST_CLASS {
            return defined_storage(&self.device, "constant buffer", size, CONSTANT_USAGES);
        }
        let (storage, dirty) = self.range(cache, class_of(size))?;
        if dirty {
            storage.zeroed_late.store(true, Ordering::Relaxed);
            self.to_zero.push(Arc::downgrade(&storage));
        }
        Ok(storage)
    }

    /// As [`Self::allocate`], with contents.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub(crate) fn allocate_with(&self, cache: &Cache, contents: &[u8]) -> Result<Arc<Storage>, OutOfMemory> {
        let size = contents.len() as u64;
        let (storage, dirty) = if size > LARGEST_CLASS {
            (defined_storage(&self.device, "constant buffer", size, CONSTANT_USAGES)?, false)
        } else {
            self.range(cache, class_of(size))?
        };
        storage.mark_written();
        write(&self.queue, &storage, contents);
        if dirty {
            let written = size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
            self.zero(&storage.buffer, storage.offset + written..storage.offset + storage.size);
        }
        Ok(storage)
    }

    /// Zeroes what was allocated since the last submission and held something. Before a submission.
    pub(crate) fn zero_allocated(&self) {
        let mut dirty = Vec::new();
        // Only what is there now, as others may go on adding. What they add is not in this submission.
        for _ in 0..self.to_zero.len() {
            let storage = self.to_zero.pop().and_then(|storage| storage.upgrade());
            // While it is held here, its range can be nobody else's.
            dirty.extend(storage.filter(|storage| storage.zeroed_late.load(Ordering::Relaxed)));
        }
        dirty.sort_unstable_by_key(|storage| (storage.buffer_id, storage.offset));
        let adjoin =
            |a: &Arc<Storage>, b: &Arc<Storage>| a.buffer_id == b.buffer_id && a.offset + a.size == b.offset;
        for neighbours in dirty.chunk_by(adjoin) {
            if let [first, ..] = neighbours {
                let size: u64 = neighbours.iter().map(|storage| storage.size).sum();
                self.zero(&first.buffer, first.offset..first.offset + size);
            }
        }
        for storage in dirty {
            storage.zeroed_late.store(false, Ordering::Relaxed);
        }
    }

    /// A range of a class, and whether it may hold something else than zero.
    fn range(&self, cache: &Cache, class: usize) -> Result<(Arc<Storage>, bool), OutOfMemory> {
        if let Some(found) = cache.take(class) {
            return Ok(found);
        }
        let Some(chunks) = self.classes.get(class) else {
            return Err(OutOfMemory);
        };
        let mut chunks = lock(chunks);
        let found = chunks.iter().enumerate().rev().find_map(|(at, chunk)| Some((at, chunk.take()?)));
        let (at, (range, dirty)) = match found {
            Some(found) => found,
            None => {
                let chunk = self.make_chunk(ALIGNMENT << class)?;
                let range = chunk.take().ok_or(OutOfMemory)?;
                chunks.push(chunk);
                (chunks.len() - 1, range)
            }
        };
        // The chunk that had room is tried first the next time.
        let last = chunks.len() - 1;
        chunks.swap(at, last);
        let chunk = chunks.last().cloned().ok_or(OutOfMemory)?;
        drop(chunks);
        let (offset, size) = (u64::from(range) * chunk.range_size, chunk.range_size);
        self.used_bytes.fetch_add(size, Ordering::Relaxed);
        let storage = Storage {
            buffer: chunk.buffer.clone(),
            buffer_id: chunk.buffer_id,
            offset,
            size,
            chunk: Some(chunk),
            written: AtomicBool::new(false),
            zeroed_late: AtomicBool::new(false),
        };
        Ok((Arc::new(storage), dirty))
    }

    /// Gives back chunks that nothing uses, all but one of each class.
    pub(crate) fn trim(&self) {
        self.caches.iter().for_each(|cache| cache.clear());
        for chunks in &self.classes {
            let mut kept_idle = false;
            lock(chunks).retain(|chunk| {
                // Nobody else can take a range while the class is locked.
                let idle = chunk.is_idle();
                let keep = !idle || !std::mem::replace(&mut kept_idle, true);
                if !keep {
                    self.chunk_bytes.fetch_sub(chunk.buffer.size(), Ordering::Relaxed);
                }
                keep
            });
        }
    }

    /// As [`Self::allocate`], with the cache of the calling thread.
    #[cfg(test)]
    pub(crate) fn allocate_here(&self, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        self.allocate(&self.cache(crate::sync::thread_number()), size)
    }

    /// Locks all classes, to show who waits for them.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        self.classes.each_ref().map(lock)
    }

    /// How much memory buffers are cut from, and how much of it is free. Takes no lock, so the two may be
    /// of different moments.
    pub(crate) fn heap(&self) -> Heap {
        let bytes = self.chunk_bytes.load(Ordering::Relaxed);
        let cached: u64 = self.caches.iter().map(|cache| cache.bytes()).sum();
        let used = self.used_bytes.load(Ordering::Relaxed).saturating_sub(cached);
        Heap { bytes, free: bytes.saturating_sub(used) }
    }

    /// Bytes in all chunks.
    #[cfg(test)]
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes.load(Ordering::Relaxed)
    }

    fn make_chunk(&self, range_size: u64) -> Result<Arc<Chunk>, OutOfMemory> {
        let bytes = if range_size * 64 <= SMALL_CHUNK { SMALL_CHUNK } else { LARGE_CHUNK };
        let buffer = make_buffer(&self.device, "constant buffers", bytes, CONSTANT_USAGES, true)?;
        self.chunk_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(Arc::new(Chunk {
            buffer,
            buffer_id: unique_id(),
            range_size,
            ranges: (bytes / range_size) as u32,
            used: SegQueue::new(),
            fresh: AtomicU32::new(0),
            used_bytes: self.used_bytes.clone(),
        }))
    }

    fn zero(&self, buffer: &wgpu::Buffer, mut range: Range<u64>) {
        static ZEROS: [u8; LARGEST_CLASS as usize] = [0; LARGEST_CLASS as usize];
        while let Some(zeros) = ZEROS.get(..(range.end - range.start).min(LARGEST_CLASS) as usize)
            && !zeros.is_empty()
        {
            self.queue.write_buffer(buffer, range.start, zeros);
            range.start += zeros.len() as u64;
        }
    }
}

/// wgpu copies whole words.
const WORD: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// Writes a storage from its start, before the next submission. The storage has room for whole words.
pub(crate) fn write(queue: &wgpu::Queue, storage: &Storage, bytes: &[u8]) {
    let whole = bytes.len() & !(WORD - 1);
    let (words, rest) = bytes.split_at(whole);
    if !words.is_empty() {
        queue.write_buffer(&storage.buffer, storage.offset, words);
    }
    if !rest.is_empty() {
        let mut word = [0; WORD];
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        queue.write_buffer(&storage.buffer, storage.offset + whole as u64, &word);
    }
}

/// A zeroed wgpu buffer as the storage of one owner: at least `size` bytes, rounded up to 16.
///
/// # Errors
/// The GPU's memory is spent, or no wgpu buffer can be that large.
pub(crate) fn own_storage(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<Arc<Storage>, OutOfMemory> {
    make_storage(device, label, size, usage, false)
}

/// As [`own_storage`], for what is bound before anything is written to it: wgpu would otherwise look at
/// each bind whether it must clear it first.
///
/// # Errors
/// As [`own_storage`].
pub(crate) fn defined_storage(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<Arc<Storage>, OutOfMemory> {
    make_storage(device, label, size, usage, true)
}

fn make_storage(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    defined: bool,
) -> Result<Arc<Storage>, OutOfMemory> {
    let size = size.next_multiple_of(SMALLEST_BUFFER).max(SMALLEST_BUFFER);
    if size > device.limits().max_buffer_size {
        return Err(OutOfMemory);
    }
    let buffer = make_buffer(device, label, size, usage, defined)?;
    Ok(Arc::new(Storage {
        buffer,
        buffer_id: unique_id(),
        offset: 0,
        size,
        chunk: None,
        written: AtomicBool::new(false),
        zeroed_late: AtomicBool::new(false),
    }))
}

fn make_buffer(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    defined: bool,
) -> Result<wgpu::Buffer, OutOfMemory> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let desc = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: defined };
    let buffer = device.create_buffer(&desc);
    if pollster::block_on(scope.pop()).is_some() {
        return Err(OutOfMemory);
    }
    if defined {
        // A buffer that is mapped at creation is filled with zeros then, not at its first use.
        buffer.unmap();
    }
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::testing;

    /// A small generator of numbers, so that a failure happens again.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }
    }

    #[test]
    fn a_class_is_the_smallest_that_fits() {
        for size in [1, 16, 255, 256, 257, 512, 513, 4096, 65_535, LARGEST_CLASS] {
            let range = ALIGNMENT << class_of(size);
            assert!(range >= size && (range == ALIGNMENT || range / 2 < size), "{size} in {range}");
        }
        assert_eq!(class_of(LARGEST_CLASS), CLASSES - 1);
    }

    #[test]
    fn live_ranges_never_overlap_and_are_aligned() {
        let (device, runtime) = testing::noop();
        let mut numbers = Numbers(7);
        let mut live: Vec<Arc<Storage>> = Vec::new();
        for _ in 0..4000 {
            if numbers.below(3) > 0 || live.is_empty() {
                let largest = 1 << (1 + numbers.below(12));
                let size = 16 * (1 + numbers.below(largest));
                let new = device.allocator.allocate_here(size).unwrap();
                assert!(new.size >= size && new.offset.is_multiple_of(ALIGNMENT), "{new:?}");
                assert!(new.offset + new.size <= new.buffer.size(), "{new:?}");
                for old in &live {
                    let apart = old.offset + old.size <= new.offset || new.offset + new.size <= old.offset;
                    assert!(old.buffer_id != new.buffer_id || apart, "{old:?} {new:?}");
                }
                live.push(new);
            } else {
                let at = numbers.below(live.len() as u64) as usize;
                live.swap_remove(at);
            }
        }
        runtime.assert_clean();
    }

    #[test]
    fn freed_ranges_are_used_again_and_idle_chunks_go() {
        let (device, runtime) = testing::noop();
        let allocator = &device.allocator;
        let fill = || (0..5000).map(|_| allocator.allocate_here(64).unwrap()).collect::<Vec<_>>();
        let first = fill();
        let spent = allocator.chunk_bytes();
        assert!((5000 * ALIGNMENT..5000 * ALIGNMENT + 2 * LARGE_CHUNK).contains(&spent));
        drop(first);
        let second = fill();
        assert_eq!(allocator.chunk_bytes(), spent, "no new chunk while there is room");
        allocator.trim();
        assert_eq!(allocator.chunk_bytes(), spent, "chunks in use stay");
        drop(second);
        allocator.trim();
        assert_eq!(allocator.chunk_bytes(), SMALL_CHUNK, "one idle chunk of the class stays");
        runtime.assert_clean();
    }

    #[test]
    fn large_constant_buffers_have_a_buffer_of_their_own() {
        let (device, _) = testing::noop();
        let storage = device.allocator.allocate_here(LARGEST_CLASS + 16).unwrap();
        assert!(storage.chunk.is_none() && storage.size == LARGEST_CLASS + 16);
        assert_eq!(device.allocator.chunk_bytes(), 0);
    }

    #[test]
    fn a_range_reads_as_zero_also_when_it_was_used_before() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let fresh = device.allocator.allocate_here(512).unwrap();
        assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0; 512]);
        fresh.mark_written();
        device.queue.write_buffer(&fresh.buffer, fresh.offset, &[0xab; 512]);
        assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0xab; 512]);
        let place = (fresh.buffer_id, fresh.offset);
        drop(fresh);
        let again = device.allocator.allocate_here(300).unwrap();
        device.allocator.zero_allocated();
        assert_eq!((again.buffer_id, again.offset), place, "the test is about the same range");
        assert_eq!(testing::read_buffer(&device, &again.buffer, again.offset, 512), [0; 512]);
        runtime.assert_clean();
    }

    #[test]
    fn neighbours_are_zeroed_before_a_submission_and_others_left_alone() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let allocator = &device.allocator;
        let cache = allocator.cache(0);
        let all = [0xab; 64 * ALIGNMENT as usize];
        let old: Vec<_> = (0..64).map(|_| allocator.allocate_with(&cache, &all[..256]).unwrap()).collect();
        let buffer = old[0].buffer.clone();
        drop(old);
        // Some are made with contents, also of part of the range, and some dropped and made anew.
        let mut new = Vec::new();
        for n in 0..64 {
            let dropped = allocator.allocate(&cache, 256).unwrap();
            cache.keep(&dropped);
            drop(dropped);
            new.push(match n % 4 {
                0 => allocator.allocate_with(&cache, &[0x77; 16]).unwrap(),
                _ => allocator.allocate(&cache, 256).unwrap(),
            });
        }
        allocator.zero_allocated();
        assert!(allocator.to_zero.is_empty());
        for (n, storage) in new.iter().enumerate() {
            let mut expected = [0; 256];
            expected[..16].fill(if n % 4 == 0 { 0x77 } else { 0 });
            let read = testing::read_buffer(&device, &storage.buffer, storage.offset, 256);
            assert_eq!(read, expected, "{n}");
            assert_eq!(storage.buffer, buffer, "the test is about used ranges");
        }
        // What is made after that with contents keeps them.
        let kept = allocator.allocate_with(&cache, &[0x55; 256]).unwrap();
        allocator.zero_allocated();
        assert_eq!(testing::read_buffer(&device, &kept.buffer, kept.offset, 256), [0x55; 256]);
        runtime.assert_clean();
    }

    #[test]
    fn a_thread_finds_its_storage_again_and_one_that_somebody_holds_is_not_kept() {
        let (device, _) = testing::noop();
        let allocator = &device.allocator;
        let (cache, other) = (allocator.cache(0), allocator.cache(1));
        let first = allocator.allocate(&cache, 256).unwrap();
        let place = (first.buffer_id, first.offset);
        let held = first.clone();
        cache.keep(&first);
        assert_eq!(cache.bytes(), 0, "a page has it, too");
        drop(held);
        cache.keep(&first);
        drop(first);
        assert_eq!(cache.bytes(), 256);
        assert_eq!(allocator.heap().free, allocator.heap().bytes);
        let elsewhere = allocator.allocate(&other, 256).unwrap();
        assert_ne!((elsewhere.buffer_id, elsewhere.offset), place);
        let again = allocator.allocate(&cache, 200).unwrap();
        assert_eq!((again.buffer_id, again.offset), place);
        assert!(allocator.to_zero.is_empty(), "nothing was written to it");
        cache.keep(&again);
        drop(again);
        allocator.trim();
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn what_no_buffer_can_hold_is_out_of_memory() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let most = device.limits.max_buffer_size;
        let usage = wgpu::BufferUsages::COPY_DST;
        assert!(own_storage(&device.device, "too large", most + 1, usage).is_err());
        runtime.assert_clean();
    }
}
