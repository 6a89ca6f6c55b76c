//! The functions of the language: what arguments they take and what they give.

use crate::{syntax::ast::Ident, tree::Expr};

use super::Checker;

impl Checker<'_> {
    /// A call of a function of the language; `None` if there is none of this name.
    pub(crate) fn call_intrinsic(&mut self, name: Ident, _arguments: &[Expr]) -> Option<Expr> {
        Some(Expr::error(name.span))
    }
}
