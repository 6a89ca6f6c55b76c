//! The inputs of a pixel shader that no shader before it writes.

use naga::{BuiltIn, Module};
use onze_ddi::ShaderReflection;

use super::locations::inputs;

/// The source of `SV_PrimitiveID` in a pixel shader.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum PrimitiveNumber {
    /// The number of the primitive that wgpu draws.
    #[default]
    OfRasterizer,
    Zero,
    /// A location that only this value uses.
    At(u32),
}

impl PrimitiveNumber {
    pub(crate) const fn location(self) -> Option<u32> {
        match self {
            Self::At(location) => Some(location),
            Self::OfRasterizer | Self::Zero => None,
        }
    }
}

/// The inputs that are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PixelInputs {
    /// The locations that no shader writes, whose values are 0.
    pub(crate) missing: Vec<u32>,
    pub(crate) primitive: PrimitiveNumber,
}

/// Returns the locations that a pixel shader reads and that the shader before it does not write.
pub(crate) fn missing(before: &ShaderReflection, pixel: &ShaderReflection) -> Vec<u32> {
    let locations = pixel.inputs.iter().map(|input| input.location);
    locations.filter(|location| before.output(*location).is_none()).collect()
}

/// Returns whether a pixel shader reads `SV_PrimitiveID`.
pub(crate) fn reads_primitive(pixel: &Module) -> bool {
    inputs(pixel).any(|(binding, _)| *binding == naga::Binding::BuiltIn(BuiltIn::PrimitiveIndex))
}
