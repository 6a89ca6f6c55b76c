//! What a draw costs, in instructions of the application's thread.

use onze_benches::workload::Variant;

use super::Work;

/// How far a count may be from its figure, either way: what is cheaper than its figure hides the next
/// regression. Versions of the compiler and of the C library make some difference.
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
    row(Work::Immediate, Variant::V0, 121.0, 109.0),
    row(Work::Immediate, Variant::V1, 595.0, 471.0),
    row(Work::Immediate, Variant::V2, 818.0, 683.0),
    row(Work::Immediate, Variant::V3, 1265.0, 997.0),
    row(Work::Immediate, Variant::V4, 479.0, 361.0),
    row(Work::Immediate, Variant::V5, 544.0, 438.0),
    row(Work::Deferred, Variant::V0, 126.0, 114.0),
    row(Work::Deferred, Variant::V1, 635.0, 512.0),
    row(Work::Deferred, Variant::V2, 878.0, 742.0),
    row(Work::Deferred, Variant::V3, 1329.0, 1060.0),
    row(Work::Deferred, Variant::V4, 488.0, 370.0),
    row(Work::Deferred, Variant::V5, 553.0, 447.0),
    row(Work::Flush, Variant::V0, 922.0, 845.0),
    row(Work::Flush, Variant::V1, 2518.0, 2387.0),
    row(Work::Flush, Variant::V2, 4248.0, 4010.0),
    row(Work::Flush, Variant::V3, 5126.0, 4815.0),
    row(Work::Flush, Variant::V4, 2628.0, 2498.0),
    row(Work::Flush, Variant::V5, 2519.0, 2388.0),
];
