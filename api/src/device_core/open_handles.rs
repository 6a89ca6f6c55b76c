//! The number of open handles of each context, for the statistics.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// The number of handles that a context has opened, on its own cache line because other threads read it.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct OpenHandles(AtomicU64);

impl OpenHandles {
    /// Sets the number, which only the context that owns the handles may do.
    pub(crate) fn set(&self, count: u32) {
        self.0.store(count.into(), Relaxed);
    }
}

/// The counts of all contexts of a device that still exist.
#[derive(Debug, Default)]
pub(crate) struct AllOpenHandles(Mutex<Vec<Weak<OpenHandles>>>);

impl AllOpenHandles {
    /// Adds a count for a new context, and returns it.
    pub(crate) fn add(&self) -> Arc<OpenHandles> {
        let count = Arc::new(OpenHandles::default());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&count));
        count
    }

    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.0.lock()
    }

    /// Returns the sum of the counts of all existing contexts.
    pub(crate) fn sum(&self) -> u64 {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).map(|count| count.0.load(Relaxed)).sum()
    }
}
