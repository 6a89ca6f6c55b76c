//! Tests of the control flow analyses, with programs that are refused and programs that are accepted.

use crate::testing::codes;

mod barriers {
    use super::codes;

    /// Returns the message numbers for the body of a compute shader with 8 × 8 threads.
    fn body(statements: &str) -> Vec<u16> {
        codes(
            &format!(
                "cbuffer B {{ uint n; bool on; }};
                Texture2D<float> t;
                RWBuffer<uint> o;
                groupshared uint s[64];
                void sync() {{ GroupMemoryBarrierWithGroupSync(); }}
                void inside(uint index, bool of) {{ if (of) sync(); }}
                [numthreads(8, 8, 1)]
                void main(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupThreadID, uint i : SV_GroupIndex,
                    uint3 group : SV_GroupID)
                {{ {statements}\n s[i] = i; sync(); o[d.x] = s[63 - i]; }}"
            ),
            "cs_5_0",
        )
    }

    const REFUSED: [u16; 1] = [3663];

    #[test]
    fn barriers_under_varying_conditions_are_refused() {
        for statements in [
            "if (i == 0) sync();",
            "if (g.x < 4) AllMemoryBarrierWithGroupSync();",
            "if (d.y < n) DeviceMemoryBarrierWithGroupSync();",
            "if (i < n) { s[i] = 1; } else { sync(); }",
            "if (n > 2) { if (i != 0) sync(); }",
            "bool first = i == 0; if (first && on) sync();",
            "uint2 p = d.xy + 4; if (any(p >= n)) sync();",
            "uint k = i; k += n; if (k < n * 2) sync();",
            "float value = t.Load(int3(d.xy, 0)); if (value > 0.5) sync();",
            "if (t[d.xy] > 0.5) sync();",
            "switch (g.x) { case 0: sync(); break; default: break; }",
            "uint wave = i / 32; if (wave == 0) sync();",
            "if (i & 1) sync();",
            "inside(i, i > 3);",
            "uint k = i == 0 ? 1 : 2; if (k == 1) sync();",
        ] {
            assert_eq!(body(statements), REFUSED, "{statements}");
        }
    }

    #[test]
    fn barriers_after_varying_jumps_are_refused() {
        for statements in [
            "if (d.x >= n) return;",
            "{ if (on) { if (i == 3) return; } }",
            "for (uint k = i; k < n; k += 64) sync();",
            "for (uint k = 0; k < n; k++) { sync(); if (s[0] == i) {} if (k == i) break; }",
            "for (uint k = 0; k < n; k++) { if (k == i) continue; sync(); }",
            "uint k = i; do { sync(); k--; } while (k < n);",
            "while (on) { for (uint k = 0; k < n; k++) { if (i == 5) return; } }",
        ] {
            assert_eq!(body(statements), REFUSED, "{statements}");
        }
    }

    #[test]
    fn barriers_that_all_threads_reach_are_accepted() {
        for statements in [
            "if (on) sync();",
            "if (group.x == 3) sync();",
            "if (n > 3) return;",
            "for (uint k = 0; k < n; k++) { sync(); if (s[k] == 3) break; sync(); }",
            "for (uint k = 32; k > 0; k >>= 1) { if (i < k) s[i] += s[i + k]; sync(); }",
            "if (s[0] == 3) sync();",
            "if (i == 0) { for (uint k = 0; k < n; k++) { if (k == 3) break; } }",
            "for (uint k = 0; k < n; k++) { if (k == i) { s[k] = 1; continue; } s[k] = 2; }",
            "if (i == 0) s[0] = 3; sync();",
            "switch (g.x) { case 0: s[0] = 1; break; default: break; }",
            "inside(i, on); if (false) inside(i, i == 0);",
            "do { sync(); if (i == 0) break; s[i] = 4; } while (false);",
        ] {
            assert_eq!(body(statements), [] as [u16; 0], "{statements}");
        }
    }

    #[test]
    fn barriers_under_uniform_conditions_are_accepted() {
        for statements in [
            "if (i < 64) sync();",
            "if (g.z == 0) sync();",
            "if (d.z == n) sync();",
            "uint2 p = uint2(n, d.z); if (any(p == 4)) sync();",
            "if (i / 64 == 0) sync();",
            "uint wave = i >> 6; if (wave == n) sync();",
            "if (d.x >> 3 == group.x) sync();",
            "uint k = i; k = n; if (k == 3) sync();",
            "uint k = i * 0; if (k == n) sync();",
            "bool first = true; if (i == 0) first = false; if (first) {}",
            "if (d.x < 4096) sync();",
        ] {
            assert_eq!(body(statements), [] as [u16; 0], "{statements}");
        }
    }

    #[test]
    fn fields_with_semantics_are_thread_numbers() {
        let of = |condition: &str| {
            let text = format!(
                "struct In {{ uint i : SV_GroupIndex; uint3 g : SV_GroupID; }};
                [numthreads(32, 1, 1)] void main(In v) {{ if ({condition}) AllMemoryBarrierWithGroupSync(); }}"
            );
            codes(&text, "cs_5_0")
        };
        assert_eq!(of("v.i == 0"), REFUSED);
        assert_eq!(of("v.g.x == 0"), [] as [u16; 0]);
    }

    #[test]
    fn groups_of_one_thread_are_uniform() {
        let text = "[numthreads(1, 1, 1)] void main(uint3 d : SV_DispatchThreadID) {
            if (d.x == 0) AllMemoryBarrierWithGroupSync(); }";
        assert_eq!(codes(text, "cs_5_0"), [] as [u16; 0]);
    }
}

mod values_of_calls {
    use super::codes;

    fn program(functions: &str, body: &str) -> Vec<u16> {
        let text = format!(
            "groupshared float s[64]; RWStructuredBuffer<float> o; cbuffer C {{ uint n; bool on; }};
            void sync() {{ GroupMemoryBarrierWithGroupSync(); }} {functions}
            [numthreads(64, 1, 1)] void main(uint gi : SV_GroupIndex) {{ s[gi] = gi; {body} sync(); o[gi] = s[gi ^ 1]; }}"
        );
        codes(&text, "cs_5_0")
    }

    #[test]
    fn conditions_that_an_argument_may_decide_are_accepted() {
        for (functions, body) in [
            (
                "float f(uint gi, bool early) { if (early && gi > n) return 0; sync(); return s[gi ^ 1]; }",
                "f(gi, false);",
            ),
            ("void f(uint gi, bool all) { if (all || gi < n) sync(); }", "f(gi, true);"),
            ("void f(uint gi, uint count) { if (gi < count) sync(); }", "f(gi, 64);"),
            ("void f(uint gi, uint other) { if (gi == other) sync(); }", "f(gi, 64);"),
            ("void f(uint gi, uint scale) { if (gi * scale < n) sync(); }", "f(gi, 0);"),
            ("void f(uint gi, bool all) { if (all ? true : gi < n) sync(); }", "f(gi, true);"),
            (
                "void scan(uint gi, uint total) { for (uint i = gi; i < total; i += 64) { s[i % 64] = 1; sync(); } }",
                "scan(gi, 256);",
            ),
            ("", "uint e = 16; uint total = e * e; for (uint i = gi; i < total; i += 64) sync();"),
            ("", "uint all = 32; all += 32; if (gi < all) sync();"),
        ] {
            assert_eq!(program(functions, body), [] as [u16; 0], "{functions} {body}");
        }
    }

    #[test]
    fn conditions_that_no_argument_decides_are_refused() {
        for (functions, body) in [
            ("void f(uint gi) { if (on && gi > n) return; sync(); }", "f(gi);"),
            ("void f(uint gi) { if (gi == 0) sync(); }", "f(gi);"),
            ("void f(uint gi) { if (gi * (n & 3) < n) sync(); }", "f(gi);"),
            ("", "const uint total = n * 4; if (gi < total) sync();"),
            ("", "if (gi < asuint(s[0]) || gi < n) sync();"),
        ] {
            assert_eq!(program(functions, body), [3663], "{functions} {body}");
        }
    }

    #[test]
    fn unrolled_loops_may_be_left_in_the_last_iteration() {
        for body in [
            "[unroll] for (uint i = 0; i < 1; i++) { s[gi] = i; sync(); if (gi >= n) break; o[gi] = s[gi ^ 1]; }",
            "for (uint i = 0; i < 1; i++) { sync(); if (gi >= n) break; o[gi] = 1; }",
            "[unroll] for (uint i = 0; i < 2; i++) { if (i == 0) sync(); if (i == 1 && gi >= n) break; }",
        ] {
            assert_eq!(program("", body), [] as [u16; 0], "{body}");
        }
        for body in [
            "for (uint i = 0; i < n; i++) { sync(); if (gi >= n) break; }",
            "[loop] for (uint i = 0; i < 4; i++) { sync(); if (gi >= n) break; }",
            "for (uint i = 0; i < 4; i++) { if (gi >= n) break; sync(); }",
        ] {
            assert_eq!(program("", body), [3663], "{body}");
        }
    }

    #[test]
    fn conditions_beyond_the_budget_are_accepted() {
        // The same condition is compiled alone and after other conditions that use up the budget.
        let condition = "if (gi + 1 > 0) sync();";
        let others = "if (gi * 3 + gi * 5 + gi * 7 + gi * 9 == 100000) o[1] = 1;".repeat(400);
        assert_eq!(program("", condition), [] as [u16; 0]);
        assert_eq!(program("", &format!("{others} if (gi == 64) sync();")), [] as [u16; 0]);
        let long = format!("const uint zero = gi * 0 {}; if (zero == 1) sync();", "+ gi * 0".repeat(100));
        assert_eq!(program("", &long), [] as [u16; 0]);
    }
}

mod loops {
    use super::codes;

    /// Returns the message numbers for the body of a pixel shader.
    fn body(statements: &str) -> Vec<u16> {
        codes(
            &format!("float4 main(float4 v : V, int n : N) : SV_Target {{ {statements} return v; }}"),
            "ps_5_0",
        )
    }

    #[test]
    fn loops_without_an_exit_are_refused() {
        for statements in [
            "for (;;) v.x += 1;",
            "while (true) { if (false) break; v.x += 1; }",
            "do v.x += 1; while (1);",
            "const bool on = true; while (on) { v.x += 1; continue; }",
            "while (true) { switch (n) { case 1: break; default: v.x = 2; break; } }",
            "while (true) { for (int i = 0; i < n; i++) { v.x += 1; if (v.x > 3) break; } }",
            "while (true) { continue; break; }",
        ] {
            assert_eq!(body(statements), [3696], "{statements}");
        }
    }

    #[test]
    fn loops_with_an_exit_are_accepted() {
        for statements in [
            "for (;;) { v.x += 1; if (v.x > n) break; }",
            "while (true) { v.x += 1; if (v.x > n) return v; }",
            "while (true) { v.x += 1; if (v.x > n) discard; }",
            "while (true) { switch (n) { case 1: return v; default: v.x = 2; break; } }",
            "while (n > 0) v.x += 1;",
            "do v.x += 1; while (false);",
            "while (true) { v.x += 1; return v; }",
            "if (false) for (;;) v.x += 1;",
        ] {
            assert_eq!(body(statements), [] as [u16; 0], "{statements}");
        }
    }
}

mod derivatives {
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
}

mod kept_loops {
    use super::codes;

    fn body(statements: &str) -> Vec<u16> {
        let text = format!(
            "Texture2D t[4]; SamplerState s; struct S {{ Texture2D a[4]; }}; S of;
            float4 main(int n : N) : SV_Target {{ float4 v = 0; {statements} return v; }}"
        );
        codes(&text, "ps_5_0")
    }

    #[test]
    fn kept_loops_that_select_objects_are_refused() {
        for statements in [
            "[loop] for (int i = 0; i < 4; i++) v += t[i].SampleLevel(s, 0, 0);",
            "[loop] for (int i = 0; i < 2; i++) { if (n > i) v += of.a[i * 2 + 1].Load(0); }",
        ] {
            assert_eq!(body(statements), [3531], "{statements}");
        }
    }

    #[test]
    fn loops_that_may_be_unrolled_are_accepted() {
        for statements in [
            "for (int i = 0; i < 4; i++) v += t[i].SampleLevel(s, 0, 0);",
            "[fastopt] for (int i = 0; i < 4; i++) v += t[i].SampleLevel(s, 0, 0);",
            "[loop] for (int i = 0; i < n; i++) v += t[2].SampleLevel(s, 0, i);",
            "[loop] for (int i = 0; i < 4; i++) { for (int j = 0; j < 4; j++) v += t[j].Load(i); }",
        ] {
            assert_eq!(body(statements), [] as [u16; 0], "{statements}");
        }
    }
}

mod assigned {
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
        let text =
            "void f(out float4 o) { o.xyz = 1; } float4 main() : SV_Target { float4 v; f(v); return v; }";
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
}

mod unset {
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
}

mod powers {
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
}
