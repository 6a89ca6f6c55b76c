//! Dense indices, which are reused after they were given back.

use super::sharded::Sharded;
use crate::sync::{ArrayQueue, AtomicU64, Ordering, SegQueue};

/// Number of new indices that a thread takes at once if no returned index is available.
const BLOCK: u32 = 8;

/// Maximum number of returned indices that are kept for the threads of one shard.
const WAITING: usize = 32;

/// Dense indices. A thread first reuses the indices that its shard has given back, without accessing memory
/// of other shards.
#[derive(Debug)]
pub(crate) struct Indices {
    waiting: Sharded<ArrayQueue<u32>>,
    /// Returned indices that did not fit into their shard's queue.
    spare: SegQueue<u32>,
    /// The smallest index that was never handed out.
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

    /// Returns an index that is not in use. Because indices are reused, the number of different indices
    /// exceeds the maximum number in use at once by only a few for each shard.
    pub(crate) fn take(&self) -> u32 {
        let mine = self.waiting.here();
        mine.pop().or_else(|| self.spare.pop()).unwrap_or_else(|| {
            let first = self.fresh.fetch_add(BLOCK.into(), Ordering::Relaxed) as u32;
            (first + 1..first + BLOCK).for_each(|index| self.wait(mine, index));
            first
        })
    }

    /// Gives back an index for reuse, on any thread.
    pub(crate) fn give(&self, index: u32) {
        self.wait(self.waiting.here(), index);
    }

    fn wait(&self, mine: &ArrayQueue<u32>, index: u32) {
        if let Err(index) = mine.push(index) {
            self.spare.push(index);
        }
    }
}
