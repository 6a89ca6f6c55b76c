use super::super::{
    CheckOptions,
    expressions::tests::{check_program, program_codes},
};
use crate::{
    check::tree::Intrinsic,
    session::{Session, hash::HashSet},
    text::{
        preprocess::{PreprocessOptions, preprocess_tokens},
        token::Packing,
    },
};

/// Returns a program whose last statement is an expression and whose variables are named after their types.
fn program(text: &str) -> String {
    format!(
        "RWBuffer<uint> buffer; RWBuffer<uint2> pairs; RWStructuredBuffer<int2> structured; Buffer<uint> read;
         groupshared int shared[4]; uniform float4 constant; SamplerState s;
         void main(float f, float1 f1, float2 f2, float3 f3, float4 f4, int i, int2 i2, int3 i3, uint u, uint2 u2,
                   uint4 u4, bool b, bool3 b3, double d, double2 d2, half h, float2x2 m22, float2x3 m23, float3x4 m34,
                   float4x4 m44, int4x4 n44, min16uint w) {{ {text}; }}"
    )
}

fn tree(text: &str) -> String {
    let (tree, messages) = check_program(&program(text));
    assert!(messages.is_empty(), "{text}: {messages:?}");
    tree
}

fn codes(text: &str) -> Vec<String> {
    program_codes(&program(text))
}

#[test]
fn float_functions_convert_integers() {
    assert_eq!(tree("sin(f3)"), "(sin f3 : float3)");
    assert_eq!(tree("sqrt(i2)"), "(sqrt float2(i2) : float2)");
    assert_eq!(tree("floor(b3)"), "(floor float3(b3) : float3)");
    assert_eq!(tree("ceil(m23)"), "(ceil m23 : float2x3)");
    assert_eq!(tree("saturate(d)"), "(saturate d : double)");
    assert_eq!(tree("exp(h)"), "(exp h : half)");
    assert_eq!(tree("pow(f3, i)"), "(pow f3 float3(i) : float3)");
    assert_eq!(tree("lerp(i3, u, b)"), "(lerp float3(i3) float3(u) float3(b) : float3)");
    assert_eq!(tree("isnan(i2)"), "(isnan float2(i2) : bool2)");
}

/// The argument types that [`functions_have_the_types_of_fxc`] tries, as names of variables in [`program`].
const SCALARS: [&str; 6] = ["b", "i", "u", "h", "f", "d"];

#[test]
fn functions_have_the_types_of_fxc() {
    let float_like = ["float", "float", "float", "half", "float", "float"];
    let numbers = ["int", "int", "uint", "half", "float", "double"];
    // Calls with `$` as a placeholder for an argument, and the result types for each scalar type.
    let rows = [
        (
            "acos($) asin($) atan($) ceil($) cos($) cosh($) ddx($) ddx_coarse($) ddx_fine($) ddy($) ddy_coarse($)
             ddy_fine($) degrees($) exp($) exp2($) floor($) frac($) fwidth($) log($) log10($) log2($) radians($)
             round($) rsqrt($) sin($) sinh($) sqrt($) tan($) tanh($) trunc($) atan2($,$) fmod($,$) ldexp($,$)
             pow($,$) step($,$) lerp($,$,$) smoothstep($,$,$) distance($,$) length($) normalize($) reflect($,$)
             refract($,$,$) faceforward($,$,$) modf($,f) frexp($,f)",
            float_like,
        ),
        ("rcp($) saturate($)", ["float", "float", "float", "half", "float", "double"]),
        ("abs($) max($,$) min($,$) clamp($,$,$) mad($,$,$) dot($,$)", numbers),
        ("fma($,d,$)", ["double"; 6]),
        ("sign($)", ["int"; 6]),
        ("all($) any($) isfinite($) isinf($) isnan($)", ["bool"; 6]),
        ("countbits($) firstbithigh($) firstbitlow($) reversebits($) f32tof16($)", ["uint"; 6]),
        ("f16tof32($)", ["float"; 6]),
        ("D3DCOLORtoUBYTE4($)", ["int4"; 6]),
        ("cross($,$)", float_like.map(|scalar| if scalar == "half" { "half3" } else { "float3" })),
        ("lit($,$,$)", float_like.map(|scalar| if scalar == "half" { "half4" } else { "float4" })),
        ("dst($,$)", ["int4", "int4", "uint4", "half4", "float4", "double4"]),
    ];
    for (calls, results) in rows {
        for call in calls.split_whitespace() {
            for (scalar, result) in SCALARS.iter().zip(results) {
                let call = call.replace('$', scalar);
                assert!(tree(&call).ends_with(&format!(" : {result})")), "{call}: {}", tree(&call));
            }
        }
    }
}

#[test]
fn numeric_functions_use_the_common_type_of_arguments() {
    assert_eq!(tree("abs(i)"), "(abs i : int)");
    assert_eq!(tree("abs(b)"), "(abs int(b) : int)");
    assert_eq!(tree("max(i, u)"), "(max uint(i) u : uint)");
    assert_eq!(tree("min(i2, f)"), "(min float2(i2) float2(f) : float2)");
    assert_eq!(tree("clamp(f3, i, u)"), "(clamp f3 float3(i) float3(u) : float3)");
    assert_eq!(tree("mad(i, b, i)"), "(mad i int(b) i : int)");
    assert_eq!(tree("sign(f2)"), "(sign f2 : int2)");
    assert_eq!(tree("fma(d, f, d)"), "(fma d double(f) d : double)");
}

#[test]
fn arguments_convert_to_the_smallest_shape() {
    assert_eq!(check_program(&program("max(f4, f2)")).0, "(max float2(f4) f2 : float2)");
    assert_eq!(codes("max(f4, f2)"), ["X3206"]);
    assert_eq!(codes("max(m23, m22)"), ["X3206"]);
    assert_eq!(codes("max(m23, f3)"), ["X3013"]);
    assert_eq!(tree("max(m23, f)"), "(max m23 float2x3(f) : float2x3)");
}

#[test]
fn bit_functions_convert_to_their_types() {
    assert_eq!(tree("asuint(f3)"), "(asuint f3 : uint3)");
    assert_eq!(tree("asfloat(i)"), "(asfloat i : float)");
    assert_eq!(tree("asint(m23)"), "(asint m23 : int2x3)");
    assert_eq!(tree("asdouble(u2, u2)"), "(asdouble u2 u2 : double2)");
    assert_eq!(tree("asuint(d2, u2, i2)"), "(asuint d2 u2 i2 : void)");
    assert_eq!(tree("countbits(i)"), "(countbits uint(i) : uint)");
    assert_eq!(tree("firstbithigh(i)"), "(firstbithigh i : uint)");
    assert_eq!(tree("firstbitlow(b)"), "(firstbitlow uint(b) : uint)");
    assert_eq!(tree("f16tof32(i2)"), "(f16tof32 uint2(i2) : float2)");
    assert_eq!(tree("f32tof16(i)"), "(f32tof16 float(i) : uint)");
    for text in ["asfloat(b)", "asuint(d)", "asint(s)", "asuint(f, u)"] {
        assert_eq!(codes(text), ["X3013"], "{text}");
    }
}

#[test]
fn vector_functions_refuse_matrices() {
    assert_eq!(tree("dot(f3, i)"), "(dot f3 float3(i) : float)");
    assert_eq!(tree("dot(i2, b)"), "(dot i2 int2(b) : int)");
    assert_eq!(tree("length(i2)"), "(length float2(i2) : float)");
    assert_eq!(tree("normalize(f)"), "(normalize f : float)");
    assert_eq!(tree("distance(f2, u2)"), "(distance f2 float2(u2) : float)");
    assert_eq!(tree("reflect(f3, i3)"), "(reflect f3 float3(i3) : float3)");
    assert_eq!(tree("refract(f2, f, i)"), "(refract f2 float2(f) float(i) : float2)");
    assert_eq!(tree("cross(f3, i)"), "(cross f3 float3(i) : float3)");
    assert_eq!(codes("cross(f2, f3)"), ["X3017"]);
    assert_eq!(codes("refract(f2, f2, f2)"), ["X3206"]);
    for text in ["dot(m22, f2)", "length(m22)", "normalize(m23)", "refract(f, f, m22)"] {
        assert_eq!(codes(text), ["X3013"], "{text}");
    }
}

#[test]
fn products_truncate_to_the_smaller_inner_size() {
    assert_eq!(tree("mul(f4, m44)"), "(mul f4 m44 : float4)");
    assert_eq!(tree("mul(m34, f4)"), "(mul m34 f4 : float3)");
    assert_eq!(tree("mul(f3, m34)"), "(mul f3 m34 : float4)");
    assert_eq!(tree("mul(m23, m34)"), "(mul m23 m34 : float2x4)");
    assert_eq!(tree("mul(f, m23)"), "(Multiply float2x3(f) m23 : float2x3)");
    assert_eq!(tree("mul(i2, f)"), "(Multiply float2(i2) float2(f) : float2)");
    assert_eq!(tree("mul(f3, i3)"), "(dot f3 float3(i3) : float)");
    assert_eq!(tree("mul(n44, n44)"), "(mul n44 n44 : int4x4)");
    assert_eq!(check_program(&program("mul(f4, m34)")).0, "(mul float3(f4) m34 : float4)");
    assert_eq!(check_program(&program("mul(m44, f3)")).0, "(mul float4x3(m44) f3 : float4)");
    assert_eq!(codes("mul(m44, m23)"), ["X3206"]);
}

#[test]
fn matrix_functions_also_take_scalars() {
    assert_eq!(tree("transpose(m23)"), "(transpose m23 : float3x2)");
    assert_eq!(tree("transpose(i)"), "i");
    assert_eq!(tree("determinant(n44)"), "(determinant float4x4(n44) : float)");
    assert_eq!(tree("determinant(i)"), "float(i)");
    assert_eq!(codes("transpose(f2)"), ["X3013"]);
    assert_eq!(codes("determinant(f2)"), ["X3013"]);
}

#[test]
fn out_arguments_must_be_variables() {
    assert_eq!(tree("sincos(f2, i2, f2)"), "(sincos f2 i2 f2 : void)");
    assert_eq!(tree("modf(f, i)"), "(modf f i : float)");
    assert_eq!(tree("frexp(i2, f2)"), "(frexp float2(i2) f2 : float2)");
    assert_eq!(tree("modf(f, f4.y)"), "(modf f f4.1 : float)");
    assert_eq!(codes("sincos(f, f, 1)"), ["X3025"]);
    assert_eq!(codes("modf(f, constant.x)"), ["X3025"]);
    assert_eq!(codes("modf(f, f2.xx.x)"), ["X3025"]);
    assert_eq!(codes("sincos(f, f, f2)"), ["X3017"]);
}

#[test]
fn interlocked_functions_change_shared_integers() {
    assert_eq!(tree("InterlockedAdd(buffer[i], f)"), "(InterlockedAdd buffer[uint(i)] uint(f) : void)");
    assert_eq!(tree("InterlockedOr(shared[i], i, u)"), "(InterlockedOr shared[i] int(uint(i)) u : void)");
    assert_eq!(tree("InterlockedMax(shared[0], f)"), "(InterlockedMax shared[0] int(f) : void)");
    assert_eq!(tree("InterlockedMin(buffer[0], f)"), "(InterlockedMin buffer[0u] uint(int(f)) : void)");
    assert_eq!(
        tree("InterlockedCompareExchange(structured[u].y, 1, i, i)"),
        "(InterlockedCompareExchange structured[u].1 1 int(uint(i)) i : void)"
    );
    for text in ["InterlockedAdd(i, 1)", "InterlockedAdd(read[0], 1)", "InterlockedAdd(pairs[0].x, 1)"] {
        assert_eq!(codes(text), ["X3020"], "{text}");
    }
    for text in [
        "InterlockedAdd(f, 1)",
        "InterlockedAdd(buffer[0])",
        "InterlockedAdd(buffer[0], 1, u, u)",
        "InterlockedExchange(buffer[0], 1)",
        "InterlockedCompareStore(buffer[0], 1, 1, u)",
        "InterlockedAdd(structured[0], 1)",
    ] {
        assert_eq!(codes(text), ["X3013"], "{text}");
    }
    assert_eq!(codes("InterlockedExchange(buffer[0], 1, 2)"), ["X3025"]);
}

#[test]
fn wrong_arguments_are_reported_at_the_function_name() {
    let (_, messages) = check_program("void main() { sin(1, 2); }");
    assert_eq!(
        messages,
        [
            "a(1,15-17): error X3013: 'sin': no matching 2 parameter intrinsic function takes (int, int); possible intrinsic \
          functions are: floatN sin(floatN x)"
        ]
    );
    for text in
        ["sin()", "sin(s)", "lit(f2, f, f)", "dst(f3, f)", "D3DCOLORtoUBYTE4(f3)", "GroupMemoryBarrier(1)"]
    {
        assert_eq!(codes(text), ["X3013"], "{text}");
    }
    assert_eq!(codes("tex2D(s, f2)"), ["X3664"]);
    // An invalid argument is reported only once.
    assert_eq!(codes("sin(nothing)"), ["X3004"]);
}

fn legacy_codes(call: &str) -> Vec<u16> {
    let text = format!(
        "sampler2D s; SamplerComparisonState c; float4 main(float f, float2 f2, float3 f3, float4 f4) : COLOR
         {{ return {call}; }}"
    );
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "a", &text, &PreprocessOptions::default());
    let program = crate::syntax::parse(&mut session, &tokens);
    let options = CheckOptions {
        packing: Packing::ColumnMajor,
        backwards_compatible: true,
        strict: false,
        allow_varying_flow: false,
    };
    crate::check::check(&mut session, &program, options);
    session.diagnostics.iter().map(|message| message.code.number()).collect()
}

#[test]
fn functions_of_direct3d_9_take_a_sampler() {
    for call in [
        "tex1D(s, f)",
        "tex2D(s, f2)",
        "tex2D(s, f2, f2, f2)",
        "tex2Dgrad(s, f2, f2, f2)",
        "tex2Dlod(s, f4)",
        "tex2Dbias(s, f4)",
        "tex2Dproj(s, f4)",
        "tex3D(s, f3)",
        "texCUBE(s, f3, f3, f3)",
        "texCUBEproj(s, f4)",
    ] {
        assert_eq!(legacy_codes(call), [], "{call}");
    }
    for call in
        ["tex2D(c, f2)", "tex2D(f, f2)", "tex2Dgrad(s, f2)", "tex2Dlod(s, f4, f2, f2)", "tex2D(s, f2, f2)"]
    {
        assert_eq!(legacy_codes(call), [3013], "{call}");
    }
    assert_eq!(legacy_codes("tex2Dlod(s, f3)"), [3017]);
}

const CALLS: &str = "
    abort() abs(f) acos(f) all(f2) AllMemoryBarrier() AllMemoryBarrierWithGroupSync() any(i2) asdouble(u,u) asfloat(u)
    asin(f) asint(f) asuint(f) atan(f) atan2(f,f) ceil(f) CheckAccessFullyMapped(u) clamp(f,f,f) clip(f4) cos(f)
    cosh(f) countbits(u) cross(f3,f3) D3DCOLORtoUBYTE4(f4) ddx(f) ddx_coarse(f) ddx_fine(f) ddy(f) ddy_coarse(f)
    ddy_fine(f) degrees(f) determinant(m22) DeviceMemoryBarrier() DeviceMemoryBarrierWithGroupSync() distance(f2,f2)
    dot(f2,f2) dst(f4,f4) EvaluateAttributeAtCentroid(f4) EvaluateAttributeAtSample(f4,u)
    EvaluateAttributeSnapped(f4,i2) exp(f) exp2(f) f16tof32(u) f32tof16(f) faceforward(f3,f3,f3) firstbithigh(u)
    firstbitlow(u) floor(f) fma(d,d,d) fmod(f,f) frac(f) frexp(f,f) fwidth(f) GetRenderTargetSampleCount()
    GetRenderTargetSamplePosition(i) GroupMemoryBarrier() GroupMemoryBarrierWithGroupSync()
    InterlockedAdd(buffer[0],u) InterlockedAnd(buffer[0],u) InterlockedCompareExchange(buffer[0],u,u,u)
    InterlockedCompareStore(buffer[0],u,u) InterlockedExchange(buffer[0],u,u) InterlockedMax(buffer[0],u)
    InterlockedMin(buffer[0],u) InterlockedOr(buffer[0],u) InterlockedXor(buffer[0],u) isfinite(f) isinf(f) isnan(f)
    ldexp(f,f) length(f2) lerp(f,f,f) lit(f,f,f) log(f) log10(f) log2(f) mad(f,f,f) max(f,f) min(f,f) modf(f,f)
    msad4(u,u2,u4) mul(f4,m44) noise(f) normalize(f3) pow(f,f) Process2DQuadTessFactorsAvg(f4,f2,f4,f2,f2)
    Process2DQuadTessFactorsMax(f4,f2,f4,f2,f2) Process2DQuadTessFactorsMin(f4,f2,f4,f2,f2)
    ProcessIsolineTessFactors(f,f,f,f) ProcessQuadTessFactorsAvg(f4,f,f4,f2,f2) ProcessQuadTessFactorsMax(f4,f,f4,f2,f2)
    ProcessQuadTessFactorsMin(f4,f,f4,f2,f2) ProcessTriTessFactorsAvg(f3,f,f3,f,f) ProcessTriTessFactorsMax(f3,f,f3,f,f)
    ProcessTriTessFactorsMin(f3,f,f3,f,f) radians(f) rcp(f) reflect(f3,f3) refract(f3,f3,f) reversebits(u) round(f)
    rsqrt(f) saturate(f) sign(f) sin(f) sincos(f,f,f) sinh(f) smoothstep(f,f,f) sqrt(f) step(f,f) tan(f) tanh(f)
    transpose(m23) trunc(f)";

#[test]
fn every_function_can_be_called() {
    let mut called = HashSet::default();
    for text in CALLS.split_whitespace() {
        let name = text.split('(').next().unwrap_or_default();
        assert!(tree(text).starts_with(&format!("({name} ")), "{text}: {}", tree(text));
        called.insert(name);
    }
    for which in Intrinsic::ALL {
        let elsewhere = which.name().starts_with("tex") || ["printf", "errorf"].contains(&which.name());
        assert!(elsewhere || called.contains(which.name()), "{}", which.name());
    }
}
