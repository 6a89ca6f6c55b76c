//! Vector functions.

use naga::{BinaryOperator as Op, MathFunction as Math, UnaryOperator};

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Lowers a vector function.
    pub(super) fn geometry(&mut self, which: Intrinsic, arguments: &[Expr], span: Span) -> Lowered<Value> {
        use Intrinsic as I;

        let ty = self.numeric_at(arguments, 0, span)?;
        let first = self.value_at(arguments, 0, ty, span)?;
        if which == I::Length {
            return Ok(self.vector_length(first, ty));
        }
        if which == I::Normalize {
            let square = self.dot(first, first, ty);
            let factor = self.math(Math::InverseSqrt, &[square]);
            let factor = self.fill(factor, ty);
            return Ok(self.binary(Op::Multiply, first, factor));
        }
        let second = self.value_at(arguments, 1, ty, span)?;
        Ok(match which {
            I::Cross => self.math(Math::Cross, &[first, second]),
            I::Distance => {
                let difference = self.binary(Op::Subtract, first, second);
                self.vector_length(difference, ty)
            }
            I::Dot => self.dot(first, second, ty),
            I::Dst => {
                let left = self.parts_of(first, 4);
                let right = self.parts_of(second, 4);
                let one = self.number(1.0, Numeric::scalar(ty.scalar));
                let product = self.binary(Op::Multiply, left[1], right[1]);
                self.row_of(vec![one, product, left[2], right[3]], ty.scalar)
            }
            I::FaceForward => {
                let third = self.value_at(arguments, 2, ty, span)?;
                let cosine = self.dot(second, third, ty);
                let zero = self.number(0.0, Numeric::scalar(ty.scalar));
                let is_front = self.binary(Op::Less, cosine, zero);
                let back = self.unary(UnaryOperator::Negate, first);
                self.select(is_front, first, back)
            }
            I::Lit => {
                let power = self.value_at(arguments, 2, ty, span)?;
                self.lit(first, second, power)
            }
            I::Reflect => {
                let cosine = self.dot(first, second, ty);
                let double = self.binary(Op::Add, cosine, cosine);
                let double = self.fill(double, ty);
                let part = self.binary(Op::Multiply, double, second);
                self.binary(Op::Subtract, first, part)
            }
            I::Refract => {
                let scalar = Numeric::scalar(ty.scalar);
                let ratio = self.value_at(arguments, 2, scalar, span)?;
                self.refract(first, second, ratio, ty)
            }
            _ => return Err(self.unsupported(span, which.name())),
        })
    }

    /// Returns the dot product of two vectors, or the product of two scalars.
    pub(crate) fn dot(&mut self, left: Value, right: Value, ty: Numeric) -> Value {
        match ty.columns() {
            1 => self.binary(Op::Multiply, left, right),
            _ => self.math(Math::Dot, &[left, right]),
        }
    }

    fn vector_length(&mut self, value: Value, ty: Numeric) -> Value {
        let square = self.dot(value, value, ty);
        self.math(Math::Sqrt, &[square])
    }

    /// Lowers `lit`. The result contains 1, the diffuse and the specular coefficient, and 1.
    fn lit(&mut self, diffuse: Value, specular: Value, power: Value) -> Value {
        let zero = self.float(0.0);
        let one = self.float(1.0);
        let log = self.math(Math::Log2, &[specular]);
        let product = self.binary(Op::Multiply, log, power);
        let powered = self.math(Math::Exp2, &[product]);
        let behind = self.binary(Op::Less, diffuse, zero);
        let away = self.binary(Op::Less, specular, zero);
        let is_dark = self.binary(Op::LogicalOr, behind, away);
        let shine = self.select(is_dark, zero, powered);
        let diffuse = self.greater_of(diffuse, zero, Numeric::scalar(Scalar::Float));
        self.row_of(vec![one, diffuse, shine, one], Scalar::Float)
    }

    /// Returns the refracted ray, or zero for total reflection.
    fn refract(&mut self, ray: Value, normal: Value, ratio: Value, ty: Numeric) -> Value {
        let scalar = Numeric::scalar(ty.scalar);
        let one = self.number(1.0, scalar);
        let cosine = self.dot(ray, normal, ty);
        let square = self.binary(Op::Multiply, cosine, cosine);
        let sine = self.binary(Op::Subtract, one, square);
        let ratio_square = self.binary(Op::Multiply, ratio, ratio);
        let scaled = self.binary(Op::Multiply, ratio_square, sine);
        let rest = self.binary(Op::Subtract, one, scaled);
        let root = self.math(Math::Sqrt, &[rest]);
        let scaled = self.binary(Op::Multiply, ratio, cosine);
        let along = self.binary(Op::Add, scaled, root);
        let along = self.fill(along, ty);
        let along = self.binary(Op::Multiply, along, normal);
        let wide = self.fill(ratio, ty);
        let bent = self.binary(Op::Multiply, wide, ray);
        let bent = self.binary(Op::Subtract, bent, along);
        let limit = self.number(0.0, scalar);
        let passes = self.binary(Op::GreaterEqual, rest, limit);
        let zero = self.number(0.0, ty);
        self.select(passes, bent, zero)
    }
}
