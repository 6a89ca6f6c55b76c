//! Numbers that are unique in the process, such as keys.

use std::{cell::Cell, sync::atomic::AtomicU64};

use crate::concurrent::numbers::Numbers;

/// Returns a unique nonzero number, which usually comes from a block that belongs to the calling thread,
/// without access to shared memory.
pub(crate) fn unique_number() -> u64 {
    static NUMBERS: Numbers = Numbers::new(AtomicU64::new(Numbers::FIRST));
    thread_local! {
        static MINE: Cell<u64> = const { Cell::new(0) };
    }
    MINE.with(|mine| NUMBERS.next(mine))
}
