//! Initial values of variables, including lists such as `{ a, b }`.
//!
//! FXC flattens a list: inner braces have no meaning, and each value contributes its components in order.
//! Therefore `float4 a[2] = { 1, v.xyz, { 5, 6 }, b }` fills the array if `b` has two components.

use super::Checker;
use crate::{
    check::tree::{Constant, Expr, ExprKind, Local, LocalId, Numeric, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{self, ExprKind as Syntax},
        builtin::Shape,
    },
};

const MOST_COMPONENTS: u64 = 1 << 17;

/// Maximum number of components of a value that is split outside functions, because there the value is
/// computed again for each component.
const MOST_REPEATED: u64 = 64;

/// The values that are not used up yet, in reverse order, so the next value is the last one in the list.
struct InitializerValues {
    /// The values, each with the number of its components that are already used (0 for values that are not
    /// numeric).
    values: Vec<(Expr, usize)>,
}

struct InitializerMismatch;

impl Checker<'_> {
    /// Checks the initial value of a variable and converts it to the type of the variable. The value
    /// determines the length of an array that is declared with `[]`.
    ///
    /// Errors are reported, and then the result is [`ExprKind::Error`].
    pub(super) fn initializer(&mut self, name: &str, ty: &Type, value: &ast::Expr) -> Expr {
        let leaves = match &*value.kind {
            Syntax::List(_) => {
                let mut leaves = Vec::new();
                self.leaves(value, &mut leaves);
                Some(leaves)
            }
            _ => None,
        };
        let Some(leaves) = leaves else {
            let value = self.expression(value);
            if value.ty.is_error() || ty.is_error() {
                return Expr::error(value.span);
            }
            let Some(ty) = self.close_array(name, ty, self.count(&value.ty), value.span) else {
                return Expr::error(value.span);
            };
            return self.convert_implicitly(value, &ty);
        };
        if ty.is_error() || leaves.iter().any(|leaf| leaf.ty.is_error()) {
            return Expr::error(value.span);
        }
        let given = leaves.iter().fold(0_u64, |sum, leaf| sum.saturating_add(self.count(&leaf.ty)));
        let Some(ty) = self.close_array(name, ty, given, value.span) else {
            return Expr::error(value.span);
        };
        if given == self.count(&ty) && given > 0 && given <= MOST_COMPONENTS {
            let mut values =
                InitializerValues { values: leaves.into_iter().rev().map(|leaf| (leaf, 0)).collect() };
            if let Ok(made) = self.take(&mut values, &ty, value.span) {
                return made;
            }
        }
        self.mismatch(name, value.span)
    }

    fn mismatch(&mut self, name: &str, span: Span) -> Expr {
        self.error(Code::CannotConvert, span, format!("'{name}': initializer does not match type"));
        Expr::error(span)
    }

    fn leaves(&mut self, value: &ast::Expr, leaves: &mut Vec<Expr>) {
        match &*value.kind {
            Syntax::List(values) => values.iter().for_each(|value| self.leaves(value, leaves)),
            _ => leaves.push(self.expression(value)),
        }
    }

    /// Computes the length of an array that is declared with `[]` from the number of components in its
    /// initializer.
    fn close_array(&mut self, name: &str, ty: &Type, given: u64, span: Span) -> Option<Type> {
        let Type::Array(array) = ty else { return Some(ty.clone()) };
        if array.length != 0 {
            return Some(ty.clone());
        }
        let each = self.count(&array.element);
        if each == 0 || given == 0 || !given.is_multiple_of(each) || given / each > 65_536 {
            self.mismatch(name, span);
            return None;
        }
        Some(Type::array(array.element.clone(), (given / each) as u32))
    }

    pub(super) fn count(&self, ty: &Type) -> u64 {
        match ty {
            Type::Numeric(numeric) => numeric.components() as u64,
            Type::Array(array) => self.count(&array.element).saturating_mul(array.length.into()),
            Type::Struct(id) => {
                let fields = self.tree[*id].fields.iter();
                fields.fold(0_u64, |sum, field| sum.saturating_add(self.count(&field.ty)))
            }
            Type::Object(_) | Type::String => 1,
            Type::Error | Type::Void => 0,
        }
    }

    fn take(
        &mut self,
        values: &mut InitializerValues,
        ty: &Type,
        span: Span,
    ) -> Result<Expr, InitializerMismatch> {
        match ty {
            Type::Numeric(numeric) => self.take_numeric(values, *numeric, span),
            Type::Array(array) => {
                if let Some(whole) = values.take_whole(ty) {
                    return Ok(whole);
                }
                let elements: Result<Vec<_>, _> =
                    (0..array.length).map(|_| self.take(values, &array.element, span)).collect();
                Ok(Expr::new(ExprKind::Construct(elements?), ty.clone(), span))
            }
            Type::Struct(id) => {
                if let Some(whole) = values.take_whole(ty) {
                    return Ok(whole);
                }
                let types: Vec<_> = self.tree[*id].fields.iter().map(|field| field.ty.clone()).collect();
                let fields: Result<Vec<_>, _> =
                    types.iter().map(|field| self.take(values, field, span)).collect();
                Ok(Expr::new(ExprKind::Construct(fields?), ty.clone(), span))
            }
            Type::Object(_) | Type::String => {
                self.open(values);
                match values.values.pop() {
                    Some((value, 0)) if self.is_same_object(&value.ty, ty) => Ok(value),
                    _ => Err(InitializerMismatch),
                }
            }
            Type::Error | Type::Void => Err(InitializerMismatch),
        }
    }

    fn is_same_object(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Object(a), Type::Object(b)) => a.kind == b.kind && a.element == b.element,
            _ => a == b,
        }
    }

    fn take_numeric(
        &mut self,
        values: &mut InitializerValues,
        to: Numeric,
        span: Span,
    ) -> Result<Expr, InitializerMismatch> {
        let mut parts = Vec::new();
        let mut missing = to.components();
        while missing > 0 {
            self.open(values);
            let (value, used) = values.values.pop().ok_or(InitializerMismatch)?;
            let Type::Numeric(from) = value.ty else { return Err(InitializerMismatch) };
            let left = from.components() - used;
            let taken = left.min(missing);
            missing -= taken;
            let part = if used == 0 && taken == left {
                value
            } else {
                let (part, again) = self.part(value, from, used, taken);
                if taken < left {
                    values.values.push((again, used + taken));
                }
                part
            };
            let shape = part.ty.numeric().unwrap_or(from).shape;
            let part = self.convert_implicitly(part, &Type::Numeric(Numeric { scalar: to.scalar, shape }));
            parts.push(part);
        }
        // A single value that already has the target type needs no constructor.
        if parts.len() == 1 && parts.iter().all(|part| part.ty == Type::Numeric(to)) {
            return parts.pop().ok_or(InitializerMismatch);
        }
        Ok(Expr::new(ExprKind::Construct(parts), Type::Numeric(to), span))
    }

    /// Returns `count` components of a value, beginning with `first`, and a replacement for later uses of the
    /// value.
    fn part(&mut self, value: Expr, from: Numeric, first: usize, count: usize) -> (Expr, Expr) {
        let (now, again) = self.repeatable(value);
        let shape = if count == 1 { Shape::Scalar } else { Shape::Vector(count.min(4) as u8) };
        let span = now.span;
        let part = match from.shape {
            Shape::Matrix { columns, .. } => {
                let places = (first..first + count).map(|place| {
                    ((place / usize::from(columns)) as u8, (place % usize::from(columns)) as u8)
                });
                ExprKind::Elements(now, places.collect())
            }
            Shape::Scalar | Shape::Vector(_) => {
                ExprKind::Swizzle(now, (first..first + count).map(|place| place as u8).collect())
            }
        };
        (Expr::new(part, Type::Numeric(Numeric { scalar: from.scalar, shape }), span), again)
    }

    fn open(&mut self, values: &mut InitializerValues) {
        while let Some((value, _)) = values.values.last() {
            match &value.ty {
                Type::Array(array) => {
                    let (element, length) = (array.element.clone(), array.length);
                    let Some((value, _)) = values.values.pop() else { return };
                    let (first, again) = self.repeatable(value);
                    let element_of = |array: Expr, index: u32| {
                        let span = array.span;
                        let index = Expr::constant(Constant::int(index.cast_signed()), span);
                        (Expr::new(ExprKind::Index(array, index), element.clone(), span), 0)
                    };
                    let rest = (1..length).rev().map(|index| element_of(again.clone(), index));
                    values.values.extend(rest);
                    values.values.push(element_of(first, 0));
                }
                Type::Struct(id) => {
                    let types: Vec<_> = self.tree[*id].fields.iter().map(|field| field.ty.clone()).collect();
                    let Some((value, _)) = values.values.pop() else { return };
                    let (first, again) = self.repeatable(value);
                    let span = first.span;
                    let mut first = Some(first);
                    let mut fields = Vec::new();
                    for (index, ty) in types.into_iter().enumerate() {
                        let object = first.take().unwrap_or_else(|| again.clone());
                        let field = Expr::new(ExprKind::Field(object, index as u32), ty, span);
                        fields.push((field, 0));
                    }
                    values.values.extend(fields.into_iter().rev());
                }
                _ => return,
            }
        }
    }

    /// Returns an expression for the first use of a value and a replacement for later uses. In a function, an
    /// expensive value is stored in a local variable, so that it is computed only once.
    fn repeatable(&mut self, value: Expr) -> (Expr, Expr) {
        if is_cheap(&value) || self.has_object(&value.ty) {
            return (value.clone(), value);
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let Some(function) = &mut self.function else {
            if self.count(&ty) <= MOST_REPEATED {
                return (value.clone(), value);
            }
            let message = "the value is too large to be split into components outside of a function";
            self.error(Code::LimitExceeded, span, message);
            return (Expr::error(span), Expr::error(span));
        };
        let id = LocalId(function.locals.len() as u32);
        function.locals.push(Local { name: "<value>".into(), ty: ty.clone(), constant: false, span });
        let local = Expr::new(ExprKind::Local(id), ty.clone(), span);
        (Expr::new(ExprKind::Assign(local.clone(), value), ty, span), local)
    }
}

impl InitializerValues {
    fn take_whole(&mut self, ty: &Type) -> Option<Expr> {
        match self.values.last() {
            Some((value, 0)) if value.ty == *ty => self.values.pop().map(|(value, _)| value),
            _ => None,
        }
    }
}

/// Returns whether an expression lacks side effects and can be computed several times at no cost.
fn is_cheap(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Error | ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Field(inner, _) | ExprKind::Swizzle(inner, _) | ExprKind::Elements(inner, _) => {
            is_cheap(inner)
        }
        ExprKind::Index(inner, index) => is_cheap(inner) && is_cheap(index),
        _ => false,
    }
}
