//! Gathers, which return one component of four texels.

use naga::{BinaryOperator as Op, Expression, ImageDimension, SampleLevel, SwizzleComponent};

use crate::{
    check::tree::{Expr, Method, Numeric, Type},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        resources::{LoweredTexture, image_kind, texel_of},
        result::{Lowered, Value},
        textures::OFFSETS,
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

/// Returns the component that a method gathers, and whether it compares.
pub(crate) fn gathered(method: Method) -> Option<(SwizzleComponent, bool)> {
    use SwizzleComponent::{W, X, Y, Z};

    Some(match method {
        Method::Gather | Method::GatherRed => (X, false),
        Method::GatherGreen => (Y, false),
        Method::GatherBlue => (Z, false),
        Method::GatherAlpha => (W, false),
        Method::GatherCmp | Method::GatherCmpRed => (X, true),
        Method::GatherCmpGreen => (Y, true),
        Method::GatherCmpBlue => (Z, true),
        Method::GatherCmpAlpha => (W, true),
        _ => return None,
    })
}

/// The values that all gathers of a call share.
struct GatherArguments {
    sampler: Value,
    coordinate: Value,
    slice: Option<Value>,
    component: SwizzleComponent,
    reference: Option<Value>,
}

impl Builder<'_, '_> {
    /// Lowers a method that gathers.
    pub(crate) fn gather(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        ty: &Type,
        span: Span,
    ) -> Lowered<Value> {
        let Some((component, compares)) = gathered(method) else {
            return Err(self.unsupported(span, method.name()));
        };
        let texture =
            if compares { self.compared_texture(object, span)? } else { self.texture(object, span)? };
        if !matches!(texture.shape.dim, ImageDimension::D2 | ImageDimension::Cube) || texture.shape.multi {
            return Err(self.unsupported(span, "a gather from such a texture"));
        }
        let (sampler, place, rest) = self.sampler_and_place(arguments, span)?;
        let (reference, rest) = match (compares, rest) {
            (true, [reference, rest @ ..]) => (Some(reference), rest),
            _ => (None, rest),
        };
        let sampler = self.object(sampler)?;
        let sampler = self.sampler(&sampler, span)?;
        let (coordinate, slice) = self.sample_place(&texture, place)?;
        let reference = match reference {
            Some(reference) => Some(self.value_of(reference, Numeric::scalar(Scalar::Float))?),
            None => None,
        };
        let spot = GatherArguments { sampler, coordinate, slice, component, reference };
        let (offsets, status) = match (texture.shape.dim, rest.len()) {
            (ImageDimension::Cube, _) => (&rest[..0], rest.first()),
            (_, 0..=3) => (&rest[..rest.len().min(1)], rest.get(1)),
            _ => (&rest[..4], rest.get(4)),
        };
        let value = match offsets {
            [] => self.gather_at(&texture, &spot, None)?,
            [offset] => self.gather_at(&texture, &spot, Some(offset))?,
            _ => {
                let mut components = Vec::new();
                for (index, offset) in offsets.iter().enumerate() {
                    let four = self.gather_at(&texture, &spot, Some(offset))?;
                    components.push(self.access(four, index as u32));
                }
                let scalar = self.gathered_type(&texture, compares).scalar;
                self.row_of(components, scalar)
            }
        };
        self.give_status(status)?;
        let from = self.gathered_type(&texture, compares);
        Ok(match ty.numeric() {
            Some(to) => self.convert(value, from, to),
            None => value,
        })
    }

    fn gathered_type(&self, texture: &LoweredTexture, compares: bool) -> Numeric {
        let float = Numeric::vector(Scalar::Float, 4);
        if compares || texture.is_depth {
            return float;
        }
        image_kind(texture.element.scalar).map_or(float, texel_of)
    }

    fn gather_at(
        &mut self,
        texture: &LoweredTexture,
        spot: &GatherArguments,
        offset: Option<&Expr>,
    ) -> Lowered<Value> {
        let mut coordinate = spot.coordinate;
        let mut constant = None;
        if let Some(offset) = offset {
            let known = self.known_offset(offset).filter(|known| known.iter().all(|n| OFFSETS.contains(n)));
            match known {
                Some(known) if known.iter().all(|number| *number == 0) => {}
                Some(known) => constant = Some(self.offset_value(texture, &known)),
                // An offset that is unknown or out of range is added to the coordinates.
                None => {
                    let texels = self.value_of(offset, Numeric::vector(Scalar::Int, 2))?;
                    let texels = self.cast(texels, naga::ScalarKind::Float);
                    let size = self.float_size(texture, None);
                    let step = self.binary(Op::Divide, texels, size);
                    coordinate = self.binary(Op::Add, coordinate, step);
                }
            }
        }
        if texture.is_depth && spot.component != SwizzleComponent::X && spot.reference.is_none() {
            // A depth is the red component.
            let other = if spot.component == SwizzleComponent::W { 1.0 } else { 0.0 };
            let other = self.float(other);
            return Ok(self.splat(4, other));
        }
        let component = if texture.is_depth { SwizzleComponent::X } else { spot.component };
        Ok(self.add(Expression::ImageSample {
            image: texture.image,
            sampler: spot.sampler,
            gather: Some(component),
            coordinate,
            array_index: spot.slice,
            offset: constant,
            level: SampleLevel::Zero,
            depth_ref: spot.reference,
            clamp_to_edge: false,
        }))
    }
}
