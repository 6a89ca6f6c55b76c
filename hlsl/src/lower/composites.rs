//! Construction and conversion of vectors, matrices, arrays and structures.

use crate::{
    check::{
        kept_components,
        tree::{Expr, Numeric, Type},
    },
    interface::bindings::object_count,
    lower::{
        builder::Builder,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Shape,
};

/// A component of a value, and its type.
type Component = (Value, Numeric);

impl Builder<'_, '_> {
    /// Lowers an expression and converts its value to a type.
    pub(super) fn conversion(&mut self, inner: &Expr, to: &Type, span: Span) -> Lowered<Value> {
        if inner.ty == *to {
            return self.expr(inner);
        }
        if let (Some(from), Some(to)) = (inner.ty.numeric(), to.numeric()) {
            let value = self.expr(inner)?;
            return Ok(self.convert(value, from, to));
        }
        if self.known(inner).is_some_and(|known| known.bits.iter().all(|bits| *bits == 0)) {
            return self.zero(to, span);
        }
        let value = self.expr(inner)?;
        self.convert_value(value, &inner.ty, to, span)
    }

    /// Converts a value between any two types.
    pub(super) fn convert_value(
        &mut self,
        value: Value,
        from: &Type,
        to: &Type,
        span: Span,
    ) -> Lowered<Value> {
        if from == to {
            return Ok(value);
        }
        if let (Some(from), Some(to)) = (from.numeric(), to.numeric()) {
            return Ok(self.convert(value, from, to));
        }
        if let (Type::Struct(id), Type::Struct(base)) = (from, to)
            && self.lowerer.program.is_derived(*id, *base)
        {
            return self.base_value(value, *base, span);
        }
        let mut components = Vec::new();
        self.flatten(value, from, &mut components);
        let Some(first) = components.first().copied() else { return self.zero(to, span) };
        if components.len() == 1 {
            return self.build(to, &mut std::iter::repeat(first), span);
        }
        self.build(to, &mut components.into_iter(), span)
    }

    /// Stores a value through a cast: only the components that the cast keeps are stored.
    pub(super) fn assign_components(&mut self, target: &Expr, value: Value) -> Lowered<()> {
        let Some((of, kept)) = kept_components(self.lowerer.program, target) else {
            return Err(self.unsupported(target.span, "a store to such a cast"));
        };
        let place = self.place(of)?;
        let old = self.load_place(&place, of.span)?;
        let (mut all, mut new) = (Vec::new(), Vec::new());
        self.flatten(old, &of.ty, &mut all);
        self.flatten(value, &target.ty, &mut new);
        for (index, component) in kept.into_iter().zip(new) {
            if let Some(old) = all.get_mut(index) {
                *old = component;
            }
        }
        let whole = self.build(&of.ty, &mut all.into_iter(), of.span)?;
        self.store_place(&place, whole, of.span)
    }

    /// Appends the components of a value to a list.
    pub(super) fn flatten(&mut self, value: Value, ty: &Type, components: &mut Vec<Component>) {
        match ty {
            Type::Numeric(numeric) => {
                let component = Numeric::scalar(numeric.scalar);
                let parts = self.components(value, *numeric);
                components.extend(parts.into_iter().map(|part| (part, component)));
            }
            Type::Array(array) if self.lowerer.has_data(&array.element) => {
                for index in 0..array.length {
                    let element = self.access(value, index);
                    self.flatten(element, &array.element, components);
                }
            }
            Type::Struct(id) => {
                let program = self.lowerer.program;
                let mut index = 0;
                for field in &program[*id].fields {
                    if self.lowerer.has_data(&field.ty) {
                        let part = self.access(value, index);
                        index += 1;
                        self.flatten(part, &field.ty, components);
                    }
                }
            }
            Type::Array(_) | Type::Error | Type::Void | Type::Object(_) | Type::String => {}
        }
    }

    /// Builds a value from components. Missing components are zero.
    pub(super) fn build(
        &mut self,
        ty: &Type,
        components: &mut dyn Iterator<Item = Component>,
        span: Span,
    ) -> Lowered<Value> {
        let mut parts = Vec::new();
        match ty {
            Type::Numeric(numeric) => {
                let to = Numeric::scalar(numeric.scalar);
                for _ in 0..numeric.components() {
                    parts.push(match components.next() {
                        Some((value, from)) => self.convert(value, from, to),
                        None => self.zero(&Type::Numeric(to), span)?,
                    });
                }
                return Ok(self.numeric(*numeric, parts));
            }
            Type::Array(array) if self.lowerer.has_data(&array.element) => {
                for _ in 0..array.length {
                    parts.push(self.build(&array.element, components, span)?);
                }
            }
            Type::Struct(id) => {
                let program = self.lowerer.program;
                for field in &program[*id].fields {
                    if self.lowerer.has_data(&field.ty) {
                        parts.push(self.build(&field.ty, components, span)?);
                    }
                }
            }
            Type::Array(_) | Type::Error | Type::Void | Type::Object(_) | Type::String => {}
        }
        self.assemble(ty, parts, span)
    }

    /// Composes a value from its parts. A value without parts is zero.
    pub(super) fn assemble(&mut self, ty: &Type, parts: Vec<Value>, span: Span) -> Lowered<Value> {
        let ty = self.ty(ty, span)?;
        Ok(if parts.is_empty() { self.zero_of(ty) } else { self.compose(ty, parts) })
    }

    /// Constructs a value from the values of expressions.
    pub(super) fn construct(&mut self, parts: &[Expr], ty: &Type, span: Span) -> Lowered<Value> {
        if let Some(numeric) = ty.numeric() {
            let mut values = Vec::new();
            for part in parts {
                let from = self.numeric_of(part)?;
                let value = self.expr(part)?;
                values
                    .push((self.convert(value, from, from.with(numeric.scalar)), from.with(numeric.scalar)));
            }
            let is_plain = |ty: Numeric| !matches!(ty.shape, Shape::Matrix { .. });
            let count: usize = values.iter().map(|(_, ty)| ty.components()).sum();
            if is_plain(numeric)
                && values.len() > 1
                && count == numeric.components()
                && values.iter().all(|(_, ty)| is_plain(*ty))
            {
                // naga can compose a vector from smaller vectors.
                let ty = self.numeric_type(numeric);
                return Ok(self.compose(ty, values.into_iter().map(|(value, _)| value).collect()));
            }
            let mut components = Vec::new();
            for (value, ty) in values {
                components.extend(self.components(value, ty));
            }
            let zero = Type::scalar(numeric.scalar);
            while components.len() < numeric.components() {
                components.push(self.zero(&zero, span)?);
            }
            components.truncate(numeric.components());
            return Ok(self.numeric(numeric, components));
        }
        let mut values = Vec::new();
        for part in parts {
            if self.lowerer.has_data(&part.ty) {
                values.push(self.expr(part)?);
            } else if object_count(self.lowerer.program, &part.ty) == 0 {
                self.effect(part)?;
            }
        }
        self.assemble(ty, values, span)
    }
}
