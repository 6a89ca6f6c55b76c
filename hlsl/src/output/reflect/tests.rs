//! Tests of the signatures, registers and constant buffers of small programs.

use super::reflect;
use crate::{
    CompileOptions, PreprocessOptions,
    compile::analyse,
    output::reflection::{
        ComponentKind, Dimension, Reflection, Requirements, ResourceKind, ReturnKind, SystemValue,
        VariableClass, VariableKind,
    },
    session::Session,
    text::preprocess::preprocess_tokens,
};

/// Returns the reflection of a program whose entry point is `main`, or its first error.
fn reflection(profile: &str, text: &str) -> Result<Reflection, String> {
    let mut session = Session::default();
    let profile = profile.parse().unwrap();
    let tokens = preprocess_tokens(&mut session, "a.hlsl", text, &PreprocessOptions::default());
    let analysis = analyse(&mut session, &tokens, "main", profile, CompileOptions::default().check());
    match analysis {
        Some(analysis) => Ok(reflect(&analysis, profile, &naga::Module::default())),
        None => {
            let error = session.diagnostics.errors().next().unwrap();
            Err(format!("X{}: {}", error.code.number(), error.message))
        }
    }
}

fn error(profile: &str, text: &str) -> String {
    let error = reflection(profile, text).unwrap_err();
    error.split(':').next().unwrap().to_owned()
}

fn registers(reflection: &Reflection) -> Vec<(&str, u32, u32)> {
    reflection
        .resources
        .iter()
        .map(|resource| (resource.name.as_str(), resource.slot, resource.count))
        .collect()
}

fn elements(list: &[crate::output::reflection::SignatureParameter]) -> Vec<(String, Option<u32>, u8)> {
    let name = |name: &str, index| format!("{name}{index}");
    list.iter()
        .map(|element| (name(&element.semantic_name, element.semantic_index), element.register, element.mask))
        .collect()
}

#[test]
fn declared_registers_are_kept_and_others_get_the_lowest() {
    let text = "
        Texture2D a; Texture2D b : register(t0); Texture2D unused : register(t1); Texture2D c[2];
        Texture2D nothing; SamplerState s : register(s3); SamplerState r;
        cbuffer Second : register(b1) { float second; }
        cbuffer First { float first; }
        float4 global;
        float4 main(float2 uv : UV) : SV_Target {
            return a.Sample(s, uv) + b.Sample(r, uv) + c[1].Sample(s, uv) + second + first + global;
        }";
    let reflection = reflection("ps_5_0", text).unwrap();
    assert_eq!(
        registers(&reflection),
        [
            ("r", 0, 1),
            ("s", 3, 1),
            ("b", 0, 1),
            ("a", 2, 1),
            ("c", 3, 2),
            ("$Globals", 0, 1),
            ("Second", 1, 1),
            ("First", 2, 1),
        ]
    );
}

#[test]
fn a_function_that_is_not_called_uses_nothing() {
    let text = "
        float a; Texture2D t; SamplerState s;
        static float kept = a; static float dropped = 2;
        float used() { return kept; }
        float4 unused(float2 uv) { return t.Sample(s, uv); }
        float4 main() : SV_Target { return used(); }";
    let reflection = reflection("ps_5_0", text).unwrap();
    assert_eq!(registers(&reflection), [("$Globals", 0, 1)]);
}

#[test]
fn registers_depend_on_the_profile() {
    let text = "
        Texture2D<float4> t : register(vs, t4) : register(ps_5_0, t2);
        float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }";
    assert_eq!(registers(&reflection("ps_5_0", text).unwrap()), [("t", 2, 1)]);
    assert_eq!(registers(&reflection("ps_4_0", text).unwrap()), [("t", 0, 1)]);
    let wrong = "Texture2D t : register(qs, t1); float4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }";
    assert_eq!(error("ps_5_0", wrong), "X3530");
}

#[test]
fn registers_that_overlap_are_errors_where_they_are_used() {
    let text = "Texture2D a : register(t2); Texture2D b : register(t2);
        float4 main() : SV_Target { return a.Load(int3(0, 0, 0)) + b.Load(int3(0, 0, 0)); }";
    assert_eq!(error("ps_5_0", text), "X4500");
    let one = "Texture2D a : register(t2); Texture2D b : register(t2);
        float4 main() : SV_Target { return b.Load(int3(0, 0, 0)); }";
    assert_eq!(registers(&reflection("ps_5_0", one).unwrap()), [("b", 2, 1)]);
    let most = "SamplerState s : register(s16); Texture2D t;
        float4 main() : SV_Target { return t.Sample(s, 0); }";
    assert_eq!(error("ps_5_0", most), "X4509");
}

#[test]
fn u_registers_of_a_pixel_shader_follow_its_targets() {
    let text = "RWTexture2D<float> w;
        void main(out float4 a : SV_Target0, out float4 b : SV_Target1) { a = b = 0; w[uint2(0, 0)] = 1; }";
    assert_eq!(registers(&reflection("ps_5_0", text).unwrap()), [("w", 2, 1)]);
}

#[test]
fn functions_that_call_themselves_are_errors() {
    let text = "float f(float a); float g(float a) { return f(a); } float f(float a) { return g(a); }
        float4 main() : SV_Target { return f(1); }";
    assert_eq!(error("ps_5_0", text), "X3500");
    assert_eq!(error("ps_5_0", "float4 other() : SV_Target { return 0; }"), "X3501");
}

#[test]
fn variables_have_offsets_in_constant_buffers() {
    let text = "
        struct S { float3 a; float b; float2 c; };
        cbuffer B {
            float one; float3 three; float array[2]; float behind;
            row_major float3x2 rows; float3x2 columns; S s; bool flag; uint2 pair = uint2(3, 4);
        }
        float4 main() : SV_Target { return one + s.a.x; }";
    let reflection = reflection("ps_5_0", text).unwrap();
    let buffer = reflection.constant_buffer("B").unwrap();
    let places: Vec<_> =
        buffer.variables.iter().map(|v| (v.name.as_str(), v.offset, v.size, v.used)).collect();
    assert_eq!(
        places,
        [
            ("one", 0, 4, true),
            ("three", 4, 12, false),
            ("array", 16, 20, false),
            ("behind", 36, 4, false),
            ("rows", 48, 40, false),
            ("columns", 96, 28, false),
            ("s", 128, 24, true),
            ("flag", 152, 4, false),
            ("pair", 160, 8, false),
        ]
    );
    assert_eq!(buffer.size, 176);
    let ty = |name: &str| &buffer.variable(name).unwrap().ty;
    assert_eq!(ty("array").elements, 2);
    assert_eq!((ty("rows").class, ty("rows").rows, ty("rows").columns), (VariableClass::MatrixRows, 3, 2));
    assert_eq!(ty("columns").class, VariableClass::MatrixColumns);
    assert_eq!((ty("flag").class, ty("flag").kind), (VariableClass::Scalar, VariableKind::Bool));
    assert_eq!((ty("s").class, ty("s").columns, ty("s").name.as_str()), (VariableClass::Struct, 6, "S"));
    let members: Vec<_> = ty("s").members.iter().map(|m| (m.name.as_str(), m.offset)).collect();
    assert_eq!(members, [("a", 0), ("b", 12), ("c", 16)]);
    let default = buffer.variable("pair").unwrap().default_value.as_deref();
    assert_eq!(default, Some(&[3, 0, 0, 0, 4, 0, 0, 0][..]));
}

#[test]
fn packoffset_places_variables() {
    let text = "cbuffer B { float4 a : packoffset(c1); float2 b : packoffset(c0.z); }
        float4 main() : SV_Target { return a + b.x; }";
    let reflection = reflection("ps_5_0", text).unwrap();
    let places: Vec<_> =
        reflection.constant_buffers[0].variables.iter().map(|v| (v.name.as_str(), v.offset)).collect();
    assert_eq!(places, [("b", 8), ("a", 16)]);
    let main = "float4 main() : SV_Target { return a; }";
    assert_eq!(error("ps_5_0", &format!("cbuffer B {{ float4 a : packoffset(c0.y); }} {main}")), "X3530");
    let mixed = format!("cbuffer B {{ float4 a : packoffset(c0); float4 b; }} {main}");
    assert_eq!(error("ps_5_0", &mixed), "X3530");
    let overlap = format!("cbuffer B {{ float4 a : packoffset(c0); float b : packoffset(c0.w); }} {main}");
    assert_eq!(error("ps_5_0", &overlap), "X4019");
}

#[test]
fn uniform_parameters_are_in_a_buffer_of_their_own() {
    let text = "float4 main(uniform float2 a, uniform Texture2D t, uniform float4 b) : SV_Target {
        return t.Load(int3(0, 0, 0)) + a.x + b; }";
    let reflection = reflection("ps_5_0", text).unwrap();
    assert_eq!(registers(&reflection), [("t", 0, 1), ("$Params", 0, 1)]);
    let variables = &reflection.constant_buffers[0].variables;
    assert_eq!(variables.iter().map(|v| v.offset).collect::<Vec<_>>(), [0, 16]);
    assert!(reflection.inputs.is_empty());
}

#[test]
fn elements_share_registers() {
    let text = "
        struct V { float4 position : SV_Position; float2 uv[2] : TEXCOORD; float2 more : MORE; uint id : ID; };
        V main(float4 position : POSITION, float2 uv : TEXCOORD3, uint id : SV_VertexID) {
            V v = (V)0; return v;
        }";
    let reflection = reflection("vs_5_0", text).unwrap();
    assert_eq!(
        elements(&reflection.inputs),
        [
            ("POSITION0".to_owned(), Some(0), 0b1111),
            ("TEXCOORD3".to_owned(), Some(1), 0b11),
            ("SV_VertexID0".to_owned(), Some(2), 1)
        ]
    );
    assert_eq!(
        elements(&reflection.outputs),
        [
            ("SV_Position0".to_owned(), Some(0), 0b1111),
            ("TEXCOORD0".to_owned(), Some(1), 0b11),
            ("TEXCOORD1".to_owned(), Some(2), 0b11),
            ("MORE0".to_owned(), Some(1), 0b1100),
            ("ID0".to_owned(), Some(3), 1),
        ]
    );
    assert_eq!(reflection.outputs[0].system_value, SystemValue::Position);
    assert_eq!(reflection.outputs[4].component_kind, ComponentKind::Uint);
}

#[test]
fn a_semantic_of_a_structure_hides_those_of_its_fields() {
    let text = "struct S { float a : X; float b[2]; };
        float4 main(S s : OUTER3, float4x2 m : M) : SV_Target { return s.a; }";
    let names: Vec<_> =
        elements(&reflection("ps_5_0", text).unwrap().inputs).into_iter().map(|e| e.0).collect();
    assert_eq!(names, ["OUTER3", "OUTER4", "OUTER5", "M0", "M1"]);
}

#[test]
fn invalid_semantics_are_errors() {
    assert_eq!(error("ps_5_0", "float4 main(float a) : SV_Target { return a; }"), "X3502");
    assert_eq!(error("ps_5_0", "float4 main() { return 0; }"), "X3503");
    assert_eq!(error("ps_5_0", "float4 main() : SV_Position { return 0; }"), "X4502");
    assert_eq!(error("ps_5_0", "float4 main() : COLOR { return 0; }"), "X4502");
    let twice =
        "void main(out float4 a : A, out float2 b : a0, out float4 p : SV_Position) { a = p = 0; b = 0; }";
    assert_eq!(error("vs_5_0", twice), "X4503");
    assert_eq!(error("vs_5_0", "float4x4 main() : SV_Position { return 0; }"), "X4503");
    let depths = "void main(out float a : SV_Depth, out float b : SV_DepthGreaterEqual) { a = b = 0; }";
    assert_eq!(error("ps_5_0", depths), "X4503");
    let types = "float4 main(float2 a : A, float3 b : A) : SV_Target { return 0; }";
    assert_eq!(error("ps_5_0", types), "X4503");
    let again = "float4 main(float2 a : A, float2 b : A) : SV_Target { return 0; }";
    assert_eq!(reflection("ps_5_0", again).unwrap().inputs.len(), 1);
    // A row of a row-major matrix does not match a vector.
    let row = "float4 main(row_major float2x2 a : A, float2 b : A) : SV_Target { return a[0].xyxy + b.x; }";
    assert_eq!(error("ps_5_0", row), "X4503");
}

#[test]
fn a_compute_shader_has_threads() {
    let group = |attribute: &str| reflection("cs_5_0", &format!("{attribute} void main() {{}}"));
    assert_eq!(group("[numthreads(8, 4, 2)]").unwrap().thread_group_size, Some([8, 4, 2]));
    assert_eq!(error("cs_5_0", "void main() {}"), "X3084");
    assert_eq!(error("cs_5_0", "[numthreads(1, 1, 65)] void main() {}"), "X3655");
    assert_eq!(error("cs_5_0", "[numthreads(0, 1, 1)] void main() {}"), "X3655");
    assert_eq!(error("cs_4_0", "[numthreads(1, 1, 2)] void main() {}"), "X3655");
}

#[test]
fn resources_have_kinds_and_dimensions() {
    let text = "
        struct E { float3 a; uint b; };
        Texture2DArray<uint4> a; StructuredBuffer<E> b; RWByteAddressBuffer c; RWBuffer<unorm float4> d;
        struct { Texture2D t; float f; } s;
        [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
            uint v = a.Load(int4(0, 0, 0, 0)).x + b[id.x].b + (uint)s.t.Load(int3(0, 0, 0)).x;
            c.Store(0, v); d[0] = v;
        }";
    let reflection = reflection("cs_5_0", text).unwrap();
    let found = |name: &str| reflection.resource(name).unwrap();
    let array = found("a");
    assert_eq!((array.kind, array.dimension), (ResourceKind::Texture, Dimension::Texture2DArray));
    assert_eq!((array.return_kind, array.components), (Some(ReturnKind::Uint), 4));
    assert_eq!((found("b").kind, found("b").stride), (ResourceKind::Structured, 16));
    assert_eq!(found("c").kind, ResourceKind::ReadWriteByteAddress);
    assert_eq!(found("d").return_kind, Some(ReturnKind::Unorm));
    assert_eq!((found("b").components, found("c").components, found("d").components), (0, 0, 4));
    assert_eq!((found("s.t").slot, found("d").slot), (2, 1));
    assert!(reflection.constant_buffers.is_empty());
}

#[test]
fn registers_u_beyond_the_eighth_need_direct3d_11_1() {
    let text = |register: u32| {
        format!(
            "RWBuffer<float> b : register(u{register}); [numthreads(1, 1, 1)] void main() {{ b[0] = 1; }}"
        )
    };
    let requirements = |register| reflection("cs_5_0", &text(register)).unwrap().requirements;
    assert_eq!(requirements(7), Requirements::empty());
    assert_eq!(requirements(8), Requirements::UAVS_64);
    assert_eq!(requirements(63), Requirements::UAVS_64);
    assert_eq!(error("cs_5_0", &text(64)), "X4509");
    let vertex = "RWBuffer<float> b; float4 main() : SV_Position { b[0] = 1; return 0; }";
    assert_eq!(reflection("vs_5_0", vertex).unwrap().requirements, Requirements::UAVS_AT_EVERY_STAGE);
}

#[test]
fn a_texture_of_structures_returns_its_members_type() {
    let text = "
        struct Part { int a; int2 b; };
        Texture2D<Part> parts;
        int4 main() : SV_Target { return parts[uint2(0, 0)].b.xyxy; }";
    let reflection = reflection("ps_5_0", text).unwrap();
    let parts = reflection.resource("parts").unwrap();
    assert_eq!((parts.return_kind, parts.components), (Some(ReturnKind::Int), 3));
}

#[test]
fn a_call_through_an_interface_is_not_supported() {
    let text = "
        interface Light { float4 shine(); };
        Light light;
        float4 main() : SV_Target { return light.shine(); }";
    assert_eq!(error("ps_5_0", text), "X9004");
}
