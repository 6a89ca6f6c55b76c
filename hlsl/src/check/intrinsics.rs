//! The arguments and results of intrinsic functions.
//!
//! Most functions follow one of the rules in [`rules`], but [`special`] checks the other functions and
//! [`interlocked`] checks the atomic functions.

mod interlocked;
mod rules;
mod signatures;
mod special;
#[cfg(test)]
mod tests;

use crate::{
    check::tree::{Expr, ExprKind, Intrinsic, Numeric, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::Ident,
        builtin::{Scalar, Shape},
    },
};

use self::rules::{FixedArgument, IntrinsicRule, ScalarRule, Vectors};
use super::Checker;

#[derive(Clone, Copy)]
struct IntrinsicCall {
    which: Intrinsic,
    span: Span,
}

impl IntrinsicCall {
    fn make(self, arguments: Vec<Expr>, ty: Type) -> Expr {
        Expr::new(ExprKind::Intrinsic(self.which, arguments), ty, self.span)
    }
}

impl Checker<'_> {
    /// Checks a call of an intrinsic function, or returns `None` if no intrinsic has this name.
    pub(crate) fn call_intrinsic(&mut self, name: Ident, arguments: &[Expr]) -> Option<Expr> {
        let which = match &**self.session.names.text(name.name) {
            // FXC has the first name, and Microsoft's reference has the second.
            "EvaluateAttributeCentroid" => Intrinsic::EvaluateAttributeAtCentroid,
            text => Intrinsic::from_name(text)?,
        };
        if arguments.iter().any(|argument| argument.ty.is_error()) {
            return Some(Expr::error(name.span));
        }
        let call = IntrinsicCall { which, span: name.span };
        let result = match rules::rule(which) {
            IntrinsicRule::Each(count, components, result) => {
                self.componentwise(call, arguments, count, components, result)
            }
            IntrinsicRule::Vectors(count, components, result) => {
                self.vectors(call, arguments, count, components, result)
            }
            IntrinsicRule::Fixed(slots, result) => self.fixed(call, arguments, slots, result),
            IntrinsicRule::Legacy { place, gradients } => {
                self.legacy_sample(call, arguments, place, gradients)
            }
            IntrinsicRule::Interlocked { values, before } => {
                self.interlocked(call, arguments, values, before)
            }
            IntrinsicRule::Special => self.special_intrinsic(call, arguments),
        };
        Some(result.unwrap_or_else(|| Expr::error(name.span)))
    }

    fn no_match<T>(&mut self, call: IntrinsicCall, arguments: &[Expr]) -> Option<T> {
        let types: Vec<_> = arguments.iter().map(|argument| self.tree.type_name(&argument.ty)).collect();
        let is_glsl_atan = call.which == Intrinsic::Atan && arguments.len() == 2;
        let message = format!(
            "'{}': no matching {} parameter intrinsic function takes ({}); possible intrinsic functions are: {}{}",
            call.which.name(),
            arguments.len(),
            types.join(", "),
            signatures::signatures(call.which).join("; "),
            if is_glsl_atan { "; for the angle of y / x use 'atan2'" } else { "" }
        );
        self.error(Code::NoMatchingFunction, call.span, message);
        None
    }

    /// Returns the numeric types of arguments, or reports an error if there are not `count` arguments or one
    /// is not numeric.
    fn numeric_arguments(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        count: usize,
    ) -> Option<Vec<Numeric>> {
        let types: Option<Vec<_>> = arguments.iter().map(|argument| argument.ty.numeric()).collect();
        match types {
            Some(types) if types.len() == count => Some(types),
            _ => self.no_match(call, arguments),
        }
    }

    fn convert_all(&mut self, arguments: &[Expr], to: Numeric) -> Vec<Expr> {
        let to = Type::Numeric(to);
        arguments.iter().map(|argument| self.convert_implicitly(argument.clone(), &to)).collect()
    }

    fn componentwise(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        count: usize,
        components: ScalarRule,
        result: Option<Scalar>,
    ) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, count)?;
        let Some(common) = common_type(&types, components) else { return self.no_match(call, arguments) };
        let arguments = self.convert_all(arguments, common);
        let ty = common.with(result.unwrap_or(common.scalar));
        Some(call.make(arguments, Type::Numeric(ty)))
    }

    fn vectors(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        count: usize,
        components: ScalarRule,
        result: Vectors,
    ) -> Option<Expr> {
        let types = self.numeric_arguments(call, arguments, count)?;
        let common = common_type(&types, components).filter(|common| !is_matrix(*common));
        let Some(common) = common else { return self.no_match(call, arguments) };
        let arguments = self.convert_all(arguments, common);
        let ty = match result {
            Vectors::Same => common,
            Vectors::Scalar => Numeric::scalar(common.scalar),
        };
        Some(call.make(arguments, Type::Numeric(ty)))
    }

    fn fixed(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        slots: &[FixedArgument],
        result: Option<Numeric>,
    ) -> Option<Expr> {
        self.numeric_arguments(call, arguments, slots.len())?;
        let mut converted = Vec::with_capacity(slots.len());
        for (argument, slot) in arguments.iter().zip(slots) {
            converted.push(match *slot {
                FixedArgument::In(ty) => self.convert_implicitly(argument.clone(), &Type::Numeric(ty)),
                FixedArgument::Out(ty) => self.out_argument(argument, ty)?,
            });
        }
        Some(call.make(converted, result.map_or(Type::Void, Type::Numeric)))
    }

    /// Returns an `out` argument, which must be assignable and have as many components as the value.
    pub(super) fn out_argument(&mut self, argument: &Expr, value: Numeric) -> Option<Expr> {
        if argument.ty.is_error() || !self.check_assignable(argument) {
            return None;
        }
        if argument.ty.numeric().is_some_and(|ty| ty.components() == value.components()) {
            return Some(argument.clone());
        }
        let to = self.tree.type_name(&argument.ty);
        let message = format!("cannot convert output parameter from '{}' to '{to}'", value.name());
        self.error(Code::CannotConvert, argument.span, message);
        None
    }

    fn legacy_sample(
        &mut self,
        call: IntrinsicCall,
        arguments: &[Expr],
        place: u8,
        gradients: Option<u8>,
    ) -> Option<Expr> {
        use crate::syntax::builtin::Object;

        if !self.options.backwards_compatible {
            let message = format!(
                "'{}': DX9-style intrinsics are disabled when not in dx9 compatibility mode",
                call.which.name()
            );
            self.error(Code::LegacyIntrinsic, call.span, message);
            return None;
        }
        let (which, dimension) = match (arguments.len(), gradients) {
            (2, _) if !call.which.name().ends_with("grad") => (call.which, place),
            (4, Some(dimension)) => {
                let gradients =
                    Intrinsic::from_name(&format!("{}grad", call.which.name().trim_end_matches("grad")));
                (gradients.unwrap_or(call.which), dimension)
            }
            _ => return self.no_match(call, arguments),
        };
        let [sampler, numbers @ ..] = arguments else { return self.no_match(call, arguments) };
        let is_sampler = sampler.ty.object().is_some_and(|object| object.kind == Object::Sampler);
        if !is_sampler || numbers.iter().any(|number| number.ty.numeric().is_none()) {
            return self.no_match(call, arguments);
        }
        let ty = Type::Numeric(rules::float_vector(dimension));
        let numbers = numbers.iter().map(|number| self.convert_implicitly(number.clone(), &ty));
        let converted = std::iter::once(sampler.clone()).chain(numbers).collect();
        Some(IntrinsicCall { which, ..call }.make(converted, Type::vector(Scalar::Float, 4)))
    }
}

fn is_matrix(ty: Numeric) -> bool {
    matches!(ty.shape, Shape::Matrix { .. })
}

/// Returns the smallest common shape of several types. A scalar adapts to any shape but vectors and matrices
/// cannot be mixed.
fn common_shape(types: &[Numeric]) -> Option<Shape> {
    let mut common = Shape::Scalar;
    for ty in types {
        common = match (common, ty.shape) {
            (Shape::Scalar, shape) | (shape, Shape::Scalar) => shape,
            (Shape::Vector(a), Shape::Vector(b)) => Shape::Vector(a.min(b)),
            (Shape::Matrix { rows, columns }, Shape::Matrix { rows: more_rows, columns: more_columns }) => {
                Shape::Matrix { rows: rows.min(more_rows), columns: columns.min(more_columns) }
            }
            (Shape::Vector(_), Shape::Matrix { .. }) | (Shape::Matrix { .. }, Shape::Vector(_)) => {
                return None;
            }
        };
    }
    Some(common)
}

/// Returns the common scalar type of several types, with `int` for `bool`s.
fn common_scalar(types: &[Numeric]) -> Scalar {
    let first = types.first().map_or(Scalar::Int, |ty| ty.scalar);
    types.iter().fold(first, |common, ty| common.common(ty.scalar))
}

fn common_type(types: &[Numeric], components: ScalarRule) -> Option<Numeric> {
    let scalar = components.of(common_scalar(types));
    Some(Numeric { scalar, shape: common_shape(types)? })
}
