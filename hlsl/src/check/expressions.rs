//! Expressions.

use crate::{
    syntax::ast,
    tree::{Expr, Type},
};

use super::Checker;

impl Checker<'_> {
    /// The typed tree of an expression.
    pub(crate) fn expression(&mut self, expr: &ast::Expr) -> Expr {
        Expr::error(expr.span)
    }

    /// The value of an expression as a value of a type. Reports what does not convert, and what is lost by it.
    pub(crate) fn convert_implicitly(&mut self, expr: Expr, _to: &Type) -> Expr {
        expr
    }

    /// A condition: a scalar `bool`.
    pub(crate) fn condition(&mut self, expr: &ast::Expr) -> Expr {
        Expr::error(expr.span)
    }
}
