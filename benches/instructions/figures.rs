//! The cost of a draw, in instructions of the application's thread.

use onze_benches::workload::Variant;

use super::Work;

/// Maximum relative difference of a count from its figure, in either direction, because a figure that is too high would hide
/// the next regression. Different versions of the compiler and of the C library change counts slightly.
pub(crate) const TOLERANCE: f64 = 0.05;

/// A row, with its figure in each profile.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) work: Work,
    pub(crate) variant: Variant,
    dev: f64,
    release: f64,
}

impl Figure {
    /// The figure of the profile that this was built with.
    pub(crate) const fn expected(&self) -> f64 {
        if cfg!(debug_assertions) { self.dev } else { self.release }
    }
}

const fn row(work: Work, variant: Variant, dev: f64, release: f64) -> Figure {
    Figure { work, variant, dev, release }
}

/// All rows.
pub(crate) const FIGURES: &[Figure] = &[
    row(Work::Immediate, Variant::V0, 118.0, 107.0),
    row(Work::Immediate, Variant::V1, 524.0, 486.0),
    row(Work::Immediate, Variant::V2, 740.0, 690.0),
    row(Work::Immediate, Variant::V3, 1119.0, 996.0),
    row(Work::Immediate, Variant::V4, 411.0, 368.0),
    row(Work::Immediate, Variant::V5, 481.0, 454.0),
    row(Work::Immediate, Variant::V6, 564.0, 530.0),
    row(Work::Immediate, Variant::V7, 620.0, 549.0),
    row(Work::Deferred, Variant::V0, 123.0, 112.0),
    row(Work::Deferred, Variant::V1, 563.0, 523.0),
    row(Work::Deferred, Variant::V2, 780.0, 731.0),
    row(Work::Deferred, Variant::V3, 1162.0, 1038.0),
    row(Work::Deferred, Variant::V4, 416.0, 373.0),
    row(Work::Deferred, Variant::V5, 486.0, 459.0),
    row(Work::Deferred, Variant::V6, 606.0, 571.0),
    row(Work::Deferred, Variant::V7, 657.0, 586.0),
    row(Work::Flush, Variant::V0, 172.0, 162.0),
    row(Work::Flush, Variant::V1, 834.0, 768.0),
    row(Work::Flush, Variant::V2, 3691.0, 3513.0),
    row(Work::Flush, Variant::V3, 4602.0, 4376.0),
    row(Work::Flush, Variant::V4, 1009.0, 948.0),
    row(Work::Flush, Variant::V5, 1014.0, 953.0),
    row(Work::Flush, Variant::V6, 3108.0, 2897.0),
    row(Work::Flush, Variant::V7, 2990.0, 2864.0),
];
