//! Tests of the reflection of inputs and outputs, and of semantics.

use naga::{Interpolation, Sampling, valid::Capabilities};
use onze_ddi::{Format, InputElementDesc, ScalarKind, ShaderStage};

use super::{pixel, scene, vertex};
use crate::shader::{BASE_CAPABILITIES, ShaderError, ShaderSource, compile_with, find_input, semantic};

const STRUCT_INPUTS: &str = "
    struct In {
        @location(2) texcoord1: vec2f,
        @location(0) Position: vec3f,
        @builtin(vertex_index) id: u32,
        @location(9) bone_indices: vec4u,
    }
    @vertex fn main(in: In, @location(5) offset: i32, @builtin(instance_index) instance: u32)
        -> @builtin(position) vec4f { return vec4f(in.Position, 1.0); }";

#[test]
fn vertex_inputs_come_from_structs_and_from_plain_arguments() {
    let reflection = vertex(STRUCT_INPUTS).unwrap().reflection;
    let inputs: Vec<_> = reflection
        .inputs
        .iter()
        .map(|i| {
            (i.location, i.name.as_str(), i.semantic_name.as_str(), i.semantic_index, i.kind, i.components)
        })
        .collect();
    assert_eq!(
        inputs,
        [
            (0, "Position", "POSITION", 0, ScalarKind::Float, 3),
            (2, "texcoord1", "TEXCOORD", 1, ScalarKind::Float, 2),
            (5, "offset", "OFFSET", 0, ScalarKind::Sint, 1),
            (9, "bone_indices", "BONE_INDICES", 0, ScalarKind::Uint, 4),
        ]
    );
    assert!(reflection.uses_vertex_index && reflection.uses_instance_index);
    assert!(!reflection.uses_position && !reflection.uses_front_facing);
    assert_eq!(reflection.outputs, []);
    assert_eq!(reflection.color_output_mask(), 0);
}

#[test]
fn varyings_have_their_interpolation_mode() {
    let (vs, ps) = scene();
    let expected = [
        (0, Some(Interpolation::Perspective), Some(Sampling::Center)),
        (1, Some(Interpolation::Flat), Some(Sampling::Either)),
    ];
    let outputs: Vec<_> =
        vs.reflection.outputs.iter().map(|o| (o.location, o.interpolation, o.sampling)).collect();
    let inputs: Vec<_> =
        ps.reflection.inputs.iter().map(|i| (i.location, i.interpolation, i.sampling)).collect();
    assert_eq!(outputs, expected);
    assert_eq!(inputs, expected);
    assert!(ps.reflection.uses_position);
    assert!(!vs.reflection.uses_vertex_index && !vs.reflection.uses_instance_index);
}

#[test]
fn pixel_outputs_are_targets_depth_and_coverage() {
    let reflection = pixel(
        "struct Out {
            @location(0) colour: vec4f,
            @location(3) id: u32,
            @builtin(frag_depth) depth: f32,
            @builtin(sample_mask) mask: u32,
        }
        @fragment fn main(@builtin(front_facing) front: bool) -> Out {
            if front { discard; }
            return Out(vec4f(), 1u, 0.5, 1u);
        }",
    )
    .unwrap()
    .reflection;
    let outputs: Vec<_> = reflection.outputs.iter().map(|o| (o.location, o.kind, o.components)).collect();
    assert_eq!(outputs, [(0, ScalarKind::Float, 4), (3, ScalarKind::Uint, 1)]);
    assert_eq!(reflection.color_output_mask(), 0b1001);
    assert!(reflection.writes_depth && reflection.writes_sample_mask);
    assert!(reflection.uses_front_facing && reflection.discards);
    assert!(!reflection.runs_per_sample && !reflection.dual_source && !reflection.uses_sample_mask);
}

#[test]
fn a_pixel_shader_without_outputs_is_valid() {
    let reflection = pixel("@fragment fn main() {}").unwrap().reflection;
    assert_eq!(reflection.outputs, []);
    assert!(!reflection.writes_depth && !reflection.discards);
}

#[test]
fn sample_index_and_interpolation_run_a_shader_per_sample() {
    for argument in ["@builtin(sample_index) i: u32", "@location(0) @interpolate(perspective, sample) x: f32"]
    {
        let text = format!("@fragment fn main({argument}) {{}}");
        assert!(pixel(&text).unwrap().reflection.runs_per_sample, "{argument}");
    }
}

#[test]
fn dual_source_blending_needs_the_capability() {
    let text = "enable dual_source_blending;
        struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
        @fragment fn main() -> Out { return Out(vec4f(), vec4f()); }";
    assert!(matches!(pixel(text), Err(ShaderError::Invalid { .. })));
    let capabilities = BASE_CAPABILITIES.union(Capabilities::DUAL_SOURCE_BLENDING);
    let code = compile_with(ShaderSource::wgsl(text, "main"), ShaderStage::Pixel, capabilities, &mut |_| {})
        .unwrap();
    assert!(code.code.reflection.dual_source);
    let sources: Vec<_> = code.code.reflection.outputs.iter().map(|o| (o.location, o.blend_src)).collect();
    assert_eq!(sources, [(0, Some(0)), (0, Some(1))]);
    assert_eq!(code.code.reflection.color_output_mask(), 1);
}

#[test]
fn semantics_match_without_case_and_with_the_digits_as_index() {
    let reflection = vertex(STRUCT_INPUTS).unwrap().reflection;
    let find = |name: &'static str, index| {
        let element = InputElementDesc::new(name, index, Format::R32_FLOAT);
        find_input(&reflection, &element).map(|i| i.location)
    };
    assert_eq!(find("POSITION", 0), Some(0));
    assert_eq!(find("position", 0), Some(0));
    assert_eq!(find("TexCoord", 1), Some(2));
    assert_eq!(find("BONE_INDICES", 0), Some(9));
    assert_eq!(find("POSITION", 1), None);
    assert_eq!(find("TEXCOORD", 0), None);
    assert_eq!(find("TEXCOORD1", 0), None);
    assert_eq!(find("POS", 0), None);
}

#[test]
fn an_element_with_a_location_ignores_the_semantic() {
    let reflection = vertex(STRUCT_INPUTS).unwrap().reflection;
    let find = |location| {
        let element = InputElementDesc::new("NOTHING", 3, Format::R32_FLOAT).at_location(location);
        find_input(&reflection, &element).map(|i| i.name.as_str())
    };
    assert_eq!(find(9), Some("bone_indices"));
    assert_eq!(find(1), None);
}

#[test]
fn names_split_into_semantic_and_index() {
    for (name, semantic, index) in [
        ("position", "POSITION", 0),
        ("texcoord15", "TEXCOORD", 15),
        ("uv2d", "UV2D", 0),
        ("a007", "A", 7),
        ("big99999999999", "BIG99999999999", 0),
        ("größe1", "GRÖSSE", 1),
        ("", "", 0),
    ] {
        assert_eq!(semantic::split(name), (semantic.to_owned(), index), "{name}");
    }
}

#[test]
fn inputs_with_equal_semantics_are_refused() {
    let error = vertex(
        "@vertex fn main(@location(0) uv: f32, @location(1) UV0: f32)
            -> @builtin(position) vec4f { return vec4f(uv + UV0); }",
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "the inputs `uv` and `UV0` have the same semantic UV0; rename one of them");
}

#[test]
fn locations_out_of_range_are_refused() {
    let error = pixel("@fragment fn main() -> @location(8) vec4f { return vec4f(); }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the colour is at location 8; the locations are 0 to 7, so choose one of them"
    );
    let error = pixel("@fragment fn main(@location(32) far: f32) {}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the input `far` is at location 32; the locations are 0 to 31, so choose one of them"
    );
    let error = vertex(
        "struct Out { @builtin(position) p: vec4f, @location(40) far: f32 }
        @vertex fn main() -> Out { return Out(vec4f(), 1.0); }",
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the output `far` is at location 40; the locations are 0 to 31, so choose one of them"
    );
}
