//! Mistakes in shaders: syntax, types, entry points, bindings and the choice of language.

use onze::prelude::*;

use super::{
    Mistake, Outcome, row,
    scene::{SHADER, Scene},
};

fn pixel(s: &Scene, text: &str) -> Outcome {
    s.device.create_pixel_shader(ShaderSource::wgsl(text, "main")).map(drop)
}

pub(crate) const MISTAKES: &[Mistake] = &[
    row("missing semicolon", &["expected `;`", "wgsl:3:1"], |s| {
        pixel(s, "@fragment fn main() -> @location(0) vec4f {\n    return vec4f(1.0)\n}")
    }),
    row("unknown name", &["colour", "wgsl:1", "unknown identifier"], |s| {
        pixel(s, "@fragment fn main() -> @location(0) vec4f { return colour; }")
    }),
    row(
        "sum of vectors of different sizes",
        &["in `main`", "`+`", "`a`, which is vec3<f32>", "`b`, which is vec4<f32>", "wgsl:4:10"],
        |s| {
            pixel(
                s,
                "@fragment fn main() -> @location(0) vec4f {\n  let a = vec3f();\n  let b = vec4f();\n  return a + b;\n}",
            )
        },
    ),
    row(
        "returned value of another type",
        &["`vec3f(1.0)` is returned", "returns vec4<f32>", "wgsl:1"],
        |s| pixel(s, "@fragment fn main() -> @location(0) vec4f { return vec3f(1.0); }"),
    ),
    row("argument of another type", &["argument 1 of `half`", "`1i`", "takes f32"], |s| {
        let text = "fn half(x: f32) -> f32 { return x / 2.0; }
            @fragment fn main() -> @location(0) vec4f { return vec4f(half(1i)); }";
        pixel(s, text)
    }),
    row("float as a condition", &["`a` after `if`", "bool"], |s| {
        let text = "@fragment fn main(@location(0) a: f32) -> @location(0) vec4f { if a { return vec4f(); } \
            return vec4f(1.0); }";
        pixel(s, text)
    }),
    row("no return", &["may end without a value", "vec4<f32>"], |s| {
        pixel(s, "@fragment fn main() -> @location(0) vec4f { }")
    }),
    row("argument without a location", &["`uv`", "@location(n)"], |s| {
        pixel(s, "@fragment fn main(uv: vec2f) -> @location(0) vec4f { return vec4f(uv, 0.0, 1.0); }")
    }),
    row("textureSample in a vertex shader", &["in `main`", "`textureSample`", "`textureSampleLevel`"], |s| {
        let text = "@group(1) @binding(0) var t: texture_2d<f32>; @group(2) @binding(0) var s: sampler;
            @vertex fn main() -> @builtin(position) vec4f { return textureSample(t, s, vec2f()); }";
        s.device.create_vertex_shader(ShaderSource::wgsl(text, "main")).map(drop)
    }),
    row("array of floats in a constant buffer", &["`weights`", "stride of 4 bytes", "16", "vec4"], |s| {
        let text = "@group(0) @binding(0) var<uniform> weights: array<f32, 4>;
            @fragment fn main() -> @location(0) vec4f { return vec4f(weights[1]); }";
        pixel(s, text)
    }),
    row(
        "entry point that is not there",
        &["no entry point `main`", "`vs_main` (vertex)", "choose from"],
        |s| s.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "main")).map(drop),
    ),
    row("entry point of another stage", &["`ps_main` is a pixel shader", "create_pixel_shader"], |s| {
        s.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "ps_main")).map(drop)
    }),
    row("HLSL", &["`ShaderSource::wgsl` was given HLSL (`cbuffer`)", "use `ShaderSource::hlsl`"], |s| {
        pixel(s, "cbuffer Camera : register(b0) { float4x4 m; };\nfloat4 main() : SV_Target { return m[0]; }")
    }),
    row("GLSL", &["`ShaderSource::wgsl` was given GLSL (`#version`)", "use `ShaderSource::glsl`"], |s| {
        pixel(s, "#version 450\nlayout(location = 0) out vec4 color;\nvoid main() { color = vec4(1.0); }")
    }),
    row("a type of HLSL in WGSL", &["`float4` is `vec4f` in WGSL", "wgsl:1"], |s| {
        pixel(s, "@fragment fn main() -> @location(0) float4 { return float4(1.0); }")
    }),
    row("wrong group", &["`albedo`", "@group(1)", "not in @group(0)"], |s| {
        let text = "@group(0) @binding(0) var albedo: texture_2d<f32>;
            @fragment fn main() -> @location(0) vec4f { return textureLoad(albedo, vec2u(), 0); }";
        pixel(s, text)
    }),
    row("variable without group and binding", &["`tint`", "`@group` and `@binding`"], |s| {
        let text = "var<uniform> tint: vec4f; @fragment fn main() -> @location(0) vec4f { return tint; }";
        pixel(s, text)
    }),
    row("slot that does not exist", &["`tint`", "b20", "b0 to b13", "another @binding"], |s| {
        let text = "@group(0) @binding(20) var<uniform> tint: vec4f;
            @fragment fn main() -> @location(0) vec4f { return tint; }";
        pixel(s, text)
    }),
    row("two variables in a slot", &["`a` and `b`", "b0", "another @binding"], |s| {
        let text = "@group(0) @binding(0) var<uniform> a: vec4f; @group(0) @binding(0) var<uniform> b: vec4f;
            @fragment fn main() -> @location(0) vec4f { return a + b; }";
        pixel(s, text)
    }),
    row("integers that are interpolated", &["`id`", "@interpolate(flat)"], |s| {
        pixel(s, "@fragment fn main(@location(0) id: u32) -> @location(0) vec4f { return vec4f(f32(id)); }")
    }),
    row("vertex shader without a position", &["in `main`", "@builtin(position)"], |s| {
        let text = "@vertex fn main() -> @location(0) vec4f { return vec4f(); }";
        s.device.create_vertex_shader(ShaderSource::wgsl(text, "main")).map(drop)
    }),
];
