//! Dense numbers that are given again when they come back.

use super::sharded::Sharded;
use crate::sync::{ArrayQueue, AtomicU64, Ordering, SegQueue};

/// How many a thread takes at once when none has come back.
const BLOCK: u32 = 8;

/// The most that wait for the threads of a shard alone.
const WAITING: usize = 32;

/// What one thread gives back it takes again, without a look at what others do.
#[derive(Debug)]
pub(crate) struct Indices {
    waiting: Sharded<ArrayQueue<u32>>,
    /// What came back and had no room.
    spare: SegQueue<u32>,
    /// From here on, none was ever given.
    fresh: AtomicU64,
}

impl Indices {
    pub(crate) fn new() -> Self {
        Self {
            waiting: Sharded::new(|| ArrayQueue::new(WAITING)),
            spare: SegQueue::new(),
            fresh: AtomicU64::new(0),
        }
    }

    /// An index that nobody has. Those that were ever given are no more than were out at once, and a few
    /// for each shard.
    pub(crate) fn take(&self) -> u32 {
        let mine = self.waiting.here();
        mine.pop().or_else(|| self.spare.pop()).unwrap_or_else(|| {
            let first = self.fresh.fetch_add(BLOCK.into(), Ordering::Relaxed) as u32;
            (first + 1..first + BLOCK).for_each(|index| self.wait(mine, index));
            first
        })
    }

    /// From any thread.
    pub(crate) fn give(&self, index: u32) {
        self.wait(self.waiting.here(), index);
    }

    fn wait(&self, mine: &ArrayQueue<u32>, index: u32) {
        if let Err(index) = mine.push(index) {
            self.spare.push(index);
        }
    }
}
