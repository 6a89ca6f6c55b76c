//! The selection of mip levels.

use naga::{
    BinaryOperator as Op, DerivativeAxis as Axis, DerivativeControl, Expression, ImageDimension, ImageQuery,
    MathFunction as Math,
};

use crate::{
    check::tree::{Expr, Method, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        resources::LoweredTexture,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

impl Builder<'_, '_> {
    /// Lowers `CalculateLevelOfDetail` and `CalculateLevelOfDetailUnclamped`. The sampler's limits and bias
    /// are not known, so they are ignored.
    pub(crate) fn calculate_level(
        &mut self,
        method: Method,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        let (_, place, _) = self.sampler_and_place(arguments, span)?;
        let size = texture.shape.coordinates();
        let coordinate = self.value_of(place, Numeric::vector(Scalar::Float, size as u8))?;
        let coordinate = self.in_row(&texture, coordinate, 0.5);
        let level = self.level_of_detail(&texture, coordinate);
        if method == Method::CalculateLevelOfDetailUnclamped {
            return Ok(level);
        }
        let last = self.last_level(&texture);
        let zero = self.float(0.0);
        let raised = self.math(Math::Max, &[level, zero]);
        Ok(self.math(Math::Min, &[raised, last]))
    }

    /// Returns the index of the last mip level as a `float`.
    pub(super) fn last_level(&mut self, texture: &LoweredTexture) -> Value {
        let query = ImageQuery::NumLevels;
        let count = self.add(Expression::ImageQuery { image: texture.image, query });
        let count = self.cast(count, naga::ScalarKind::Float);
        let one = self.float(1.0);
        self.binary(Op::Subtract, count, one)
    }

    /// Returns the mip level for the screen-space derivatives of coordinates.
    pub(super) fn level_of_detail(&mut self, texture: &LoweredTexture, coordinate: Value) -> Value {
        let [x, y] = [Axis::X, Axis::Y].map(|axis| self.change(coordinate, axis, DerivativeControl::None));
        self.level_of_changes(texture, coordinate, x, y)
    }

    /// Returns the mip level for derivatives of coordinates: the logarithm of the longer derivative in
    /// texels.
    pub(super) fn level_of_changes(
        &mut self,
        texture: &LoweredTexture,
        coordinate: Value,
        x: Value,
        y: Value,
    ) -> Value {
        let ty = Numeric::vector(Scalar::Float, texture.shape.image_coordinates() as u8);
        let mut size = self.float_size(texture, None);
        if texture.shape.dim == ImageDimension::Cube {
            // At the distance of its axis, a cube's face is twice as wide as the longest coordinate.
            let magnitude = self.math(Math::Abs, &[coordinate]);
            let parts = self.parts_of(magnitude, 3);
            let longest = self.math(Math::Max, &[parts[0], parts[1]]);
            let longest = self.math(Math::Max, &[longest, parts[2]]);
            let double = self.binary(Op::Add, longest, longest);
            let double = self.splat(3, double);
            size = self.binary(Op::Divide, size, double);
        }
        let [x, y] = [x, y].map(|change| {
            let texels = self.binary(Op::Multiply, change, size);
            self.dot(texels, texels, ty)
        });
        let square = self.math(Math::Max, &[x, y]);
        let double = self.math(Math::Log2, &[square]);
        let half = self.float(0.5);
        self.binary(Op::Multiply, double, half)
    }
}
