//! Numbers that tell things apart, all over the process.

use std::{cell::Cell, sync::atomic::AtomicU64};

use crate::concurrent::numbers::Numbers;

/// A number that nobody else gets, never 0. Costs no look at what other threads do, most of the time.
pub(crate) fn unique_number() -> u64 {
    static NUMBERS: Numbers = Numbers::new(AtomicU64::new(Numbers::FIRST));
    thread_local! {
        static MINE: Cell<u64> = const { Cell::new(0) };
    }
    MINE.with(|mine| NUMBERS.next(mine))
}
