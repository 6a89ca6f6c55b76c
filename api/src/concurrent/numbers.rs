//! Numbers that are never given twice.

use std::cell::Cell;

use crate::sync::{AtomicU64, Ordering};

/// How many a thread takes at once.
const BLOCK: u64 = 64;

/// Where threads take blocks of numbers from.
#[derive(Debug)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    /// Numbers from a counter that stands at [`Self::FIRST`].
    pub(crate) const fn new(counter: AtomicU64) -> Self {
        Self(counter)
    }

    /// The first number; there is no 0.
    pub(crate) const FIRST: u64 = BLOCK;

    /// A number that nobody else gets. `mine` is the calling thread's, and was 0 before the first: the next
    /// number of its block, or the end of one that is spent.
    pub(crate) fn next(&self, mine: &Cell<u64>) -> u64 {
        let mut number = mine.get();
        if number.is_multiple_of(BLOCK) {
            number = self.0.fetch_add(BLOCK, Ordering::Relaxed);
        }
        mine.set(number + 1);
        number
    }
}
