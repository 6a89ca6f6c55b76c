//! Declarations of the values between a vertex and a pixel shader.
//!
//! In Direct3D 11 the pixel shader's inputs declare the interpolation, and registers have no type. wgpu requires
//! the vertex shader's outputs to declare the interpolation and the type of the inputs, so the key lists the outputs
//! whose declaration has to change.

use naga::{Interpolation, Sampling};
use onze_ddi::{ScalarKind, ShaderInput, ShaderReflection};

/// The declaration of an output.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Varying {
    pub(crate) location: u32,
    /// The type of the components. An output of another type keeps its bits.
    pub(crate) kind: ScalarKind,
    pub(crate) interpolation: Option<Interpolation>,
    pub(crate) sampling: Option<Sampling>,
}

/// Returns the vertex shader's outputs whose declaration differs from the pixel shader's inputs, with the
/// inputs' declaration.
pub(crate) fn differing(vertex: &ShaderReflection, pixel: &ShaderReflection) -> Vec<Varying> {
    let differs = |input: &&ShaderInput| {
        vertex.output(input.location).is_some_and(|output| {
            (output.kind, output.interpolation, output.sampling)
                != (input.kind, input.interpolation, input.sampling)
        })
    };
    let varying = |input: &ShaderInput| Varying {
        location: input.location,
        kind: input.kind,
        interpolation: input.interpolation,
        sampling: input.sampling,
    };
    pixel.inputs.iter().filter(differs).map(varying).collect()
}
