//! Tests of overload resolution, in which a resolved call is written as the function's name and its index
//! among all functions, such as `f#1`.

use super::super::expressions::tests::{check_program, program_codes};

fn call(text: &str) -> String {
    let (tree, messages) = check_program(text);
    assert!(messages.is_empty(), "{text}: {messages:?}");
    tree
}

/// Declares two functions with one parameter each, and returns the one that a call chooses, such as `f#0`, or
/// the codes of the messages.
fn choice(first: &str, second: &str, argument: &str) -> String {
    let text = format!(
        "float f({first} x) {{ return 1; }} float f({second} x) {{ return 2; }} float main() {{ return f({argument}); }}"
    );
    let (tree, messages) = check_program(&text);
    match &messages[..] {
        [] => tree.split('(').next().unwrap_or_default().to_owned(),
        _ => program_codes(&text).join(" "),
    }
}

#[test]
fn the_cheapest_conversions_win() {
    assert_eq!(choice("float", "float2", "float(1)"), "f#0");
    assert_eq!(choice("half4", "float2", "float4(1, 2, 3, 4)"), "f#0");
    assert_eq!(choice("int2", "float4", "int4(1, 2, 3, 4)"), "f#1");
    assert_eq!(choice("double", "int", "1.0"), "f#0");
    assert_eq!(choice("half", "double2", "1.0"), "f#1");
    assert_eq!(choice("min16int", "uint", "int(1)"), "f#1");
    assert_eq!(choice("int", "uint", "2u"), "f#1");
}

#[test]
fn equally_good_candidates_are_ambiguous() {
    assert_eq!(choice("int", "uint", "3"), "X3067");
    assert_eq!(choice("int", "uint", "-3 * 2"), "X3067");
    assert_eq!(choice("float", "double", "1.5"), "X3067");
    assert_eq!(choice("float", "double", "1.5f"), "f#0");
    assert_eq!(choice("float", "float1", "1.0"), "X3067");
    assert_eq!(choice("int", "float", "true"), "X3067");
    assert_eq!(choice("float2x2", "float4", "float4(1, 2, 3, 4)"), "X3067");
}

#[test]
fn a_better_argument_wins_unless_another_is_worse() {
    let text = "float f(float2 x, double y) { return 1; } float f(half4 x, int y) { return 2; }
        float main() { float4 x = 0; float y = 0; return f(x, y); }";
    assert!(call(text).starts_with("f#1("), "{}", call(text));
}

#[test]
fn arguments_are_converted_and_defaults_filled_in() {
    let text = "float f(float2 a, int b = 3) { return 1; } float main() { return f(1); }";
    assert_eq!(call(text), "f#0(1.0,1.0 3)");
    let of_method = |call: &str| {
        let text = "struct S { void g(int a) {} void g(float3 a, float b) {} };";
        program_codes(&format!("{text} void main() {{ S s = (S)0; s.{call}; }}"))
    };
    assert_eq!(of_method("g()"), ["X3013"]);
    assert_eq!(of_method("g(1, 2, 3)"), ["X3013"]);
    assert_eq!(of_method("g(float2(1, 2), 3)"), ["X3013"]);
    assert_eq!(program_codes("void f(float2 a) {} void main() { f(float3(1, 2, 3)); }"), ["X3206"]);
}

#[test]
fn out_arguments_must_be_lvalues() {
    let text = "void f(out float a) { a = 1; } void main() { int i; f(i); }";
    assert_eq!(call(text), "f#0(i)");
    assert_eq!(program_codes("void f(out float a) { a = 1; } void main() { f(1); }"), ["X3025"]);
    assert_eq!(
        program_codes("void f(out float a) { a = 1; } void main() { const float c = 1; f(c); }"),
        ["X3025"]
    );
    assert_eq!(
        program_codes("void f(out float2 a) { a = 1; } void main() { float4 c = 1; f(c); }"),
        ["X3017"]
    );
}

#[test]
fn an_out_argument_may_be_a_cast() {
    let written = |argument: &str| {
        let text = "void f(out float2 a) { a = 1; }";
        check_program(&format!("{text} void main() {{ float4 p; float2 q; int2 i; f({argument}); }}"))
    };
    assert_eq!(written("(float2)p").0, "f#0(p.01)");
    assert_eq!(written("(int2)q").0, "f#0(int2(q))");
    assert_eq!(written("(float2)i").0, "f#0(float2(i))");
    assert_eq!(written("(float2)(half2)q").0, "error");
    assert_eq!(written("p").0, "error");
}

#[test]
fn methods_receive_their_object_as_the_first_argument() {
    let text = "struct S { float a; float g(float x) { return a + x; } };
        float main() { S s = (S)0; return s.g(2); }";
    assert_eq!(call(text), "g#0(s 2.0)");
    assert_eq!(program_codes("struct S { float a; }; void main() { S s = (S)0; s.g(); }"), ["X3018"]);
    let inside = "struct S { float a; float g(float x) { return a * x; } float k() { return g(a); } };
        float main() { S s = (S)0; return s.k(); }";
    assert_eq!(call(inside), "k#1(s)");
}

#[test]
fn a_matching_function_of_the_program_hides_an_intrinsic() {
    let text = "float2 max(float2 a, float2 b) { return a + b; } float2 main() { return max(0.1, 0.2); }";
    assert_eq!(call(text), "max#0(0.1,0.1 0.2,0.2)");
}

#[test]
fn operators_have_function_forms() {
    let text = "float2 main(float2 a : A) : B { return select(a, 1, 2); }";
    assert_eq!(call(text), "float2((? bool2(a) 1,1 2,2))");
    assert_eq!(program_codes("bool main(float2 a : A) : B { return and(a.x); }"), ["X3013"]);
}

#[test]
fn errors_of_a_single_candidate_name_the_bad_conversion() {
    let of = |call: &str| {
        program_codes(&format!(
            "struct S {{ int a; }}; void f(int a, float b = 0) {{}} void main(S s) {{ {call}; }}"
        ))
    };
    assert_eq!(of("f(s, 1)"), ["X3017"]);
    assert_eq!(of("f(1, 2, 3)"), ["X3013"]);
    assert_eq!(of("f()"), ["X3013"]);
    assert_eq!(of("g(s)"), ["X3004"]);
}

#[test]
fn a_method_needs_an_object_of_its_structure() {
    let codes = |base: &str| {
        program_codes(&format!(
            "struct A {{ float x; void f() {{ x = 1; }} }}; struct B {base} {{ float y; void g() {{ A::f(); }} }};
             float main() {{ B b = (B)0; b.g(); return b.y; }}"
        ))
    };
    assert_eq!(codes(": A"), [] as [&str; 0]);
    assert_eq!(codes(""), ["X3013"]);
}
