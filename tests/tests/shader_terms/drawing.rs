//! Mistakes that are reported at a draw or a dispatch, for shaders in both languages.

use onze::prelude::*;

use super::{Bench, Mistake, PLAIN_PIXEL, Text};

const TEXTURE: Text = Text {
    hlsl: "Texture2D albedo : register(t3); float4 main() : SV_Target { return albedo.Load(0); }",
    wgsl: "@group(1) @binding(3) var albedo: texture_2d<f32>;
        @fragment fn main() -> @location(0) vec4f { return textureLoad(albedo, vec2u(), 0); }",
};

const COMPARED: Text = Text {
    hlsl: "Texture2D shadow : register(t0); SamplerComparisonState less : register(s0);
        float4 main() : SV_Target { return shadow.SampleCmpLevelZero(less, 0, 0.5); }",
    wgsl: "@group(1) @binding(0) var shadow: texture_depth_2d; @group(2) @binding(0) var less: sampler_comparison;
        @fragment fn main() -> @location(0) vec4f {
            return vec4f(textureSampleCompareLevel(shadow, less, vec2f(), 0.5)); }",
};

const SAMPLED: Text = Text {
    hlsl: "Texture2D albedo : register(t0); SamplerState filtered : register(s2);
        float4 main() : SV_Target { return albedo.Sample(filtered, 0); }",
    wgsl: "@group(1) @binding(0) var albedo: texture_2d<f32>; @group(2) @binding(2) var filtered: sampler;
        @fragment fn main() -> @location(0) vec4f { return textureSample(albedo, filtered, vec2f()); }",
};

const STRUCTURED: Text = Text {
    hlsl: "StructuredBuffer<float4> lights : register(t1); float4 main() : SV_Target { return lights[1]; }",
    wgsl: "@group(1) @binding(1) var<storage, read> lights: array<vec4f>;
        @fragment fn main() -> @location(0) vec4f { return lights[1]; }",
};

const TYPED: Text = Text {
    hlsl: "Buffer<int2> numbers : register(t0); float4 main() : SV_Target { return numbers[0].xyxy; }",
    wgsl: "@group(1) @binding(0) var numbers: texture_1d<i32>;
        @fragment fn main() -> @location(0) vec4f { return vec4f(textureLoad(numbers, 0, 0)); }",
};

const CONSTANTS: Text = Text {
    hlsl: "cbuffer Frame : register(b1) { float4 tint; float4 more; }; float4 main() : SV_Target { return tint + more; }",
    wgsl: "struct F { tint: vec4f, more: vec4f } @group(0) @binding(1) var<uniform> Frame: F;
        @fragment fn main() -> @location(0) vec4f { return Frame.tint + Frame.more; }",
};

const WRITTEN: Text = Text {
    hlsl: "struct P { float4 a; }; RWStructuredBuffer<P> items : register(u2);
        [numthreads(1, 1, 1)] void main() { items[0].a = 1; }",
    wgsl: "struct P { a: vec4f } @group(3) @binding(2) var<storage, read_write> items: array<P>;
        @compute @workgroup_size(1) fn main() { items[0].a = vec4f(1.0); }",
};

const APPENDED: Text = Text {
    hlsl: "AppendStructuredBuffer<float4> items : register(u0); [numthreads(1, 1, 1)] void main() { items.Append(1); }",
    wgsl: "@group(3) @binding(0) var<storage, read_write> items: array<vec4f>;
        @group(4) @binding(0) var<storage, read_write> next: atomic<u32>;
        @compute @workgroup_size(1) fn main() { items[atomicAdd(&next, 1u)] = vec4f(1.0); }",
};

const IMAGE: Text = Text {
    hlsl: "RWTexture2D<float4> picture : register(u0); [numthreads(1, 1, 1)] void main() { picture[uint2(0, 0)] = 1; }",
    wgsl: "@group(3) @binding(0) var picture: texture_storage_2d<rgba32float, write>;
        @compute @workgroup_size(1) fn main() { textureStore(picture, vec2u(), vec4f(1.0)); }",
};

const TYPED_WRITTEN: Text = Text {
    hlsl: "RWBuffer<uint> counts : register(u0); [numthreads(1, 1, 1)] void main() { counts[0] = 1; }",
    wgsl: "@group(3) @binding(0) var counts: texture_storage_1d<r32uint, write>;
        @compute @workgroup_size(1) fn main() { textureStore(counts, 0u, vec4u(1u)); }",
};

const VERTEX: Text = Text {
    hlsl: "float4 main(float3 p : POSITION, float2 uv : TEXCOORD1) : SV_Position { return float4(p, uv.x); }",
    wgsl: "@vertex fn main(@location(0) position: vec3f, @location(1) texcoord1: vec2f) -> @builtin(position) vec4f {
        return vec4f(position, texcoord1.x); }",
};

const INTEGER_VERTEX: Text = Text {
    hlsl: "float4 main(uint3 p : POSITION, float2 uv : TEXCOORD1) : SV_Position { return float4(p, uv.x); }",
    wgsl: "@vertex fn main(@location(0) position: vec3u, @location(1) texcoord1: vec2f) -> @builtin(position) vec4f {
        return vec4f(vec3f(position), texcoord1.x); }",
};

const ONE_INPUT: Text = Text {
    hlsl: "float4 main(float3 p : POSITION) : SV_Position { return float4(p, 1); }",
    wgsl: "@vertex fn main(@location(0) position: vec3f) -> @builtin(position) vec4f { return vec4f(position, 1.0); }",
};

const VARYING_VERTEX: Text = Text {
    hlsl: "void main(out float2 uv : TEXCOORD0, out float4 p : SV_Position) { uv = 0; p = 0; }",
    wgsl: "struct Out { @location(0) uv: vec2f, @builtin(position) p: vec4f }
        @vertex fn main() -> Out { return Out(); }",
};

const WIDER_PIXEL: Text = Text {
    hlsl: "float4 main(float4 uv : TEXCOORD0) : SV_Target { return uv; }",
    wgsl: "@fragment fn main(@location(0) uv: vec4f) -> @location(0) vec4f { return uv; }",
};

const MORE_PIXEL: Text = Text {
    hlsl: "float4 main(float2 uv : TEXCOORD0, float3 n : NORMAL) : SV_Target { return float4(n, uv.x); }",
    wgsl: "@fragment fn main(@location(0) uv: vec2f, @location(1) n: vec3f) -> @location(0) vec4f {
        return vec4f(n, uv.x); }",
};

const INTEGER_PIXEL: Text = Text {
    hlsl: "uint4 main() : SV_Target0 { return 1; }",
    wgsl: "@fragment fn main() -> @location(0) vec4u { return vec4u(1u); }",
};

const ELSEWHERE_PIXEL: Text = Text {
    hlsl: "float4 main() : SV_Target1 { return 1; }",
    wgsl: "@fragment fn main() -> @location(1) vec4f { return vec4f(1.0); }",
};

fn elements() -> [InputElementDesc; 2] {
    [
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TEXCOORD", 1, Format::R32G32_FLOAT),
    ]
}

/// Draws with a vertex shader and an input layout that was created for another vertex shader.
fn draw_vertex(b: &mut Bench<'_>, of_layout: Text, text: Text) -> Result<(), onze::Error> {
    b.bind_target();
    let first = b.device.create_vertex_shader(b.source(of_layout))?;
    let vs = b.device.labelled("vs").create_vertex_shader(b.source(text))?;
    let ps = b.device.labelled("ps").create_pixel_shader(b.source(PLAIN_PIXEL))?;
    let layout = b.device.create_input_layout(&elements(), &first)?;
    b.cx.ia_set_input_layout(&layout);
    b.cx.vs_set_shader(&vs);
    b.cx.ps_set_shader(&ps);
    b.cx.draw(3, 0);
    Ok(())
}

fn link(b: &mut Bench<'_>, pixel: Text) -> Result<(), onze::Error> {
    b.bind_target();
    let vs = b.device.labelled("vs").create_vertex_shader(b.source(VARYING_VERTEX))?;
    let ps = b.device.labelled("ps").create_pixel_shader(b.source(pixel))?;
    b.cx.vs_set_shader(&vs);
    b.cx.ps_set_shader(&ps);
    b.cx.draw(3, 0);
    Ok(())
}

fn cube(b: &Bench<'_>) -> ShaderResourceView {
    let desc = Texture2dDesc {
        array_size: 6,
        misc_flags: MiscFlags::TEXTURECUBE,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
    };
    b.device.create_shader_resource_view(&b.texture(desc), None).unwrap()
}

fn comparison() -> SamplerDesc {
    SamplerDesc::comparison(Filter::COMPARISON_MIN_MAG_MIP_POINT, ComparisonFunc::Less)
}

fn colors(b: &Bench<'_>, format: Format) -> ShaderResourceView {
    b.texture(Texture2dDesc::new(format, 4, 4)).create_shader_resource_view().unwrap()
}

const BUFFER: BindFlags = BindFlags::SHADER_RESOURCE;
const WRITE: BindFlags = BindFlags::UNORDERED_ACCESS;

pub(crate) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "no texture",
        hlsl: &["slot t3", "reads `albedo`"],
        wgsl: &["slot t3", "reads `albedo`"],
        make: |b| b.draw_pixel(TEXTURE),
    },
    Mistake {
        name: "a cube for a 2D texture",
        hlsl: &["`albedo` there as `Texture2D<float4>`", "TextureCube"],
        wgsl: &["`albedo` there as `texture_2d<f32>`"],
        make: |b| {
            let view = cube(b);
            b.cx.ps_set_shader_resources(3, &view);
            b.draw_pixel(TEXTURE)
        },
    },
    Mistake {
        name: "integers for colours",
        hlsl: &["`albedo` there as `Texture2D<float4>`", "R8G8B8A8_UINT"],
        wgsl: &["`albedo` there as `texture_2d<f32>`", "R8G8B8A8_UINT"],
        make: |b| {
            let view = colors(b, Format::R8G8B8A8_UINT);
            b.cx.ps_set_shader_resources(3, &view);
            b.draw_pixel(TEXTURE)
        },
    },
    Mistake {
        name: "colours for depth",
        hlsl: &["`shadow` there as `Texture2D<float4>` with `SampleCmp`"],
        wgsl: &["`shadow` there as `texture_depth_2d`"],
        make: |b| {
            let (view, less) = (colors(b, Format::R32_FLOAT), b.sampler(comparison()));
            b.cx.ps_set_shader_resources(0, &view);
            b.cx.ps_set_samplers(0, &less);
            b.draw_pixel(COMPARED)
        },
    },
    Mistake {
        name: "a sampler that does not compare",
        hlsl: &["does not compare", "`less` there as `SamplerComparisonState`"],
        wgsl: &["does not compare", "`less` there as `sampler_comparison`"],
        make: |b| {
            let sampler = b.sampler(SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp));
            b.cx.ps_set_samplers(0, &sampler);
            b.draw_pixel(COMPARED)
        },
    },
    Mistake {
        name: "a sampler that compares",
        hlsl: &["compares", "`filtered` there as `SamplerState`"],
        wgsl: &["compares", "`filtered` there as `sampler`"],
        make: |b| {
            let less = b.sampler(comparison());
            b.cx.ps_set_samplers(2, &less);
            b.draw_pixel(SAMPLED)
        },
    },
    Mistake {
        name: "no sampler",
        hlsl: &["slot s2", "uses `filtered`"],
        wgsl: &["slot s2", "uses `filtered`"],
        make: |b| b.draw_pixel(SAMPLED),
    },
    Mistake {
        name: "a structured buffer of another stride",
        hlsl: &["`lights` there as `StructuredBuffer` of elements of 16 bytes", "elements of 8 bytes"],
        wgsl: &["`lights` there as a buffer of elements of 16 bytes", "elements of 8 bytes"],
        make: |b| {
            let buffer = b.device.create_buffer(&BufferDesc::structured(8, 8, BUFFER), None)?;
            b.cx.ps_set_shader_resources(1, &b.device.create_shader_resource_view(&buffer, None)?);
            b.draw_pixel(STRUCTURED)
        },
    },
    Mistake {
        name: "a texture for a structured buffer",
        hlsl: &["`lights` there as `StructuredBuffer`"],
        wgsl: &["`lights` there as a buffer"],
        make: |b| {
            let view = colors(b, Format::R8G8B8A8_UNORM);
            b.cx.ps_set_shader_resources(1, &view);
            b.draw_pixel(STRUCTURED)
        },
    },
    Mistake {
        name: "a texture for a typed buffer",
        hlsl: &["`numbers` there as `Buffer<int2>`"],
        wgsl: &["`numbers` there as `texture_1d<i32>`"],
        make: |b| {
            let view = colors(b, Format::R8G8B8A8_UNORM);
            b.cx.ps_set_shader_resources(0, &view);
            b.draw_pixel(TYPED)
        },
    },
    Mistake {
        name: "no constant buffer",
        hlsl: &["slot b1", "reads `Frame`", "32 bytes"],
        wgsl: &["slot b1", "reads `Frame`", "32 bytes"],
        make: |b| b.draw_pixel(CONSTANTS),
    },
    Mistake {
        name: "a short constant buffer",
        hlsl: &["slot b1", "shows 16 bytes", "reads `Frame`"],
        wgsl: &["slot b1", "shows 16 bytes", "reads `Frame`"],
        make: |b| {
            let buffer = b.device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None)?;
            b.cx.ps_set_constant_buffers(1, &buffer);
            b.draw_pixel(CONSTANTS)
        },
    },
    Mistake {
        name: "no view to write",
        hlsl: &["slot u2", "writes `items`"],
        wgsl: &["slot u2", "writes `items`"],
        make: |b| b.dispatch(WRITTEN),
    },
    Mistake {
        name: "written elements of another size",
        hlsl: &["`items` there as `RWStructuredBuffer` of elements of 16 bytes", "structure_byte_stride"],
        wgsl: &["`items` there as a buffer of elements of 16 bytes", "structure_byte_stride"],
        make: |b| {
            let view = b.written(&BufferDesc::structured(8, 8, WRITE), None);
            b.cx.cs_set_unordered_access_views(2, &view);
            b.dispatch(WRITTEN)
        },
    },
    Mistake {
        name: "a raw view for structured elements",
        hlsl: &["`items` there as `RWStructuredBuffer`", "declare it as `RWByteAddressBuffer`"],
        wgsl: &["`items` there as a buffer", "declare it as `array<u32>`"],
        make: |b| {
            let view =
                b.written(&BufferDesc::raw(64, WRITE), Some(&UnorderedAccessViewDesc::raw_buffer(0, 16)));
            b.cx.cs_set_unordered_access_views(2, &view);
            b.dispatch(WRITTEN)
        },
    },
    Mistake {
        name: "a typed view for structured elements",
        hlsl: &["`items` there as `RWStructuredBuffer`", "declare it as `RWBuffer`"],
        wgsl: &["`items` there as a buffer", "declare it as `texture_storage_1d`"],
        make: |b| {
            let desc = UnorderedAccessViewDesc::typed_buffer(Format::R32_FLOAT, 0, 16);
            let view = b.written(&BufferDesc::new(64, WRITE), Some(&desc));
            b.cx.cs_set_unordered_access_views(2, &view);
            b.dispatch(WRITTEN)
        },
    },
    Mistake {
        name: "a view without a counter",
        hlsl: &["counts with the counter of `items`", "BufferUavFlags::COUNTER or APPEND"],
        wgsl: &["counts with `next`, the counter", "BufferUavFlags::COUNTER or APPEND"],
        make: |b| {
            let view = b.written(&BufferDesc::structured(16, 4, WRITE), None);
            b.cx.cs_set_unordered_access_views(0, &view);
            b.dispatch(APPENDED)
        },
    },
    Mistake {
        name: "integers for a written texture",
        hlsl: &["`picture` there as `RWTexture2D<float4>`"],
        wgsl: &["`picture` there as `texture_storage_2d` of floating-point components"],
        make: |b| {
            let desc = Texture2dDesc { bind_flags: WRITE, ..Texture2dDesc::new(Format::R32_UINT, 4, 4) };
            let view = b.device.create_unordered_access_view(&b.texture(desc), None)?;
            b.cx.cs_set_unordered_access_views(0, &view);
            b.dispatch(IMAGE)
        },
    },
    Mistake {
        name: "floats for a written typed buffer",
        hlsl: &["`counts` there as `RWBuffer<uint>`", "a format of that kind"],
        wgsl: &["`counts` there as `texture_storage_1d` of unsigned components", "a format of that kind"],
        make: |b| {
            let desc = UnorderedAccessViewDesc::typed_buffer(Format::R32_FLOAT, 0, 16);
            let view = b.written(&BufferDesc::new(64, WRITE), Some(&desc));
            b.cx.cs_set_unordered_access_views(0, &view);
            b.dispatch(TYPED_WRITTEN)
        },
    },
    Mistake {
        name: "no input layout",
        hlsl: &["takes `POSITION0`, `TEXCOORD1`", "ia_set_input_layout"],
        wgsl: &["takes `position` (@location(0)), `texcoord1` (@location(1))", "ia_set_input_layout"],
        make: |b| {
            b.bind_target();
            let vs = b.device.create_vertex_shader(b.source(VERTEX))?;
            b.cx.vs_set_shader(&vs);
            b.cx.draw(3, 0);
            Ok(())
        },
    },
    Mistake {
        name: "the layout of a shader with fewer inputs",
        hlsl: &["takes `TEXCOORD1`", "no element for it"],
        wgsl: &["takes `texcoord1` (@location(1))", "no element for it"],
        make: |b| draw_vertex(b, ONE_INPUT, VERTEX),
    },
    Mistake {
        name: "the layout of a shader with other types",
        hlsl: &["takes `POSITION0` as uint3", "R32G32B32_FLOAT"],
        wgsl: &["takes `position` (@location(0)) as vec3<u32>", "R32G32B32_FLOAT"],
        make: |b| draw_vertex(b, VERTEX, INTEGER_VERTEX),
    },
    Mistake {
        name: "no vertex buffer",
        hlsl: &["slot 0", "feeds `POSITION0` from it"],
        wgsl: &["slot 0", "feeds `position` (@location(0)) from it"],
        make: |b| draw_vertex(b, VERTEX, VERTEX),
    },
    Mistake {
        name: "a short stride",
        hlsl: &["stride", "12 bytes", "element for `TEXCOORD1` ends at byte 20"],
        wgsl: &["stride", "12 bytes", "element for `texcoord1` (@location(1)) ends at byte 20"],
        make: |b| {
            let buffer = b.device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None)?;
            b.cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&buffer, 12));
            draw_vertex(b, VERTEX, VERTEX)
        },
    },
    Mistake {
        name: "an input that no stage writes",
        hlsl: &["reads `NORMAL0` from register 1 (.xyz)", "has no output `NORMAL0`"],
        wgsl: &["input `n` at location 1 is not written"],
        make: |b| link(b, MORE_PIXEL),
    },
    Mistake {
        name: "an input with more components",
        hlsl: &["reads `TEXCOORD0` from register 0 (.xyzw)", "writes it to .xy of that register"],
        wgsl: &["input `uv` at location 0 is vec4<f32>", "writes vec2<f32>"],
        make: |b| link(b, WIDER_PIXEL),
    },
    Mistake {
        name: "integers for a target of colours",
        hlsl: &["gives uint4 at SV_Target0", "takes float", "give the colour as float4"],
        wgsl: &["gives vec4<u32> at @location(0)", "takes f32", "give the colour as vec4<f32>"],
        make: |b| b.draw_pixel(INTEGER_PIXEL),
    },
    Mistake {
        name: "no colour for the target",
        hlsl: &["gives nothing at SV_Target0"],
        wgsl: &["gives nothing at @location(0)"],
        make: |b| b.draw_pixel(ELSEWHERE_PIXEL),
    },
];
