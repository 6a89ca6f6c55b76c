//! Names for subexpressions of deep expressions.
//!
//! naga's writers nest an expression that is used once in the expression that uses it, and recurse for each
//! level. The compilers that read their output do the same, with limits: 512 levels in Tint and 256 brackets
//! in Clang. A named subexpression becomes a separate statement.

use naga::{Expression, Handle};

/// Maximum nesting of unnamed expressions. It is far below 256, because a writer may need several brackets
/// per level.
const MOST_LEVELS: u16 = 24;

/// The depths of a function's expressions, by index.
#[derive(Default)]
pub(super) struct ExpressionDepths(Vec<u16>);

impl ExpressionDepths {
    /// Records the next expression of the function. Returns whether it needs a name.
    pub(super) fn push(&mut self, expression: &Expression) -> bool {
        let mut level = 0;
        operands(expression, &mut |operand| {
            level = level.max(self.0.get(operand.index()).map_or(0, |level| level + 1));
        });
        let is_deep = level >= MOST_LEVELS && can_be_named(expression);
        self.0.push(if is_deep { 0 } else { level });
        is_deep
    }
}

/// Returns whether an expression is certainly a value that is computed where it is emitted. An access is
/// excluded, because it may yield a pointer.
fn can_be_named(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Splat { .. }
            | Expression::Swizzle { .. }
            | Expression::Compose { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }
            | Expression::As { .. }
    )
}

/// Visits the operands that writers nest. Loads, samples and derivatives are not included, because writers
/// name them.
fn operands(expression: &Expression, visit: &mut dyn FnMut(Handle<Expression>)) {
    match *expression {
        Expression::AccessIndex { base: operand, .. }
        | Expression::Splat { value: operand, .. }
        | Expression::Swizzle { vector: operand, .. }
        | Expression::Unary { expr: operand, .. }
        | Expression::Relational { argument: operand, .. }
        | Expression::As { expr: operand, .. } => visit(operand),
        Expression::Access { base: left, index: right } | Expression::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Expression::Select { condition, accept, reject } => {
            [condition, accept, reject].into_iter().for_each(visit);
        }
        Expression::Compose { ref components, .. } => components.iter().copied().for_each(visit),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(arg), arg1, arg2, arg3].into_iter().flatten().for_each(visit);
        }
        _ => {}
    }
}
