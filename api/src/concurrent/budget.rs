//! A sum with an upper bound.

use crate::{
    concurrent::sharded::Sum,
    sync::{AtomicU64, Ordering},
};

/// Bytes that are taken and given back, on any thread.
#[derive(Debug)]
pub(crate) enum Budget {
    /// As many as a number can count: threads count apart.
    Unlimited(Sum),
    /// All threads look at one number, so that the last byte can be taken, and only once.
    Limited { limit: u64, used: AtomicU64 },
}

impl Budget {
    pub(crate) fn new(limit: Option<u64>) -> Self {
        match limit {
            None => Self::Unlimited(Sum::default()),
            Some(limit) => Self::Limited { limit, used: AtomicU64::new(0) },
        }
    }

    /// Takes bytes. False, and nothing is changed, if they go beyond the limit: a request that is too
    /// large is never in the way of one that fits.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        match self {
            Self::Unlimited(used) => {
                used.add(bytes);
                true
            }
            Self::Limited { limit, used } => {
                let fits = |used: u64| used.checked_add(bytes).filter(|used| used <= limit);
                used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
            }
        }
    }

    /// Gives back bytes that were taken.
    pub(crate) fn give(&self, bytes: u64) {
        match self {
            Self::Unlimited(used) => used.sub(bytes),
            Self::Limited { used, .. } => {
                used.fetch_sub(bytes, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn used(&self) -> u64 {
        match self {
            Self::Unlimited(used) => used.get(),
            Self::Limited { used, .. } => used.load(Ordering::Relaxed),
        }
    }
}
