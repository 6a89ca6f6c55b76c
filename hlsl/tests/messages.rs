//! What messages say to help: the names that may be meant, the candidates of a call, the brackets that are open.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

/// All messages about a program, without its source lines.
fn messages(profile: &str, text: &str) -> Vec<String> {
    let diagnostics = match compile(text, "a", "main", profile.parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    };
    let text = diagnostics.to_string();
    text.lines().filter(|line| !line.starts_with("    ")).map(ToOwned::to_owned).collect()
}

/// The only message about a program with these declarations and this body of a pixel shader.
fn message(declarations: &str, body: &str) -> String {
    let text = format!("{declarations}\nfloat4 main(float4 v : V) : SV_Target {{\n{body}\nreturn 0; }}");
    messages("ps_5_0", &text).join("\n")
}

#[test]
fn a_name_like_another_is_proposed() {
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
fn a_system_value_like_a_semantic_is_proposed() {
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
    assert_eq!(output("SV_Position"), expected("SV_Position", ""));
    let inputs = messages(
        "cs_5_0",
        "[numthreads(1, 1, 1)] void main(uint i : SV_DispatchThreadIndex, uint j : SV_GroupIndx) {}",
    );
    assert!(inputs[0].ends_with("semantic 'SV_DispatchThreadIndex'"), "{inputs:?}");
    assert!(inputs[1].ends_with("semantic 'SV_GroupIndx'; did you mean 'SV_GroupIndex'?"), "{inputs:?}");
}

#[test]
fn a_missing_semicolon_is_at_the_end_of_its_line_and_hides_nothing() {
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
fn what_stands_on_a_new_line_may_go_on_with_a_declaration() {
    let text = "struct S { float a; }\ns\n;\nstruct R { float4 a : SV_Target; };\nR main() { R r; r.a\n= s.a\n; return r; }";
    assert_eq!(messages("ps_5_0", text), [] as [&str; 0]);
}

#[test]
fn the_end_of_the_file_shows_the_brace_that_is_open() {
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
fn the_candidates_of_a_call_are_shown() {
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
fn an_object_that_is_chosen_at_run_time_shows_where() {
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
fn a_macro_says_how_many_arguments_it_takes() {
    let found = message("#define F(x, y) x", "F(1);");
    let expected =
        "a(3,1): warning X1516: not enough actual parameters for macro 'F': it takes 2 and is given 1";
    assert!(found.starts_with(expected), "{found}");
}
