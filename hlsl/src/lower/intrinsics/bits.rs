//! Functions on bits.

use naga::{BinaryOperator as Op, MathFunction as Math, ScalarKind};

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        intrinsics::{is_float, is_unsigned},
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Reinterprets the bits of a value as another type.
    pub(super) fn reinterpreted(&mut self, x: Value, ty: Numeric, to: Scalar) -> Value {
        let kind = match to {
            Scalar::Int => ScalarKind::Sint,
            Scalar::Uint => ScalarKind::Uint,
            _ => ScalarKind::Float,
        };
        match ty.scalar {
            // All bits of a true value are set.
            Scalar::Bool => {
                let ones = self.number(f64::from(u32::MAX), ty.with(Scalar::Uint));
                let zero = self.number(0.0, ty.with(Scalar::Uint));
                let bits = self.select(x, ones, zero);
                self.reinterpreted(bits, ty.with(Scalar::Uint), to)
            }
            scalar if is_float(scalar) && kind == ScalarKind::Float => x,
            scalar if is_unsigned(scalar) && kind == ScalarKind::Uint => x,
            Scalar::Int if kind == ScalarKind::Sint => x,
            _ => self.bitcast(x, kind),
        }
    }

    /// Lowers `isnan`, `isinf` and `isfinite`.
    pub(super) fn classify(&mut self, which: Intrinsic, x: Value, ty: Numeric) -> Value {
        if ty.scalar == Scalar::Double {
            let magnitude = self.math(Math::Abs, &[x]);
            let largest = self.number(f64::MAX, ty);
            return match which {
                Intrinsic::IsNan => {
                    let is_number = self.binary(Op::Equal, x, x);
                    self.unary(naga::UnaryOperator::LogicalNot, is_number)
                }
                Intrinsic::IsInf => self.binary(Op::Greater, magnitude, largest),
                _ => self.binary(Op::LessEqual, magnitude, largest),
            };
        }
        // Integers are compared, because a compiler may assume that no `float` is NaN.
        let bits_type = ty.with(Scalar::Uint);
        let bits = self.bitcast(x, ScalarKind::Uint);
        let magnitude = self.masked(bits, 0x7fff_ffff, bits_type);
        let infinity = self.number(f64::from(0x7f80_0000), bits_type);
        let op = match which {
            Intrinsic::IsNan => Op::Greater,
            Intrinsic::IsInf => Op::Equal,
            _ => Op::Less,
        };
        self.binary(op, magnitude, infinity)
    }

    /// Lowers bit functions of integers.
    pub(super) fn bits(&mut self, which: Intrinsic, x: Value, ty: Numeric, result: Scalar) -> Value {
        let function = match which {
            Intrinsic::CountBits => Math::CountOneBits,
            Intrinsic::ReverseBits => Math::ReverseBits,
            Intrinsic::FirstBitHigh => Math::FirstLeadingBit,
            _ => Math::FirstTrailingBit,
        };
        let value = self.math(function, &[x]);
        self.reinterpreted(value, ty, result)
    }

    /// Lowers `f16tof32`, which converts the lower half of each component.
    pub(super) fn floats_of_halves(&mut self, x: Value, ty: Numeric) -> Value {
        let components = self.parts_of(x, ty.columns());
        let values = components
            .into_iter()
            .map(|component| {
                let both = self.math(Math::Unpack2x16float, &[component]);
                self.component(both, 0)
            })
            .collect();
        self.row_of(values, Scalar::Float)
    }

    /// Lowers `f32tof16`.
    pub(super) fn halves_of_floats(&mut self, x: Value, ty: Numeric) -> Value {
        let zero = self.float(0.0);
        let components = self.parts_of(x, ty.columns());
        let values = components
            .into_iter()
            .map(|component| {
                let both = self.row_of(vec![component, zero], Scalar::Float);
                self.math(Math::Pack2x16float, &[both])
            })
            .collect();
        self.row_of(values, Scalar::Uint)
    }

    /// Lowers `D3DCOLORtoUBYTE4`. It exchanges red and blue, as in Direct3D 9 colours.
    pub(super) fn color_bytes(&mut self, arguments: &[Expr], result: Numeric, span: Span) -> Lowered<Value> {
        let operand = result.with(Scalar::Float);
        let color = self.value_at(arguments, 0, operand, span)?;
        let mut components = self.parts_of(color, operand.columns());
        components.swap(0, 2);
        let color = self.row_of(components, Scalar::Float);
        // The factor is 255 plus 1 / 512.
        let scaled = self.scaled(color, 255.001_953_125, operand);
        Ok(self.convert(scaled, operand, result))
    }

    /// Lowers `msad4(reference, source, sums)`. It adds to each sum the absolute differences between the
    /// reference's bytes and four bytes of the source, which begin one byte later for each sum. Reference
    /// bytes that are 0 are skipped.
    pub(super) fn byte_differences(&mut self, arguments: &[Expr], span: Span) -> Lowered<Value> {
        let uint = Numeric::scalar(Scalar::Uint);
        let reference = self.value_at(arguments, 0, uint, span)?;
        let source = self.argument_at(arguments, 1, span)?;
        let source = self.value_of(source, Numeric::vector(Scalar::Uint, 2))?;
        let sums = self.argument_at(arguments, 2, span)?;
        let sums = self.value_of(sums, Numeric::vector(Scalar::Uint, 4))?;
        let words = self.parts_of(source, 2);
        let bytes_of = |builder: &mut Self, word: Value| -> Vec<Value> {
            (0..4_u8)
                .map(|byte| {
                    let places = builder.number(f64::from(byte) * 8.0, uint);
                    let shifted = builder.binary(Op::ShiftRight, word, places);
                    builder.masked(shifted, 0xff, uint)
                })
                .collect()
        };
        let references = bytes_of(self, reference);
        let mut bytes = bytes_of(self, words[0]);
        bytes.extend(bytes_of(self, words[1]));
        let zero = self.uint(0);
        let mut results = Vec::new();
        for (first, sum) in self.parts_of(sums, 4).into_iter().enumerate() {
            let mut result = sum;
            for (byte, reference) in references.iter().enumerate() {
                let other = bytes[first + byte];
                let greater = self.math(Math::Max, &[*reference, other]);
                let less = self.math(Math::Min, &[*reference, other]);
                let difference = self.binary(Op::Subtract, greater, less);
                let counts = self.binary(Op::NotEqual, *reference, zero);
                let difference = self.select(counts, difference, zero);
                result = self.binary(Op::Add, result, difference);
            }
            results.push(result);
        }
        Ok(self.row_of(results, Scalar::Uint))
    }
}
