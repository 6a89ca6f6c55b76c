//! Pipeline statistics of tessellated draws whose domain shader selects slices or viewports or writes cull distances, for
//! which the driver binds a geometry shader of its own.

use onze::{PipelineStatistics, StreamOutputBinding, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Harness, gpu_matrix, on_each, wait_for};

const SIZE: u32 = 16;

/// Quads of two triangles for each number of segments. Patch n is divided into 1, 2 or 3 segments along each axis.
const SHADERS: &str = "
    struct V { nointerpolation uint number : NUMBER; };
    struct C { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; };
    struct D { float4 position : SV_Position; nointerpolation uint number : NUMBER; MEMBERS };
    V vs_main(uint number : SV_VertexID) { V v; v.number = number; return v; }
    C constants(InputPatch<V, 1> v) {
        C c;
        float factor = v[0].number % 4;
        c.edges[0] = factor; c.edges[1] = factor; c.edges[2] = factor; c.edges[3] = factor;
        c.inside[0] = factor; c.inside[1] = factor;
        return c;
    }
    [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
    [patchconstantfunc(\"constants\")]
    V hs_main(InputPatch<V, 1> v, uint point : SV_OutputControlPointID) { return v[0]; }
    [domain(\"quad\")] D ds_main(C c, float2 uv : SV_DomainLocation, const OutputPatch<V, 1> v) {
        D d = (D)0;
        d.position = float4(uv - 0.5, 0.5, 1);
        d.number = v[0].number;
        SET
        return d;
    }
    uint ps_main(float4 at : SV_Position, nointerpolation uint number : NUMBER) : SV_Target { return number; }";

/// Objects of a draw of eight patches. Factors of 0 cull the first and the fifth patch.
struct Scene {
    shaders: (VertexShader, HullShader, DomainShader, PixelShader),
    target: RenderTargetView,
    both: RasterizerState,
    arguments: Buffer,
    written: Buffer,
    query: TypedQuery<PipelineStatistics>,
}

impl Scene {
    fn new(device: &Device, query: TypedQuery<PipelineStatistics>, members: &str, set: &str) -> Self {
        let text = SHADERS.replace("MEMBERS", members).replace("SET", set);
        let source = |name| ShaderSource::hlsl(&text, name);
        let desc =
            Texture2dDesc { array_size: 2, ..Texture2dDesc::render_target(Format::R32_UINT, SIZE, SIZE) };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let desc = BufferDesc::indirect(16, BindFlags::empty());
        let arguments = [8_u32, 1, 0, 0];
        Self {
            shaders: (
                device.create_vertex_shader(source("vs_main")).unwrap(),
                device.create_hull_shader(source("hs_main")).unwrap(),
                device.create_domain_shader(source("ds_main")).unwrap(),
                device.create_pixel_shader(source("ps_main")).unwrap(),
            ),
            target: device.create_render_target_view(&texture, None).unwrap(),
            both: device.create_rasterizer_state(&both).unwrap(),
            arguments: device.create_buffer(&desc, Some(bytemuck::cast_slice(&arguments))).unwrap(),
            written: device.create_buffer(&BufferDesc::new(64, BindFlags::STREAM_OUTPUT), None).unwrap(),
            query,
        }
    }

    /// Returns a geometry shader that passes triangles through.
    fn geometry_shader(&self, device: &Device) -> GeometryShader {
        let text = "
            struct D { float4 position : SV_Position; nointerpolation uint number : NUMBER; };
            [maxvertexcount(3)] void main(triangle D d[3], inout TriangleStream<D> to) {
                for (uint k = 0; k < 3; k++) to.Append(d[k]);
            }";
        device.create_geometry_shader(ShaderSource::hlsl(text, "main")).unwrap()
    }

    fn measure(
        &self,
        h: &mut Harness,
        how: CommandPath,
        geometry: Option<&GeometryShader>,
        is_indirect: bool,
    ) -> PipelineStatistics {
        h.record(how, |cx| {
            cx.clear_render_target_view(&self.target, [0.0; 4]);
            cx.om_set_render_targets(&self.target, None);
            let half = SIZE as f32 / 2.0;
            cx.rs_set_viewports(
                [0.0, half].map(|left| Viewport { top_left_x: left, ..Viewport::sized(half, SIZE as f32) }),
            );
            cx.rs_set_state(&self.both);
            let (vs, hs, ds, ps) = &self.shaders;
            cx.vs_set_shader(vs);
            cx.hs_set_shader(hs);
            cx.ds_set_shader(ds);
            cx.gs_set_shader(geometry);
            cx.ps_set_shader(ps);
            cx.so_set_targets(StreamOutputBinding::new(&self.written, 0));
            cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
            cx.begin(&self.query);
            match is_indirect {
                true => cx.draw_instanced_indirect(&self.arguments, 0),
                false => cx.draw(8, 0),
            }
            cx.end(&self.query);
        });
        wait_for("statistics", || h.immediate.get_data(&self.query, false).unwrap())
    }
}

/// Two patches each of 4, 9 and 16 points and of 2, 8 and 18 triangles.
const TRIANGLES: u64 = 2 * (2 + 8 + 18);

const EXPECTED: PipelineStatistics = PipelineStatistics {
    ia_vertices: 8,
    ia_primitives: 8,
    vs_invocations: 8,
    gs_invocations: 0,
    gs_primitives: 0,
    c_invocations: TRIANGLES,
    c_primitives: TRIANGLES,
    ps_invocations: 0,
    hs_invocations: 8,
    ds_invocations: 2 * (4 + 9 + 16),
    cs_invocations: 0,
};

const SLICE: (&str, &str) = ("uint slice : SV_RenderTargetArrayIndex;", "d.slice = v[0].number % 2;");

#[test]
fn selecting_domain_shaders_have_the_statistics_of_plain_ones() {
    on_each(&gpu_matrix(), |h| {
        let rows = [
            ("", ""),
            SLICE,
            ("uint viewport : SV_ViewportArrayIndex;", "d.viewport = v[0].number % 2;"),
            ("float2 cull : SV_CullDistance;", "d.cull = 1;"),
            ("float cull : SV_CullDistance;", "d.cull = v[0].number % 2 ? -1 : 1;"),
        ];
        for (members, set) in rows {
            let Ok(query) = h.device.create_pipeline_statistics_query() else { return };
            let scene = Scene::new(&h.device.clone(), query, members, set);
            for how in CommandPath::ALL {
                for is_indirect in [false, true] {
                    let mut found = scene.measure(h, how, None, is_indirect);
                    let what = format!("{set} {how:?}, indirect {is_indirect}: {found:?}");
                    assert!(found.ps_invocations > 0, "{what}");
                    found.ps_invocations = 0;
                    if set.contains("? -1") {
                        // llvmpipe counts culled triangles unless another triangle of the draw is clipped.
                        assert!((1..=TRIANGLES).contains(&found.c_primitives), "{what}");
                        found.c_primitives = TRIANGLES;
                    }
                    assert_eq!(found, EXPECTED, "{what}");
                }
            }
        }
    });
}

#[test]
fn statistics_tell_both_kinds_of_geometry_shaders_apart() {
    on_each(&gpu_matrix(), |h| {
        let Ok(query) = h.device.create_pipeline_statistics_query() else { return };
        let device = h.device.clone();
        let scene = Scene::new(&device, query, SLICE.0, SLICE.1);
        let own = scene.geometry_shader(&device);
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let streams = |rasterized| {
            let ds = &scene.shaders.2;
            device.create_geometry_shader_with_stream_output(ds, &entries, &[], rasterized).unwrap()
        };
        let (drawn, written) = (streams(Some(0)), streams(None));
        for (shader, of_geometry, of_clipper) in [
            (None, 0, TRIANGLES),
            (Some(&own), TRIANGLES, TRIANGLES),
            (Some(&drawn), 0, TRIANGLES),
            (Some(&written), 0, 0),
        ] {
            for is_indirect in [false, true] {
                let found = scene.measure(h, CommandPath::Immediate, shader, is_indirect);
                let what = format!("indirect {is_indirect}: {found:?}");
                let expected = PipelineStatistics {
                    gs_invocations: of_geometry,
                    gs_primitives: of_geometry,
                    c_invocations: of_clipper,
                    c_primitives: of_clipper,
                    ps_invocations: found.ps_invocations,
                    ..EXPECTED
                };
                assert_eq!(found, expected, "{what}");
                assert_eq!(found.ps_invocations > 0, of_clipper > 0, "{what}");
            }
        }
    });
}
