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
    row(Work::Immediate, Variant::V0, 125.0, 107.0),
    row(Work::Immediate, Variant::V1, 536.0, 486.0),
    row(Work::Immediate, Variant::V2, 791.0, 690.0),
    row(Work::Immediate, Variant::V3, 1173.0, 996.0),
    row(Work::Immediate, Variant::V4, 421.0, 368.0),
    row(Work::Immediate, Variant::V5, 481.0, 454.0),
    row(Work::Immediate, Variant::V6, 571.0, 530.0),
    row(Work::Immediate, Variant::V7, 614.0, 549.0),
    row(Work::Deferred, Variant::V0, 130.0, 112.0),
    row(Work::Deferred, Variant::V1, 537.0, 523.0),
    row(Work::Deferred, Variant::V2, 793.0, 731.0),
    row(Work::Deferred, Variant::V3, 1176.0, 1038.0),
    row(Work::Deferred, Variant::V4, 426.0, 373.0),
    row(Work::Deferred, Variant::V5, 486.0, 459.0),
    row(Work::Deferred, Variant::V6, 576.0, 571.0),
    row(Work::Deferred, Variant::V7, 615.0, 586.0),
    row(Work::Flush, Variant::V0, 179.0, 162.0),
    row(Work::Flush, Variant::V1, 454.0, 768.0),
    row(Work::Flush, Variant::V2, 3878.0, 3513.0),
    row(Work::Flush, Variant::V3, 4875.0, 4376.0),
    row(Work::Flush, Variant::V4, 882.0, 948.0),
    row(Work::Flush, Variant::V5, 461.0, 953.0),
    row(Work::Flush, Variant::V6, 3175.0, 2897.0),
    row(Work::Flush, Variant::V7, 3003.0, 2864.0),
];
