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
    row(Work::Immediate, Variant::V0, 118.0, 107.0),
    row(Work::Immediate, Variant::V1, 535.0, 487.0),
    row(Work::Immediate, Variant::V2, 756.0, 715.0),
    row(Work::Immediate, Variant::V3, 1157.0, 1020.0),
    row(Work::Immediate, Variant::V4, 427.0, 370.0),
    row(Work::Immediate, Variant::V5, 492.0, 460.0),
    row(Work::Deferred, Variant::V0, 123.0, 112.0),
    row(Work::Deferred, Variant::V1, 574.0, 525.0),
    row(Work::Deferred, Variant::V2, 790.0, 747.0),
    row(Work::Deferred, Variant::V3, 1193.0, 1054.0),
    row(Work::Deferred, Variant::V4, 432.0, 375.0),
    row(Work::Deferred, Variant::V5, 497.0, 464.0),
    row(Work::Flush, Variant::V0, 851.0, 776.0),
    row(Work::Flush, Variant::V1, 2512.0, 2413.0),
    row(Work::Flush, Variant::V2, 4205.0, 4051.0),
    row(Work::Flush, Variant::V3, 5052.0, 4845.0),
    row(Work::Flush, Variant::V4, 2477.0, 2378.0),
    row(Work::Flush, Variant::V5, 2484.0, 2385.0),
];
