//! Which object an expression is.

use std::sync::Arc;

use crate::{
    bindings::ObjectId,
    tree::{Expr, ObjectType},
};

use super::{Builder, Lowered};

/// An object that is known: a texture, a buffer or a sampler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    pub(crate) ty: Arc<ObjectType>,
}

impl Builder<'_, '_> {
    /// The object that an expression of an object type is.
    pub(crate) fn object(&mut self, expr: &Expr) -> Lowered<Object> {
        Err(self.unsupported(expr.span, "an object"))
    }
}
