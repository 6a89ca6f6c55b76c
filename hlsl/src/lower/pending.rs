//! What is not written yet. Delete a function here when the real one lands.

use crate::{
    source::Span,
    tree::{Expr, Intrinsic, Method, Type},
};

use super::{
    Builder, Lowered, Value,
    places::{Element, Path},
};

impl Builder<'_, '_> {
    /// A call of a function of the language; `None` if it gives nothing.
    pub(crate) fn intrinsic(
        &mut self,
        which: Intrinsic,
        _arguments: &[Expr],
        _ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        Err(self.unsupported(span, which.name()))
    }

    /// A call of a method of an object; `None` if it gives nothing.
    pub(crate) fn method(
        &mut self,
        method: Method,
        _object: &Expr,
        _arguments: &[Expr],
        _ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        Err(self.unsupported(span, method.name()))
    }

    /// The value of an element of a buffer, of a texel, or of the part of it that the path leads to.
    pub(crate) fn load_element(&mut self, _element: &Element, _path: &Path, span: Span) -> Lowered<Value> {
        Err(self.unsupported(span, "an element of a resource"))
    }

    /// Stores to an element of a buffer, to a texel, or to the part of it that the path leads to.
    pub(crate) fn store_element(
        &mut self,
        _element: &Element,
        _path: &Path,
        _value: Value,
        span: Span,
    ) -> Lowered<()> {
        Err(self.unsupported(span, "a store to an element of a resource"))
    }
}
