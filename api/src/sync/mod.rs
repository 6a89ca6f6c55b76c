//! What the protocols in [`concurrent`](crate::concurrent) are built on.
//!
//! They take it from here so that the models in `tests/models` can put instrumented primitives in its
//! place and run the very same code under every schedule.

pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering, fence},
};

pub(crate) use arc_swap::ArcSwap;
pub(crate) use crossbeam_queue::{ArrayQueue, SegQueue};

/// Into how many shards a device's books are split.
pub(crate) const SHARDS: usize = 16;

/// The number of the calling thread: never 0, and no other thread has it.
pub(crate) fn thread_number() -> u64 {
    thread_local! {
        static NUMBER: u64 = {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            NEXT.fetch_add(1, Ordering::Relaxed)
        };
    }
    NUMBER.with(|number| *number)
}
