//! Unique numbers, which each thread takes from its current block.

use std::cell::Cell;

use crate::sync::{AtomicU64, Ordering};

/// Number of values in a block, which a thread takes as a whole.
const BLOCK: u64 = 64;

/// The counter from which threads take blocks of numbers.
#[derive(Debug)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    /// Creates the numbers from a counter whose value must be [`Self::FIRST`].
    pub(crate) const fn new(counter: AtomicU64) -> Self {
        Self(counter)
    }

    /// The first number that is handed out. It is not 0.
    pub(crate) const FIRST: u64 = BLOCK;

    /// Returns a unique number. `mine` belongs to the calling thread, is initially 0, and contains the next
    /// number of the thread's block, or the end of the block if the block is used up.
    pub(crate) fn next(&self, mine: &Cell<u64>) -> u64 {
        let mut number = mine.get();
        if number.is_multiple_of(BLOCK) {
            number = self.0.fetch_add(BLOCK, Ordering::Relaxed);
        }
        mine.set(number + 1);
        number
    }
}
