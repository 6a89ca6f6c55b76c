//! `GetDimensions` and `Length` of textures and typed buffers.

use naga::{BinaryOperator, Expression, ImageQuery, StorageAccess};

use crate::{
    check::tree::{Expr, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        resources::{LoweredTexture, TextureShape},
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

const UINT: Numeric = Numeric::scalar(Scalar::Uint);

impl Builder<'_, '_> {
    /// Lowers `GetDimensions`. The results are the size, the array slices, and the mip levels or samples, as
    /// far as there are arguments for them.
    pub(crate) fn texture_dimensions(
        &mut self,
        object: &KnownObject,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<()> {
        let texture = self.texture(object, span)?;
        let shape = texture.shape;
        self.allow_queries(&texture);
        let sizes = shape.sizes() + usize::from(shape.arrayed);
        let has_level = shape.has_levels() && arguments.len() == sizes + 2;
        let (level, targets) = match arguments {
            [level, targets @ ..] if has_level => (Some(level), targets),
            targets => (None, targets),
        };
        // A level that the view lacks has the size 0 (functional specification 22.4.14).
        let (level, is_there) = match level {
            Some(level) => self.level_or_first(&texture, level)?,
            None => (None, None),
        };
        let query = ImageQuery::Size { level };
        let size = self.query(texture.image, query);
        let mut values = self.sizes(size, shape);
        if shape.arrayed {
            values.push(self.query(texture.image, ImageQuery::NumLayers));
        }
        if let Some(is_there) = is_there {
            let zero = self.uint(0);
            values.iter_mut().for_each(|value| *value = self.select(is_there, *value, zero));
        }
        if shape.multi {
            values.push(self.sample_count(&texture));
        } else if has_level {
            values.push(self.query(texture.image, ImageQuery::NumLevels));
        }
        for (target, value) in targets.iter().zip(values) {
            self.give(target, value, UINT)?;
        }
        Ok(())
    }

    /// Returns a mip level, or the first level if the view lacks it, and whether the view has the level. A
    /// level that is known to be 0 needs no comparison.
    fn level_or_first(
        &mut self,
        texture: &LoweredTexture,
        level: &Expr,
    ) -> Lowered<(Option<Value>, Option<Value>)> {
        let known = self.known(level);
        let value = self.value_of(level, UINT)?;
        if known.is_some_and(|known| known.bits.first() == Some(&0)) {
            return Ok((Some(value), None));
        }
        let count = self.query(texture.image, ImageQuery::NumLevels);
        let is_there = self.binary(BinaryOperator::Less, value, count);
        let first = self.uint(0);
        Ok((Some(self.select(is_there, value, first)), Some(is_there)))
    }

    /// Lowers `Length`, which returns the size and the number of array slices.
    pub(crate) fn texture_length(&mut self, object: &KnownObject, span: Span) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        self.allow_queries(&texture);
        let size = self.query(texture.image, ImageQuery::Size { level: None });
        let mut values = self.sizes(size, texture.shape);
        if texture.shape.arrayed {
            values.push(self.query(texture.image, ImageQuery::NumLayers));
        }
        Ok(self.row_of(values, Scalar::Uint))
    }

    /// Returns the components of a size. In naga, a texture with one row also has a height.
    fn sizes(&mut self, size: Value, shape: TextureShape) -> Vec<Value> {
        if shape.row { vec![self.access(size, 0)] } else { self.parts_of(size, shape.sizes()) }
    }

    /// Adds an access flag to a writable texture without accesses, because naga requires at least one.
    fn allow_queries(&mut self, texture: &LoweredTexture) {
        let module = &self.lowerer.module;
        let inner = &module.types[module.global_variables[texture.variable].ty].inner;
        let is_idle = matches!(
            inner,
            naga::TypeInner::Image { class: naga::ImageClass::Storage { access, .. }, .. } if access.is_empty()
        );
        if is_idle {
            self.lowerer.allow(texture.variable, StorageAccess::LOAD);
        }
    }

    fn query(&mut self, image: Value, query: ImageQuery) -> Value {
        self.add(Expression::ImageQuery { image, query })
    }

    /// Returns the number of samples of a texture.
    pub(super) fn sample_count(&mut self, texture: &LoweredTexture) -> Value {
        if texture.shape.single { self.uint(1) } else { self.query(texture.image, ImageQuery::NumSamples) }
    }
}
