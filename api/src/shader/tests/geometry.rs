//! Tests of the programs of geometry shaders.

use onze_ddi::{GeometryProgram, InputPrimitive, ShaderCode, ShaderProgram, ShaderStage, StreamTopology};

use crate::shader::{ShaderError, ShaderSource, compile};

fn geometry(text: &str) -> (ShaderCode, GeometryProgram) {
    let code = compile(ShaderSource::hlsl(text, "main"), ShaderStage::Geometry).unwrap();
    let ShaderProgram::Geometry(program) = code.program.clone() else { panic!("{:?}", code.program) };
    (code, program)
}

#[test]
fn the_program_names_the_functions_of_the_module() {
    let text = "
        struct V { float4 a : A; float3 b : B; float4 p : SV_Position; };
        struct O { float4 p : SV_Position; float2 c : C; uint d : D; };
        struct Q { float4 e : E; };
        cbuffer Sizes : register(b3) { float size; };
        [instance(4)] [maxvertexcount(6)]
        void main(point V v[1], inout PointStream<O> first, inout PointStream<Q> second, inout PointStream<Q> third) {
            O o = { v[0].p * size, v[0].b.xy, 7 };
            first.Append(o);
            first.RestartStrip();
            Q q = { v[0].p };
            third.Append(q);
        }";
    let (code, program) = geometry(text);
    let name = |function: Option<naga::Handle<naga::Function>>| {
        function.map(|function| code.module.functions[function].name.as_deref().unwrap())
    };
    assert_eq!((program.name.as_str(), code.program.name()), ("main", "main"));
    assert_eq!(
        (program.input, program.max_vertex_count, program.instance_count),
        (InputPrimitive::Point, 6, 4)
    );
    assert_eq!(name(Some(program.function)), Some("onze.geometry"));
    assert_eq!(name(program.vertex), Some("onze.vertex"));
    let streams = program.streams.iter().map(|stream| {
        assert_eq!(stream.topology, StreamTopology::Points);
        (name(stream.append), name(stream.restart), stream.has_position)
    });
    let expected = [
        (Some("onze.append0"), Some("onze.restart0"), true),
        (None, None, false),
        (Some("onze.append2"), None, false),
    ];
    assert_eq!(streams.collect::<Vec<_>>(), expected);
    let reflection = &code.reflection;
    assert_eq!((reflection.stage, reflection.workgroup_size), (ShaderStage::Geometry, [0; 3]));
    assert_eq!(reflection.constant_buffers[0].slot, 3);
    // Only the elements that the shader reads are inputs, and only the first stream has outputs.
    let inputs: Vec<_> = reflection.inputs.iter().map(|input| (input.location, input.components)).collect();
    let outputs: Vec<_> =
        reflection.outputs.iter().map(|output| (output.location, output.components)).collect();
    assert_eq!((&inputs[..], &outputs[..]), (&[(1, 2)][..], &[(1, 2), (2, 1)][..]));
}

#[test]
fn every_primitive_and_topology_is_converted() {
    let inputs = [
        ("point V v[1]", InputPrimitive::Point),
        ("line V v[2]", InputPrimitive::Line),
        ("triangle V v[3]", InputPrimitive::Triangle),
        ("lineadj V v[4]", InputPrimitive::LineAdjacency),
        ("triangleadj V v[6]", InputPrimitive::TriangleAdjacency),
        ("InputPatch<V, 9> v", InputPrimitive::Patch(9)),
    ];
    let streams = [
        ("PointStream", StreamTopology::Points),
        ("LineStream", StreamTopology::LineStrips),
        ("TriangleStream", StreamTopology::TriangleStrips),
    ];
    for ((input, primitive), (stream, topology)) in inputs.into_iter().flat_map(|a| streams.map(|b| (a, b))) {
        let text = format!(
            "struct V {{ float4 p : SV_Position; }};
             [maxvertexcount(1)] void main({input}, inout {stream}<V> s) {{ s.Append(v[0]); }}"
        );
        let (_, program) = geometry(&text);
        assert_eq!((program.input, program.streams[0].topology), (primitive, topology), "{text}");
    }
}

#[test]
fn a_compute_shader_is_no_geometry_shader() {
    let wgsl = ShaderSource::wgsl("@compute @workgroup_size(1) fn main() {}", "main");
    let error = compile(wgsl, ShaderStage::Geometry).unwrap_err();
    assert_eq!(error, ShaderError::NoSuchStage { stage: "geometry" });
}
