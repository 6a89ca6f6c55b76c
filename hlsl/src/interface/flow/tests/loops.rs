//! Loops that never end.

use super::codes;

/// Returns the message numbers for the body of a pixel shader.
fn body(statements: &str) -> Vec<u16> {
    codes(&format!("float4 main(float4 v : V, int n : N) : SV_Target {{ {statements} return v; }}"), "ps_5_0")
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
