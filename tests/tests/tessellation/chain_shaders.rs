//! The shaders of random draws of patches. Everything that reaches them changes their results.

use onze::prelude::*;
use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::chains::Chain;

const COMMON: &str = "
    uint mix(uint a, uint b) { uint mixed = (a ^ b) * 0x9e3779b1; return mixed ^ (mixed >> 15); }
    struct V { nointerpolation uint key : KEY; };
    struct P { uint key : KEY; float2 pair : PAIR; uint number : NUMBER; };";

/// The pixel shaders, and those that draw expected primitives.
const OTHERS: &str = "
    struct O { float4 position : SV_Position; nointerpolation uint color : COLOR; float shade : SHADE; };
    struct E { O o; nointerpolation uint number : NUMBER; };
    E vs_expected(float4 position : POSITION, uint color : COLOR, float shade : SHADE, uint number : NUMBER) {
        E e = { { position, color, shade }, number };
        return e;
    }
    uint result(O o, uint number) { return (o.color ^ asuint(o.shade)) + 77 * number; }
    uint ps_plain(O o) : SV_Target { return result(o, 3); }
    uint ps_number(O o, uint number : SV_PrimitiveID) : SV_Target { return result(o, number); }
    uint ps_expected_plain(E e) : SV_Target { return result(e.o, 3); }
    uint ps_expected_number(E e) : SV_Target { return result(e.o, e.number); }";

/// Returns the attributes of a hull shader.
pub(crate) fn attributes(chain: &Chain) -> String {
    let domain = domain_name(chain);
    let partitioning = match chain.partitioning {
        TessellatorPartitioning::Integer => "integer",
        TessellatorPartitioning::Pow2 => "pow2",
        TessellatorPartitioning::FractionalOdd => "fractional_odd",
        TessellatorPartitioning::FractionalEven => "fractional_even",
    };
    let output = match chain.output {
        TessellatorOutput::Point => "point",
        TessellatorOutput::Line => "line",
        TessellatorOutput::TriangleCw => "triangle_cw",
        TessellatorOutput::TriangleCcw => "triangle_ccw",
    };
    let most = chain.max_factor.map_or(String::new(), |most| format!("[maxtessfactor({most:.1})]"));
    format!(
        "[domain(\"{domain}\")] [partitioning(\"{partitioning}\")] [outputtopology(\"{output}\")]
        [outputcontrolpoints({})] [patchconstantfunc(\"constants\")] {most}",
        chain.outputs
    )
}

fn domain_name(chain: &Chain) -> &'static str {
    match chain.domain {
        TessellatorDomain::Isoline => "isoline",
        TessellatorDomain::Triangle => "tri",
        TessellatorDomain::Quad => "quad",
    }
}

/// Returns the structure of patch constants.
fn constants(chain: &Chain) -> String {
    let edges = chain.domain.edge_factors();
    let inside = match chain.domain.inside_factors() {
        0 => String::new(),
        count => format!("float inside[{count}] : SV_InsideTessFactor;"),
    };
    format!(
        "struct C {{ uint hash : HASH; float edges[{edges}] : SV_TessFactor; float3 three : THREE; {inside} }};"
    )
}

fn hull(chain: &Chain) -> String {
    let Chain { inputs, outputs, passes_through, reads_numbers, .. } = *chain;
    let (parameter, number) = match reads_numbers {
        true => (", uint patch : SV_PrimitiveID", "uint number = patch;"),
        false => ("", "uint number = 7;"),
    };
    let point = if passes_through { "V" } else { "P" };
    let points = match outputs {
        0 => String::new(),
        count => format!(", const OutputPatch<{point}, {count}> points"),
    };
    let mut text = String::new();
    for k in 0..outputs {
        let other = if passes_through { "0".to_owned() } else { format!("points[{k}].number") };
        text += &format!("hash = mix(mix(hash, points[{k}].key), {other});\n");
    }
    for k in 0..chain.domain.edge_factors() {
        text += &format!("c.edges[{k}] = factors[(first + {}) % 32];\n", 5 * k);
    }
    for k in 0..chain.domain.inside_factors() {
        text += &format!("c.inside[{k}] = factors[(first + {}) % 32];\n", 21 + k);
    }
    let main = if passes_through || outputs == 0 {
        format!("void hs_main(InputPatch<V, {inputs}> v) {{}}")
    } else {
        format!(
            "P hs_main(InputPatch<V, {inputs}> v, uint i : SV_OutputControlPointID{parameter}) {{
                {number}
                P p;
                p.key = mix(mix(v[i % {inputs}].key, v[(i * 7 + 3) % {inputs}].key), mix(i, number));
                p.pair = float2(p.key & 0xffff, i);
                p.number = i + number;
                return p;
            }}"
        )
    };
    format!(
        "cbuffer Constants : register(b0) {{ uint seed; uint of_patch; }}
        StructuredBuffer<float> factors : register(t0);
        C constants(InputPatch<V, {inputs}> v{points}{parameter}) {{
            {number}
            uint hash = mix(seed, number);
            for (uint k = 0; k < {inputs}; k++) hash = mix(hash, v[k].key);
            C c;
            uint first = 0;
            {text}
            c.hash = hash;
            c.three = float3(hash & 0xffff, number, {inputs});
            return c;
        }}
        {} {main}",
        attributes(chain)
    )
    // The factors depend on the complete hash.
    .replacen("c.edges[0]", "if (of_patch != 0) first = hash; c.edges[0]", 1)
}

fn domain(chain: &Chain) -> String {
    let Chain { outputs, passes_through, reads_numbers, .. } = *chain;
    let (parameter, number) = match reads_numbers {
        true => (", uint patch : SV_PrimitiveID", "uint number = patch;"),
        false => ("", "uint number = 7;"),
    };
    let point = if passes_through { "V" } else { "P" };
    let (points, read) = match outputs {
        0 => (String::new(), String::new()),
        count => (
            format!(", const OutputPatch<{point}, {count}> points"),
            format!("key = mix(key, points[(u + 3 * v) % {count}].key);"),
        ),
    };
    let checks = match outputs {
        0 => "",
        _ if passes_through => "",
        _ => {
            "if (points[0].pair.x != float(points[0].key & 0xffff)) key += 1;
            if (points[0].number != number) key += 2;"
        }
    };
    let (location, w) = match chain.domain {
        TessellatorDomain::Triangle => ("float3", "uint w = uint(int(uvw.z * 65536));"),
        _ => ("float2", "uint w = 0;"),
    };
    let mut factors = String::new();
    for k in 0..chain.domain.edge_factors() {
        factors += &format!("key = mix(key, asuint(c.edges[{k}]));\n");
    }
    for k in 0..chain.domain.inside_factors() {
        factors += &format!("key = mix(key, c.inside[{k}] >= 0 ? asuint(c.inside[{k}]) : 5);\n");
    }
    let output = if chain.geometry.is_some() {
        "struct D { nointerpolation uint key : KEY; uint4 data : DATA; };"
    } else {
        "struct D {
            float4 position : SV_Position; nointerpolation uint color : COLOR; float shade : SHADE;
            nointerpolation uint4 data : DATA;
        };"
    };
    let set = if chain.geometry.is_some() {
        "d.key = key;"
    } else {
        "d.position = float4(place(u, c.hash), place(v, c.hash >> 4), (key >> 17) % 9 / 8.0, 1);
        d.color = key;
        d.shade = key >> 24;"
    };
    format!(
        "{output}
        cbuffer Constants : register(b0) {{ uint seed; }}
        float place(uint at, uint hash) {{
            return float(int(at) - 32768) / 32768.0 + float(int(hash % 9) - 4) / 8.0;
        }}
        [domain(\"{}\")] D ds_main(C c, {location} uvw : SV_DomainLocation{points}{parameter}) {{
            {number}
            uint u = uint(uvw.x * 65536);
            uint v = uint(uvw.y * 65536);
            {w}
            uint key = mix(mix(mix(c.hash, u), mix(v, w)), mix(seed, number));
            {read}
            {factors}
            {checks}
            if (c.three.x != float(c.hash & 0xffff)) key += 4;
            if (c.three.y != float(number)) key += 8;
            D d;
            d.data = uint4(u, v, w, number);
            {set}
            return d;
        }}",
        domain_name(chain)
    )
}

/// The shaders of a chain, without the vertex shader.
pub(crate) struct ChainShaders {
    pub(crate) hs: HullShader,
    pub(crate) ds: DomainShader,
    pub(crate) gs: Option<GeometryShader>,
}

impl ChainShaders {
    pub(crate) fn new(device: &Device, chain: &Chain) -> Self {
        let text = format!("{COMMON} {} {}", constants(chain), hull(chain));
        let hs = device.create_hull_shader(ShaderSource::hlsl(text.as_str(), "hs_main"));
        let hs = hs.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let text = format!("{COMMON} {} {}", constants(chain), domain(chain));
        let ds = device.create_domain_shader(ShaderSource::hlsl(text.as_str(), "ds_main"));
        let ds = ds.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let gs = chain.geometry.as_ref().map(|program| crate::geometry::shaders::create(device, program));
        Self { hs, ds, gs }
    }
}

/// The shaders of all chains of a device.
pub(crate) struct OtherShaders {
    pub(crate) vertex: crate::geometry::shaders::Shaders,
    /// The pixel shaders without and with the number of the primitive, for chains and for expected primitives.
    pub(crate) ps: [PixelShader; 2],
    pub(crate) expected_ps: [PixelShader; 2],
    pub(crate) expected_vs: VertexShader,
    pub(crate) expected_layout: InputLayout,
}

impl OtherShaders {
    pub(crate) fn new(device: &Device) -> Self {
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(OTHERS, name)).unwrap();
        let expected_vs = device.create_vertex_shader(ShaderSource::hlsl(OTHERS, "vs_expected")).unwrap();
        let layout = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R32_UINT),
            InputElementDesc::new("SHADE", 0, Format::R32_FLOAT),
            InputElementDesc::new("NUMBER", 0, Format::R32_UINT),
        ];
        Self {
            vertex: crate::geometry::shaders::Shaders::new(device),
            ps: ["ps_plain", "ps_number"].map(pixel),
            expected_ps: ["ps_expected_plain", "ps_expected_number"].map(pixel),
            expected_layout: device.create_input_layout(&layout, &expected_vs).unwrap(),
            expected_vs,
        }
    }
}
