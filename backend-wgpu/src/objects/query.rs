//! Queries: events, answered by the fences of submissions, and what is measured of commands, answered by wgpu's queries.
//!
//! wgpu's queries of draws and dispatches begin and end within a pass, one at a time. Those of Direct3D 11 overlap, and
//! span passes, pages, runs and lists. So the commands between a begin and an end are divided into *segments*. An
//! encoder begins a new segment whenever a query begins or ends, and with each pass. The answer joins the segments that
//! the query covers. A timestamp is a segment of its own.
//!
//! Each begin of a query opens another [`QueryScope`], also when a list is executed again, and a segment counts for
//! its scopes only. Scopes are numbered on the immediate context's thread, in the order in which pages are queued. No
//! other thread reads a query's state, also that of a query in a list. A timestamp has a scope of nothing but its end.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::{
    Fence, PipelineStatistics, QueryData, QueryDesc, QueryMiscFlags, QueryType, TimestampDisjoint,
};

/// What a query measures of the commands that it covers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Nothing: a fence has the answer.
    Nothing,
    /// Whether anything was visible.
    Visibility,
    /// How many samples were visible.
    Samples,
    /// When the GPU came to it.
    Time,
    /// What the stages did.
    Statistics,
}

impl Measure {
    /// Those that have segments.
    pub(crate) const SEGMENTED: [Self; 4] = [Self::Visibility, Self::Samples, Self::Time, Self::Statistics];

    const fn of(query: QueryType) -> Self {
        match query {
            QueryType::Occlusion => Self::Samples,
            QueryType::Timestamp => Self::Time,
            QueryType::PipelineStatistics => Self::Statistics,
            QueryType::OcclusionPredicate => Self::Visibility,
            // The runtime refuses those of stream output.
            _ => Self::Nothing,
        }
    }
}

/// Numbers of an answer: those of [`PipelineStatistics`]. Any other answer has one.
pub(crate) const NUMBERS: usize = 11;

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
    desc: QueryDesc,
    /// What is measured.
    pub(crate) measure: Measure,
    /// [`NEW`], [`RECORDED`] or a fence.
    state: AtomicU64,
    /// How often it was begun.
    scope: AtomicU64,
    /// What was measured in this scope.
    numbers: [AtomicU64; NUMBERS],
}

/// Fences are counted from 1, and never reach the last numbers.
const RECORDED: u64 = u64::MAX;
const NEW: u64 = u64::MAX - 1;

impl Query {
    /// A query that was never ended.
    pub(crate) fn new(desc: QueryDesc) -> Arc<Self> {
        let (state, scope) = (AtomicU64::new(NEW), AtomicU64::new(0));
        let numbers = [const { AtomicU64::new(0) }; NUMBERS];
        Arc::new(Self { desc, measure: Measure::of(desc.query), state, scope, numbers })
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

    /// What is answered when everything has arrived. `frequency` is that of the GPU's clock.
    pub(crate) fn answer(&self, frequency: u64) -> QueryData {
        let number = |at: usize| self.numbers.get(at).map_or(0, |number| number.load(Ordering::Relaxed));
        match self.desc.query {
            QueryType::Event => QueryData::Event(true),
            QueryType::Occlusion => QueryData::Occlusion(number(0)),
            QueryType::Timestamp => QueryData::Timestamp(number(0)),
            QueryType::TimestampDisjoint => {
                QueryData::TimestampDisjoint(TimestampDisjoint { frequency, disjoint: false })
            }
            QueryType::PipelineStatistics => QueryData::PipelineStatistics(PipelineStatistics {
                ia_vertices: number(0),
                ia_primitives: number(1),
                vs_invocations: number(2),
                gs_invocations: number(3),
                gs_primitives: number(4),
                c_invocations: number(5),
                c_primitives: number(6),
                ps_invocations: number(7),
                hs_invocations: number(8),
                ds_invocations: number(9),
                cs_invocations: number(10),
            }),
            _ => QueryData::OcclusionPredicate(number(0) != 0),
        }
    }

    /// Whether anything was visible, when everything has arrived.
    pub(crate) fn is_visible(&self) -> bool {
        self.numbers.first().is_some_and(|number| number.load(Ordering::Relaxed) != 0)
    }

    /// Whether nothing waits for its answer.
    pub(crate) fn is_hint(&self) -> bool {
        self.desc.misc_flags.contains(QueryMiscFlags::PREDICATEHINT)
    }

    /// It is begun once more.
    pub(crate) fn begin_scope(&self) {
        self.scope.fetch_add(1, Ordering::Relaxed);
        self.numbers.iter().for_each(|number| number.store(0, Ordering::Relaxed));
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

    /// What the query measures.
    pub(crate) fn measure(&self) -> Measure {
        self.query.measure
    }

    /// Adds to one of the numbers. Nothing happens if the query was begun again since.
    pub(crate) fn add(&self, number: usize, more: u64) {
        if self.query.scope.load(Ordering::Relaxed) == self.number
            && let Some(number) = self.query.numbers.get(number)
        {
            number.fetch_add(more, Ordering::Relaxed);
        }
    }
}
