//! Screen-space derivatives.

use naga::{DerivativeAxis as Axis, DerivativeControl as Control};

use crate::{
    check::tree::Intrinsic,
    lower::{builder::Builder, result::Value},
};

impl Builder<'_, '_> {
    /// Lowers `ddx` and similar functions.
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

    /// Adds the derivative of a value along an axis.
    pub(crate) fn change(&mut self, value: Value, axis: Axis, ctrl: Control) -> Value {
        self.add(naga::Expression::Derivative { axis, ctrl, expr: value })
    }
}
