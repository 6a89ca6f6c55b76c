//! Semantics: how an input layout finds the inputs of a vertex shader.
//!
//! WGSL has names and locations where HLSL has semantics. The name of an input is its semantic: the
//! digits at its end are the index, and case does not matter.

use onze_ddi::{InputElementDesc, ShaderInput, ShaderReflection};

/// Splits a name in the source into the semantic's name (in upper case) and its index.
///
/// Digits that are no 32-bit number stay part of the name.
pub(super) fn split(name: &str) -> (String, u32) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.get(stem.len()..).unwrap_or_default();
    match digits.parse() {
        Ok(index) => (stem.to_uppercase(), index),
        Err(_) => (name.to_uppercase(), 0),
    }
}

/// Whether an input has a semantic; the case of the name does not matter.
pub(crate) fn match_semantic(input: &ShaderInput, name: &str, index: u32) -> bool {
    let upper = name.chars().flat_map(char::to_uppercase);
    input.semantic_index == index && input.semantic_name.chars().eq(upper)
}

/// The input of a vertex shader that an element of an input layout feeds: the one at the element's
/// location if it names one, else the one with its semantic.
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
