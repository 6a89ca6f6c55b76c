//! Methods of textures and buffers.

use crate::{
    check::tree::{Expr, Method, Numeric, Type},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        places::{BufferElement, ValuePath},
        resources::TextureShape,
        result::{Lowered, Value},
        textures::gathered,
    },
    session::source::Span,
    syntax::builtin::{Object as Kind, Scalar},
};

impl Builder<'_, '_> {
    /// Lowers a method call. The result is `None` if the method returns no value.
    pub(crate) fn method(
        &mut self,
        method: Method,
        object: &Expr,
        arguments: &[Expr],
        ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        let is_stream = object.ty.object().is_some_and(|object| {
            matches!(object.kind, Kind::PointStream | Kind::LineStream | Kind::TriangleStream)
        });
        if is_stream {
            self.stream_method(method, object, arguments, span)?;
            return Ok(None);
        }
        let object = self.object(object)?;
        if TextureShape::of(object.ty.kind).is_some() {
            self.texture_method(method, &object, arguments, ty, span)
        } else {
            self.buffer_method(method, &object, arguments, ty, span)
        }
    }

    fn texture_method(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        use Method as M;

        Ok(Some(match method {
            M::Sample | M::SampleBias | M::SampleGrad | M::SampleLevel => {
                let texel = self.sample(method, object, arguments, span)?;
                self.texel_value(object, texel, ty, span)?
            }
            M::SampleCmp | M::SampleCmpLevelZero => self.sample_compared(method, object, arguments, span)?,
            M::Load => {
                let texel = self.load_texture(object, arguments, span)?;
                self.texel_value(object, texel, ty, span)?
            }
            M::CalculateLevelOfDetail | M::CalculateLevelOfDetailUnclamped => {
                self.calculate_level(method, object, arguments, span)?
            }
            M::GetSamplePosition => self.sample_position(object, arguments, span)?,
            M::Length => self.texture_length(object, span)?,
            M::GetDimensions => {
                self.texture_dimensions(object, arguments, span)?;
                return Ok(None);
            }
            _ if gathered(method).is_some() => self.gather(method, object, arguments, ty, span)?,
            _ => return Err(self.unsupported(span, method.name())),
        }))
    }

    fn buffer_method(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        ty: &Type,
        span: Span,
    ) -> Lowered<Option<Value>> {
        use Method as M;

        let words = match method {
            M::Load | M::Store => 1,
            M::Load2 | M::Store2 => 2,
            M::Load3 | M::Store3 => 3,
            M::Load4 | M::Store4 => 4,
            _ => 0,
        };
        match (method, arguments) {
            (M::Append, _) => {
                self.append(object, arguments.first(), span)?;
                Ok(None)
            }
            (M::Consume, _) => self.consume(object, ty, span).map(Some),
            (M::IncrementCounter, _) => self.increment_counter(object, span).map(Some),
            (M::DecrementCounter, _) => self.decrement_counter(object, span).map(Some),
            (M::Length, _) => self.buffer_length(object, span).map(Some),
            (M::GetDimensions, _) => {
                self.buffer_dimensions(object, arguments, span)?;
                Ok(None)
            }
            (M::Load, [place, rest @ ..]) if object.ty.element.is_some() => {
                let place = self.value_of(place, Numeric::scalar(Scalar::Uint))?;
                let element = BufferElement { object: object.clone(), place, level: None, ty: ty.clone() };
                let value = self.load_element(&element, &ValuePath::default(), span)?;
                self.give_status(rest.first())?;
                Ok(Some(value))
            }
            (M::Load | M::Load2 | M::Load3 | M::Load4, [address, rest @ ..]) => {
                let value = self.load_words(object, address, words, span)?;
                self.give_status(rest.first())?;
                Ok(Some(value))
            }
            (M::Store | M::Store2 | M::Store3 | M::Store4, [address, value]) => {
                self.store_words(object, address, value, words, span)?;
                Ok(None)
            }
            (_, [address, rest @ ..]) if super::atomics::of_method(method).is_some() => {
                self.interlocked_method(method, object, address, rest, span)?;
                Ok(None)
            }
            _ => Err(self.unsupported(span, method.name())),
        }
    }
}
