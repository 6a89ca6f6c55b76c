//! The naga types of structured buffers' elements.
//!
//! HLSL packs components without gaps, but naga aligns vectors to 8 or 16 bytes. A vector becomes a naga
//! vector only if its offset has this alignment, and otherwise an array of its components. Components that
//! atomic functions change are arrays of atomics. A matrix is an array of its rows or columns, depending on
//! its packing. A `bool` is a `u32`.

use std::num::NonZeroU32;

use naga::{ArraySize, Handle, StructMember, TypeInner};

use crate::{
    check::tree::{Numeric, StructId, Type},
    interface::{
        bindings::ObjectId,
        layout::{LayoutRules, component_size, vectors},
    },
    lower::{
        lowerer::Lowerer,
        object_facts::ANY_ELEMENT,
        result::Lowered,
        types::{naga_scalar, vector_size},
    },
    session::source::Span,
    syntax::builtin::{Scalar, Shape},
    text::token::Packing,
};

/// The largest alignment of a naga vector in bytes. Larger alignments need not be distinguished.
const MOST_ALIGNED: u32 = 16;

/// A place in an element, whose type is determined.
struct StorageSite<'p> {
    object: ObjectId,
    /// The path of fields from the element to the place.
    path: &'p mut Vec<u32>,
    packing: Packing,
    /// A power of two, in bytes, that divides all addresses of the place.
    alignment: u32,
    span: Span,
}

/// Returns the largest power of two that divides both numbers, but at most [`MOST_ALIGNED`].
fn common(alignment: u32, offset: u32) -> u32 {
    let of_offset = if offset == 0 { MOST_ALIGNED } else { 1 << offset.trailing_zeros().min(4) };
    alignment.min(of_offset)
}

/// Returns the component type in a buffer.
pub(super) fn stored_scalar(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::Uint } else { scalar }
}

impl Lowerer<'_> {
    /// Returns the type of a buffer's element.
    pub(crate) fn storage_element(
        &mut self,
        object: ObjectId,
        element: &Type,
        packing: Packing,
        span: Span,
    ) -> Lowered<Handle<naga::Type>> {
        let stride = LayoutRules::Structured.array_stride(self.program, element, packing);
        let alignment = common(MOST_ALIGNED, stride);
        self.storage_type(
            element,
            &mut StorageSite { object, path: &mut Vec::new(), packing, alignment, span },
        )
    }

    /// Returns the distance between consecutive array elements in bytes.
    pub(crate) fn stride_of(&mut self, base: Handle<naga::Type>) -> u32 {
        self.layout(base).map_or(4, |layout| layout.to_stride())
    }

    fn storage_type(&mut self, ty: &Type, spot: &mut StorageSite<'_>) -> Lowered<Handle<naga::Type>> {
        match ty {
            Type::Numeric(numeric) => self.stored_numeric(*numeric, spot),
            Type::Array(array) => {
                let stride = LayoutRules::Structured.array_stride(self.program, &array.element, spot.packing);
                let (alignment, packing) = (common(spot.alignment, stride), spot.packing);
                spot.path.push(ANY_ELEMENT);
                let mut inside = StorageSite {
                    path: &mut *spot.path,
                    packing,
                    alignment,
                    object: spot.object,
                    span: spot.span,
                };
                let base = self.storage_type(&array.element, &mut inside)?;
                spot.path.pop();
                self.stored_array(base, array.length, spot.span)
            }
            Type::Struct(id) => self.stored_struct(*id, spot),
            Type::Error | Type::Void | Type::Object(_) | Type::String => {
                Err(self.unsupported(spot.span, "an object in a buffer"))
            }
        }
    }

    fn stored_array(
        &mut self,
        base: Handle<naga::Type>,
        length: u32,
        span: Span,
    ) -> Lowered<Handle<naga::Type>> {
        let Some(length) = NonZeroU32::new(length) else {
            return Err(self.unsupported(span, "an array of no elements in a buffer"));
        };
        let stride = self.stride_of(base);
        Ok(self.add_type(None, TypeInner::Array { base, size: ArraySize::Constant(length), stride }))
    }

    fn stored_numeric(&mut self, ty: Numeric, spot: &StorageSite<'_>) -> Lowered<Handle<naga::Type>> {
        let Shape::Matrix { .. } = ty.shape else {
            return self.stored_vector(ty.scalar, ty.columns() as u32, spot.alignment, spot);
        };
        let (count, size) = vectors(ty, spot.packing);
        let stride = LayoutRules::Structured.vector_stride(ty, spot.packing);
        let base = self.stored_vector(ty.scalar, size, common(spot.alignment, stride), spot)?;
        // A naga vector with three components has a stride of four components.
        let base =
            if self.stride_of(base) != stride { self.stored_vector(ty.scalar, size, 4, spot)? } else { base };
        self.stored_array(base, count, spot.span)
    }

    fn stored_vector(
        &mut self,
        scalar: Scalar,
        size: u32,
        alignment: u32,
        spot: &StorageSite<'_>,
    ) -> Lowered<Handle<naga::Type>> {
        let component = naga_scalar(stored_scalar(scalar));
        let is_atomic = self.object_facts.is_atomic(spot.object, spot.path);
        let inner = if is_atomic { TypeInner::Atomic(component) } else { TypeInner::Scalar(component) };
        let base = self.add_type(None, inner);
        let Some(count) = vector_size(size as usize) else { return Ok(base) };
        let needed = if size == 2 { 2 } else { 4 } * component_size(scalar);
        if alignment >= needed && !is_atomic {
            return Ok(self.add_type(None, TypeInner::Vector { size: count, scalar: component }));
        }
        self.stored_array(base, size, spot.span)
    }

    fn stored_struct(&mut self, id: StructId, spot: &mut StorageSite<'_>) -> Lowered<Handle<naga::Type>> {
        let program = self.program;
        let offsets = LayoutRules::Structured.field_offsets(program, id);
        let size = LayoutRules::Structured.size(program, &Type::Struct(id), spot.packing);
        // The structure's size is a multiple of each member's alignment, because elements are consecutive.
        let alignment = common(spot.alignment, size);
        let mut members = Vec::new();
        for ((index, field), offset) in program[id].fields.iter().enumerate().zip(offsets) {
            if !self.has_data(&field.ty) {
                continue;
            }
            spot.path.push(index as u32);
            let mut inside = StorageSite {
                object: spot.object,
                path: &mut *spot.path,
                packing: field.packing,
                alignment: common(alignment, offset),
                span: spot.span,
            };
            let ty = self.storage_type(&field.ty, &mut inside)?;
            spot.path.pop();
            members.push(StructMember { name: Some(field.name.to_string()), ty, binding: None, offset });
        }
        if members.is_empty() {
            return Err(self.unsupported(spot.span, "a buffer of empty structures"));
        }
        let name = Some(program[id].name.to_string());
        Ok(self.add_type(name, TypeInner::Struct { members, span: size }))
    }
}
