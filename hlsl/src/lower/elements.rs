//! Buffer elements and texels, `object[place]`, and their components.

use naga::{Statement, StorageAccess};

use crate::{
    check::tree::{Numeric, Type},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        places::{BufferElement, ElementIndex, PathStepKind, PlaceRoot, ValuePath, ValuePlace},
        resources::{TextureShape, image_kind, texel_of},
        result::{Lowered, Value},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::Shape,
};

impl Builder<'_, '_> {
    /// Loads a buffer element or texel, or the part of it that a path selects.
    pub(crate) fn load_element(
        &mut self,
        element: &BufferElement,
        path: &ValuePath,
        span: Span,
    ) -> Lowered<Value> {
        if TextureShape::of(element.object.ty.kind).is_none() {
            let part = self.element_part(element, path, span)?;
            return self.load_part(&part, span);
        }
        let value = self.load_texel_of(element, span)?;
        let Some(ty) = vector_of(&element.ty) else {
            let value = self.texel_value(&element.object, value, &element.ty, span)?;
            let root_ty = element.ty.clone();
            return self.load_place(
                &ValuePlace { root: PlaceRoot::Value(value), root_ty, path: path.clone() },
                span,
            );
        };
        let components = self.parts_of(value, ty.columns());
        match self.texel_components(path) {
            None => Ok(value),
            Some(TexelPart::Known(chosen)) => {
                let chosen = chosen.iter().filter_map(|index| components.get(*index as usize).copied());
                let chosen = chosen.collect();
                Ok(self.vector(naga_scalar(ty.scalar), chosen))
            }
            Some(TexelPart::Computed(index)) => {
                let index = self.index_value(index);
                Ok(self.add(naga::Expression::Access { base: value, index }))
            }
        }
    }

    fn load_texel_of(&mut self, element: &BufferElement, span: Span) -> Lowered<Value> {
        let texture = self.texture(&element.object, span)?;
        let place = self.parts_of(element.place, texture.shape.place_size());
        self.load_texel(&texture, place, element.level)
    }

    /// Stores to a buffer element or texel, or to the part of it that a path selects.
    pub(crate) fn store_element(
        &mut self,
        element: &BufferElement,
        path: &ValuePath,
        value: Value,
        span: Span,
    ) -> Lowered<()> {
        if TextureShape::of(element.object.ty.kind).is_none() {
            let part = self.element_part(element, path, span)?;
            return self.visibly(part.is_there, |builder| builder.store_part(&part, value, span));
        }
        let Some(ty) = vector_of(&element.ty) else {
            return self.store_parts(element, path, value, span);
        };
        // The checks refuse stores to some components of a texel, but the components may be in any order.
        let value = match self.texel_components(path) {
            None => value,
            Some(TexelPart::Known(chosen)) => {
                let new = self.parts_of(value, chosen.len());
                let mut components = vec![value; ty.columns()];
                for (index, component) in chosen.iter().zip(new) {
                    if let Some(place) = components.get_mut(*index as usize) {
                        *place = component;
                    }
                }
                if chosen.len() != ty.columns() {
                    return Err(self.unsupported(span, "a store to a part of a texel"));
                }
                self.vector(naga_scalar(ty.scalar), components)
            }
            Some(TexelPart::Computed(_)) => {
                return Err(self.unsupported(span, "a store to a part of a texel"));
            }
        };
        self.store_texel(element, ty, value, span)
    }

    /// Stores a texel that is a structure or a matrix.
    fn store_parts(
        &mut self,
        element: &BufferElement,
        path: &ValuePath,
        value: Value,
        span: Span,
    ) -> Lowered<()> {
        if !path.steps.is_empty() {
            return Err(self.unsupported(span, "a store to a part of a texel"));
        }
        let texel = self.texture(&element.object, span)?.element;
        let shape = Numeric::vector(texel.scalar, texel.components() as u8);
        let value = self.convert_value(value, &element.ty, &Type::Numeric(shape), span)?;
        self.store_texel(element, shape, value, span)
    }

    /// Converts a texel to the element type. The members of structures and the rows of matrices are
    /// consecutive components.
    pub(super) fn texel_value(
        &mut self,
        object: &KnownObject,
        texel: Value,
        ty: &Type,
        span: Span,
    ) -> Lowered<Value> {
        let from = self.texture(object, span)?.element;
        self.convert_value(texel, &Type::Numeric(from), ty, span)
    }

    fn store_texel(&mut self, element: &BufferElement, ty: Numeric, value: Value, span: Span) -> Lowered<()> {
        let texture = self.texture(&element.object, span)?;
        self.lowerer.allow(texture.variable, StorageAccess::STORE);
        let Some(kind) = image_kind(ty.scalar) else {
            return Err(
                self.unsupported(span, "a texture or a typed buffer of doubles; use a structured buffer")
            );
        };
        let stored = texel_of(kind);
        let value = self.convert(value, ty, ty.with(stored.scalar));
        let mut components = self.parts_of(value, ty.columns());
        // A format with one component ignores the others. In other formats, the first component replaces the
        // missing ones.
        if let Some(first) = components.first().copied() {
            components.resize(4, first);
        }
        let value = self.vector(naga_scalar(stored.scalar), components);
        let place = self.parts_of(element.place, texture.shape.place_size());
        let (coordinate, array_index) = self.texel_place(&texture, place);
        self.visibly(None, |builder| {
            builder.push(Statement::ImageStore { image: texture.image, coordinate, array_index, value });
            Ok(())
        })
    }

    /// Returns the components of a texel that a path selects, or `None` for the whole texel.
    fn texel_components(&mut self, path: &ValuePath) -> Option<TexelPart> {
        let mut chosen: Option<Vec<u32>> = None;
        for step in &path.steps {
            chosen = match (&step.kind, chosen) {
                (PathStepKind::Index(ElementIndex::Known(index)), None) => Some(vec![*index]),
                (PathStepKind::Index(index), None) => return Some(TexelPart::Computed(*index)),
                (PathStepKind::Swizzle(components), None) => {
                    Some(components.iter().map(|index| u32::from(*index)).collect())
                }
                (PathStepKind::Swizzle(components), Some(before)) => {
                    let picked = components.iter().filter_map(|index| before.get(usize::from(*index)));
                    Some(picked.copied().collect())
                }
                (PathStepKind::Index(ElementIndex::Known(index)), Some(before)) => {
                    Some(before.get(*index as usize).copied().into_iter().collect())
                }
                (_, before) => before,
            };
        }
        chosen.map(TexelPart::Known)
    }
}

/// Returns the element type if it is a scalar or a vector.
fn vector_of(ty: &Type) -> Option<Numeric> {
    ty.numeric().filter(|numeric| !matches!(numeric.shape, Shape::Matrix { .. }))
}

/// A selection of texel components.
enum TexelPart {
    Known(Vec<u32>),
    /// One component, whose index is computed at run time.
    Computed(ElementIndex),
}
