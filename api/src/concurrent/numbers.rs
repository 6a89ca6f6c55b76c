//! Unique numbers. Each thread takes numbers from its current block.

use std::cell::Cell;

use crate::sync::{AtomicU64, Ordering};

/// Number of values in a block. A thread takes a whole block at once.
const BLOCK: u64 = 64;

/// The counter from which threads take blocks of numbers.
#[derive(Debug)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    /// Creates the numbers from a counter. The counter's value must be [`Self::FIRST`].
    pub(crate) const fn new(counter: AtomicU64) -> Self {
        Self(counter)
    }

    /// The first number that is handed out. It is not 0.
    pub(crate) const FIRST: u64 = BLOCK;

    /// Returns a unique number. `mine` belongs to the calling thread and is initially 0. `mine` contains the
    /// next number of the thread's block, or the end of the block if the block is used up.
    pub(crate) fn next(&self, mine: &Cell<u64>) -> u64 {
        let mut number = mine.get();
        if number.is_multiple_of(BLOCK) {
            number = self.0.fetch_add(BLOCK, Ordering::Relaxed);
        }
        mine.set(number + 1);
        number
    }
}
