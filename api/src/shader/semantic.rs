//! Semantics, which connect the elements of an input layout with the inputs of a vertex shader.
//!
//! WGSL has names and locations instead of HLSL's semantics, so an input's name is used as its semantic:
//! digits at the end of the name are the semantic's index, and case is ignored.

use onze_ddi::{InputElementDesc, ShaderInput, ShaderReflection};

/// Splits a name into the semantic's name, in upper case, and its index.
///
/// Digits that do not fit into 32 bits remain part of the name.
pub(super) fn split(name: &str) -> (String, u32) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.get(stem.len()..).unwrap_or_default();
    match digits.parse() {
        Ok(index) => (stem.to_uppercase(), index),
        Err(_) => (name.to_uppercase(), 0),
    }
}

/// Whether an input has a semantic, ignoring the case of the name.
pub(crate) fn match_semantic(input: &ShaderInput, name: &str, index: u32) -> bool {
    let upper = name.chars().flat_map(char::to_uppercase);
    input.semantic_index == index && input.semantic_name.chars().eq(upper)
}

/// Finds the vertex shader's input for an element of an input layout: by location if the element has one, or
/// by semantic otherwise.
pub(crate) fn find_input<'a>(
    shader: &'a ShaderReflection,
    element: &InputElementDesc,
) -> Option<&'a ShaderInput> {
    match element.location {
        Some(location) => shader.input(location),
        None => shader
            .inputs
            .iter()
            .find(|input| match_semantic(input, &element.semantic_name, element.semantic_index)),
    }
}
