//! How values change from pixel to pixel.

use naga::{BinaryOperator as Op, DerivativeAxis as Axis, DerivativeControl as Control};

use super::row_type;
use crate::{
    lower::{Builder, Lowered, Value},
    source::Span,
    syntax::builtin::Scalar,
    tree::{Expr, Intrinsic, Numeric},
};

impl Builder<'_, '_> {
    /// `ddx` and its like.
    pub(super) fn derivative(&mut self, which: Intrinsic, value: Value) -> Value {
        let (axis, ctrl) = match which {
            Intrinsic::Ddx => (Axis::X, Control::None),
            Intrinsic::DdxCoarse => (Axis::X, Control::Coarse),
            Intrinsic::DdxFine => (Axis::X, Control::Fine),
            Intrinsic::Ddy => (Axis::Y, Control::None),
            Intrinsic::DdyCoarse => (Axis::Y, Control::Coarse),
            Intrinsic::DdyFine => (Axis::Y, Control::Fine),
            _ => (Axis::Width, Control::None),
        };
        self.change(value, axis, ctrl)
    }

    /// How much a value changes along an axis.
    pub(in crate::lower) fn change(&mut self, value: Value, axis: Axis, ctrl: Control) -> Value {
        self.add(naga::Expression::Derivative { axis, ctrl, expr: value })
    }

    /// `EvaluateAttributeSnapped(value, offset)`: the value so many sixteenths of a pixel from the centre. It is exact for
    /// values that change evenly from pixel to pixel.
    pub(super) fn evaluate_snapped(&mut self, arguments: &[Expr], span: Span) -> Lowered<Value> {
        let ty = self.numeric_at(arguments, 0, span)?;
        let value = self.value_at(arguments, 0, ty, span)?;
        let offset = self.argument_at(arguments, 1, span)?;
        let offset = self.value_of(offset, Numeric::vector(Scalar::Int, 2))?;
        let offsets = self.parts_of(offset, 2);
        // Only the lower four bits count.
        let mut parts = Vec::new();
        for offset in offsets {
            let places = self.uint(28);
            let shifted = self.binary(Op::ShiftLeft, offset, places);
            let snapped = self.binary(Op::ShiftRight, shifted, places);
            let float = self.convert(snapped, Numeric::scalar(Scalar::Int), Numeric::scalar(Scalar::Float));
            parts.push(self.scaled(float, 1.0 / 16.0, Numeric::scalar(Scalar::Float)));
        }
        if !super::is_float(ty.scalar) {
            return Ok(value);
        }
        Ok(self.row_by_row(&[value], ty, ty, |builder, row, ty| {
            let mut moved = row[0];
            for (axis, part) in [Axis::X, Axis::Y].into_iter().zip(&parts) {
                let change = builder.change(row[0], axis, Control::None);
                let part = builder.fill(*part, row_type(ty));
                let step = builder.binary(Op::Multiply, change, part);
                moved = builder.binary(Op::Add, moved, step);
            }
            moved
        }))
    }
}
