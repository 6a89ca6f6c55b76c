//! A sum with an upper bound.

use super::sharded::Sum;
use crate::sync::{AtomicU64, Ordering};

/// Bytes that are taken and given back, on any thread.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<u64>,
    /// Without a limit: threads count apart.
    apart: Sum,
    /// With one: all threads look at one number, so that the last byte can be taken, and only once.
    together: AtomicU64,
}

impl Budget {
    /// Without a limit, as many as a number can count.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, apart: Sum::default(), together: AtomicU64::new(0) }
    }

    /// Takes bytes. False, and nothing is changed, if they go beyond the limit: a request that is too
    /// large is never in the way of one that fits.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let Some(limit) = self.limit else {
            self.apart.add(bytes);
            return true;
        };
        let fits = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        self.together.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Gives back bytes that were taken.
    pub(crate) fn give(&self, bytes: u64) {
        if self.limit.is_none() {
            self.apart.sub(bytes);
        } else {
            self.together.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    pub(crate) fn used(&self) -> u64 {
        if self.limit.is_none() { self.apart.get() } else { self.together.load(Ordering::Relaxed) }
    }
}
