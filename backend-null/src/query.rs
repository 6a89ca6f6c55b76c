//! Event queries: answered when the submission that holds their end has been announced.

use std::sync::atomic::{AtomicU64, Ordering};

/// The read-only half of a query: when it ends.
#[derive(Debug, Default)]
pub(crate) struct NullQuery {
    /// The submission that holds the last `end`, counted from 1; 0 before the first one. Atomic for
    /// the sake of the shared object only: none but the immediate context's thread touches it.
    submission: AtomicU64,
}

impl NullQuery {
    /// Notes that the submission that is being recorded holds the end.
    pub(crate) fn end(&self, submission: u64) {
        self.submission.store(submission, Ordering::Relaxed);
    }

    /// Whether the end lies before the submission that is being recorded.
    pub(crate) fn is_done(&self, submission: u64) -> bool {
        self.submission.load(Ordering::Relaxed) < submission
    }
}
