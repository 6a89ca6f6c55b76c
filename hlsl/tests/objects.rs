//! Variables of object types: the compiler knows which object each stands for, or says that it does not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

/// A pixel shader with textures, in WGSL; or the number of the first error.
fn pixel(before: &str, body: &str) -> Result<String, u16> {
    let text = format!(
        "Texture2D a, b; Texture2D list[4]; RWStructuredBuffer<uint> r : register(u1); int n;\n{before}\n\
         float4 main(float4 p : P) : SV_Target {{ {body} }}"
    );
    match compile(&text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => Ok(compiled.wgsl().unwrap()),
        Err(errors) => Err(errors.errors().next().unwrap().code.number()),
    }
}

#[test]
fn a_jump_takes_its_objects_along() {
    let unrolled = |jump: &str, object: &str| {
        pixel(
            "",
            &format!(
                "Texture2D t = a; for (int i = 0; i < 2; i++) {{ if (p[i] > 0) {{ t = {object}; {jump}; }} t = a; }}
                 return t.Load(0);"
            ),
        )
    };
    for jump in ["break", "continue"] {
        assert_eq!(unrolled(jump, "b"), Err(4000), "{jump}");
        assert!(unrolled(jump, "a").is_ok(), "{jump}");
    }
    let switch = |object: &str| {
        pixel(
            "",
            &format!(
                "Texture2D t = a; switch ((int)p.x) {{
                   case 0: if (p.y > 0) {{ t = {object}; break; }} t = a; break;
                   default: break; }}
                 return t.Load(0);"
            ),
        )
    };
    assert_eq!(switch("b"), Err(4000));
    assert!(switch("a").is_ok());
}

#[test]
fn a_global_that_one_branch_assigns_is_not_known() {
    let body = |object: &str| format!("if (p.x > 0) t = {object}; return t.Load(0);");
    assert_eq!(pixel("static Texture2D t = b;", &body("a")), Err(4000));
    assert!(pixel("static Texture2D t = b;", &body("b")).is_ok());
}

#[test]
fn calls_of_one_macro_are_told_apart() {
    let before =
        "struct S { Texture2D t; float k; }; S make(Texture2D t, float k) { S s = { t, k }; return s; }
        #define MIX (make(a, 1).k + make(b, 2).t.Load(0).x)";
    let text = pixel(before, "return MIX;").unwrap();
    assert!(text.contains("var b: texture_2d<f32>") && !text.contains("var a: texture_2d<f32>"), "{text}");
}

#[test]
fn what_an_atomic_function_reads_stays_known() {
    let text = pixel("", "int k = 2; InterlockedAdd(r[0], k); return list[k].Load(0);");
    assert!(text.is_ok_and(|text| text.contains("list_2")));
    let loops = "float4 c = 0; for (int i = 0; i < 4; i++) { c += list[i].Load(0); InterlockedAdd(r[0], i); } return c;";
    assert!(pixel("", loops).is_ok());
    let changed = "uint k = 2; InterlockedAdd(r[0], 1, k); return list[k].Load(0);";
    assert_eq!(pixel("", changed), Err(3512));
}

#[test]
fn steps_of_two_variables_are_followed() {
    let body = "float4 c = 0; for (int i = 0, j = 3; i < 4; i++, j--) c += list[j].Load(0); return c;";
    assert!(pixel("", body).is_ok());
}

#[test]
fn both_sides_of_a_known_choice_have_their_effects() {
    let text = pixel("", "int i = 0; int one = true ? 1 : i++; return i + one + n;").unwrap();
    assert!(text.contains("i = "), "{text}");
}

#[test]
fn lines_and_squares_of_one_sampler_are_squares() {
    let options = CompileOptions { backwards_compatible: true, ..CompileOptions::default() };
    let text = "sampler s[2]; float4 main(float2 p : P) : SV_Target {
        return tex1D(s[0], p.x) + tex1Dbias(s[0], p.xyxy) + tex2D(s[0], p) + tex1D(s[1], p.y); }";
    let compiled = compile(text, "a.hlsl", "main", "ps_4_0".parse().unwrap(), &options).unwrap();
    let wgsl = compiled.wgsl().unwrap();
    assert_eq!(wgsl.matches("texture_2d<f32>").count(), 2, "{wgsl}");
    let text = "sampler s; float4 main(float2 p : P) : SV_Target { return tex1D(s, p.x); }";
    let compiled = compile(text, "a.hlsl", "main", "ps_4_0".parse().unwrap(), &options).unwrap();
    assert!(compiled.wgsl().unwrap().contains("texture_1d<f32>"));
}

#[test]
fn a_literal_behind_effects_is_in_range() {
    assert_eq!(pixel("", "float a[3] = { 1, 2, 3 }; int i = 0; return a[i++, 7] + i;"), Err(3504));
    assert!(pixel("", "float a[3] = { 1, 2, 3 }; int i = 0; return a[i++, 2] + i;").is_ok());
}
