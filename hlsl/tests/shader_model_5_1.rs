//! Shader Model 5.1, whose registers are mapped to Direct3D 11's registers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{
    CompileOptions, compile,
    reflection::{Reflection, ResourceKind},
};

/// Compiles a pixel shader, and returns its reflection or the first error.
fn pixel(declarations: &str, result: &str, profile: &str) -> Result<Reflection, String> {
    let text = format!("{declarations}\nfloat4 main() : SV_Target {{ return {result}; }}");
    match compile(&text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => Ok(compiled.reflection),
        Err(errors) => {
            let first = errors.errors().next().unwrap();
            Err(format!("X{:04}: {}", first.code.number(), first.message))
        }
    }
}

#[track_caller]
fn slot(result: &Result<Reflection, String>, name: &str) -> u32 {
    let reflection = result.as_ref().unwrap();
    reflection.resources.iter().find(|resource| resource.name == name).unwrap().slot
}

/// Checks that a program is refused with X9004 and that the message contains `part`.
#[track_caller]
fn assert_refused(result: Result<Reflection, String>, part: &str) {
    let error = result.unwrap_err();
    assert!(error.starts_with("X9004: not supported: ") && error.contains(part), "{error}");
}

#[test]
fn a_constant_buffer_object_holds_a_structure() {
    let text = "struct S { float3 a; float b; row_major float2x3 m; };
        ConstantBuffer<S> frame : register(b2, space3); TextureBuffer<S> slow : register(t4); ConstantBuffer<S> free;";
    let result = pixel(text, "float4(frame.a, slow.b) + frame.m[1].z + free.b", "ps_5_1");
    assert_eq!((slot(&result, "frame"), slot(&result, "slow"), slot(&result, "free")), (2, 4, 0));
    let reflection = result.unwrap();
    let kind = |name: &str| reflection.resources.iter().find(|resource| resource.name == name).unwrap().kind;
    assert_eq!(kind("frame"), ResourceKind::ConstantBuffer);
    assert_eq!(kind("slow"), ResourceKind::TextureBuffer);
    let frame = reflection.constant_buffer("frame").unwrap();
    assert_eq!((frame.size, frame.variable("frame").unwrap().offset), (48, 0));
    assert_eq!(reflection.model.version(), (5, 1));
}

#[test]
fn a_constant_buffer_object_is_used_as_its_structure() {
    let text = "struct S { float4 a; float4 b[2]; }; ConstantBuffer<S> frame;
        float4 sum(S s) { return s.a + s.b[1]; } float4 copy() { S s = frame; return s.b[0]; }";
    assert_eq!(slot(&pixel(text, "sum(frame) + copy()", "ps_5_1"), "frame"), 0);
}

#[test]
fn spaces_without_collisions_become_plain_registers() {
    let text = "Texture2D a : register(t1, space1); Texture2D b : register(t0, space2); Texture2D free;
        SamplerState s : register(s0, space7); Texture2D unused : register(t1, space2);";
    let result = pixel(text, "a.Sample(s, 0) + b.Sample(s, 0) + free.Sample(s, 0)", "ps_5_1");
    assert_eq!((slot(&result, "a"), slot(&result, "b"), slot(&result, "s")), (1, 0, 0));
    assert_eq!(slot(&result, "free"), 2);
}

#[test]
fn colliding_spaces_are_refused() {
    let text = "Texture2D a : register(t1, space1); Texture2D b[3] : register(t0, space2);";
    let expected = "'b' in space2 and 'a' in space1 both have the register t1";
    assert_refused(pixel(text, "a.Load(0) + b[2].Load(0)", "ps_5_1"), expected);
    let text = "cbuffer A : register(b0, space1) { float4 a; } struct S { float4 b; };
        ConstantBuffer<S> c : register(b0);";
    assert_refused(pixel(text, "a + c.b", "ps_5_1"), "Direct3D 11 has one space");
    let text = "RWBuffer<float> u : register(u0);";
    assert_refused(pixel(text, "u[0]", "ps_5_1"), "register u0 is that of a render target");
    let error = pixel(
        "Texture2D a : register(t1, space1); Texture2D b : register(t1, space1);",
        "a.Load(0) + b.Load(0)",
        "ps_5_1",
    );
    assert!(error.unwrap_err().starts_with("X4500"));
}

#[test]
fn registers_above_those_of_direct3d_11_are_refused() {
    for (declaration, result) in [
        ("Texture2D a : register(t128);", "a.Load(0)"),
        ("cbuffer C : register(b14) { float4 a; }", "a"),
        ("SamplerState s : register(s16); Texture2D a;", "a.Sample(s, 0)"),
        ("RWBuffer<float> a : register(u64);", "a[0]"),
    ] {
        assert_refused(pixel(declaration, result, "ps_5_1"), "of Direct3D 11");
    }
}

#[test]
fn arrays_of_resources_need_constant_indices() {
    let text = "Texture2D a[4] : register(t2, space1); static const int LAST = 3;
        float4 sum() { float4 r = 0; [unroll] for (int i = 0; i < 4; i++) r += a[i].Load(0); return r; }";
    assert_eq!(slot(&pixel(text, "a[1].Load(0) + a[LAST].Load(0) + sum()", "ps_5_1"), "a"), 2);
    let text = "Texture2D a[4]; int n;";
    assert_refused(pixel(text, "a[n].Load(0)", "ps_5_1"), "must be a literal expression");
    assert!(pixel(text, "a[n].Load(0)", "ps_5_0").unwrap_err().starts_with("X3512"));
    let text = "struct S { float4 a; }; ConstantBuffer<S> b[2] : register(b1);";
    assert_refused(pixel(text, "b[1].a", "ps_5_1"), "an array of ConstantBuffer");
    assert_refused(
        pixel("Texture2D a[] : register(t0, space1);", "a[1].Load(0)", "ps_5_1"),
        "an array without a size",
    );
}

#[test]
fn the_first_register_is_used_for_every_profile() {
    let text = "Texture2D a : register(vs, t1) : register(ps, t2); Texture2D b : register(ps, t3) : register(ps_5_1, t4);";
    let result = pixel(text, "a.Load(0) + b.Load(0)", "ps_5_1");
    assert_eq!((slot(&result, "a"), slot(&result, "b")), (1, 3));
    assert_eq!(
        slot(&pixel("Texture2D a : register(vs, t1) : register(ps, t2);", "a.Load(0)", "ps_5_0"), "a"),
        2
    );
}

#[test]
fn registers_of_another_class_are_refused_before_they_are_used() {
    for declaration in [
        "cbuffer C : register(t1) { float4 c; }",
        "cbuffer C : register(c0) { float4 c; }",
        "tbuffer C : register(b0) { float4 c; }",
        "struct S { float4 a; }; ConstantBuffer<S> c : register(c1);",
        "struct S { float4 a; }; TextureBuffer<S> c : register(b1);",
        "sampler2D c : register(t0);",
        "Texture2D c : register(u0);",
        "RWBuffer<float> c[2] : register(t0);",
    ] {
        let error = pixel(declaration, "0", "ps_5_1").unwrap_err();
        assert!(error.starts_with("X3591: incorrect bind semantic: '"), "{declaration}: {error}");
    }
}

#[test]
fn constant_buffer_objects_are_global_variables() {
    let of = |text: &str| pixel(&format!("struct S {{ float4 a; }}; {text}"), "0", "ps_5_1").unwrap_err();
    for text in [
        "typedef ConstantBuffer<S> C;",
        "struct T { ConstantBuffer<S> c; };",
        "float4 f(ConstantBuffer<S> c) { return c.a; }",
        "float4 f() { ConstantBuffer<S> c; return 0; }",
        "static ConstantBuffer<S> c;",
        "ConstantBuffer<S> c = { 1, 2, 3, 4 };",
    ] {
        assert!(of(text).starts_with("X3038"), "{text}: {}", of(text));
    }
    assert!(of("ConstantBuffer<float4> c;").starts_with("X3594"));
}

#[test]
fn earlier_models_do_not_have_constant_buffer_objects() {
    let error = pixel("struct S { float4 a; }; ConstantBuffer<S> c;", "c.a", "ps_5_0").unwrap_err();
    assert!(error.starts_with("X3000") && error.contains("needs shader model 5.1"), "{error}");
    // The names are not reserved in any shader model.
    for profile in ["ps_4_0", "ps_5_0", "ps_5_1"] {
        let text = "struct ConstantBuffer { float4 a; }; cbuffer TextureBuffer { ConstantBuffer c; }";
        assert!(pixel(text, "c.a", profile).is_ok(), "{profile}");
        let text = "static const float ConstantBuffer = 1, TextureBuffer = 2;
            float4 f() { ConstantBuffer < 2 ? 1 : 0; return TextureBuffer < 3 ? 1 : 0; }";
        assert!(pixel(text, "f()", profile).is_ok(), "{profile}");
    }
}
