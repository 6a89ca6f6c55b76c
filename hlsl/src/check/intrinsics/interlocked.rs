use super::{IntrinsicCall, rules::FormerValue};
use crate::{
    check::{
        Checker,
        convert::conversion,
        tree::{Expr, ExprKind, Intrinsic, Numeric, Storage, Type},
    },
    session::code::Code,
    syntax::builtin::{Object, Scalar, Shape},
};

impl Checker<'_> {
    pub(super) fn interlocked(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        values: usize,
        before: FormerValue,
    ) -> Option<Expr> {
        let counts = match before {
            FormerValue::Never => [1 + values; 2],
            FormerValue::Maybe => [1 + values, 2 + values],
            FormerValue::Always => [2 + values; 2],
        };
        if !counts.contains(&arguments.len()) {
            return self.no_match(call, arguments);
        }
        let types = self.numeric_arguments(call, arguments, arguments.len())?;
        let place = types[0];
        if !matches!(
            place,
            Numeric { scalar: Scalar::Int | Scalar::Uint, shape: Shape::Scalar | Shape::Vector(1) }
        ) {
            return self.no_match(call, arguments);
        }
        if !self.is_shared(&arguments[0]) {
            let message = format!(
                "'{}': the first argument must be groupshared or an element of a buffer or texture that can be written",
                call.which.name()
            );
            self.error(Code::TypeMismatch, arguments[0].span, message);
            return None;
        }
        let mut converted = vec![arguments[0].clone()];
        for (argument, ty) in arguments[1..=values].iter().zip(&types[1..]) {
            converted.push(self.shared_value(call.which, argument.clone(), place.scalar, ty.scalar));
        }
        if let Some(former) = arguments.get(1 + values) {
            converted.push(self.out_argument(former, place)?);
        }
        Some(call.make(converted, Type::Void))
    }

    /// Converts a value to the type of the destination. Most functions convert it to `uint` first, but a
    /// maximum or minimum converts a float to `int` first, and converts an integer directly.
    fn shared_value(&mut self, which: Intrinsic, value: Expr, place: Scalar, from: Scalar) -> Expr {
        let compares = matches!(which, Intrinsic::InterlockedMax | Intrinsic::InterlockedMin);
        let ty = match (compares, from.is_float()) {
            (true, true) => Scalar::Int,
            (true, false) => place,
            (false, _) => Scalar::Uint,
        };
        let value = self.convert_implicitly(value, &Type::scalar(ty));
        conversion(value, &Type::scalar(place))
    }

    fn is_shared(&self, expr: &Expr) -> bool {
        let mut expr = expr;
        loop {
            expr = match &*expr.kind {
                ExprKind::Global(id) => return self.tree[*id].storage == Storage::GroupShared,
                ExprKind::Element { object, .. } => {
                    let object = object.ty.object();
                    return object.is_some_and(|object| object.kind.family().is_writable());
                }
                ExprKind::Field(of, _) | ExprKind::Index(of, _) => of,
                ExprKind::Swizzle(of, components) if components.len() == 1 && !is_typed_element(of) => of,
                ExprKind::Elements(of, components) if components.len() == 1 => of,
                _ => return false,
            };
        }
    }
}

fn is_typed_element(expr: &Expr) -> bool {
    let ExprKind::Element { object, .. } = &*expr.kind else { return false };
    let structured = [Object::RwStructuredBuffer, Object::RovStructuredBuffer];
    object.ty.object().is_none_or(|object| !structured.contains(&object.kind))
}
