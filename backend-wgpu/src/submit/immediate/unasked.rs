//! When work is submitted that nobody asked for: when there is much of it, and when the GPU has nothing to do.

use std::time::{Duration, Instant};

use crate::submit::run::RUN_DRAWS;

/// Draws that wait before they are submitted unasked, or two runs where these are longer: those that are encoded
/// already. With twice as many, the workers do not keep up, and all are.
const PENDING_DRAWS: u64 = 16 * RUN_DRAWS;

/// Runs that wait, likewise. Backends have a limit for command buffers: wgpu's for Metal is 4,096.
const PENDING_RUNS: u64 = 1000;

/// Draws that wait before executing a list submits: a list holds its pages anyway, so they cost little
/// memory, and whoever executes one counts on an answer at once.
pub(super) const PENDING_LISTED_DRAWS: u64 = 4 * PENDING_DRAWS;

/// Bytes of upload pages that wait at most.
pub(super) const PENDING_UPLOADS: u64 = 256 * 1024 * 1024;

/// How long work waits before a GPU that has nothing to do is given what is encoded. A submission takes
/// time of the application's thread, most of it for uploads, which before that is better spent on recording:
/// a frame is this much later at most.
const IDLE_TIME: Duration = Duration::from_millis(4);

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
    pub(super) fn is_much(&self, times: u64) -> bool {
        let draws = PENDING_DRAWS.max(self.run.saturating_mul(2));
        self.draws >= draws.saturating_mul(times) || self.runs >= PENDING_RUNS * times
    }
}

/// How long work has waited, and how much came since somebody looked.
#[derive(Debug)]
pub(super) struct Clock {
    /// Since when work waits for a submission; nobody asks where there are no workers, and so perhaps no clock.
    since: Option<Instant>,
    /// See [`IDLE_TIME`].
    idle_time: Duration,
    /// Draws that came since the last look.
    draws: u64,
}

impl Clock {
    /// For a context with workers or without.
    pub(super) fn new(has_workers: bool) -> Self {
        Self { since: has_workers.then(Instant::now), idle_time: IDLE_TIME, draws: 0 }
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
        if self.draws < RUN_DRAWS {
            return false;
        }
        self.draws = 0;
        self.since.is_some_and(|since| since.elapsed() >= self.idle_time)
    }

    /// Has work wait for so long before a GPU that has nothing to do is given it.
    #[cfg(test)]
    pub(super) fn set_idle_time(&mut self, time: Duration) {
        self.idle_time = time;
    }

    /// Since when work waits.
    #[cfg(test)]
    pub(super) fn since(&self) -> Option<Instant> {
        self.since
    }
}
