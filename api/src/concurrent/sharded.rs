//! A separate value for each shard of threads, so that threads do not contend for cache lines.

use crate::sync::{AtomicU64, Ordering, SHARDS, thread_number};

/// Separates a value from its neighbours by 128 bytes, because CPUs fetch their 64-byte cache lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// One value for each shard. The number of shards is the number of threads that are likely to be active at
/// once, so several of them share a shard if there are more.
#[derive(Debug)]
pub(crate) struct Sharded<T>([Apart<T>; SHARDS]);

impl<T> Sharded<T> {
    pub(crate) fn new(make: impl Fn() -> T) -> Self {
        Self(std::array::from_fn(|_| Apart(make())))
    }

    /// Returns the value that belongs to the calling thread's shard.
    pub(crate) fn here(&self) -> &T {
        let [first, ..] = &self.0;
        &self.0.get(thread_number() as usize % SHARDS).unwrap_or(first).0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|apart| &apart.0)
    }
}

/// A sum that any thread can add to and subtract from.
#[derive(Debug)]
pub(crate) struct ShardedSum(Sharded<AtomicU64>);

impl Default for ShardedSum {
    fn default() -> Self {
        Self(Sharded::new(|| AtomicU64::new(0)))
    }
}

impl ShardedSum {
    pub(crate) fn add(&self, value: u64) {
        self.0.here().fetch_add(value, Ordering::Relaxed);
    }

    /// Subtracts a value that another thread may have added, so the counter of a shard may be negative
    /// although the sum is not.
    pub(crate) fn sub(&self, value: u64) {
        self.0.here().fetch_sub(value, Ordering::Relaxed);
    }

    /// Returns the sum, which may include only some of the concurrent changes of other threads.
    pub(crate) fn get(&self) -> u64 {
        let sum = self.0.iter().fold(0, |sum: u64, part| sum.wrapping_add(part.load(Ordering::Relaxed)));
        // A subtraction in one shard may be visible before the matching addition in another shard.
        if sum > i64::MAX as u64 { 0 } else { sum }
    }
}
