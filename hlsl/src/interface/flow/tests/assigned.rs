//! Outputs and variables that are never assigned.

use super::codes;
use crate::testing::found;

const NONE: [u16; 0] = [];

/// Returns the message numbers for a function with `out` parameters that a pixel shader calls.
fn function(parameters: &str, body: &str, arguments: &str) -> Vec<u16> {
    let text = format!(
        "struct Inner {{ float2 a; float b; }}; struct S {{ float4 p; Inner inner; float list[3]; }};
        void set(out float x) {{ x = 1; }} void change(inout float4 x) {{ x += 1; }}
        void f(int n, {parameters}) {{ {body} }}
        float4 main(int n : N) : SV_Target {{ S s = (S)0; float4 v = 0; f(n, {arguments}); return v + s.p; }}"
    );
    codes(&text, "ps_5_0")
}

#[test]
fn outputs_without_an_assignment_are_refused() {
    for body in [
        "",
        "v.xyz = 1;",
        "v.x = 1; v.zw = 2;",
        "if (false) v = 1; else v.xyz = 2;",
        "const bool off = false; if (off) v = 1;",
        "float w = 2; set(w); v.x = w; v.yz = w;",
    ] {
        assert_eq!(function("out float4 v", body, "v"), [3508], "{body}");
    }
    for body in ["s.p = 1; s.list[0] = 1; s.inner.a = 2;", "s.p = 1; s.inner = (Inner)0;"] {
        assert_eq!(function("out S s", body, "s"), [3508], "{body}");
    }
}

#[test]
fn outputs_with_an_assignment_are_accepted() {
    for body in [
        "v = 1;",
        "for (int i = 0; i < n; i++) v = i;",
        "v[n] = 1;",
        "set(v.x); set(v[1]); v.zw = 1;",
        "sincos(n, v.x, v.y); v.zw = 1;",
        "switch (n) { case 1: v.xy = 1; v.zw = 0; break; default: v = 2; break; }",
        "(v.xy) = v.zw = 2;",
    ] {
        assert_eq!(function("out float4 v", body, "v"), NONE, "{body}");
    }
    for body in [
        "if (n > 2) v = 1;",
        "if (n > 2) return; v = 1;",
        "switch (n) { case 1: v.xy = 1; break; default: v.zw = 2; break; }",
    ] {
        assert_eq!(function("out float4 v", body, "v"), [4000], "{body}");
    }
    for body in ["s = (S)0;", "s.p = 1; s.inner.a = 2; s.inner.b = 2; s.list[n] = 1;"] {
        assert_eq!(function("out S s", body, "s"), NONE, "{body}");
    }
}

#[test]
fn reads_of_never_assigned_parts_cause_a_warning() {
    let body = |statements: &str| {
        let text = format!(
            "struct S {{ float a; float2 b; }}; void change(inout float x) {{ x += 1; }}
            float4 main(int n : N) : SV_Target {{ {statements} }}"
        );
        codes(&text, "ps_5_0")
    };
    for statements in [
        "float4 v; return v;",
        "float4 v; v.xyz = 1; return v;",
        "float4 v; v.x = 1; return v.yyyy;",
        "float v; v += 1; return v;",
        "S s; s.a = 1; return s.b.y;",
        "S s; S t = s; return t.a;",
        "float list[2]; return list[n];",
        "float2x2 m; m[0] = 1; return m[1].x;",
    ] {
        assert_eq!(body(statements), [4000], "{statements}");
    }
    for statements in [
        "float4 v; v.xyz = 1; return v.xxyz;",
        "float4 v; v[n] = 1; return v;",
        "float v; if (n > 3) v = 2; else v = 1; return v;",
        "float v; change(v); return v;",
        "S s; s.a = 1; S t = s; return t.a;",
        "float list[2]; list[0] = 1; return list[n];",
        "float2x2 m; m._m00_m01 = 1; return m[0].y;",
        "float v; if (false) return v; return 1;",
    ] {
        assert_eq!(body(statements), NONE, "{statements}");
    }
}

#[test]
fn messages_name_the_missing_part() {
    let message = |text: &str| {
        found(text, "ps_5_0").iter().map(|message| message.message.clone()).collect::<Vec<_>>().join("\n")
    };
    for (body, end) in [
        ("float4 v; v.x = 1; return v;", "nothing assigns to 'v.y'"),
        ("float4 v; return v;", "nothing assigns to 'v'"),
        ("float2x2 m; m[0] = 1; return m[1].x + m[0].y;", "nothing assigns to 'm._m10'"),
        ("S s; s.a = 1; s.b.x = 1; return s.b.xyxy;", "nothing assigns to 's.b.y'"),
    ] {
        let text = format!("struct S {{ float a; float2 b; }}; float4 main() : SV_Target {{ {body} }}");
        assert!(message(&text).ends_with(end), "{body}: {}", message(&text));
    }
    let text = "void f(out float4 o) { o.xyz = 1; } float4 main() : SV_Target { float4 v; f(v); return v; }";
    assert!(message(text).ends_with("assign a value to 'o.w'"), "{}", message(text));
}

#[test]
fn entry_point_results_are_read_completely() {
    let text = "struct S { float4 p : SV_Position; float2 t : T; };
        S main() { S s; s.p = 1; return s; }";
    assert_eq!(codes(text, "vs_5_0"), [4000]);
    let inner = "struct S { float4 p : SV_Position; float2 t : T; };
        S make() { S s; s.p = 1; return s; } S main() { S s = make(); s.t = 1; return s; }";
    assert_eq!(codes(inner, "vs_5_0"), NONE);
}
