//! Tests of the runner, most of them with shaders in WGSL so that the compiler is not involved.

use super::*;

fn wgsl(unit: &Unit) -> Result<Program, String> {
    let module = naga::front::wgsl::parse_str(&unit.source).map_err(|error| error.to_string())?;
    Ok(Program { module, defaults: Vec::new() })
}

/// Runs a file, or returns `None` if no adapter is available and the environment does not require one.
fn result(text: &str) -> Option<FileResult> {
    let result = run_with("test", &ShaderTest::parse(text).unwrap(), wgsl);
    let missing = result.failures.iter().any(|(_, error)| error.starts_with("no device"));
    if missing {
        assert!(std::env::var_os("ONZE_ALLOW_NO_GPU").is_some(), "{result:?}");
        return None;
    }
    Some(result)
}

#[test]
fn uniforms_reach_shaders_and_probes_report_differences() {
    let text = "[pixel shader]
@group(0) @binding(0) var<uniform> words: array<vec4f, 2>;
@fragment fn main() -> @location(0) vec4f { return words[1]; }
[test]
uniform 4 float4 1.0 2.0 3.0 4.0
draw quad
probe (0, 0, 640, 480) rgba (1.0, 2.0, 3.0, 4.0)
probe (3, 4) rgba (1.0, 2.0, 3.0, 5.0)
uniform 5 float 7.0
draw quad
probe (639, 479) rgba (1.0, 7.0, 3.0, 4.0)
";
    let Some(result) = result(text) else { return };
    assert_eq!((result.draws, result.probes), ((2, 2), (2, 3)), "{result:?}");
    let wrong = "wrong: (3, 4) is [1.0, 2.0, 3.0, 4.0], not [1.0, 2.0, 3.0, 5.0]";
    assert_eq!(result.failures, [(8, wrong.to_owned())]);
}

#[test]
fn shaders_read_textures_of_all_kinds() {
    let text = "[srv 0]
size (2d, 2, 2)
levels 2
1.0 0.0 0.0 0.0  2.0 0.0 0.0 0.0
3.0 0.0 0.0 0.0  4.0 0.0 0.0 0.0
5.0 0.0 0.0 0.0
[srv 1]
size (2darray, 1, 1, 2)
format r32-float
6.0 7.0
[srv 2]
size (buffer, 2)
format r32-uint
8 9
[srv 3]
size (buffer, 2)
stride 8
1 2 3 10
[sampler 0]
filter linear linear linear
address wrap wrap wrap
[pixel shader]
@group(1) @binding(0) var plain: texture_2d<f32>;
@group(1) @binding(1) var layers: texture_2d_array<f32>;
@group(1) @binding(2) var typed: texture_1d<u32>;
struct Pair { a: u32, b: u32 }
@group(1) @binding(3) var<storage> pairs: array<Pair>;
@group(2) @binding(0) var linear: sampler;
@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    if at.x < 1.0 {
        let b = textureLoad(layers, vec2i(), 1, 0).x;
        return vec4f(textureLoad(plain, vec2i(0, 1), 0).x, b, f32(textureLoad(typed, 1, 0).x), f32(pairs[1].b));
    }
    return vec4f(textureSampleLevel(plain, linear, vec2f(0.0, 0.5), 0.0).x, textureLoad(plain, vec2i(), 1).x, 0.0, 0.0);
}
[test]
draw quad
probe (0, 0) rgba (3.0, 7.0, 9.0, 10.0)
probe (1, 0) rgba (2.5, 5.0, 0.0, 0.0)
";
    let Some(result) = result(text) else { return };
    assert_eq!(result.failures, []);
    assert_eq!(result.probes, (2, 2));
}

#[test]
fn compute_shaders_write_views_and_counters() {
    let text = "[require]
shader model >= 5.0
[uav 0]
format r32-float
size (2d, 2, 2)
0.0 0.0 0.0 0.0
[uav 1]
format r32-uint
size (buffer, 3)
1 2 3
[uav 2]
size (counter_buffer, 4)
5 0 0 0
[compute shader]
@group(3) @binding(0) var texels: texture_storage_2d<r32float, write>;
@group(3) @binding(1) var words: texture_storage_1d<r32uint, write>;
@group(3) @binding(2) var<storage, read_write> counted: array<u32>;
@group(4) @binding(2) var<storage, read_write> counter: atomic<u32>;
@compute @workgroup_size(2, 2) fn main(@builtin(local_invocation_id) at: vec3u) {
    textureStore(texels, at.xy, vec4f(f32(at.x + 2u * at.y)));
    if at.x + at.y == 0u {
        textureStore(words, 2, vec4u(7));
        counted[atomicAdd(&counter, 1u)] = 1u;
    }
}
[test]
dispatch 1 1 1
probe uav 0 (1, 1) f32 (3.0)
probe uav 0 (0, 1) f32 (2.0)
probe uav 1 (1) u32 (2)
probe uav 1 (2) u32 (7)
probe uav 2 (0) u32 (6)
";
    let Some(result) = result(text) else { return };
    assert_eq!(result.failures, []);
    assert_eq!((result.draws, result.probes), ((1, 1), (5, 5)));
}

#[test]
fn draws_use_vertex_buffers_depth_and_multisampled_targets() {
    let text = "[rtv 0]
size (2dms, 4, 16, 16)
[dsv]
size (2dms, 4, 16, 16)
[vb 0]
-2.0 -2.0 0.5 1.0
-2.0  4.0 0.5 1.0
 4.0 -2.0 0.5 1.0
[vb 1]
3.0 3.0 3.0
[input layout]
0 r32g32b32a32-float at
1 r32-float value
[vertex shader]
struct Out { @builtin(position) at: vec4f, @location(0) value: f32 }
@vertex fn main(@location(0) at: vec4f, @location(1) value: f32) -> Out { return Out(at, value); }
[pixel shader]
@fragment fn main(@location(0) value: f32) -> @location(0) vec4f { return vec4f(value); }
[test]
clear rtv 0 1 1 1 1
clear dsv 0.4
depth less equal
draw triangle list 3
probe (0, 0, 16, 16) rgba (1.0, 1.0, 1.0, 1.0)
depth greater
draw triangle list 3
probe (0, 0, 16, 16) rgba (3.0, 3.0, 3.0, 3.0) 1
";
    let Some(result) = result(text) else { return };
    assert_eq!(result.failures, []);
    assert_eq!((result.draws, result.probes), ((2, 2), (2, 2)));
}

#[test]
fn tests_of_other_models_and_after_errors_are_skipped() {
    let text = "[pixel shader fail]
nothing
[test]
draw quad
[require]
shader model >= 6.0
[pixel shader]
nothing
[test]
draw quad
[require]
[pixel shader]
nothing
[test]
draw quad
probe (0, 0) rgba (0, 0, 0, 0)
";
    let Some(result) = result(text) else { return };
    assert_eq!((result.draws, result.probes), ((0, 1), (0, 1)));
    assert_eq!(result.failures.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [15, 16]);
}

#[test]
fn patches_and_geometry_shaders_are_drawn() {
    let shaders = "[vertex shader]
void main(uint n : SV_VertexID, out float2 key : KEY) { key = float2(n % 2 ? 1 : -1, n / 2 ? 1 : -1); }
[hull shader]
struct P { float2 key : KEY; };
struct C { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
C constants() { C c; c.edges = (float[4])1; c.inside = (float[2])1; return c; }
 [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(4)]
 [patchconstantfunc(\"constants\")]
P main(InputPatch<P, 4> p, uint n : SV_OutputControlPointID) { return p[n]; }
[domain shader]
struct P { float2 key : KEY; };
struct C { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
uniform float4 scale;
 [domain(\"quad\")] float4 main(C c, float2 uv : SV_DomainLocation, const OutputPatch<P, 4> p) : SV_Position {
    return float4(lerp(p[0].key, p[3].key, uv), 0, 1) * scale;
}
[pixel shader]
float4 main(float4 at : SV_Position) : SV_Target { return float4(1, 2, 3, 4); }
";
    let test = "[test]
uniform 0 float4 1.0 1.0 1.0 1.0
clear rtv 0 0.0 0.0 0.0 0.0
draw 4 control point patch list 4
probe (0, 0, 640, 480) rgba (1.0, 2.0, 3.0, 4.0)
";
    let geometry = "[geometry shader]
struct V { float4 at : SV_Position; };
 [maxvertexcount(3)] void main(triangle V v[3], inout TriangleStream<V> to) {
    for (uint k = 0; k < 3; k++) { v[k].at.x = min(v[k].at.x, 0); to.Append(v[k]); }
}
";
    let again = "[test]
clear rtv 0 0.0 0.0 0.0 0.0
draw 4 control point patch list 4
probe (0, 0, 320, 480) rgba (1.0, 2.0, 3.0, 4.0)
probe (321, 0, 640, 480) rgba (0.0, 0.0, 0.0, 0.0)
";
    let requirements = "[require]\nshader model >= 5.0\ntessellation-shader\ngeometry-shader\n";
    let text = format!("{requirements}{shaders}{test}{geometry}{again}");
    let result = run("test", &ShaderTest::parse(&text).unwrap());
    if result.failures.iter().any(|(_, error)| error.starts_with("no device")) {
        assert!(std::env::var_os("ONZE_ALLOW_NO_GPU").is_some(), "{result:?}");
        return;
    }
    assert_eq!(result.failures, []);
    assert_eq!((result.draws, result.probes), ((2, 2), (3, 3)));
}
