//! Detection of 64-bit floating-point numbers in shaders, which no device supports.
//!
//! naga's validator also rejects most of these numbers, but its errors refer to handles and casts and do not
//! name the type.

use naga::{Expression, Function, Literal, Module, Scalar, ScalarKind};

/// Whether a shader declares or computes with 64-bit floating-point numbers.
pub(super) fn are_in(module: &Module) -> bool {
    let is_computed = |function: &Function| function.expressions.iter().any(|(_, one)| is_double(one));
    module.types.iter().any(|(_, ty)| ty.inner.scalar() == Some(Scalar::F64))
        || module.global_expressions.iter().any(|(_, one)| is_double(one))
        || module.functions.iter().any(|(_, function)| is_computed(function))
        || module.entry_points.iter().any(|point| is_computed(&point.function))
}

fn is_double(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Literal(Literal::F64(_))
            | Expression::As { kind: ScalarKind::Float, convert: Some(8), .. }
    )
}
