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
    row(Work::Immediate, Variant::V3, 1173.0, 1068.0),
    row(Work::Immediate, Variant::V4, 421.0, 382.0),
    row(Work::Immediate, Variant::V5, 481.0, 439.0),
    row(Work::Immediate, Variant::V6, 571.0, 544.0),
    row(Work::Immediate, Variant::V7, 614.0, 546.0),
    row(Work::Deferred, Variant::V0, 130.0, 119.0),
    row(Work::Deferred, Variant::V1, 537.0, 502.0),
    row(Work::Deferred, Variant::V2, 794.0, 758.0),
    row(Work::Deferred, Variant::V3, 1177.0, 1075.0),
    row(Work::Deferred, Variant::V4, 426.0, 387.0),
    row(Work::Deferred, Variant::V5, 486.0, 444.0),
    row(Work::Deferred, Variant::V6, 576.0, 548.0),
    row(Work::Deferred, Variant::V7, 615.0, 546.0),
    row(Work::Flush, Variant::V0, 175.0, 112.0),
    row(Work::Flush, Variant::V1, 409.0, 394.0),
    row(Work::Flush, Variant::V2, 3073.0, 2808.0),
    row(Work::Flush, Variant::V3, 4819.0, 4413.0),
    row(Work::Flush, Variant::V4, 816.0, 799.0),
    row(Work::Flush, Variant::V5, 414.0, 399.0),
    row(Work::Flush, Variant::V6, 3139.0, 2801.0),
    row(Work::Flush, Variant::V7, 2958.0, 2662.0),
];
