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
    row(Work::Immediate, Variant::V0, 118.0, 109.0),
    row(Work::Immediate, Variant::V1, 536.0, 471.0),
    row(Work::Immediate, Variant::V2, 818.0, 684.0),
    row(Work::Immediate, Variant::V3, 1286.0, 997.0),
    row(Work::Immediate, Variant::V4, 437.0, 361.0),
    row(Work::Immediate, Variant::V5, 492.0, 442.0),
    row(Work::Deferred, Variant::V0, 123.0, 111.0),
    row(Work::Deferred, Variant::V1, 574.0, 509.0),
    row(Work::Deferred, Variant::V2, 849.0, 724.0),
    row(Work::Deferred, Variant::V3, 1321.0, 1041.0),
    row(Work::Deferred, Variant::V4, 442.0, 366.0),
    row(Work::Deferred, Variant::V5, 497.0, 446.0),
    row(Work::Flush, Variant::V0, 851.0, 816.0),
    row(Work::Flush, Variant::V1, 2512.0, 2388.0),
    row(Work::Flush, Variant::V2, 4205.0, 3965.0),
    row(Work::Flush, Variant::V3, 5052.0, 4810.0),
    row(Work::Flush, Variant::V4, 2477.0, 2469.0),
    row(Work::Flush, Variant::V5, 2484.0, 2387.0),
];
