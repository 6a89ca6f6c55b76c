//! Variables of object types. The compiler must know their objects, or report an error.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

/// Compiles a pixel shader with textures to WGSL, or returns the number of the first error if it fails.
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
fn jumps_carry_the_objects_of_variables() {
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
fn a_global_assigned_in_one_branch_is_unknown() {
    let body = |object: &str| format!("if (p.x > 0) t = {object}; return t.Load(0);");
    assert_eq!(pixel("static Texture2D t = b;", &body("a")), Err(4000));
    assert!(pixel("static Texture2D t = b;", &body("b")).is_ok());
}

#[test]
fn calls_from_one_macro_are_distinct() {
    let before =
        "struct S { Texture2D t; float k; }; S make(Texture2D t, float k) { S s = { t, k }; return s; }
        #define MIX (make(a, 1).k + make(b, 2).t.Load(0).x)";
    let text = pixel(before, "return MIX;").unwrap();
    assert!(text.contains("var b: texture_2d<f32>") && !text.contains("var a: texture_2d<f32>"), "{text}");
}

#[test]
fn operands_of_atomic_functions_stay_known() {
    let text = pixel("", "int k = 2; InterlockedAdd(r[0], k); return list[k].Load(0);");
    assert!(text.is_ok_and(|text| text.contains("list_2")));
    let loops = "float4 c = 0; for (int i = 0; i < 4; i++) { c += list[i].Load(0); InterlockedAdd(r[0], i); } return c;";
    assert!(pixel("", loops).is_ok());
    let changed = "uint k = 2; InterlockedAdd(r[0], 1, k); return list[k].Load(0);";
    assert_eq!(pixel("", changed), Err(3512));
}

#[test]
fn loops_with_two_counters_are_unrolled() {
    let body = "float4 c = 0; for (int i = 0, j = 3; i < 4; i++, j--) c += list[j].Load(0); return c;";
    assert!(pixel("", body).is_ok());
}

#[test]
fn both_sides_of_a_constant_conditional_are_evaluated() {
    let text = pixel("", "int i = 0; int one = true ? 1 : i++; return i + one + n;").unwrap();
    assert!(text.contains("i = "), "{text}");
}

#[test]
fn textures_of_a_sampler_used_as_1d_and_2d_become_2d() {
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
fn a_literal_after_side_effects_is_a_valid_index() {
    assert_eq!(pixel("", "float a[3] = { 1, 2, 3 }; int i = 0; return a[i++, 7] + i;"), Err(3504));
    assert!(pixel("", "float a[3] = { 1, 2, 3 }; int i = 0; return a[i++, 2] + i;").is_ok());
}

#[test]
fn loops_without_a_known_count_have_their_own_error() {
    let swap = "void swap(inout Texture2D x, inout Texture2D y) { Texture2D z = x; x = y; y = z; }";
    let body = |start: &str, condition: &str, step: &str| {
        format!(
            "Texture2D t = a, u = b; float4 sum = 0; {start}
             while ({condition}) {{ sum += t.Load(0); swap(t, u); {step} }} return sum;"
        )
    };
    assert!(pixel(swap, &body("int i = 0;", "i < 2", "i++;")).is_ok());
    // The number of iterations is only known at run time.
    assert_eq!(pixel(swap, &body("int i = 0;", "i < n", "i++;")), Err(4000));
    // The compiler does not track such counters.
    assert_eq!(pixel(swap, &body("int i = 0;", "i < 2", "for (int j = 0; j < 1; j++) i++;")), Err(9004));
    assert_eq!(pixel(swap, &body("int i = 0;", "i < 2", "switch (n) { default: i++; break; }")), Err(9004));
    assert_eq!(pixel(&format!("{swap} static int i;"), &body("i = 0;", "i < 2", "i++;")), Err(9004));
}

#[test]
fn functions_that_only_read_objects_need_no_unrolling() {
    let before = "struct S { Texture2D t; float k; float4 get() { return k * t.Load(0); } float4 add() { k++; return get(); } };";
    let body = |call: &str| {
        format!("S s = {{ a, 1 }}; float4 sum = 0; for (int i = 0; i < 100; i++) sum += {call}; return sum;")
    };
    for call in ["s.get()", "s.add()"] {
        let text = pixel(before, &body(call)).unwrap();
        assert!(text.contains("loop") && text.matches("textureLoad").count() == 1, "{call}: {text}");
    }
}

#[test]
fn a_structure_in_a_constant_buffer_is_read_in_place() {
    let before = "struct S { float4 v[100]; int n; float4 get(int i) { return v[i] + n; } }; S s;";
    let text = pixel(before, "return s.get(3);").unwrap();
    assert!(!text.contains("var<private>"), "{text}");
    let before = "struct S { float4 v[100]; int n; float4 get(int i) { n++; return v[i] + n; } }; S s;";
    assert!(pixel(before, "return s.get(3);").unwrap().contains("var<private>"));
}

#[test]
fn stores_in_initializers_are_seen() {
    let before =
        "int add(inout int k) { k += 5; return k; } static int first = 1; static int second = add(first);";
    let text = pixel(before, "return second + 10 * first;").unwrap();
    assert!(text.contains("10i *"), "{text}");
}

#[test]
fn objects_replaced_in_loop_conditions_are_unknown() {
    let before =
        |object: &str| format!("int next(inout Texture2D x, inout int i) {{ x = {object}; return i++; }}");
    let body = "Texture2D t = a; int i = 0; while (next(t, i) < n) t = a; return t.Load(0);";
    assert_eq!(pixel(&before("b"), body), Err(4000));
    let body = "Texture2D t = a; int i = 0; do t = a; while (next(t, i) < n); return t.Load(0);";
    assert!(pixel(&before("b"), body).unwrap().contains("var b: texture_2d<f32>"));
}

#[test]
fn objects_replaced_with_themselves_in_loops_stay_known() {
    let body = |object: &str| {
        format!(
            "Texture2D t = a; float4 sum = 0; for (int i = 0; i < n; i++) {{ sum += t.Load(0); t = {object}; }} return sum;"
        )
    };
    assert!(pixel("", &body("a")).is_ok());
    assert_eq!(pixel("", &body("b")), Err(4000));
    let nested = "Texture2D t = a, u = b; float4 sum = 0;
        for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { sum += t.Load(0) + u.Load(0); t = a; } u = t; }
        return sum;";
    assert_eq!(pixel("", nested), Err(4000));
    assert!(pixel("", &nested.replace("u = t", "u = b")).is_ok());
}

#[test]
fn only_objects_replaced_in_loops_become_unknown() {
    let before = "struct S { Texture2D t; void set(Texture2D x) { t = x; } };
        static Texture2D g = a; static Texture2D h = b; void next() { g = b; }";
    let body = |read: &str, call: &str| {
        format!(
            "S s[2]; s[0].t = a; s[1].t = a; float4 sum = 0;
             for (int i = 0; i < n; i++) {{ sum += {read}.Load(0); {call}; }} return sum;"
        )
    };
    for (read, call, result) in [
        ("s[1].t", "s[1].set(b)", Err(4000)),
        ("s[0].t", "s[1].set(b)", Ok(())),
        ("s[1].t", "s[0].set(b)", Ok(())),
        ("g", "next()", Err(4000)),
        ("h", "next()", Ok(())),
    ] {
        assert_eq!(pixel(before, &body(read, call)).map(|_| ()), result, "{read} {call}");
    }
}

#[test]
fn links_of_a_long_chain_do_not_see_other_bodies() {
    let chain = |links: usize, body: &str| {
        let links: String = (0..links).map(|link| format!("else if (p.x == {link}) {body}")).collect();
        format!("Texture2D t = a; if (p.y > 0) t = b; {links} return 0;")
    };
    for links in [3, 12, 30] {
        let text = pixel("", &chain(links, "return t.Load(0);")).unwrap();
        assert!(text.contains("var a: texture_2d<f32>") && !text.contains("var b"), "{links}: {text}");
        let text = chain(links, "{ }").replace("return 0", "return t.Load(0)");
        assert_eq!(pixel("", &text), Err(4000), "{links}");
    }
}
