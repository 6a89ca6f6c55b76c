use super::{super::Checker, checked, codes, function, global, tree};
use crate::{
    check::tree::{BufferId, Storage, Type},
    syntax::builtin::Scalar,
    text::token::Packing,
};

#[test]
fn a_name_is_declared_once_in_a_scope() {
    assert_eq!(codes("float a; int a;"), ["X3003"]);
    assert_eq!(codes("float a; void f() { float a; { float a; } }"), Vec::<String>::new());
    assert_eq!(codes("void f() { float a, a; }"), ["X3003"]);
    assert_eq!(codes("void f(float a) { float a; }"), ["X3003"]);
    assert_eq!(codes("void f(float a, float a) {}"), ["X3003"]);
    assert_eq!(codes("void f(float a) { { float a; } }"), Vec::<String>::new());
    assert_eq!(codes("float f; float f() { return 1; }"), ["X3003"]);
    assert_eq!(codes("float f() { return 1; } float f;"), ["X3003"]);
    assert_eq!(codes("struct S { int a; }; struct S { int a; };"), ["X3003"]);
    assert_eq!(codes("struct S { int a; float a; };"), ["X3003"]);
}

#[test]
fn variables_can_share_names_with_types_and_functions() {
    let tree = tree("struct s { float4 f; }; float4 f() { float4 s = 1; return s; }");
    assert_eq!(function(&tree, "f").locals[0].ty, Type::vector(Scalar::Float, 4));
}

#[test]
fn builtin_names_are_reserved_globally_and_matrix_everywhere() {
    assert_eq!(codes("typedef float2 float;"), ["X3003"]);
    assert_eq!(codes("float4 double;"), ["X3003"]);
    assert_eq!(codes("void f() { typedef float2 float; float a = float2(1, 2); }"), Vec::<String>::new());
    assert_eq!(codes("void f() { typedef float2 matrix; }"), ["X3003"]);
}

#[test]
fn loop_variables_outlive_the_loop_and_can_be_redeclared() {
    assert_eq!(codes("void f() { for (int i = 0; i < 4; ++i) {} i = 1; }"), Vec::<String>::new());
    assert_eq!(
        codes("void f() { for (int i = 0; i < 4; ++i) {} for (int i = 0; i < 4; ++i) {} }"),
        ["X3078"]
    );
    assert_eq!(codes("void f() { for (int i = 0; i < 4; ++i) {} int i; }"), ["X3078"]);
    assert_eq!(codes("void f() { for (int i = 0; i < 4; ++i) { int i; } }"), Vec::<String>::new());
}

#[test]
fn namespaces_separate_names() {
    let text = "namespace N { static float a = 1; float f() { return a; } namespace M { float f() { return a; } } } \
                float g() { return N::f() + N::M::f() + ::N::a; }";
    assert_eq!(codes(text), Vec::<String>::new());
    assert_eq!(codes("namespace N { float a; } float g() { return a; }"), ["X3004"]);
    assert_eq!(
        codes("namespace N { float a; } namespace N { float b; } float g() { return N::a + N::b; }").len(),
        0
    );
}

#[test]
fn uniform_variables_are_in_constant_buffers() {
    let tree = tree(
        "float a; cbuffer B : register(b2) { float2 b : packoffset(c1.z); static int c = 3; Texture2D t : register(t3); } \
         tbuffer T { float d; } groupshared uint e[4]; static float f;",
    );
    let names: Vec<_> = tree.buffers.iter().map(|buffer| &*buffer.name).collect();
    assert_eq!(names, ["$Globals", "B", "T"]);
    assert_eq!(tree.buffers.iter().map(|buffer| buffer.variables.len()).collect::<Vec<_>>(), [1, 2, 1]);
    assert!(tree.buffers[2].texture && !tree.buffers[1].texture);
    assert_eq!(tree.buffers[1].registers[0].index, 2);
    let Storage::Uniform { buffer: BufferId(1), offset: Some(offset) } = global(&tree, "b").storage else {
        panic!("{:?}", global(&tree, "b"));
    };
    assert_eq!((offset.register, offset.component), (1, 2));
    assert_eq!(global(&tree, "c").storage, Storage::Static);
    assert_eq!(global(&tree, "e").storage, Storage::GroupShared);
    assert_eq!(global(&tree, "e").ty, Type::array(Type::UINT, 4));
    assert_eq!(codes("float4 a : packoffset(c0);"), ["X3091"]);
    assert_eq!(codes("cbuffer B { float3 a : packoffset(c0.z); }"), ["X3530"]);
    assert_eq!(codes("cbuffer B { float a[1] : packoffset(c0.y); }"), ["X3530"]);
    assert_eq!(codes("cbuffer B { float4 a : packoffset(c0); float4 b; }"), ["X3530"]);
    assert_eq!(
        codes("cbuffer B { float4 a : packoffset(c0); Texture2D b : register(t1); }"),
        Vec::<String>::new()
    );
    assert_eq!(codes("struct S { float4 a : packoffset(c0); };"), ["X3091"]);
}

#[test]
fn registers_add_the_offset_in_brackets() {
    let tree = tree("static const int N = 2; Texture2D a : register(ps, t1[N + 1]);");
    let register = &global(&tree, "a").registers[0];
    assert_eq!((register.class, register.index, register.profile.as_deref()), ('t', 4, Some("ps")));
    assert_eq!(codes("Texture2D a : register(t1[-2]);"), ["X3530"]);
}

#[test]
fn semantics_have_a_name_and_an_index() {
    let tree = tree("float4 f(float4 a : TEXCOORD12, float4 b : color) : SV_Target { return a + b; }");
    let function = function(&tree, "f");
    let semantic = |index: usize| {
        let semantic = function.parameters[index].semantic.as_ref().expect("it has one");
        (semantic.name.to_string(), semantic.index)
    };
    assert_eq!(semantic(0), ("TEXCOORD".to_owned(), 12));
    assert_eq!(semantic(1), ("color".to_owned(), 0));
    assert_eq!(function.result_semantic.as_ref().map(|semantic| &*semantic.name), Some("SV_Target"));
    assert_eq!(codes("void f() : A {}"), ["X3076"]);
    assert_eq!(codes("void f() { float a : A; }"), ["X3043"]);
}

#[test]
fn array_lengths_must_be_constant() {
    let tree = tree("static const int N = 3; float a[N * 2][true], b[2.7];");
    assert_eq!(global(&tree, "a").ty, Type::array(Type::array(Type::FLOAT, 1), 6));
    assert_eq!(global(&tree, "b").ty, Type::array(Type::FLOAT, 2));
    assert_eq!(codes("void f() { const int n = 4; float a[n]; int m = 4; float b[m]; }"), ["X3058"]);
    assert_eq!(codes("float a[0];"), ["X3059"]);
    assert_eq!(codes("float a[65536]; float b[65537];"), ["X3059"]);
    assert_eq!(codes("float a[];"), ["X3074"]);
    assert_eq!(codes("void f(float a[]) {}"), ["X3072"]);
    assert_eq!(codes("struct S { float a[]; };"), ["X3072"]);
    assert_eq!(codes("static float a[2][] = { 1, 2 };"), ["X3073"]);
}

#[test]
fn vector_and_matrix_sizes_are_checked() {
    let tree = tree("vector<int, 3> a; matrix<float, 2, 1 + 2> b; unsigned int2 c;");
    assert_eq!(global(&tree, "a").ty, Type::vector(Scalar::Int, 3));
    assert_eq!(global(&tree, "b").ty.numeric().map(|ty| (ty.rows(), ty.columns())), Some((2, 3)));
    assert_eq!(global(&tree, "c").ty, Type::vector(Scalar::Uint, 2));
    assert_eq!(codes("vector<float> a;"), ["X3000"]);
    assert_eq!(codes("vector<float, 5> a;"), ["X3052"]);
    assert_eq!(codes("vector<float4x4, 2> a;"), ["X3122"]);
    assert_eq!(codes("unsigned uint a;"), ["X3085"]);
    assert_eq!(codes("unorm uint a;"), ["X3085"]);
}

#[test]
fn object_element_types_are_checked() {
    let tree = tree("struct S { float2 a; }; Texture2D t; RWBuffer<unorm float> b; StructuredBuffer<S> s;");
    let object = |name: &str| global(&tree, name).ty.object().expect("it is an object").clone();
    assert_eq!(object("t").element, Some(Type::vector(Scalar::Float, 4)));
    assert_eq!(object("b").norm, Some(crate::check::tree::Norm::Unorm));
    assert!(matches!(object("s").element, Some(Type::Struct(_))));
    assert_eq!(codes("RWTexture2D t;"), ["X3000"]);
    assert_eq!(codes("Texture2D<float4x2> t;"), ["X3037"]);
    assert_eq!(codes("Buffer<double4> t;"), ["X3037"]);
    assert_eq!(codes("StructuredBuffer<Texture2D> t;"), ["X3124"]);
    assert_eq!(codes("SamplerState<float> t;"), ["X3038"]);
}

#[test]
fn modifiers_are_refused_where_they_do_not_apply() {
    assert_eq!(codes("static uniform float a;"), ["X3007"]);
    assert_eq!(codes("volatile float a;"), ["X3008"]);
    assert_eq!(codes("in float a;"), ["X3000"]);
    assert_eq!(codes("const const float a;"), ["X3048"]);
    assert_eq!(codes("void f() { uniform float a; }"), ["X3047"]);
    assert_eq!(codes("void f() { groupshared float a; }"), ["X3010"]);
    assert_eq!(codes("extern void f() {}"), ["X3006"]);
    assert_eq!(codes("struct S { const float a; };"), ["X3035"]);
    assert_eq!(codes("void f() { const float a; }"), ["X3012"]);
    assert_eq!(codes("static const float a; void f() { static const float b = 1; }"), Vec::<String>::new());
    assert_eq!(codes("struct S { nointerpolation centroid float a : A; };"), ["X3048"]);
}

#[test]
fn modifiers_typedefs_and_pragmas_set_matrix_packing() {
    let text = "typedef float2x2 M; typedef row_major float2x2 R; typedef float2x2 A[2];
#pragma pack_matrix(row_major)
M a; column_major M b; A c; typedef float2x2 P;
#pragma pack_matrix(column_major)
M d; R e; P f;";
    let tree = tree(text);
    let packing = |name: &str| global(&tree, name).packing;
    assert_eq!(["a", "e", "f"].map(packing), [Packing::RowMajor; 3]);
    assert_eq!(["b", "c", "d"].map(packing), [Packing::ColumnMajor; 3]);
    assert_eq!(codes("typedef row_major float2x2 R; column_major R a;"), ["X3048"]);
    assert_eq!(codes("row_major float4 a;"), ["X3077"]);
}

#[test]
fn fields_of_a_base_come_first() {
    let tree = tree(
        "struct A { float a; float b; }; struct B : A { float c; float b; float g() { return a + b; } }; \
         float f(B x) { return x.b + x.g(); }",
    );
    let names: Vec<_> = tree.structs[1].fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["a", "b", "c", "b"]);
    // The derived structure's `b`, which is field 3, hides the `b` of its base.
    assert!(format!("{:?}", function(&tree, "g").body).contains("3)"), "{:?}", function(&tree, "g").body);
    assert_eq!(codes("struct A : float4 { float a; };"), ["X3094"]);
    assert_eq!(codes("struct A {}; struct B {}; struct C : A, B {};"), ["X3094"]);
    assert_eq!(codes("struct A {}; typedef A T; struct T a;"), ["X3000"]);
}

#[test]
fn initial_values_of_uniform_variables_must_be_constant() {
    assert_eq!(
        codes("static const float a = 2; float4 b = { 1, 2, a, 4 }; float c = a * 2;"),
        Vec::<String>::new()
    );
    assert_eq!(codes("float a = 1; float b = a;"), ["X3011"]);
    assert_eq!(codes("float a = 1; float4 b = { 1, 2, a, 4 };"), ["X3011"]);
}

#[test]
fn declarations_of_effect_objects_are_checked() {
    assert_eq!(
        codes(
            "float4 f(uniform float a) { return a; } PixelShader p = CompileShader(ps_4_0, f(1)); Texture t = NULL;"
        ),
        Vec::<String>::new()
    );
    assert_eq!(codes("PixelShader p = CompileShader(ps_4_0, f(q));"), ["X3004"]);
    assert_eq!(codes("PixelShader p = 42;"), ["X3017"]);
    assert_eq!(codes("string s = \"a\"; string t[2] = { \"a\", \"b\" };"), Vec::<String>::new());
    assert_eq!(codes("void f(string s) {}"), ["X3038"]);
}

#[test]
fn states_of_effects_are_checked() {
    let states = |text: &str| codes(&format!("float4 g(float a, float b) {{ return a + b; }} {text}"));
    assert_eq!(
        states(
            "sampler s { Filter = POINT; Sampler[2] = { 1, \"a\", { b } }; Texture = <t>; c = g(d, e); };"
        ),
        ["X9003"]
    );
    assert_eq!(states("sampler s[2] { { Filter = POINT; }, { } };"), ["X9003"]);
    assert_eq!(states("sampler s[2] { { } };"), ["X9003", "X3017"]);
    assert_eq!(states("sampler s { a = h(1); };"), ["X9003", "X3004"]);
    assert_eq!(states("sampler s { a = g(1); };"), ["X9003", "X3013"]);
    assert_eq!(states("sampler s { SetBlendState(a, b); };"), ["X9003", "X3013"]);
    assert_eq!(states("sampler s { a = b.y; };"), ["X9003", "X3018"]);
    assert_eq!(states("sampler s { a = b[2]; };"), ["X9003", "X3121"]);
    for wrong in ["a = b", "a;", "2 = a;", "a[b] = 1;", "a[1][1] = 1;", "a = float;"] {
        assert!(states(&format!("sampler s {{ {wrong} }};")).contains(&"X3000".to_owned()), "{wrong}");
    }
}

#[test]
fn nesting_of_structures_is_limited() {
    let mut text = "struct S0 { float a; };".to_owned();
    for index in 0..64 {
        text += &format!("struct S{} {{ S{index} a, b; }};", index + 1);
    }
    let codes = codes(&text);
    assert!(!codes.is_empty() && codes.iter().all(|code| code == "X9000"), "{codes:?}");
}

#[test]
fn uniform_variables_cannot_be_halves() {
    assert_eq!(codes("half h;"), ["X3650"]);
    assert_eq!(codes("cbuffer C { struct { half2 h[2]; } s; };"), ["X3650"]);
    assert!(codes("static half h; half2 f(half a) { half b = a; return b; }").is_empty());
}

#[test]
fn patch_variables_become_arrays() {
    let name = |checker: &Checker<'_>| checker.tree.type_name(&global(&checker.tree, "p").ty);
    assert_eq!(checked("InputPatch<float2, 3> p;", name).0, "float2[3]");
    assert_eq!(codes("float a[2]; void f() { OutputPatch<float, 2> p = a; p[0] = 1; }"), ["X3025"]);
    assert_eq!(codes("void f() { InputPatch<float, 2> p; }"), ["X3012"]);
}

#[test]
fn letters_after_a_register_number_are_errors_on_cbuffers() {
    for name in ["b0many", "banana"] {
        assert_eq!(codes(&format!("cbuffer C : register({name}) {{ float a; }}")), ["X3530"], "{name}");
        assert!(codes(&format!("float a : register({name});")).is_empty(), "{name}");
    }
}

#[test]
fn techniques_pass_arguments_to_uniform_parameters_only() {
    let compiled = |call: &str| {
        let text = format!(
            "float4 f(uniform float a, float b, uniform float c) : A {{ return a + b + c; }}
             technique {{ pass {{ P = compile ps_4_0 {call}; }} }}"
        );
        !codes(&text).contains(&"X3013".to_owned())
    };
    assert!(compiled("f(1, any)"));
    assert!(compiled("f((1, 2), g(3, 4))"));
    assert!(compiled("f()"));
    assert!(!compiled("f(1, 2, 3)"));
}

#[test]
fn modifiers_and_forward_declarations_follow_fxc() {
    for text in [
        "groupshared float f() { return 1; }",
        "volatile float f() { return 1; }",
        "struct S; class C; struct S { float a; }; S s;",
        "void f() { struct L; float center = 1; }",
        "struct V { nointerpolation center float2 a; center float b; };",
        "matrix<snorm float, 2, 3> m; vector<unorm float, 2> v;",
    ] {
        assert_eq!(codes(text), [] as [&str; 0], "{text}");
    }
    for (text, number) in [
        ("typedef static float T;", "X3000"),
        ("typedef nointerpolation float T;", "X3000"),
        ("void f(groupshared float a) {}", "X3000"),
        ("in float a;", "X3000"),
        ("snorm unorm float a;", "X3000"),
        ("snorm snorm float a;", "X3000"),
        ("groupshared extern float a;", "X3010"),
        ("groupshared uniform float a;", "X3010"),
    ] {
        assert_eq!(codes(text), [number], "{text}");
    }
}
