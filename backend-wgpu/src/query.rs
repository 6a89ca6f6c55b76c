//! Queries: events, answered by the fences of submissions.

use std::sync::{Arc, Mutex};

use onze_ddi::{Fence, QueryType};

use crate::sync::lock;

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
    state: Mutex<Event>,
}

impl Query {
    /// A query that was never ended.
    pub(crate) fn new(_kind: QueryType) -> Arc<Self> {
        // Events are the only kind so far.
        Arc::new(Self { state: Mutex::new(Event::New) })
    }

    /// Where it is.
    pub(crate) fn event(&self) -> Event {
        *lock(&self.state)
    }

    /// Moves it on.
    pub(crate) fn set_event(&self, event: Event) {
        *lock(&self.state) = event;
    }
}
