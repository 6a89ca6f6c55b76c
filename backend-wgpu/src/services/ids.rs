//! Unique numbers that identify objects in caches.

use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a number that identifies an object in cache keys and is not reused.
pub(crate) fn unique_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
