//! Linkage: whether a pixel shader finds its inputs among the outputs of a vertex shader.
//!
//! The stages are linked by location. The runtime checks it once for each pair of shaders that is
//! drawn with, so that no driver sees a pair that does not fit.

use onze_ddi::{ShaderInput, ShaderOutput, ShaderReflection};

use super::terms::Language;

/// Why a vertex shader and a pixel shader do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkageError {
    /// The vertex shader writes nothing at the location of an input.
    #[error(
        "the pixel shader's input `{input}` at location {location} is not written by the vertex \
         shader, which needs an output there"
    )]
    Missing {
        /// The input's name.
        input: String,
        /// Its location.
        location: u32,
    },
    /// The vertex shader writes another type, or fewer components.
    #[error(
        "the pixel shader's input `{input}` at location {location} is {expected}, but the vertex \
         shader writes {found}"
    )]
    Type {
        /// The input's name.
        input: String,
        /// Its location.
        location: u32,
        /// The input's type.
        expected: String,
        /// The output's type.
        found: String,
    },
}

/// Checks that every user-defined input of a pixel shader is written by a vertex shader at the same
/// location, with the same type of component. How values vary, the pixel shader says; what the vertex shader says of
/// it does not count, as in Direct3D 11.
///
/// A pixel shader may take fewer components than are written, as in Direct3D 11; it may also leave
/// outputs out. The error is about the input with the lowest location that does not fit.
pub(crate) fn check_linkage(vertex: &ShaderReflection, pixel: &ShaderReflection) -> Result<(), LinkageError> {
    for input in &pixel.inputs {
        let Some(output) = vertex.output(input.location) else {
            return Err(LinkageError::Missing { input: input.name.clone(), location: input.location });
        };
        check_input(input, output)?;
    }
    Ok(())
}

fn check_input(input: &ShaderInput, output: &ShaderOutput) -> Result<(), LinkageError> {
    if input.kind != output.kind || input.components > output.components {
        return Err(LinkageError::Type {
            input: input.name.clone(),
            location: input.location,
            expected: Language::Wgsl.value_type(input.kind, input.components),
            found: Language::Wgsl.value_type(output.kind, output.components),
        });
    }
    Ok(())
}
