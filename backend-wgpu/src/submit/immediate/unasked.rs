//! Early submissions: work that is submitted before the application asks for it.
//!
//! There are two reasons: much work waits, or the GPU is idle. The numbers stand in [`BacklogPolicy`].

use std::time::{Duration, Instant};

use crate::services::policy::{BacklogPolicy, Policy};

/// What waits for a submission.
#[derive(Copy, Clone, Debug)]
pub(super) struct Waiting {
    /// Draws.
    pub(super) draws: u64,
    /// Runs that were handed over.
    pub(super) runs: u64,
    /// How long runs are, in draws.
    pub(super) run: u64,
}

impl Waiting {
    /// Whether it is so much that some is to be submitted, or several times as much.
    pub(super) fn is_much(&self, policy: &BacklogPolicy, times: u64) -> bool {
        let draws = policy.draws.max(self.run.saturating_mul(2));
        self.draws >= draws.saturating_mul(times) || self.runs >= policy.runs.saturating_mul(times)
    }
}

/// How long work has waited, and how much came since the last look.
#[derive(Debug)]
pub(super) struct Clock {
    /// Since when work waits for a submission; `None` without workers, where there may be no clock.
    since: Option<Instant>,
    /// See [`BacklogPolicy::idle_time`].
    idle_time: Option<Duration>,
    /// Draws between two looks: those of a run.
    look_draws: u64,
    /// Draws that came since the last look.
    draws: u64,
}

impl Clock {
    /// For a context with workers or without.
    pub(super) fn new(policy: &Policy, has_workers: bool) -> Self {
        Self {
            since: has_workers.then(Instant::now),
            idle_time: policy.backlog.idle_time,
            look_draws: policy.runs.draws,
            draws: 0,
        }
    }

    /// Work comes, perhaps the first that waits.
    pub(super) fn count(&mut self, draws: u64, is_first: bool) {
        self.draws = self.draws.saturating_add(draws);
        if is_first {
            self.restart();
        }
    }

    /// What waited was submitted.
    pub(super) fn restart(&mut self) {
        self.since = self.since.map(|_| Instant::now());
    }

    /// Whether to look if the GPU has something to do: seldom, as the question is not for nothing, and not before
    /// work has waited for a while.
    pub(super) fn strikes(&mut self) -> bool {
        if self.draws < self.look_draws {
            return false;
        }
        self.draws = 0;
        self.idle_time.zip(self.since).is_some_and(|(time, since)| since.elapsed() >= time)
    }

    /// Has work wait for so long before a GPU that has nothing to do is given it.
    #[cfg(test)]
    pub(super) fn set_idle_time(&mut self, time: Duration) {
        self.idle_time = Some(time);
    }

    /// Since when work waits.
    #[cfg(test)]
    pub(super) fn since(&self) -> Option<Instant> {
        self.since
    }
}
