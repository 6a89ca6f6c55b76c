//! Queries, whose results are available after the submission that contains the query's end.

use std::sync::atomic::{AtomicU64, Ordering};

use onze_ddi::{PipelineStatistics, QueryData, QueryType, SoStatistics, TimestampDisjoint};

/// The read-only half of a query, with the submission of the query's end.
#[derive(Debug)]
pub(crate) struct NullQuery {
    asks: QueryType,
    /// The number of the submission that contains the most recent `end`, counted from 1, or 0 before the
    /// first `end`. The number is atomic only because the object is shared: only the immediate context's
    /// thread accesses it.
    submission: AtomicU64,
}

impl NullQuery {
    pub(crate) fn new(asks: QueryType) -> Self {
        Self { asks, submission: AtomicU64::new(0) }
    }

    pub(crate) fn end(&self, submission: u64) {
        self.submission.store(submission, Ordering::Relaxed);
    }

    /// Returns the result if the query ended in an earlier submission than `submission`, which is being
    /// recorded. All counts are 0, because nothing is drawn, and the clock advances by one tick, which is one
    /// second, per submission.
    pub(crate) fn answer(&self, submission: u64) -> Option<QueryData> {
        let ended = self.submission.load(Ordering::Relaxed);
        let answer = match self.asks {
            QueryType::Event => QueryData::Event(true),
            QueryType::Occlusion => QueryData::Occlusion(0),
            QueryType::Timestamp => QueryData::Timestamp(ended),
            QueryType::TimestampDisjoint => {
                QueryData::TimestampDisjoint(TimestampDisjoint { frequency: 1, disjoint: false })
            }
            QueryType::PipelineStatistics => QueryData::PipelineStatistics(PipelineStatistics::default()),
            QueryType::OcclusionPredicate => QueryData::OcclusionPredicate(false),
            query if query.is_predicate() => QueryData::SoOverflowPredicate(false),
            _ => QueryData::SoStatistics(SoStatistics::default()),
        };
        (ended < submission).then_some(answer)
    }
}
