//! All system values at all signature points of Direct3D 11's stages, in each shader model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{
    CompileOptions, compile,
    reflection::{SignatureParameter, SystemValue},
};

/// The signature points in the order of the columns of [`ROWS`], each with the prefix of a profile and a
/// program in which `@` is replaced with the declaration of the value.
const POINTS: [(&str, &str); 16] = [
    ("vs", "float4 main(@) : RESULT { return v.x; }"),
    ("vs", "void main(out @) { v = 0; }"),
    ("ps", "float4 main(@) : SV_Target { return v.x; }"),
    ("ps", "void main(out @) { v = 0; }"),
    ("cs", "RWBuffer<float> r; [numthreads(1, 1, 1)] void main(@) { r[0] = v.x; }"),
    // Hull shader: parameters, and control points in and out
    (
        "hs",
        "struct I { float4 p : P; }; struct O { float4 p : P; }; HULL O main(InputPatch<I, 3> a, @) { O o; o.p = v.x; return o; }",
    ),
    (
        "hs",
        "struct I { @; }; struct O { float4 p : P; }; HULL O main(InputPatch<I, 3> a) { O o; o.p = a[0].v.x; return o; }",
    ),
    (
        "hs",
        "struct I { float4 p : P; }; struct O { @; }; HULL O main(InputPatch<I, 3> a) { O o; o.v = 0; return o; }",
    ),
    // Hull shader: parameters and results of the patch constant function
    (
        "hs",
        "struct I { float4 p : P; }; struct O { float4 p : P; }; #define PARAMETER @\nHULL O main(InputPatch<I, 3> a) { O o; o.p = 0; return o; }",
    ),
    (
        "hs",
        "struct I { float4 p : P; }; struct O { float4 p : P; }; #define FIELD @;\nHULL O main(InputPatch<I, 3> a) { O o; o.p = 0; return o; }",
    ),
    // Domain shader: parameters, control points and results
    (
        "ds",
        "struct I { float4 p : P; }; [domain(\"tri\")] float4 main(OutputPatch<I, 3> a, @) : RESULT { return v.x; }",
    ),
    (
        "ds",
        "struct I { @; }; [domain(\"tri\")] float4 main(OutputPatch<I, 3> a) : RESULT { return a[0].v.x; }",
    ),
    ("ds", "struct I { float4 p : P; }; [domain(\"tri\")] void main(OutputPatch<I, 3> a, out @) { v = 0; }"),
    // Geometry shader: vertices, parameters and streams
    (
        "gs",
        "struct I { @; }; struct O { float4 p : P; }; [maxvertexcount(1)] void main(point I a[1], inout PointStream<O> s) { O o; o.p = a[0].v.x; s.Append(o); }",
    ),
    (
        "gs",
        "struct I { float4 p : P; }; struct O { float4 p : P; }; [maxvertexcount(1)] void main(point I a[1], @, inout PointStream<O> s) { O o; o.p = v.x; s.Append(o); }",
    ),
    (
        "gs",
        "struct I { float4 p : P; }; struct O { @; }; [maxvertexcount(1)] void main(point I a[1], inout PointStream<O> s) { O o; o.v = 0; s.Append(o); }",
    ),
];

/// The semantic of a system value, its type, the first shader model that has it, and the outcome at each
/// point:
///
/// * `s`: The program compiles, and the value is a system value.
/// * `a`: The program compiles, and the value is an ordinary value.
/// * `x`: Direct3D supports the value, but Onze does not (X9004).
/// * `r`: A rule of the stage forbids the value (X9012).
/// * `-`: FXC refuses the value (X4502).
///
/// The columns are the inputs and outputs of vertex and pixel shaders, compute shaders, hull shaders
/// (parameters, control points in and out, patch constants in and out), domain shaders (parameters, control
/// points, outputs) and geometry shaders (vertices, parameters, streams). The sources are DXC's public table
/// of signature points, restricted to the shader models 4.0 to 5.0, and the documentation of each semantic.
const ROWS: [(&str, &str, &str, &str); 28] = [
    ("TEXCOORD", "float", "4_0", "aaa-- -aa-a aaa ara"),
    ("SV_Position", "float4", "4_0", "ass-- -ss-a ass s-s"),
    ("SV_ClipDistance", "float", "4_0", "ass-- -ss-a ass s-s"),
    ("SV_CullDistance", "float", "4_0", "ass-- -ss-a ass s-s"),
    ("SV_RenderTargetArrayIndex", "uint", "4_0", "ass-- -ss-a ass s-s"),
    ("SV_ViewportArrayIndex", "uint", "4_0", "ass-- -ss-a ass s-s"),
    ("SV_VertexID", "uint", "4_0", "s---- ----- --- ---"),
    ("SV_InstanceID", "uint", "4_0", "saa-- -aa-- -aa a-a"),
    ("SV_PrimitiveID", "uint", "4_0", "--s-- s--s- s-- -ss"),
    ("SV_IsFrontFace", "bool", "4_0", "--s-- ----- --- --s"),
    ("SV_SampleIndex", "uint", "4_1", "--s-- ----- --- ---"),
    // The minimum shader models of inputs and outputs differ.
    ("SV_Coverage", "uint", "5_0", "--ss- ----- --- ---"),
    ("SV_InnerCoverage", "uint", "5_0", "--x-- ----- --- ---"),
    ("SV_Target", "float4", "4_0", "---s- ----- --- ---"),
    ("SV_Depth", "float", "4_0", "---s- ----- --- ---"),
    ("SV_DepthGreaterEqual", "float", "5_0", "---s- ----- --- ---"),
    ("SV_DepthLessEqual", "float", "5_0", "---s- ----- --- ---"),
    ("SV_StencilRef", "uint", "5_0", "---x- ----- --- ---"),
    ("SV_DispatchThreadID", "uint3", "4_0", "----s ----- --- ---"),
    ("SV_GroupID", "uint3", "4_0", "----s ----- --- ---"),
    ("SV_GroupThreadID", "uint3", "4_0", "----s ----- --- ---"),
    ("SV_GroupIndex", "uint", "4_0", "----s ----- --- ---"),
    ("SV_GSInstanceID", "uint", "5_0", "----- ----- --- -s-"),
    ("SV_OutputControlPointID", "uint", "4_0", "----- s---- --- ---"),
    ("SV_DomainLocation", "float3", "4_0", "----- ----- s-- ---"),
    ("SV_TessFactor", "float", "4_0", "----- ----s s-- ---"),
    ("SV_InsideTessFactor", "float", "4_0", "----- ----s s-- ---"),
    ("SV_Nothing", "float", "4_0", "----- ----- --- ---"),
];

const PATCH_CONSTANTS: &str = "
    #ifndef PARAMETER
    #define PARAMETER uint unused : SV_PrimitiveID
    #endif
    #ifndef FIELD
    #define FIELD
    #endif
    struct C { FIELD float edges[3] : SV_TessFactor1; float inside : SV_InsideTessFactor1; };
    C constants(InputPatch<I, 3> a, PARAMETER) { C c = (C)0; return c; }
    #define HULL [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] \
        [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
";

/// Returns the program for a point, with the patch constant function of a hull shader after the structures.
fn program(template: &str, declaration: &str) -> String {
    let text = template.replace('@', declaration);
    let Some((before, main)) = text.split_once("HULL") else { return text };
    let before = before.replace("#define", "\n#define");
    format!("{before}{PATCH_CONSTANTS}HULL {main}")
}

/// Compiles a program and returns the letter of its outcome.
fn outcome(text: &str, profile: &str, semantic: &str) -> char {
    match compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => {
            let reflection = &compiled.reflection;
            let all = reflection.inputs.iter().chain(&reflection.outputs).chain(&reflection.patch_constants);
            let is_it = |element: &&SignatureParameter| {
                (element.semantic_name.as_str(), element.semantic_index) == (semantic, 0)
            };
            let found: Vec<_> = all.filter(is_it).collect();
            assert_eq!(found.len(), 1, "{profile}: {text}");
            if found[0].system_value == SystemValue::Undefined { 'a' } else { 's' }
        }
        Err(errors) => {
            let all: Vec<_> = errors.errors().map(|error| error.code.number()).collect();
            let named = errors.errors().any(|error| error.message.contains(semantic));
            match all[..] {
                [9004] if named => 'x',
                [4502] if named => '-',
                [9012] => 'r',
                _ => panic!("{profile}: {text}: {errors}"),
            }
        }
    }
}

#[test]
fn every_system_value_is_checked_at_every_signature_point() {
    let models = ["4_0", "4_1", "5_0"];
    let mut failures = Vec::new();
    for (semantic, ty, first, letters) in ROWS {
        let letters: Vec<char> = letters.chars().filter(|letter| *letter != ' ').collect();
        assert_eq!(letters.len(), POINTS.len(), "{semantic}");
        for ((stage, template), letter) in POINTS.iter().zip(letters) {
            let text = program(template, &format!("{ty} v : {semantic}"));
            for model in models {
                let is_output_of_4_1 = semantic == "SV_Coverage" && text.contains("out uint");
                let first = if is_output_of_4_1 { "4_1" } else { first };
                if matches!(*stage, "hs" | "ds") && model != "5_0" {
                    continue;
                }
                let expected = if model < first { '-' } else { letter };
                let profile = format!("{stage}_{model}");
                let found = outcome(&text, &profile, semantic);
                if found != expected {
                    failures.push(format!("{profile} {semantic}: {found} is not {expected}: {text}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn system_values_in_the_book_exist_in_a_stage() {
    let page = include_str!("../../docs/book/src/hlsl.md");
    let (_, list) = page.split_once("Onze supports these system values of Direct3D 11:").unwrap();
    let (list, _) = list.split_once('.').unwrap();
    let mut names: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    names.retain(|name| *name != "SV_Target7");
    assert_eq!(names.len(), 22);
    for name in names {
        let name = name.trim_end_matches('0');
        let row = ROWS.iter().find(|row| row.0 == name).unwrap();
        assert!(row.3.contains('s'), "{name}");
    }
}

#[test]
fn errors_about_later_semantics_give_their_model() {
    let text = "float4 main(uint v : SV_SampleIndex) : SV_Target { return v; }";
    let errors =
        compile(text, "a", "main", "ps_4_0".parse().unwrap(), &CompileOptions::default()).unwrap_err();
    let expected = "invalid ps_4_0 input semantic 'SV_SampleIndex'; it needs shader model 4.1";
    assert_eq!(errors.errors().next().unwrap().message, expected);
}

/// Clip and cull distances have a common limit at each point between two stages, and in each stream.
#[test]
fn a_vertex_has_at_most_8_distances() {
    let programs = [
        ("vs_5_0", "struct V { float4 p : SV_Position; MEMBERS }; V main() { return (V)0; }"),
        (
            "ds_5_0",
            "struct V { float4 p : SV_Position; MEMBERS }; struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
             struct P { float4 p : P; };
             [domain(\"tri\")] V main(C c, const OutputPatch<P, 3> p) { return (V)0; }",
        ),
        (
            "gs_5_0",
            "struct I { float4 p : P; }; struct V { MEMBERS };
             [maxvertexcount(1)] void main(point I v[1], inout PointStream<V> a, inout PointStream<V> b) {
                 a.Append((V)0);
                 b.Append((V)0);
             }",
        ),
        (
            "gs_5_0",
            "struct I { MEMBERS }; struct V { float4 p : P; };
             [maxvertexcount(1)] void main(point I v[1], inout PointStream<V> to) { to.Append((V)0); }",
        ),
        ("ps_5_0", "struct V { MEMBERS }; float4 main(V v) : SV_Target { return 1; }"),
    ];
    let members = [
        ("float4 a : SV_ClipDistance0; float4 b : SV_ClipDistance1;", None),
        ("float4 a : SV_ClipDistance0; float4 b : SV_CullDistance0;", None),
        ("float a[8] : SV_CullDistance;", None),
        ("float4 a : SV_ClipDistance0; float4 b : SV_ClipDistance1; float c : SV_ClipDistance2;", Some(9)),
        ("float4 a : SV_ClipDistance0; float4 b : SV_ClipDistance1; float c : SV_CullDistance;", Some(9)),
        ("float4 a[3] : SV_CullDistance;", Some(12)),
    ];
    for (profile, program) in programs {
        for (members, refused) in members {
            let text = program.replace("MEMBERS", members);
            let options = CompileOptions::default();
            let result = compile(&text, "a.hlsl", "main", profile.parse().unwrap(), &options);
            let errors = result.err().map(|errors| errors.to_string());
            match (errors, refused) {
                (None, None) => {}
                (Some(errors), Some(count)) => {
                    let part = format!("a vertex has {count} clip and cull distances");
                    assert!(errors.contains(&part), "{errors}");
                }
                (errors, _) => panic!("{profile} {members}: {errors:?}"),
            }
        }
    }
}
