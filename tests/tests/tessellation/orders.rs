//! Random sequences of draws and of commands that write their inputs.

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Random, Target, gpu_matrix};

use super::stages::FORMS;

/// Cells of the target, each for one draw, and their width and height in texels.
const CELLS: u32 = 24;
const CELL: u32 = 4;

/// All shaders cover the viewport. The result is that of the last shader: its kind, and the values that the stages read.
const SHADERS: &str = "
    struct O { float4 position : SV_Position; nointerpolation uint value : VALUE; };
    O corner(float2 at, uint value) { O o = { float4(at, 0.5, 1), value }; return o; }
    struct N { uint n : N; };
    ByteAddressBuffer values : register(t0);
    O vs_plain(uint k : SV_VertexID, uint n : N) {
        return corner(float2(k & 1 ? 1 : -1, k & 2 ? -1 : 1), 0x100 + n);
    }
    N vs_main(uint n : N) { N o = { n }; return o; }

    struct Q { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; uint n : N; };
    Q quad(InputPatch<N, 1> p) {
        Q q;
        q.e[0] = q.e[1] = q.e[2] = q.e[3] = q.i[0] = q.i[1] = values.Load(0);
        q.n = p[0].n;
        return q;
    }
    [domain(\"quad\")] [partitioning(\"fractional_even\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(0)]
    [patchconstantfunc(\"quad\")] void hs_quad(InputPatch<N, 1> p) {}
    [domain(\"quad\")] O ds_quad(Q q, float2 uv : SV_DomainLocation) {
        return corner(float2(uv.x * 2 - 1, 1 - uv.y * 2), 0x200 + q.n + 16 * values.Load(4));
    }

    struct T { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
    T tri() { T t; t.e[0] = t.e[1] = t.e[2] = t.i = values.Load(0); return t; }
    [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_ccw\")] [outputcontrolpoints(3)]
    [patchconstantfunc(\"tri\")]
    N hs_tri(InputPatch<N, 1> p, uint k : SV_OutputControlPointID) {
        N o = { p[0].n + 16 * k * values.Load(4) };
        return o;
    }
    [domain(\"tri\")] O ds_tri(T t, float3 uvw : SV_DomainLocation, const OutputPatch<N, 3> p) {
        float2 at = uvw.x * float2(-1, 1) + uvw.y * float2(3, 1) + uvw.z * float2(-1, -3);
        return corner(at, 0x300 + p[1].n);
    }

    [maxvertexcount(4)] void gs_points(point N p[1], inout TriangleStream<O> to) {
        for (uint k = 0; k < 4; k++)
            to.Append(corner(float2(k & 1 ? 1 : -1, k & 2 ? -1 : 1), 0x400 + p[0].n + 16 * values.Load(4)));
    }
    [maxvertexcount(3)] void gs_triangles(triangle O o[3], inout TriangleStream<O> to) {
        for (uint k = 0; k < 3; k++) { O v = o[k]; v.value += 0x1000 * values.Load(4); to.Append(v); }
    }
    cbuffer Constants : register(b0) { uint added; };
    uint ps_main(O o) : SV_Target { return o.value + 0x10000 * added; }

    N vs_stream(uint k : SV_VertexID) { N o = { values.Load(4) }; return o; }
    RWByteAddressBuffer written : register(u0);
    cbuffer Written : register(b0) { uint position; uint word; };
    [numthreads(1, 1, 1)] void cs_main() { written.Store(position, word); }";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A strip with a cut, without tessellation.
    Plain,
    Quad,
    Triangle,
    /// Points with a geometry shader.
    Points,
    /// The triangular domain with a geometry shader.
    Both,
}

/// A command between draws.
#[derive(Clone, Copy, Debug)]
enum Step {
    Draw {
        kind: Kind,
        is_indirect: bool,
    },
    /// A dispatch writes the factor or the value that the shaders read.
    Factor(u32),
    Value(u32),
    /// The number of the vertex: copied to the buffer, or written by stream output.
    Vertex(u32),
    StreamVertex,
    /// A constant of the pixel shader.
    Constant(u32),
    /// A dispatch writes the number of instances of indirect draws.
    Instances(u32),
}

impl Step {
    fn random(random: &mut Random) -> Self {
        let kinds = [Kind::Plain, Kind::Quad, Kind::Triangle, Kind::Points, Kind::Both];
        match random.below(12) {
            0 => Self::Factor(random.below(4)),
            1 => Self::Value(random.below(15)),
            2 => Self::Vertex(random.below(16)),
            3 => Self::StreamVertex,
            4 => Self::Constant(random.below(16)),
            5 => Self::Instances(random.below(2)),
            _ => Self::Draw { kind: *random.pick(&kinds), is_indirect: random.one_in(3) },
        }
    }
}

/// The contents of all buffers, as the model sees them.
#[derive(Clone, Copy, Default)]
struct State {
    factor: u32,
    value: u32,
    vertex: u32,
    constant: u32,
    instances: u32,
}

impl State {
    fn apply(&mut self, step: Step) {
        match step {
            Step::Draw { .. } => {}
            Step::Factor(factor) => self.factor = factor,
            Step::Value(value) => self.value = value,
            Step::Vertex(vertex) => self.vertex = vertex,
            Step::StreamVertex => self.vertex = self.value,
            Step::Constant(constant) => self.constant = constant,
            Step::Instances(instances) => self.instances = instances,
        }
    }

    fn result(&self, kind: Kind, is_indirect: bool) -> u32 {
        if is_indirect && self.instances == 0 {
            return 0;
        }
        let all = self.vertex + 0x10000 * self.constant;
        let is_culled = self.factor == 0;
        match kind {
            Kind::Plain => 0x100 + all,
            Kind::Points => 0x400 + all + 16 * self.value,
            _ if is_culled => 0,
            Kind::Quad => 0x200 + all + 16 * self.value,
            Kind::Triangle => 0x300 + all + 16 * self.value,
            Kind::Both => 0x300 + all + 16 * self.value + 0x1000 * self.value,
        }
    }
}

struct Machine {
    h: Harness,
    target: Target,
    vs: [VertexShader; 3],
    layouts: [InputLayout; 2],
    hs: [HullShader; 2],
    ds: [DomainShader; 2],
    gs: [GeometryShader; 2],
    so: GeometryShader,
    ps: PixelShader,
    cs: ComputeShader,
    both: RasterizerState,
}

/// The buffers of a sequence.
struct Buffers {
    values: Buffer,
    arguments: Buffer,
    indexed: Buffer,
    vertex: Buffer,
    indices: Buffer,
    constants: Buffer,
}

impl Machine {
    fn start(config: Config) -> Option<Self> {
        let h = Harness::start(config)?;
        // Commands write buffers that the last draw has read. They have one vertex, which a strip repeats.
        h.watch.allow(&[
            MessageId::SetUnorderedAccessViewsHazard,
            MessageId::SetStreamTargetsHazard,
            MessageId::DrawVertexBufferTooSmall,
            MessageId::DrawVertexStrideZero,
        ]);
        let d = h.device.clone();
        let source = |name| ShaderSource::hlsl(SHADERS, name);
        let vs =
            ["vs_main", "vs_plain", "vs_stream"].map(|name| d.create_vertex_shader(source(name)).unwrap());
        let layout =
            |vs| d.create_input_layout(&[InputElementDesc::new("N", 0, Format::R32_UINT)], vs).unwrap();
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let entries = [SoDeclarationEntry::new("N", 0, 1)];
        Some(Self {
            target: Target::with_format(&d, Format::R32_UINT, CELLS * CELL, CELL),
            layouts: [layout(&vs[0]), layout(&vs[1])],
            hs: ["hs_quad", "hs_tri"].map(|name| d.create_hull_shader(source(name)).unwrap()),
            ds: ["ds_quad", "ds_tri"].map(|name| d.create_domain_shader(source(name)).unwrap()),
            gs: ["gs_points", "gs_triangles"].map(|name| d.create_geometry_shader(source(name)).unwrap()),
            so: d.create_geometry_shader_with_stream_output(&vs[2], &entries, &[], None).unwrap(),
            ps: d.create_pixel_shader(source("ps_main")).unwrap(),
            cs: d.create_compute_shader(source("cs_main")).unwrap(),
            both: d.create_rasterizer_state(&both).unwrap(),
            vs,
            h,
        })
    }

    fn run(&mut self, steps: &[Step], how: CommandPath) -> Vec<u32> {
        let Self { h, target, .. } = self;
        let d = h.device.clone();
        let buffer = |desc: BufferDesc, words: &[u32]| {
            d.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap()
        };
        let raw = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
        let indirect = |bytes| BufferDesc {
            misc_flags: MiscFlags::DRAWINDIRECT_ARGS | MiscFlags::BUFFER_ALLOW_RAW_VIEWS,
            ..BufferDesc::new(bytes, BindFlags::UNORDERED_ACCESS)
        };
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::STREAM_OUTPUT;
        let buffers = Buffers {
            values: buffer(BufferDesc::raw(16, raw), &[0; 4]),
            arguments: buffer(indirect(16), &[1, 0, 0, 0]),
            indexed: buffer(indirect(20), &[7, 0, 0, 0, 0]),
            vertex: buffer(BufferDesc::new(4, flags), &[0]),
            indices: buffer(
                BufferDesc::new(16, BindFlags::INDEX_BUFFER),
                &[0x1_0000, 0xffff_0002, 0x3_0001, 2],
            ),
            constants: buffer(BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), &[0; 4]),
        };
        let this =
            (&self.vs, &self.layouts, &self.hs, &self.ds, &self.gs, &self.so, &self.ps, &self.cs, &self.both);
        h.record(how, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            let mut cell = 0;
            for step in steps {
                run_step(&d, cx, *step, target, &buffers, this, &mut cell);
            }
        });
        let texels = target.read(h);
        h.assert_silent();
        for cell in 0..CELLS {
            let of_cell = |at: &u32| at % (CELLS * CELL) / CELL == cell;
            let all: Vec<u32> =
                (0..CELLS * CELL * CELL).filter(of_cell).map(|at| texels[at as usize]).collect();
            assert!(all.iter().all(|texel| *texel == all[0]), "cell {cell} of {steps:?}: {all:x?}");
        }
        (0..CELLS).map(|cell| texels[(cell * CELL) as usize]).collect()
    }
}

type Shaders<'a> = (
    &'a [VertexShader; 3],
    &'a [InputLayout; 2],
    &'a [HullShader; 2],
    &'a [DomainShader; 2],
    &'a [GeometryShader; 2],
    &'a GeometryShader,
    &'a PixelShader,
    &'a ComputeShader,
    &'a RasterizerState,
);

fn run_step(
    d: &Device,
    cx: &mut DeviceContext,
    step: Step,
    target: &Target,
    buffers: &Buffers,
    (vs, layouts, hs, ds, gs, so, ps, cs, both): Shaders<'_>,
    cell: &mut u32,
) {
    let view = |buffer: &Buffer| {
        d.create_shader_resource_view(buffer, Some(&ShaderResourceViewDesc::raw_buffer(0, 4))).unwrap()
    };
    let store = |cx: &mut DeviceContext, buffer: &Buffer, position: u32, word: u32| {
        let words = if buffer == &buffers.indexed { 5 } else { 4 };
        let desc = UnorderedAccessViewDesc::raw_buffer(0, words);
        let constants = [position, word, 0, 0];
        let constants = d
            .create_buffer(
                &BufferDesc::immutable(16, BindFlags::CONSTANT_BUFFER),
                Some(bytemuck::cast_slice(&constants)),
            )
            .unwrap();
        cx.cs_set_constant_buffers(0, &constants);
        cx.cs_set_shader(cs);
        cx.cs_set_unordered_access_views(0, &d.create_unordered_access_view(buffer, Some(&desc)).unwrap());
        cx.dispatch(1, 1, 1);
        cx.cs_set_unordered_access_views(0, None);
    };
    match step {
        Step::Factor(factor) => store(cx, &buffers.values, 0, factor),
        Step::Value(value) => store(cx, &buffers.values, 4, value),
        Step::Instances(instances) => {
            store(cx, &buffers.arguments, 4, instances);
            store(cx, &buffers.indexed, 4, instances);
        }
        Step::Vertex(vertex) => cx.update_subresource(&buffers.vertex, 0, None, &[vertex], 0, 0),
        Step::Constant(constant) => {
            cx.update_subresource(&buffers.constants, 0, None, &[constant, 0, 0, 0], 0, 0);
        }
        Step::StreamVertex => {
            cx.hs_set_shader(None);
            cx.ds_set_shader(None);
            cx.vs_set_shader(&vs[2]);
            cx.gs_set_shader(so);
            cx.ps_set_shader(None);
            cx.ia_set_input_layout(None);
            cx.vs_set_shader_resources(0, &view(&buffers.values));
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.so_set_targets(StreamOutputBinding::new(&buffers.vertex, 0));
            cx.draw(1, 0);
            cx.so_set_targets(None);
        }
        Step::Draw { kind, is_indirect } => {
            target.bind(cx);
            cx.rs_set_viewports(Viewport {
                top_left_x: (*cell * CELL) as f32,
                ..Viewport::sized(CELL as f32, CELL as f32)
            });
            *cell += 1;
            cx.rs_set_state(both);
            cx.ps_set_shader(ps);
            cx.ps_set_constant_buffers(0, &buffers.constants);
            let values = view(&buffers.values);
            cx.hs_set_shader_resources(0, &values);
            cx.ds_set_shader_resources(0, &values);
            cx.gs_set_shader_resources(0, &values);
            let (hull, geometry, topology) = match kind {
                Kind::Plain => (None, None, PrimitiveTopology::TriangleStrip),
                Kind::Quad => (Some(0), None, PrimitiveTopology::PatchList1),
                Kind::Triangle => (Some(1), None, PrimitiveTopology::PatchList1),
                Kind::Points => (None, Some(0), PrimitiveTopology::PointList),
                Kind::Both => (Some(1), Some(1), PrimitiveTopology::PatchList1),
            };
            let is_plain = kind == Kind::Plain;
            cx.vs_set_shader(&vs[usize::from(is_plain)]);
            cx.ia_set_input_layout(&layouts[usize::from(is_plain)]);
            let stride = if is_plain { 0 } else { 4 };
            cx.ia_set_vertex_buffers(0, &[(Some(buffers.vertex.clone()), stride, 0)][..]);
            cx.hs_set_shader(hull.map(|at: usize| &hs[at]));
            cx.ds_set_shader(hull.map(|at: usize| &ds[at]));
            cx.gs_set_shader(geometry.map(|at: usize| &gs[at]));
            cx.ia_set_primitive_topology(topology);
            if is_plain {
                cx.ia_set_index_buffer(&buffers.indices, Format::R16_UINT, 0);
            }
            match (is_plain, is_indirect) {
                (true, true) => cx.draw_indexed_instanced_indirect(&buffers.indexed, 0),
                (true, false) => cx.draw_indexed(7, 0, 0),
                (false, true) => cx.draw_instanced_indirect(&buffers.arguments, 0),
                (false, false) => cx.draw(1, 0),
            }
        }
    }
}

#[test]
fn draws_see_what_commands_before_them_wrote() {
    let (mut drawn, mut tessellated) = (0, 0);
    let mut configs = FORMS.to_vec();
    configs.extend(gpu_matrix().into_iter().skip(1).step_by(2));
    for config in configs {
        let Some(mut machine) = Machine::start(config) else { return };
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let mut steps = Vec::new();
            let mut state = State::default();
            let mut expected = Vec::new();
            while expected.len() < CELLS as usize {
                let step = Step::random(&mut random);
                state.apply(step);
                if let Step::Draw { kind, is_indirect } = step {
                    let result = state.result(kind, is_indirect);
                    drawn += u32::from(result != 0);
                    tessellated += u32::from(result & 0xf00 >= 0x200 && result & 0xf00 < 0x400);
                    expected.push(result);
                }
                steps.push(step);
            }
            let how = *random.pick(&CommandPath::ALL);
            let found = machine.run(&steps, how);
            assert!(
                found == expected,
                "seed {seed}, {how:?}, {config}: {found:x?}, not {expected:x?}: {steps:?}"
            );
        }
        let Machine { h, target, vs, layouts, hs, ds, gs, so, ps, cs, both } = machine;
        drop((target, vs, layouts, hs, ds, gs, so, ps, cs, both));
        h.finish();
    }
    assert!(drawn > 100 && tessellated > 50, "{drawn} draws, {tessellated} tessellated");
}
