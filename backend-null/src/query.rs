//! Queries: answered when the submission that holds their end has been announced.

use std::sync::atomic::{AtomicU64, Ordering};

use onze_ddi::{QueryData, QueryType};

/// The read-only half of a query: when it ends.
#[derive(Debug)]
pub(crate) struct NullQuery {
    asks: QueryType,
    /// The submission that holds the last `end`, counted from 1; 0 before the first one. Atomic for
    /// the sake of the shared object only: none but the immediate context's thread touches it.
    submission: AtomicU64,
}

impl NullQuery {
    pub(crate) fn new(asks: QueryType) -> Self {
        Self { asks, submission: AtomicU64::new(0) }
    }

    /// Notes that the submission that is being recorded holds the end.
    pub(crate) fn end(&self, submission: u64) {
        self.submission.store(submission, Ordering::Relaxed);
    }

    /// The answer, if the end lies before the submission that is being recorded.
    pub(crate) fn answer(&self, submission: u64) -> Option<QueryData> {
        let answer = match self.asks {
            QueryType::OcclusionPredicate => QueryData::OcclusionPredicate(false),
            QueryType::Event => QueryData::Event(true),
        };
        (self.submission.load(Ordering::Relaxed) < submission).then_some(answer)
    }
}
