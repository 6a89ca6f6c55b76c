//! Derivatives in loops.

use super::codes;

fn body(statements: &str) -> Vec<u16> {
    let text = format!(
        "Texture2D t; SamplerState s; int count;
        float4 read(float2 p) {{ return t.Sample(s, p); }}
        float4 main(float4 p : P, nointerpolation int n : N) : SV_Target
        {{ float4 v = 0; {statements} return v; }}"
    );
    codes(&text, "ps_5_0")
}

#[test]
fn derivatives_in_varying_loops_cause_a_warning() {
    for statements in [
        "for (float x = 0; x < p.x; x++) v += t.Sample(s, x);",
        "for (int i = 0; i < count; i++) { v += read(i); if (p.x > v.x) break; }",
        "float x = p.x; while (x > 0.5) { x *= p.y; v += fwidth(v); }",
        "[loop] for (int i = 0; i < 4; i++) { if (p.x > i) break; v += read(i); }",
        "for (float x = p.x; x < 4; x++) v += read(x);",
    ] {
        assert_eq!(body(statements), [3570], "{statements}");
    }
}

#[test]
fn derivatives_in_uniform_loops_are_accepted() {
    for statements in [
        "for (int i = 0; i < count; i++) v += read(i);",
        "if (p.x > 0.5) v = read(p.xy);",
        "for (float x = 0; x < p.x; x++) v += t.SampleLevel(s, x, 0);",
        "[unroll] for (int i = 0; i < 4; i++) { if (p.x > i) break; v += read(i); }",
        "for (int i = 0; i < 4; i++) { if (p.x > i) break; v += read(i); }",
        "const int most = 2 * 2; for (int i = most; i > 0; i -= 1) { if (p.x > 0.5) break; v += read(i); }",
        "for (float x = 0; x < p.x; x++) v += x; v += read(p.xy);",
    ] {
        assert_eq!(body(statements), [] as [u16; 0], "{statements}");
    }
}
