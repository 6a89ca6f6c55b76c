//! Places: what can be assigned to, and how to come to parts of values.

use crate::tree::{Expr, StructId, Type};

use super::{Builder, Lowered, Object, Value};

/// The way from a value to a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Step>,
}

/// A step of a [`Path`], and the type of what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    pub(crate) ty: Type,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// To a field of a structure.
    Field(StructId, u32),
    /// To an element of an array, a row of a matrix, or a component of a vector, as the type before says.
    Index(Index),
    /// To components of a scalar or a vector. Always the last step.
    Swizzle(Vec<u8>),
    /// To components of a matrix, as row and column. Always the last step.
    Elements(Vec<(u8, u8)>),
}

/// A number of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// It is below the length.
    Known(u32),
    /// A `u32` or an `i32`, which may be out of range.
    Value(Value),
}

/// An element of a buffer, or a texel.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) object: Object,
    /// A scalar or a vector of `u32`.
    pub(crate) place: Value,
    /// The mip level or the sample, a `u32`.
    pub(crate) level: Option<Value>,
    /// The type of the whole element.
    pub(crate) ty: Type,
}

impl Builder<'_, '_> {
    /// Stores a value to a place of the same type.
    pub(crate) fn assign(&mut self, target: &Expr, _value: Value) -> Lowered<()> {
        Err(self.unsupported(target.span, "an assignment"))
    }
}
