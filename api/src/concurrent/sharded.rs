//! One of something for every few threads, so that threads do not wait for each other's cache lines.

use crate::sync::{AtomicU64, Ordering, SHARDS, thread_number};

/// Apart from its neighbours: processors fetch lines of 64 bytes in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

/// As many as threads are likely to work at once; more threads share.
#[derive(Debug)]
pub(crate) struct Sharded<T>([Apart<T>; SHARDS]);

impl<T> Sharded<T> {
    pub(crate) fn new(make: impl Fn() -> T) -> Self {
        Self(std::array::from_fn(|_| Apart(make())))
    }

    /// The calling thread's.
    pub(crate) fn here(&self) -> &T {
        let [first, ..] = &self.0;
        &self.0.get(thread_number() as usize % SHARDS).unwrap_or(first).0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|apart| &apart.0)
    }
}

/// A sum that any thread adds to and takes from.
#[derive(Debug)]
pub(crate) struct Sum(Sharded<AtomicU64>);

impl Default for Sum {
    fn default() -> Self {
        Self(Sharded::new(|| AtomicU64::new(0)))
    }
}

impl Sum {
    pub(crate) fn add(&self, value: u64) {
        self.0.here().fetch_add(value, Ordering::Relaxed);
    }

    /// What was added is taken by any thread: a part may go below zero, the whole does not.
    pub(crate) fn sub(&self, value: u64) {
        self.0.here().fetch_sub(value, Ordering::Relaxed);
    }

    /// What was added less what was taken. While others add and take, their work may be seen in part.
    pub(crate) fn get(&self) -> u64 {
        let sum = self.0.iter().fold(0, |sum: u64, part| sum.wrapping_add(part.load(Ordering::Relaxed)));
        // Who sees something taken in one part may have missed that it was added in another.
        if sum > i64::MAX as u64 { 0 } else { sum }
    }
}
