//! Textures as WGSL declares them.

use naga::{ImageClass, ImageDimension, ScalarKind};

/// A texture's declaration in WGSL.
#[derive(Clone, Debug)]
pub(crate) struct ImageText {
    /// Name of the variable.
    pub(crate) name: String,
    pub(crate) dim: ImageDimension,
    pub(crate) arrayed: bool,
    pub(crate) class: ImageClass,
}

impl ImageText {
    pub(crate) fn axes(&self) -> usize {
        match self.dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 => 2,
            ImageDimension::D3 | ImageDimension::Cube => 3,
        }
    }

    pub(crate) fn is_depth(&self) -> bool {
        matches!(self.class, ImageClass::Depth { .. })
    }

    pub(crate) fn scalar(&self) -> &'static str {
        match self.class {
            ImageClass::Sampled { kind: ScalarKind::Sint, .. } => "i32",
            ImageClass::Sampled { kind: ScalarKind::Uint, .. } => "u32",
            _ => "f32",
        }
    }

    /// Returns the type of the texture.
    pub(crate) fn ty(&self) -> String {
        let dimension = match self.dim {
            ImageDimension::D1 => "1d",
            ImageDimension::D2 => "2d",
            ImageDimension::D3 => "3d",
            ImageDimension::Cube => "cube",
        };
        let array = if self.arrayed { "_array" } else { "" };
        if self.is_depth() {
            format!("texture_depth_{dimension}{array}")
        } else {
            format!("texture_{dimension}{array}<{}>", self.scalar())
        }
    }

    /// Returns the type of a loaded or sampled value.
    pub(crate) fn value(&self) -> String {
        if self.is_depth() { "f32".into() } else { format!("vec4<{}>", self.scalar()) }
    }

    /// Returns the type of coordinates with a scalar type.
    pub(crate) fn vector(&self, scalar: &str) -> String {
        vector(self.axes(), scalar)
    }

    /// Returns the value that is read out of bounds: 0, except that a missing alpha is 1.
    pub(crate) fn missing(&self, components: u8) -> String {
        let value = self.value();
        if self.is_depth() || components & 0x8 != 0 {
            return format!("{value}()");
        }
        format!("{value}(0, 0, 0, 1)")
    }
}

pub(crate) fn vector(size: usize, scalar: &str) -> String {
    if size == 1 { scalar.into() } else { format!("vec{size}<{scalar}>") }
}
