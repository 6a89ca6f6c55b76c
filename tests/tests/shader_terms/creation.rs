//! Mistakes that are reported when a shader or an input layout is created, in both languages.

use onze::prelude::*;

use super::{Bench, Mistake, Text};

const VERTEX: Text = Text {
    hlsl: "float4 main(float3 p : POSITION, float2 uv : TEXCOORD1) : SV_Position { return float4(p, uv.x); }",
    wgsl: "@vertex fn main(@location(0) position: vec3f, @location(1) texcoord1: vec2f) -> @builtin(position) vec4f {
        return vec4f(position, texcoord1.x); }",
};

const GROUP: Text = Text {
    hlsl: "groupshared float4 a[4096]; [numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { a[i] = 1; }",
    wgsl: "var<workgroup> a: array<vec4f, 4096>;
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { a[i] = vec4f(1.0); }",
};

const THREADS: Text = Text {
    hlsl: "[numthreads(64, 64, 1)] void main() {}",
    wgsl: "@compute @workgroup_size(64, 64, 1) fn main() {}",
};

const WRONG_TYPE: Text = Text {
    hlsl: "float4 main() : SV_Target { float2 a = 1; return a.xyz; }",
    wgsl: "@fragment fn main() -> @location(0) vec4f { let a = vec2f(1.0); return a; }",
};

const UNKNOWN: Text = Text {
    hlsl: "float4 main() : SV_Target { return colour; }",
    wgsl: "@fragment fn main() -> @location(0) vec4f { return colour; }",
};

const BOTH: Text = Text {
    hlsl: "float4 vs_main() : SV_Position { return 0; } float4 ps_main() : SV_Target { return 1; }",
    wgsl: "@vertex fn vs_main() -> @builtin(position) vec4f { return vec4f(); }
        @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0); }",
};

fn layout(b: &Bench<'_>, elements: &[InputElementDesc]) -> Result<(), onze::Error> {
    let vs = b.device.create_vertex_shader(b.source(VERTEX))?;
    b.device.create_input_layout(elements, &vs).map(drop)
}

fn position(format: Format) -> InputElementDesc {
    InputElementDesc::new("POSITION", 0, format)
}

fn uv() -> InputElementDesc {
    InputElementDesc::new("TEXCOORD", 1, Format::R32G32_FLOAT)
}

pub(crate) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "an input without an element",
        hlsl: &["input `TEXCOORD1` has no element"],
        wgsl: &["input TEXCOORD1 (`texcoord1`, @location(1)) has no element"],
        make: |b| layout(b, &[position(Format::R32G32B32_FLOAT)]),
    },
    Mistake {
        name: "a format of another kind",
        hlsl: &["R32G32B32_UINT does not convert to float3", "input `POSITION0`"],
        wgsl: &["R32G32B32_UINT does not convert to vec3<f32>", "input POSITION0 (`position`, @location(0))"],
        make: |b| layout(b, &[position(Format::R32G32B32_UINT), uv()]),
    },
    Mistake {
        name: "two elements for an input",
        hlsl: &["two elements for the vertex shader's input `POSITION0`"],
        wgsl: &["two elements for the vertex shader's input POSITION0 (`position`, @location(0))"],
        make: |b| {
            let again = InputElementDesc::new("", 0, Format::R32G32B32_FLOAT).at_location(0);
            layout(b, &[position(Format::R32G32B32_FLOAT), uv(), again])
        },
    },
    Mistake {
        name: "too much shared memory",
        hlsl: &["32768"],
        wgsl: &["`var<workgroup>`", "32768"],
        make: |b| b.dispatch(GROUP),
    },
    Mistake {
        name: "too many threads",
        hlsl: &["1024"],
        wgsl: &["@workgroup_size", "1024"],
        make: |b| b.dispatch(THREADS),
    },
    Mistake {
        name: "a value of another type",
        hlsl: &["the shader does not compile", "X30"],
        wgsl: &["`a` is returned", "returns vec4<f32>"],
        make: |b| b.device.create_pixel_shader(b.source(WRONG_TYPE)).map(drop),
    },
    Mistake {
        name: "an unknown name",
        hlsl: &["the shader does not compile", "colour"],
        wgsl: &["the shader does not compile", "colour"],
        make: |b| b.device.create_pixel_shader(b.source(UNKNOWN)).map(drop),
    },
    Mistake {
        name: "an entry point that does not exist",
        hlsl: &["'main': entrypoint not found", "'vs_main' (vertex shader) and 'ps_main' (pixel shader)"],
        wgsl: &["no entry point `main`", "`vs_main` (vertex) and `ps_main` (pixel)"],
        make: |b| b.device.create_pixel_shader(b.source(BOTH)).map(drop),
    },
    Mistake {
        name: "a pixel shader as a vertex shader",
        hlsl: &["`ps_main` looks like a pixel shader: call `create_pixel_shader`"],
        wgsl: &["`ps_main` is a pixel shader", "call `create_pixel_shader`"],
        make: |b| b.device.create_vertex_shader(b.source_of(BOTH, "ps_main")).map(drop),
    },
    Mistake {
        name: "a vertex shader as a compute shader",
        hlsl: &["`vs_main` looks like a vertex shader: call `create_vertex_shader`"],
        wgsl: &["`vs_main` is a vertex shader", "call `create_vertex_shader`"],
        make: |b| b.device.create_compute_shader(b.source_of(BOTH, "vs_main")).map(drop),
    },
];
