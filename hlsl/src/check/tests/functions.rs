use super::{codes, function, tree};
use crate::check::tree::{AttributeValue, Direction, Type};

#[test]
fn a_declaration_and_a_definition_are_one_function() {
    let tree = tree(
        "float f(float a, float b = 2); float g() { return f(1); } float f(float x, float y) { return x * y; }",
    );
    assert_eq!(tree.functions.len(), 2);
    let f = function(&tree, "f");
    assert!(f.body.is_some());
    assert_eq!(&*f.locals[0].name, "x");
    // The default value comes from the first declaration.
    assert!(f.parameters[0].default.is_none() && f.parameters[1].default.is_some());
    assert_eq!(codes("float f() { return 1; } float f() { return 1; }"), ["X3003"]);
    assert_eq!(codes("float f(); int f() { return 1; }"), ["X3003"]);
    assert_eq!(codes("void f(float a) {} void f(float1 a) {} void f(int a) {}"), Vec::<String>::new());
}

#[test]
fn parameters_have_directions() {
    let tree = tree(
        "void f(float a, in float b, out float c, inout float d, uniform float e) { c = d = a + b + e; }",
    );
    let f = function(&tree, "f");
    let directions: Vec<_> = f.parameters.iter().map(|parameter| parameter.direction).collect();
    assert_eq!(directions, [Direction::In, Direction::In, Direction::Out, Direction::InOut, Direction::In]);
    assert!(f.parameters[4].uniform && !f.parameters[0].uniform);
    assert_eq!(codes("void f(out uniform float a) { a = 1; }"), ["X3048"]);
    assert_eq!(codes("void f(out const float a) {}"), ["X3048"]);
    assert_eq!(codes("void f(inout const float a) {}"), Vec::<String>::new());
    assert_eq!(codes("void f(void a) {}"), ["X3038"]);
}

#[test]
fn default_values_are_allowed_at_the_end_only() {
    assert_eq!(codes("float f(float a, float b = 1, float c) { return a; }"), ["X3044"]);
    assert_eq!(codes("float f(float a = 1, out float b) { b = a; return a; }"), ["X3044"]);
    assert_eq!(codes("void f(out float a = 1) { a = 1; }"), ["X3045"]);
    assert_eq!(codes("float4 f(float4 a = { 1, 2, 3, 4 }) { return a; }"), Vec::<String>::new());
}

#[test]
fn all_control_paths_return_a_value() {
    let returns = |body: &str| codes(&format!("float u; float f() {{ {body} }}"));
    let none = Vec::<String>::new();
    assert_eq!(returns("u;"), ["X3507"]);
    assert_eq!(returns("if (u > 0) return 1;"), ["X3507"]);
    assert_eq!(returns("if (u > 0) return 1; else return 2;"), none);
    assert_eq!(returns("if (1) { return 1; }"), none);
    assert_eq!(returns("for (;;) { if (u > 0) return 1; }"), none);
    assert_eq!(returns("for (;;) { if (u > 0) break; }"), ["X3507"]);
    assert_eq!(returns("while (u > 0) { return 1; }"), ["X3507"]);
    assert_eq!(returns("do { return 1; } while (u > 0);"), none);
    assert_eq!(returns("switch (int(u)) { case 0: return 1; default: return 2; }"), none);
    assert_eq!(returns("switch (int(u)) { case 0: return 1; }"), ["X3507"]);
    assert_eq!(returns("return;"), ["X3080"]);
    assert_eq!(codes("void f() { return 1; }"), ["X3079"]);
}

#[test]
fn methods_take_their_object_as_the_first_parameter() {
    let tree = tree(
        "struct S { float a; float get() { return a; } void set(float b); static float one() { return 1; } }; \
         void S::set(float b) { a = b; } float f() { S s; s.set(2); return s.get() + S::one(); }",
    );
    let set = function(&tree, "set");
    assert_eq!(set.object, Some(crate::check::tree::StructId(0)));
    assert_eq!(
        (set.parameters[0].direction, &set.locals[0].ty),
        (Direction::InOut, &Type::Struct(crate::check::tree::StructId(0)))
    );
    assert_eq!(&*set.locals[1].name, "b");
    assert!(set.body.is_some());
    assert_eq!(function(&tree, "one").object, None);
    assert_eq!(tree.structs[0].methods.len(), 3);
}

#[test]
fn attribute_arguments_of_functions_are_constants() {
    let tree =
        tree("static const int N = 4; [numthreads(N * 2, 8, 1)] void f() {} [domain(\"tri\")] void g() {}");
    let values = &function(&tree, "f").attributes[0].arguments;
    let number = |value: &AttributeValue| match value {
        AttributeValue::Constant(constant) => constant.as_integer(),
        AttributeValue::Text(_) => None,
    };
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), [Some(8), Some(8), Some(1)]);
    assert_eq!(function(&tree, "g").attributes[0].arguments, [AttributeValue::Text("tri".into())]);
    assert_eq!(codes("[other] void f() {}"), ["X3554"]);
    assert_eq!(codes("[other][other] void f() {}"), ["X3525", "X3554", "X3554"]);
    assert_eq!(codes("float a; [numthreads(a, 1, 1)] void f() {}"), ["X3554"]);
}

#[test]
fn unassigned_locals_are_constant() {
    let tree = tree(
        "void g(out float a, inout float b) { a = b; } \
         float f(float p, float q) { float a = 1, b = 2, c = 3, d = 4, e[2] = { 1, 2 }; const float k = 5; \
         b += 1; ++c; g(d, e[1]); q = 2; float s, t; sincos(a, s, t); return a; }",
    );
    let changed: Vec<_> = function(&tree, "f").locals.iter().filter(|local| !local.constant).collect();
    let names: Vec<_> = changed.iter().map(|local| &*local.name).collect();
    assert_eq!(names, ["q", "b", "c", "d", "e", "s", "t"]);
    assert!(function(&tree, "g").locals.iter().all(|local| !local.constant));
}
