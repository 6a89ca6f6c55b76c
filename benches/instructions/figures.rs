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
    row(Work::Immediate, Variant::V1, 599.0, 477.0),
    row(Work::Immediate, Variant::V2, 824.0, 690.0),
    row(Work::Immediate, Variant::V3, 1271.0, 1003.0),
    row(Work::Immediate, Variant::V4, 481.0, 363.0),
    row(Work::Immediate, Variant::V5, 546.0, 445.0),
    row(Work::Deferred, Variant::V0, 125.0, 114.0),
    row(Work::Deferred, Variant::V1, 637.0, 515.0),
    row(Work::Deferred, Variant::V2, 865.0, 731.0),
    row(Work::Deferred, Variant::V3, 1315.0, 1047.0),
    row(Work::Deferred, Variant::V4, 485.0, 367.0),
    row(Work::Deferred, Variant::V5, 551.0, 450.0),
    row(Work::Flush, Variant::V0, 891.0, 816.0),
    row(Work::Flush, Variant::V1, 2518.0, 2388.0),
    row(Work::Flush, Variant::V2, 4233.0, 3994.0),
    row(Work::Flush, Variant::V3, 5148.0, 4840.0),
    row(Work::Flush, Variant::V4, 2600.0, 2470.0),
    row(Work::Flush, Variant::V5, 2518.0, 2388.0),
];
