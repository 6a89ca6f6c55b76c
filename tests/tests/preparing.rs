//! Prepared draws: they are compiled on the right thread, callers do not wait too long, and the pictures stay
//! the same.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::{cell::Cell, sync::Once};

use onze::{Statistics, StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Quad, Target};

thread_local! {
    static COMPILED: Cell<u64> = const { Cell::new(0) };
}

/// Counts compilations per thread, with a global subscriber because `tracing` caches whether a span has a
/// subscriber, and all threads share that cache.
struct Compiled;

impl tracing::Subscriber for Compiled {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() == "compile"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        COMPILED.set(COMPILED.get() + 1);
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Number of pipelines in a picture, one for each combination of written channels.
const PIPELINES: u8 = 16;

fn states(device: &Device) -> Vec<BlendState> {
    let state = |channels| {
        let mut desc = BlendDesc::default();
        desc.render_target[0].render_target_write_mask = ColorWrite::from_bits_truncate(channels);
        device.create_blend_state(&desc).unwrap()
    };
    (0..PIPELINES).map(state).collect()
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Prepare,
    /// Prepares all draws, then waits until their pipelines are compiled.
    PrepareAndWait,
}

/// Draws a picture with one column per pipeline, and returns its texels, the device's statistics, and the
/// number of pipelines that were compiled on this thread.
fn draw(workers: u32, before: Before) -> Option<(Vec<u32>, Statistics, u64)> {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| tracing::subscriber::set_global_default(Compiled).unwrap());
    let before_all = COMPILED.get();
    // Draws by index are off, because they would compile additional pipelines.
    let draws_by_index = DrawsByIndex::Off;
    let mut h = Harness::start(Config { workers, draws_by_index, ..Config::GPU })?;
    // One write mask contains no channel, and the debug layer reports draws that write nothing.
    h.watch.expect(&[MessageId::DrawNothingWritten]);
    let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, PIPELINES.into(), 2));
    let states = states(&h.device);
    target.bind(&mut h.immediate);
    if before != Before::Nothing {
        quad.bind(&mut h.immediate);
        for state in &states {
            h.immediate.om_set_blend_state(state, [1.0; 4], u32::MAX);
            h.immediate.prepare_draw();
        }
        h.immediate.flush();
        assert_eq!(h.device.statistics().pipelines_prepared, u64::from(PIPELINES));
    }
    while before == Before::PrepareAndWait && h.device.statistics().pipelines_compiling > 0 {
        std::thread::yield_now();
    }
    // Each pipeline is requested several times, so that a helping flush still has work to do.
    for round in 0..40 {
        for (x, state) in states.iter().enumerate() {
            h.immediate.om_set_blend_state(state, [1.0; 4], u32::MAX);
            h.immediate.rs_set_viewports(Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 2.0) });
            quad.draw(&mut h.immediate, [0.5, 0.25, 1.0, round as f32 / 255.0]);
        }
    }
    h.immediate.flush();
    let statistics = h.device.statistics();
    let texels = target.read(&mut h);
    drop((quad, target, states));
    h.finish();
    Some((texels, statistics, COMPILED.get() - before_all))
}

#[test]
fn pictures_do_not_depend_on_who_compiles_or_when() {
    let mut pictures = Vec::new();
    for workers in [0, 1, 4] {
        for before in [Before::Nothing, Before::Prepare, Before::PrepareAndWait] {
            let Some((texels, statistics, here)) = draw(workers, before) else { return };
            let what = format!("{workers} workers, before: {before:?}: {statistics:?}");
            let (all, waited) = (u64::from(PIPELINES), statistics.pipeline_compilations);
            assert_eq!(here, if workers == 0 { all } else { 0 }, "{what}");
            match before {
                Before::Nothing => assert_eq!(waited, all, "{what}"),
                Before::Prepare if workers > 0 => assert!(waited <= all, "{what}"),
                Before::Prepare | Before::PrepareAndWait => assert_eq!(waited, 0, "{what}"),
            }
            pictures.push(texels);
        }
    }
    let first = pictures.first().unwrap();
    assert_eq!(first.get(15), Some(&0x27ff_4080), "all channels, of the last round");
    assert!(pictures.iter().all(|picture| picture == first));
}

#[test]
fn draws_with_geometry_shaders_are_prepared() {
    let text = |layer: &str| {
        format!(
            "struct V {{ float4 position : SV_Position; }};
            struct O {{ float4 position : SV_Position; {layer} }};
            V vs_main(float4 position : POSITION) {{ V v = {{ position }}; return v; }}
            [maxvertexcount(3)] void gs_main(point V v[1], inout TriangleStream<O> to) {{
                O o = (O)0;
                for (uint k = 0; k < 3; k++) {{ o.position = v[0].position; to.Append(o); }}
            }}
            float4 ps_main(O o) : SV_Target {{ return 1; }}"
        )
    };
    for (layer, indexed) in [("", false), ("", true), ("uint layer : SV_RenderTargetArrayIndex;", false)] {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        let text = text(layer);
        let hlsl = |entry| ShaderSource::hlsl(text.as_str(), entry);
        let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let gs = h.device.create_geometry_shader(hlsl("gs_main")).unwrap();
        let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let layout = [InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT)];
        let layout = h.device.create_input_layout(&layout, &vs).unwrap();
        let vertices = h.device.create_vertex_buffer(&[[0.0_f32; 4]; 3]).unwrap();
        let indices = h.device.create_index_buffer(&[0_u16, 1, 2]).unwrap();
        let target = Target::new(&h.device, 4, 4);
        target.bind(&mut h.immediate);
        let cx = &mut h.immediate;
        cx.ia_set_input_layout(&layout);
        cx.ia_set_vertex_buffers(0, &vertices);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.vs_set_shader(&vs);
        cx.gs_set_shader(&gs);
        cx.ps_set_shader(&ps);
        if indexed {
            cx.ia_set_index_buffer(&*indices, Format::R16_UINT, 0);
        }
        cx.prepare_draw();
        h.immediate.flush();
        onze_tests::wait_until("the pipeline", || h.device.statistics().pipelines_compiling == 0);
        match indexed {
            true => h.immediate.draw_indexed(3, 0, 0),
            false => h.immediate.draw(3, 0),
        }
        target.read(&mut h);
        let Statistics { pipelines_prepared, pipeline_compilations, .. } = h.device.statistics();
        assert_eq!((pipelines_prepared, pipeline_compilations), (1, 0), "{layer} {indexed}");
        drop((vs, gs, ps, layout, vertices, indices, target));
        h.finish();
    }
}

#[test]
fn draws_that_write_streams_are_prepared() {
    let text = "
        struct V { float4 position : SV_Position; float number : NUMBER; };
        V vs_main(uint number : SV_VertexID) { V v = { float4(0, 0, 0, 1), number }; return v; }
        [maxvertexcount(4)] void gs_main(point V v[1], inout PointStream<V> to) {
            uint count = v[0].number;
            for (uint k = 0; k < count; k++) { v[0].number = k; to.Append(v[0]); }
        }
        float4 ps_main() : SV_Target { return 1; }";
    // A draw that is also rasterized needs another pipeline.
    for (from_geometry, rasterized, pipelines) in
        [(false, None, 1), (false, Some(0), 2), (true, None, 1), (true, Some(0), 2)]
    {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        let hlsl = |entry| ShaderSource::hlsl(text, entry);
        let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = match from_geometry {
            true => {
                h.device.create_geometry_shader_with_stream_output(hlsl("gs_main"), &entries, &[], rasterized)
            }
            false => h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], rasterized),
        };
        let so = so.unwrap();
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::STREAM_OUTPUT), None).unwrap();
        let target = Target::new(&h.device, 4, 4);
        let cx = &mut h.immediate;
        if rasterized.is_some() {
            target.bind(cx);
            cx.ps_set_shader(&ps);
        }
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.vs_set_shader(&vs);
        cx.gs_set_shader(&so);
        cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
        cx.prepare_draw();
        h.immediate.flush();
        onze_tests::wait_until("the pipelines", || h.device.statistics().pipelines_compiling == 0);
        h.immediate.draw(3, 0);
        h.immediate.so_set_targets(None);
        let found: Vec<f32> = h.immediate.read_buffer(&buffer).unwrap();
        assert_eq!(found[..4], if from_geometry { [0.0, 0.0, 1.0, 0.0] } else { [0.0, 1.0, 2.0, 0.0] });
        let Statistics { pipelines_prepared, pipeline_compilations, .. } = h.device.statistics();
        let what = format!("from a geometry shader {from_geometry}, rasterized {rasterized:?}");
        assert_eq!((pipelines_prepared, pipeline_compilations), (pipelines, 0), "{what}");
        drop((vs, ps, so, buffer, target));
        h.finish();
    }
}

#[test]
fn preparation_between_draws_changes_nothing() {
    let text = "
        cbuffer Constants : register(b0) { float number; };
        struct V { float4 position : SV_Position; float number : NUMBER; };
        V vs_main(uint k : SV_VertexID) {
            V v = { float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0, 1), number };
            return v;
        }
        [maxvertexcount(3)] void gs_main(triangle V v[3], inout TriangleStream<V> to) {
            for (uint k = 0; k < 3; k++) { v[k].number += number; to.Append(v[k]); }
        }
        uint ps_main(V v) : SV_Target { return v.number + number; }";
    onze_tests::on_each(&onze_tests::gpu_matrix(), |h| {
        let hlsl = |entry| ShaderSource::hlsl(text, entry);
        let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let gs = h.device.create_geometry_shader(hlsl("gs_main")).unwrap();
        let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = [Some(0), None].map(|rasterized| {
            h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], rasterized).unwrap()
        });
        let constants = [1.0, 10.0, 100.0].map(|number| {
            let desc = BufferDesc::immutable(16, BindFlags::CONSTANT_BUFFER);
            h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&[number, 0.0_f32, 0.0, 0.0]))).unwrap()
        });
        let target = Target::with_format(&h.device, Format::R32_UINT, 8, 1);
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::STREAM_OUTPUT), None).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.om_set_render_targets(&target.view, None);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.vs_set_constant_buffers(0, &constants[0]);
                cx.gs_set_constant_buffers(0, &constants[1]);
                cx.ps_set_constant_buffers(0, &constants[2]);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                let mut x = 0.0;
                for prepared in [Some(&so[0]), Some(&so[1]), Some(&gs), None] {
                    for drawn in [None, Some(&gs)] {
                        cx.rs_set_viewports(Viewport { top_left_x: x, ..Viewport::sized(1.0, 1.0) });
                        cx.gs_set_shader(prepared);
                        cx.prepare_draw();
                        cx.gs_set_shader(drawn);
                        cx.draw(3, 0);
                        x += 1.0;
                    }
                }
            });
            assert_eq!(target.read(h), [101, 111].repeat(4), "{how:?}");
        }
    });
}

#[test]
fn draws_with_stored_vertices_are_prepared() {
    let config = Config { stored_geometry: StoredGeometry::Always, ..Config::GPU };
    let Some(mut h) = Harness::start(config) else { return };
    let text = "
        struct V { float4 position : SV_Position; };
        V vs_main() { V v = { float4(0, 0, 0, 1) }; return v; }
        [maxvertexcount(3)] void gs_main(point V v[1], inout TriangleStream<V> to) {
            for (uint k = 0; k < 3; k++) { to.Append(v[0]); }
        }
        float4 ps_main() : SV_Target { return 1; }";
    let hlsl = |entry| ShaderSource::hlsl(text, entry);
    let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
    let gs = h.device.create_geometry_shader(hlsl("gs_main")).unwrap();
    let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
    let target = Target::new(&h.device, 4, 4);
    target.bind(&mut h.immediate);
    let cx = &mut h.immediate;
    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
    cx.vs_set_shader(&vs);
    cx.gs_set_shader(&gs);
    cx.ps_set_shader(&ps);
    cx.prepare_draw();
    h.immediate.flush();
    onze_tests::wait_until("the pipelines", || h.device.statistics().pipelines_compiling == 0);
    h.immediate.draw(3, 0);
    target.read(&mut h);
    let Statistics { pipelines_prepared, pipeline_compilations, draws_stored, .. } = h.device.statistics();
    // The dispatch, the draw of stored vertices, and the draw without them.
    assert_eq!((pipelines_prepared, pipeline_compilations, draws_stored), (3, 0, 1));
    drop((vs, gs, ps, target));
    h.finish();
}

/// The shaders of a draw of patches, perhaps with a geometry shader or stream output.
struct PatchDraw {
    vs: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    gs: Option<GeometryShader>,
    ps: Option<PixelShader>,
    written: Option<Buffer>,
    target: Target,
}

impl PatchDraw {
    /// The choices of a geometry shader and of stream output.
    const KINDS: [(bool, bool); 3] = [(false, false), (true, false), (false, true)];

    fn new(device: &Device, (geometry, streams): (bool, bool)) -> Self {
        let text = "
            struct V { float4 position : SV_Position; };
            struct F { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
            V vs_main() { V v = { float4(0, 0, 0, 1) }; return v; }
            F constants() { F f = (F)2; return f; }
            [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
            [patchconstantfunc(\"constants\")]
            V hs_main(InputPatch<V, 1> v) { return v[0]; }
            [domain(\"tri\")] V ds_main(F f, OutputPatch<V, 1> v) { return v[0]; }
            [maxvertexcount(3)] void gs_main(triangle V v[3], inout TriangleStream<V> to) { to.Append(v[0]); }
            float4 ps_main() : SV_Target { return 1; }";
        let hlsl = |entry| ShaderSource::hlsl(text, entry);
        let ds = device.create_domain_shader(hlsl("ds_main")).unwrap();
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4)];
        let so = || device.create_geometry_shader_with_stream_output(&ds, &entries, &[], None).unwrap();
        let gs = geometry.then(|| device.create_geometry_shader(hlsl("gs_main")).unwrap());
        let written = BufferDesc::new(64, BindFlags::STREAM_OUTPUT);
        Self {
            vs: device.create_vertex_shader(hlsl("vs_main")).unwrap(),
            hs: device.create_hull_shader(hlsl("hs_main")).unwrap(),
            gs: gs.or_else(|| streams.then(so)),
            ps: (!streams).then(|| device.create_pixel_shader(hlsl("ps_main")).unwrap()),
            written: streams.then(|| device.create_buffer(&written, None).unwrap()),
            target: Target::new(device, 4, 4),
            ds,
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
        cx.vs_set_shader(&self.vs);
        cx.hs_set_shader(&self.hs);
        cx.ds_set_shader(&self.ds);
        cx.gs_set_shader(self.gs.as_ref());
        cx.ps_set_shader(self.ps.as_ref());
        match &self.written {
            Some(buffer) => cx.so_set_targets(StreamOutputBinding::new(buffer, 0)),
            None => self.target.bind(cx),
        }
    }
}

#[test]
fn draws_of_patches_are_prepared() {
    // The control points, the patch constants, and the draw with and without indices. With stream output or a geometry
    // shader, draws have no indices.
    for (kind, pipelines) in PatchDraw::KINDS.into_iter().zip([4, 3, 3]) {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        let draw = PatchDraw::new(&h.device, kind);
        draw.bind(&mut h.immediate);
        h.immediate.prepare_draw();
        h.immediate.flush();
        onze_tests::wait_until("the pipelines", || h.device.statistics().pipelines_compiling == 0);
        h.immediate.draw(1, 0);
        draw.target.read(&mut h);
        let Statistics { pipelines_prepared, pipeline_compilations, .. } = h.device.statistics();
        let what = format!("geometry shader and stream output {kind:?}");
        assert_eq!((pipelines_prepared, pipeline_compilations), (pipelines, 0), "{what}");
        drop(draw);
        h.finish();
    }
}

/// A draw begins to compile all its pipelines before it waits for one. They have to be those that it uses.
#[test]
fn draws_of_patches_compile_no_other_pipelines() {
    type Draw = fn(&mut DeviceContext, &Buffer);
    let draws: [Draw; 3] = [
        |cx, _| cx.draw(1, 0),
        |cx, _| cx.draw_instanced(1, 2, 0, 0),
        |cx, at| cx.draw_instanced_indirect(at, 0),
    ];
    for workers in [0, 1, 3] {
        for kind in PatchDraw::KINDS {
            for (number, make) in draws.iter().enumerate() {
                let Some(mut h) = Harness::start(Config { workers, ..Config::GPU }) else { return };
                let draw = PatchDraw::new(&h.device, kind);
                let desc = BufferDesc::indirect(16, BindFlags::empty());
                let arguments = [1_u32, 1, 0, 0];
                let arguments =
                    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&arguments))).unwrap();
                draw.bind(&mut h.immediate);
                make(&mut h.immediate, &arguments);
                draw.target.read(&mut h);
                let Statistics { pipelines_prepared, pipeline_compilations, .. } = h.device.statistics();
                // The control points, the patch constants, and the draw. The indices of an indirect draw may not fit.
                let expected = if kind == (false, false) && number == 2 { 4 } else { 3 };
                let what = format!("{kind:?}, draw {number}, {workers} workers");
                assert_eq!((pipelines_prepared, pipeline_compilations), (0, expected), "{what}");
                drop((draw, arguments));
                h.finish();
            }
        }
    }
}

#[test]
fn a_device_can_be_dropped_during_pipeline_compilation() {
    for round in 0..10 {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 4, 4));
        target.bind(&mut h.immediate);
        quad.bind(&mut h.immediate);
        for state in &states(&h.device) {
            h.immediate.om_set_blend_state(state, [1.0; 4], u32::MAX);
            h.immediate.prepare_draw();
        }
        if round % 2 == 0 {
            h.immediate.flush();
        }
        drop((quad, target));
        h.finish();
    }
}
