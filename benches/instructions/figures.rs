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
    immediate(Variant::Same, 128.0, 114.0),
    immediate(Variant::Map, 636.0, 534.0),
    immediate(Variant::Textures, 859.0, 746.0),
    immediate(Variant::States, 1401.0, 1130.0),
    immediate(Variant::Offsets, 463.0, 352.0),
    immediate(Variant::Update, 531.0, 470.0),
    deferred(Variant::Same, 131.0, 117.0),
    deferred(Variant::Map, 640.0, 538.0),
    deferred(Variant::Textures, 882.0, 767.0),
    deferred(Variant::States, 1431.0, 1158.0),
    deferred(Variant::Offsets, 469.0, 358.0),
    deferred(Variant::Update, 537.0, 476.0),
];
