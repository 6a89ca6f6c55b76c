//! Functions that process each component separately. Matrices are processed row by row.

use naga::{BinaryOperator as Op, MathFunction as Math, RelationalFunction, ScalarKind};

use crate::{
    check::tree::{Constant, Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        intrinsics::{is_float, is_unsigned, row_type},
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Lowers a function whose arguments and result have the same shape.
    pub(super) fn componentwise(
        &mut self,
        which: Intrinsic,
        arguments: &[Expr],
        result: Numeric,
        span: Span,
    ) -> Lowered<Value> {
        if arguments.is_empty() {
            return Err(self.unsupported(span, which.name()));
        }
        let operand = self.numeric_at(arguments, 0, span)?;
        if which == Intrinsic::Pow
            && let Some(power) = self.known_power(arguments)
        {
            let base = self.value_at(arguments, 0, operand, span)?;
            return Ok(
                self.row_by_row(&[base], operand, result, |builder, row, _| builder.power(row[0], power))
            );
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value_of(argument, operand)?);
        }
        let mut failed = false;
        let value = self.row_by_row(&values, operand, result, |builder, row, ty| {
            builder.component_function(which, row, ty, result.scalar).unwrap_or_else(|| {
                failed = true;
                row[0]
            })
        });
        if failed { Err(self.unsupported(span, which.name())) } else { Ok(value) }
    }

    /// Calls a function for each row of values with the same shape, and joins the results.
    pub(super) fn row_by_row(
        &mut self,
        values: &[Value],
        operand: Numeric,
        result: Numeric,
        mut function: impl FnMut(&mut Self, &[Value], Numeric) -> Value,
    ) -> Value {
        let row = row_type(operand);
        let columns: Vec<Vec<Value>> = values.iter().map(|value| self.rows(*value, operand)).collect();
        let rows = (0..operand.rows())
            .map(|index| {
                let arguments: Vec<Value> = columns.iter().map(|rows| rows[index]).collect();
                function(self, &arguments, row)
            })
            .collect();
        self.join_rows(operand.with(result.scalar), rows)
    }

    /// Applies a function to scalars or vectors of type `ty`. Returns `None` if the function does not take
    /// this number of arguments.
    pub(super) fn component_function(
        &mut self,
        which: Intrinsic,
        arguments: &[Value],
        ty: Numeric,
        result: Scalar,
    ) -> Option<Value> {
        match *arguments {
            [x] => self.of_one(which, x, ty, result),
            [x, y] => self.of_two(which, x, y, ty),
            [x, y, z] => self.of_three(which, x, y, z, ty),
            _ => None,
        }
    }

    fn of_one(&mut self, which: Intrinsic, x: Value, ty: Numeric, result: Scalar) -> Option<Value> {
        use Intrinsic as I;

        let direct = |function| Some(function);
        let function = match which {
            I::Abs if is_unsigned(ty.scalar) || ty.scalar == Scalar::Bool => return Some(x),
            I::Abs => direct(Math::Abs),
            I::Acos => return Some(self.acos(x, ty)),
            I::Asin => return Some(self.asin(x, ty)),
            I::Atan => direct(Math::Atan),
            I::Ceil => direct(Math::Ceil),
            I::Cos => direct(Math::Cos),
            I::Cosh => direct(Math::Cosh),
            I::Exp2 => direct(Math::Exp2),
            I::Floor => direct(Math::Floor),
            I::Frac => direct(Math::Fract),
            I::Log2 => direct(Math::Log2),
            I::Round => direct(Math::Round),
            I::Rsqrt => direct(Math::InverseSqrt),
            I::Sin => direct(Math::Sin),
            I::Sinh => direct(Math::Sinh),
            I::Sqrt => direct(Math::Sqrt),
            I::Tan => direct(Math::Tan),
            I::Tanh => direct(Math::Tanh),
            I::Trunc => direct(Math::Trunc),
            _ => None,
        };
        if let Some(function) = function {
            return Some(self.math(function, &[x]));
        }
        Some(match which {
            I::Degrees => self.scaled(x, std::f64::consts::FRAC_1_PI * 180.0, ty),
            I::Radians => self.scaled(x, std::f64::consts::PI / 180.0, ty),
            I::Exp => {
                let scaled = self.scaled(x, std::f64::consts::LOG2_E, ty);
                self.math(Math::Exp2, &[scaled])
            }
            I::Log => {
                let log = self.math(Math::Log2, &[x]);
                self.scaled(log, std::f64::consts::LN_2, ty)
            }
            I::Log10 => {
                let log = self.math(Math::Log2, &[x]);
                self.scaled(log, std::f64::consts::LOG10_2, ty)
            }
            I::Rcp => {
                let one = self.number(1.0, ty);
                self.binary(Op::Divide, one, x)
            }
            I::Saturate => self.saturate(x, ty),
            I::Sign => self.sign(x, ty),
            I::AsFloat => self.reinterpreted(x, ty, Scalar::Float),
            I::AsInt => self.reinterpreted(x, ty, Scalar::Int),
            I::AsUint => self.reinterpreted(x, ty, Scalar::Uint),
            I::IsNan | I::IsInf | I::IsFinite => self.classify(which, x, ty),
            I::CountBits | I::ReverseBits | I::FirstBitHigh | I::FirstBitLow => {
                self.bits(which, x, ty, result)
            }
            I::F16ToF32 => self.floats_of_halves(x, ty),
            I::F32ToF16 => self.halves_of_floats(x, ty),
            I::Ddx | I::DdxCoarse | I::DdxFine | I::Ddy | I::DdyCoarse | I::DdyFine | I::Fwidth => {
                self.derivative(which, x)
            }
            _ => return None,
        })
    }

    fn of_two(&mut self, which: Intrinsic, x: Value, y: Value, ty: Numeric) -> Option<Value> {
        use Intrinsic as I;

        Some(match which {
            I::Atan2 => self.atan2(x, y, ty),
            I::Fmod => self.fmod(x, y, ty),
            I::Ldexp => {
                let scale = self.math(Math::Exp2, &[y]);
                self.binary(Op::Multiply, x, scale)
            }
            I::Max => self.greater_of(x, y, ty),
            I::Min => self.less_of(x, y, ty),
            I::Pow => {
                let log = self.math(Math::Log2, &[x]);
                let product = self.binary(Op::Multiply, log, y);
                self.math(Math::Exp2, &[product])
            }
            I::Step => {
                let reached = self.binary(Op::GreaterEqual, y, x);
                let one = self.number(1.0, ty);
                let zero = self.number(0.0, ty);
                self.select(reached, one, zero)
            }
            _ => return None,
        })
    }

    fn of_three(&mut self, which: Intrinsic, x: Value, y: Value, z: Value, ty: Numeric) -> Option<Value> {
        use Intrinsic as I;

        Some(match which {
            I::Clamp => {
                let raised = self.greater_of(x, y, ty);
                self.less_of(raised, z, ty)
            }
            I::Fma if ty.scalar == Scalar::Double => self.math(Math::Fma, &[x, y, z]),
            I::Fma | I::Mad => {
                let product = self.binary(Op::Multiply, x, y);
                self.binary(Op::Add, product, z)
            }
            I::Lerp => {
                let difference = self.binary(Op::Subtract, y, x);
                let part = self.binary(Op::Multiply, z, difference);
                self.binary(Op::Add, x, part)
            }
            I::SmoothStep => {
                let range = self.binary(Op::Subtract, y, x);
                let distance = self.binary(Op::Subtract, z, x);
                let quotient = self.binary(Op::Divide, distance, range);
                let part = self.saturate(quotient, ty);
                let double = self.scaled(part, 2.0, ty);
                let three = self.number(3.0, ty);
                let factor = self.binary(Op::Subtract, three, double);
                let square = self.binary(Op::Multiply, part, part);
                self.binary(Op::Multiply, square, factor)
            }
            _ => return None,
        })
    }

    /// Multiplies a value by a number.
    pub(super) fn scaled(&mut self, value: Value, factor: f64, ty: Numeric) -> Value {
        let factor = self.number(factor, ty);
        self.binary(Op::Multiply, value, factor)
    }

    /// Returns the maximum of two values. If one of them is NaN, the result is the other one.
    pub(super) fn greater_of(&mut self, x: Value, y: Value, ty: Numeric) -> Value {
        match ty.scalar {
            Scalar::Bool => self.binary(Op::InclusiveOr, x, y),
            _ => self.math(Math::Max, &[x, y]),
        }
    }

    /// Returns the minimum of two values. If one of them is NaN, the result is the other one.
    pub(super) fn less_of(&mut self, x: Value, y: Value, ty: Numeric) -> Value {
        match ty.scalar {
            Scalar::Bool => self.binary(Op::And, x, y),
            _ => self.math(Math::Min, &[x, y]),
        }
    }

    /// Clamps a value to the range from 0 to 1. NaN becomes 0.
    pub(crate) fn saturate(&mut self, x: Value, ty: Numeric) -> Value {
        match ty.scalar {
            Scalar::Bool => x,
            scalar if is_float(scalar) => {
                let zero = self.number(0.0, ty);
                let one = self.number(1.0, ty);
                let raised = self.greater_of(x, zero, ty);
                self.less_of(raised, one, ty)
            }
            _ => {
                let zero = self.number(0.0, ty);
                let one = self.number(1.0, ty);
                self.math(Math::Clamp, &[x, zero, one])
            }
        }
    }

    /// Returns -1, 0 or 1 as an `int`. The result for NaN is 0.
    fn sign(&mut self, x: Value, ty: Numeric) -> Value {
        if ty.scalar == Scalar::Bool {
            return self.cast(x, ScalarKind::Sint);
        }
        let zero = self.number(0.0, ty);
        let above = self.binary(Op::Greater, x, zero);
        let above = self.cast(above, ScalarKind::Sint);
        if is_unsigned(ty.scalar) {
            return above;
        }
        let below = self.binary(Op::Less, x, zero);
        let below = self.cast(below, ScalarKind::Sint);
        self.binary(Op::Subtract, above, below)
    }

    /// Returns the exponent if all its components are the same known whole number, and multiplications are
    /// shorter.
    fn known_power(&mut self, arguments: &[Expr]) -> Option<u32> {
        let exponent: Constant = self.known(arguments.get(1)?)?;
        if !matches!(exponent.ty.scalar, Scalar::Float | Scalar::Half) {
            return None;
        }
        let first = *exponent.bits.first()?;
        let number = f32::from_bits(first as u32);
        let is_small = number.fract() == 0.0 && (1.0..=8.0).contains(&number);
        (is_small && exponent.bits.iter().all(|bits| *bits == first)).then_some(number as u32)
    }

    /// Computes a power with a whole exponent by multiplications.
    fn power(&mut self, base: Value, power: u32) -> Value {
        match power {
            0 | 1 => base,
            _ => {
                let half = self.power(base, power / 2);
                let square = self.binary(Op::Multiply, half, half);
                if power.is_multiple_of(2) { square } else { self.binary(Op::Multiply, square, base) }
            }
        }
    }

    /// Lowers `all` and `any`.
    pub(super) fn all_or_any(&mut self, which: Intrinsic, arguments: &[Expr], span: Span) -> Lowered<Value> {
        let operand = self.numeric_at(arguments, 0, span)?.with(Scalar::Bool);
        let value = self.value_at(arguments, 0, operand, span)?;
        let (fun, op) = match which {
            Intrinsic::All => (RelationalFunction::All, Op::LogicalAnd),
            _ => (RelationalFunction::Any, Op::LogicalOr),
        };
        let mut rows = self.rows(value, operand);
        if operand.columns() > 1 {
            for row in &mut rows {
                *row = self.add(naga::Expression::Relational { fun, argument: *row });
            }
        }
        let first = rows[0];
        Ok(rows.into_iter().skip(1).fold(first, |joined, row| self.binary(op, joined, row)))
    }

    /// Lowers `clip`, which discards the pixel if any component is negative.
    pub(super) fn clip(&mut self, argument: &Expr) -> Lowered<()> {
        let Some(ty) = argument.ty.numeric() else { return Err(self.unsupported(argument.span, "clip")) };
        let value = self.expr(argument)?;
        let below = self.row_by_row(&[value], ty, ty.with(Scalar::Bool), |builder, row, ty| {
            let zero = builder.number(0.0, ty);
            builder.binary(Op::Less, row[0], zero)
        });
        let mut rows = self.rows(below, ty.with(Scalar::Bool));
        if ty.columns() > 1 {
            for row in &mut rows {
                *row =
                    self.add(naga::Expression::Relational { fun: RelationalFunction::Any, argument: *row });
            }
        }
        let first = rows[0];
        let condition =
            rows.into_iter().skip(1).fold(first, |joined, row| self.binary(Op::LogicalOr, joined, row));
        let accept = self.block(|builder| {
            builder.discard();
            Ok(())
        })?;
        self.push(naga::Statement::If { condition, accept, reject: naga::Block::new() });
        Ok(())
    }
}
