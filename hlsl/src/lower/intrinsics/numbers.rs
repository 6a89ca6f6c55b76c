//! Remainders, trigonometric functions, and functions that split numbers.

use naga::{BinaryOperator as Op, MathFunction as Math, ScalarKind, UnaryOperator};

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        intrinsics::row_type,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Lowers `fmod`: the fractional part of the quotient, with its sign, multiplied by the divisor.
    pub(crate) fn fmod(&mut self, x: Value, y: Value, ty: Numeric) -> Value {
        let quotient = self.binary(Op::Divide, x, y);
        let magnitude = self.math(Math::Abs, &[quotient]);
        let part = self.math(Math::Fract, &[magnitude]);
        let negative = self.unary(UnaryOperator::Negate, part);
        let zero = self.number(0.0, ty);
        let is_positive = self.binary(Op::GreaterEqual, quotient, zero);
        let part = self.select(is_positive, part, negative);
        self.binary(Op::Multiply, part, y)
    }

    /// Returns the arc cosine of a magnitude with formula 4.4.45 of Abramowitz and Stegun, as FXC does.
    fn arc(&mut self, magnitude: Value, ty: Numeric) -> Value {
        let mut sum = self.number(-0.018_729_3, ty);
        for factor in [0.074_261_0, -0.212_114_4, 1.570_728_8] {
            let product = self.binary(Op::Multiply, sum, magnitude);
            let factor = self.number(factor, ty);
            sum = self.binary(Op::Add, product, factor);
        }
        let one = self.number(1.0, ty);
        let rest = self.binary(Op::Subtract, one, magnitude);
        let root = self.math(Math::Sqrt, &[rest]);
        self.binary(Op::Multiply, sum, root)
    }

    /// Lowers `acos`.
    pub(super) fn acos(&mut self, x: Value, ty: Numeric) -> Value {
        let magnitude = self.math(Math::Abs, &[x]);
        let arc = self.arc(magnitude, ty);
        let pi = self.number(std::f64::consts::PI, ty);
        let other = self.binary(Op::Subtract, pi, arc);
        let zero = self.number(0.0, ty);
        let is_negative = self.binary(Op::Less, x, zero);
        self.select(is_negative, other, arc)
    }

    /// Lowers `asin`.
    pub(super) fn asin(&mut self, x: Value, ty: Numeric) -> Value {
        let magnitude = self.math(Math::Abs, &[x]);
        let arc = self.arc(magnitude, ty);
        let quarter = self.number(std::f64::consts::FRAC_PI_2, ty);
        let positive = self.binary(Op::Subtract, quarter, arc);
        let negative = self.unary(UnaryOperator::Negate, positive);
        let zero = self.number(0.0, ty);
        let is_negative = self.binary(Op::Less, x, zero);
        self.select(is_negative, negative, positive)
    }

    /// Lowers `atan2`. The sign of a zero is ignored.
    pub(super) fn atan2(&mut self, y: Value, x: Value, ty: Numeric) -> Value {
        let zero = self.number(0.0, ty);
        let is_zero = self.binary(Op::Equal, y, zero);
        let y = self.select(is_zero, zero, y);
        self.math(Math::Atan2, &[y, x])
    }

    /// Lowers `sincos(x, out sin, out cos)`.
    pub(super) fn sincos(&mut self, arguments: &[Expr], span: Span) -> Lowered<()> {
        let operand = self.numeric_at(arguments, 0, span)?;
        let angle = self.value_at(arguments, 0, operand, span)?;
        for (index, function) in [(1, Math::Sin), (2, Math::Cos)] {
            let value =
                self.row_by_row(&[angle], operand, operand, |builder, row, _| builder.math(function, row));
            let target = self.argument_at(arguments, index, span)?;
            self.give(target, value, operand)?;
        }
        Ok(())
    }

    /// Lowers `modf(x, out whole)` and `frexp(x, out exponent)`.
    pub(super) fn parts(&mut self, which: Intrinsic, arguments: &[Expr], span: Span) -> Lowered<Value> {
        let operand = self.numeric_at(arguments, 0, span)?;
        let value = self.value_at(arguments, 0, operand, span)?;
        let target = self.argument_at(arguments, 1, span)?;
        if which == Intrinsic::Frexp && operand.scalar == Scalar::Double {
            return Err(self.unsupported(span, "frexp of a double"));
        }
        let row = row_type(operand);
        let mut given = Vec::new();
        let mut left = Vec::new();
        for x in self.rows(value, operand) {
            let (first, second) = match which {
                Intrinsic::Modf => {
                    let whole = self.math(Math::Trunc, &[x]);
                    (whole, self.binary(Op::Subtract, x, whole))
                }
                _ => self.frexp(x, row),
            };
            given.push(first);
            left.push(second);
        }
        let given = self.join_rows(operand, given);
        let left = self.join_rows(operand, left);
        self.give(target, given, operand)?;
        Ok(left)
    }

    /// Returns the exponent and the mantissa of a number. As in FXC, the sign is lost.
    fn frexp(&mut self, x: Value, ty: Numeric) -> (Value, Value) {
        let bits_type = ty.with(Scalar::Uint);
        let bits = self.bitcast(x, ScalarKind::Uint);
        let masked = self.masked(bits, 0x7f80_0000, bits_type);
        let places = self.number(23.0, bits_type);
        let shifted = self.binary(Op::ShiftRight, masked, places);
        let exponent = self.cast(shifted, ScalarKind::Float);
        let bias = self.number(126.0, ty);
        let exponent = self.binary(Op::Subtract, exponent, bias);
        let mantissa = self.masked(bits, 0x007f_ffff, bits_type);
        let half = self.number(f64::from(0x3f00_0000), bits_type);
        let mantissa = self.binary(Op::InclusiveOr, mantissa, half);
        let mantissa = self.bitcast(mantissa, ScalarKind::Float);
        let zero = self.number(0.0, ty);
        // A NaN is not treated as zero.
        let is_nothing = self.binary(Op::Equal, x, zero);
        (self.select(is_nothing, zero, exponent), self.select(is_nothing, zero, mantissa))
    }

    /// Returns the bits of a value that a mask selects.
    pub(super) fn masked(&mut self, bits: Value, mask: u32, ty: Numeric) -> Value {
        let mask = self.number(f64::from(mask), ty);
        self.binary(Op::And, bits, mask)
    }
}
