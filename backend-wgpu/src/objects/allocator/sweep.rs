//! Sweeps, which free chunks that no storage uses.
//!
//! After each submission at most one class is checked, so each class is checked every [`SWEEP_PERIOD`]
//! submissions. A chunk is freed if it was completely free at two consecutive checks and between them. One
//! free chunk of each class is kept, to prevent new chunks in an application that repeatedly creates and
//! drops a chunk's worth of buffers.
//!
//! A check costs a few loads per chunk of the class, and a chunk can contain a thousand or more small
//! buffers. If all used ranges would fit into fewer chunks, the check sorts the chunks, so that new ranges
//! come from the fullest chunk that has room. Ranges of the emptiest chunks return to their chunk immediately
//! instead of waiting in a cache, so that these chunks become free.
//!
//! A live buffer keeps its chunk alive, because ranges are not moved. A chunk has
//! [`SMALL_CHUNK`](super::chunk::SMALL_CHUNK) bytes or, in classes above 4096 bytes,
//! [`LARGE_CHUNK`](super::chunk::LARGE_CHUNK) bytes. After some submissions without new buffers, a class has
//! at most one chunk per live buffer plus one free chunk.

use crate::services::sizes::{CHUNKS_FREED_AT_ONCE, SWEEP_PERIOD};

use std::sync::{Arc, atomic::Ordering};

use super::{BufferAllocator, chunk::Chunk, size_class::CLASSES};
use crate::services::sync::lock;

const _: () = assert!(CLASSES as u64 <= SWEEP_PERIOD, "each class has its turn");

/// Sort key that grows with the number of used ranges, except that it is 0 for a chunk without room.
fn fullness(chunk: &Chunk) -> u32 {
    match chunk.in_use() {
        all if all == chunk.ranges() => 0,
        some => some + 1,
    }
}

impl BufferAllocator {
    /// Frees chunks that have been unused for some time, after each submission and at every flush.
    pub(crate) fn sweep(&self) {
        let turn = self.sweeps.fetch_add(1, Ordering::Relaxed) % SWEEP_PERIOD;
        // The freed chunks are dropped here, after the class lock has been released.
        drop(self.sweep_class(turn as usize));
    }

    fn sweep_class(&self, class: usize) -> Vec<Arc<Chunk>> {
        // A locked class is skipped, so that neither this thread nor a thread that creates buffers waits, and
        // a later sweep checks that class.
        let Some(Ok(mut chunks)) = self.classes.get(class).map(|chunks| chunks.try_lock()) else {
            return Vec::new();
        };
        let Some(ranges) = chunks.first().map(|chunk| chunk.ranges() as usize) else { return Vec::new() };
        let cached: usize = self.caches.iter().map(|cache| cache.waiting(class)).sum();
        let in_use: usize = chunks.iter().map(|chunk| chunk.in_use() as usize).sum();
        let needed = in_use.saturating_sub(cached).div_ceil(ranges);
        if chunks.len() <= needed + 1 {
            chunks.iter().for_each(|chunk| chunk.drain(false));
            return Vec::new();
        }
        // A few cached storages may be the only users of many chunks.
        self.caches.iter().for_each(|cache| cache.clear(class));
        let mut freed = Vec::new();
        let mut one_stays = false;
        chunks.retain(|chunk| {
            let (idle, was_idle) = chunk.look();
            let is_spare = idle && std::mem::replace(&mut one_stays, true);
            let goes = is_spare && was_idle && freed.len() < CHUNKS_FREED_AT_ONCE;
            if goes {
                freed.push(chunk.clone());
            }
            !goes
        });
        // Chunks at the end are tried first, so chunks without room are sorted to the start, by cached keys
        // because the counts may change during the sort.
        chunks.sort_by_cached_key(|chunk| fullness(chunk));
        let full = chunks.partition_point(|chunk| chunk.in_use() == chunk.ranges());
        let drained = chunks.len().saturating_sub((needed + 1).max(full));
        for (at, chunk) in chunks.iter().enumerate() {
            chunk.drain((full..full + drained).contains(&at));
        }
        self.forget(&freed);
        freed
    }

    pub(crate) fn trim(&self) {
        for class in 0..CLASSES {
            self.caches.iter().for_each(|cache| cache.clear(class));
        }
        for chunks in &self.classes {
            let freed: Vec<_> = lock(chunks).extract_if(.., |chunk| chunk.in_use() == 0).collect();
            self.forget(&freed);
        }
    }

    fn forget(&self, freed: &[Arc<Chunk>]) {
        self.chunk_bytes.fetch_sub(freed.iter().map(|chunk| chunk.bytes()).sum(), Ordering::Relaxed);
    }
}
