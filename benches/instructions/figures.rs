//! What a draw costs, in instructions of the thread that records.

use super::{Context, workload::Variant};

/// How far a count may be from its figure, either way: what is cheaper than its figure hides the next
/// regression. Versions of the compiler and of the C library make some difference.
pub(crate) const TOLERANCE: f64 = 0.05;

/// A row, with its figure in each profile.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) context: Context,
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

const fn immediate(variant: Variant, dev: f64, release: f64) -> Figure {
    Figure { context: Context::Immediate, variant, dev, release }
}

const fn deferred(variant: Variant, dev: f64, release: f64) -> Figure {
    Figure { context: Context::Deferred, variant, dev, release }
}

/// All rows.
pub(crate) const FIGURES: &[Figure] = &[
    immediate(Variant::Same, 169.0, 149.0),
    immediate(Variant::Map, 854.0, 770.0),
    immediate(Variant::Textures, 1154.0, 1062.0),
    immediate(Variant::States, 1746.0, 1533.0),
    immediate(Variant::Offsets, 575.0, 484.0),
    immediate(Variant::Update, 740.0, 676.0),
    deferred(Variant::Same, 169.0, 148.0),
    deferred(Variant::Map, 848.0, 764.0),
    deferred(Variant::Textures, 1162.0, 1069.0),
    deferred(Variant::States, 1755.0, 1541.0),
    deferred(Variant::Offsets, 575.0, 483.0),
    deferred(Variant::Update, 739.0, 675.0),
];
