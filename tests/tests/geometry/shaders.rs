//! The shaders of random draws. Everything that reaches them changes what the geometry shader appends.

use onze::{InputPrimitive, StreamTopology, prelude::*};

use super::model::Program;

/// The functions and types of all shaders.
const COMMON: &str = "
    uint mix(uint a, uint b) { uint mixed = (a ^ b) * 0x9e3779b1; return mixed ^ (mixed >> 15); }
    struct V { nointerpolation uint key : KEY; };";

/// The vertex shaders, whose results depend on all their inputs.
const VERTEX: &str = "
    V vs_plain(uint2 element : ELEMENT, uint each : EACH) {
        V v;
        v.key = mix(mix(element.x, element.y), each);
        return v;
    }
    V vs_main(uint2 element : ELEMENT, uint each : EACH, uint vertex : SV_VertexID, uint instance : SV_InstanceID) {
        V v;
        v.key = mix(mix(mix(mix(element.x, element.y), each), vertex), instance);
        return v;
    }";

/// The pixel shader, and the vertex shader that draws expected primitives.
const OTHERS: &str = "
    struct O { float4 position : SV_Position; nointerpolation uint color : COLOR; float shade : SHADE; };
    O vs_expected(float4 position : POSITION, uint color : COLOR, float shade : SHADE) {
        O o = { position, color, shade };
        return o;
    }
    uint ps_main(O o) : SV_Target { return o.color ^ asuint(o.shade); }";

/// Returns the source of a geometry shader.
pub(crate) fn source(program: &Program) -> String {
    let Program { input, stream, max_vertex_count, instance_count, reads_numbers, cuts } = *program;
    let (parameter, mix_primitive) = match reads_numbers {
        true => ("uint primitive : SV_PrimitiveID, ", "hash = mix(hash, primitive);"),
        false => ("", ""),
    };
    let vertices = input.vertex_count();
    let input = match input {
        InputPrimitive::Point => "point V v[1]".to_owned(),
        InputPrimitive::Line => "line V v[2]".to_owned(),
        InputPrimitive::Triangle => "triangle V v[3]".to_owned(),
        InputPrimitive::LineAdjacency => "lineadj V v[4]".to_owned(),
        InputPrimitive::TriangleAdjacency => "triangleadj V v[6]".to_owned(),
        InputPrimitive::Patch(points) => format!("InputPatch<V, {points}> v"),
    };
    let stream = match stream {
        StreamTopology::Points => "PointStream",
        StreamTopology::LineStrips => "LineStream",
        StreamTopology::TriangleStrips => "TriangleStream",
    };
    let restart = if cuts { "if (h % 5 == 0) to.RestartStrip();" } else { "" };
    format!(
        "{COMMON} {OTHERS}
        cbuffer Constants : register(b0) {{ uint seed; }}
        StructuredBuffer<uint> table : register(t0);
        [maxvertexcount({max_vertex_count})] [instance({instance_count})]
        void main({input}, {parameter}uint instance : SV_GSInstanceID,
                  inout {stream}<O> to) {{
            uint hash = seed;
            for (uint k = 0; k < {vertices}; k++) hash = mix(hash, v[k].key);
            {mix_primitive}
            hash = mix(hash, instance);
            uint count = hash % ({max_vertex_count} + 3);
            [loop] for (uint number = 0; number < count; number++) {{
                uint h = mix(hash, number);
                {restart}
                O o;
                o.position = float4((h >> 3) % 17 / 8.0 - 1, (h >> 9) % 17 / 8.0 - 1, (h >> 17) % 9 / 8.0, 1);
                o.color = mix(h, table[h % 16]);
                o.shade = h >> 24;
                to.Append(o);
            }}
        }}"
    )
}

/// The step rates of the element for each instance.
pub(crate) const STEP_RATES: [u32; 3] = [0, 1, 2];

/// The shaders and input layouts of random draws.
pub(crate) struct Shaders {
    /// The vertex shaders that read no numbers, and those that do.
    pub(crate) vs: [VertexShader; 2],
    pub(crate) ps: PixelShader,
    /// The layout for each of the [`STEP_RATES`].
    pub(crate) layouts: [InputLayout; 3],
    pub(crate) expected: VertexShader,
    pub(crate) expected_layout: InputLayout,
}

impl Shaders {
    pub(crate) fn new(device: &Device) -> Self {
        let text = format!("{COMMON} {VERTEX}");
        let vs = ["vs_plain", "vs_main"]
            .map(|name| device.create_vertex_shader(ShaderSource::hlsl(text.as_str(), name)).unwrap());
        let layouts = STEP_RATES.map(|rate| {
            let layout = [
                InputElementDesc::new("ELEMENT", 0, Format::R32G32_UINT),
                InputElementDesc::new("EACH", 0, Format::R32_UINT).slot(1).step_rate(rate),
            ];
            device.create_input_layout(&layout, &vs[0]).unwrap()
        });
        let expected = device.create_vertex_shader(ShaderSource::hlsl(OTHERS, "vs_expected")).unwrap();
        let expected_layout = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R32_UINT),
            InputElementDesc::new("SHADE", 0, Format::R32_FLOAT),
        ];
        Self {
            layouts,
            expected_layout: device.create_input_layout(&expected_layout, &expected).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::hlsl(OTHERS, "ps_main")).unwrap(),
            vs,
            expected,
        }
    }
}

/// Creates the geometry shader of a program.
pub(crate) fn create(device: &Device, program: &Program) -> GeometryShader {
    let text = source(program);
    device.create_geometry_shader(ShaderSource::hlsl(text.as_str(), "main")).unwrap()
}
