use crate::lower::testing::{compute, legacy, pixel};

const SAMPLES: &str = "
    SamplerState s; SamplerComparisonState c;
    Texture1D<float> t1; Texture1DArray<float2> t1a; Texture2D t2; Texture2DArray<float3> t2a; Texture3D t3;
    TextureCube tc; TextureCubeArray tca;
    float4 main(float4 p : TEXCOORD, float l : LEVEL) : SV_Target {
        float4 r = 0; uint w;
        BODY
        return r;
    }";

fn samples(body: &str) -> String {
    pixel(&SAMPLES.replace("BODY", body))
}

#[test]
fn all_textures_can_be_sampled() {
    samples(
        "r += t1.Sample(s, p.x) + t2.Sample(s, p.xy) + t3.Sample(s, p.xyz) + tc.Sample(s, p.xyz) + tca.Sample(s, p);",
    );
    samples("r.xy += t1a.Sample(s, p.xy); r.xyz += t2a.Sample(s, p.xyz);");
    samples("r += t1.SampleLevel(s, p.x, l) + t2.SampleLevel(s, p.xy, 0) + tc.SampleLevel(s, p.xyz, l);");
    samples("r += t1.SampleBias(s, p.x, l) + t2.SampleBias(s, p.xy, 1) + tc.SampleBias(s, p.xyz, l);");
    samples(
        "r += t1.SampleGrad(s, p.x, l, l) + t2.SampleGrad(s, p.xy, p.xy, p.zw) + tca.SampleGrad(s, p, p.xyz, p.yzw);",
    );
}

#[test]
fn offsets_become_literals() {
    let text = samples("r += t2.Sample(s, p.xy, int2(1, -2)) + t3.SampleLevel(s, p.xyz, l, int3(1, 2, 3));");
    assert!(text.contains("vec2<i32>(1i, -2i)"), "{text}");
    samples("r += t1.Sample(s, p.x, 3); r.xyz += t2a.SampleBias(s, p.xyz, 1, int2(0, 0));");
    samples("[unroll] for (int i = 0; i < 2; i++) r += t2.Sample(s, p.xy, int2(i, 1));");
}

#[test]
fn clamp_and_status_arguments_are_accepted() {
    samples("r += t2.Sample(s, p.xy, int2(0, 0), 1.5, w); r.x += w;");
    samples("r += tc.Sample(s, p.xyz, 1.5, w); r.x += CheckAccessFullyMapped(w);");
    samples("r += t2.SampleLevel(s, p.xy, 2, int2(0, 0), w); r.x += w;");
}

#[test]
fn comparison_makes_a_texture_a_depth_texture() {
    let text =
        samples("r.x += t2.SampleCmp(c, p.xy, p.z) + t2.SampleCmpLevelZero(c, p.xy, p.z, int2(1, 1));");
    assert!(text.contains("texture_depth_2d"), "{text}");
    let text = samples(
        "r += t2.Sample(s, p.xy) + t2.SampleLevel(s, p.xy, l) + t2.SampleLevel(s, p.xy, 0) + t2.SampleBias(s, p.xy, l)
            + t2.SampleGrad(s, p.xy, p.xy, p.xy) + t2.Load(int3(1, 2, 3)) + t2[uint2(1, 2)];
        r.x += t2.SampleCmp(c, p.xy, p.z);",
    );
    assert!(text.contains("texture_depth_2d"), "{text}");
    samples(
        "r.x += tc.SampleCmp(c, p.xyz, l) + tca.SampleCmpLevelZero(c, p, l); r.x += t2a.SampleCmp(c, p.xyz, l);",
    );
}

#[test]
fn gathers_accept_components_and_offsets() {
    samples("r += t2.Gather(s, p.xy) + t2.GatherBlue(s, p.xy, int2(1, 2)) + tc.GatherAlpha(s, p.xyz);");
    samples("r += t2.GatherRed(s, p.xy, int2(l, 2)) + t2a.GatherGreen(s, p.xyz, int2(20, 2), w);");
    samples("r += t2.GatherRed(s, p.xy, int2(1, 2), int2(3, 4), int2(5, 6), int2(-8, 7), w);");
    samples(
        "r += t2.GatherCmp(c, p.xy, l) + t2.GatherCmpRed(c, p.xy, l, int2(1, 1)) + tc.GatherCmp(c, p.xyz, l);",
    );
    pixel(
        "SamplerState s; Texture2D<uint4> t;
        uint4 main(float2 p : P) : SV_Target { return t.GatherGreen(s, p); }",
    );
}

#[test]
fn loads_accept_levels_samples_and_offsets() {
    samples(
        "r += t1.Load(int2(1, 2)) + t2.Load(int3(p.xyz)) + t2.Load(int3(1, 2, 3), int2(1, -1), w) + t3[uint3(1, 2, 3)];",
    );
    samples("r.xy += t1a.Load(int3(1, 2, 3)); r += t2.mips[2][p.xy];");
    pixel(
        "Texture2DMS<float4, 4> a; Texture2DMSArray<int2> b;
        float4 main(int4 p : P) : SV_Target {
            return a.Load(p.xy, p.z) + a.Load(p.xy, 1, int2(1, 1)) + b.Load(p.xyz, 0).xyxy + a[p.xy] + a.sample[2][p.xy]
                + a.GetSamplePosition(p.x).xyxy;
        }",
    );
}

#[test]
fn a_texture_with_one_sample_is_not_multisampled() {
    let text = pixel(
        "Texture2DMS<float4, 1> a; Texture2DMSArray<float4, 1> b;
        float4 main(int4 p : P) : SV_Target {
            Texture2DMS<float4, 4> c = a;
            uint w, h, n; a.GetDimensions(w, h, n);
            return a.Load(p.xy, p.z) + b.Load(p.xyz, 3) + c.sample[2][p.xy] + a.GetSamplePosition(p.x).xyxy + n;
        }",
    );
    assert!(text.contains("texture_2d<f32>") && text.contains("texture_2d_array<f32>"), "{text}");
    assert!(!text.contains("multisampled"), "{text}");
}

#[test]
fn dimensions_can_be_assigned_to_any_numeric_type() {
    samples("float f; int i; t1.GetDimensions(f); t1.GetDimensions(1, i, w); r.x += f + i + w;");
    samples("float f; uint i, n; t2.GetDimensions(f, i); t2.GetDimensions(l, f, i, n); r.x += f + i + n;");
    samples(
        "uint a, b, n, q; t2a.GetDimensions(a, b, n); t2a.GetDimensions(1, a, b, n, q); r.x += a + b + n + q;",
    );
    samples(
        "uint a, b, n, q; t3.GetDimensions(a, b, n); tc.GetDimensions(a, b); tca.GetDimensions(0, a, b, n, q); r.x += a;",
    );
    samples("r.x += t2.CalculateLevelOfDetail(s, p.xy) + tc.CalculateLevelOfDetailUnclamped(s, p.xyz);");
    compute(
        "RWTexture2D<float4> t; RWTexture2DArray<uint> u; RWStructuredBuffer<uint> o; Texture2DMS<float> m;
        RWBuffer<int> b; Buffer<float2> c;
        [numthreads(1, 1, 1)] void main() {
            uint a, b0, d;
            t.GetDimensions(a, b0); o[0] = a + b0;
            u.GetDimensions(a, b0, d); o[1] = a + b0 + d;
            m.GetDimensions(a, b0, d); o[2] = a + b0 + d;
            b.GetDimensions(a); o[3] = a; c.GetDimensions(a); o[4] = a;
        }",
    );
}

#[test]
fn get_dimensions_checks_the_level() {
    let text = samples("float f; uint i, n; t2.GetDimensions(l, f, i, n); r.x += f;");
    let (_, after) = text.split_once("textureNumLevels(t2_)").unwrap();
    let comparison = after.lines().find(|line| line.contains("< ") || line.contains("<= ")).unwrap();
    assert!(!comparison.contains("<="), "{text}");
}

#[test]
fn texels_can_be_written_with_reordered_components() {
    let text = compute(
        "RWTexture2D<float4> t; RWTexture1D<uint> u; RWTexture3D<int2> v; RWTexture2DArray<float> w; RWBuffer<float3> b;
        [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            t[i.xy] = float4(1, 2, 3, 4); t[i.yx].wzyx += 2;
            u[i.x]++; v[i] = i.xy; w[i] = 3; b[i.x] = 1; b[i.x].zxy = b[i.y].z; w[i] += w.Load(i);
        }",
    );
    assert!(text.contains("texture_storage_2d<rgba32float,read_write>"), "{text}");
    assert!(text.contains("texture_storage_1d<r32uint,read_write>"), "{text}");
    let text = compute(
        "RWTexture2D<unorm float4> t; RWTexture2D<min16float2> u; Buffer<uint4> b; Texture2D<int> r;
        [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            t[i.xy] = b[i.x]; u[i.xy] = r[i.xy] + b.Load(3).yz;
        }",
    );
    assert!(text.contains("texture_storage_2d<rgba32float,write>"), "{text}");
}

#[test]
fn texel_atomics_without_a_result_use_image_atomics() {
    let text = compute(
        "RWTexture2D<uint> t; RWTexture1D<int> u; RWBuffer<uint> b;
        [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            InterlockedAdd(t[i.xy], 3); InterlockedMax(u[i.x], -3); InterlockedXor(b[i.x], 1u);
        }",
    );
    assert!(text.contains("textureAtomicAdd"), "{text}");
}

#[test]
fn typed_buffers_become_words_if_an_atomic_result_is_used() {
    let text = compute(
        "RWBuffer<uint> a; RWBuffer<uint> b;
        [numthreads(1, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
            uint before; a[1] = b[i.x]; InterlockedAdd(a[i.x], 1, before); b[0] = before;
        }",
    );
    assert!(text.contains("array<atomic<u32>>") && text.contains("texture_storage_1d<r32uint"), "{text}");
    let refused = crate::compile(
        "RWTexture2D<uint> a; [numthreads(1, 1, 1)] void main() { uint before; InterlockedAdd(a[uint2(0, 0)], 1, before); }",
        "a.hlsl",
        "main",
        "cs_5_0".parse().unwrap(),
        &crate::CompileOptions::default(),
    );
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("X9004") && refused.contains("use an RWBuffer<uint>"), "{refused}");
}

#[test]
fn direct3d_9_samplers_have_textures() {
    let text = legacy(
        "sampler s; sampler t[2]; sampler c; sampler v; sampler l;
        float4 main(float4 p : P) : SV_Target {
            return tex2D(s, p.xy) + tex2Dlod(s, p) + tex2Dbias(s, p) + tex2Dproj(t[1], p) + tex2Dgrad(s, p.xy, p.xy, p.zw)
                + texCUBE(c, p.xyz) + texCUBElod(c, p) + tex3Dproj(v, p) + tex1D(l, p.x) + tex1Dbias(l, p);
        }",
    );
    assert!(
        text.contains("s_texture: texture_2d<f32>") && text.contains("c_texture: texture_cube<f32>"),
        "{text}"
    );
}

#[test]
fn structure_texels_need_one_component_type() {
    let program = |members: &str| {
        format!(
            "struct Part {{ {members} }}; Texture2D<Part> parts; SamplerState s;
             float4 main() : SV_Target {{ Part part = parts.Sample(s, 0.5); return part.b.xyxy; }}"
        )
    };
    let text = pixel(&program("float a; float2 b;"));
    assert!(text.contains(".x, vec2<f32>("), "{text}");
    let mixed = crate::compile(
        &program("float a; half2 b;"),
        "a.hlsl",
        "main",
        "ps_5_0".parse().unwrap(),
        &crate::CompileOptions::default(),
    );
    let code = mixed.unwrap_err().errors().next().unwrap().code;
    assert_eq!(code, crate::Code::Unsupported);
}
