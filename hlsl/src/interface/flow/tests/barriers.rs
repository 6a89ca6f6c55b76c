//! Barriers in varying control flow.

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
