//! Locks of things that one thread at a time looks at anyway.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. What is locked this way is changed in one step, so a panic elsewhere leaves it whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
