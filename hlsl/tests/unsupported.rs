//! Programs that Direct3D 11 supports but this compiler does not. They are refused with X9004 and a message
//! that contains the feature and a workaround.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, Diagnostics, compile};

const INTERFACE: &str = "interface I { float f(float x); }; interface J : I { float g(); };
    class C : I { float k; float f(float x) { return x * k; } };
    class D : C, J { float l; float g() { return l; } };
    class Other { float k; };";

fn pixel(declarations: &str, body: &str) -> Result<(), Diagnostics> {
    let text = format!(
        "{declarations}\nfloat4 main(float4 p : P, nointerpolation int n : N) : SV_Target {{ {body} }}"
    );
    compile(&text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()).map(|_| ())
}

/// Checks that each program fails with X9004 and that the message contains all of these words.
fn refused(programs: &[(&str, &str)], words: &[&str]) {
    for (declarations, body) in programs {
        let errors = pixel(declarations, body).unwrap_err();
        let error = errors.errors().next().unwrap();
        assert_eq!(error.code.number(), 9004, "{declarations} {body}: {error}");
        let has_all = words.iter().all(|word| error.message.contains(word));
        assert!(has_all, "{declarations} {body}: {error}");
    }
}

fn code(declarations: &str, body: &str) -> Option<u16> {
    Some(pixel(declarations, body).err()?.errors().next()?.code.number())
}

#[test]
fn conversions_to_interfaces_are_unsupported() {
    let with = |text: &str| format!("{INTERFACE} {text}");
    let parameter = with("float g(I x) { return x.f(2); }");
    let overloaded = with("float g(I x) { return 1; } float g(float x) { return 2; }");
    let several = with("float g(float a, I x, J y) { return x.f(a) + y.g(); }");
    let written = with("float g(inout I x) { return x.f(2); }");
    let result = with("C c; I get() { return c; }");
    let array = with("float g(I x[2]) { return x[1].f(2); }");
    let field = with("struct S { I x; float y; };");
    refused(
        &[
            (&parameter, "C c = { 3 }; return g(c);"),
            (&parameter, "D d = { 3, 4 }; return g(d);"),
            (&overloaded, "C c = { 3 }; return g(c) + g(1.0);"),
            (&written, "C c = { 3 }; return g(c);"),
            (&result, "return get().f(2);"),
            (INTERFACE, "C c = { 3 }; I x = c; return x.f(2);"),
            (INTERFACE, "C c = { 3 }; I x; x = c; return x.f(2);"),
            (&field, "C c = { 3 }; S s; s.x = c; s.y = 1; return s.x.f(2);"),
            (INTERFACE, "D d = { 3, 4 }; I x = (I)d; return x.f(2);"),
        ],
        &["as the interface 'I' (dynamic linkage)", "with the type '"],
    );
    refused(&[(&array, "C c[2] = { 1, 2 }; return g(c);")], &["'C[2]' as the interface 'I[2]'"]);
    refused(&[(&several, "D d = { 3, 4 }; return g(p.x, d, d);")], &["'D' as the interface 'I'"]);
    // Passing an object of a class that does not implement the interface is an ordinary error.
    assert_eq!(code(&parameter, "Other o = { 3 }; return g(o);"), Some(3017));
    assert_eq!(code(INTERFACE, "C c = { 3 }; J y = c; return y.g();"), Some(3017));
    assert_eq!(code(&several, "C c = { 3 }; return g(p.x, c, c);"), Some(3017));
    assert_eq!(code(INTERFACE, "C c = { 3 }; D d = { 1, 2 }; return c.f(2) + d.f(3) + d.g();"), None);
    assert_eq!(code(&parameter, "return 0;"), None);
}

#[test]
fn calls_through_interfaces_are_unsupported() {
    let with = |text: &str| format!("{INTERFACE} {text}");
    refused(
        &[
            (&with("I x;"), "return x.f(2);"),
            (&with("I x[4];"), "return x[n].f(2);"),
            (&with("static I x;"), "return x.f(2);"),
            (&with("cbuffer B { I x; float q; };"), "return x.f(q);"),
            (&with("struct S { I x; }; S s;"), "return s.x.f(2);"),
            (&with("I x; float g(I y) { return y.f(2); }"), "return g(x);"),
        ],
        &["the call of 'f' through an interface (dynamic linkage)", "an object of a class"],
    );
}

#[test]
fn doubles_are_refused_outside_of_memory_and_arithmetic() {
    refused(
        &[("", "double d = asdouble(n, n); return (float)d;")],
        &["asdouble: ", "convert from or to float"],
    );
    refused(
        &[
            ("", "uint a, b; asuint((double)p.x, a, b); return a + b;"),
            ("", "uint2 a, b; asuint((double2)p.xy, a, b); return (a + b).xyxy;"),
        ],
        &["asuint: ", "convert from or to float"],
    );
    refused(
        &[
            ("Buffer<double> b;", "return (float)b[n];"),
            ("RWBuffer<double2> b : register(u1);", "b[n] = p.xy; return 0;"),
            ("Texture2D<double2> b;", "return (float)b.Load(0).x;"),
            ("RWTexture2D<double2> b : register(u1);", "b[p.xy] = 0; return 0;"),
        ],
        &["doubles", "a structured buffer"],
    );
    // Direct3D does not have this overload, operator or attribute either.
    assert_eq!(code("", "return asuint((double2)p.xy).xyxy;"), Some(3013));
    assert_eq!(code("", "double d = p.x; return (float)(d % 2.0L);"), Some(3684));
    assert_eq!(code("double f() : SV_Target { return 1; }", "return (float)f();"), None);
}

#[test]
fn doubles_work_in_memory_and_arithmetic() {
    for (declarations, body) in [
        (
            "cbuffer B { float a; double d; double2 e; double3 f; double g[2]; double2x2 h; };",
            "d + e.x + f.z + g[n] + h[1][0] + a",
        ),
        ("tbuffer B { double d; };", "d"),
        ("struct S { float a; double d; double2 e; }; StructuredBuffer<S> b;", "b[0].d + b[n].e.y"),
        ("StructuredBuffer<double2> b; static double k = 2.5L;", "b[n].y * k"),
        (
            "",
            "sqrt((double)p.x) + rcp((double)p.y) + saturate((double)p.z) + mul((double2)p.xy, (double2x2)p)[0]",
        ),
        ("", "(double)(int)(double)p.x + (uint)(double)p.y + (bool)(double)p.z"),
    ] {
        assert_eq!(code(declarations, &format!("return (float)({body});")), None, "{declarations} {body}");
    }
}

#[test]
fn modifiers_and_minimum_precision_types_are_accepted() {
    for (declarations, body) in [
        (
            "export float f(float x) { return x; } inline float g(volatile float x) { return x; }",
            "f(1) + g(2)",
        ),
        ("precise float f(precise float x) { precise float y = x * 2; return y; }", "f(p.x)"),
        ("float f(linear sample float x, noperspective centroid float y) { return x + y; }", "f(1, 2)"),
        (
            "min16float a; min10float b; min16int c; min12int d; min16uint e; min16float2x2 g;",
            "a + b + c + d + e + g[0].x",
        ),
        ("Texture2D<min16float4> t; StructuredBuffer<min16uint> b;", "t.Load(0) + b[0]"),
        ("unorm float a; snorm float b; extern float c; shared float d;", "a + b + c + d"),
        ("string s = \"text\"; Texture2D<unorm float4> t;", "t.Load(0)"),
        ("RasterizerOrderedTexture2D<float4> t : register(u1);", "t[p.xy]"),
    ] {
        assert_eq!(code(declarations, &format!("return {body};")), None, "{declarations} {body}");
    }
}

#[test]
fn system_values_without_a_counterpart_are_unsupported() {
    for (profile, direction, ty, name, way_out) in [
        ("ps_5_0", "out", "uint", "sv_stencilref", "once for each reference value"),
        ("ps_5_0", "in", "uint", "SV_InnerCoverage", "SV_Coverage"),
    ] {
        let body = if direction == "out" { "x = 0; return 0;" } else { "return x.x;" };
        let text = format!("float4 main({direction} {ty} x : {name}) : SV_Target {{ {body} }}");
        let errors = compile(&text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default())
            .unwrap_err();
        let error = errors.errors().next().unwrap();
        assert_eq!(error.code.number(), 9004, "{name}: {error}");
        assert!(error.message.contains(name) && error.message.contains(way_out), "{name}: {error}");
    }
}

#[test]
fn comparisons_with_a_level_clamp_are_unsupported() {
    let textures = "Texture2D t; TextureCube c; SamplerComparisonState s;";
    refused(
        &[
            (textures, "return t.SampleCmp(s, p.xy, p.z, int2(0, 0), p.w);"),
            (textures, "return t.SampleCmp(s, p.xy, p.z, int2(0, 0), 1);"),
            (textures, "return c.SampleCmp(s, p.xyz, p.w, 1.5);"),
        ],
        &["SampleCmp", "a clamp that is not the literal 0"],
    );
    for zero in ["0", "0.0", "-0.0", "1 - 1"] {
        let body = format!("return t.SampleCmp(s, p.xy, p.z, int2(0, 0), {zero});");
        assert_eq!(code(textures, &body), None, "{zero}");
    }
}
