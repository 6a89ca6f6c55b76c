use crate::{
    check::tree::{Expr, ExprKind, Numeric, ObjectType, Program, StructId, Type},
    session::code::Code,
    syntax::builtin::{Object, Scalar, Shape},
};

use super::{Checker, evaluate::convert_constant};

/// Maximum number of runs in types that are compared component by component.
const MOST_RUNS: usize = 1 << 12;

/// The components of a type: scalars and objects in order, with consecutive components of the same type as
/// one run.
#[derive(Debug, Default)]
struct TypeComponents {
    runs: Vec<(Type, u64)>,
}

impl TypeComponents {
    fn push(&mut self, ty: Type, count: u64) {
        match self.runs.last_mut() {
            Some((last, length)) if same_component(last, &ty) => *length = length.saturating_add(count),
            _ => self.runs.push((ty, count)),
        }
    }

    /// Adds the runs of a type, or returns `None` if there are too many, or if the type is `void` or invalid.
    fn add(&mut self, program: &Program, ty: &Type) -> Option<()> {
        if self.runs.len() > MOST_RUNS {
            return None;
        }
        match ty {
            Type::Numeric(numeric) => self.push(Type::scalar(numeric.scalar), numeric.components() as u64),
            Type::Array(array) => {
                let mut element = Self::default();
                element.add(program, &array.element)?;
                if let [(ty, count)] = &mut element.runs[..] {
                    self.push(ty.clone(), count.saturating_mul(array.length.into()));
                } else {
                    for _ in 0..array.length {
                        for (ty, count) in &element.runs {
                            self.push(ty.clone(), *count);
                        }
                        if self.runs.len() > MOST_RUNS {
                            return None;
                        }
                    }
                }
            }
            Type::Struct(id) => {
                for field in &program[*id].fields {
                    self.add(program, &field.ty)?;
                }
            }
            Type::Object(_) | Type::String => self.push(ty.clone(), 1),
            Type::Error | Type::Void => return None,
        }
        Some(())
    }

    fn of(program: &Program, ty: &Type) -> Option<Self> {
        let mut components = Self::default();
        components.add(program, ty)?;
        Some(components)
    }

    fn count(&self) -> u64 {
        self.runs.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Returns whether the components begin with the components of another type, comparing two component
    /// types with `matches`.
    fn begin_with(&self, other: &Self, matches: impl Fn(&Type, &Type) -> bool) -> bool {
        let (mut own, mut others) = (self.runs.iter(), other.runs.iter());
        let (mut left, mut right) = (own.next().cloned(), others.next().cloned());
        while let Some((other_type, other_count)) = &right {
            let Some((own_type, own_count)) = &left else { return false };
            if !matches(own_type, other_type) {
                return false;
            }
            let both = *own_count.min(other_count);
            let rest = |(ty, count): &(Type, u64)| (*count > both).then(|| (ty.clone(), count - both));
            let (left_rest, right_rest) = (left.as_ref().and_then(rest), right.as_ref().and_then(rest));
            left = left_rest.or_else(|| own.next().cloned());
            right = right_rest.or_else(|| others.next().cloned());
        }
        true
    }
}

fn same_component(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Object(a), Type::Object(b)) => same_object(a, b),
        _ => a == b,
    }
}

fn same_object(a: &ObjectType, b: &ObjectType) -> bool {
    let is_patch = matches!(a.kind, Object::InputPatch | Object::OutputPatch);
    a.kind == b.kind && a.element == b.element && (a.count == b.count || !is_patch)
}

impl Program {
    /// Returns whether a value of one type can be used as a value of another type without a cast.
    pub(crate) fn converts_implicitly(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Numeric(from), Type::Numeric(to)) => numeric_converts(*from, *to),
            (Type::Numeric(_) | Type::Void, _) | (_, Type::Numeric(_) | Type::Void) => false,
            (Type::Struct(from), Type::Struct(to)) if self.is_derived(*from, *to) => true,
            _ if from == to => true,
            _ if self.is_interface(from) || self.is_interface(to) => false,
            _ => match (TypeComponents::of(self, from), TypeComponents::of(self, to)) {
                (Some(from), Some(to)) => from.count() == to.count() && from.begin_with(&to, same_component),
                _ => false,
            },
        }
    }

    /// Returns whether a cast can convert a value of one type to another.
    pub(crate) fn converts_explicitly(&self, from: &Type, to: &Type) -> bool {
        if from.is_error() || to.is_error() {
            return true;
        }
        if let (Type::Struct(from), Type::Struct(to)) = (from, to)
            && self.is_derived(*from, *to)
        {
            return true;
        }
        if from != to && (self.is_interface(from) || self.is_interface(to)) {
            return false;
        }
        let (Some(own), Some(others)) = (TypeComponents::of(self, from), TypeComponents::of(self, to)) else {
            return false;
        };
        let (from, to) = (from.numeric(), to.numeric());
        if let (Some(from), Some(to)) = (from, to)
            && numeric_converts(from, to)
        {
            return true;
        }
        if from.is_some_and(|from| from.components() == 1) {
            return others.runs.iter().all(|(ty, _)| ty.numeric().is_some());
        }
        if let (Some(from), Some(to)) = (from, to)
            && is_matrix(from)
            && is_matrix(to)
        {
            return from.rows() >= to.rows() && from.columns() >= to.columns();
        }
        let has_rows = |numeric: Numeric| numeric.rows() > 1;
        let is_wide = |numeric: Numeric| numeric.rows() > 1 && numeric.columns() > 1;
        if own.count() != others.count() && (from.is_some_and(is_wide) || to.is_some_and(has_rows)) {
            return false;
        }
        let matches =
            |a: &Type, b: &Type| (a.numeric().is_some() && b.numeric().is_some()) || same_component(a, b);
        own.begin_with(&others, matches)
    }

    /// Returns the number of components of a type, or `None` if one of them is not numeric.
    pub(crate) fn numeric_components(&self, ty: &Type) -> Option<u64> {
        let components = TypeComponents::of(self, ty)?;
        let is_numeric = components.runs.iter().all(|(ty, _)| ty.numeric().is_some());
        is_numeric.then(|| components.count())
    }

    /// Returns the number of numeric components in a type, without counting objects.
    pub(crate) fn number_count(&self, ty: &Type) -> Option<u64> {
        let components = TypeComponents::of(self, ty)?;
        let numbers = components.runs.iter().filter(|(ty, _)| ty.numeric().is_some());
        Some(numbers.fold(0, |sum, (_, count)| sum.saturating_add(*count)))
    }

    /// Returns whether a type begins with the components of another type, with the same component types.
    pub(crate) fn begins_with(&self, ty: &Type, first: &Type) -> bool {
        match (TypeComponents::of(self, ty), TypeComponents::of(self, first)) {
            (Some(all), Some(first)) => all.begin_with(&first, same_component),
            _ => false,
        }
    }

    pub(crate) fn is_derived(&self, from: StructId, base: StructId) -> bool {
        let mut next = Some(from);
        // A structure is declared after its base, so the loop terminates.
        while let Some(id) = next {
            if id == base {
                return true;
            }
            next = self[id].base.filter(|base| *base < id);
        }
        false
    }
}

impl Program {
    /// Returns whether an interface is among the direct or indirect interfaces and bases of a structure.
    fn implements(&self, from: StructId, interface: StructId) -> bool {
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if id == interface {
                return true;
            }
            // A structure is declared after its bases and interfaces, so the loop terminates.
            open.extend(self[id].interfaces.iter().chain(&self[id].base).filter(|base| **base < id));
        }
        false
    }

    fn is_interface(&self, ty: &Type) -> bool {
        matches!(ty, Type::Struct(id) if self[*id].interface)
    }

    /// Returns whether a conversion passes an object of a class as one of its interfaces, which requires
    /// Direct3D 11's dynamic linkage and is therefore not supported.
    pub(crate) fn is_linkage(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Struct(from), Type::Struct(to)) => self[*to].interface && self.implements(*from, *to),
            (Type::Array(from), Type::Array(to)) => {
                from.length == to.length && self.is_linkage(&from.element, &to.element)
            }
            _ => false,
        }
    }
}

fn is_matrix(numeric: Numeric) -> bool {
    matches!(numeric.shape, Shape::Matrix { .. })
}

pub(super) fn numeric_converts(from: Numeric, to: Numeric) -> bool {
    if from.components() == 1 || to.components() == 1 {
        return true;
    }
    match (is_matrix(from), is_matrix(to)) {
        (false, false) => from.columns() >= to.columns(),
        (true, true) => from.rows() >= to.rows() && from.columns() >= to.columns(),
        _ => {
            let is_line = |numeric: Numeric| numeric.rows() == 1 || numeric.columns() == 1;
            // A vector can be truncated to a row, but not to a column.
            let is_cut = is_line(from) && (is_matrix(from) || to.rows() == 1) && is_line(to);
            (is_cut && from.components() > to.components()) || from.components() == to.components()
        }
    }
}

impl Checker<'_> {
    /// Converts an expression to a type, with an error for an impossible conversion and a warning for lost
    /// components.
    pub(crate) fn convert_implicitly(&mut self, expr: Expr, to: &Type) -> Expr {
        if !self.tree.converts_implicitly(&expr.ty, to) {
            return self.cannot_convert(&expr, to);
        }
        self.warn_of_truncation(&expr, to);
        conversion(expr, to)
    }

    pub(crate) fn warn_of_truncation(&mut self, expr: &Expr, to: &Type) {
        if let (Some(from), Some(to)) = (expr.ty.numeric(), to.numeric())
            && from.components() > to.components()
        {
            let what = if is_matrix(from) { "matrix" } else { "vector" };
            let message = format!("implicit truncation of {what} type");
            self.warn(Code::ImplicitTruncation, expr.span, message);
        }
    }

    pub(super) fn convert_explicitly(&mut self, expr: Expr, to: &Type) -> Expr {
        if self.tree.converts_explicitly(&expr.ty, to) {
            return conversion(expr, to);
        }
        self.cannot_convert(&expr, to)
    }

    fn cannot_convert(&mut self, expr: &Expr, to: &Type) -> Expr {
        let (from, name) = (self.tree.type_name(&expr.ty), self.tree.type_name(to));
        if self.tree.is_linkage(&expr.ty, to) {
            self.refuse_linkage(expr, to);
        } else {
            self.error(Code::CannotConvert, expr.span, format!("cannot convert from '{from}' to '{name}'"));
        }
        Expr::error(expr.span)
    }

    /// Reports an object that is used as an interface of its class, because this requires dynamic linkage.
    pub(super) fn refuse_linkage(&mut self, expr: &Expr, interface: &Type) {
        let (class, interface) = (self.tree.type_name(&expr.ty), self.tree.type_name(interface));
        let message = format!(
            "not supported: '{class}' as the interface '{interface}' (dynamic linkage); declare the variable, parameter \
             or result with the type '{class}'"
        );
        self.error(Code::Unsupported, expr.span, message);
    }
}

/// Converts a value to a type that it is convertible to, and a constant to a constant.
pub(crate) fn conversion(expr: Expr, to: &Type) -> Expr {
    if expr.ty.is_error() || to.is_error() {
        return Expr::error(expr.span);
    }
    if expr.ty == *to {
        return expr;
    }
    if let (Type::Object(from), Type::Object(to)) = (&expr.ty, to)
        && same_object(from, to)
    {
        return expr;
    }
    let span = expr.span;
    if let (ExprKind::Constant(constant), Type::Numeric(to)) = (&*expr.kind, to)
        && let Some(constant) = convert_constant(constant, *to)
    {
        return Expr::constant(constant, span);
    }
    Expr::new(ExprKind::Convert(expr), to.clone(), span)
}

pub(crate) fn with_scalar(expr: Expr, scalar: Scalar) -> Expr {
    match expr.ty {
        Type::Numeric(numeric) => conversion(expr, &Type::Numeric(numeric.with(scalar))),
        _ => expr,
    }
}
