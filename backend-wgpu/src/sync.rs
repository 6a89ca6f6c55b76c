//! Locks of things that one thread at a time looks at anyway, and what [`run_queue`](crate::run_queue) is
//! built on: `tests/models.rs` puts instrumented primitives in its place.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread::park,
};

pub(crate) use crossbeam_queue::SegQueue;

/// Locks. What is locked this way is changed in one step, so a panic elsewhere leaves it whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
