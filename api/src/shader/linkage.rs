//! Linkage of a vertex shader's outputs with a pixel shader's inputs.
//!
//! The stages are linked by location. The runtime checks each pair of shaders before the first draw that uses
//! it, so drivers never receive a pair that does not match.

use onze_ddi::{ShaderInput, ShaderOutput, ShaderReflection};

use super::terms::SourceLanguage;

/// The reason why a vertex shader and a pixel shader cannot be used together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkageError {
    /// The vertex shader does not write an input of the pixel shader.
    #[error(
        "the pixel shader's input `{input}` at location {location} is not written by the vertex \
         shader, which needs an output there"
    )]
    Missing {
        /// The name of the pixel shader's input.
        input: String,
        /// The location of the pixel shader's input.
        location: u32,
    },
    /// The vertex shader writes an input of the pixel shader with another type or with fewer components.
    #[error(
        "the pixel shader's input `{input}` at location {location} is {expected}, but the vertex \
         shader writes {found}"
    )]
    Type {
        /// The name of the pixel shader's input.
        input: String,
        /// The common location of the input and the output.
        location: u32,
        /// The type of the input in the pixel shader.
        expected: String,
        /// The type of the output in the vertex shader.
        found: String,
    },
}

/// Checks that a vertex shader writes every user-defined input of a pixel shader at the same location and with the same
/// component type.
///
/// As in Direct3D 11, the pixel shader's interpolation modes are used, and the vertex shader's modes are
/// ignored. A pixel shader may read fewer components than the vertex shader writes, and it may ignore
/// outputs. The error describes the mismatch at the lowest location.
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
            expected: SourceLanguage::Wgsl.value_type(input.kind, input.components),
            found: SourceLanguage::Wgsl.value_type(output.kind, output.components),
        });
    }
    Ok(())
}
