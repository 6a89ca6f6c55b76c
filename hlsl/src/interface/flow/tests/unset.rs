//! Variables that are not assigned on every path.

use super::codes;

/// Returns the message numbers for the body of a pixel shader.
fn body(statements: &str) -> Vec<u16> {
    codes(
        &format!(
            "cbuffer B {{ uint n; bool on; }}; Texture2D<float4> t;
            struct S {{ float a; float2 b; }};
            void set(out float x) {{ x = 1; }}
            void partly(bool c, out float x) {{ x = 0; if (c) x = 2; }}
            float4 main(float4 v : V) : SV_Target {{ {statements} }}"
        ),
        "ps_5_0",
    )
}

#[test]
fn variables_unset_on_one_path_are_reported() {
    for statements in [
        "float x; if (on) x = 1; return x;",
        "float x; if (on) { x = 1; } else { if (v.x > 0) x = 2; } return x;",
        "float x; if (on) x = 1; else if (v.x > 0) x = 2; return x;",
        "float x; if (on) x = 1; x += 2; return x;",
        "float x; if (on) x = 1; x++; return x;",
        "float x; if (on) x = x + 1; else x = 2; return x;",
        "float4 x; x.xyz = v.xyz; if (on) x.w = 1; return x;",
        "S s; s.a = 1; if (on) s.b = 2; return s.b.x;",
        "float x; switch (n) { case 0: x = 1; break; case 1: x = 2; break; } return x;",
        "float x; switch (n) { case 0: x = 1; break; default: break; } return x;",
        "float x; for (uint i = 0; i < n; i++) x = i; return x;",
        "float x; while (t.Load(0).x > 1) x = 1; return x;",
        "float x; for (uint i = 0; i < 4; i++) { if (i == n) break; x = 1; } return x;",
        "float x; if (on) set(x); return x;",
        "for (uint i = 0; i < 4; i++) { float x; if (on) x = 1; if (x > 3) return 1; } return 0;",
        "float x[2]; if (on) x[0] = 1; return x[n];",
    ] {
        assert_eq!(body(statements), [4000], "{statements}");
    }
    let output = "void f(bool c, out float x) { if (c) x = 1; }
        float4 main(bool c : C) : SV_Target { float x; f(c, x); return x; }";
    assert_eq!(codes(output, "ps_5_0"), [4000]);
    let early = "void f(bool c, out float x) { if (c) return; x = 1; }
        float4 main(bool c : C) : SV_Target { float x; f(c, x); return x; }";
    assert_eq!(codes(early, "ps_5_0"), [4000]);
}

#[test]
fn variables_set_on_every_path_are_not_reported() {
    for statements in [
        "float x; if (on) x = 1; else x = 2; return x;",
        "float x; if (on) return 0; else x = 2; return x;",
        "float x; if (on) discard; else x = 2; return x;",
        "float x; if (true) x = 1; return x;",
        "float x; if (on) x = 1; x = 2; return x;",
        "float x; set(x); return x;",
        "float x; partly(on, x); return x;",
        "float x; switch (n) { case 0: x = 1; break; default: x = 2; break; } return x;",
        "float x; switch (n) { case 0: x = 1; break; default: return 2; } return x;",
        "float x; switch (n & 1) { case 0: x = 1; break; case 1: x = 2; break; } return x;",
        "float x; switch (n % 2) { case 0: x = 1; break; case 1: x = 2; break; } return x;",
        "float x; for (uint i = 0; i < 4; i++) x = i; return x;",
        "float x; do { x = 1; } while (on); return x;",
        "float x; for (;;) { x = 1; if (on) break; } return x;",
        "float x; while (true) { if (on) { x = 1; break; } } return x;",
        "float x; for (uint i = 0; i < n; i++) { x = i; if (x > 3) return x; } return 0;",
        "float2 x; x.x = 1; if (on) x.y = 2; return x.x;",
        "float4 x[2]; x[n] = v; return x[1];",
        "float x; if (on) x = 1; return 0;",
    ] {
        assert_eq!(body(statements), [] as [u16; 0], "{statements}");
    }
}

#[test]
fn each_variable_is_reported_once() {
    assert_eq!(body("float x, y; if (on) { x = 1; y = 1; } return x + x + y * x;"), [4000, 4000]);
}
