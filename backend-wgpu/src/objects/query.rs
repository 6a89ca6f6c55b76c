//! Queries. Event queries complete when the fence of their submission is signalled, and wgpu's queries
//! provide the results of the other types.
//!
//! wgpu's queries begin and end within a pass, and only one is active at a time, whereas Direct3D 11's
//! queries overlap and span passes, pages, runs and lists. The commands between a begin and an end are
//! therefore divided into *segments*. An encoder begins a new segment at each pass and whenever a query
//! begins or ends, and a query's result combines the segments that it covers. A timestamp is a separate
//! segment.
//!
//! Each begin of a query opens another [`QueryScope`], including a begin in a list that is executed again.
//! The result of a segment is added only to the scopes that were open during the segment. Scopes are numbered
//! on the immediate context's thread, in the order in which pages are queued, and no other thread reads a
//! query's state, even if the query is in a list. The scope of a timestamp consists only of its end.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::{
    Fence, PipelineStatistics, QueryData, QueryDesc, QueryMiscFlags, QueryType, SoStatistics,
    TimestampDisjoint,
};

/// The measurement that a query makes for the commands that it covers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    Nothing,
    Visibility,
    Samples,
    Time,
    Statistics,
    /// The primitives of stream output.
    Streams,
    /// The primitives that geometry shaders append, which are a part of the statistics.
    Primitives,
    /// The patches of indirect draws that are not drawn, which no query measures.
    LostPatches,
}

impl Measure {
    pub(crate) const SEGMENTED: [Self; 7] = [
        Self::Visibility,
        Self::Samples,
        Self::Time,
        Self::Statistics,
        Self::Streams,
        Self::Primitives,
        Self::LostPatches,
    ];

    const fn of(query: QueryType) -> Self {
        match query {
            QueryType::Occlusion => Self::Samples,
            QueryType::Timestamp => Self::Time,
            QueryType::PipelineStatistics => Self::Statistics,
            QueryType::OcclusionPredicate => Self::Visibility,
            QueryType::Event | QueryType::TimestampDisjoint => Self::Nothing,
            // All others are queries of stream output.
            _ => Self::Streams,
        }
    }
}

/// Numbers per result: the number of fields in [`PipelineStatistics`]. Queries of stream output use two numbers for
/// each stream, and all other results only the first number.
pub(crate) const NUMBERS: usize = 11;

/// The progress of a query from its end to its result.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueryEvent {
    New,
    /// The query has ended, but the commands that it waits for are not submitted yet.
    Recorded,
    Submitted(Fence),
}

/// A query; see the [module](self). The fields are atomics because the object is shared, although only one
/// thread uses them.
#[derive(Debug)]
pub(crate) struct Query {
    desc: QueryDesc,
    pub(crate) measure: Measure,
    /// [`NEW`], [`RECORDED`], or the number of the fence that completes the query.
    state: AtomicU64,
    /// Number of begins, which identifies the current scope.
    scope: AtomicU64,
    /// The results of the current scope, reset to 0 by each begin.
    numbers: [AtomicU64; NUMBERS],
}

/// State values that fence numbers do not reach, because fences are counted from 1.
const RECORDED: u64 = u64::MAX;
const NEW: u64 = u64::MAX - 1;

impl Query {
    pub(crate) fn new(desc: QueryDesc) -> Arc<Self> {
        let (state, scope) = (AtomicU64::new(NEW), AtomicU64::new(0));
        let numbers = [const { AtomicU64::new(0) }; NUMBERS];
        Arc::new(Self { desc, measure: Measure::of(desc.query), state, scope, numbers })
    }

    pub(crate) fn event(&self) -> QueryEvent {
        match self.state.load(Ordering::Relaxed) {
            NEW => QueryEvent::New,
            RECORDED => QueryEvent::Recorded,
            fence => QueryEvent::Submitted(Fence(fence)),
        }
    }

    pub(crate) fn set_event(&self, event: QueryEvent) {
        let state = match event {
            QueryEvent::New => NEW,
            QueryEvent::Recorded => RECORDED,
            QueryEvent::Submitted(Fence(fence)) => fence,
        };
        self.state.store(state, Ordering::Relaxed);
    }

    /// Returns the result, given the frequency of the GPU's clock in Hz, after all measurements have arrived.
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
            QueryType::OcclusionPredicate => QueryData::OcclusionPredicate(self.is_true()),
            query if query.is_predicate() => QueryData::SoOverflowPredicate(self.is_true()),
            _ => QueryData::SoStatistics(self.streams()),
        }
    }

    /// Returns the primitives of the query's streams.
    fn streams(&self) -> SoStatistics {
        let mut all = SoStatistics::default();
        for stream in self.desc.query.streams().into_iter().flatten() {
            let number = |at: usize| self.numbers.get(at).map_or(0, |number| number.load(Ordering::Relaxed));
            all.num_primitives_written += number(2 * stream);
            all.primitives_storage_needed += number(2 * stream + 1);
        }
        all
    }

    /// Whether a predicate is true: anything was visible, or a stream needed more room than its buffers had. The
    /// result is valid only after all measurements have arrived.
    pub(crate) fn is_true(&self) -> bool {
        match self.measure {
            Measure::Streams => {
                let SoStatistics { num_primitives_written, primitives_storage_needed } = self.streams();
                num_primitives_written != primitives_storage_needed
            }
            _ => self.numbers.first().is_some_and(|number| number.load(Ordering::Relaxed) != 0),
        }
    }

    /// Whether the query is only a hint for predication, so that no one waits for its result.
    pub(crate) fn is_hint(&self) -> bool {
        self.desc.misc_flags.contains(QueryMiscFlags::PREDICATEHINT)
    }

    pub(crate) fn begin_scope(&self) {
        self.scope.fetch_add(1, Ordering::Relaxed);
        self.numbers.iter().for_each(|number| number.store(0, Ordering::Relaxed));
    }
}

/// One use of a query, from its begin to its next end.
#[derive(Clone, Debug)]
pub(crate) struct QueryScope {
    query: Arc<Query>,
    number: u64,
}

impl QueryScope {
    pub(crate) fn current(query: &Arc<Query>) -> Self {
        Self { query: query.clone(), number: query.scope.load(Ordering::Relaxed) }
    }

    pub(crate) fn is_same_query(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.query, &other.query)
    }

    pub(crate) fn measure(&self) -> Measure {
        self.query.measure
    }

    /// Adds to one of the numbers, unless the query has been begun again in the meantime.
    pub(crate) fn add(&self, number: usize, more: u64) {
        if self.query.scope.load(Ordering::Relaxed) == self.number
            && let Some(number) = self.query.numbers.get(number)
        {
            number.fetch_add(more, Ordering::Relaxed);
        }
    }
}
