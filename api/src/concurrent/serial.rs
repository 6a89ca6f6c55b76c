//! The lock around a driver that only one thread may enter.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, thread_number};

/// Serializes entries into a driver without free threading, at the cost of a single test for all other drivers.
///
/// A thread that is already inside may enter again, because amortized processing destroys objects.
#[derive(Debug)]
pub(crate) struct SerialLock {
    needed: bool,
    owner: AtomicU64,
    mutex: Mutex<()>,
}

impl SerialLock {
    pub(crate) fn new(needed: bool) -> Self {
        Self { needed, owner: AtomicU64::new(0), mutex: Mutex::new(()) }
    }

    /// Returns whether only one thread may enter the driver.
    pub(crate) const fn is_needed(&self) -> bool {
        self.needed
    }

    #[cfg(test)]
    #[allow(dead_code, reason = "the models do not use it")]
    pub(crate) fn is_inside(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == thread_number()
    }

    #[inline]
    pub(crate) fn enter(&self) -> Option<SerialGuard<'_>> {
        if self.is_needed() { self.enter_slow() } else { None }
    }

    #[cold]
    #[inline(never)]
    fn enter_slow(&self) -> Option<SerialGuard<'_>> {
        let me = thread_number();
        // Only this thread stores its own number, so a stale read cannot equal it.
        if self.owner.load(Ordering::Relaxed) == me {
            return None;
        }
        let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        self.owner.store(me, Ordering::Relaxed);
        Some(SerialGuard { owner: &self.owner, _guard: guard })
    }
}

/// The right to be in the driver, which ends when the guard is dropped.
#[derive(Debug)]
pub(crate) struct SerialGuard<'a> {
    owner: &'a AtomicU64,
    _guard: MutexGuard<'a, ()>,
}

impl Drop for SerialGuard<'_> {
    fn drop(&mut self) {
        // Cleared before the mutex is released, because later it could erase the number of the next owner.
        self.owner.store(0, Ordering::Relaxed);
    }
}
