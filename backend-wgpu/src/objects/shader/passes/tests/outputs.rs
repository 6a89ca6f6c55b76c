//! Tests of the outputs of pixel shaders.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{ScalarKind, ShaderStage};

use super::languages::specialized;
use crate::{
    objects::shader::{AlphaUse, Outputs, Specialization},
    testing::shader_code,
};

/// Pixel shaders whose output is a value, a structure, or nothing.
const GIVING: [&str; 5] = [
    "@fragment fn main() {}",
    "@fragment fn main(@builtin(position) at: vec4f) { if at.x < 1.0 { discard; } }",
    "@fragment fn main() -> @location(1) vec4u { return vec4u(7u); }",
    "@fragment fn main() -> @builtin(frag_depth) f32 { return 0.5; }",
    "struct Out { @location(1) b: vec2f, @location(0) a: vec4f, @builtin(sample_mask) mask: u32, @location(2) c: f32 }
    @fragment fn main(@location(0) at: vec4f) -> Out { return Out(at.xy, at, 1u, at.z); }",
];

#[test]
fn a_sample_counter_adds_one_output() {
    for source in GIVING {
        for location in [0, 1, 5] {
            let depth_location = source.contains("frag_depth").then_some(3);
            let code = shader_code(ShaderStage::Pixel, source, Vec::new());
            let count_location = Some(location);
            // The case adds zeros for a target that the shader does not write.
            let fills_first =
                (location == 5 && !source.contains("location(0) a")).then_some(ScalarKind::Sint);
            let special =
                Specialization { count_location, depth_location, fills_first, ..Specialization::default() };
            let module = specialized(&code, &special);
            let result = module.entry_points[0].function.result.clone().unwrap();
            let bindings: Vec<_> = match &module.types[result.ty].inner {
                naga::TypeInner::Struct { members, .. } => {
                    members.iter().map(|m| m.binding.clone()).collect()
                }
                _ => vec![result.binding],
            };
            let outputs = |wanted: u32| {
                let is_there = |binding: &&Option<naga::Binding>| matches!(binding, Some(naga::Binding::Location { location: at, .. }) if *at == wanted);
                bindings.iter().filter(is_there).count()
            };
            assert_eq!(outputs(location), 1, "{source}: {bindings:?}");
            assert!(fills_first.is_none() || outputs(0) == 1, "{source}: {bindings:?}");
        }
    }
}

/// Pixel shaders with colours of all sizes and kinds, alone or with other outputs.
const COLORED: [&str; 5] = [
    "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }",
    "@fragment fn main(@location(1) at: f32) -> @location(0) f32 { return at; }",
    "struct Out { @location(0) first: vec3f, @location(2) second: vec2i, @location(1) third: u32 }
    @fragment fn main() -> Out { return Out(); }",
    "struct Out { @builtin(frag_depth) depth: f32, @location(0) color: vec2f, @builtin(sample_mask) mask: u32 }
    @fragment fn main(@builtin(sample_index) at: u32) -> Out { return Out(0.5, vec2f(1.0), 1u << at); }",
    "@fragment fn main() -> @builtin(sample_mask) u32 { return 2u; }",
];

#[test]
fn a_pixel_shader_discards_or_covers_by_its_outputs() {
    for source in COLORED {
        let code = shader_code(ShaderStage::Pixel, source, Vec::new());
        let has_mask = source.contains("sample_mask");
        let hidden_depth = source.contains("frag_depth").then_some(3);
        for widened in [0, 1, 5, 7] {
            for alpha in [AlphaUse::Plain, AlphaUse::Kills, AlphaUse::Covers(4)] {
                for (depth_location, mask_kills) in [(None, false), (hidden_depth, has_mask)] {
                    // The driver only uses alpha if the shader writes no mask and the first colour has alpha.
                    let is_plain = alpha == AlphaUse::Plain;
                    if !is_plain && (has_mask || widened & 1 == 0 && !source.contains("vec4f")) {
                        continue;
                    }
                    let outputs = Outputs { widened, alpha, mask_kills, ..Outputs::default() };
                    let specialization =
                        Specialization { depth_location, outputs, ..Specialization::default() };
                    let module = specialized(&code, &specialization);
                    let text = format!("{module:?}");
                    let kills = alpha == AlphaUse::Kills || mask_kills;
                    assert_eq!(text.contains("Kill"), kills, "{outputs:?} of {source}");
                    let covers = matches!(alpha, AlphaUse::Covers(_));
                    assert_eq!(text.contains("SampleMask"), covers || has_mask, "{outputs:?} of {source}");
                }
            }
        }
    }
}

#[test]
fn a_recast_colour_has_the_scalar_kind_of_its_target() {
    let source = "struct Out { @location(0) a: vec2f, @location(1) b: u32, @location(2) c: vec4i }
    @fragment fn main() -> Out { return Out(vec2f(1.0), 2u, vec4i(3)); }";
    let code = shader_code(ShaderStage::Pixel, source, Vec::new());
    let mut outputs = Outputs { widened: 1, ..Outputs::default() };
    outputs.recast[0] = Some(ScalarKind::Uint);
    outputs.recast[1] = Some(ScalarKind::Float);
    let module = specialized(&code, &Specialization { outputs, ..Specialization::default() });
    let result = module.entry_points[0].function.result.as_ref().unwrap();
    let naga::TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
        panic!("{result:?}")
    };
    let types: Vec<_> = members.iter().map(|member| module.types[member.ty].inner.clone()).collect();
    let vector = |scalar| naga::TypeInner::Vector { size: naga::VectorSize::Quad, scalar };
    let number = naga::TypeInner::Scalar(naga::Scalar::F32);
    assert_eq!(types, [vector(naga::Scalar::U32), number, vector(naga::Scalar::I32)]);
}
