use crate::{Code, CompileOptions, compile};

fn faults(text: &str, profile: &str) -> Vec<String> {
    let result = compile(text, "a", "main", profile.parse().unwrap(), &CompileOptions::default());
    let Err(errors) = result else { return Vec::new() };
    let errors: Vec<_> = errors.errors().filter(|error| error.code != Code::Unsupported).collect();
    assert!(errors.iter().all(|error| error.code == Code::StageRule), "{text}: {errors:?}");
    errors.iter().map(|error| error.message.clone()).collect()
}

fn geometry(attribute: &str, parameters: &str, body: &str, profile: &str) -> Vec<String> {
    let text = format!("struct V {{ float4 a : A; }}; {attribute} void main({parameters}) {{ {body} }}");
    faults(&text, profile)
}

#[test]
fn geometry_shaders_take_a_primitive() {
    let takes =
        |parameters: &str, profile: &str| geometry("[maxvertexcount(4)]", parameters, "", profile).is_empty();
    for parameters in [
        "point V v[1]",
        "line V v[2]",
        "triangle V v[3]",
        "lineadj V v[4]",
        "triangleadj V v[6]",
        "uint id : SV_PrimitiveID, line V v[2], line float2 b[2] : B",
    ] {
        assert!(takes(parameters, "gs_4_0"), "{parameters}");
    }
    for parameters in [
        "",
        "V v",
        "point V v",
        "line V v[3]",
        "line V v[2], triangle float b[3] : B",
        "float b : B, point V v[1]",
    ] {
        assert!(!takes(parameters, "gs_5_0"), "{parameters}");
    }
    assert!(takes("InputPatch<V, 7> v", "gs_5_0"));
    assert!(takes("line InputPatch<V, 2> v", "gs_5_0"));
    assert!(!takes("line InputPatch<V, 3> v", "gs_5_0"));
    assert!(!takes("InputPatch<V, 7> v", "gs_4_0"));
    assert!(!takes("OutputPatch<V, 7> v", "gs_5_0"));
}

#[test]
fn geometry_shaders_declare_their_maximum_vertex_count() {
    let point = "point V v[1], inout PointStream<V> o";
    let gives = |attribute: &str| geometry(attribute, point, "o.Append(v[0]);", "gs_4_0").is_empty();
    assert!(gives("[maxvertexcount(256)]"));
    for attribute in [
        "",
        "[maxvertexcount(0)]",
        "[maxvertexcount(257)]",
        "[maxvertexcount(1025)]",
        "[maxvertexcount(1, 2)]",
    ] {
        assert!(!gives(attribute), "{attribute}");
    }
    // The limit of 1024 components does not apply to a shader that appends no vertices.
    assert!(geometry("[maxvertexcount(1024)]", point, "", "gs_4_0").is_empty());
}

#[test]
fn streams_are_inout_and_several_must_be_points() {
    let two = |kind: &str, body: &str, profile: &str| {
        let parameters = format!("point V v[1], inout {kind}<V> a, inout {kind}<V> b");
        geometry("[maxvertexcount(4)]", &parameters, body, profile).is_empty()
    };
    let both = "a.Append(v[0]); b.Append(v[0]);";
    assert!(two("PointStream", both, "gs_5_0"));
    assert!(!two("PointStream", both, "gs_4_1"));
    assert!(!two("LineStream", both, "gs_5_0"));
    assert!(two("LineStream", "a.RestartStrip();", "gs_4_0"));
    for parameters in [
        "point V v[1], out PointStream<V> o",
        "point V v[1], PointStream<V> o",
        "point V v[1], inout PointStream<V> o[2]",
        "point V v[1], out V o",
    ] {
        let body = if parameters.ends_with("V o") { "o.a = 0;" } else { "" };
        assert!(!geometry("[maxvertexcount(4)]", parameters, body, "gs_5_0").is_empty(), "{parameters}");
    }
    assert!(!faults("PointStream<float4> s; float4 main() : SV_TARGET { return 0; }", "ps_5_0").is_empty());
}

/// Returns the errors of a hull shader, given its attributes, the parameters of its main function, and the
/// parameters of its patch constant function.
fn hull(attributes: &str, parameters: &str, constants: &str) -> Vec<String> {
    let text = format!(
        "struct V {{ float4 a : A; }}; struct P {{ float e[2] : SV_TessFactor; }};
         P constants({constants}) {{ return (P)0; }}
         [patchconstantfunc(\"constants\")] {attributes} V main({parameters}) {{ return (V)0; }}"
    );
    faults(&text, "hs_5_0")
}

const ATTRIBUTES: &str =
    "[domain(\"isoline\")] [partitioning(\"integer\")] [outputtopology(\"line\")] [outputcontrolpoints(3)]";

#[test]
fn hull_shaders_need_attributes() {
    assert_eq!(hull(ATTRIBUTES, "", ""), Vec::<String>::new());
    for attribute in ATTRIBUTES.split(' ') {
        assert_eq!(hull(&ATTRIBUTES.replace(attribute, ""), "", "").len(), 1, "{attribute}");
    }
    for (from, to) in [
        ("\"line\"", "\"triangle_cw\""),
        ("\"isoline\"", "\"tri\""),
        ("\"integer\"", "\"half\""),
        ("3", "33"),
    ] {
        assert_eq!(hull(&ATTRIBUTES.replace(from, to), "", "").len(), 1, "{to}");
    }
}

#[test]
fn patches_of_the_functions_agree() {
    let fits = |parameters: &str, constants: &str| hull(ATTRIBUTES, parameters, constants).is_empty();
    assert!(fits("InputPatch<V, 2> v", "InputPatch<V, 2> v, OutputPatch<V, 3> o, uint i : SV_PrimitiveID"));
    for (parameters, constants) in [
        ("InputPatch<V, 33> v", ""),
        ("InputPatch<V, 2> v, InputPatch<V, 2> w", ""),
        ("OutputPatch<V, 2> v", ""),
        ("InputPatch<V, 2> v", "InputPatch<V, 3> v"),
        ("InputPatch<V, 2> v", "InputPatch<P, 2> v"),
        ("", "OutputPatch<V, 2> v"),
        ("", "OutputPatch<P, 3> v"),
        ("", "uint i"),
        ("", "uniform float f"),
    ] {
        assert!(!fits(parameters, constants), "{parameters}; {constants}");
    }
}

#[test]
fn domain_shaders_take_one_output_patch() {
    let domain = |parameters: &str| {
        let text = format!(
            "struct V {{ float4 a : A; }}; [domain(\"tri\")] float4 main({parameters}) : SV_Position {{ return 0; }}"
        );
        faults(&text, "ds_5_0").is_empty()
    };
    assert!(domain("OutputPatch<V, 32> v"));
    assert!(!domain("OutputPatch<V, 33> v"));
    assert!(!domain("InputPatch<V, 3> v"));
    assert!(!domain("OutputPatch<V, 3> v, OutputPatch<V, 3> w"));
}

#[test]
fn shared_arrays_have_an_element_per_thread_before_model_5() {
    let shares = |variable: &str, element: &str, profile: &str| {
        let text = format!(
            "RWStructuredBuffer<uint> o; groupshared uint {variable};
             [numthreads(4, 2, 1)] void main(uint i : SV_GroupIndex) {{ {element} = i; o[i] = {element}; }}"
        );
        faults(&text, profile).is_empty()
    };
    assert!(shares("a[8]", "a[i]", "cs_4_0"));
    assert!(!shares("a[7]", "a[i]", "cs_4_1"));
    assert!(!shares("a", "a", "cs_4_0"));
    assert!(shares("a", "a", "cs_5_0"));
}

#[test]
fn only_parameters_are_primitives() {
    for text in ["line float a[2];", "struct S { line float a[2]; };"] {
        let text = format!("{text} float4 main() : SV_TARGET {{ return 0; }}");
        let errors =
            compile(&text, "a", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()).unwrap_err();
        assert!(errors.errors().all(|error| error.code == Code::InvalidModifier), "{errors}");
    }
}

#[test]
fn a_sampler_reads_textures_of_one_dimension() {
    let reads = |calls: &str| {
        let text = format!("sampler s[2]; float4 main() : SV_TARGET {{ return {calls}; }}");
        let options = CompileOptions { backwards_compatible: true, ..CompileOptions::default() };
        let errors = compile(&text, "a", "main", "ps_4_0".parse().unwrap(), &options).err();
        errors.is_none_or(|errors| errors.errors().all(|error| error.code != Code::TypeMismatch))
    };
    assert!(reads("tex2D(s[0], 0) + tex1D(s[1], 0)"));
    assert!(!reads("tex2D(s[0], 0) + tex3D(s[1], 0)"));
}

#[test]
fn threads_store_to_their_own_shared_element_before_model_5() {
    let stores = |index: &str, threads: u32, profile: &str| {
        let text = format!(
            "groupshared float a[8]; RWByteAddressBuffer o : register(u0);
             [numthreads({threads}, 1, 1)] void main(uint i : SV_GroupIndex) {{ a[{index}] = 1; o.Store(0, a[1]); }}"
        );
        faults(&text, profile).is_empty()
    };
    assert!(stores("i", 8, "cs_4_0"));
    assert!(!stores("0", 8, "cs_4_0"));
    assert!(stores("0", 1, "cs_4_0"));
    assert!(stores("0", 8, "cs_5_0"));
}
