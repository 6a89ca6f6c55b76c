//! Textures and typed buffers.

mod dimensions;
mod gather;
mod legacy;
mod levels;
mod loads;
mod positions;
mod samples;
#[cfg(test)]
mod tests;

use naga::{ImageDimension, ScalarKind};

use crate::{
    check::tree::{Expr, Numeric},
    lower::{
        builder::Builder,
        resources::LoweredTexture,
        result::{Lowered, Value},
        types::naga_scalar,
    },
    session::code::Code,
    syntax::builtin::Scalar,
};

pub(super) use self::gather::gathered;
pub use self::positions::RENDER_TARGET_SAMPLE_COUNT;

/// The optional arguments at the end of a method call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExtraArguments<'e> {
    pub(super) offset: Option<&'e Expr>,
    /// The minimum mip level.
    pub(super) clamp: Option<&'e Expr>,
    /// The `out` argument that receives the residency status.
    pub(super) status: Option<&'e Expr>,
}

impl<'e> ExtraArguments<'e> {
    /// Takes the optional arguments in their order.
    fn new(rest: &'e [Expr], has_offset: bool, has_clamp: bool) -> Self {
        let mut rest = rest.iter();
        let offset = if has_offset { rest.next() } else { None };
        let clamp = if has_clamp { rest.next() } else { None };
        Self { offset, clamp, status: rest.next() }
    }
}

/// The offsets that a sample instruction can contain.
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

impl Builder<'_, '_> {
    /// Sets the status argument to "completely resident".
    pub(super) fn give_status(&mut self, status: Option<&Expr>) -> Lowered<()> {
        let Some(status) = status else { return Ok(()) };
        let all = self.uint(u32::MAX);
        self.give(status, all, Numeric::scalar(Scalar::Uint))
    }

    /// Returns the coordinates for sampling, and the array slice.
    pub(super) fn sample_place(
        &mut self,
        texture: &LoweredTexture,
        place: &Expr,
    ) -> Lowered<(Value, Option<Value>)> {
        let shape = texture.shape;
        let size = shape.place_size();
        let value = self.value_of(place, Numeric::vector(Scalar::Float, size as u8))?;
        let mut components = self.parts_of(value, size);
        let slice = if shape.arrayed { components.pop() } else { None };
        let coordinate = match slice {
            None => value,
            Some(_) => self.vector(naga::Scalar::F32, components),
        };
        let coordinate = self.in_row(texture, coordinate, 0.5);
        let slice = slice.map(|slice| {
            let whole = self.math(naga::MathFunction::Round, &[slice]);
            self.cast(whole, ScalarKind::Sint)
        });
        Ok((coordinate, slice))
    }

    /// Adds the coordinate `y` if the image has a single row of texels.
    pub(super) fn in_row(&mut self, texture: &LoweredTexture, coordinate: Value, y: f32) -> Value {
        if !texture.shape.row {
            return coordinate;
        }
        let y = self.float(y);
        self.vector(naga::Scalar::F32, vec![coordinate, y])
    }

    /// Returns the components of an offset if they are known.
    pub(super) fn known_offset(&mut self, offset: &Expr) -> Option<Vec<i64>> {
        let known = self.known(offset)?;
        Some(known.bits.iter().map(|bits| i64::from((*bits as u32).cast_signed())).collect())
    }

    /// Returns an offset as a constant expression, which naga requires. An offset of zero is omitted.
    pub(super) fn constant_offset(
        &mut self,
        texture: &LoweredTexture,
        offset: Option<&Expr>,
    ) -> Lowered<Option<Value>> {
        let Some(offset) = offset else { return Ok(None) };
        let known = self.known_offset(offset).filter(|known| known.iter().all(|n| OFFSETS.contains(n)));
        let Some(known) = known else {
            let message = format!(
                "an offset must resolve to an integer literal in the range -8 to 7{}",
                self.why_unknown(offset)
            );
            return Err(self.error(Code::InvalidOffset, offset.span, message));
        };
        if known.iter().all(|number| *number == 0) {
            return Ok(None);
        }
        Ok(Some(self.offset_value(texture, &known)))
    }

    /// Composes an offset from literals.
    pub(super) fn offset_value(&mut self, texture: &LoweredTexture, known: &[i64]) -> Value {
        let size = texture.shape.coordinates();
        let number = |index: usize| known.get(index).or(known.first()).copied().unwrap_or_default() as i32;
        let mut components: Vec<_> = (0..size).map(|index| self.int(number(index))).collect();
        if texture.shape.row {
            components.push(self.int(0));
        }
        self.vector(naga::Scalar::I32, components)
    }

    /// Returns the size of a mip level as `float`s, with one component per coordinate. The faces of a cube
    /// are squares.
    pub(super) fn float_size(&mut self, texture: &LoweredTexture, level: Option<Value>) -> Value {
        let level = level.filter(|_| texture.shape.has_levels());
        let query = naga::ImageQuery::Size { level };
        let size = self.add(naga::Expression::ImageQuery { image: texture.image, query });
        let size = self.cast(size, ScalarKind::Float);
        if texture.shape.dim != ImageDimension::Cube {
            return size;
        }
        let width = self.access(size, 0);
        self.splat(3, width)
    }

    /// Converts a sampled value to the HLSL type of a texel.
    pub(super) fn sampled(&mut self, texture: &LoweredTexture, value: Value) -> Value {
        let four = Numeric::vector(Scalar::Float, 4);
        let value = if texture.is_depth { self.depth_texel(value) } else { value };
        self.convert(value, four, texture.element)
    }

    /// Returns a depth as a texel, with the depth in the red component.
    pub(super) fn depth_texel(&mut self, depth: Value) -> Value {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        self.vector(naga_scalar(Scalar::Float), vec![depth, zero, zero, one])
    }
}
