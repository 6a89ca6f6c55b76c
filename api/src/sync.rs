//! The synchronization primitives of the protocols in [`concurrent`](crate::concurrent).
//!
//! The protocols import them from here, so that the models in `tests/models` can substitute instrumented primitives and
//! run the same code under every schedule.

pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering, fence},
};

pub(crate) use arc_swap::ArcSwap;
pub(crate) use crossbeam_queue::{ArrayQueue, SegQueue};

/// Number of shards of a device's bookkeeping, over which threads are spread.
pub(crate) const SHARDS: usize = 16;

/// Returns the number of the calling thread, which is unique among threads and never 0.
pub(crate) fn thread_number() -> u64 {
    thread_local! {
        static NUMBER: u64 = {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            NEXT.fetch_add(1, Ordering::Relaxed)
        };
    }
    NUMBER.with(|number| *number)
}
