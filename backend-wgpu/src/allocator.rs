//! Buffer storage: constant buffers in shared chunks, everything else in a wgpu buffer of its own.
//!
//! wgpu's cost of a pass grows with the number of live wgpu buffers, and there may be a hundred
//! thousand constant buffers. So they are cut from chunks; a uniform binding has a size, so that no
//! shader reads its neighbour. Vertex and index fetches are bounded by the whole wgpu buffer only, so
//! those buffers are never cut from chunks.
//!
//! A chunk serves one size class (a power of two). A range that was given back is used again before
//! a new chunk is made, and zeroed first: by a queue write, which takes effect before the next
//! submission and after all that used the range before. Chunks that are wholly free go, all but one
//! of each class.
//!
//! Ranges are given back wherever the last user of a storage goes, also on the path of a draw: so that
//! needs no lock. Taking one, which creating a buffer does, locks the class.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use crossbeam_queue::SegQueue;
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
    /// Ranges, by their index, that were used before and are not zeroed. Any thread adds; who has locked
    /// the class takes out.
    used: SegQueue<u32>,
    /// From here on no range was ever used: they are zero. Written by who has locked the class.
    fresh: AtomicU32,
    /// The allocator's.
    used_bytes: Arc<AtomicU64>,
}

impl Chunk {
    /// Takes a range back; `size` is that of the storage that it was. Waits for nobody.
    pub(crate) fn free(&self, offset: u64, size: u64) {
        debug_assert!(size == self.range_size && offset.is_multiple_of(self.range_size));
        self.used_bytes.fetch_sub(self.range_size, Ordering::Relaxed);
        self.used.push((offset / self.range_size) as u32);
    }

    /// A free range's index, and whether it was used before. For who has locked the class.
    fn take(&self) -> Option<(u32, bool)> {
        if let Some(range) = self.used.pop() {
            return Some((range, true));
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

/// Cuts constant buffers from chunks; see the [module](self).
#[derive(Debug)]
pub(crate) struct BufferAllocator {
    device: wgpu::Device,
    queue: wgpu::Queue,
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
            classes: std::array::from_fn(|_| Mutex::default()),
            chunk_bytes: AtomicU64::new(0),
            used_bytes: Arc::default(),
        }
    }

    /// Storage for a constant buffer of `size` bytes, all zero, also what lies beyond `size` up to the
    /// storage's own. From any thread.
    ///
    /// # Errors
    /// The GPU's memory is spent.
    pub(crate) fn allocate(&self, size: u64) -> Result<Arc<Storage>, OutOfMemory> {
        if size > LARGEST_CLASS {
            return defined_storage(&self.device, "constant buffer", size, CONSTANT_USAGES);
        }
        let class = class_of(size);
        let Some(chunks) = self.classes.get(class) else {
            return Err(OutOfMemory);
        };
        let mut chunks = lock(chunks);
        let found = chunks.iter().enumerate().rev().find_map(|(at, chunk)| Some((at, chunk.take()?)));
        let (at, (range, was_used)) = match found {
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
        };
        if was_used {
            self.zero(&storage);
        }
        Ok(Arc::new(storage))
    }

    /// Gives back chunks that nothing uses, all but one of each class.
    pub(crate) fn trim(&self) {
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

    /// Locks all classes, to show who waits for them.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        self.classes.each_ref().map(lock)
    }

    /// How much memory buffers are cut from, and how much of it is free. Takes no lock, so the two may be
    /// of different moments.
    pub(crate) fn heap(&self) -> Heap {
        let bytes = self.chunk_bytes.load(Ordering::Relaxed);
        Heap { bytes, free: bytes.saturating_sub(self.used_bytes.load(Ordering::Relaxed)) }
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

    fn zero(&self, storage: &Storage) {
        static ZEROS: [u8; LARGEST_CLASS as usize] = [0; LARGEST_CLASS as usize];
        if let Some(zeros) = ZEROS.get(..storage.size as usize) {
            self.queue.write_buffer(&storage.buffer, storage.offset, zeros);
        }
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
    Ok(Arc::new(Storage { buffer, buffer_id: unique_id(), offset: 0, size, chunk: None }))
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
                let new = device.allocator.allocate(size).unwrap();
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
        let fill = || (0..5000).map(|_| allocator.allocate(64).unwrap()).collect::<Vec<_>>();
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
        let storage = device.allocator.allocate(LARGEST_CLASS + 16).unwrap();
        assert!(storage.chunk.is_none() && storage.size == LARGEST_CLASS + 16);
        assert_eq!(device.allocator.chunk_bytes(), 0);
    }

    #[test]
    fn a_range_reads_as_zero_also_when_it_was_used_before() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let fresh = device.allocator.allocate(512).unwrap();
        assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0; 512]);
        device.queue.write_buffer(&fresh.buffer, fresh.offset, &[0xab; 512]);
        assert_eq!(testing::read_buffer(&device, &fresh.buffer, fresh.offset, 512), [0xab; 512]);
        let place = (fresh.buffer_id, fresh.offset);
        drop(fresh);
        let again = device.allocator.allocate(300).unwrap();
        assert_eq!((again.buffer_id, again.offset), place, "the test is about the same range");
        assert_eq!(testing::read_buffer(&device, &again.buffer, again.offset, 512), [0; 512]);
        runtime.assert_clean();
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
