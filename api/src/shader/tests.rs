//! Tests of compilation: the reflection of valid shaders, and the errors of invalid ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use naga::{Interpolation, Sampling};
use onze_ddi::{
    Format, InputElementDesc, ResourceKind, SampleKind, SampledPair, ScalarKind, ShaderCode,
    ShaderReflection, ShaderStage, TextureDimension,
};

use super::*;

fn vertex(text: &str) -> Result<ShaderCode, ShaderError> {
    compile(ShaderSource::wgsl(text, "main"), ShaderStage::Vertex)
}

fn pixel(text: &str) -> Result<ShaderCode, ShaderError> {
    compile(ShaderSource::wgsl(text, "main"), ShaderStage::Pixel)
}

fn compute(text: &str) -> Result<ShaderCode, ShaderError> {
    compile(ShaderSource::wgsl(text, "main"), ShaderStage::Compute)
}

/// Compiles a pixel shader with `declarations` that reads `value`, an expression of type `f32`.
fn pixel_reading(declarations: &str, value: &str) -> Result<ShaderCode, ShaderError> {
    pixel(&format!("{declarations}\n@fragment fn main() -> @location(0) vec4f {{ return vec4f({value}); }}"))
}

/// Compiles a vertex shader with `declarations` that reads `value`, an expression of type `f32`.
fn vertex_reading(declarations: &str, value: &str) -> Result<ShaderCode, ShaderError> {
    vertex(&format!(
        "{declarations}\n@vertex fn main() -> @builtin(position) vec4f {{ return vec4f({value}); }}"
    ))
}

const SCENE: &str = "
    struct Camera { view: mat4x4f, eye: vec3f }
    struct Light { colour: vec4f }
    @group(0) @binding(0) var<uniform> camera: Camera;
    @group(0) @binding(0) var<uniform> light: Light;
    @group(0) @binding(13) var<uniform> exposure: f32;
    @group(1) @binding(0) var displacement: texture_2d<f32>;
    @group(1) @binding(0) var albedo: texture_2d_array<f32>;
    @group(1) @binding(127) var shadows: texture_depth_2d;
    @group(2) @binding(0) var linear: sampler;
    @group(2) @binding(15) var compare: sampler_comparison;

    struct Varyings {
        @builtin(position) position: vec4f,
        @location(0) uv: vec2f,
        @location(1) @interpolate(flat, either) material: u32,
    }
    fn displaced(p: vec3f) -> vec3f { return p + textureLoad(displacement, vec2u(0), 0).xyz; }
    @vertex fn vs_main(@location(0) position: vec3f, @location(1) texcoord1: vec2f) -> Varyings {
        return Varyings(camera.view * vec4f(displaced(position), 1.0), texcoord1, 7u);
    }
    fn shade(image: texture_2d_array<f32>, s: sampler, uv: vec2f) -> vec4f {
        return textureSample(image, s, uv, 0);
    }
    @fragment fn ps_main(in: Varyings) -> @location(0) vec4f {
        let lit = textureSampleCompare(shadows, compare, in.uv, 0.5);
        return shade(albedo, linear, in.uv) * light.colour * lit * exposure;
    }
    @compute @workgroup_size(1) fn cs_main() {}";

fn scene() -> (ShaderCode, ShaderCode) {
    (
        compile(ShaderSource::wgsl(SCENE, "vs_main"), ShaderStage::Vertex).unwrap(),
        compile(ShaderSource::wgsl(SCENE, "ps_main"), ShaderStage::Pixel).unwrap(),
    )
}

#[test]
fn two_entry_points_of_one_module_have_separate_slots() {
    let (vs, ps) = scene();
    let names = |r: &ShaderReflection| {
        let b: Vec<_> = r.constant_buffers.iter().map(|b| (b.slot, b.name.clone(), b.size)).collect();
        let t: Vec<_> = r.resources.iter().map(|t| (t.slot, t.name.clone())).collect();
        let s: Vec<_> = r.samplers.iter().map(|s| (s.slot, s.name.clone(), s.comparison)).collect();
        (b, t, s)
    };
    assert_eq!(
        names(&vs.reflection),
        (vec![(0, "camera".to_owned(), 80)], vec![(0, "displacement".to_owned())], vec![])
    );
    assert_eq!(
        names(&ps.reflection),
        (
            vec![(0, "light".to_owned(), 16), (13, "exposure".to_owned(), 4)],
            vec![(0, "albedo".to_owned()), (127, "shadows".to_owned())],
            vec![(0, "linear".to_owned(), false), (15, "compare".to_owned(), true)],
        )
    );
    linkage::check_linkage(&vs.reflection, &ps.reflection).unwrap();
}

#[test]
fn the_module_keeps_only_items_that_the_entry_point_uses() {
    let (vs, _) = scene();
    assert_eq!(vs.program, ShaderProgram::EntryPoint("vs_main".to_owned()));
    let points: Vec<_> = vs.module.entry_points.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(points, ["vs_main"]);
    assert_eq!(vs.module.global_variables.len(), 2);
    let functions: Vec<_> = vs.module.functions.iter().map(|(_, f)| f.name.as_deref()).collect();
    assert_eq!(functions, [Some("displaced")]);
    for slot in &vs.reflection.constant_buffers {
        assert_eq!(vs.module.global_variables[slot.binding].name.as_ref(), Some(&slot.name));
    }
}

#[test]
fn texture_sampler_pairs_are_found_through_arguments() {
    let (vs, ps) = scene();
    assert_eq!(vs.reflection.sampled_pairs, []);
    assert_eq!(
        ps.reflection.sampled_pairs,
        [SampledPair { resource: 0, sampler: 0 }, SampledPair { resource: 127, sampler: 15 }]
    );
}

#[test]
fn constant_buffers_have_the_size_of_the_block() {
    for (declarations, value, size) in [
        ("@group(0) @binding(2) var<uniform> x: f32;", "x", 4),
        ("@group(0) @binding(2) var<uniform> x: vec3f;", "x.x", 12),
        ("@group(0) @binding(2) var<uniform> x: mat3x3f;", "x[0].x", 48),
        ("@group(0) @binding(2) var<uniform> x: array<vec4f, 4096>;", "x[1].x", 65536),
        ("struct B { a: vec3f, b: vec2f } @group(0) @binding(2) var<uniform> x: B;", "x.b.x", 32),
    ] {
        let code = pixel_reading(declarations, value).unwrap();
        let slot = code.reflection.constant_buffer(2).unwrap();
        assert_eq!(slot.size, size, "{declarations}");
    }
}

#[test]
fn a_constant_buffer_above_64_kib_is_refused() {
    let declarations = "@group(0) @binding(0) var<uniform> bones: array<vec4f, 4097>;";
    let error = pixel_reading(declarations, "bones[0].x").unwrap_err();
    assert_eq!(error, ShaderError::ConstantBufferTooLarge { variable: "bones".to_owned(), size: 65552 });
}

#[test]
fn textures_of_every_dimension_and_kind_are_reflected() {
    use SampleKind as K;
    use TextureDimension as D;
    let rows = [
        ("texture_1d<f32>", "textureLoad(t, 0, 0).x", D::D1, false, K::Float),
        ("texture_2d<f32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Float),
        ("texture_2d<i32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Sint),
        ("texture_2d<u32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Uint),
        ("texture_2d_array<f32>", "textureLoad(t, vec2u(), 0, 0).x", D::D2Array, false, K::Float),
        ("texture_3d<f32>", "textureLoad(t, vec3u(), 0).x", D::D3, false, K::Float),
        ("texture_cube<f32>", "textureDimensions(t).x", D::Cube, false, K::Float),
        ("texture_cube_array<f32>", "textureNumLayers(t)", D::CubeArray, false, K::Float),
        ("texture_multisampled_2d<f32>", "textureLoad(t, vec2u(), 0).x", D::D2, true, K::Float),
        ("texture_multisampled_2d<u32>", "textureLoad(t, vec2u(), 0).x", D::D2, true, K::Uint),
        ("texture_depth_2d", "textureLoad(t, vec2u(), 0)", D::D2, false, K::Depth),
        ("texture_depth_2d_array", "textureNumLayers(t)", D::D2Array, false, K::Depth),
        ("texture_depth_cube", "textureDimensions(t).x", D::Cube, false, K::Depth),
        ("texture_depth_cube_array", "textureNumLayers(t)", D::CubeArray, false, K::Depth),
        ("texture_depth_multisampled_2d", "textureLoad(t, vec2u(), 0)", D::D2, true, K::Depth),
    ];
    for (ty, value, dimension, multisampled, sample) in rows {
        let declaration = format!("@group(1) @binding(5) var t: {ty};");
        let code = pixel_reading(&declaration, &format!("f32({value})")).unwrap();
        assert_eq!(
            code.reflection.resource(5).map(|t| t.kind),
            Some(ResourceKind::Texture { dimension, multisampled, sample }),
            "{ty}"
        );
    }
}

#[test]
fn structured_buffers_have_a_stride_and_a_minimum_size() {
    for (declarations, value, stride, size) in [
        ("@group(1) @binding(1) var<storage> x: array<f32>;", "x[3]", 4, 4),
        ("@group(1) @binding(1) var<storage> x: array<vec3f, 4>;", "x[3].x", 16, 64),
        ("@group(1) @binding(1) var<storage> x: vec2f;", "x.x", 8, 8),
        (
            "struct A { n: u32, list: array<vec4f> } @group(1) @binding(1) var<storage, read> x: A;",
            "x.list[1].x",
            16,
            32,
        ),
    ] {
        let code = pixel_reading(declarations, value).unwrap();
        assert_eq!(
            code.reflection.resource(1).map(|t| t.kind),
            Some(ResourceKind::Buffer { stride, size }),
            "{declarations}"
        );
    }
}

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
fn a_parse_error_has_its_line_and_column() {
    let error = pixel("@fragment\nfn main() -> @location(0) vec4f { return colour; }").unwrap_err();
    let ShaderError::Parse { line, column, message } = error else {
        panic!("{error:?}");
    };
    assert_eq!((line, column), (2, 42));
    assert!(message.contains("colour") && message.contains("return colour;"), "{message}");
}

#[test]
fn a_missing_entry_point_lists_the_existing_ones() {
    for (text, message) in [
        (
            SCENE,
            "the source has no entry point `main`; choose from `vs_main` (vertex), `ps_main` \
             (pixel) and `cs_main` (compute)",
        ),
        ("@fragment fn a() {}", "the source has no entry point `main`; the only one is `a` (pixel)"),
        (
            "",
            "the source has no entry point `main`; mark a function with `@vertex`, `@fragment` or `@compute`",
        ),
    ] {
        assert_eq!(pixel(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_entry_point_of_another_stage_is_refused() {
    let error = compile(ShaderSource::wgsl(SCENE, "ps_main"), ShaderStage::Vertex).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the entry point `ps_main` is a pixel shader, not a vertex shader; name another entry point, or call \
         `create_pixel_shader`"
    );
    let error = compile(ShaderSource::wgsl(SCENE, "cs_main"), ShaderStage::Pixel).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the entry point `cs_main` is a compute shader, not a pixel shader; name another entry point, or call \
         `create_compute_shader`"
    );
}

#[test]
fn an_invalid_program_is_reported_with_its_lines() {
    let error = vertex("@vertex fn main() -> @location(0) vec4f { return vec4f(); }").unwrap_err();
    assert!(matches!(error, ShaderError::Invalid { .. }));
    assert!(error.to_string().contains("builtin(position)"), "{error}");
}

#[test]
fn missing_capabilities_are_refused() {
    for (text, reason) in [
        (
            "enable f16;
            @fragment fn main() -> @location(0) f32 { var x: f16 = 1.0h; return f32(x); }",
            "`f16`",
        ),
        (
            "enable primitive_index;
            @fragment fn main(@builtin(primitive_index) i: u32) {}",
            "PRIMITIVE_INDEX",
        ),
    ] {
        let error = pixel(text).unwrap_err();
        assert!(matches!(error, ShaderError::Invalid { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn doubles_are_refused_by_name() {
    for body in [
        "var x = 1.0lf; return f32(x);",
        "let x = f64(p.x); return f32(x);",
        "return f32(f64(p.x) * f64(p.y));",
        "return f32(vec2<f64>(p.xy).y);",
    ] {
        let text = format!("@fragment fn main(@builtin(position) p: vec4f) -> @location(0) f32 {{ {body} }}");
        let error = pixel(&text).unwrap_err();
        assert!(matches!(error, ShaderError::Doubles), "{body}: {error}");
    }
    // A function that the entry point does not call may use doubles.
    let unused = "fn other() -> f64 { return 1.0lf; }
        @fragment fn main() -> @location(0) f32 { return 1; }";
    assert!(pixel(unused).is_ok());
    #[cfg(feature = "hlsl")]
    for body in
        ["double d = p.x; return (float)d;", "return (float)(1.5L * p.x);", "return (float)values[1].d;"]
    {
        let text = format!(
            "struct S {{ double d; }}; StructuredBuffer<S> values;
             float4 main(float4 p : SV_Position) : SV_Target {{ {body} }}"
        );
        let error = compile(ShaderSource::hlsl(&text, "main"), ShaderStage::Pixel).unwrap_err();
        assert!(matches!(error, ShaderError::Doubles), "{body}: {error}");
        assert!(error.to_string().contains("`double` in HLSL"), "{error}");
    }
}

#[test]
fn needs_of_other_entry_points_are_ignored() {
    let text = "enable f16;
        enable primitive_index;
        @fragment fn other(@builtin(primitive_index) i: u32) {}
        @group(0) @binding(40) var<uniform> elsewhere: vec4f;
        override scale: f32;
        @fragment fn third() -> @location(0) vec4f { return elsewhere * scale; }
        @fragment fn main() {}";
    let reflection = pixel(text).unwrap().reflection;
    assert_eq!(reflection.constant_buffers, []);
}

#[test]
fn counters_of_unordered_access_views_are_reflected() {
    let text = "
        @group(4) @binding(5) var<storage, read_write> alone: atomic<u32>;
        @group(3) @binding(1) var<storage, read_write> ids: array<u32>;
        @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;
        @group(4) @binding(2) var<storage, read_write> unused: atomic<u32>;
        @compute @workgroup_size(1) fn main() { ids[atomicAdd(&count, 1u)] = atomicLoad(&alone); }";
    let reflection = compute(text).unwrap().reflection;
    let counters: Vec<_> = reflection.counters.iter().map(|c| (c.slot, c.name.as_str())).collect();
    assert_eq!(counters, [(1, "count"), (5, "alone")]);
    assert_eq!(reflection.counter(5).map(|c| c.name.as_str()), Some("alone"));
    assert_eq!((reflection.counter(2), reflection.unordered_access(5)), (None, None));
    assert_eq!(reflection.unordered_access.len(), 1, "a counter is no view");
}

#[test]
fn group_4_accepts_only_counters() {
    let misplaced = "`x` is in @group(4), which is for the counters of the u registers; declare the counter of u1 as \
                     `@group(4) @binding(1) var<storage, read_write> x: atomic<u32>;`, or use another group";
    for (declarations, value, message) in [
        ("@group(4) @binding(1) var<storage, read_write> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var<storage, read_write> x: atomic<i32>;", "u32(atomicLoad(&x))", misplaced),
        (
            "@group(4) @binding(1) var<storage, read_write> x: array<atomic<u32>>;",
            "atomicLoad(&x[0])",
            misplaced,
        ),
        ("@group(4) @binding(1) var<storage> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var<uniform> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var x: texture_2d<u32>;", "textureLoad(x, vec2(0), 0).x", misplaced),
        (
            "@group(4) @binding(8) var<storage, read_write> x: atomic<u32>;",
            "atomicLoad(&x)",
            "`x` is in slot u8; the slots are u0 to u7, so give it another @binding",
        ),
        (
            "@group(4) @binding(3) var<storage, read_write> x: atomic<u32>; \
             @group(4) @binding(3) var<storage, read_write> y: atomic<u32>;",
            "atomicLoad(&x) + atomicLoad(&y)",
            "`x` and `y` are both the counter of u3; declare it once",
        ),
    ] {
        let text = format!(
            "{declarations} @group(3) @binding(0) var<storage, read_write> out: u32;
            @compute @workgroup_size(1) fn main() {{ out = {value}; }}"
        );
        assert_eq!(compute(&text).unwrap_err().to_string(), message, "{declarations}");
    }
    let declaration = "@group(4) @binding(0) var<storage, read_write> x: atomic<u32>;";
    assert!(pixel_reading(declaration, "f32(atomicLoad(&x))").is_ok());
    let error = vertex_reading(declaration, "f32(atomicLoad(&x))").unwrap_err().to_string();
    assert!(error.contains("`x` is the counter of an unordered-access view, which needs"), "{error}");
}

#[test]
fn resources_in_the_wrong_place_are_refused_by_name() {
    for (declarations, value, message) in [
        (
            "@group(1) @binding(0) var<uniform> x: f32;",
            "x",
            "`x` is a uniform buffer and belongs in @group(0), the b registers, not in @group(1)",
        ),
        (
            "@group(0) @binding(0) var x: texture_1d<f32>;",
            "textureLoad(x, 0, 0).x",
            "`x` is a texture and belongs in @group(1), the t registers, not in @group(0)",
        ),
        (
            "@group(3) @binding(0) var<storage> x: f32;",
            "x",
            "`x` is a read-only storage buffer and belongs in @group(1), the t registers, not in @group(3)",
        ),
        (
            "@group(1) @binding(1) var s: sampler; @group(1) @binding(0) var t: texture_2d<f32>;",
            "textureSample(t, s, vec2f()).x",
            "`s` is a sampler and belongs in @group(2), the s registers, not in @group(1)",
        ),
        (
            "@group(7) @binding(0) var<uniform> x: f32;",
            "x",
            "`x` is a uniform buffer and belongs in @group(0), the b registers, not in @group(7)",
        ),
        (
            "@group(0) @binding(14) var<uniform> x: f32;",
            "x",
            "`x` is in slot b14; the slots are b0 to b13, so give it another @binding",
        ),
        (
            "@group(1) @binding(128) var x: texture_1d<f32>;",
            "textureLoad(x, 0, 0).x",
            "`x` is in slot t128; the slots are t0 to t127, so give it another @binding",
        ),
        (
            "@group(2) @binding(16) var s: sampler; @group(1) @binding(0) var t: texture_2d<f32>;",
            "textureSample(t, s, vec2f()).x",
            "`s` is in slot s16; the slots are s0 to s15, so give it another @binding",
        ),
        (
            "@group(0) @binding(1) var<uniform> x: f32; @group(0) @binding(1) var<uniform> y: f32;",
            "x + y",
            "`x` and `y` are both in slot b1; give one of them another @binding",
        ),
        (
            "@group(1) @binding(1) var<storage> x: f32; @group(1) @binding(1) var y: texture_1d<f32>;",
            "x + textureLoad(y, 0, 0).x",
            "`x` and `y` are both in slot t1; give one of them another @binding",
        ),
        (
            "enable wgpu_binding_array; @group(1) @binding(0) var x: binding_array<texture_1d<f32>, 4>;",
            "textureLoad(x[1], 0, 0).x",
            "`x` is an array of bindings: give each resource a slot of its own",
        ),
        ("override x: f32;", "x", "`override x` cannot be set: use `const`, or a constant buffer"),
        (
            "override render_target_sample_count: f32 = 1;",
            "render_target_sample_count",
            "`override render_target_sample_count` cannot be set: use `const`, or a constant buffer",
        ),
    ] {
        let error = pixel_reading(declarations, value).unwrap_err();
        assert_eq!(error.to_string(), message, "{declarations}");
    }
}

#[test]
fn only_pixel_and_compute_shaders_may_write() {
    for (declaration, value, kind) in [
        (
            "@group(3) @binding(0) var<storage, read_write> x: f32;",
            "x",
            "a storage buffer that can be written",
        ),
        (
            "@group(3) @binding(0) var x: texture_storage_1d<r32float, read>;",
            "textureLoad(x, 0).x",
            "a storage texture",
        ),
        (
            "@group(3) @binding(0) var x: texture_storage_2d_array<r32float, read>;",
            "textureLoad(x, vec2u(), 0).x",
            "a storage texture",
        ),
    ] {
        assert!(pixel_reading(declaration, value).is_ok(), "{declaration}");
        let error = vertex_reading(declaration, value).unwrap_err().to_string();
        let expected = format!(
            "`x` is {kind}, which needs an unordered-access view (the u registers, @group(3)); pixel and compute \
             shaders have them"
        );
        assert_eq!(error, expected, "{declaration}");
    }
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

#[test]
fn a_parsed_module_is_a_source() {
    let module = naga::front::wgsl::parse_str(SCENE).unwrap();
    let code = compile(ShaderSource::naga(&module, "ps_main"), ShaderStage::Pixel).unwrap();
    assert_eq!(code.reflection, scene().1.reflection);
    let invalid =
        naga::front::wgsl::parse_str("@vertex fn main() -> @location(0) vec4f { return vec4f(); }").unwrap();
    let error = compile(ShaderSource::naga(&invalid, "main"), ShaderStage::Vertex).unwrap_err();
    assert!(error.to_string().contains("builtin(position)"), "{error}");
}

/// Links a vertex shader that writes `output` to a pixel shader that reads `input`, where both are
/// declarations such as `@location(0) uv: vec2f`.
fn link(output: &str, value: &str, input: &str) -> Result<(), LinkageError> {
    let vs = vertex(&format!(
        "struct Out {{ @builtin(position) p: vec4f, {output} }}
        @vertex fn main() -> Out {{ return Out(vec4f(), {value}); }}"
    ))
    .unwrap();
    let ps = pixel(&format!("@fragment fn main({input}) {{}}")).unwrap();
    linkage::check_linkage(&vs.reflection, &ps.reflection)
}

#[test]
fn linkage_is_by_location_and_allows_unread_outputs() {
    let output = "@location(0) uv: vec2f, @location(1) n: vec3f";
    let value = "vec2f(), vec3f()";
    for input in [
        "",
        "@location(0) uv: vec2f",
        "@location(0) another_name: vec2f",
        "@location(0) @interpolate(flat) uv: vec2f",
        "@location(0) @interpolate(linear, centroid) uv: vec2f, @location(1) @interpolate(perspective, sample) n: vec3f",
        "@location(1) n: vec3f",
        "@location(1) n: vec2f",
        "@location(1) n: f32",
        "@location(0) uv: vec2f, @location(1) n: vec3f",
    ] {
        assert_eq!(link(output, value, input), Ok(()), "{input}");
    }
}

#[test]
fn linkage_errors_name_the_input() {
    for (output, value, input, message) in [
        (
            "@location(0) uv: vec2f",
            "vec2f()",
            "@location(1) normal: vec3f",
            "the pixel shader's input `normal` at location 1 is not written by the vertex shader, \
             which needs an output there",
        ),
        (
            "@location(0) uv: vec2f",
            "vec2f()",
            "@location(0) uv: vec3f",
            "the pixel shader's input `uv` at location 0 is vec3<f32>, but the vertex shader writes \
             vec2<f32>",
        ),
        (
            "@location(0) @interpolate(flat) id: u32",
            "1u",
            "@location(0) @interpolate(flat) id: i32",
            "the pixel shader's input `id` at location 0 is i32, but the vertex shader writes u32",
        ),
    ] {
        assert_eq!(link(output, value, input).unwrap_err().to_string(), message);
    }
}
