use super::{body_codes, codes, global, local_value, tree};
use crate::check::tree::Type;

#[test]
fn nested_lists_are_flattened() {
    let value = |ty: &str, list: &str| {
        local_value(&format!("void f(float a, float2 b, float4 c, int i) {{ {ty} x = {list}; }}"), "x")
    };
    assert_eq!(value("float4", "{ a, b, 2 }"), "float4{a b 2.0}");
    assert_eq!(value("float4", "{ a, {{{ b }}, 2 } }"), "float4{a b 2.0}");
    assert_eq!(value("float", "{ a }"), "a");
    assert_eq!(value("float2", "{ b }"), "b");
    assert_eq!(value("float2", "{ i, a }"), "float2{float(i) a}");
    assert_eq!(value("float3", "{ c.xyz }"), "c.012");
}

#[test]
fn values_may_span_several_elements() {
    let text = "void f(float4 c, float a) { float2 x[3] = { a, c, a }; }";
    assert_eq!(local_value(text, "x"), "float2[3]{float2{a c.0} c.12 float2{c.3 a}}");
}

#[test]
fn structures_and_arrays_contribute_their_components() {
    let text = "struct S { float a; int b[2]; }; void f(S s, float3 v) { float4 x = { s, 1 }; S y = { v }; S z[2] = { s, v }; }";
    assert_eq!(local_value(text, "x"), "float4{s.<0> float(s.<1>[0]) float(s.<1>[1]) 1.0}");
    assert_eq!(local_value(text, "y"), "S{v.0 int[2]{int(v.1) int(v.2)}}");
    assert_eq!(local_value(text, "z"), "S[2]{s S{v.0 int[2]{int(v.1) int(v.2)}}}");
}

#[test]
fn a_split_value_is_computed_once() {
    let text = "float2 g() { return 1; } void f() { float x[2] = { g() }; }";
    assert_eq!(local_value(text, "x"), "float[2]{(= <value> g#0()).0 <value>.1}");
}

#[test]
fn matrices_are_split_row_by_row() {
    let text = "void f(float2x2 m) { float x[4] = { m }; float2x2 y = { 1, 2, 3, 4 }; }";
    assert_eq!(local_value(text, "x"), "float[4]{m.00 m.01 m.10 m.11}");
    assert_eq!(local_value(text, "y"), "float2x2{1.0 2.0 3.0 4.0}");
}

#[test]
fn the_number_of_components_must_match() {
    for list in ["{ 1 }", "{ 1, 2, 3 }", "{}", "{ float3(1, 2, 3) }"] {
        assert_eq!(body_codes(&format!("float2 a = {list};")), ["X3017"], "{list}");
    }
    assert_eq!(body_codes("float2 a[2] = { 1, 2, 3 };"), ["X3017"]);
    assert_eq!(
        codes("Texture2D t; struct S { Texture2D a; float b; }; void f() { S s = { 1, t }; }"),
        ["X3017"]
    );
    assert_eq!(
        codes("Texture2D t; struct S { Texture2D a; float b; }; void f() { S s = { t, 1 }; }").len(),
        0
    );
}

#[test]
fn an_open_array_has_the_length_of_its_initializer() {
    let tree = tree(
        "static float2 a[] = { 1, 2, 3, 4, 5, 6 }; static float2 b[] = a; static float c[][3] = { 1, 2, 3, 4, 5, 6 };",
    );
    let float2 = Type::vector(crate::syntax::builtin::Scalar::Float, 2);
    assert_eq!(global(&tree, "a").ty, Type::array(float2.clone(), 3));
    assert_eq!(global(&tree, "b").ty, Type::array(float2, 3));
    assert_eq!(global(&tree, "c").ty, Type::array(Type::array(Type::FLOAT, 3), 2));
    assert_eq!(body_codes("float2 a[] = { 1, 2, 3 };"), ["X3017"]);
    assert_eq!(codes("struct E {}; void f() { E a[] = { 1 }; }"), ["X3017"]);
}
