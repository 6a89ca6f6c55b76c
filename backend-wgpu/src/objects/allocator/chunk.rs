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

pub(crate) const CONSTANT_USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// A wgpu buffer that is cut into ranges of one size.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(super) buffer: wgpu::Buffer,
    pub(super) buffer_id: CacheId,
    pub(super) range_size: u64,
    ranges: u32,
    /// Indices of free ranges that were used before, and whether each range may have been written to. Any
    /// thread adds entries, but only the holder of the class lock removes them.
    used: SegQueue<(u32, bool)>,
    /// The first range that was never used, written under the class lock. This range and all later ranges are
    /// zero.
    fresh: AtomicU32,
    /// Whether the chunk was free at the last check and has been free since, written under the class lock.
    was_idle: AtomicBool,
    /// Whether the chunk is being emptied, so that caches do not keep its ranges.
    drains: AtomicBool,
    used_bytes: Arc<AtomicU64>,
}

impl Chunk {
    /// Creates a chunk with unused ranges of one size.
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

    pub(super) fn bytes(&self) -> u64 {
        self.buffer.size()
    }

    /// Takes back a range of the storage's `size` without waiting, and records whether the range was written
    /// to.
    pub(crate) fn free(&self, offset: u64, size: u64, dirty: bool) {
        debug_assert!(size == self.range_size && offset.is_multiple_of(self.range_size));
        self.used_bytes.fetch_sub(self.range_size, Ordering::Relaxed);
        self.used.push(((offset / self.range_size) as u32, dirty));
    }

    /// Returns the index of a free range, and whether the range may contain bytes other than zero. The caller
    /// must hold the class lock.
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

    pub(super) fn ranges(&self) -> u32 {
        self.ranges
    }

    /// Number of ranges that storages use. The caller must hold the class lock.
    pub(super) fn in_use(&self) -> u32 {
        self.fresh.load(Ordering::Relaxed).saturating_sub(self.used.len() as u32)
    }

    pub(super) fn drain(&self, drains: bool) {
        if self.drains() != drains {
            self.drains.store(drains, Ordering::Relaxed);
        }
    }

    pub(super) fn drains(&self) -> bool {
        self.drains.load(Ordering::Relaxed)
    }

    /// Returns whether all ranges of the chunk are free, and whether they have been free since the last
    /// check. The caller must hold the class lock.
    pub(super) fn look(&self) -> (bool, bool) {
        let idle = self.in_use() == 0;
        let was_idle = self.was_idle.load(Ordering::Relaxed);
        self.was_idle.store(idle, Ordering::Relaxed);
        (idle, idle && was_idle)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // Bind groups in the encoders' caches may still refer to the buffer, but all work that uses the
        // buffer has been submitted, because pages keep its storages alive until then.
        self.buffer.destroy();
    }
}

/// Creates a wgpu buffer. If it is `defined`, it is zeroed immediately instead of at its first use.
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
        // wgpu zeroes a buffer that is mapped at creation immediately, instead of at its first use.
        buffer.unmap();
    }
    Ok(buffer)
}
