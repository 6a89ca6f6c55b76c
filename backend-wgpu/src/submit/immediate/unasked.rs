//! Early submissions, which the driver makes without a flush by the application if the backlog is large or
//! the GPU is idle. [`BacklogPolicy`] has the limits.

use std::time::{Duration, Instant};

use crate::services::policy::{BacklogPolicy, Policy};

#[derive(Copy, Clone, Debug)]
pub(super) struct WaitingWork {
    pub(super) draws: u64,
    pub(super) runs: u64,
    pub(super) run: u64,
}

impl WaitingWork {
    /// Whether the backlog has reached `times` times the limit for early submissions.
    pub(super) fn is_much(&self, policy: &BacklogPolicy, times: u64) -> bool {
        let draws = policy.draws.max(self.run.saturating_mul(2));
        self.draws >= draws.saturating_mul(times) || self.runs >= policy.runs.saturating_mul(times)
    }
}

/// Measures how long work has been waiting, and counts the draws since the last check of the GPU.
#[derive(Debug)]
pub(super) struct WorkClock {
    /// Time since which work has been waiting, or `None` without workers because a platform without threads
    /// may have no clock.
    since: Option<Instant>,
    idle_time: Option<Duration>,
    /// Number of draws between two checks: the default length of a run.
    look_draws: u64,
    draws: u64,
    #[cfg(test)]
    starts: u32,
}

impl WorkClock {
    pub(super) fn new(policy: &Policy, has_workers: bool) -> Self {
        Self {
            since: has_workers.then(Instant::now),
            idle_time: policy.backlog.idle_time,
            look_draws: policy.runs.draws,
            draws: 0,
            #[cfg(test)]
            starts: 0,
        }
    }

    /// Counts new work, and restarts the clock if no other work is waiting.
    pub(super) fn count(&mut self, draws: u64, is_first: bool) {
        self.draws = self.draws.saturating_add(draws);
        if is_first {
            self.restart();
        }
    }

    pub(super) fn restart(&mut self) {
        self.since = self.since.map(|_| Instant::now());
        #[cfg(test)]
        {
            self.starts += 1;
        }
    }

    /// Returns whether to check now if the GPU is idle. Checks are rare because they cost time, and they
    /// begin only after work has waited for [`BacklogPolicy::idle_time`].
    pub(super) fn strikes(&mut self) -> bool {
        if self.draws < self.look_draws {
            return false;
        }
        self.draws = 0;
        self.idle_time.zip(self.since).is_some_and(|(time, since)| since.elapsed() >= time)
    }

    /// Sets how long work waits before it is submitted to an idle GPU.
    #[cfg(test)]
    pub(super) fn set_idle_time(&mut self, time: Duration) {
        self.idle_time = Some(time);
    }

    /// Returns the number of restarts since the clock was created.
    #[cfg(test)]
    pub(super) fn starts(&self) -> u32 {
        self.starts
    }
}
