//! Queries: events, answered by the fences of submissions, and occlusion predicates, answered by the occlusion queries
//! of passes.
//!
//! wgpu's occlusion queries begin and end within a pass, one at a time. Those of Direct3D 11 overlap, and span passes,
//! pages, runs and lists. So the commands between a begin and an end are divided into *segments*. An encoder begins a
//! new segment whenever a query begins or ends, and with each pass. The answer is whether anything was visible in one
//! of the segments that the query covers.
//!
//! Each begin of a query opens another [`QueryScope`], also when a list is executed again, and a segment counts for
//! its scopes only. Scopes are numbered on the immediate context's thread, in the order in which pages are queued. No
//! other thread reads a query's state, also that of a query in a list.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use onze_ddi::{Fence, QueryData, QueryType};

/// Where a query is between its end and its answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Never ended.
    New,
    /// Ended; what it waits for is not submitted yet.
    Recorded,
    /// Known when this fence is signalled.
    Submitted(Fence),
}

/// A query; see the [module](self). Atomics for the sake of the shared object only.
#[derive(Debug)]
pub(crate) struct Query {
    /// What is asked.
    pub(crate) asks: QueryType,
    /// [`NEW`], [`RECORDED`] or a fence.
    state: AtomicU64,
    /// How often it was begun.
    scope: AtomicU64,
    /// Something was visible in this scope.
    visible: AtomicBool,
}

/// Fences are counted from 1, and never reach the last numbers.
const RECORDED: u64 = u64::MAX;
const NEW: u64 = u64::MAX - 1;

impl Query {
    /// A query that was never ended.
    pub(crate) fn new(asks: QueryType) -> Arc<Self> {
        let (state, scope) = (AtomicU64::new(NEW), AtomicU64::new(0));
        Arc::new(Self { asks, state, scope, visible: AtomicBool::new(false) })
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

    /// What is answered when everything has arrived.
    pub(crate) fn answer(&self) -> QueryData {
        match self.asks {
            QueryType::OcclusionPredicate => {
                QueryData::OcclusionPredicate(self.visible.load(Ordering::Relaxed))
            }
            QueryType::Event => QueryData::Event(true),
        }
    }

    /// It is begun once more.
    pub(crate) fn begin_scope(&self) {
        self.scope.fetch_add(1, Ordering::Relaxed);
        self.visible.store(false, Ordering::Relaxed);
    }
}

/// A query from one time that it is begun until it is ended.
#[derive(Clone, Debug)]
pub(crate) struct QueryScope {
    query: Arc<Query>,
    number: u64,
}

impl QueryScope {
    /// The one that was begun last.
    pub(crate) fn current(query: &Arc<Query>) -> Self {
        Self { query: query.clone(), number: query.scope.load(Ordering::Relaxed) }
    }

    /// Whether both are of one query.
    pub(crate) fn is_same_query(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.query, &other.query)
    }

    /// Something was visible. Nothing happens if the query was begun again since.
    pub(crate) fn saw(&self) {
        if self.query.scope.load(Ordering::Relaxed) == self.number {
            self.query.visible.store(true, Ordering::Relaxed);
        }
    }
}
