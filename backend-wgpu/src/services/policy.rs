//! Policy: every tuned number and mechanism, with its default and the reason for it.
//!
//! [`Policy`] contains the mechanisms of one device, and is a field of [`Gpu`](super::gpu::Gpu), which all
//! layers can reach. Each mechanism can be switched off there, which costs speed or memory but does not
//! change the rendered image. The sizes of caches and pools are constants in [`sizes`](super::sizes).
//!
//! The defaults were measured on a machine with two CPU cores and a software adapter.

use std::time::Duration;

use onze_ddi::{DrawsByIndex, StoredGeometry, Tuning};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Number of draws after which a page is full, 512 by default unless the application chooses another
    /// number.
    pub(crate) page_draws: u32,
    /// Capacity of a page for consecutive draws, as a multiple of `page_draws`. The default is 4, because
    /// consecutive draws are entries of one command and take little memory. 1 switches the mechanism off.
    pub(crate) plain_draws: u32,
    /// Maximum number of encoding threads, unless the application chooses a number; 0 switches them off. The
    /// driver starts one thread fewer than there are CPU cores, but at least one, so that a core is left for
    /// the application. The default is 4, because additional threads are mostly idle.
    pub(crate) most_workers: u32,
    pub(crate) runs: RunPolicy,
    /// Conditions for pipeline replicas. `None` switches replicas off, so that threads contend for the
    /// reference counts of wgpu's pipelines and layouts, which move between the caches of their CPU cores.
    pub(crate) replicas: Option<ReplicaPolicy>,
    /// Minimum length of a list, in draws, for copying its small imports to base storage when it is executed
    /// again. The default is 100, and `None` switches the copies off. The copies keep the list's bundles
    /// valid, which saves more than the copies cost.
    pub(crate) settled_draws: Option<u64>,
    /// Minimum number of draws in a span of a list's page for replaying the span from a bundle. `None`
    /// switches bundles off. The default is 16, or `page_draws` if that is less, because fewer draws do not
    /// repay the cost of a bundle.
    pub(crate) bundle_draws: Option<u32>,
    /// Conditions for draws by index. `None` switches them off, so that each draw sets a bind group, which
    /// costs 2 to 3 times as much.
    pub(crate) by_index: Option<ByIndexPolicy>,
    /// Conditions for making consecutive draws with one indirect command of wgpu. `None` switches these
    /// commands off.
    pub(crate) multi_draw: Option<MultiDrawPolicy>,
    /// Conditions for storing the vertices of geometry shaders. `None` switches this off, so that the shaders run
    /// for each of these vertices.
    pub(crate) stored_geometry: Option<StoredGeometryPolicy>,
    /// The memory for tessellated patches.
    pub(crate) tessellation: TessellationPolicy,
    /// Conditions for early submissions, and the maximum number of submissions that the GPU may lag behind.
    pub(crate) backlog: BacklogPolicy,
}

/// Minimum number of consecutive draws that become one indirect command of wgpu.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct MultiDrawPolicy {
    /// Number of draws for the first of these commands in a pass. The default is 32, because wgpu validates the
    /// arguments in an additional compute pass. The number at which this pays was not measured.
    pub(crate) first: u32,
    /// Number of draws for further commands in the same pass. The default is 4, because a command costs as much
    /// as three draws.
    pub(crate) further: u32,
}

/// Conditions for storing the vertices that a geometry shader appends in a draw. Costs are estimated in operations of
/// the shaders.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredGeometryPolicy {
    /// Minimum quotient of the costs without and with stored vertices. The default is 4, because stored vertices take
    /// memory and one more dispatch.
    pub(crate) gain: u64,
    /// Minimum cost of the draw without stored vertices. The default is 2²⁰, because a dispatch and its bind groups
    /// take up to 50 µs of CPU time.
    pub(crate) cost: u64,
    /// Maximum bytes of the vertices in a run, 64 MiB by default.
    pub(crate) bytes: u64,
}

/// The memory for the tessellated patches that are drawn together.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TessellationPolicy {
    /// Maximum bytes of control points and patch constants, 16 MiB by default. Larger draws are made in parts.
    pub(crate) patch_bytes: u64,
    /// Maximum bytes of indices, 16 MiB by default. Patches beyond them are drawn without indices, which takes about six
    /// times as long.
    pub(crate) index_bytes: u64,
    /// Maximum bytes of all patches of small draws that share their dispatches, 8 MiB by default.
    pub(crate) batch_bytes: u64,
    /// Maximum bytes of all patches in a run, 64 MiB by default. Draws beyond them share one range of memory, so they
    /// wait for each other.
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByIndexPolicy {
    /// Number of draws with differing constants after which the set of changing constants is considered
    /// known. The default is 8.
    pub(crate) draws: u32,
    /// Whether draws by index are also used if the pixel shader reads constants that change, at the cost of
    /// one interpolated value. It is off by default, but on for software adapters, where it was measured.
    pub(crate) pixels: bool,
    /// Whether drawing by index starts at the first draw, and draws wait for the pipelines; off by default
    /// and meant for tests.
    pub(crate) waits: bool,
}

/// Length of runs, at whose end a pass is split because a pass belongs to one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunPolicy {
    /// Number of draws in a run. The default of 1,000 is long enough to repay the start of a pass, and short
    /// enough that a pass is not expensive to grow.
    pub(crate) draws: u64,
    /// Number of draws in a run if the device has very many wgpu objects or pass splits are expensive. The
    /// default of 16,000 is usually a whole frame, and the backlog has room for some of these runs.
    pub(crate) long_draws: u64,
    /// Whether runs are long if a pass split stores all targets and loads them again, as on tile-based GPUs
    /// and software adapters. The default is on.
    pub(crate) long_on_expensive_splits: bool,
    /// The minimum number of draws in a run is the number of live wgpu buffers and textures divided by this
    /// value. The default is 6, and `None` switches this off. In every command encoder and pass, wgpu spends
    /// about 2 ns per live object on clearing a few bytes; a draw takes 250 ns, so this cost is a twentieth
    /// of a run.
    pub(crate) objects_per_draw: Option<u64>,
    /// Number of replayed draws that are counted as one encoded draw. The default is 128, and 1 switches this
    /// off. A replayed draw costs a tenth of an encoded draw, but threads that execute bundles in parallel
    /// gain little, or nothing if pipelines change, because wgpu counts references to shared objects. For
    /// this reason, the lists that a frame executes again usually form one run.
    pub(crate) replayed_per_draw: u64,
    /// Maximum number of draws that the flushing thread encodes itself, if no more draws were recorded since
    /// the last submission. The default is 2,000, because for fewer draws, waking a worker and waiting for it
    /// takes longer.
    pub(crate) few_draws: Option<u64>,
    /// Run length in draws that the application has chosen, in place of all other fields. The default is
    /// `None`.
    pub(crate) exactly: Option<u32>,
}

/// Conditions for trying a second set of pipelines, called replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplicaPolicy {
    /// Number of runs in which a layout must be used before a second set of pipelines is worthwhile, 64 by
    /// default.
    pub(crate) after_runs: u64,
    /// Number of runs between two checks of the known layouts, 8 by default.
    pub(crate) every_runs: u64,
    /// Maximum number of layouts that are tried in one check, because each of them creates bind groups. The
    /// default is 8.
    pub(crate) at_once: usize,
}

/// Bounds at which work is submitted before the application requests it, each switched off by `u64::MAX` or
/// `usize::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BacklogPolicy {
    /// Number of waiting draws at which the encoded draws are submitted. The default is 16,000, or two runs
    /// if that is more; at twice this number, everything is submitted, because the workers cannot keep up.
    pub(crate) draws: u64,
    /// Number of waiting runs at which the encoded runs are submitted. The default is 1,000, because backends
    /// limit the number of command buffers (wgpu's limit for Metal is 4,096).
    pub(crate) runs: u64,
    /// Number of waiting draws at which executing a list submits work. The default of 64,000 is high because
    /// a list keeps its pages in any case, so waiting costs little memory, and because applications expect
    /// the execution of a list to return immediately.
    pub(crate) listed_draws: u64,
    /// Size, in bytes, of the waiting uploads at which work is submitted, 256 MiB by default.
    pub(crate) upload_bytes: u64,
    /// Time that work waits before the encoded runs are submitted to an idle GPU. The default is 4 ms, and
    /// `None` switches this off. A submission takes time on the application's thread, mostly for uploads, and
    /// at first this time is better spent on recording. A frame is delayed by at most this time.
    pub(crate) idle_time: Option<Duration>,
    /// Maximum number of submissions that the GPU may lag behind, 16 by default. A further submission waits,
    /// because the memory that pending submissions use would otherwise grow without bound.
    pub(crate) in_flight: usize,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct AdapterFacts {
    /// Whether drawing by index was measured on adapters of this type, which is true for software adapters
    /// and the null adapter.
    pub(crate) is_measured: bool,
    /// Whether the adapter supports `first_instance` and can bind whole windows of constants.
    pub(crate) has_windows: bool,
    /// Whether draws with arguments in a buffer honour their first instance.
    pub(crate) has_indirect: bool,
}

impl ByIndexPolicy {
    /// Applies the application's choice, or returns `None` if the application or the adapter excludes drawing
    /// by index.
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

impl MultiDrawPolicy {
    /// Applies the application's choice, or returns `None` if the application or the adapter excludes these
    /// commands.
    fn on(self, wish: DrawsByIndex, adapter: &AdapterFacts) -> Option<Self> {
        let policy = match wish {
            DrawsByIndex::Off => return None,
            DrawsByIndex::Always => Self { first: 2, further: 2 },
            _ => self,
        };
        Some(policy).filter(|_| adapter.has_indirect)
    }
}

impl StoredGeometryPolicy {
    /// Applies the application's choices, or returns `None` if the application excludes stored vertices.
    fn on(self, wish: StoredGeometry, bytes: Option<u64>) -> Option<Self> {
        let bytes = bytes.unwrap_or(self.bytes);
        match wish {
            StoredGeometry::Off => None,
            StoredGeometry::Always => Some(Self { gain: 0, cost: 0, bytes }),
            _ => Some(Self { bytes, ..self }),
        }
    }
}

impl TessellationPolicy {
    /// Limits the memory of patches that are drawn together, so that a shader can read all of it. `most` is the maximum
    /// size of a binding in bytes.
    pub(crate) fn in_bindings_of(self, most: u64) -> Self {
        // The parts of the memory begin at aligned positions, for which the rest is enough.
        Self {
            patch_bytes: self.patch_bytes.min(most / 2),
            index_bytes: self.index_bytes.min(most / 4),
            batch_bytes: self.batch_bytes.min(most),
            ..self
        }
    }

    /// Divides the memory that the application allows.
    fn within(self, bytes: Option<u64>) -> Self {
        bytes.map_or(self, |bytes| Self {
            patch_bytes: bytes / 4,
            index_bytes: bytes / 4,
            batch_bytes: bytes / 8,
            bytes,
        })
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
                few_draws: Some(2000),
                exactly: None,
            },
            replicas: Some(ReplicaPolicy { after_runs: 64, every_runs: 8, at_once: 8 }),
            settled_draws: Some(100),
            bundle_draws: Some(16),
            by_index: Some(ByIndexPolicy { draws: 8, pixels: false, waits: false }),
            multi_draw: Some(MultiDrawPolicy { first: 32, further: 4 }),
            stored_geometry: Some(StoredGeometryPolicy { gain: 4, cost: 1 << 20, bytes: 64 << 20 }),
            tessellation: TessellationPolicy {
                patch_bytes: 16 << 20,
                index_bytes: 16 << 20,
                batch_bytes: 8 << 20,
                bytes: 64 << 20,
            },
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
    /// The policy of a new device: the defaults, overridden by the application's choices.
    pub(crate) fn new(tuning: &Tuning, adapter: &AdapterFacts) -> Self {
        #[cfg(test)]
        let this = tests::chosen();
        #[cfg(not(test))]
        let this = Self::default();
        Self {
            page_draws: tuning.page_draws.unwrap_or(this.page_draws).max(1),
            by_index: this.by_index.and_then(|policy| policy.on(tuning.draws_by_index, adapter)),
            multi_draw: this.multi_draw.and_then(|policy| policy.on(tuning.draws_by_index, adapter)),
            stored_geometry: this
                .stored_geometry
                .and_then(|policy| policy.on(tuning.stored_geometry, tuning.geometry_memory)),
            tessellation: this.tessellation.within(tuning.geometry_memory),
            runs: RunPolicy { exactly: tuning.run_draws.or(this.runs.exactly), ..this.runs },
            ..this
        }
    }

    /// Number of consecutive draws after which a page is full.
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

    /// Runs a test on a thread that creates devices with `policy`.
    pub(crate) fn with_policy<T>(policy: Policy, test: impl FnOnce() -> T) -> T {
        CHOSEN.set(Some(policy));
        let answer = test();
        CHOSEN.set(None);
        answer
    }

    /// The default policy with each mechanism switched off in turn, and with all mechanisms switched off.
    pub(crate) fn switched_off() -> Vec<(&'static str, Policy)> {
        type Switch = fn(&mut Policy);
        let switches: [(&str, Switch); 17] = [
            ("room for plain draws", |policy| policy.plain_draws = 1),
            ("workers", |policy| policy.most_workers = 0),
            ("long runs on expensive splits", |policy| policy.runs.long_on_expensive_splits = false),
            ("long runs beside many objects", |policy| policy.runs.objects_per_draw = None),
            ("cheap replayed draws", |policy| policy.runs.replayed_per_draw = 1),
            ("few draws", |policy| policy.runs.few_draws = None),
            ("replicas", |policy| policy.replicas = None),
            ("settled imports", |policy| policy.settled_draws = None),
            ("bundles", |policy| policy.bundle_draws = None),
            ("draws by index", |policy| policy.by_index = None),
            ("multi-draws", |policy| policy.multi_draw = None),
            ("stored geometry", |policy| policy.stored_geometry = None),
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
    fn a_binding_contains_all_patches_that_are_drawn_together() {
        let default = Policy::default().tessellation;
        assert_eq!(default.in_bindings_of(u64::MAX), default);
        let most = 128 << 20;
        let large = default.within(Some(4 << 30)).in_bindings_of(most);
        assert_eq!((large.patch_bytes, large.index_bytes, large.bytes), (most / 2, most / 4, 4 << 30));
        assert_eq!(default.within(Some(0)).in_bindings_of(most).index_bytes, 0);
    }

    #[test]
    fn the_application_s_wishes_replace_defaults() {
        let wishes = Tuning { page_draws: Some(0), run_draws: Some(7), ..Tuning::default() };
        let adapter = AdapterFacts { is_measured: false, has_windows: true, has_indirect: true };
        let policy = Policy::new(&wishes, &adapter);
        assert_eq!((policy.page_draws, policy.page_plain_draws(), policy.runs.exactly), (1, 4, Some(7)));
        assert_eq!(Policy::new(&Tuning::default(), &adapter), Policy::default());
        let by_index = |wish, is_measured, has_windows| {
            let wishes = Tuning { draws_by_index: wish, ..Tuning::default() };
            let policy =
                Policy::new(&wishes, &AdapterFacts { is_measured, has_windows, has_indirect: true }).by_index;
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
        let multi_draw = |wish, has_indirect| {
            let wishes = Tuning { draws_by_index: wish, ..Tuning::default() };
            let adapter = AdapterFacts { is_measured: false, has_windows: true, has_indirect };
            Policy::new(&wishes, &adapter).multi_draw.map(|policy| (policy.first, policy.further))
        };
        for (wish, least) in [
            (DrawsByIndex::Automatic, Some((32, 4))),
            (DrawsByIndex::Off, None),
            (DrawsByIndex::On, Some((32, 4))),
            (DrawsByIndex::Always, Some((2, 2))),
        ] {
            assert_eq!((multi_draw(wish, true), multi_draw(wish, false)), (least, None), "{wish:?}");
        }
        let stored = |stored_geometry, geometry_memory| {
            let wishes = Tuning { stored_geometry, geometry_memory, ..Tuning::default() };
            let policy = Policy::new(&wishes, &adapter).stored_geometry;
            policy.map(|policy| (policy.gain, policy.cost, policy.bytes))
        };
        for (wish, bytes, expected) in [
            (StoredGeometry::Automatic, None, Some((4, 1 << 20, 64 << 20))),
            (StoredGeometry::Automatic, Some(7), Some((4, 1 << 20, 7))),
            (StoredGeometry::Off, Some(7), None),
            (StoredGeometry::Always, None, Some((0, 0, 64 << 20))),
        ] {
            assert_eq!(stored(wish, bytes), expected, "{wish:?}");
        }
    }
}
