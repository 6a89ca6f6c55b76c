//! Hull and domain shaders of random programs, and draws with them.

use onze::*;
use onze_tests::Random;

use crate::world::{World, any, bindable, keep, maybe};

/// Shaders that fit each other. The patch-constant function is `constants`, that of the domain shader `main`.
pub(crate) struct Source {
    hull: HullShaderDesc<'static>,
    /// The corners of the primitives that a geometry shader after the domain shader reads.
    corners: InputPrimitive,
    text: &'static str,
}

use TessellatorDomain::{Isoline, Quad, Triangle};
use TessellatorOutput as Output;
use TessellatorPartitioning as Partitioning;

/// Pairs of shaders with different domains, outputs, control points and resources. All read only the position of
/// vertices, which all vertex shaders of random programs have. Factors are small, because a draw takes time for each
/// triangle.
pub(crate) const SOURCES: &[Source] = &[
    // Some factors of the buffer cull the patch. The control points pass through.
    Source {
        hull: HullShaderDesc::new(Quad, 4).with_output(Output::TriangleCcw).with_max_tess_factor(4.0),
        corners: InputPrimitive::Triangle,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct C { tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>, @location(0) color: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
            @group(1) @binding(1) var<storage> factors: array<f32>;
            fn factor(n: u32) -> f32 { return factors[n % max(arrayLength(&factors), 1u)]; }
            fn constants(v: array<V, 4>, patch_id: u32) -> C {
                let n = patch_id * 3u;
                let edges = array(factor(n), factor(n + 1u), factor(n + 2u), factor(n + 3u));
                return C(edges, array(factor(n + 4u), factor(n + 5u)), v[0].at + v[3].at);
            }
            fn main(c: C, v: array<V, 4>, uv: vec3f) -> O {
                let low = mix(v[0].at, v[1].at, uv.x);
                let high = mix(v[2].at, v[3].at, uv.x);
                return O(mix(low, high, uv.y), c.color, uv.xy);
            }",
    },
    // The domain shader selects slices and viewports and culls.
    Source {
        hull: HullShaderDesc::new(Triangle, 3)
            .with_control_points("points", 3)
            .with_partitioning(Partitioning::FractionalOdd)
            .with_max_tess_factor(5.0),
        corners: InputPrimitive::Triangle,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct P { @location(0) at: vec4f, @location(3) number: u32 }
            struct C { tess_factor: array<f32, 3>, inside_tess_factor: f32 }
            struct O {
                @builtin(position) at: vec4f,
                @location(0) color: vec4f,
                @location(2) @interpolate(flat) layer: u32,
                @location(3) @interpolate(flat) viewport: u32,
                @location(4) cull_distances: vec2f,
            }
            struct Block { numbers: vec4f }
            @group(0) @binding(1) var<uniform> block: Block;
            fn points(v: array<V, 3>, point: u32, patch_id: u32) -> P {
                return P(v[(point + 1u) % 3u].at, patch_id + point);
            }
            fn constants(v: array<V, 3>, points: array<P, 3>) -> C {
                let number = f32(points[1].number % 5u) + block.numbers.x;
                return C(array(number, 2.5, number * 0.5), block.numbers.y + 2.0);
            }
            fn main(points: array<P, 3>, uvw: vec3f, patch_id: u32) -> O {
                let at = points[0].at * uvw.x + points[1].at * uvw.y + points[2].at * uvw.z;
                return O(at, block.numbers, patch_id % 3u, patch_id % 20u, at.xy + block.numbers.zw);
            }",
    },
    Source {
        hull: HullShaderDesc::new(Isoline, 2)
            .with_control_points("points", 4)
            .with_partitioning(Partitioning::FractionalEven)
            .with_max_tess_factor(6.0),
        corners: InputPrimitive::Line,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct P { @builtin(position) at: vec4f, @location(1) uv: vec2f }
            struct C { tess_factor: array<f32, 2>, @location(5) more: vec3f, @location(7) number: u32 }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
            @group(1) @binding(1) var<storage> factors: array<f32>;
            @group(1) @binding(2) var image: texture_2d<f32>;
            @group(2) @binding(0) var linear: sampler;
            fn points(v: array<V, 2>, point: u32) -> P {
                let texel = textureSampleLevel(image, linear, vec2f(f32(point) * 0.25), 0.0);
                return P(v[point % 2u].at + texel * 0.1, texel.xy);
            }
            fn constants(points: array<P, 4>, patch_id: u32) -> C {
                let first = factors[patch_id % max(arrayLength(&factors), 1u)];
                return C(array(first, points[2].uv.x + 3.0), points[1].at.xyz, patch_id);
            }
            fn main(c: C, points: array<P, 4>, uv: vec3f) -> O {
                let texel = textureSampleLevel(image, linear, uv.xy, 0.0);
                let at = mix(points[c.number % 4u].at, points[3].at, uv.x);
                return O(at + vec4f(0.0, uv.y, 0.0, 0.0), texel + vec4f(c.more, 1.0), points[0].uv);
            }",
    },
    // The domain shader reads no control points, so it fits the first hull shader as well.
    Source {
        hull: {
            let mut desc = HullShaderDesc::new(Quad, 1);
            desc.output_control_points = 0;
            desc.with_output(Output::Point).with_max_tess_factor(3.0)
        },
        corners: InputPrimitive::Point,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct C { tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>, @location(0) color: vec4f }
            struct O { @builtin(position) at: vec4f, @location(0) color: vec4f }
            fn constants(v: array<V, 1>) -> C {
                let at = v[0].at;
                return C(array(2.0, at.x * 4.0, 1.0, 3.0), array(at.y + 2.0, 2.0), at);
            }
            fn main(c: C, uv: vec3f) -> O { return O(vec4f(uv.xy * 2.0 - 1.0, 0.5, 1.0), c.color); }",
    },
    Source {
        hull: HullShaderDesc::new(Triangle, 7)
            .with_control_points("points", 32)
            .with_partitioning(Partitioning::Pow2)
            .with_max_tess_factor(3.0),
        corners: InputPrimitive::Triangle,
        text: "
            struct V { @builtin(position) at: vec4f }
            struct P { @location(0) at: vec4f, @location(1) whole: vec4u, @location(30) last: vec3i }
            struct C { tess_factor: array<f32, 3>, inside_tess_factor: f32, @location(20) id: vec2u }
            struct O { @builtin(position) at: vec4f, @location(0) @interpolate(flat) id: vec2u }
            @group(1) @binding(1) var<storage> factors: array<f32>;
            fn points(v: array<V, 7>, point: u32, patch_id: u32) -> P {
                return P(v[point % 7u].at, vec4u(point), vec3i(i32(patch_id)));
            }
            fn constants(v: array<V, 7>, points: array<P, 32>, patch_id: u32) -> C {
                let count = max(arrayLength(&factors), 1u);
                let n = points[patch_id % 32u].whole.x;
                return C(array(factors[n % count], 2.0, 3.0), factors[(n + 1u) % count], points[31].whole.xy);
            }
            fn main(c: C, points: array<P, 32>, uvw: vec3f, patch_id: u32) -> O {
                let at = points[0].at * uvw.x + points[1].at * uvw.y + points[patch_id % 7u].at * uvw.z;
                return O(at, c.id + vec2u(points[30].whole.x, patch_id));
            }",
    },
    Source {
        hull: HullShaderDesc::new(Triangle, 3).with_max_tess_factor(2.0),
        corners: InputPrimitive::Triangle,
        text: "
            enable clip_distances;
            struct V { @builtin(position) at: vec4f }
            struct C { tess_factor: array<f32, 3>, inside_tess_factor: f32 }
            struct O { @builtin(position) at: vec4f, @builtin(clip_distances) clip: array<f32, 2> }
            fn constants(v: array<V, 3>) -> C { return C(array(1.0, 2.0, 2.0), v[1].at.w); }
            fn main(c: C, v: array<V, 3>, uvw: vec3f) -> O {
                let at = v[0].at * uvw.x + v[1].at * uvw.y + v[2].at * uvw.z;
                return O(at, array(at.x, c.inside_tess_factor - 1.5));
            }",
    },
];

pub(crate) fn create_hull_shader(device: &Device, source: &Source) -> Result<HullShader, Error> {
    device.create_hull_shader(ShaderSource::wgsl_hull(source.text, "constants", &source.hull))
}

pub(crate) fn create_domain_shader(device: &Device, source: &Source) -> Result<DomainShader, Error> {
    device.create_domain_shader(ShaderSource::wgsl_domain(source.text, "main", source.hull.domain))
}

/// Hull and domain shaders, each with its source.
#[derive(Clone, Default)]
pub(crate) struct Tessellation {
    pub(crate) hull: Vec<(HullShader, &'static Source)>,
    pub(crate) domain: Vec<(DomainShader, &'static Source)>,
    /// Views of buffers of tessellation factors.
    factors: Vec<ShaderResourceView>,
}

impl World {
    pub(crate) fn populate_tessellation(&mut self, r: &mut Random) {
        for source in SOURCES {
            let (hull, domain) =
                (create_hull_shader(&self.device, source), create_domain_shader(&self.device, source));
            self.patches.hull.extend(hull.ok().map(|shader| (shader, source)));
            self.patches.domain.extend(domain.ok().map(|shader| (shader, source)));
        }
        let culled = [0.0, -1.0, f32::NAN, 1e-7, 0.5, 1.0, 2.5, 4.0, 100.0, f32::INFINITY];
        for factors in [&culled[4..8], &culled] {
            let contents: Vec<f32> = (0..16).map(|_| *r.pick(factors)).collect();
            let desc = BufferDesc::structured(4, 16, BindFlags::SHADER_RESOURCE);
            let Ok(buffer) = self.device.create_buffer(&desc, Some(bytemuck::cast_slice(&contents))) else {
                continue;
            };
            self.patches.factors.extend(self.device.create_shader_resource_view(&buffer, None).ok());
            // Commands also write to the factors.
            self.buffers.push(buffer);
        }
    }

    pub(crate) fn create_tessellation_shader(&mut self, r: &mut Random) {
        let source = r.pick(SOURCES);
        let device = self.maker(r);
        if r.one_in(2) {
            self.say(format_args!("hull shader {:?}", source.hull));
            let made = create_hull_shader(&device, source).ok();
            keep(r, &mut self.patches.hull, made.map(|shader| (shader, source)));
        } else {
            self.say(format_args!("domain shader {:?}", source.hull.domain));
            let made = create_domain_shader(&device, source).ok();
            keep(r, &mut self.patches.domain, made.map(|shader| (shader, source)));
        }
    }
}

/// Binds a hull and a domain shader with resources and a topology, which usually fit. Returns the domain shader and the
/// primitives that a geometry shader after it reads. Most draws have none.
pub(crate) fn bind(
    w: &World,
    r: &mut Random,
    cx: &mut DeviceContext,
) -> Option<(DomainShader, InputPrimitive)> {
    let (hull, source) = any(r, &w.patches.hull).filter(|_| r.one_in(5)).cloned().unzip();
    let fits = |(_, of): &&(DomainShader, &'static Source)| {
        source.is_some_and(|source: &Source| {
            std::ptr::eq(source, *of)
                || of.hull.domain == source.hull.domain && of.corners == InputPrimitive::Point
        })
    };
    let fitting: Vec<_> = w.patches.domain.iter().filter(fits).collect();
    let domain = if r.one_in(30) { any(r, &w.patches.domain) } else { any(r, &fitting).copied() };
    w.say(format_args!("tessellation {:?}", source.map(|source| source.hull)));
    cx.hs_set_shader(hull.as_ref());
    cx.ds_set_shader(domain.map(|(shader, _)| shader));
    let (source, (domain, _)) = (source?, domain?);
    if !r.one_in(10) {
        let points = source.hull.input_control_points;
        cx.ia_set_primitive_topology(PrimitiveTopology::patch_list(points).unwrap_or_default());
    }
    inputs(w, r, cx);
    Some((domain.clone(), source.corners))
}

/// Binds the resources of hull and domain shaders.
fn inputs(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    let factors = if r.one_in(6) { maybe(r, &w.resources) } else { any(r, &w.patches.factors) };
    cx.hs_set_shader_resources(1, factors);
    if r.one_in(2) {
        let (image, sampler) = (maybe(r, &w.resources), maybe(r, &w.samplers));
        cx.hs_set_shader_resources(2, image);
        cx.ds_set_shader_resources(2, image);
        cx.hs_set_samplers(0, sampler);
        cx.ds_set_samplers(0, maybe(r, &w.samplers));
    }
    let buffers = bindable(r, &w.buffers, BindFlags::CONSTANT_BUFFER);
    if let Some(buffer) = maybe(r, &buffers) {
        cx.hs_set_constant_buffers(1, buffer);
    }
    if let Some(buffer) = maybe(r, &buffers) {
        cx.ds_set_constant_buffers(1, buffer);
    }
}

/// Limits the arguments of a draw while a hull shader is bound, because each patch has many vertices.
pub(crate) fn limit(cx: &DeviceContext, count: u32, instances: u32) -> (u32, u32) {
    match cx.hs_get_shader() {
        Some(_) => (count.min(150), instances.min(6)),
        None => (count, instances),
    }
}
