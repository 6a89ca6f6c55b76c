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
    row(Work::Immediate, Variant::V0, 120.0, 109.0),
    row(Work::Immediate, Variant::V1, 597.0, 471.0),
    row(Work::Immediate, Variant::V2, 822.0, 684.0),
    row(Work::Immediate, Variant::V3, 1268.0, 997.0),
    row(Work::Immediate, Variant::V4, 439.0, 361.0),
    row(Work::Immediate, Variant::V5, 545.0, 442.0),
    row(Work::Deferred, Variant::V0, 123.0, 111.0),
    row(Work::Deferred, Variant::V1, 634.0, 509.0),
    row(Work::Deferred, Variant::V2, 862.0, 724.0),
    row(Work::Deferred, Variant::V3, 1312.0, 1041.0),
    row(Work::Deferred, Variant::V4, 444.0, 366.0),
    row(Work::Deferred, Variant::V5, 550.0, 446.0),
    row(Work::Flush, Variant::V0, 891.0, 816.0),
    row(Work::Flush, Variant::V1, 2518.0, 2388.0),
    row(Work::Flush, Variant::V2, 4208.0, 3965.0),
    row(Work::Flush, Variant::V3, 5115.0, 4810.0),
    row(Work::Flush, Variant::V4, 2600.0, 2469.0),
    row(Work::Flush, Variant::V5, 2518.0, 2387.0),
];
