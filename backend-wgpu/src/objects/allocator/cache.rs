//! Buffer caches, each shared by a few threads that take free storages from it and return storages to it.
//! Threads with different caches share no memory when they create and drop buffers.

pub(crate) use crate::services::sizes::CACHES;
use crate::services::sizes::{CACHED_BYTES, FORGET_LATE_WRITES_AT};

use std::sync::{
    Arc, Weak,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use crossbeam_queue::{ArrayQueue, SegQueue};

use super::{
    size_class::{ALIGNMENT, CLASSES, class_of},
    storage::Storage,
};

#[derive(Debug)]
struct LateContents {
    storage: Weak<Storage>,
    contents: Box<[u8]>,
}

/// Storages of dropped buffers, kept for new buffers of the same threads, and the contents that still have to
/// be written to new buffers.
#[derive(Debug)]
pub(crate) struct BufferCache {
    /// Free storages by class. No one else holds a reference to them, except a thread that is about to
    /// release its reference.
    classes: [ArrayQueue<Arc<Storage>>; CLASSES],
    late: SegQueue<LateContents>,
    /// Number of pending writes at which the writes to dropped storages are discarded.
    forget_at: AtomicUsize,
    /// Sum of the storage sizes minus the buffer sizes, in bytes, for the buffers of these threads. One
    /// cache's value may briefly wrap below zero, but the sum over all caches is correct.
    padding: AtomicU64,
}

impl BufferCache {
    pub(super) fn new() -> Self {
        let capacity = |class: usize| ((CACHED_BYTES / (ALIGNMENT << class)) as usize).max(1);
        Self {
            classes: std::array::from_fn(|class| ArrayQueue::new(capacity(class))),
            late: SegQueue::new(),
            forget_at: AtomicUsize::new(FORGET_LATE_WRITES_AT),
            padding: AtomicU64::new(0),
        }
    }

    /// Adds the difference between the storage's size and a new buffer's `size`.
    pub(crate) fn add_padding(&self, storage: &Storage, size: u64) {
        if storage.chunk.is_some() {
            self.padding.fetch_add(storage.size.saturating_sub(size), Ordering::Relaxed);
        }
    }

    pub(crate) fn remove_padding(&self, storage: &Storage, size: u64) {
        if storage.chunk.is_some() {
            self.padding.fetch_sub(storage.size.saturating_sub(size), Ordering::Relaxed);
        }
    }

    pub(super) fn padding(&self) -> u64 {
        self.padding.load(Ordering::Relaxed)
    }

    /// Keeps the storage of a buffer that is about to be dropped. The storage must belong to a chunk, have no
    /// other owner, and have no pending late write, or else nothing happens. This call never waits.
    pub(crate) fn keep(&self, storage: &Arc<Storage>) {
        if storage.chunk.as_ref().is_some_and(|chunk| !chunk.drains())
            && Arc::strong_count(storage) == 1
            && Arc::weak_count(storage) == 0
            && let Some(class) = self.classes.get(class_of(storage.size))
        {
            // If the cache is full, the range returns to its chunk.
            drop(class.push(storage.clone()));
        }
    }

    /// Returns a storage of a class, and whether the storage may contain bytes other than zero.
    pub(super) fn take(&self, class: usize) -> Option<(Arc<Storage>, bool)> {
        let mut storage = self.classes.get(class)?.pop()?;
        // A submission may be about to zero the storage for its last owner, in which case the range returns
        // to its chunk.
        let dirty = Arc::get_mut(&mut storage)?.renew();
        Some((storage, dirty))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.classes
            .iter()
            .enumerate()
            .map(|(class, waiting)| (waiting.len() as u64) * (ALIGNMENT << class))
            .sum()
    }

    /// Makes the next submission write the whole storage first: `contents`, followed by zeros.
    pub(crate) fn write_late(&self, storage: &Arc<Storage>, contents: &[u8]) {
        self.late.push(LateContents { storage: Arc::downgrade(storage), contents: contents.into() });
    }

    /// Removes and returns the pending writes whose storages still exist.
    pub(super) fn take_late(&self) -> impl Iterator<Item = (Arc<Storage>, Box<[u8]>)> {
        // Only the writes that are pending now are taken, because writes that other threads add in the
        // meantime belong to the next submission.
        let late = (0..self.late.len()).map_while(|_| self.late.pop());
        late.filter_map(|late| Some((late.storage.upgrade()?, late.contents)))
    }

    #[cfg(test)]
    pub(super) fn late(&self) -> usize {
        self.late.len()
    }

    /// Discards writes to dropped storages when enough writes are pending. Only the submitting thread may
    /// call this, because a submission must not miss the writes that are temporarily removed.
    pub(super) fn forget_late(&self) {
        let waiting = self.late.len();
        if waiting < self.forget_at.load(Ordering::Relaxed) {
            return;
        }
        for late in (0..waiting).map_while(|_| self.late.pop()) {
            if late.storage.strong_count() > 0 {
                self.late.push(late);
            }
        }
        // Doubling the threshold ensures that each pending write is examined only a few times.
        self.forget_at.store(FORGET_LATE_WRITES_AT.max(2 * self.late.len()), Ordering::Relaxed);
    }

    pub(super) fn waiting(&self, class: usize) -> usize {
        self.classes.get(class).map_or(0, ArrayQueue::len)
    }

    pub(super) fn clear(&self, class: usize) {
        if let Some(class) = self.classes.get(class) {
            // Only the storages that are cached now are dropped, because other threads may continue to add
            // storages.
            (0..class.len()).map_while(|_| class.pop()).for_each(drop);
        }
    }
}
