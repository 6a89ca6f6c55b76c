//! The expected cost of a draw, in instructions of the application's thread.

use onze_benches::workload::Variant;

use super::Work;

/// Maximum relative difference between a count and its figure. Counts vary slightly with the versions of the
/// compiler and the C library. Lower counts also fail, because a figure that is too high would hide the next
/// regression.
pub(crate) const TOLERANCE: f64 = 0.05;

/// A row of the table, with the expected figure for each build profile.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) work: Work,
    pub(crate) variant: Variant,
    dev: f64,
    release: f64,
}

impl Figure {
    /// Returns the figure for the current build profile.
    pub(crate) const fn expected(&self) -> f64 {
        if cfg!(debug_assertions) { self.dev } else { self.release }
    }
}

const fn row(work: Work, variant: Variant, dev: f64, release: f64) -> Figure {
    Figure { work, variant, dev, release }
}

pub(crate) const FIGURES: &[Figure] = &[
    row(Work::Immediate, Variant::V0, 125.0, 114.0),
    row(Work::Immediate, Variant::V1, 536.0, 502.0),
    row(Work::Immediate, Variant::V2, 791.0, 753.0),
    row(Work::Immediate, Variant::V3, 1170.0, 1065.0),
    row(Work::Immediate, Variant::V4, 421.0, 382.0),
    row(Work::Immediate, Variant::V5, 481.0, 439.0),
    row(Work::Immediate, Variant::V6, 571.0, 544.0),
    row(Work::Immediate, Variant::V7, 614.0, 546.0),
    row(Work::Deferred, Variant::V0, 130.0, 119.0),
    row(Work::Deferred, Variant::V1, 537.0, 502.0),
    row(Work::Deferred, Variant::V2, 794.0, 758.0),
    row(Work::Deferred, Variant::V3, 1174.0, 1072.0),
    row(Work::Deferred, Variant::V4, 426.0, 387.0),
    row(Work::Deferred, Variant::V5, 486.0, 444.0),
    row(Work::Deferred, Variant::V6, 576.0, 548.0),
    row(Work::Deferred, Variant::V7, 615.0, 546.0),
    row(Work::Flush, Variant::V0, 175.0, 112.0),
    row(Work::Flush, Variant::V1, 400.0, 384.0),
    row(Work::Flush, Variant::V2, 3075.0, 2785.0),
    row(Work::Flush, Variant::V3, 4505.0, 4153.0),
    row(Work::Flush, Variant::V4, 807.0, 787.0),
    row(Work::Flush, Variant::V5, 404.0, 387.0),
    row(Work::Flush, Variant::V6, 3143.0, 2805.0),
    row(Work::Flush, Variant::V7, 2967.0, 2672.0),
];
