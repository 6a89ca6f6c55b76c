//! Dense indices, which are reused after they come back.

use super::sharded::Sharded;
use crate::sync::{ArrayQueue, AtomicU64, Ordering, SegQueue};

/// Number of new indices that a thread takes at once if none has come back.
const BLOCK: u32 = 8;

/// Maximum number of indices that wait for the threads of one shard.
const WAITING: usize = 32;

/// Dense indices, of which a thread first reuses those that it gave back, without access to memory of other threads.
#[derive(Debug)]
pub(crate) struct Indices {
    waiting: Sharded<ArrayQueue<u32>>,
    /// Returned indices for which the shard had no space.
    spare: SegQueue<u32>,
    /// The smallest index that was never given out by this set.
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

    /// Returns an index that nobody holds. Because indices are reused, at most as many exist as were held at once, plus
    /// a few for each shard.
    pub(crate) fn take(&self) -> u32 {
        let mine = self.waiting.here();
        mine.pop().or_else(|| self.spare.pop()).unwrap_or_else(|| {
            let first = self.fresh.fetch_add(BLOCK.into(), Ordering::Relaxed) as u32;
            (first + 1..first + BLOCK).for_each(|index| self.wait(mine, index));
            first
        })
    }

    /// Gives back an index, from any thread, for a later use.
    pub(crate) fn give(&self, index: u32) {
        self.wait(self.waiting.here(), index);
    }

    fn wait(&self, mine: &ArrayQueue<u32>, index: u32) {
        if let Err(index) = mine.push(index) {
            self.spare.push(index);
        }
    }
}
