//! Tests of the linkage of a vertex shader to a pixel shader.

use super::{pixel, vertex};
use crate::shader::linkage::{LinkageError, check_linkage};

/// Links a vertex shader that writes `output` to a pixel shader that reads `input`, where both are
/// declarations such as `@location(0) uv: vec2f`.
fn link(output: &str, value: &str, input: &str) -> Result<(), LinkageError> {
    let vs = vertex(&format!(
        "struct Out {{ @builtin(position) p: vec4f, {output} }}
        @vertex fn main() -> Out {{ return Out(vec4f(), {value}); }}"
    ))
    .unwrap();
    let ps = pixel(&format!("@fragment fn main({input}) {{}}")).unwrap();
    check_linkage(&vs.reflection, &ps.reflection)
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
