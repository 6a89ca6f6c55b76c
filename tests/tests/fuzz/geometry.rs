//! Geometry shaders of random programs, and draws with them.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, keep, maybe};

/// The primitives of a shader, and its source.
pub(crate) struct Source {
    input: InputPrimitive,
    max_vertex_count: u32,
    stream: StreamTopology,
    text: &'static str,
}

/// Geometry shaders with different inputs, streams and resources. Vertex shaders of random programs have all of their
/// inputs.
pub(crate) const SOURCES: &[Source] = &[
    Source {
        input: InputPrimitive::Point,
        max_vertex_count: 4,
        stream: StreamTopology::TriangleStrips,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
            fn append0(vertex: O) {}
            fn main(v: array<V, 1>, primitive: u32) {
                for (var k = 0u; k < 4u; k++) {
                    let uv = vec2f(f32(k & 1u), f32(k >> 1u));
                    append0(O(v[0].at + vec4f(uv * 0.5, 0.0, 0.0), vec4f(uv, f32(primitive), 1.0), uv));
                }
            }",
    },
    Source {
        input: InputPrimitive::Triangle,
        max_vertex_count: 6,
        stream: StreamTopology::TriangleStrips,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct O {
                @builtin(position) at: vec4f,
                @location(0) color: vec4f,
                @location(2) @interpolate(flat) layer: u32,
                @location(3) @interpolate(flat) viewport: u32,
                @location(4) cull_distances: vec2f,
            }
            struct Block { numbers: vec4f }
            @group(0) @binding(1) var<uniform> block: Block;
            fn append0(vertex: O) {}
            fn restart0() {}
            fn main(v: array<V, 3>, primitive: u32, instance: u32) {
                for (var k = 0u; k < 6u; k++) {
                    if k == 3u { restart0(); }
                    let at = v[k % 3u].at;
                    append0(O(at, block.numbers, primitive + k / 3u, primitive % 20u, at.xy + block.numbers.xy));
                }
            }",
    },
    Source {
        input: InputPrimitive::LineAdjacency,
        max_vertex_count: 8,
        stream: StreamTopology::LineStrips,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
            @group(1) @binding(1) var image: texture_2d<f32>;
            @group(1) @binding(2) var<storage> words: array<u32>;
            fn append0(vertex: O) {}
            fn restart0() {}
            fn main(v: array<V, 4>, primitive: u32) {
                for (var k = 0u; k < 4u + primitive % 6u; k++) {
                    let word = words[k % max(arrayLength(&words), 1u)];
                    if word % 3u == 1u { restart0(); }
                    append0(O(v[k % 4u].at, textureLoad(image, vec2u(k, word % 4u), 0), v[0].at.xy));
                }
            }",
    },
    Source {
        input: InputPrimitive::Line,
        max_vertex_count: 3,
        stream: StreamTopology::LineStrips,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
            fn append0(vertex: O) {}
            fn main(v: array<V, 2>) {
                for (var k = 0u; k < 3u; k++) { append0(O(v[k % 2u].at, v[0].at, v[1].at.xy)); }
            }",
    },
    Source {
        input: InputPrimitive::Patch(3),
        max_vertex_count: 3,
        stream: StreamTopology::Points,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f }
            fn append0(vertex: O) {}
            fn main(v: array<V, 3>) {
                for (var k = 0u; k < 3u; k++) { append0(O(v[k].at, vec4f(1.0))); }
            }",
    },
];

/// Creates a geometry shader.
pub(crate) fn create(device: &Device, source: &Source) -> Result<GeometryShader, Error> {
    let streams = [source.stream];
    let desc = GeometryShaderDesc::new(source.input, source.max_vertex_count, &streams);
    device.create_geometry_shader(ShaderSource::wgsl_geometry(source.text, "main", &desc))
}

impl World {
    pub(crate) fn create_geometry_shader(&mut self, r: &mut Random) {
        let source = r.pick(SOURCES);
        self.say(format_args!("geometry shader {:?}", source.input));
        let made = create(&self.maker(r), source).ok();
        keep(r, &mut self.geometry, made.map(|shader| (shader, source.input)));
    }
}

/// Binds a geometry shader with resources and returns the shader. Most draws have none. It usually fits the primitives
/// of the tessellator, or, without a hull shader, a topology that it binds.
pub(crate) fn bind(
    w: &World,
    r: &mut Random,
    cx: &mut DeviceContext,
    tessellated: Option<InputPrimitive>,
) -> Option<GeometryShader> {
    use PrimitiveTopology as T;
    let fits =
        |(_, input): &&(GeometryShader, InputPrimitive)| tessellated.is_none_or(|other| other == *input);
    let pool: Vec<_> = w.geometry.iter().filter(fits).collect();
    let often = if tessellated.is_some() { 3 } else { 6 };
    let (shader, input) = any(r, &pool).filter(|_| r.one_in(often)).map(|found| (*found).clone()).unzip();
    w.say(format_args!("geometry {input:?}"));
    cx.gs_set_shader(shader.as_ref());
    let input = input?;
    cx.gs_set_shader_resources(1, maybe(r, &w.resources));
    cx.gs_set_shader_resources(2, maybe(r, &w.resources));
    if let Some(buffer) = maybe(r, &w.buffers) {
        cx.gs_set_constant_buffers(1, buffer);
    }
    let fitting: Vec<_> =
        (1..=64).filter_map(T::from_u32).filter(|topology| input.accepts(*topology)).collect();
    if tessellated.is_none() && !r.one_in(10) {
        cx.ia_set_primitive_topology(*r.pick(&fitting));
    }
    shader
}
