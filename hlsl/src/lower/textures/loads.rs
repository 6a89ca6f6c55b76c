//! Loads of texels.

use naga::{BinaryOperator as Op, Expression, StorageAccess};

use crate::{
    check::tree::{Expr, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        resources::{LoweredTexture, image_kind, texel_of},
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Lowers `Load` of a texture or typed buffer.
    pub(crate) fn load_texture(
        &mut self,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        let [place, rest @ ..] = arguments else {
            return Err(self.unsupported(span, "a load without a place"));
        };
        let is_buffer = object.ty.kind == crate::syntax::builtin::Object::Buffer;
        let shape = texture.shape;
        let size = shape.place_size() + usize::from(shape.has_levels() && !is_buffer);
        let place = self.value_of(place, Numeric::vector(Scalar::Int, size as u8))?;
        let mut components = self.parts_of(place, size);
        let mut rest = rest.iter();
        let level = if shape.multi {
            match rest.next() {
                Some(sample) => Some(self.value_of(sample, Numeric::scalar(Scalar::Int))?),
                None => None,
            }
        } else if is_buffer {
            None
        } else if shape.has_levels() {
            components.pop()
        } else {
            None
        };
        if !shape.written
            && !is_buffer
            && let Some(offset) = rest.next()
        {
            let size = shape.coordinates();
            let offset = self.value_of(offset, Numeric::vector(Scalar::Int, size as u8))?;
            let offsets = self.parts_of(offset, size);
            for (component, offset) in components.iter_mut().zip(offsets) {
                *component = self.binary(Op::Add, *component, offset);
            }
        }
        let value = self.load_texel(&texture, components, level)?;
        self.give_status(rest.next())?;
        Ok(value)
    }

    /// Returns the coordinates of a texel and its array slice.
    pub(crate) fn texel_place(
        &mut self,
        texture: &LoweredTexture,
        mut place: Vec<Value>,
    ) -> (Value, Option<Value>) {
        let slice = if texture.shape.arrayed { place.pop() } else { None };
        let scalar = match place.first().map(|value| self.inner(*value)) {
            Some(naga::TypeInner::Scalar(scalar)) => scalar,
            _ => naga::Scalar::I32,
        };
        if texture.shape.row {
            let first = if scalar == naga::Scalar::U32 { self.uint(0) } else { self.int(0) };
            place.push(first);
        }
        (self.vector(scalar, place), slice)
    }

    /// Loads a texel and converts it to the element type. For a multisampled texture, `level` is the sample
    /// index.
    pub(crate) fn load_texel(
        &mut self,
        texture: &LoweredTexture,
        place: Vec<Value>,
        level: Option<Value>,
    ) -> Lowered<Value> {
        let shape = texture.shape;
        let (coordinate, array_index) = self.texel_place(texture, place);
        if shape.written {
            self.lowerer.allow(texture.variable, StorageAccess::LOAD);
        }
        let number = match level {
            Some(level) if !shape.single => Some(level),
            _ if shape.multi || shape.has_levels() => Some(self.int(0)),
            _ => None,
        };
        let value = self.add(Expression::ImageLoad {
            image: texture.image,
            coordinate,
            array_index,
            sample: number.filter(|_| shape.has_samples()),
            level: number.filter(|_| shape.single || shape.has_levels()),
        });
        if texture.is_depth {
            return Ok(self.sampled(texture, value));
        }
        let from = image_kind(texture.element.scalar).map_or(texture.element, texel_of);
        Ok(self.convert(value, from, texture.element))
    }
}
