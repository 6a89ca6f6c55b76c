//! Queries: events, answered by the fences of submissions.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::{Fence, QueryType};

/// Where an event query is between `end` and its answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Never ended.
    New,
    /// Ended; what it waits for is not submitted yet.
    Recorded,
    /// Known when this fence is signalled.
    Submitted(Fence),
}

/// A query. Only the immediate context's thread looks at its state, also that of a query in a list,
/// which is issued when the list is executed.
#[derive(Debug)]
pub(crate) struct Query {
    /// [`NEW`], [`RECORDED`] or a fence: an atomic for the sake of the shared object only.
    state: AtomicU64,
}

/// Fences are counted from 1, and nobody counts to the last number.
const RECORDED: u64 = u64::MAX;
const NEW: u64 = u64::MAX - 1;

impl Query {
    /// A query that was never ended.
    pub(crate) fn new(_kind: QueryType) -> Arc<Self> {
        // Events are the only kind so far.
        Arc::new(Self { state: AtomicU64::new(NEW) })
    }

    /// Where it is.
    pub(crate) fn event(&self) -> Event {
        match self.state.load(Ordering::Relaxed) {
            NEW => Event::New,
            RECORDED => Event::Recorded,
            fence => Event::Submitted(Fence(fence)),
        }
    }

    /// Moves it on.
    pub(crate) fn set_event(&self, event: Event) {
        let state = match event {
            Event::New => NEW,
            Event::Recorded => RECORDED,
            Event::Submitted(Fence(fence)) => fence,
        };
        self.state.store(state, Ordering::Relaxed);
    }
}
