//! The methods of textures, buffers and streams: what arguments they take and what they give.

use crate::{syntax::ast::Ident, tree::Expr};

use super::Checker;

impl Checker<'_> {
    /// A call of a method of an object.
    pub(crate) fn call_method(&mut self, _object: Expr, name: Ident, _arguments: Vec<Expr>) -> Expr {
        Expr::error(name.span)
    }

    /// `object[index]` of a buffer or a texture.
    pub(crate) fn element(&mut self, _object: Expr, index: Expr) -> Expr {
        Expr::error(index.span)
    }
}
