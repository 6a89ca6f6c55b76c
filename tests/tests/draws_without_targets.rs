//! Draws without any target write nothing, but queries count their samples.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Quad, Target, gpu_matrix, matrix, on_each, wait_for};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

const LEFT: [f32; 4] = [-1.0, -1.0, 0.0, 1.0];

const SIZE: u32 = 8;

fn viewport(x: f32, y: f32, width: f32, height: f32) -> Viewport {
    Viewport { top_left_x: x, top_left_y: y, ..Viewport::sized(width, height) }
}

struct Scene {
    quad: Quad,
    target: Target,
    copy: Target,
    several: RenderTargetView,
    depth: DepthStencilView,
    scissor: RasterizerState,
    masked: BlendState,
    discards: PixelShader,
    gives_none: PixelShader,
    gives_integers: PixelShader,
    gives_second: PixelShader,
    gives_depth: PixelShader,
    arguments: Buffer,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let d = &h.device;
        let several = Texture2dDesc {
            sample_count: 4,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE)
        };
        let several = d.create_texture_2d(&several, None).unwrap();
        let depth = d.create_texture_2d(&Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE), None);
        let shader = |text: &str| d.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let masked =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
        let arguments = BufferDesc::indirect(16, BindFlags::empty());
        Self {
            quad: Quad::new(d),
            target: Target::new(d, 2 * SIZE, SIZE),
            copy: Target::new(d, 2 * SIZE, SIZE),
            several: d.create_render_target_view(&several, None).unwrap(),
            depth: d.create_depth_stencil_view(&depth.unwrap(), None).unwrap(),
            scissor: d
                .create_rasterizer_state(&RasterizerDesc { scissor_enable: true, ..Default::default() })
                .unwrap(),
            masked: d.create_blend_state(&BlendDesc::all(masked)).unwrap(),
            discards: shader(
                "@fragment fn ps(@builtin(position) at: vec4f) -> @location(0) vec4f {
                    if (u32(at.x) & 1u) == 1u { discard; }
                    return vec4f(1.0);
                }",
            ),
            gives_none: shader("@fragment fn ps() {}"),
            gives_integers: shader("@fragment fn ps() -> @location(0) vec4u { return vec4u(1u); }"),
            gives_second: shader("@fragment fn ps() -> @location(1) vec4f { return vec4f(1.0); }"),
            gives_depth: shader(
                "struct Out { @builtin(frag_depth) depth: f32, @location(0) color: vec4f }
                @fragment fn ps() -> Out { return Out(0.5, vec4f(1.0)); }",
            ),
            arguments: d.create_buffer(&arguments, Some(bytemuck::cast_slice(&[4_u32, 1, 0, 0]))).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.om_set_render_targets(None, None);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
        self.quad.bind(cx);
        self.quad.set(cx, RED, Quad::ALL, 0.0);
    }

    fn draw_with(&self, cx: &mut DeviceContext, shader: Option<&PixelShader>) {
        cx.ps_set_shader(shader);
        cx.draw(4, 0);
    }

    /// Creates one query per row for each query type that the device supports.
    fn queries(h: &Harness) -> Vec<Vec<onze::Query>> {
        let kinds = [QueryType::Occlusion, QueryType::OcclusionPredicate, QueryType::PipelineStatistics];
        let has = |kind: &QueryType| h.has_feature(kind.needs());
        let of = |kind| ROWS.iter().map(|_| h.device.create_query(kind).unwrap()).collect();
        kinds.into_iter().filter(has).map(of).collect()
    }
}

fn answer(h: &mut Harness, query: &onze::Query) -> QueryData {
    wait_for("there is an answer", || h.immediate.get_data(query, false).unwrap())
}

fn samples(h: &mut Harness, query: &onze::Query) -> u64 {
    match answer(h, query) {
        QueryData::Occlusion(samples) => samples,
        other => panic!("{other:?} is not a sample count"),
    }
}

/// The name, the expected samples, the expected quads, whether pixel shaders run, and the draw.
type Row = (&'static str, u64, u64, bool, fn(&mut DeviceContext, &Scene));

const ROWS: &[Row] = &[
    ("nothing", 0, 0, false, |_, _| ()),
    ("all", 64, 1, true, |cx, _| cx.draw(4, 0)),
    ("half", 32, 1, true, |cx, s| s.quad.draw_at(cx, RED, LEFT, 0.0)),
    ("each draw counts", 64 * 3 + 32, 4, true, |cx, s| {
        (0..3).for_each(|_| cx.draw(4, 0));
        s.quad.draw_at(cx, RED, LEFT, 0.0);
    }),
    ("other viewports", 21 + 1200 + 64, 3, true, |cx, _| {
        for viewport in
            [viewport(20.0, 0.0, 7.0, 3.0), Viewport::sized(40.0, 30.0), Viewport::sized(8.0, 8.0)]
        {
            cx.rs_set_viewports(viewport);
            cx.draw(4, 0);
        }
    }),
    ("a low and a high viewport", 200 + 2000, 2, true, |cx, _| {
        for (width, height) in [(200.0, 1.0), (4.0, 500.0)] {
            cx.rs_set_viewports(Viewport::sized(width, height));
            cx.draw(4, 0);
        }
    }),
    ("a viewport partly outside", 6 * 5, 1, true, |cx, _| {
        cx.rs_set_viewports(viewport(-2.0, -3.0, 8.0, 8.0));
        cx.draw(4, 0);
    }),
    ("within scissors", 6 + 64 + 10, 3, true, |cx, s| {
        cx.rs_set_scissor_rects(onze::Rect { left: 3, top: 3, right: 6, bottom: 5 });
        cx.rs_set_state(&s.scissor);
        cx.draw(4, 0);
        cx.rs_set_state(None);
        cx.draw(4, 0);
        cx.rs_set_state(&s.scissor);
        cx.rs_set_scissor_rects(onze::Rect { left: 6, top: 3, right: 90, bottom: 90 });
        cx.draw(4, 0);
    }),
    ("no pixel shader", 128, 2, false, |cx, s| {
        s.draw_with(cx, None);
        cx.draw(4, 0);
    }),
    ("discarded by the shader", 32, 1, true, |cx, s| s.draw_with(cx, Some(&s.discards))),
    ("a shader without outputs", 64, 1, true, |cx, s| s.draw_with(cx, Some(&s.gives_none))),
    ("integers", 64, 1, true, |cx, s| s.draw_with(cx, Some(&s.gives_integers))),
    ("a second output alone", 64, 1, true, |cx, s| s.draw_with(cx, Some(&s.gives_second))),
    ("a depth of the shader", 64, 1, true, |cx, s| s.draw_with(cx, Some(&s.gives_depth))),
    ("several shaders in turn", 64 * 5 + 32, 6, true, |cx, s| {
        let all = [&s.gives_integers, &s.discards, &s.gives_none, &s.gives_second];
        all.into_iter().for_each(|shader| s.draw_with(cx, Some(shader)));
        s.draw_with(cx, None);
        s.draw_with(cx, Some(&s.quad.ps));
    }),
    ("a blend state without effect", 128, 2, true, |cx, s| {
        cx.draw(4, 0);
        cx.om_set_blend_state(&s.masked, [1.0; 4], u32::MAX);
        cx.draw(4, 0);
    }),
    ("of arguments in a buffer", 64, 1, true, |cx, s| cx.draw_instanced_indirect(&s.arguments, 0)),
    ("instances", 64 * 3, 3, true, |cx, _| cx.draw_instanced(4, 3, 0, 0)),
    ("targets unbound while it is begun", 64 + 64 + 64 + 32, 4, true, |cx, s| {
        cx.om_set_render_targets(&s.target.view, None);
        cx.draw(4, 0);
        cx.om_set_render_targets(None, None);
        cx.draw(4, 0);
        // This call repeats the current targets, so it has no effect.
        cx.om_set_render_targets(None, None);
        cx.draw(4, 0);
        cx.om_set_render_targets(&s.target.view, None);
        s.quad.draw_at(cx, RED, LEFT, 0.0);
    }),
    ("in turn with targets of several samples", 64 + 256 + 64, 3, true, |cx, s| {
        cx.draw(4, 0);
        cx.om_set_render_targets(&s.several, None);
        cx.draw(4, 0);
        cx.om_set_render_targets(None, None);
        cx.draw(4, 0);
    }),
    ("in turn with depth alone", 64 + 64, 2, true, |cx, s| {
        cx.om_set_render_targets(None::<&RenderTargetView>, &s.depth);
        cx.clear_depth_stencil_view(&s.depth, ClearFlags::DEPTH, 1.0, 0);
        cx.draw(4, 0);
        cx.om_set_render_targets(None, None);
        cx.draw(4, 0);
    }),
    ("clears and copies between", 128, 2, true, |cx, s| {
        cx.draw(4, 0);
        cx.clear_render_target_view(&s.target.view, RED);
        cx.copy_resource(&s.copy.texture, &s.target.texture);
        cx.draw(4, 0);
    }),
];

#[test]
fn queries_see_draws_without_targets() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNoTargets]);
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            for queries in Scene::queries(h) {
                h.record(how, |cx| {
                    for ((_, _, _, _, draw), query) in ROWS.iter().zip(&queries) {
                        cx.clear_state();
                        scene.bind(cx);
                        cx.draw(4, 0);
                        cx.begin(query);
                        draw(cx, &scene);
                        cx.end(query);
                        scene.quad.draw(cx, RED);
                    }
                });
                for ((what, samples, quads, shades, _), query) in ROWS.iter().zip(&queries) {
                    let drawn = u64::from(h.draws());
                    let (samples, quads) = (samples * drawn, quads * drawn);
                    match answer(h, query) {
                        QueryData::Occlusion(found) => assert_eq!(found, samples, "{what}, {how:?}"),
                        QueryData::OcclusionPredicate(found) => {
                            assert_eq!(found, samples > 0, "{what}, {how:?}");
                        }
                        QueryData::PipelineStatistics(found) => {
                            // If the arguments are in a buffer, only the GPU knows the number of vertices.
                            if !what.starts_with("of arguments") {
                                let input = [found.ia_vertices, found.ia_primitives];
                                assert_eq!(input, [4 * quads, 2 * quads], "{what}, {how:?}: {found:?}");
                            }
                            assert_eq!(found.c_invocations, 2 * quads, "{what}, {how:?}: {found:?}");
                            assert_eq!(found.vs_invocations > 0, quads > 0, "{what}, {how:?}: {found:?}");
                            let shaded = *shades && drawn > 0;
                            assert_eq!(found.ps_invocations > 0, shaded, "{what}, {how:?}: {found:?}");
                        }
                        other => panic!("{what}, {how:?}: {other:?}"),
                    }
                }
            }
        }
        h.device.info_queue().take();
    });
}

/// The query begins before the execution of a list that was recorded without a query. The driver must record
/// the list's draws even though no target is bound, because a query may count their samples at execution.
#[test]
fn a_list_is_seen_whenever_it_is_executed_in_a_query() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNoTargets]);
        let scene = Scene::new(h);
        if !h.has_feature(Features::OCCLUSION_COUNTS) {
            return;
        }
        let query = h.device.create_query(QueryType::Occlusion).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        for with_target in [true, false, true, false] {
            let target = with_target.then_some(&scene.target.view);
            deferred.om_set_render_targets(target, None);
            (0..100).for_each(|_| deferred.draw(4, 0));
        }
        let list = deferred.finish_command_list(false).unwrap();
        for round in 0..8 {
            let is_begun = round % 4 != 1;
            if is_begun {
                h.immediate.begin(&query);
            }
            h.immediate.execute_command_list(&list, false);
            h.immediate.execute_command_list(&list, false);
            if is_begun {
                h.immediate.end(&query);
                let expected = 800 * 64 * u64::from(h.draws());
                assert_eq!(samples(h, &query), expected, "round {round}");
            }
        }
        h.device.info_queue().take();
    });
}

/// A shader that writes through views runs both with and without a query.
#[test]
fn draws_that_write_through_views_are_counted() {
    const SHADER: &str = "
        @group(3) @binding(0) var<storage, read_write> count: atomic<u32>;
        @fragment fn ps() { atomicAdd(&count, 1u); }";
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        if !h.has_feature(Features::OCCLUSION_COUNTS) {
            return;
        }
        let query = h.device.create_query(QueryType::Occlusion).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps")).unwrap();
        let desc = BufferDesc::structured(4, 1, BindFlags::UNORDERED_ACCESS);
        for how in CommandPath::ALL {
            let count = h.device.create_buffer(&desc, Some(&[0; 4])).unwrap();
            let counted = h.device.create_unordered_access_view(&count, None).unwrap();
            h.record(how, |cx| {
                scene.bind(cx);
                cx.om_set_unordered_access_views(0, &counted);
                scene.draw_with(cx, Some(&ps));
                cx.begin(&query);
                cx.draw(4, 0);
                scene.draw_with(cx, Some(&scene.discards));
                scene.draw_with(cx, Some(&ps));
                cx.end(&query);
                cx.draw(4, 0);
            });
            assert_eq!(samples(h, &query), 64 + 32 + 64, "{how:?}");
            let bytes = h.immediate.read_buffer::<u32>(&count).unwrap();
            assert_eq!(bytes, [4 * 64], "{how:?}");
        }
    });
}

/// A shader with eight outputs leaves no free slot for the placeholder target, which then needs a slot whose
/// output has the placeholder's type. With dual-source blending, only the first slot can be used.
#[test]
fn without_a_free_slot_draws_count_as_one() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::DrawUnsupported]);
        let scene = Scene::new(h);
        if !h.has_feature(Features::OCCLUSION_COUNTS) {
            return;
        }
        let eight = |kind_of: fn(u32) -> &'static str| {
            let members = |n| format!("@location({n}) o{n}: vec4<{}>, ", kind_of(n));
            let members: String = (0..8).map(members).collect();
            let text = format!(
                "struct Out {{ {members} }} @fragment fn ps() -> Out {{ var out: Out; return out; }}"
            );
            h.device.create_pixel_shader(ShaderSource::wgsl(&text, "ps")).unwrap()
        };
        let mut shaders = vec![
            (eight(|_| "f32"), 1, "free render-target slot"),
            (eight(|n| if n == 5 { "f32" } else { "u32" }), 1, "free render-target slot"),
            (eight(|_| "i32"), 0, "integers to all 8 targets"),
        ];
        if h.has_feature(Features::DUAL_SOURCE_BLEND) {
            let text = "enable dual_source_blending;
                struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
                @fragment fn ps() -> Out { return Out(vec4f(1.0), vec4f(1.0)); }";
            let shader = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
            shaders.push((shader, 1, "free render-target slot"));
            // HLSL cannot mark an output as the second source, so the blend state decides.
            let text = "void ps(out float4 a : SV_Target0, out float4 b : SV_Target1) { a = 1; b = 1; }";
            let shader = h.device.create_pixel_shader(ShaderSource::hlsl(text, "ps")).unwrap();
            shaders.push((shader, 1, "free render-target slot"));
        }
        let second = RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::Src1Color,
            ..RenderTargetBlendDesc::default()
        };
        let second = h.device.create_blend_state(&BlendDesc::all(second)).ok();
        let query = h.device.create_query(QueryType::Occlusion).unwrap();
        let mut messages = Vec::new();
        for (at, (shader, samples_of_it, words)) in shaders.iter().enumerate() {
            h.record(CommandPath::Immediate, |cx| {
                scene.bind(cx);
                cx.begin(&query);
                cx.draw(4, 0);
                if at >= 3 {
                    cx.om_set_blend_state(second.as_ref(), [1.0; 4], u32::MAX);
                }
                scene.draw_with(cx, Some(shader));
                cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
                scene.draw_with(cx, Some(&scene.discards));
                cx.end(&query);
            });
            assert_eq!(samples(h, &query), 64 + samples_of_it + 32, "shader {at}");
            messages.extend(h.device.info_queue().take());
            assert!(messages.iter().any(|m| m.description.contains(words)), "shader {at}: {messages:?}");
        }
    });
}

/// The placeholder target is bound to a slot without a shader output, which is a different slot for each of
/// these shaders.
#[test]
fn queries_see_each_shader_without_targets() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let shaders = [&scene.gives_none, &scene.gives_integers, &scene.gives_second, &scene.discards];
            let queries = shaders.map(|_| h.device.create_query(QueryType::OcclusionPredicate).unwrap());
            let around = h.device.create_query(QueryType::OcclusionPredicate).unwrap();
            h.record(how, |cx| {
                scene.bind(cx);
                cx.begin(&around);
                for (shader, query) in shaders.into_iter().zip(&queries) {
                    cx.begin(query);
                    scene.draw_with(cx, Some(shader));
                    cx.end(query);
                }
                cx.end(&around);
            });
            for (at, query) in queries.iter().chain([&around]).enumerate() {
                assert_eq!(answer(h, query), QueryData::OcclusionPredicate(true), "shader {at}, {how:?}");
            }
        }
    });
}

#[test]
fn shaders_with_the_same_outputs_share_a_pass() {
    // This test omits the configurations with one draw per page, because there each draw is a separate pass.
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        let scene = Scene::new(h);
        if !h.has_feature(Features::OCCLUSION_COUNTS) {
            return;
        }
        let query = h.device.create_query(QueryType::Occlusion).unwrap();
        h.immediate.flush();
        let before = h.device.statistics().passes;
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.begin(&query);
            for _ in 0..4 {
                scene.draw_with(cx, Some(&scene.discards));
                cx.om_set_render_targets(None, None);
                scene.draw_with(cx, Some(&scene.quad.ps));
            }
            cx.end(&query);
        });
        assert_eq!(samples(h, &query), 4 * (32 + 64));
        assert_eq!(h.device.statistics().passes, before + 1);
    });
}

#[test]
fn a_draw_outside_queries_needs_no_pass() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNoTargets]);
        let scene = Scene::new(h);
        let query = h.device.create_query(QueryType::OcclusionPredicate).unwrap();
        scene.bind(&mut h.immediate);
        h.immediate.flush();
        let before = h.device.statistics().passes;
        h.immediate.draw(4, 0);
        h.immediate.begin(&query);
        h.immediate.end(&query);
        h.immediate.draw(4, 0);
        h.wait();
        assert_eq!(h.device.statistics().passes, before);
        h.immediate.begin(&query);
        h.immediate.draw(4, 0);
        h.immediate.end(&query);
        (0..3).for_each(|_| h.immediate.draw(4, 0));
        assert_eq!(answer(h, &query), QueryData::OcclusionPredicate(true));
        assert_eq!(h.device.statistics().passes, before + 1);
        h.device.info_queue().take();
    });
}

#[test]
fn the_debug_layer_reports_draws_that_no_query_sees() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawNoTargets]);
        let scene = Scene::new(h);
        let device = h.device.clone();
        let reported = move || {
            let messages = device.info_queue().take();
            messages.iter().filter(|m| m.id == MessageId::DrawNoTargets).count()
        };
        let kinds = [
            (QueryType::Occlusion, true),
            (QueryType::OcclusionPredicate, true),
            (QueryType::PipelineStatistics, true),
            (QueryType::TimestampDisjoint, false),
        ];
        for (kind, sees_draws) in kinds {
            if !h.has_feature(kind.needs()) {
                continue;
            }
            let query = h.device.create_query(kind).unwrap();
            for is_deferred in [false, true] {
                let mut deferred = h.device.create_deferred_context().unwrap();
                h.immediate.clear_state();
                let cx: &mut DeviceContext = if is_deferred { &mut deferred } else { &mut h.immediate };
                scene.bind(cx);
                cx.draw(4, 0);
                assert_eq!(reported(), 1, "{kind:?}, before");
                cx.begin(&query);
                scene.bind(cx);
                cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
                cx.draw(4, 0);
                assert_eq!(reported() == 0, sees_draws, "{kind:?}, begun");
                cx.end(&query);
                cx.draw(4, 0);
                cx.draw(4, 0);
                assert_eq!(reported(), usize::from(sees_draws), "{kind:?}, after");
            }
        }
    });
}
