//! `GetDimensions` of textures and typed buffers.

use naga::{Expression, ImageQuery, StorageAccess};

use crate::{
    lower::{
        Builder, Lowered, Object, Value,
        resources::{Texture, TextureShape},
    },
    source::Span,
    syntax::builtin::Scalar,
    tree::{Expr, Numeric},
};

const UINT: Numeric = Numeric::scalar(Scalar::Uint);

impl Builder<'_, '_> {
    /// `GetDimensions`: the size, the slices, and the levels or samples, as many as there are arguments.
    pub(in crate::lower) fn texture_dimensions(
        &mut self,
        object: &Object,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<()> {
        let texture = self.texture(object, span)?;
        let shape = texture.shape;
        self.allow_queries(&texture);
        let sizes = shape.sizes() + usize::from(shape.arrayed);
        let has_level = shape.has_levels() && arguments.len() == sizes + 2;
        let (level, targets) = match arguments {
            [level, targets @ ..] if has_level => {
                let level = self.value_of(level, UINT)?;
                (Some(level), targets)
            }
            targets => (None, targets),
        };
        let query = ImageQuery::Size { level };
        let size = self.query(texture.image, query);
        let mut values = self.sizes(size, shape);
        if shape.arrayed {
            values.push(self.query(texture.image, ImageQuery::NumLayers));
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

    /// `Length`: the size and the slices.
    pub(in crate::lower) fn texture_length(&mut self, object: &Object, span: Span) -> Lowered<Value> {
        let texture = self.texture(object, span)?;
        self.allow_queries(&texture);
        let size = self.query(texture.image, ImageQuery::Size { level: None });
        let mut values = self.sizes(size, texture.shape);
        if texture.shape.arrayed {
            values.push(self.query(texture.image, ImageQuery::NumLayers));
        }
        Ok(self.row_of(values, Scalar::Uint))
    }

    /// The components of a size. That of a texture with one row has a height in naga.
    fn sizes(&mut self, size: Value, shape: TextureShape) -> Vec<Value> {
        if shape.row { vec![self.access(size, 0)] } else { self.parts_of(size, shape.sizes()) }
    }

    /// naga wants a texture that is written to be accessed somehow.
    fn allow_queries(&mut self, texture: &Texture) {
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

    /// The number of samples of a texture.
    pub(super) fn sample_count(&mut self, texture: &Texture) -> Value {
        if texture.shape.single { self.uint(1) } else { self.query(texture.image, ImageQuery::NumSamples) }
    }
}
