//! Submissions in flight, limited in number so that the GPU does not lag too far behind.

use std::collections::VecDeque;

/// The most recent submissions that the context has not waited for, oldest first.
#[derive(Debug)]
pub(super) struct InFlight<T> {
    submissions: VecDeque<T>,
    most: usize,
}

impl<T> InFlight<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { submissions: VecDeque::new(), most }
    }

    /// Adds a new submission and, if the limit is exceeded, returns the submission to wait for before the
    /// next submission.
    #[must_use]
    pub(super) fn push(&mut self, latest: T) -> Option<T> {
        self.submissions.push_back(latest);
        if self.submissions.len() > self.most { self.submissions.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_in_flight_are_bounded() {
        let mut in_flight = InFlight::new(16);
        let waited: Vec<_> = (0..100).map(|n| in_flight.push(n)).collect();
        let (first, later) = waited.split_at(16);
        assert!(first.iter().all(Option::is_none), "{first:?}");
        assert_eq!(later, (0..100 - 16).map(Some).collect::<Vec<_>>());
    }
}
