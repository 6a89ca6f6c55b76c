//! Loops with `[loop]` that must be unrolled.

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
