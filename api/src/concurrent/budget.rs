//! A sum with an upper bound, for bytes that several threads take and give back.

use super::sharded::ShardedSum;
use crate::sync::{AtomicU64, Ordering};

/// Counts bytes that any thread takes and gives back.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<u64>,
    /// The sum without a limit, which threads count separately.
    apart: ShardedSum,
    /// The sum with a limit, for which all threads share one number, so that the last byte can be taken, but only once.
    together: AtomicU64,
}

impl Budget {
    /// Creates a budget, where `None` means no limit other than the range of the number.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, apart: ShardedSum::default(), together: AtomicU64::new(0) }
    }

    /// Takes bytes, or returns false without any effect if the sum would exceed the limit, so a request that is too
    /// large never blocks one that fits.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let Some(limit) = self.limit else {
            self.apart.add(bytes);
            return true;
        };
        let fits = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        self.together.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Gives back bytes that were taken, so that others can take them.
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
