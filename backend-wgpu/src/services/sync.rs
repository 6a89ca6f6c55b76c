//! Locks for state that is used by one thread at a time anyway, and the primitives of
//! [`run_queue`](crate::submit::run_queue).
//!
//! `tests/models.rs` replaces this module with one of instrumented primitives, to try all orders of threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread::park,
};

pub(crate) use crossbeam_queue::SegQueue;

/// The number of the calling thread, which is unique and counted from 0.
pub(crate) fn thread_number() -> usize {
    thread_local! {
        static NUMBER: usize = {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            NEXT.fetch_add(1, Ordering::Relaxed)
        };
    }
    NUMBER.with(|number| *number)
}

/// Locks a mutex and ignores poisoning, because the protected state always changes in one step and so stays
/// consistent after a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
