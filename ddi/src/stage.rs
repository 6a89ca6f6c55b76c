//! The shader stages of the pipeline, and a container with one value per stage.
//!
//! ```
//! use onze_ddi::{PerStage, ShaderStage};
//!
//! let mut bound = PerStage::from_fn(|_| 0);
//! bound[ShaderStage::Pixel] += 1;
//! let used: Vec<_> = bound.iter().filter(|(_, count)| **count > 0).map(|(stage, _)| stage.name()).collect();
//! assert_eq!(used, ["pixel"]);
//! ```

use std::ops::{Index, IndexMut};

/// A stage that runs a shader in a draw or a dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ShaderStage {
    /// The vertex stage, which is the first stage of a draw.
    Vertex = 0,
    /// The hull stage, which reads the control points of patches.
    Hull = 1,
    /// The domain stage, which computes the vertices of tessellated patches.
    Domain = 2,
    /// The geometry stage, which reads primitives and emits new primitives.
    Geometry = 3,
    /// The pixel stage, which is the last stage of a draw (WGSL: the fragment stage).
    Pixel = 4,
    /// The compute stage, which is not part of draws.
    Compute = 5,
}

impl ShaderStage {
    /// Number of stages, including the compute stage.
    pub const COUNT: usize = 6;

    /// All stages, in the order of [`index`](Self::index): the stages of a draw in pipeline order, and then
    /// the compute stage.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Vertex, Self::Hull, Self::Domain, Self::Geometry, Self::Pixel, Self::Compute];

    /// The stage's index, 0 to 5, in an array with one element per stage.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns this stage as a stage of a draw, or `None` for compute.
    #[inline]
    pub const fn graphics(self) -> Option<GraphicsStage> {
        match self {
            Self::Vertex => Some(GraphicsStage::Vertex),
            Self::Hull => Some(GraphicsStage::Hull),
            Self::Domain => Some(GraphicsStage::Domain),
            Self::Geometry => Some(GraphicsStage::Geometry),
            Self::Pixel => Some(GraphicsStage::Pixel),
            Self::Compute => None,
        }
    }

    /// Returns the corresponding stage of `naga`, or `None` if `naga` does not have it.
    pub const fn to_naga(self) -> Option<naga::ShaderStage> {
        match self {
            Self::Vertex => Some(naga::ShaderStage::Vertex),
            Self::Pixel => Some(naga::ShaderStage::Fragment),
            Self::Compute => Some(naga::ShaderStage::Compute),
            Self::Hull | Self::Domain | Self::Geometry => None,
        }
    }

    /// The stage's name in lower case, as text for messages: `"vertex"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Hull => "hull",
            Self::Domain => "domain",
            Self::Geometry => "geometry",
            Self::Pixel => "pixel",
            Self::Compute => "compute",
        }
    }
}

/// A stage of a draw: any stage except compute.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GraphicsStage {
    /// The vertex stage, as in [`ShaderStage::Vertex`].
    Vertex,
    /// The hull stage, as in [`ShaderStage::Hull`].
    Hull,
    /// The domain stage, as in [`ShaderStage::Domain`].
    Domain,
    /// The geometry stage, as in [`ShaderStage::Geometry`].
    Geometry,
    /// The pixel stage, as in [`ShaderStage::Pixel`].
    Pixel,
}

impl GraphicsStage {
    /// All stages of a draw, in pipeline order.
    pub const ALL: [Self; 5] = [Self::Vertex, Self::Hull, Self::Domain, Self::Geometry, Self::Pixel];
}

impl From<GraphicsStage> for ShaderStage {
    #[inline]
    fn from(stage: GraphicsStage) -> Self {
        match stage {
            GraphicsStage::Vertex => Self::Vertex,
            GraphicsStage::Hull => Self::Hull,
            GraphicsStage::Domain => Self::Domain,
            GraphicsStage::Geometry => Self::Geometry,
            GraphicsStage::Pixel => Self::Pixel,
        }
    }
}

/// One value for each stage, including compute.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerStage<T>([T; ShaderStage::COUNT]);

impl<T> PerStage<T> {
    /// Creates a value for each stage by calling `make`.
    pub fn from_fn(mut make: impl FnMut(ShaderStage) -> T) -> Self {
        Self(ShaderStage::ALL.map(&mut make))
    }

    /// Iterates over the stages with their values, in the order of [`ShaderStage::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (ShaderStage, &T)> {
        ShaderStage::ALL.into_iter().zip(&self.0)
    }

    /// Iterates over the stages with their mutable values, in the order of [`ShaderStage::ALL`].
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (ShaderStage, &mut T)> {
        ShaderStage::ALL.into_iter().zip(&mut self.0)
    }
}

impl<T, S: Into<ShaderStage>> Index<S> for PerStage<T> {
    type Output = T;

    #[inline]
    fn index(&self, stage: S) -> &T {
        &self.0[stage.into().index()]
    }
}

impl<T, S: Into<ShaderStage>> IndexMut<S> for PerStage<T> {
    #[inline]
    fn index_mut(&mut self, stage: S) -> &mut T {
        &mut self.0[stage.into().index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_index_and_its_name() {
        for (i, stage) in ShaderStage::ALL.into_iter().enumerate() {
            assert_eq!(stage.index(), i);
            assert_eq!(stage.name(), format!("{stage:?}").to_lowercase());
        }
    }

    #[test]
    fn graphics_stages_are_all_except_compute() {
        let graphics: Vec<_> = ShaderStage::ALL.into_iter().filter_map(ShaderStage::graphics).collect();
        assert_eq!(graphics, GraphicsStage::ALL);
        for stage in GraphicsStage::ALL {
            assert_eq!(ShaderStage::from(stage).graphics(), Some(stage));
        }
    }

    #[test]
    fn each_stage_has_its_own_value() {
        let mut values = PerStage::from_fn(ShaderStage::index);
        values[GraphicsStage::Pixel] += 10;
        let found: Vec<_> = values.iter().map(|(stage, value)| (stage.index(), *value)).collect();
        assert_eq!(found, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 14), (5, 5)]);
    }
}
