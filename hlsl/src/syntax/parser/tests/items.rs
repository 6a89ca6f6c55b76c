use super::{errors, parse_well};
use crate::{
    syntax::{
        ast::{
            Annotations, Initializer, Item, ModifierFlags, Primitive, StatementKind, StructKind,
            TypeArgument, TypeKind, Variables,
        },
        builtin::{Object, Scalar, Shape},
    },
    text::token::Packing,
};

fn variables(text: &str) -> Variables {
    let (_, program) = parse_well(text);
    match &program.items[..] {
        [.., Item::Variables(variables)] => variables.clone(),
        other => panic!("{other:?}"),
    }
}

fn annotations(text: &str) -> Annotations {
    variables(text).declarators[0].annotations.clone()
}

#[test]
fn a_function_has_parameters_and_semantics() {
    let (session, program) = parse_well(
        "[numthreads(8, 4, 1)] float4 main(in float a : A0, inout uint b = 2, out float2 c[3] : register(c1), triangle S d[3])
         : SV_Target0 { return a; } struct S { int i; };"
            .replace("triangle S d[3]", "linear sample float d[3]")
            .as_str(),
    );
    let Item::Function(function) = &program.items[0] else { panic!() };
    assert_eq!(&**session.names.text(function.name.name), "main");
    assert_eq!(function.attributes.len(), 1);
    assert_eq!(function.attributes[0].arguments.len(), 3);
    assert_eq!(function.parameters.len(), 4);
    let flags: Vec<_> = function.parameters.iter().map(|parameter| parameter.modifiers.flags).collect();
    use ModifierFlags as Flags;
    assert_eq!(flags, [Flags::IN, Flags::IN | Flags::OUT, Flags::OUT, Flags::LINEAR | Flags::SAMPLE]);
    assert!(function.parameters[0].annotations.semantic.is_some());
    assert!(function.parameters[1].default.is_some());
    assert_eq!(function.parameters[2].dimensions.len(), 1);
    assert!(function.annotations.semantic.is_some());
    assert!(function.body.is_some());
}

#[test]
fn a_geometry_shader_has_a_primitive_and_a_stream() {
    let (_, program) = parse_well(
        "struct V { float4 p : SV_Position; };
         [maxvertexcount(3)] void main(triangleadj V v[6], inout TriangleStream<V> s) { s.Append(v[0]); }",
    );
    let Item::Function(function) = &program.items[1] else { panic!() };
    assert_eq!(function.parameters[0].modifiers.primitive, Some(Primitive::TriangleAdjacency));
    assert!(matches!(function.parameters[1].type_name.kind, TypeKind::Object(Object::TriangleStream, _)));
}

#[test]
fn types_have_arguments() {
    let object = |text: &str| match variables(text).type_name.kind {
        TypeKind::Object(object, arguments) => (object, arguments),
        other => panic!("{other:?}"),
    };
    let (multisampled, arguments) = object("Texture2DMS<unorm float4, 4> t;");
    assert_eq!(multisampled, Object::Texture2DMS);
    let [TypeArgument::Type(modifiers, _), TypeArgument::Value(_)] = &arguments[..] else {
        panic!("{arguments:?}")
    };
    assert_eq!(modifiers.flags, ModifierFlags::UNORM);
    assert_eq!(object("StructuredBuffer<vector<float, 4>> b;").1.len(), 1);
    assert_eq!(object("struct S { int i; }; StructuredBuffer<S> b;").1.len(), 1);
    assert!(matches!(
        variables("matrix<int, 2, 3> m;").type_name.kind,
        TypeKind::Matrix(_, Some(_), Some(_))
    ));
    assert!(matches!(variables("vector<int> m;").type_name.kind, TypeKind::Vector(_, None)));
    let matrix = Shape::Matrix { rows: 4, columns: 4 };
    assert_eq!(variables("matrix m;").type_name.kind, TypeKind::Numeric(Scalar::Float, matrix));
    assert_eq!(
        variables("unsigned int3 m;").type_name.kind,
        TypeKind::Numeric(Scalar::Uint, Shape::Vector(3))
    );
}

#[test]
fn registers_have_a_class_an_index_and_a_space() {
    let register = |text: &str| {
        let registers = annotations(text).registers;
        assert_eq!(registers.len(), 1);
        let register = &registers[0];
        (
            register.class,
            register.index,
            register.space,
            register.profile.is_some(),
            register.offset.is_some(),
        )
    };
    assert_eq!(register("Texture2D a : register(t3);"), ('t', 3, 0, false, false));
    assert_eq!(register("Texture2D a : register(ps_5_0, T12);"), ('t', 12, 0, true, false));
    assert_eq!(register("Texture2D a : register(vs, t, space7);"), ('t', 0, 7, true, false));
    assert_eq!(register("float a : register(c1[2]);"), ('c', 1, 0, false, true));
    assert_eq!(annotations("sampler a : register(ps, s1) : register(vs, s2);").registers.len(), 2);
    assert_eq!(
        errors("float a : register(b99999999999);"),
        ["a(1,20-31): error X3530: invalid register 'b99999999999'"]
    );
    assert_eq!(register("float a : register(c1many);"), ('c', 1, 0, false, false));
    assert!(annotations("float a : register(ps[5], c1);").registers.is_empty());
}

#[test]
fn offsets_in_constant_buffers_have_a_component() {
    let (_, program) =
        parse_well("cbuffer C : register(b2) { float4 a : packoffset(c1); float b : packoffset(c12.z); }");
    let [Item::Buffer(buffer)] = &program.items[..] else { panic!() };
    assert!(!buffer.texture);
    assert_eq!((buffer.registers[0].class, buffer.registers[0].index), ('b', 2));
    let offsets: Vec<_> = buffer
        .items
        .iter()
        .map(|item| match item {
            Item::Variables(variables) => variables.declarators[0].annotations.pack_offset,
            other => panic!("{other:?}"),
        })
        .map(|offset| offset.map(|offset| (offset.register, offset.component)))
        .collect();
    assert_eq!(offsets, [Some((1, 0)), Some((12, 2))]);
    assert_eq!(
        errors("cbuffer C { float a : packoffset(c0.q); float b : packoffset(t0); float d; }"),
        [
            "a(1,37): error X3530: invalid component 'q' of packoffset: x, y, z or w is expected",
            "a(1,51-64): error X3530: packoffset needs a register c"
        ]
    );
}

#[test]
fn the_last_pragma_or_a_modifier_sets_the_packing() {
    let packing = |text| variables(text).modifiers.packing;
    assert_eq!(packing("float4x4 m;"), None);
    assert_eq!(packing("#pragma pack_matrix(row_major)\nfloat4x4 m;"), Some(Packing::RowMajor));
    assert_eq!(
        packing("#pragma pack_matrix(row_major)\ncolumn_major float4x4 m;"),
        Some(Packing::ColumnMajor)
    );
    assert_eq!(
        packing("float a;\n#pragma pack_matrix(row_major)\n#pragma pack_matrix(column_major)\nfloat4x4 m;"),
        Some(Packing::ColumnMajor)
    );
}

#[test]
fn structures_have_bases_fields_and_methods() {
    let (_, program) = parse_well(
        "interface I { float f(); };
         class B { float b; };
         struct S : B, I { float a, c[2]; float f() { return a; } static const int d; };
         float S::f() { return 1; }
         struct { int e; } g;",
    );
    let kinds: Vec<_> = program
        .items
        .iter()
        .map(|item| match item {
            Item::Struct(structure) => {
                (Some(structure.kind), structure.bases.len(), structure.fields.len(), structure.methods.len())
            }
            _ => (None, 0, 0, 0),
        })
        .collect();
    let some = |kind, bases, fields, methods| (Some(kind), bases, fields, methods);
    let none = (None, 0, 0, 0);
    assert_eq!(
        kinds,
        [
            some(StructKind::Interface, 0, 0, 1),
            some(StructKind::Class, 0, 1, 0),
            some(StructKind::Struct, 2, 2, 1),
            none,
            none
        ]
    );
    assert!(
        matches!(&program.items[4], Item::Variables(variables) if matches!(variables.type_name.kind, TypeKind::Struct(_)))
    );
}

#[test]
fn typedefs_and_namespaces_declare_types() {
    let (_, program) = parse_well(
        "typedef float3 Color, Colors[2];
         namespace N { struct S { Color c; }; Color f(Colors c) { return c[0]; } }
         N::S g(N::S s) { N::S t = s; return t; }",
    );
    assert!(matches!(&program.items[0], Item::Typedef(typedef) if typedef.names.len() == 2));
    assert!(matches!(&program.items[1], Item::Namespace(_, items) if items.len() == 2));
    let Item::Function(function) = &program.items[2] else { panic!() };
    let body = function.body.as_ref().unwrap();
    assert!(matches!(body.statements[0].kind, StatementKind::Variables(_)));
}

#[test]
fn statements_are_told_apart() {
    let (_, program) = parse_well(
        "void f(int n) {
            ; { } int a = 0, b; struct T { int i; }; typedef int I; I c; a = b;
            [branch] if (a) b = 1; else if (b) { a = 2; } else discard;
            [unroll(4)] for (int i = 0; i < 4; ++i, ++a) continue;
            for (;;) break;
            while (a) a--;
            do { b++; } while (b < 3);
            switch (a) { case 1: case 2: b = 1; break; default: return; }
            const float3 d = float3(1, 2, 3);
            float4(1, 2, 3, 4);
        }",
    );
    let Item::Function(function) = &program.items[0] else { panic!() };
    let kinds: Vec<_> = function
        .body
        .as_ref()
        .unwrap()
        .statements
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Empty => "empty",
            StatementKind::Block(_) => "block",
            StatementKind::Variables(_) => "variables",
            StatementKind::Struct(_) => "struct",
            StatementKind::Typedef(_) => "typedef",
            StatementKind::Expression(_) => "expression",
            StatementKind::If { otherwise: Some(_), .. } => "if else",
            StatementKind::If { .. } => "if",
            StatementKind::For { condition: None, step: None, .. } => "for ever",
            StatementKind::For { .. } => "for",
            StatementKind::While { .. } => "while",
            StatementKind::Do { .. } => "do",
            StatementKind::Switch { cases, .. } => {
                assert_eq!(cases.iter().map(|case| case.labels.len()).collect::<Vec<_>>(), [2, 1]);
                "switch"
            }
            _ => "other",
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "empty",
            "block",
            "variables",
            "struct",
            "typedef",
            "variables",
            "expression",
            "if else",
            "for",
            "for ever",
            "while",
            "do",
            "switch",
            "variables",
            "expression"
        ]
    );
}

#[test]
fn effects_are_skipped_with_one_warning() {
    let (session, program) = parse_well(
        "texture t < string name = \"a.dds\"; >;
         sampler s = sampler_state { Texture = <t>; MinFilter = LINEAR; };
         SamplerState p { Filter = MIN_MAG_MIP_POINT; };
         PixelShader x = compile ps_4_0 main(1);
         Technique10 main { pass p0 < int a = 1; > { SetVertexShader(CompileShader(vs_4_0, f())); } }
         technique { pass { } }
         float4 f() { return 1; }",
    );
    assert_eq!(session.diagnostics.warnings().count(), 1, "{}", session.diagnostics);
    assert_eq!(program.items.len(), 5);
    let Item::Variables(states) = &program.items[2] else { panic!() };
    assert!(matches!(states.declarators[0].initializer, Some(Initializer::States(_))));
}

#[test]
fn invalid_content_of_a_technique_is_an_error() {
    for text in [
        "technique { pass { a[1][1] = 1; } }",
        "technique { pass { a = SetPixelShader(b); } }",
        "fxgroup g { technique { } }",
    ] {
        assert_eq!(errors(text).len(), 1, "{text}");
    }
    parse_well(
        "technique { pass { a[1] = { 1, { 2, \"b\" } }; b = c[1].x + d(2); SetPixelShader(e); F = compile ps_2_0 g(); } }
         fxgroup g { technique10 t { pass { a = b; } } technique11 { } }",
    );
}
