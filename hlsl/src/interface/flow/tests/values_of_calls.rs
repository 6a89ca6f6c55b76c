//! Barriers under conditions that depend on arguments of calls.

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
