//! Locks for state that only one thread at a time uses, and the primitives of
//! [`run_queue`](crate::submit::run_queue).
//!
//! `tests/models.rs` replaces this module with instrumented primitives, so that it can try all thread
//! interleavings.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread::park,
};

pub(crate) use crossbeam_queue::SegQueue;

/// Returns the number of the calling thread, which is unique and counts from 0.
pub(crate) fn thread_number() -> usize {
    thread_local! {
        static NUMBER: usize = {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            NEXT.fetch_add(1, Ordering::Relaxed)
        };
    }
    NUMBER.with(|number| *number)
}

/// Locks a mutex and ignores poisoning, because each change to the protected state is a single step, so the
/// state stays consistent after a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
