//! Names for parts of deep expressions.
//!
//! naga's writers put an expression of one use into the expression that uses it, and recurse for it. So do the readers of
//! their texts, with limits: 512 levels in Tint, 256 brackets in Clang. A part that has a name is a statement of its own.

use naga::{Expression, Handle};

/// Expressions inside each other without a name. A writer may need several brackets for each.
const MOST_LEVELS: u16 = 24;

/// How deep the expressions of a function are, by their indices.
#[derive(Default)]
pub(super) struct ExpressionDepths(Vec<u16>);

impl ExpressionDepths {
    /// Counts the next expression of the function. Returns whether it needs a name.
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

/// Whether an expression is surely a value that is computed where it is emitted. Of an access, which may lead to a pointer,
/// that is not known.
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

/// The operands that writers put into an expression. They give names to loads, samples and derivatives.
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
