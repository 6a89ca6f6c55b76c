//! Objects that are gone, for the caches that know them.
//!
//! Every encoding thread keeps bind groups and pipelines by the numbers of what they are made of. When one
//! of these objects goes, or a wgpu buffer that constants were in, its number is noted here, and the threads drop
//! what they made of it when they come by. What the GPU still uses of that, wgpu keeps. Nobody waits: objects may go on the path of a draw, and an encoder that finds nothing new, or finds
//! another one here, goes on.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
};

use crossbeam_queue::ArrayQueue;

use crate::services::ids::unique_id;

/// Numbers that are kept for who comes late; who comes later drops everything.
const MOST: usize = 4096;

/// An object's number in cache keys. Dropped with the object.
#[derive(Debug)]
pub(crate) struct CacheId {
    number: u64,
    gone: Arc<Gone>,
}

impl CacheId {
    /// The number; never used again.
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.number
    }
}

impl Drop for CacheId {
    fn drop(&mut self) {
        self.gone.note(self.number);
    }
}

/// The numbers of a device's objects that are gone.
#[derive(Debug)]
pub(crate) struct Gone {
    /// How many there were.
    count: AtomicU64,
    /// Those that no encoder has come by for.
    new: ArrayQueue<u64>,
    /// How many had no room there.
    missed: AtomicU64,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    /// How many there were, as far as encoders have come by for them.
    count: u64,
    /// The last of them.
    numbers: VecDeque<u64>,
}

impl Default for Gone {
    fn default() -> Self {
        Self {
            count: AtomicU64::new(0),
            new: ArrayQueue::new(MOST),
            missed: AtomicU64::new(0),
            log: Mutex::default(),
        }
    }
}

impl Gone {
    /// A number for a new object.
    pub(crate) fn new_id(self: &Arc<Self>) -> CacheId {
        CacheId { number: unique_id(), gone: self.clone() }
    }

    /// Notes that an object has gone.
    pub(crate) fn note(&self, number: u64) {
        if self.new.push(number).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Release);
    }

    /// How many objects have gone since there were `seen`.
    pub(crate) fn since(&self, seen: u64) -> u64 {
        self.count.load(Ordering::Acquire).saturating_sub(seen)
    }

    /// What has gone since there were `seen`, which becomes what there are now. `None` if another thread is
    /// here, which is no reason to wait.
    pub(crate) fn take_since(&self, seen: &mut u64) -> Option<Numbers> {
        let mut log = match self.log.try_lock() {
            Ok(log) => log,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let Log { count, numbers } = &mut *log;
        let missed = self.missed.swap(0, Ordering::Relaxed);
        if missed > 0 {
            // Who has not seen these is to find fewer numbers than there should be.
            numbers.clear();
            *count += missed;
        }
        while let Some(number) = self.new.pop() {
            if numbers.len() == MOST {
                numbers.pop_front();
            }
            numbers.push_back(number);
            *count += 1;
        }
        let new = count.saturating_sub(std::mem::replace(seen, *count)) as usize;
        let known = numbers.len().checked_sub(new);
        Some(known.map_or(Numbers::All, |from| Numbers::Some(numbers.range(from..).copied().collect())))
    }

    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        crate::services::sync::lock(&self.log)
    }
}

/// What has gone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// These.
    Some(HashSet<u64>),
    /// So much that any object may be.
    All,
}

impl Numbers {
    /// Whether an object may be gone.
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

    fn some(numbers: &[u64]) -> Option<Numbers> {
        Some(Numbers::Some(numbers.iter().copied().collect()))
    }

    #[test]
    fn everybody_hears_of_what_is_gone_once() {
        let gone = Arc::new(Gone::default());
        let [a, b, c] = [(); 3].map(|()| gone.new_id());
        let numbers = [a.get(), b.get(), c.get()];
        let (mut one, mut other) = (0, 0);
        drop(b);
        assert_eq!(gone.since(one), 1);
        assert_eq!(gone.take_since(&mut one), some(&numbers[1..2]));
        assert_eq!((gone.since(one), gone.take_since(&mut one)), (0, some(&[])));
        drop((c, a));
        assert_eq!(gone.take_since(&mut one), some(&[numbers[0], numbers[2]]));
        assert_eq!(gone.take_since(&mut other), some(&numbers));
    }

    #[test]
    fn who_comes_too_late_is_told_so() {
        let gone = Arc::new(Gone::default());
        let (mut seen, mut late) = (0, 0);
        (0..MOST).for_each(|_| drop(gone.new_id()));
        assert!(matches!(gone.take_since(&mut seen), Some(Numbers::Some(all)) if all.len() == MOST));
        (0..=MOST).for_each(|_| drop(gone.new_id()));
        assert_eq!(gone.take_since(&mut seen), Some(Numbers::All));
        assert_eq!(gone.take_since(&mut seen), some(&[]));
        assert_eq!(gone.take_since(&mut late), Some(Numbers::All));
    }

    #[test]
    fn who_finds_another_thread_does_not_wait() {
        let gone = Arc::new(Gone::default());
        let mut seen = 0;
        let held = gone.hold_lock();
        drop(gone.new_id());
        assert_eq!((gone.take_since(&mut seen), gone.since(seen)), (None, 1));
        drop(held);
        assert!(matches!(gone.take_since(&mut seen), Some(Numbers::Some(all)) if all.len() == 1));
    }

    #[test]
    fn numbers_come_from_all_threads() {
        let gone = Arc::new(Gone::default());
        let (mut seen, mut found) = (0, 0);
        let mut take = |gone: &Gone| match gone.take_since(&mut seen) {
            Some(Numbers::Some(all)) => found += all.len(),
            other => panic!("{other:?}"),
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| drop(gone.new_id())));
            }
            (0..100).for_each(|_| take(&gone));
        });
        take(&gone);
        assert_eq!((found, seen, gone.since(seen)), (2000, 2000, 0));
    }
}
