//! The functions that return the control points of patches.

use naga::Handle;

use crate::{check::tree::Type, syntax::builtin::Object};

/// The function that returns a control point of a patch as a value of its HLSL type.
pub(crate) struct PointFunction {
    pub(super) kind: Object,
    pub(super) ty: Type,
    /// `None` if the type has no data.
    pub(super) function: Option<Handle<naga::Function>>,
}
