//! Tests of compilation: the reflection of valid shaders, and the errors of invalid ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bindings;
mod geometry;
mod linkage;
mod signature;
mod tessellation;

use onze_ddi::{ShaderCode, ShaderStage};

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
fn a_parsed_module_is_a_source() {
    let module = naga::front::wgsl::parse_str(SCENE).unwrap();
    let code = compile(ShaderSource::naga(&module, "ps_main"), ShaderStage::Pixel).unwrap();
    assert_eq!(code.reflection, scene().1.reflection);
    let invalid =
        naga::front::wgsl::parse_str("@vertex fn main() -> @location(0) vec4f { return vec4f(); }").unwrap();
    let error = compile(ShaderSource::naga(&invalid, "main"), ShaderStage::Vertex).unwrap_err();
    assert!(error.to_string().contains("builtin(position)"), "{error}");
}
