//! Chunks: wgpu buffers that are cut into ranges of one size.

pub(crate) use crate::services::sizes::{LARGE_CHUNK, SMALL_CHUNK};

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use crossbeam_queue::SegQueue;
use onze_ddi::OutOfMemory;

use crate::services::{
    cache_invalidation::{CacheId, CacheInvalidation},
    error_scope::catch,
};

/// Usages of constant buffers' storage.
pub(crate) const CONSTANT_USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// A wgpu buffer that is cut into ranges of one size.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(super) buffer: wgpu::Buffer,
    pub(super) buffer_id: CacheId,
    pub(super) range_size: u64,
    ranges: u32,
    /// Ranges, by their index, that were used before, and whether something was written to them. Any
    /// thread adds; who has locked the class takes out.
    used: SegQueue<(u32, bool)>,
    /// From here on no range was ever used: they are zero. Written under the lock of the class.
    fresh: AtomicU32,
    /// No storage had a range of it at the last look, and none has got one since. Written under the lock of the class.
    was_idle: AtomicBool,
    /// It is to run dry: no cache keeps ranges of it.
    drains: AtomicBool,
    /// The allocator's.
    used_bytes: Arc<AtomicU64>,
}

impl Chunk {
    /// A new chunk of ranges of a size, none of which is used.
    ///
    /// # Errors
    /// The GPU's memory is spent.
    pub(super) fn new(
        device: &wgpu::Device,
        invalidation: &Arc<CacheInvalidation>,
        range_size: u64,
        used_bytes: &Arc<AtomicU64>,
    ) -> Result<Arc<Self>, OutOfMemory> {
        let bytes = if range_size * 64 <= SMALL_CHUNK { SMALL_CHUNK } else { LARGE_CHUNK };
        let buffer = make_buffer(device, "constant buffers", bytes, CONSTANT_USAGES, true)?;
        Ok(Arc::new(Self {
            buffer,
            buffer_id: invalidation.new_id(),
            range_size,
            ranges: (bytes / range_size) as u32,
            used: SegQueue::new(),
            fresh: AtomicU32::new(0),
            was_idle: AtomicBool::new(false),
            drains: AtomicBool::new(false),
            used_bytes: used_bytes.clone(),
        }))
    }

    /// All of it, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.buffer.size()
    }

    /// Takes a range back, and whether something was written to it; `size` is that of the storage that it
    /// was. Never waits.
    pub(crate) fn free(&self, offset: u64, size: u64, dirty: bool) {
        debug_assert!(size == self.range_size && offset.is_multiple_of(self.range_size));
        self.used_bytes.fetch_sub(self.range_size, Ordering::Relaxed);
        self.used.push(((offset / self.range_size) as u32, dirty));
    }

    /// A free range's index, and whether it may hold something else than zero. For who has locked the
    /// class.
    pub(super) fn take(&self) -> Option<(u32, bool)> {
        self.was_idle.store(false, Ordering::Relaxed);
        if let Some(range) = self.used.pop() {
            return Some(range);
        }
        let range = self.fresh.load(Ordering::Relaxed);
        (range < self.ranges).then(|| {
            self.fresh.store(range + 1, Ordering::Relaxed);
            (range, false)
        })
    }

    /// How many ranges it has.
    pub(super) fn ranges(&self) -> u32 {
        self.ranges
    }

    /// How many ranges storages have. For the holder of the lock of the class.
    pub(super) fn in_use(&self) -> u32 {
        self.fresh.load(Ordering::Relaxed).saturating_sub(self.used.len() as u32)
    }

    /// Says whether it is to run dry.
    pub(super) fn drain(&self, drains: bool) {
        if self.drains() != drains {
            self.drains.store(drains, Ordering::Relaxed);
        }
    }

    /// Whether it is to run dry.
    pub(super) fn drains(&self) -> bool {
        self.drains.load(Ordering::Relaxed)
    }

    /// Whether no storage has a range of it, and whether that was so at the last look and ever since. For who has
    /// locked the class.
    pub(super) fn look(&self) -> (bool, bool) {
        let idle = self.in_use() == 0;
        let was_idle = self.was_idle.load(Ordering::Relaxed);
        self.was_idle.store(idle, Ordering::Relaxed);
        (idle, idle && was_idle)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // Bind groups that encoders keep know it, too. What uses it was submitted, as pages hold it until then.
        self.buffer.destroy();
    }
}

/// Makes a wgpu buffer; a `defined` one is zero from the start.
///
/// # Errors
/// The GPU's memory is spent.
pub(super) fn make_buffer(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    defined: bool,
) -> Result<wgpu::Buffer, OutOfMemory> {
    let desc = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: defined };
    let (buffer, [None]) = catch(device, [wgpu::ErrorFilter::OutOfMemory], || device.create_buffer(&desc))
    else {
        return Err(OutOfMemory);
    };
    if defined {
        // A buffer that is mapped at creation is filled with zeros then, not at its first use.
        buffer.unmap();
    }
    Ok(buffer)
}
