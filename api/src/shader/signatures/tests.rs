#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_hlsl::{CompileOptions, compile, reflection::Reflection};

use super::mismatches;

fn reflect(text: &str, profile: &str, backwards_compatible: bool) -> Reflection {
    let options = CompileOptions { backwards_compatible, ..CompileOptions::default() };
    compile(text, "test.hlsl", "main", profile.parse().unwrap(), &options).unwrap().reflection
}

/// Compiles a vertex shader with these outputs, given as declarations of fields.
fn outputs(fields: &str) -> Reflection {
    let text = format!("struct Out {{ {fields} }}; Out main() {{ Out o = (Out)0; return o; }}");
    reflect(&text, "vs_5_0", false)
}

/// Compiles a pixel shader with these inputs, given as declarations of fields, all of which the shader reads
/// by copying the structure.
fn inputs(fields: &str) -> Reflection {
    let text = format!("struct In {{ {fields} }}; float4 main(In i) : SV_Target {{ In all = i; return 1; }}");
    reflect(&text, "ps_5_0", false)
}

/// Outputs, inputs, and words from the description of each expected mismatch.
const ROWS: &[(&str, &str, &[&str])] = &[
    // Matching stages, for which nothing is reported.
    ("float4 p : SV_Position; float2 a : A;", "float4 p : SV_Position; float2 a : A;", &[]),
    ("float4 p : SV_Position; float2 a : A;", "float4 q : SV_POSITION; float2 b : a0;", &[]),
    ("float4 p : SV_Position; float4 a : A;", "float4 p : SV_Position; float2 a : A;", &[]),
    ("float4 p : SV_Position; float2 a : A; float2 b : B;", "float4 p : SV_Position; float2 a : A;", &[]),
    ("float4 p : SV_Position; float2 a : A;", "float4 p : SV_Position; noperspective float2 a : A;", &[]),
    ("float4 p : SV_Position;", "float4 p : SV_Position; bool f : SV_IsFrontFace;", &[]),
    ("float4 p : SV_Position;", "float4 p : SV_Position; uint s : SV_SampleIndex;", &[]),
    ("float4 p : SV_Position;", "float4 p : SV_Position; uint c : SV_Coverage;", &[]),
    ("float4 p : SV_Position;", "", &[]),
    // D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_SEMANTICNAME_NOT_FOUND.
    (
        "float4 p : SV_Position; float2 uv : UV;",
        "float4 p : SV_Position; float2 uv : TEXCOORD;",
        &[
            "reads `TEXCOORD0` from register 1 (.xy), but the vertex shader has no output `TEXCOORD0` and writes `UV0` there",
        ],
    ),
    (
        "float4 p : SV_Position; float2 uv : TEXCOORD1;",
        "float4 p : SV_Position; float2 uv : TEXCOORD;",
        &["no output `TEXCOORD0` and writes `TEXCOORD1` there"],
    ),
    (
        "float4 p : SV_Position;",
        "float4 p : SV_Position; float2 uv : TEXCOORD;",
        &["no output `TEXCOORD0` and writes nothing there"],
    ),
    (
        "float4 p : SV_Position; float2 a : A; float2 b : B;",
        "float4 p : SV_Position; float4 c : C;",
        &["no output `C0` and writes `A0` and `B0` there"],
    ),
    (
        "float4 p : MYPOSITION;",
        "float4 p : SV_Position;",
        &["no output `SV_Position0` and writes `MYPOSITION0` there"],
    ),
    // A mismatch that Direct3D 11 reports as REGISTERINDEX.
    (
        "float4 p : SV_Position; float4 a : A; float4 b : B;",
        "float4 p : SV_Position; float4 b : B; float4 a : A;",
        &[
            "reads `B0` from register 1 (.xyzw), but the vertex shader writes it to register 2 and writes `A0` there",
            "reads `A0` from register 2 (.xyzw), but the vertex shader writes it to register 1 and writes `B0` there",
        ],
    ),
    (
        "float4 a : A; float4 p : SV_Position;",
        "float4 p : SV_Position; float4 a : A;",
        &["reads `SV_Position0` from register 0", "reads `A0` from register 1"],
    ),
    (
        "float4 p : SV_Position; float2 a : A; nointerpolation float2 b : B;",
        "float4 p : SV_Position; float2 a : A; float2 b : B;",
        &[
            "reads `B0` from register 1 (.zw), but the vertex shader writes it to register 2 and writes nothing there",
        ],
    ),
    // A mismatch that Direct3D 11 reports as COMPONENTTYPE.
    (
        "float4 p : SV_Position; uint a : A;",
        "float4 p : SV_Position; nointerpolation float a : A;",
        &["`A0` in register 1 (.x) is uint in the vertex shader and float in the pixel shader"],
    ),
    (
        "float4 p : SV_Position; int a : A;",
        "float4 p : SV_Position; uint a : A;",
        &["is int in the vertex shader and uint in the pixel shader"],
    ),
    // A mismatch that Direct3D 11 reports as REGISTERMASK.
    (
        "float4 p : SV_Position; float2 a : A;",
        "float4 p : SV_Position; float3 a : A;",
        &["reads `A0` from register 1 (.xyz), but the vertex shader writes it to .xy of that register"],
    ),
    (
        "float4 p : SV_Position; float2 a : A; float2 b : B;",
        "float4 p : SV_Position; float2 b : B;",
        &["reads `B0` from register 1 (.xy), but the vertex shader writes it to .zw of that register"],
    ),
    // A mismatch that Direct3D 11 reports as MINPRECISION.
    (
        "float4 p : SV_Position; min16float4 a : A;",
        "float4 p : SV_Position; float4 a : A;",
        &["has at least 16 bits (min16float) in the vertex shader and full precision in the pixel shader"],
    ),
    (
        "float4 p : SV_Position; min16uint a : A;",
        "float4 p : SV_Position; uint a : A;",
        &["has at least 16 bits (min16uint) in the vertex shader and full precision in the pixel shader"],
    ),
];

#[test]
fn each_linkage_rule_of_direct3d_is_checked() {
    for (written, read, expected) in ROWS {
        let found = mismatches(&outputs(written), 0, &inputs(read));
        assert_eq!(found.len(), expected.len(), "{written} | {read}: {found:#?}");
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found.contains(expected), "{written} | {read}: {found}");
        }
    }
}

#[test]
fn a_system_value_is_not_a_plain_value_of_that_name() {
    // D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_SYSTEMVALUE: the option makes `POSITION` mean `SV_Position`.
    let text = "float4 main() : POSITION { return 0; }";
    let read = inputs("float4 p : POSITION;");
    let [found] = &mismatches(&reflect(text, "vs_5_0", true), 0, &read)[..] else { panic!("one mismatch") };
    let expected =
        "is the system value Position in the vertex shader and no system value in the pixel shader";
    assert!(found.contains(expected), "{found}");
    assert_eq!(mismatches(&reflect(text, "vs_5_0", false), 0, &read), [""; 0]);
}

#[test]
fn the_next_stage_reads_the_first_stream_of_a_geometry_shader() {
    let text = "
        struct V { float4 place : PLACE; };
        struct A { float4 p : SV_Position; float4 a : A; };
        struct B { float4 p : SV_Position; float4 b : B; };
        [maxvertexcount(2)] void main(point V v[1], inout PointStream<A> first, inout PointStream<B> second) {
            A a = { v[0].place, v[0].place };
            first.Append(a);
            B b = { v[0].place, v[0].place };
            second.Append(b);
        }";
    let geometry = reflect(text, "gs_5_0", false);
    assert_eq!(mismatches(&geometry, 0, &inputs("float4 p : SV_Position; float4 a : A;")), [""; 0]);
    let found = mismatches(&geometry, 0, &inputs("float4 p : SV_Position; float4 b : B;"));
    assert!(found.len() == 1 && found[0].contains("no output `B0` and writes `A0` there"), "{found:?}");
}
