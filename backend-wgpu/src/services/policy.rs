//! Policy: every tuned number and every tuned mechanism, with its default and the reason for it.
//!
//! [`Policy`] holds the mechanisms of one device. It lies in [`Gpu`](super::gpu::Gpu), where all rooms reach it. Each
//! mechanism can be switched off there, which costs speed or memory and changes no picture. The sizes of caches and
//! pools are constants in [`sizes`](super::sizes).
//!
//! The defaults were found on a machine with two processors and a software adapter.

use std::time::Duration;

use onze_ddi::{DrawsByIndex, Tuning};

/// The tuned mechanisms of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Draws after which a page is full: 512, unless the application has another wish.
    pub(crate) page_draws: u32,
    /// How many times as many draws a page has room for, if there is nothing between them: 4. Such draws are entries
    /// of one command and take little. 1 switches it off.
    pub(crate) plain_draws: u32,
    /// Most encoding threads that the driver starts by itself: 4, and one less than the machine has processors. One
    /// processor is left for the application, and more than four threads find nothing to do. 0 switches them off.
    pub(crate) most_workers: u32,
    /// Length of runs.
    pub(crate) runs: RunPolicy,
    /// Pipeline replicas; `None` switches them off. Without them, threads pass the reference counts of wgpu's pipelines
    /// and layouts between their processors' caches.
    pub(crate) replicas: Option<ReplicaPolicy>,
    /// How long a thread waits for the encode gate: 300 µs, somewhat longer than a usual run of draws that change
    /// everything. `None` switches the gate off.
    pub(crate) gate_wait: Option<Duration>,
    /// Draws from which on a list's small imports are copied to base storage when it is executed again: 100. Then the
    /// list's bundles stay valid, which saves more than the copies cost. `None` switches it off.
    pub(crate) settled_draws: Option<u64>,
    /// Draws from which on a bundle is made of a list's draws: 16, or what a page has, as fewer are not worth a bundle.
    /// `None` switches bundles off.
    pub(crate) bundle_draws: Option<u32>,
    /// Draws by index; `None` switches them off. Each draw then sets a bind group, for 2 to 3 times as much.
    pub(crate) by_index: Option<ByIndexPolicy>,
    /// Early submissions, and how far the GPU may be behind.
    pub(crate) backlog: BacklogPolicy,
}

/// When draws are made by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByIndexPolicy {
    /// Draws that differ in their constants after which it is known which constants change: 8.
    pub(crate) draws: u32,
    /// Also where the pixel shader reads constants that change, which costs it an interpolated value: where that was
    /// measured, on software adapters.
    pub(crate) pixels: bool,
    /// From the first draw on, and draws wait for the pipelines: for tests.
    pub(crate) waits: bool,
}

/// How long runs are. A pass lies within a run, so each end of a run splits a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunPolicy {
    /// Draws of a run: 1,000, as a rule. That makes a pass that is neither expensive to begin nor expensive to grow.
    pub(crate) draws: u64,
    /// Draws of a run beside very many wgpu objects, and where pass splits are expensive: 16,000, most often a whole
    /// frame. The backlog has room for some of them.
    pub(crate) long_draws: u64,
    /// Whether runs are long where a pass split stores all targets and loads them again: on GPUs that draw in tiles,
    /// and on software adapters.
    pub(crate) long_on_expensive_splits: bool,
    /// Live wgpu buffers and textures for each draw that a run has at least: 6. For each of them wgpu clears a few
    /// bytes in every command encoder and pass, some 2 nanoseconds; a draw takes 250. So this is a twentieth of a run.
    /// `None` switches it off.
    pub(crate) objects_per_draw: Option<u64>,
    /// Replayed draws that count as one that is encoded: 128. They cost a tenth of that, but threads that execute
    /// bundles at once gain little, and nothing if pipelines change, because wgpu counts references to what they share.
    /// So the lists of a frame that are executed again are one run, as a rule. 1 switches it off.
    pub(crate) replayed_per_draw: u64,
    /// Draws that the flushing thread encodes itself, if no more has been recorded since the last submission: 100.
    /// Waking a worker for fewer, and waiting for it, takes longer.
    pub(crate) few_draws: Option<u64>,
    /// The length that the application has asked for, which replaces all of this.
    pub(crate) exactly: Option<u32>,
}

/// When replicas are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplicaPolicy {
    /// Runs for which a layout must be in use to be worth a second set of pipelines: 64.
    pub(crate) after_runs: u64,
    /// Runs between two looks at the known layouts: 8.
    pub(crate) every_runs: u64,
    /// Layouts that are tried at one look: 8, as each makes bind groups.
    pub(crate) at_once: usize,
}

/// When work is submitted that the application did not ask to submit. `u64::MAX` and `usize::MAX` switch a bound off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BacklogPolicy {
    /// Draws that wait before the encoded ones are submitted, or two runs where these are longer: 16,000. With twice as
    /// many, the workers do not keep up, and all are submitted.
    pub(crate) draws: u64,
    /// Runs that wait, likewise: 1,000. Backends bound the number of command buffers: wgpu's for Metal is 4,096.
    pub(crate) runs: u64,
    /// Draws that wait before executing a list submits: 64,000. A list holds its pages anyway, so they cost little
    /// memory, and an application that executes a list counts on an answer at once.
    pub(crate) listed_draws: u64,
    /// Bytes of upload pages that wait: 256 MiB.
    pub(crate) upload_bytes: u64,
    /// How long work waits before an idle GPU gets the encoded runs: 4 ms. A submission takes time of the application's
    /// thread, most of it for uploads, which before that is better spent on recording: a frame is this much later at
    /// most. `None` switches it off.
    pub(crate) idle_time: Option<Duration>,
    /// Submissions that the GPU may be behind: 16. Beyond that a submission waits, or the memory that they hold would
    /// grow without bound.
    pub(crate) in_flight: usize,
}

/// What of the adapter matters for a policy.
#[derive(Copy, Clone, Debug)]
pub(crate) struct AdapterFacts {
    /// It is the processor, or draws nothing: draws by index were measured there.
    pub(crate) is_measured: bool,
    /// It has `first_instance`, and binds whole windows of constants.
    pub(crate) has_windows: bool,
}

impl ByIndexPolicy {
    /// The policy for what the application wishes, on an adapter.
    fn on(self, wish: DrawsByIndex, adapter: &AdapterFacts) -> Option<Self> {
        let Self { draws, pixels, waits } = self;
        let policy = match wish {
            DrawsByIndex::Off => return None,
            DrawsByIndex::On => Self { draws, pixels: true, waits },
            DrawsByIndex::Always => Self { draws: 0, pixels: true, waits: true },
            _ => Self { draws, pixels: pixels || adapter.is_measured, waits },
        };
        Some(policy).filter(|_| adapter.has_windows)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            page_draws: 512,
            plain_draws: 4,
            most_workers: 4,
            runs: RunPolicy {
                draws: 1000,
                long_draws: 16_000,
                long_on_expensive_splits: true,
                objects_per_draw: Some(6),
                replayed_per_draw: 128,
                few_draws: Some(100),
                exactly: None,
            },
            replicas: Some(ReplicaPolicy { after_runs: 64, every_runs: 8, at_once: 8 }),
            gate_wait: Some(Duration::from_micros(300)),
            settled_draws: Some(100),
            bundle_draws: Some(16),
            by_index: Some(ByIndexPolicy { draws: 8, pixels: false, waits: false }),
            backlog: BacklogPolicy {
                draws: 16_000,
                runs: 1000,
                listed_draws: 64_000,
                upload_bytes: 256 * 1024 * 1024,
                idle_time: Some(Duration::from_millis(4)),
                in_flight: 16,
            },
        }
    }
}

impl Policy {
    /// The policy of a new device: the defaults, and what the application wishes.
    pub(crate) fn new(tuning: &Tuning, adapter: &AdapterFacts) -> Self {
        #[cfg(test)]
        let this = tests::chosen();
        #[cfg(not(test))]
        let this = Self::default();
        Self {
            page_draws: tuning.page_draws.unwrap_or(this.page_draws).max(1),
            by_index: this.by_index.and_then(|policy| policy.on(tuning.draws_by_index, adapter)),
            runs: RunPolicy { exactly: tuning.run_draws.or(this.runs.exactly), ..this.runs },
            ..this
        }
    }

    /// Draws after which a page is full if there is nothing between them.
    pub(crate) fn page_plain_draws(&self) -> u32 {
        self.page_draws.saturating_mul(self.plain_draws)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        static CHOSEN: RefCell<Option<Policy>> = const { RefCell::new(None) };
    }

    pub(super) fn chosen() -> Policy {
        CHOSEN.with_borrow(|chosen| chosen.clone().unwrap_or_default())
    }

    /// Runs a test whose thread makes devices with a policy.
    pub(crate) fn with_policy<T>(policy: Policy, test: impl FnOnce() -> T) -> T {
        CHOSEN.set(Some(policy));
        let answer = test();
        CHOSEN.set(None);
        answer
    }

    /// The default policy with each mechanism switched off in turn, and with all of them off.
    pub(crate) fn switched_off() -> Vec<(&'static str, Policy)> {
        type Switch = fn(&mut Policy);
        let switches: [(&str, Switch); 16] = [
            ("room for plain draws", |policy| policy.plain_draws = 1),
            ("workers", |policy| policy.most_workers = 0),
            ("long runs on expensive splits", |policy| policy.runs.long_on_expensive_splits = false),
            ("long runs beside many objects", |policy| policy.runs.objects_per_draw = None),
            ("cheap replayed draws", |policy| policy.runs.replayed_per_draw = 1),
            ("few draws", |policy| policy.runs.few_draws = None),
            ("replicas", |policy| policy.replicas = None),
            ("the gate", |policy| policy.gate_wait = None),
            ("settled imports", |policy| policy.settled_draws = None),
            ("bundles", |policy| policy.bundle_draws = None),
            ("draws by index", |policy| policy.by_index = None),
            ("bounds of draws", |policy| {
                (policy.backlog.draws, policy.backlog.listed_draws) = (u64::MAX, u64::MAX);
            }),
            ("bounds of runs", |policy| policy.backlog.runs = u64::MAX),
            ("bounds of uploads", |policy| policy.backlog.upload_bytes = u64::MAX),
            ("submissions to an idle GPU", |policy| policy.backlog.idle_time = None),
            ("bounds of submissions", |policy| policy.backlog.in_flight = usize::MAX),
        ];
        let mut all = Policy::default();
        switches.iter().for_each(|(_, switch)| switch(&mut all));
        let one = switches.map(|(name, switch)| {
            let mut policy = Policy::default();
            switch(&mut policy);
            (name, policy)
        });
        one.into_iter().chain([("all", all)]).collect()
    }

    #[test]
    fn the_application_s_wishes_replace_defaults() {
        let wishes = Tuning { page_draws: Some(0), run_draws: Some(7), ..Tuning::default() };
        let adapter = AdapterFacts { is_measured: false, has_windows: true };
        let policy = Policy::new(&wishes, &adapter);
        assert_eq!((policy.page_draws, policy.page_plain_draws(), policy.runs.exactly), (1, 4, Some(7)));
        assert_eq!(Policy::new(&Tuning::default(), &adapter), Policy::default());
        let by_index = |wish, is_measured, has_windows| {
            let wishes = Tuning { draws_by_index: wish, ..Tuning::default() };
            let policy = Policy::new(&wishes, &AdapterFacts { is_measured, has_windows }).by_index;
            policy.map(|policy| (policy.pixels, policy.waits))
        };
        for (wish, elsewhere, measured) in [
            (DrawsByIndex::Automatic, Some((false, false)), Some((true, false))),
            (DrawsByIndex::Off, None, None),
            (DrawsByIndex::On, Some((true, false)), Some((true, false))),
            (DrawsByIndex::Always, Some((true, true)), Some((true, true))),
        ] {
            assert_eq!([by_index(wish, false, true), by_index(wish, true, true)], [elsewhere, measured]);
            assert_eq!(by_index(wish, true, false), None, "{wish:?}");
        }
    }
}
