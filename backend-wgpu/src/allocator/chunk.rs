//! Chunks: wgpu buffers that are cut into ranges of one size.

use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use crossbeam_queue::SegQueue;
use onze_ddi::OutOfMemory;

use super::{CONSTANT_USAGES, own::make_buffer};
use crate::identity::{destroy, unique_id};

pub(super) const SMALL_CHUNK: u64 = 256 * 1024;
pub(super) const LARGE_CHUNK: u64 = 1024 * 1024;

/// A wgpu buffer that is cut into ranges of one size.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(super) buffer: wgpu::Buffer,
    pub(super) buffer_id: u64,
    pub(super) range_size: u64,
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
    /// A new chunk of ranges of a size, none of which is used.
    ///
    /// # Errors
    /// The GPU's memory is spent.
    pub(super) fn new(
        device: &wgpu::Device,
        range_size: u64,
        used_bytes: &Arc<AtomicU64>,
    ) -> Result<Arc<Self>, OutOfMemory> {
        let bytes = if range_size * 64 <= SMALL_CHUNK { SMALL_CHUNK } else { LARGE_CHUNK };
        let buffer = make_buffer(device, "constant buffers", bytes, CONSTANT_USAGES, true)?;
        Ok(Arc::new(Self {
            buffer,
            buffer_id: unique_id(),
            range_size,
            ranges: (bytes / range_size) as u32,
            used: SegQueue::new(),
            fresh: AtomicU32::new(0),
            used_bytes: used_bytes.clone(),
        }))
    }

    /// All of it, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.buffer.size()
    }

    /// Takes a range back, and whether something was written to it; `size` is that of the storage that it
    /// was. Waits for nobody.
    pub(crate) fn free(&self, offset: u64, size: u64, dirty: bool) {
        debug_assert!(size == self.range_size && offset.is_multiple_of(self.range_size));
        self.used_bytes.fetch_sub(self.range_size, Ordering::Relaxed);
        self.used.push(((offset / self.range_size) as u32, dirty));
    }

    /// A free range's index, and whether it may hold something else than zero. For who has locked the
    /// class.
    pub(super) fn take(&self) -> Option<(u32, bool)> {
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
    pub(super) fn is_idle(&self) -> bool {
        self.used.len() as u32 == self.fresh.load(Ordering::Relaxed)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        destroy(&self.buffer);
    }
}
