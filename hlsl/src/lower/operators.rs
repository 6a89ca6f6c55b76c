//! Operators, with Direct3D's results.

use naga::{BinaryOperator, MathFunction, ScalarKind};

use crate::{
    check::tree::{Constant, Numeric},
    lower::{
        builder::Builder,
        result::{Lowered, Value},
        types::naga_scalar,
    },
    syntax::{ast::BinaryOp, builtin::Scalar},
};

impl Builder<'_, '_> {
    /// Applies an operator to two operands of one type, component by component. `known` is the right operand
    /// if it is known.
    pub(crate) fn arithmetic(
        &mut self,
        op: BinaryOp,
        ty: Numeric,
        left: Value,
        right: Value,
        known: Option<&Constant>,
    ) -> Lowered<Value> {
        let scalar = naga_scalar(ty.scalar);
        let is_safe = !known.is_none_or(|known| known.bits.iter().any(|bits| *bits as u32 == 0));
        let rows = self.by_rows(ty, &[left, right], |builder, parts| {
            builder.row_arithmetic(op, scalar, parts[0], parts[1], is_safe)
        });
        let result = if is_comparison(op) { ty.with(Scalar::Bool) } else { ty };
        Ok(self.join_rows(result, rows))
    }

    fn row_arithmetic(
        &mut self,
        op: BinaryOp,
        scalar: naga::Scalar,
        left: Value,
        right: Value,
        is_safe: bool,
    ) -> Value {
        let is_float = scalar.kind == ScalarKind::Float;
        let op = match op {
            BinaryOp::Divide if !is_float => {
                return self.divide(BinaryOperator::Divide, scalar, left, right, is_safe);
            }
            BinaryOp::Modulo if !is_float => {
                return self.divide(BinaryOperator::Modulo, scalar, left, right, is_safe);
            }
            BinaryOp::Modulo => return self.float_remainder(scalar, left, right),
            BinaryOp::ShiftLeft => return self.shift(BinaryOperator::ShiftLeft, left, right),
            BinaryOp::ShiftRight => return self.shift(BinaryOperator::ShiftRight, left, right),
            BinaryOp::Multiply => BinaryOperator::Multiply,
            BinaryOp::Divide => BinaryOperator::Divide,
            BinaryOp::Add => BinaryOperator::Add,
            BinaryOp::Subtract => BinaryOperator::Subtract,
            BinaryOp::Less => BinaryOperator::Less,
            BinaryOp::Greater => BinaryOperator::Greater,
            BinaryOp::LessEqual => BinaryOperator::LessEqual,
            BinaryOp::GreaterEqual => BinaryOperator::GreaterEqual,
            BinaryOp::Equal => BinaryOperator::Equal,
            // NaN differs from every value, but naga's operator does not guarantee that.
            BinaryOp::NotEqual if is_float => {
                let is_equal = self.binary(BinaryOperator::Equal, left, right);
                return self.unary(naga::UnaryOperator::LogicalNot, is_equal);
            }
            BinaryOp::NotEqual => BinaryOperator::NotEqual,
            BinaryOp::And | BinaryOp::LogicalAnd => BinaryOperator::And,
            BinaryOp::Or | BinaryOp::LogicalOr => BinaryOperator::InclusiveOr,
            BinaryOp::Xor if scalar.kind == ScalarKind::Bool => BinaryOperator::NotEqual,
            BinaryOp::Xor => BinaryOperator::ExclusiveOr,
        };
        self.binary(op, left, right)
    }

    /// Shifts by the lower five bits of the right operand.
    fn shift(&mut self, op: BinaryOperator, left: Value, right: Value) -> Value {
        let size = self.size(right);
        let count = self.bitcast(right, ScalarKind::Uint);
        let mask = self.uint(31);
        let mask = self.splat(size, mask);
        let count = self.binary(BinaryOperator::And, count, mask);
        self.binary(op, left, count)
    }

    /// Divides integers, or computes the remainder.
    ///
    /// The unsigned result of a division by zero has all bits set. FXC divides the magnitudes of `int`s and
    /// then applies the sign: that of the quotient, or for a remainder that of the dividend.
    fn divide(
        &mut self,
        op: BinaryOperator,
        scalar: naga::Scalar,
        left: Value,
        right: Value,
        is_safe: bool,
    ) -> Value {
        if is_safe {
            return self.binary(op, left, right);
        }
        let size = self.size(right);
        let literal = |builder: &mut Self, value: i32| {
            let value = if scalar.kind == ScalarKind::Sint {
                builder.int(value)
            } else {
                builder.uint(value.cast_unsigned())
            };
            builder.splat(size, value)
        };
        let (zero, one, all) = (literal(self, 0), literal(self, 1), literal(self, -1));
        let is_zero = self.binary(BinaryOperator::Equal, right, zero);
        let divisor = self.select(is_zero, one, right);
        let result = self.binary(op, left, divisor);
        let undefined = if scalar.kind == ScalarKind::Sint {
            let is_negative = self.binary(BinaryOperator::Less, left, zero);
            self.select(is_negative, one, all)
        } else {
            all
        };
        self.select(is_zero, undefined, result)
    }

    /// Computes the remainder of a floating-point division. It has the sign of the dividend.
    pub(crate) fn float_remainder(&mut self, scalar: naga::Scalar, left: Value, right: Value) -> Value {
        if scalar.width == 8 {
            return self.binary(BinaryOperator::Modulo, left, right);
        }
        let quotient = self.binary(BinaryOperator::Divide, left, right);
        let magnitude = self.math(MathFunction::Abs, &[quotient]);
        let fraction = self.math(MathFunction::Fract, &[magnitude]);
        let negated = self.unary(naga::UnaryOperator::Negate, fraction);
        let size = self.size(quotient);
        let zero = self.float(0.0);
        let zero = self.splat(size, zero);
        let is_negative = self.binary(BinaryOperator::Less, quotient, zero);
        let fraction = self.select(is_negative, negated, fraction);
        self.binary(BinaryOperator::Multiply, fraction, right)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Less
            | BinaryOp::Greater
            | BinaryOp::LessEqual
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr
    )
}
