//! The private variables that hold plane equations of attributes.

use std::collections::BTreeMap;

use naga::{GlobalVariable, Handle};

/// A private variable.
pub(super) type PrivateVariable = Handle<GlobalVariable>;

/// What is linear on the screen: the value at the centre of the pixel, and its changes to the right and downwards.
pub(super) type Plane = [PrivateVariable; 3];

/// The attributes that are evaluated, and the variables that are set for it where the entry point begins.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// By their locations. Of flat ones the value alone.
    pub(super) planes: BTreeMap<u32, Vec<PrivateVariable>>,
    /// 1 / w.
    pub(super) reciprocal: Option<Plane>,
    /// The samples of the pixel that are covered.
    pub(super) coverage: Option<PrivateVariable>,
    /// The locations whose values are those at the centroid. Nothing else is asked of them.
    pub(super) centroids: BTreeMap<u32, PrivateVariable>,
}
