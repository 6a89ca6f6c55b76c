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
    row(Work::Immediate, Variant::V0, 169.0, 149.0),
    row(Work::Immediate, Variant::V1, 854.0, 770.0),
    row(Work::Immediate, Variant::V2, 1154.0, 1062.0),
    row(Work::Immediate, Variant::V3, 1746.0, 1533.0),
    row(Work::Immediate, Variant::V4, 575.0, 484.0),
    row(Work::Immediate, Variant::V5, 740.0, 676.0),
    row(Work::Deferred, Variant::V0, 169.0, 148.0),
    row(Work::Deferred, Variant::V1, 848.0, 764.0),
    row(Work::Deferred, Variant::V2, 1162.0, 1069.0),
    row(Work::Deferred, Variant::V3, 1755.0, 1541.0),
    row(Work::Deferred, Variant::V4, 575.0, 483.0),
    row(Work::Deferred, Variant::V5, 739.0, 675.0),
    row(Work::Flush, Variant::V0, 900.0, 900.0),
    row(Work::Flush, Variant::V1, 3100.0, 3100.0),
    row(Work::Flush, Variant::V2, 4600.0, 4600.0),
    row(Work::Flush, Variant::V3, 5600.0, 5600.0),
    row(Work::Flush, Variant::V4, 3100.0, 3100.0),
    row(Work::Flush, Variant::V5, 3100.0, 3100.0),
];
