//! A byte count with an upper limit, for threads that take bytes and give them back.

use super::sharded::ShardedSum;
use crate::sync::{AtomicU64, Ordering};

/// Counts bytes that threads take and give back.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: Option<u64>,
    /// Number of taken bytes of a budget without a limit, counted separately by each shard of threads.
    apart: ShardedSum,
    /// Number of taken bytes if there is a limit. All threads share this counter, so that their sum can reach
    /// the limit but not exceed it.
    together: AtomicU64,
}

impl Budget {
    /// Creates a budget. `None` means that only the range of the integer limits the sum.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, apart: ShardedSum::default(), together: AtomicU64::new(0) }
    }

    /// Takes bytes. If the sum would exceed the limit, returns false and changes nothing, so a request that
    /// is too large does not affect a smaller request.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let Some(limit) = self.limit else {
            self.apart.add(bytes);
            return true;
        };
        let fits = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        self.together.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Gives back bytes that were taken, so that they can be taken again.
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
