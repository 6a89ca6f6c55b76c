//! Submissions in flight: how far the GPU may be behind.

use std::collections::VecDeque;

/// Submissions that the GPU may be behind. Beyond that a submission waits, or what they hold would
/// grow without bound.
pub(crate) const IN_FLIGHT: usize = 16;

/// The last submissions that nobody has waited for, oldest first.
#[derive(Debug)]
pub(super) struct InFlight<T>(VecDeque<T>);

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> InFlight<T> {
    /// Adds one that was just made. The answer is one to be waited for before anything else is submitted.
    #[must_use]
    pub(super) fn push(&mut self, latest: T) -> Option<T> {
        self.0.push_back(latest);
        if self.0.len() > IN_FLIGHT { self.0.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_in_flight_are_bounded() {
        let mut in_flight = InFlight::default();
        let waited: Vec<_> = (0..100).map(|n| in_flight.push(n)).collect();
        let (first, later) = waited.split_at(IN_FLIGHT);
        assert!(first.iter().all(Option::is_none), "{first:?}");
        assert_eq!(later, (0..100 - IN_FLIGHT).map(Some).collect::<Vec<_>>());
    }
}
