//! Modifiers and registers that FXC accepts for constant buffers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

/// Returns the slot of the buffer `B`, whose variable `a` a pixel shader reads, or the number of the first
/// error.
fn slot(declaration: &str) -> Result<u32, u16> {
    let text = format!("{declaration}\nfloat4 main() : SV_Target {{ return a; }}");
    match compile(&text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => {
            let resources = &compiled.reflection.resources;
            Ok(resources.iter().find(|resource| resource.name == "B").unwrap().slot)
        }
        Err(errors) => Err(errors.errors().next().unwrap().code.number()),
    }
}

#[test]
fn modifiers_before_a_constant_buffer_are_ignored() {
    for before in
        ["shared", "single", "shared single", "single shared", "uniform", "extern", "const", "precise"]
    {
        for kind in ["cbuffer B : register(b3)", "tbuffer B : register(t3)"] {
            assert_eq!(slot(&format!("{before} {kind} {{ float4 a; }}")), Ok(3), "{before} {kind}");
        }
    }
    let nested =
        "namespace N { shared cbuffer B : register(b2) { shared float4 a; } } static const float4 a = N::a;";
    assert_eq!(slot(nested), Ok(2));
}

#[test]
fn modifiers_invalid_for_globals_are_refused_on_buffers() {
    assert_eq!(slot("in cbuffer B { float4 a; }"), Err(3000));
    assert_eq!(slot("inline cbuffer B { float4 a; }"), Err(3048));
    assert_eq!(slot("volatile cbuffer B { float4 a; }"), Err(3008));
    assert_eq!(slot("row_major cbuffer B { float4 a; }"), Err(3077));
    assert_eq!(slot("row_major single cbuffer B { float4 a; }"), Err(3077));
    assert_eq!(slot("volatile single cbuffer B { float4 a; }"), Err(3008));
    assert_eq!(slot("single column_major cbuffer B { float4 a; }"), Err(3077));
    assert_eq!(slot("shared shared cbuffer B { float4 a; }"), Err(3048));
}

#[test]
fn shared_is_also_a_modifier_of_variables() {
    assert_eq!(slot("shared Texture2D t; cbuffer B { shared float4 a; }"), Ok(0));
    assert_eq!(
        slot("float shared; struct single { float4 b; }; single s; cbuffer B : register(b1) { float4 a; }"),
        Ok(1)
    );
}

#[test]
fn register_c0_of_a_constant_buffer_is_ignored() {
    assert_eq!(slot("cbuffer B : register(c0) { float4 a; }"), Ok(0));
    assert_eq!(slot("tbuffer B : register(c0) { float4 a; }"), Ok(0));
    assert_eq!(slot("cbuffer B : register(c0) : register(b2) { float4 a; }"), Ok(2));
    assert_eq!(
        slot("cbuffer Other : register(b0) { float4 b; } cbuffer B : register(c0) { float4 a; }"),
        Ok(1)
    );
    // Before Shader Model 4, other `c` registers set the location of the buffer's constants.
    assert_eq!(slot("cbuffer B : register(c5) { float4 a; }"), Err(9004));
    assert_eq!(slot("cbuffer B : register(b1) : register(c5) { float4 a; }"), Ok(1));
}

#[test]
fn used_buffers_cannot_have_registers_of_other_classes() {
    for register in ["t0", "s0", "u0", "i0"] {
        assert_eq!(
            slot(&format!("cbuffer B : register({register}) {{ float4 a; }}")),
            Err(3530),
            "{register}"
        );
    }
    assert_eq!(slot("tbuffer B : register(b0) { float4 a; }"), Err(3530));
    assert_eq!(slot("cbuffer Unused : register(t0) { float4 b; } cbuffer B { float4 a; }"), Ok(0));
}

#[test]
fn other_registers_of_numbers_and_samplers_are_ignored() {
    // Variables outside buffers only use `c` registers. A sampler may name the register of the texture that
    // it reads.
    let text =
        "float4 x : register(b2); float4 y : register(i1); sampler s : register(t0); cbuffer B { float4 a; }
        static const float4 z = x + y;";
    assert_eq!(slot(text), Ok(0));
}
