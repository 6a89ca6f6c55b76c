//! Expressions.

use crate::tree::Expr;

use super::{Builder, Lowered, Value};

impl Builder<'_, '_> {
    /// The value of an expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Lowered<Value> {
        Err(self.unsupported(expr.span, "an expression"))
    }
}
