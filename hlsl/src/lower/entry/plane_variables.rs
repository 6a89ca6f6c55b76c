//! Private variables that contain plane equations of attributes.

use std::collections::BTreeMap;

use naga::{GlobalVariable, Handle};

/// A `private` global variable.
pub(super) type PrivateVariable = Handle<GlobalVariable>;

/// A value that is linear in screen space: its value at the pixel's centre, and its derivatives along x and
/// y.
pub(super) type Plane = [PrivateVariable; 3];

/// The evaluated attributes, and the variables that the entry point sets for them at its start.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// The variables of each location. A flat attribute has only its value.
    pub(super) planes: BTreeMap<u32, Vec<PrivateVariable>>,
    /// The plane of 1 / w.
    pub(super) reciprocal: Option<Plane>,
    /// The mask of the pixel's covered samples.
    pub(super) coverage: Option<PrivateVariable>,
    /// The locations that are interpolated at the centroid. They are not evaluated at any other position.
    pub(super) centroids: BTreeMap<u32, PrivateVariable>,
}
