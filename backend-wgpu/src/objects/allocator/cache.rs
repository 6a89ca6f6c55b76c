//! Caches: free storages and late writes of a few threads, so that creating and dropping buffers shares no memory.

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

/// What a storage holds from the next submission on.
#[derive(Debug)]
struct Late {
    /// It may be dropped by then.
    storage: Weak<Storage>,
    /// From its start; the rest is zero.
    contents: Box<[u8]>,
}

/// Storages of dropped buffers, which wait for the next buffers of the same threads, and what is to be written
/// to those of new buffers.
#[derive(Debug)]
pub(crate) struct Cache {
    /// By class. Nobody else holds what is in them, or will let go of it in a moment.
    classes: [ArrayQueue<Arc<Storage>>; CLASSES],
    late: SegQueue<Late>,
    /// When so many wait, those of dropped storages are forgotten.
    forget_at: AtomicUsize,
    /// Bytes that buffers of these threads have beyond their own size. Of one cache it may wrap below zero
    /// for a moment, the sum of all is right.
    padding: AtomicU64,
}

impl Cache {
    pub(super) fn new() -> Self {
        let capacity = |class: usize| ((CACHED_BYTES / (ALIGNMENT << class)) as usize).max(1);
        Self {
            classes: std::array::from_fn(|class| ArrayQueue::new(capacity(class))),
            late: SegQueue::new(),
            forget_at: AtomicUsize::new(FORGET_LATE_WRITES_AT),
            padding: AtomicU64::new(0),
        }
    }

    /// Counts what a new buffer of `size` bytes has beyond them.
    pub(crate) fn add_padding(&self, storage: &Storage, size: u64) {
        if storage.chunk.is_some() {
            self.padding.fetch_add(storage.size.saturating_sub(size), Ordering::Relaxed);
        }
    }

    /// Undoes [`Cache::add_padding`].
    pub(crate) fn remove_padding(&self, storage: &Storage, size: u64) {
        if storage.chunk.is_some() {
            self.padding.fetch_sub(storage.size.saturating_sub(size), Ordering::Relaxed);
        }
    }

    pub(super) fn padding(&self) -> u64 {
        self.padding.load(Ordering::Relaxed)
    }

    /// Before a buffer lets go of its storage: keeps it, if it is a part of a chunk, nobody else has it, and
    /// nothing is to be written to it, which then never is. Never waits.
    pub(crate) fn keep(&self, storage: &Arc<Storage>) {
        if storage.chunk.as_ref().is_some_and(|chunk| !chunk.drains())
            && Arc::strong_count(storage) == 1
            && Arc::weak_count(storage) == 0
            && let Some(class) = self.classes.get(class_of(storage.size))
        {
            // When enough are waiting, the range goes back to its chunk.
            drop(class.push(storage.clone()));
        }
    }

    /// A storage of a class, and whether it may hold something else than zero.
    pub(super) fn take(&self, class: usize) -> Option<(Arc<Storage>, bool)> {
        let mut storage = self.classes.get(class)?.pop()?;
        // A submission may still be about to zero it for its last owner: the range then goes back.
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

    /// Has the next submission write a storage, before anything else: all of it, from `contents` on zeros.
    pub(crate) fn write_late(&self, storage: &Arc<Storage>, contents: &[u8]) {
        self.late.push(Late { storage: Arc::downgrade(storage), contents: contents.into() });
    }

    /// Takes out what is to be written now, to the storages that still exist.
    pub(super) fn take_late(&self) -> impl Iterator<Item = (Arc<Storage>, Box<[u8]>)> {
        // Only what is there now, as others may go on adding. What they add is not in this submission.
        let late = (0..self.late.len()).map_while(|_| self.late.pop());
        late.filter_map(|late| Some((late.storage.upgrade()?, late.contents)))
    }

    /// How many storages are to be written, or were.
    #[cfg(test)]
    pub(super) fn late(&self) -> usize {
        self.late.len()
    }

    /// Lets go of what was to be written to dropped storages, now and then. By the thread that submits:
    /// nothing may be away meanwhile.
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
        // So that each is looked at a few times at most.
        self.forget_at.store(FORGET_LATE_WRITES_AT.max(2 * self.late.len()), Ordering::Relaxed);
    }

    /// How many storages of a class wait.
    pub(super) fn waiting(&self, class: usize) -> usize {
        self.classes.get(class).map_or(0, ArrayQueue::len)
    }

    /// Lets go of the storages of a class that wait now.
    pub(super) fn clear(&self, class: usize) {
        if let Some(class) = self.classes.get(class) {
            // Others may go on adding.
            (0..class.len()).map_while(|_| class.pop()).for_each(drop);
        }
    }
}
