//! Cache invalidation, by the numbers of destroyed objects.
//!
//! Every encoding thread caches bind groups and pipelines, and the key of a cache entry contains the numbers
//! of the objects that the entry uses. When such an object or a wgpu buffer with constants is destroyed, its
//! number is added here. Each thread reads the new numbers before a run and drops the cache entries that
//! contain them. wgpu has its own references to an object while the GPU uses it.
//!
//! No operation here waits, because an object may be destroyed while a draw is recorded. If another thread is
//! reading the log, an encoder continues and reads the log before a later run.

use crate::services::sizes::INVALIDATION_LOG;

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
};

use crossbeam_queue::ArrayQueue;

use crate::services::ids::unique_id;

/// An object's number in cache keys, reported as destroyed when this value is dropped.
#[derive(Debug)]
pub(crate) struct CacheId {
    number: u64,
    invalidation: Arc<CacheInvalidation>,
}

impl CacheId {
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.number
    }
}

impl Drop for CacheId {
    fn drop(&mut self) {
        self.invalidation.note(self.number);
    }
}

#[derive(Debug)]
pub(crate) struct CacheInvalidation {
    count: AtomicU64,
    new: ArrayQueue<u64>,
    missed: AtomicU64,
    log: Mutex<InvalidationLog>,
}

#[derive(Debug, Default)]
struct InvalidationLog {
    /// Number of destroyed objects that encoders have moved into the log.
    count: u64,
    /// The most recent numbers, at most [`INVALIDATION_LOG`] of them.
    numbers: VecDeque<u64>,
}

impl Default for CacheInvalidation {
    fn default() -> Self {
        Self {
            count: AtomicU64::new(0),
            new: ArrayQueue::new(INVALIDATION_LOG),
            missed: AtomicU64::new(0),
            log: Mutex::default(),
        }
    }
}

impl CacheInvalidation {
    pub(crate) fn new_id(self: &Arc<Self>) -> CacheId {
        CacheId { number: unique_id(), invalidation: self.clone() }
    }

    pub(crate) fn note(&self, number: u64) {
        if self.new.push(number).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn since(&self, seen: u64) -> u64 {
        self.count.load(Ordering::Acquire).saturating_sub(seen)
    }

    /// Returns the objects that were destroyed since the count was `seen`, and updates `seen` to the current
    /// count. Returns `None` if another thread has locked the log, so that the caller must try again before a
    /// later run.
    pub(crate) fn take_since(&self, seen: &mut u64) -> Option<DestroyedNumbers> {
        let mut log = match self.log.try_lock() {
            Ok(log) => log,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let InvalidationLog { count, numbers } = &mut *log;
        let missed = self.missed.swap(0, Ordering::Relaxed);
        if missed > 0 {
            // The log now has fewer numbers than were counted, so other threads detect that they missed
            // numbers.
            numbers.clear();
            *count += missed;
        }
        while let Some(number) = self.new.pop() {
            if numbers.len() == INVALIDATION_LOG {
                numbers.pop_front();
            }
            numbers.push_back(number);
            *count += 1;
        }
        let new = count.saturating_sub(std::mem::replace(seen, *count)) as usize;
        let known = numbers.len().checked_sub(new);
        Some(known.map_or(DestroyedNumbers::All, |from| {
            DestroyedNumbers::Some(numbers.range(from..).copied().collect())
        }))
    }

    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        crate::services::sync::lock(&self.log)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DestroyedNumbers {
    Some(HashSet<u64>),
    /// More objects were destroyed than the log contains, so any object may be among them.
    All,
}

impl DestroyedNumbers {
    /// Whether an object may be destroyed, which can be true even for a live object if numbers were missed.
    pub(crate) fn has(&self, number: u64) -> bool {
        match self {
            Self::Some(numbers) => numbers.contains(&number),
            Self::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(numbers: &[u64]) -> Option<DestroyedNumbers> {
        Some(DestroyedNumbers::Some(numbers.iter().copied().collect()))
    }

    #[test]
    fn each_thread_reads_each_number_once() {
        let invalidation = Arc::new(CacheInvalidation::default());
        let [a, b, c] = [(); 3].map(|()| invalidation.new_id());
        let numbers = [a.get(), b.get(), c.get()];
        let (mut one, mut other) = (0, 0);
        drop(b);
        assert_eq!(invalidation.since(one), 1);
        assert_eq!(invalidation.take_since(&mut one), some(&numbers[1..2]));
        assert_eq!((invalidation.since(one), invalidation.take_since(&mut one)), (0, some(&[])));
        drop((c, a));
        assert_eq!(invalidation.take_since(&mut one), some(&[numbers[0], numbers[2]]));
        assert_eq!(invalidation.take_since(&mut other), some(&numbers));
    }

    #[test]
    fn a_thread_that_missed_numbers_drops_all() {
        let invalidation = Arc::new(CacheInvalidation::default());
        let (mut seen, mut late) = (0, 0);
        (0..INVALIDATION_LOG).for_each(|_| drop(invalidation.new_id()));
        assert!(
            matches!(invalidation.take_since(&mut seen), Some(DestroyedNumbers::Some(all)) if all.len() == INVALIDATION_LOG)
        );
        (0..=INVALIDATION_LOG).for_each(|_| drop(invalidation.new_id()));
        assert_eq!(invalidation.take_since(&mut seen), Some(DestroyedNumbers::All));
        assert_eq!(invalidation.take_since(&mut seen), some(&[]));
        assert_eq!(invalidation.take_since(&mut late), Some(DestroyedNumbers::All));
    }

    #[test]
    fn reading_the_log_never_waits() {
        let invalidation = Arc::new(CacheInvalidation::default());
        let mut seen = 0;
        let held = invalidation.hold_lock();
        drop(invalidation.new_id());
        assert_eq!((invalidation.take_since(&mut seen), invalidation.since(seen)), (None, 1));
        drop(held);
        assert!(
            matches!(invalidation.take_since(&mut seen), Some(DestroyedNumbers::Some(all)) if all.len() == 1)
        );
    }

    #[test]
    fn numbers_come_from_all_threads() {
        let invalidation = Arc::new(CacheInvalidation::default());
        let (mut seen, mut found) = (0, 0);
        let mut take = |invalidation: &CacheInvalidation| match invalidation.take_since(&mut seen) {
            Some(DestroyedNumbers::Some(all)) => found += all.len(),
            other => panic!("{other:?}"),
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| drop(invalidation.new_id())));
            }
            (0..100).for_each(|_| take(&invalidation));
        });
        take(&invalidation);
        assert_eq!((found, seen, invalidation.since(seen)), (2000, 2000, 0));
    }
}
