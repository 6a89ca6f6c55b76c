//! Derived structures as values of their bases, and stores through such conversions.
//!
//! A structure begins with the fields of its base. An inherited method works on a copy of these fields. Its
//! changes are stored back field by field, so the fields that the derived structure adds keep their values.

use crate::{
    check::tree::{StructId, Type},
    lower::{
        builder::Builder,
        places::{PathStepKind, PlaceRoot, ValuePlace},
        resources::TextureShape,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Shape,
};

impl Builder<'_, '_> {
    /// Copies the base's fields from the value of a derived structure.
    pub(super) fn base_value(&mut self, derived: Value, base: StructId, span: Span) -> Lowered<Value> {
        let count =
            self.lowerer.program[base].fields.iter().filter(|field| self.lowerer.has_data(&field.ty)).count();
        let fields = (0..count).map(|index| self.access(derived, index as u32)).collect();
        self.assemble(&Type::Struct(base), fields, span)
    }

    /// Stores a value to a place through the conversions of an argument. `types` begins with the value's type
    /// and ends with the place's type.
    ///
    /// Components of the place that the conversions drop keep their values.
    pub(super) fn store_converted(
        &mut self,
        place: &ValuePlace,
        types: &[Type],
        value: Value,
        span: Span,
    ) -> Lowered<()> {
        let [from, rest @ ..] = types else { return Ok(()) };
        let Some(to) = rest.first() else { return self.store_place(place, value, span) };
        if let (Type::Struct(base), Type::Struct(id), true) = (from, to, rest.len() == 1)
            && self.lowerer.program.is_derived(*id, *base)
            && !is_texel(place)
        {
            return self.store_fields(place, *id, (*base, value), span);
        }
        let program = self.lowerer.program;
        let value = if program.number_count(from) == program.number_count(to) {
            self.convert_value(value, from, to, span)?
        } else {
            let mut old = self.load_place(place, span)?;
            for (to, from) in rest.iter().zip(rest.iter().skip(1)).rev() {
                old = self.convert_value(old, from, to, span)?;
            }
            self.overlaid((old, to), (value, from), span)?
        };
        self.store_converted(place, rest, value, span)
    }

    /// Stores the fields of a base to the same fields of a derived structure.
    fn store_fields(
        &mut self,
        place: &ValuePlace,
        id: StructId,
        (base, value): (StructId, Value),
        span: Span,
    ) -> Lowered<()> {
        let program = self.lowerer.program;
        for (index, field) in (0..).zip(&program[base].fields) {
            if !self.lowerer.has_data(&field.ty) {
                continue;
            }
            let part = self.lowerer.field_index(base, index);
            let part = self.access(value, part);
            let mut place = place.clone();
            place.push(PathStepKind::Field(id, index), &field.ty);
            self.store_place(&place, part, span)?;
        }
        Ok(())
    }

    /// Replaces the components of a value that a conversion to a smaller type keeps.
    fn overlaid(
        &mut self,
        (old, whole): (Value, &Type),
        (new, kept): (Value, &Type),
        span: Span,
    ) -> Lowered<Value> {
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        self.flatten(old, whole, &mut all);
        self.flatten(new, kept, &mut parts);
        for (index, part) in parts.into_iter().enumerate() {
            if let Some(slot) = all.get_mut(kept_component(whole, kept, index)) {
                *slot = part;
            }
        }
        self.build(whole, &mut all.into_iter(), span)
    }
}

/// Returns the index in the whole value of a component that a conversion keeps. Matrices are truncated by
/// rows and columns, and all other values at the end.
fn kept_component(whole: &Type, kept: &Type, index: usize) -> usize {
    match (whole.numeric(), kept.numeric()) {
        (Some(whole), Some(kept))
            if matches!((whole.shape, kept.shape), (Shape::Matrix { .. }, Shape::Matrix { .. })) =>
        {
            index / kept.columns() * whole.columns() + index % kept.columns()
        }
        _ => index,
    }
}

/// Returns whether a place is a texel. Texels are always stored as a whole.
fn is_texel(place: &ValuePlace) -> bool {
    match &place.root {
        PlaceRoot::Element(element) => TextureShape::of(element.object.ty.kind).is_some(),
        _ => false,
    }
}
