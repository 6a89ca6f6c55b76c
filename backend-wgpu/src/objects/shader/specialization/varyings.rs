//! Interpolation of the values between a vertex and a pixel shader.
//!
//! In Direct3D 11 the pixel shader's inputs declare the interpolation. wgpu requires the vertex shader's
//! outputs to declare the same, so the key lists the outputs whose declaration has to change.

use naga::{Interpolation, Sampling};
use onze_ddi::ShaderReflection;

/// The interpolation of an output.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Varying {
    pub(crate) location: u32,
    pub(crate) interpolation: Option<Interpolation>,
    pub(crate) sampling: Option<Sampling>,
}

/// Returns the vertex shader's outputs whose declaration differs from the pixel shader's inputs, with the
/// inputs' declaration.
pub(crate) fn differing(vertex: &ShaderReflection, pixel: &ShaderReflection) -> Vec<Varying> {
    let differs = |input: &&onze_ddi::ShaderInput| {
        vertex.output(input.location).is_some_and(|output| {
            (output.interpolation, output.sampling) != (input.interpolation, input.sampling)
        })
    };
    let varying = |input: &onze_ddi::ShaderInput| Varying {
        location: input.location,
        interpolation: input.interpolation,
        sampling: input.sampling,
    };
    pixel.inputs.iter().filter(differs).map(varying).collect()
}
