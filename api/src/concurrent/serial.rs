//! The lock around a driver that only one thread at a time may enter.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, thread_number};

/// Serializes calls into a driver that is not free-threaded, and costs a single test otherwise.
///
/// A thread that is already inside may enter again, because amortized processing inside the driver destroys
/// objects.
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

    /// Returns whether only one thread at a time may enter the driver.
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
        // Only this thread stores its own number, so a stale value cannot be equal to it.
        if self.owner.load(Ordering::Relaxed) == me {
            return None;
        }
        let guard = self.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        self.owner.store(me, Ordering::Relaxed);
        Some(SerialGuard { owner: &self.owner, _guard: guard })
    }
}

/// The permission to be inside the driver, until the guard is dropped.
#[derive(Debug)]
pub(crate) struct SerialGuard<'a> {
    owner: &'a AtomicU64,
    _guard: MutexGuard<'a, ()>,
}

impl Drop for SerialGuard<'_> {
    fn drop(&mut self) {
        // Clears the number before the mutex is released, because a later store could erase the number of the
        // next owner.
        self.owner.store(0, Ordering::Relaxed);
    }
}
