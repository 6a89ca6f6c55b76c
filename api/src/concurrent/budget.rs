//! A sum with an upper bound.

use crate::sync::{AtomicU64, Ordering};

/// Bytes that are taken and given back, on any thread.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limit: Option<u64>,
    used: AtomicU64,
}

impl Budget {
    /// Without a limit, as many as a number can count.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Takes bytes. False, and nothing is changed, if they go beyond the limit: a request that is too
    /// large is never in the way of one that fits.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let limit = self.limit.unwrap_or(u64::MAX);
        let fits = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Gives back bytes that were taken.
    pub(crate) fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}
