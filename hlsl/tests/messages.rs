//! Hints in messages: similar names, candidates of calls, and open brackets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

/// Returns all messages about a program without the source lines.
fn messages(profile: &str, text: &str) -> Vec<String> {
    let diagnostics = match compile(text, "a", "main", profile.parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    };
    let text = diagnostics.to_string();
    text.lines().filter(|line| !line.starts_with("    ")).map(ToOwned::to_owned).collect()
}

/// Returns the messages about a pixel shader with these declarations and this body.
fn message(declarations: &str, body: &str) -> String {
    let text = format!("{declarations}\nfloat4 main(float4 v : V) : SV_Target {{\n{body}\nreturn 0; }}");
    messages("ps_5_0", &text).join("\n")
}

#[test]
fn similar_names_are_suggested() {
    let declarations = "float4 color; struct S { float3 normal; float3 turned() { return normal.yxz; } };\n\
                        float4 shade(float a) { return a; } Texture2D picture; SamplerState point_sampler;\n\
                        namespace N { float weight; }";
    for (body, expected) in [
        ("return colr;", "undeclared identifier 'colr'; did you mean 'color'?"),
        ("float light = 1; return lihgt;", "undeclared identifier 'lihgt'; did you mean 'light'?"),
        ("return N::wight;", "undeclared identifier 'N::wight'; did you mean 'weight'?"),
        ("return shad(1);", "undeclared identifier 'shad'; did you mean 'shade'?"),
        ("return Saturate(v);", "undeclared identifier 'Saturate'; did you mean 'saturate'?"),
        ("return flaot4(v);", "undeclared identifier 'flaot4'; did you mean 'float4'?"),
        ("return nothing_like_it;", "undeclared identifier 'nothing_like_it'"),
        ("S s; s.normals = 1;", "invalid subscript 'normals'; did you mean 'normal'?"),
        ("S s; s.turnd();", "invalid subscript 'turnd'; did you mean 'turned'?"),
        ("return picture.Sampel(point_sampler, 0);", "invalid subscript 'Sampel'; did you mean 'Sample'?"),
        ("return picture.load(0);", "invalid subscript 'load'; did you mean 'Load'?"),
        ("foat3 a;", "unrecognized identifier 'foat3'; did you mean 'float3'?"),
        ("retrun v;", "unrecognized identifier 'retrun'; did you mean 'return'?"),
        ("texture2d a;", "unrecognized identifier 'texture2d'; did you mean 'Texture2D'?"),
    ] {
        let found = message(declarations, body);
        assert!(found.ends_with(expected), "{found}\n{expected}");
    }
    let method = message("struct S { float3 normal; float3 turned() { return nomal; } };", "");
    assert!(method.ends_with("undeclared identifier 'nomal'; did you mean 'normal'?"), "{method}");
}

#[test]
fn similar_system_values_are_suggested() {
    let output = |semantic: &str| {
        let text = format!("float4 main() : {semantic} {{ return 0; }}");
        messages("ps_5_0", &text).join("\n")
    };
    let expected = |semantic: &str, meant: &str| {
        format!(
            "a(1,17-{}): error X4502: invalid ps_5_0 output semantic '{semantic}'{meant}",
            16 + semantic.len()
        )
    };
    assert_eq!(output("SV_Tarqet"), expected("SV_Tarqet", "; did you mean 'SV_Target'?"));
    assert_eq!(output("TARGET"), expected("TARGET", "; did you mean 'SV_Target'?"));
    assert_eq!(output("COLOR"), expected("COLOR", "; did you mean 'SV_Target'?"));
    let note = "\na(1,8): note: 'main' looks like a vertex shader, but it is compiled as a pixel shader";
    assert_eq!(output("SV_Position"), expected("SV_Position", note));
    let inputs = messages(
        "cs_5_0",
        "[numthreads(1, 1, 1)] void main(uint i : SV_DispatchThreadIndex, uint j : SV_GroupIndx) {}",
    );
    assert!(inputs[0].ends_with("semantic 'SV_DispatchThreadIndex'"), "{inputs:?}");
    assert!(inputs[1].ends_with("semantic 'SV_GroupIndx'; did you mean 'SV_GroupIndex'?"), "{inputs:?}");
}

#[test]
fn a_missing_semicolon_is_reported_at_the_end_of_its_line() {
    let text = "struct S { float a; }\nfloat4 main(float4 v : V) : SV_Target {\n  float a = v.x  // here\n\n  \
                float b = a\n  S s; s.a = d;\n  return v }";
    assert_eq!(
        messages("ps_5_0", text),
        [
            "a(1,22): error X3000: syntax error: unexpected token 'float4'; expected ';'",
            "a(3,16): error X3000: syntax error: unexpected token 'float'; expected ';'",
            "a(5,14): error X3000: syntax error: unexpected token 'S'; expected ';'",
            "a(7,12): error X3000: syntax error: unexpected token '}'; expected ';'",
        ]
    );
}

#[test]
fn a_declaration_may_continue_on_a_new_line() {
    let text = "struct S { float a; }\ns\n;\nstruct R { float4 a : SV_Target; };\nR main() { R r; r.a\n= s.a\n; return r; }";
    assert_eq!(messages("ps_5_0", text), [] as [&str; 0]);
}

#[test]
fn an_error_at_the_end_of_the_file_shows_the_open_brace() {
    let text = "float4 main() : SV_Target {\n  if (true) { discard; }\n  {\n  return 0;\n}\n";
    assert_eq!(
        messages("ps_5_0", text),
        [
            "a(5,2): error X3000: syntax error: unexpected end of file; expected '}'",
            "a(1,27): note: this '{' is not closed",
        ]
    );
    assert_eq!(
        messages("ps_5_0", "float4 main() : SV_Target {\n  return (1\n  + 2; }"),
        ["a(3,6): error X3000: syntax error: unexpected token ';'; expected ')'"]
    );
}

#[test]
fn errors_of_calls_list_the_candidates() {
    let declarations = "float4 f(float a, out int3 b) { b = 0; return a; }\n\
                        float4 f(Texture2D a) { return a.Load(0); }";
    assert_eq!(
        message(declarations, "return f(1);"),
        "a(4,8): error X3013: 'f': no matching 1 parameter function for the types (int)\n\
         a(1,8): note: candidate: float4 f(float a, out int3 b)\n\
         a(2,8): note: candidate: float4 f(Texture2D<float4> a)"
    );
    let many: String =
        (1..9).map(|count| format!("void g({}float z) {{}}\n", "int a, ".repeat(count))).collect();
    assert_eq!(message(&many.replace("int a, ", "int, "), "g();").matches("note: candidate").count(), 6);
    let ambiguous = "int f(int a) { return a; } int f(uint b) { return b; } int f(float4 c) { return 0; }";
    assert_eq!(
        message(ambiguous, "return f(1);"),
        "a(3,8): error X3067: 'f': ambiguous function call\n\
         a(1,5): note: candidate: int f(int a)\n\
         a(1,32): note: candidate: int f(uint b)"
    );
}

#[test]
fn errors_about_dynamic_objects_show_the_place_of_choice() {
    let declarations = "Texture2D a, b; static Texture2D s;\n\
                        Texture2D pick(int n) { if (n) return a; return b; }\n\
                        void change(out Texture2D t) { t = b; }";
    let advice = "must be known when the program is compiled: use each object where it is chosen, and choose \
                  between the results";
    assert_eq!(
        message(
            declarations,
            "Texture2D t = a;\nif (v.x > 0)\n{ t = b; }\nelse if (v.y > 0) change(t);\nreturn t.Load(0);"
        ),
        format!(
            "a(9,8): error X4000: the object of 't' {advice}\n\
             a(5,15): note: assigned here\na(7,3): note: assigned here\na(8,19): note: assigned here"
        )
    );
    assert_eq!(
        message(declarations, "s = a;\nif (v.x > 0) s = b;\nreturn s.Load(0);"),
        format!(
            "a(7,8): error X4000: the object of 's' {advice}\n\
             a(5,1): note: assigned here\na(6,14): note: assigned here"
        )
    );
    assert_eq!(
        message(declarations, "return pick(v.x).Load(0);"),
        format!(
            "a(5,8-16): error X4000: the object that 'pick' returns {advice}\n\
             a(2,39): note: returned here\na(2,49): note: returned here"
        )
    );
    assert_eq!(
        message(declarations, "Texture2D t;\nreturn t.Load(0);"),
        "a(6,8): error X4000: the object of 't' is used before one is assigned"
    );
    let many = "if (v.x > 0) t = b; ".repeat(9);
    let found = message(declarations, &format!("Texture2D t = a; {many} return t.Load(0);"));
    assert_eq!(found.matches("note: assigned here").count(), 4);
}

#[test]
fn errors_of_macros_give_the_number_of_parameters() {
    let found = message("#define F(x, y) x", "F(1);");
    let expected =
        "a(3,1): warning X1516: not enough actual parameters for macro 'F': it takes 2 but is given 1";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn errors_of_intrinsic_calls_list_the_signatures() {
    for (body, expected) in [
        (
            "return lerp(v, v);",
            "'lerp': no matching 2 parameter intrinsic function takes (float4, float4); possible intrinsic \
            functions are: floatN lerp(floatN x, floatN y, floatN s)",
        ),
        ("return clamp(v);", "T clamp(T x, T min, T max)"),
        ("return dot(v);", "scalar dot(T x, T y)"),
        ("return length(v, v);", "float length(floatN x)"),
        ("return isnan();", "boolN isnan(floatN x)"),
        ("return countbits(1, 2);", "uintN countbits(uintN x)"),
        ("return cross(v);", "float3 cross(float3 x, float3 y)"),
        (
            "return mul(v);",
            "TN mul(T x, TN y); T mul(TN x, TN y); TC mul(TR x, TRxC y); TR mul(TRxC x, TC y); TRxC mul(TRxN x, TNxC y)",
        ),
        ("sincos(v);", "void sincos(floatN x, out floatN s, out floatN c)"),
        (
            "return asuint(1.0, 2.0);",
            "uintN asuint(T x); void asuint(doubleN x, out uintN low, out uintN high)",
        ),
        ("GroupMemoryBarrier(1);", "void GroupMemoryBarrier()"),
        (
            "InterlockedAdd(1);",
            "void InterlockedAdd(T destination, T value); void InterlockedAdd(T destination, T value, out T original)",
        ),
        (
            "InterlockedCompareExchange(1);",
            "void InterlockedCompareExchange(T destination, T compare, T value, out T original)",
        ),
        ("return msad4(1);", "uint4 msad4(uint reference, uint2 source, uint4 accumulated)"),
        ("return atan(v.y, v.x);", "floatN atan(floatN x); for the angle of y / x use 'atan2'"),
        (
            "return sin(picture);",
            "takes (Texture2D<float4>); possible intrinsic functions are: floatN sin(floatN x)",
        ),
    ] {
        let found = message("Texture2D picture;", body);
        assert!(found.contains("error X3013") && found.ends_with(expected), "{found}\n{expected}");
    }
}

#[test]
fn every_intrinsic_has_a_signature() {
    for name in [
        "abs",
        "all",
        "clip",
        "D3DCOLORtoUBYTE4",
        "determinant",
        "dst",
        "EvaluateAttributeAtSample",
        "frexp",
        "lit",
        "modf",
        "printf",
        "refract",
        "transpose",
        "asfloat",
        "asint",
        "any",
        "ProcessTriTessFactorsAvg",
        "asdouble",
        "fma",
    ] {
        let found = message("", &format!("{name}(0, 0, 0, 0, 0, 0, 0);"));
        assert!(found.contains(&format!(" {name}(")), "{found}");
    }
}

#[test]
fn errors_of_method_calls_give_the_signature() {
    let declarations = "Texture2D t; TextureCube c; Texture2DMS<float4> m; SamplerState s; SamplerComparisonState p;\n\
                        ByteAddressBuffer b; RWStructuredBuffer<uint2> r;";
    for (body, expected) in [
        (
            "return t.Sample(v.xy);",
            "'Sample': no matching 1 parameter intrinsic method of Texture2D<float4> takes (float2); \
            possible is Sample(SamplerState, float2, [int2 offset], [float], [out uint])",
        ),
        ("return c.Sample(s);", "Sample(SamplerState, float3, [float], [out uint])"),
        ("return m.Load(0);", "Load(int2, int, [int2 offset], [out uint])"),
        ("return b.Load();", "Load(uint, [out uint])"),
        (
            "return t.SampleCmp(s, v.xy, 0);",
            "SampleCmp(SamplerComparisonState, float2, float, [int2 offset], [float], [out uint]); \
            declare the sampler as SamplerComparisonState",
        ),
        ("return t.Sample(p, v.xy);", "[out uint]); declare the sampler as SamplerState"),
        ("r.GetDimensions();", "GetDimensions(out uint, out uint)"),
        ("return t.Gather(s);", "Gather(SamplerState, float2, [int2 offset], [out uint])"),
    ] {
        let found = message(declarations, body);
        assert!(found.contains("error X3013") && found.ends_with(expected), "{found}\n{expected}");
    }
}

#[test]
fn errors_about_constants_suggest_a_fix() {
    let declarations = "float g; cbuffer Frame { float4 color; float list[2]; }; static const float k = 1; Buffer<float4> b;\n\
                        Texture2D t; StructuredBuffer<float> sb; float f(const float x) { return 1; }";
    for (body, expected) in [
        (
            "g = 1;",
            "global variables are implicitly constant; declare 'g' as static, or assign to a local copy",
        ),
        (
            "g++;",
            "global variables are implicitly constant; declare 'g' as static, or assign to a local copy",
        ),
        (
            "color.x = 1;",
            "'color' is in the constant buffer 'Frame', which shaders only read; assign to a local copy",
        ),
        (
            "list[1] += 1;",
            "'list' is in the constant buffer 'Frame', which shaders only read; assign to a local copy",
        ),
        ("k = 2;", "'k' is const; remove the const, or assign to a copy"),
        ("const float l = 1; l = 2;", "'l' is const; remove the const, or assign to a copy"),
        ("v.xx = 1;", "the target names a component twice; assign to each component once"),
        ("float2x2 m; m._m00_m00 = 1;", "the target names a component twice; assign to each component once"),
        (
            "b[0] = 1;",
            "the elements of a Buffer<float4> can only be read; declare it as RWBuffer<float4> in a u register to write them",
        ),
        (
            "t[uint2(0, 0)] = 1;",
            "the elements of a Texture2D<float4> can only be read; declare it as RWTexture2D<float4> in a u register to write them",
        ),
        (
            "sb[0] = 1;",
            "the elements of a StructuredBuffer<float> can only be read; declare it as RWStructuredBuffer<float> in a u register to write them",
        ),
        ("f(1) = 2;", "it is a value, not a variable; assign to a variable"),
        ("(v + v) = 2;", "it is a value, not a variable; assign to a variable"),
        (
            "float s; sincos(1, s, g);",
            "global variables are implicitly constant; declare 'g' as static, or assign to a local copy",
        ),
    ] {
        let found = message(declarations, body);
        assert!(
            found.contains("error X3025: l-value specifies const object: ") && found.ends_with(expected),
            "{found}\n{expected}"
        );
    }
}

#[test]
fn a_missing_entry_point_lists_the_functions() {
    let entry = |text: &str| messages("ps_5_0", text).join("\n");
    let shaders = "float helper() { return 1; } float4 vs(float4 p : P) : SV_Position { return p; }\n\
                   float4 ps() : SV_Target { return helper(); }";
    assert!(
        entry("float4 Main() : SV_Target { return 0; }")
            .ends_with("'main': entrypoint not found; did you mean 'Main'?")
    );
    assert!(entry(shaders).ends_with(
        "'main': entrypoint not found; the program has 'vs' (vertex shader) and 'ps' (pixel shader)"
    ));
    assert!(entry("float helper() { return 1; }").ends_with("'main': entrypoint not found"));
    let many: String =
        (0..9).map(|index| format!("float4 shader{index}() : SV_Target {{ return 0; }}")).collect();
    assert!(entry(&many).ends_with("'shader7' (pixel shader) and 1 more"));
}

#[test]
fn a_use_before_the_declaration_gives_its_line() {
    let text = "float4 main(float4 v : V) : SV_Target {\n  Light a;\n  return shade(v) * strength * sun;\n}\n\
                struct Light { float3 color; };\nfloat4 shade(float4 a) { return a; }\nfloat strength;\ncbuffer C { float4 sun; };";
    assert!(
        messages("ps_5_0", text)[0].ends_with(
            "unrecognized identifier 'Light'; it is declared on line 5, after its use: move it up"
        )
    );
    let found = messages("ps_5_0", &text.replace("Light a;", ""));
    assert!(found[0].ends_with(
        "undeclared identifier 'shade'; it is declared on line 6, after its use: move it up, or declare it before its use"
    ), "{found:?}");
    assert!(
        found[1].ends_with(
            "undeclared identifier 'strength'; it is declared on line 7, after its use: move it up"
        ),
        "{found:?}"
    );
    assert!(
        found[2]
            .ends_with("undeclared identifier 'sun'; it is declared on line 8, after its use: move it up"),
        "{found:?}"
    );
}

#[test]
fn names_of_other_languages_have_hints() {
    for (body, expected) in [
        ("return mix(v, v, 0.5);", "undeclared identifier 'mix'; in HLSL it is 'lerp'"),
        ("return fract(v);", "undeclared identifier 'fract'; in HLSL it is 'frac'"),
        ("return vec4(1);", "undeclared identifier 'vec4'; in HLSL it is 'float4'"),
        ("vec3 a;", "unrecognized identifier 'vec3'; in HLSL it is 'float3'"),
        (
            "let a = 1;",
            "unrecognized identifier 'let'; in HLSL a declaration begins with the type: float x = 1;",
        ),
        (
            "return gl_FragCoord;",
            "undeclared identifier 'gl_FragCoord'; in HLSL it is an input with the semantic SV_Position",
        ),
        (
            "gl_Position = v;",
            "undeclared identifier 'gl_Position'; in HLSL return the position with the semantic SV_Position",
        ),
        ("return texture(s, v.xy);", "to sample a texture, call its method: t.Sample(s, location)"),
        (
            "return textureLod(s, v.xy, 0);",
            "in HLSL call the texture's method: t.SampleLevel(s, location, level)",
        ),
        (
            "return mod(v, 2);",
            "HLSL has 'fmod', whose result has the sign of x; GLSL's is x - y * floor(x / y)",
        ),
        ("return dFdx(v);", "undeclared identifier 'dFdx'; in HLSL it is 'ddx'"),
    ] {
        let found = message("SamplerState s;", body);
        assert!(found.lines().next().is_some_and(|first| first.ends_with(expected)), "{found}\n{expected}");
    }
    let whole = |text: &str| messages("ps_5_0", text).first().cloned().unwrap_or_default();
    let found = whole("layout(location = 0) in vec3 p;\nvoid main() { }");
    assert!(found.contains("in HLSL write a semantic or a register"), "{found}");
    let found = whole("precision mediump float;\nvoid main() { }");
    assert!(found.contains("HLSL has no precision qualifiers"), "{found}");
    let found = whole("varying vec2 uv;\nvoid main() { }");
    assert!(found.contains("a parameter of the entry point"), "{found}");
    let found = whole("fn main() -> vec4<f32> { return 1; }");
    assert!(found.contains("in HLSL a function begins with the type of its result"), "{found}");
    // The program's own function takes precedence.
    assert_eq!(message("float4 mix(float4 a) { return a; }", "return mix(v);"), "");
}

#[test]
fn effects_are_reported_once_per_file() {
    let technique =
        "technique10 T { pass P { SetVertexShader(NULL); } }\nSamplerState s { Filter = POINT; };\n";
    let text = format!(
        "{}float4 main() : SV_Target {{ return 0; }}",
        technique.replace('T', "A").replace("s {", "a {") + technique
    );
    let found = messages("ps_5_0", &text);
    assert_eq!(found.iter().filter(|one| one.contains("X9003")).count(), 1, "{found:?}");
    assert!(
        found[0].starts_with(
            "a(1,1-11): warning X9003: techniques and states of effects are skipped in this file"
        ),
        "{found:?}"
    );
}
