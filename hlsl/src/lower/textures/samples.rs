//! Samples.

use naga::{
    BinaryOperator as Op, DerivativeAxis as Axis, DerivativeControl, Expression, ImageDimension, SampleLevel,
};

use crate::{
    check::tree::{Expr, Method, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        resources::LoweredTexture,
        result::{Lowered, Value},
        textures::ExtraArguments,
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

const FLOAT: Numeric = Numeric::scalar(Scalar::Float);

/// The arguments of a sample that do not depend on the mip level.
#[derive(Clone, Copy)]
struct SamplePoint {
    sampler: Value,
    coordinate: Value,
    slice: Option<Value>,
    offset: Option<Value>,
}

impl Builder<'_, '_> {
    /// Lowers `Sample`, `SampleBias`, `SampleLevel` and `SampleGrad`.
    pub(crate) fn sample(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        let (sampler, place, rest) = self.sampler_and_place(arguments, span)?;
        let own = match method {
            Method::Sample => 0,
            Method::SampleGrad => 2,
            _ => 1,
        };
        let own = rest.get(..own).unwrap_or(rest);
        let is_cube = texture.shape.dim == ImageDimension::Cube;
        let extras = ExtraArguments::new(&rest[own.len()..], !is_cube, method != Method::SampleLevel);
        let sampler = self.object(sampler)?;
        let sampler = self.sampler(&sampler, span)?;
        let (coordinate, slice) = self.sample_place(&texture, place)?;
        let offset = self.constant_offset(&texture, extras.offset)?;
        let spot = self.moved(&texture, SamplePoint { sampler, coordinate, slice, offset });
        let level = self.level(method, &texture, &spot, own, span)?;
        let clamp = self.clamp(extras.clamp)?;
        let level = self.clamped(&texture, &spot, level, clamp);
        let mut value = self.sample_at(&texture, &spot, level, None);
        if let Some(clamp) = clamp {
            value = self.zero_beyond_levels(&texture, value, clamp);
        }
        let value = self.sampled(&texture, value);
        self.give_status(extras.status)?;
        Ok(value)
    }

    /// Lowers `SampleCmp` and `SampleCmpLevelZero`.
    pub(crate) fn sample_compared(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Value> {
        let texture = self.compared_texture(object, span)?;
        let (sampler, place, rest) = self.sampler_and_place(arguments, span)?;
        let [reference, rest @ ..] = rest else {
            return Err(self.unsupported(span, "a comparison with nothing"));
        };
        let is_cube = texture.shape.dim == ImageDimension::Cube;
        let extras = ExtraArguments::new(rest, !is_cube, method == Method::SampleCmp);
        let sampler = self.object(sampler)?;
        let sampler = self.sampler(&sampler, span)?;
        let (coordinate, slice) = self.sample_place(&texture, place)?;
        let reference = self.value_of(reference, FLOAT)?;
        let offset = self.constant_offset(&texture, extras.offset)?;
        let spot = self.moved(&texture, SamplePoint { sampler, coordinate, slice, offset });
        if self.clamp(extras.clamp)?.is_some() {
            return Err(self.unsupported(span, "`SampleCmp` with a clamp that is not the literal 0"));
        }
        let level = if method == Method::SampleCmp { SampleLevel::Auto } else { SampleLevel::Zero };
        let value = self.sample_at(&texture, &spot, level, Some(reference));
        self.give_status(extras.status)?;
        Ok(value)
    }

    /// Returns the sampler, the coordinates and the remaining arguments.
    pub(super) fn sampler_and_place<'e>(
        &mut self,
        arguments: &'e [Expr],
        span: Span,
    ) -> Lowered<(&'e Expr, &'e Expr, &'e [Expr])> {
        match arguments {
            [sampler, place, rest @ ..] => Ok((sampler, place, rest)),
            _ => Err(self.unsupported(span, "a sample without a place")),
        }
    }

    fn sample_at(
        &mut self,
        texture: &LoweredTexture,
        spot: &SamplePoint,
        level: SampleLevel,
        depth_ref: Option<Value>,
    ) -> Value {
        self.add(Expression::ImageSample {
            image: texture.image,
            sampler: spot.sampler,
            gather: None,
            coordinate: spot.coordinate,
            array_index: spot.slice,
            offset: spot.offset,
            level,
            depth_ref,
            clamp_to_edge: false,
        })
    }

    /// Applies an offset to the coordinates of a 1D texture, in texels of the first level, because naga has
    /// no such offsets.
    fn moved(&mut self, texture: &LoweredTexture, spot: SamplePoint) -> SamplePoint {
        let (ImageDimension::D1, Some(offset)) = (texture.shape.dim, spot.offset) else { return spot };
        let size = self.float_size(texture, None);
        let offset = self.cast(offset, naga::ScalarKind::Float);
        let step = self.binary(Op::Divide, offset, size);
        let coordinate = self.binary(Op::Add, spot.coordinate, step);
        SamplePoint { coordinate, offset: None, ..spot }
    }

    /// Returns the selection of the mip level.
    fn level(
        &mut self,
        method: Method,
        texture: &LoweredTexture,
        spot: &SamplePoint,
        own: &[Expr],
        span: Span,
    ) -> Lowered<SampleLevel> {
        let gradient = Numeric::vector(Scalar::Float, texture.shape.coordinates() as u8);
        Ok(match (method, own) {
            (Method::Sample, _) => SampleLevel::Auto,
            (Method::SampleGrad, [x, y]) => {
                let x = self.value_of(x, gradient)?;
                let y = self.value_of(y, gradient)?;
                let [x, y] = [x, y].map(|change| self.in_row(texture, change, 0.0));
                SampleLevel::Gradient { x, y }
            }
            (Method::SampleLevel, [level]) => {
                if self.known(level).is_some_and(|known| known.is_zero()) {
                    return Ok(SampleLevel::Zero);
                }
                let level = self.value_of(level, FLOAT)?;
                SampleLevel::Exact(self.exact(texture, level))
            }
            (Method::SampleBias, [bias]) => {
                let bias = self.value_of(bias, FLOAT)?;
                if texture.shape.dim != ImageDimension::D1 && !texture.is_depth {
                    return Ok(SampleLevel::Bias(bias));
                }
                // naga has no bias for these textures, so the derivatives are scaled instead.
                let (x, y) = self.biased_changes(spot.coordinate, bias, texture.shape.image_coordinates());
                SampleLevel::Gradient { x, y }
            }
            _ => return Err(self.unsupported(span, method.name())),
        })
    }

    /// Returns the derivatives of coordinates, scaled so that they select a level that is higher by `bias`.
    pub(super) fn biased_changes(&mut self, coordinate: Value, bias: Value, size: usize) -> (Value, Value) {
        let scale = self.math(naga::MathFunction::Exp2, &[bias]);
        let scale = self.splat(size, scale);
        let [x, y] = [Axis::X, Axis::Y].map(|axis| {
            let change = self.change(coordinate, axis, DerivativeControl::None);
            self.binary(Op::Multiply, change, scale)
        });
        (x, y)
    }

    /// Converts a level to naga's type. The levels of depth textures are integers.
    fn exact(&mut self, texture: &LoweredTexture, level: Value) -> Value {
        if !texture.is_depth {
            return level;
        }
        let nearest = self.math(naga::MathFunction::Round, &[level]);
        self.cast(nearest, naga::ScalarKind::Sint)
    }

    /// Returns the value of a clamp, or `None` if it is known to be zero and has no effect.
    fn clamp(&mut self, clamp: Option<&Expr>) -> Lowered<Option<Value>> {
        let Some(clamp) = clamp else { return Ok(None) };
        if self.known(clamp).is_some_and(|known| known.is_zero()) {
            return Ok(None);
        }
        self.value_of(clamp, FLOAT).map(Some)
    }

    /// Raises a level to at least the clamp.
    fn clamped(
        &mut self,
        texture: &LoweredTexture,
        spot: &SamplePoint,
        level: SampleLevel,
        clamp: Option<Value>,
    ) -> SampleLevel {
        let Some(clamp) = clamp else { return level };
        let computed = match level {
            SampleLevel::Auto => self.level_of_detail(texture, spot.coordinate),
            SampleLevel::Bias(bias) => {
                let level = self.level_of_detail(texture, spot.coordinate);
                self.binary(Op::Add, level, bias)
            }
            SampleLevel::Gradient { x, y } => self.level_of_changes(texture, spot.coordinate, x, y),
            other => return other,
        };
        let level = self.math(naga::MathFunction::Max, &[computed, clamp]);
        SampleLevel::Exact(self.exact(texture, level))
    }

    /// Replaces a sample with zeros if the clamp exceeds the last level of the view (functional specification
    /// 5.9.4.5.4).
    fn zero_beyond_levels(&mut self, texture: &LoweredTexture, value: Value, clamp: Value) -> Value {
        let last = self.last_level(texture);
        let is_beyond = self.binary(Op::Greater, clamp, last);
        let size = if texture.is_depth { 1 } else { 4 };
        let zero = self.number(0.0, Numeric::vector(Scalar::Float, size));
        self.select(is_beyond, zero, value)
    }
}
