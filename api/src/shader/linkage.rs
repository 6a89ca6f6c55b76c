//! Linkage of a shader's outputs with the inputs of the next shader in a draw's chain.
//!
//! The stages are linked by location. The runtime checks each chain of shaders before the first draw that
//! uses it, so drivers never receive a chain with stages that do not match.

use onze_ddi::{ShaderInput, ShaderOutput, ShaderReflection, ShaderStage};

use super::terms::SourceLanguage;

/// The reason why a shader cannot follow another one in a draw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkageError {
    /// The previous stage does not write an input of the next stage.
    #[error(
        "the {} shader's input `{input}` at location {location} is not written by the {} \
         shader, which needs an output there",
        .next.name(), .previous.name()
    )]
    Missing {
        /// The stage that should write the input.
        previous: ShaderStage,
        /// The stage that reads the input.
        next: ShaderStage,
        /// The name of the input.
        input: String,
        /// The location of the input.
        location: u32,
    },
    /// The previous stage writes an input of the next stage with another type or with fewer components.
    #[error(
        "the {} shader's input `{input}` at location {location} is {expected}, but the {} \
         shader writes {found}",
        .next.name(), .previous.name()
    )]
    Type {
        /// The stage that writes the input.
        previous: ShaderStage,
        /// The stage that reads the input.
        next: ShaderStage,
        /// The name of the input.
        input: String,
        /// The common location of the input and the output.
        location: u32,
        /// The type of the input in the next stage.
        expected: String,
        /// The type of the output in the previous stage.
        found: String,
    },
}

/// Two neighbours of a chain that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BrokenLink<T> {
    pub(crate) previous: T,
    pub(crate) next: T,
    pub(crate) error: LinkageError,
}

/// Returns each element of a chain together with the next one.
pub(crate) fn links<T: Copy>(chain: impl Iterator<Item = T>) -> impl Iterator<Item = (T, T)> {
    let mut last = None;
    chain.filter_map(move |next| last.replace(next).map(|previous| (previous, next)))
}

/// Checks the links of a chain, which lists the bound shaders in pipeline order. The error names the first
/// broken link.
pub(crate) fn check_chain<'a, T: Copy>(
    chain: impl Iterator<Item = (T, &'a ShaderReflection)>,
) -> Result<(), BrokenLink<T>> {
    for ((previous, outputs), (next, inputs)) in links(chain) {
        check_linkage(outputs, inputs).map_err(|error| BrokenLink { previous, next, error })?;
    }
    Ok(())
}

/// Checks that a shader writes every user-defined input of the next shader at the same location and with the
/// same component types.
///
/// As in Direct3D 11, the next shader's interpolation modes are used, and the previous shader's modes are
/// ignored. The next shader may read fewer components than the previous shader writes, and it may ignore
/// outputs. The error describes the mismatch at the lowest location.
pub(crate) fn check_linkage(
    previous: &ShaderReflection,
    next: &ShaderReflection,
) -> Result<(), LinkageError> {
    for input in &next.inputs {
        let Some(output) = previous.output(input.location) else {
            if is_generated(input) {
                continue;
            }
            return Err(LinkageError::Missing {
                previous: previous.stage,
                next: next.stage,
                input: input.name.clone(),
                location: input.location,
            });
        };
        if !is_written(input, output) {
            return Err(LinkageError::Type {
                previous: previous.stage,
                next: next.stage,
                input: input.name.clone(),
                location: input.location,
                expected: SourceLanguage::Wgsl.value_type(input.kind, input.components),
                found: SourceLanguage::Wgsl.value_type(output.kind, output.components),
            });
        }
    }
    Ok(())
}

/// Returns whether an input is 0 if no shader writes it (Direct3D 11.3 functional specification, 15.8.1 and 15.15).
fn is_generated(input: &ShaderInput) -> bool {
    ["SV_RenderTargetArrayIndex", "SV_ViewportArrayIndex"]
        .iter()
        .any(|name| input.semantic_name.eq_ignore_ascii_case(name))
}

/// Returns whether an output provides all components of an input.
///
/// In HLSL, a location contains bits if its elements have several types. The types then match if both modules have bits
/// there, or if each component that the next shader reads has the same type in both sources.
fn is_written(input: &ShaderInput, output: &ShaderOutput) -> bool {
    let mut kinds = input.component_kinds.iter().zip(&output.component_kinds);
    input.components <= output.components
        && (input.kind == output.kind || kinds.all(|(read, written)| read.is_none() || read == written))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze_ddi::{GraphicsStage, ScalarKind};

    use super::*;
    use crate::shader::{ShaderSource, compile};

    /// Returns a shader with these inputs and outputs, each with a location and a number of components.
    fn shader(stage: GraphicsStage, inputs: &[(u32, u8)], outputs: &[(u32, u8)]) -> ShaderReflection {
        let empty = ShaderSource::wgsl("@compute @workgroup_size(1) fn main() {}", "main");
        let mut reflection = compile(empty, ShaderStage::Compute).unwrap().reflection;
        reflection.stage = stage.into();
        let (kind, semantic_index, interpolation, sampling) = (ScalarKind::Float, 0, None, None);
        for &(location, components) in inputs {
            let (name, semantic_name) = (format!("in{location}"), String::new());
            reflection.inputs.push(ShaderInput {
                location,
                name,
                semantic_name,
                semantic_index,
                kind,
                components,
                component_kinds: kind.of_components(components),
                interpolation,
                sampling,
            });
        }
        for &(location, components) in outputs {
            let (name, semantic_name) = (String::new(), String::new());
            reflection.outputs.push(ShaderOutput {
                location,
                name,
                semantic_name,
                semantic_index,
                kind,
                components,
                component_kinds: kind.of_components(components),
                interpolation,
                sampling,
                blend_src: None,
            });
        }
        reflection
    }

    /// Checks a chain, and returns the stages of the first broken link with the error.
    fn check(chain: &[ShaderReflection]) -> Result<(), (ShaderStage, ShaderStage, String)> {
        check_chain(chain.iter().map(|shader| (shader.stage, shader)))
            .map_err(|link| (link.previous, link.next, link.error.to_string()))
    }

    #[test]
    fn each_stage_is_linked_to_the_next_bound_one() {
        // Stage n reads location n and writes location n + 1, so only neighbours fit together.
        let whole: Vec<_> = GraphicsStage::ALL
            .into_iter()
            .zip(0..)
            .map(|(stage, n)| shader(stage, &[(n, 2)], &[(n + 1, 3)]))
            .collect();
        assert_eq!(check(&whole), Ok(()));
        for missing in 1..whole.len() - 1 {
            let mut chain = whole.clone();
            chain.remove(missing);
            let (previous, next) = (chain[missing - 1].stage, chain[missing].stage);
            let text = format!(
                "the {} shader's input `in{}` at location {} is not written by the {} shader, which needs an output there",
                next.name(),
                missing + 1,
                missing + 1,
                previous.name()
            );
            assert_eq!(check(&chain), Err((previous, next, text)));
        }
    }

    #[test]
    fn a_stage_between_hides_the_outputs_before_it() {
        use GraphicsStage::{Geometry, Pixel, Vertex};
        let (vertex, pixel) = (shader(Vertex, &[], &[(0, 4)]), shader(Pixel, &[(0, 4)], &[]));
        assert_eq!(check(&[vertex.clone(), pixel.clone()]), Ok(()));
        let narrow = shader(Geometry, &[(0, 4)], &[(0, 2)]);
        let text = "the pixel shader's input `in0` at location 0 is vec4<f32>, but the geometry shader writes vec2<f32>";
        let error = (ShaderStage::Geometry, ShaderStage::Pixel, text.to_owned());
        assert_eq!(check(&[vertex.clone(), narrow, pixel.clone()]), Err(error));
        assert_eq!(check(&[vertex, shader(Geometry, &[], &[(0, 4)]), pixel]), Ok(()));
    }

    #[test]
    fn the_first_broken_link_is_reported() {
        use GraphicsStage::{Domain, Hull, Vertex};
        let chain = [shader(Vertex, &[], &[]), shader(Hull, &[(3, 1)], &[]), shader(Domain, &[(5, 1)], &[])];
        let link = check(&chain).unwrap_err();
        assert_eq!((link.0, link.1), (ShaderStage::Vertex, ShaderStage::Hull));
    }

    /// Each row has the component types of an output, those of the input that reads it, and whether they match. Components
    /// without a type are not read. A location with several types has unsigned integers.
    #[test]
    fn each_component_that_is_read_has_the_type_of_the_source() {
        use GraphicsStage::{Pixel, Vertex};
        const F: Option<ScalarKind> = Some(ScalarKind::Float);
        const I: Option<ScalarKind> = Some(ScalarKind::Sint);
        const U: Option<ScalarKind> = Some(ScalarKind::Uint);
        let kind = |kinds: &[Option<ScalarKind>; 4]| {
            let mut kinds = kinds.iter().flatten();
            let first = kinds.next().unwrap();
            if kinds.all(|other| other == first) { *first } else { ScalarKind::Uint }
        };
        for (written, read, fits) in [
            ([I, U, U, None], [I, None, None, None], true),
            ([I, U, U, None], [None, U, None, None], true),
            ([F, F, U, None], [None, F, None, None], true),
            ([F, F, U, None], [I, None, None, None], false),
            ([F, I, None, None], [F, F, None, None], false),
            ([I, I, None, None], [I, U, None, None], false),
            // Both modules have bits.
            ([F, U, None, None], [I, U, None, None], true),
            // The output has no third component.
            ([I, U, None, None], [I, U, U, None], false),
        ] {
            let components = |kinds: &[Option<ScalarKind>; 4]| {
                4 - kinds.iter().rev().take_while(|kind| kind.is_none()).count() as u8
            };
            let mut before = shader(Vertex, &[], &[(0, components(&written))]);
            let mut after = shader(Pixel, &[(0, components(&read))], &[]);
            (before.outputs[0].kind, before.outputs[0].component_kinds) = (kind(&written), written);
            (after.inputs[0].kind, after.inputs[0].component_kinds) = (kind(&read), read);
            assert_eq!(check(&[before, after]).is_ok(), fits, "{written:?}, {read:?}");
        }
    }

    #[test]
    fn a_chain_of_one_stage_has_no_links() {
        assert_eq!(links([1].into_iter()).count(), 0);
        assert_eq!(links([1, 2, 3].into_iter()).collect::<Vec<_>>(), [(1, 2), (2, 3)]);
        assert_eq!(check(&[shader(GraphicsStage::Vertex, &[(0, 4)], &[])]), Ok(()));
    }
}
