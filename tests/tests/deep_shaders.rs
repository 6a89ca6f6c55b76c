//! Deeply nested HLSL shaders, similar to generated code, compiled on a thread with a stack of 2 MiB and then
//! drawn.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{Harness, Quad, Target, gpu_matrix, on_each};

fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// Returns the red byte that a pixel shader draws when its constant buffer contains `number`.
fn red(h: &mut Harness, ps: &PixelShader, number: f32) -> u32 {
    let device = h.device.clone();
    let (target, quad) = (Target::new(&device, 4, 4), Quad::new(&device));
    let cx = &mut h.immediate;
    cx.clear_state();
    target.bind(cx);
    quad.bind(cx);
    quad.set(cx, [0.0; 4], Quad::ALL, 0.0);
    cx.ps_set_shader(ps);
    cx.ps_set_constant_buffers(3, &device.create_constant_buffer(&[number, 1.0, 0.0, 0.0]).unwrap());
    cx.draw(4, 0);
    let texels = target.read(h);
    h.immediate.clear_state();
    h.assert_silent();
    assert!(texels.iter().all(|texel| *texel == texels[0]), "{texels:x?}");
    texels[0] & 0xff
}

/// Compiles a program whose body sets `r` to a value from 0 to 255, draws it with each number and compares
/// the red bytes.
fn assert_draws(name: &str, before: &str, body: &str, expected: &[(f32, u32)]) {
    let text = format!(
        "cbuffer C : register(b3) {{ float n; float one; }};
        {before}
        float4 main() : SV_Target {{ float r = 0; {body} return float4(r / 255, 0, 0, 1); }}"
    );
    on_each(&gpu_matrix(), |h| {
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "main")).unwrap();
        for (number, red_byte) in expected {
            assert_eq!(red(h, &ps, *number), *red_byte, "{name}: {number}");
        }
    });
}

#[test]
fn long_sums_have_their_values() {
    assert_draws("sum", "", &format!("r = (one{}) / 3;", " + one".repeat(599)), &[(0.0, 200)]);
    assert_draws(
        "nested",
        "",
        &format!("r = {}one{};", "one + (".repeat(199), ")".repeat(199)),
        &[(0.0, 200)],
    );
    assert_draws(
        "effects",
        "",
        &format!("float i = n; r = (i++{}) % 256;", " + i++".repeat(99)),
        &[(0.0, 86), (1.0, 186)],
    );
    let maxima = format!("r = {}n{};", "max(one, ".repeat(300), ")".repeat(300));
    assert_draws("max", "", &maxima, &[(0.0, 1), (9.0, 9)]);
}

#[test]
fn deep_conditionals_choose_their_values() {
    let choices = each(200, |index| format!("n == {index} ? {}.0 : ", 200 - index));
    assert_draws(
        "?:",
        "",
        &format!("r = {choices} 255;"),
        &[(0.0, 200), (7.0, 193), (199.0, 1), (200.0, 255)],
    );
    // All operands are evaluated, so every side effect takes place.
    let effects = each(100, |index| format!("n == {index} ? i++ : "));
    assert_draws(
        "effects",
        "",
        &format!("float i = 0; r = {effects} i++; r += i;"),
        &[(0.0, 101), (50.0, 151), (100.0, 201)],
    );
}

#[test]
fn long_else_if_chains_choose_their_bodies() {
    let chain_of = |count: usize, body: &str| {
        let links = each(count, |index| {
            format!("else if (n == {}) {{ {} }}", index + 1, body.replace('#', &(index + 1).to_string()))
        });
        format!("if (n == 0) {{ {} }} {links} else {{ r += 250; }}", body.replace('#', "0"))
    };
    let chain = |body: &str| chain_of(200, body);
    // Mesa nests all code that follows an early exit, and llvmpipe loses the condition of more than 80 nested
    // branches.
    let exits = |body: &str| chain_of(60, body);
    let numbers = |after: u32| {
        let found =
            [0, 1, 7, 8, 9, 15, 16, 17, 63, 150, 199, 200].map(|number| (number as f32, number + after));
        found.into_iter().chain([(201.0, 250 + after)]).collect::<Vec<_>>()
    };
    assert_draws("assign", "", &chain("r += #;"), &numbers(0));
    assert_draws("after", "", &format!("{} r += 2;", chain("r += #;")), &numbers(2));
    assert_draws(
        "return",
        &format!("float f() {{ float r = 0; {} return r; }}", exits("return #;")),
        "r = f() + 2;",
        &[(0.0, 2), (7.0, 9), (8.0, 10), (9.0, 11), (16.0, 18), (59.0, 61), (60.0, 62), (61.0, 252)],
    );
    // The compiler splits the chain, and the variable that connects the pieces must be reset in each
    // iteration.
    let loops = format!("for (int i = 0; i < 3; i++) {{ {} r += 1; }}", exits("r += # / 4.0; continue;"));
    assert_draws("continue", "", &loops, &[(0.0, 0), (8.0, 6), (48.0, 36), (60.0, 45)]);
    let loops = format!("for (int i = 0; i < 3; i++) {{ {} r += 1; }}", exits("r += #; break;"));
    assert_draws("break", "", &loops, &[(0.0, 0), (8.0, 8), (48.0, 48), (60.0, 60)]);
    // The conditions are evaluated in order until one is true.
    let links = each(200, |index| format!("else if (++i > n + {index} * 0.001) r = {index};"));
    assert_draws(
        "effects",
        "",
        &format!("float i = 0; if (n < 0) r = 1; {links} r = i;"),
        &[(0.5, 1), (20.5, 21), (150.5, 151)],
    );
}

#[test]
fn calls_through_many_functions_have_their_values() {
    let calls = "float f0(float x) { return x; }".to_owned()
        + &each(200, |index| format!("float f{}(float x) {{ return f{index}(x + 1); }}", index + 1));
    assert_draws("calls", &calls, "r = f200(n);", &[(0.0, 200), (50.0, 250)]);
}
