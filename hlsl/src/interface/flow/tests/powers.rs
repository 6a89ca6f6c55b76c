//! Powers whose base may be negative.

use super::codes;

/// Returns the message numbers for the body of a pixel shader.
fn body(statements: &str) -> Vec<u16> {
    codes(
        &format!(
            "cbuffer B {{ float u; float4 u4; uint n; bool on; }}; Texture2D<float4> t; Texture2D<unorm float4> q;
            SamplerState s; static const float gamma = 2.2;
            struct S {{ float a; float b; }};
            float square(float x) {{ return x * x; }}
            float same(float x) {{ return x; }}
            float raised(float x) {{ return pow(x, 2.2); }}
            float4 main(float4 v : V) : SV_Target {{ {statements} }}"
        ),
        "ps_5_0",
    )
}

#[test]
fn bases_that_may_be_negative_are_reported() {
    for statements in [
        "return pow(v, 2.2);",
        "return pow(v.x, u);",
        "return pow(u4.xyz, 1 / gamma).xyzz;",
        "return pow(t.Sample(s, v.xy), 2.2);",
        "return pow(dot(v.xyz, u4.xyz), 32.5);",
        "return pow(1 - v.x, 4.5);",
        "return pow(saturate(v.x) - 0.5, 2.2);",
        "return pow(max(v.x, u), 2.2);",
        "return pow(min(v.x, 1), 2.2);",
        "return pow(lerp(0, 1, v.x), 2.2);",
        "float x = 1; if (on) x = v.x; return pow(x, 2.2);",
        "float x = 1; x -= 2; return pow(x, 2.2);",
        "float x = 0.5; x += 0.5; return pow(1 - x, 2.2);",
        "float4 x = 1; x.y = v.x; return pow(x, 2.2);",
        "S o; o.a = v.x; o.b = 1; return pow(o.a, 2.2);",
        "return raised(v.x);",
        "return raised(1) + raised(v.x);",
        "return pow(same(v.x), 2.2);",
        "float a, b; sincos(v.x, a, b); return pow(a, 2.2);",
    ] {
        assert_eq!(body(statements), [3571], "{statements}");
    }
}

#[test]
fn bases_that_are_not_negative_are_not_reported() {
    for statements in [
        "return pow(abs(v), 2.2);",
        "return pow(saturate(v.x), u);",
        "return pow(2, v.x);",
        "return pow(v.x, 2);",
        "return pow(v, 5.0);",
        "return pow(v * v, 2.2);",
        "return pow(dot(v, v), 2.2);",
        "return pow(1 - saturate(v.x), 4.5);",
        "return pow(max(v.x, 0), 2.2);",
        "return pow(max(0.001, v), 2.2);",
        "return pow(clamp(v.x, 0, 8), 2.2);",
        "return pow(lerp(0.5, 1, saturate(v.x)), 2.2);",
        "return pow(length(v) + exp(v.x) * sqrt(v.y), 2.2);",
        "return pow(n, 2.2);",
        "return pow((float)on, 2.2);",
        "return pow(q.Sample(s, v.xy), 2.2);",
        "float x = abs(v.x); x *= 2; x += 1; x++; return pow(x, 2.2);",
        "float x = saturate(v.x); float y = 1 - x; return pow(y, 2.2);",
        "float3 x = abs(v.xyz); return pow(x.xy, 2.2).xyxy;",
        "float3 x = 1; x.y = abs(v.x); return pow(x, 2.2).xyzz;",
        "S o; o.a = v.x; o.b = 1; return pow(o.b, 2.2);",
        "return raised(abs(v.x));",
        "return pow(square(v.x), 2.2);",
        "return pow(same(2), 2.2);",
        "float x = 1; for (uint i = 0; i < n; i++) x = x * 0.5; return pow(x, 2.2);",
        "return pow(on ? 1 : abs(v.x), 2.2);",
        "float x; return pow(x = abs(v.y), 2.2);",
    ] {
        assert_eq!(body(statements), [] as [u16; 0], "{statements}");
    }
}
