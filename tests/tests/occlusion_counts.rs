//! Occlusion queries, whose sample counts are exact unless no render-target slot is free or blending uses a
//! second output.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, DepthScene, Harness, Quad, Target, gpu_matrix, matrix, on_each, wait_for,
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// The left half of a viewport.
const LEFT: [f32; 4] = [-1.0, -1.0, 0.0, 1.0];

fn counters(h: &Harness, count: usize) -> Option<Vec<onze::Query>> {
    let has = h.has_feature(Features::OCCLUSION_COUNTS);
    has.then(|| (0..count).map(|_| h.device.create_query(QueryType::Occlusion).unwrap()).collect())
}

fn answer(h: &mut Harness, query: &onze::Query) -> u64 {
    match wait_for("there is a result", || h.immediate.get_data(query, false).unwrap()) {
        QueryData::Occlusion(samples) => samples,
        other => panic!("{other:?} is not a number of samples"),
    }
}

/// Asserts the counts, which are all 0 on devices that do not draw.
fn assert_counts(h: &mut Harness, queries: &[onze::Query], expected: &[u64], what: &str) {
    let drawn = u64::from(h.draws());
    let expected: Vec<_> = expected.iter().map(|samples| samples * drawn).collect();
    let answers: Vec<_> = queries.iter().map(|query| answer(h, query)).collect();
    assert_eq!(answers, expected, "{what}");
}

/// Pixel shaders and states that hide samples, and a scene of 8 by 8 texels with depth 0.5 and stencil 1.
struct Scene {
    depth: DepthScene,
    other: Target,
    less: DepthStencilState,
    stencil_equal: DepthStencilState,
    scissor: RasterizerState,
    /// Discards every other column of pixels.
    discards: PixelShader,
    /// Outputs a depth that passes the depth test only in the upper half.
    gives_depth: PixelShader,
    gives_two: PixelShader,
    gives_none: PixelShader,
    blends_nothing: BlendState,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let d = &h.device;
        let equal = DepthStencilOpDesc { stencil_func: ComparisonFunc::Equal, ..Default::default() };
        let stencil = DepthStencilDesc {
            depth_enable: false,
            stencil_enable: true,
            front_face: equal,
            back_face: equal,
            ..Default::default()
        };
        let less = DepthStencilDesc { depth_write: false, ..Default::default() };
        let masked =
            RenderTargetBlendDesc { render_target_write_mask: ColorWrite::empty(), ..Default::default() };
        let shader = |text: &str| d.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        Self {
            depth: DepthScene::with_stencil(h, 8, 8),
            other: Target::new(d, 8, 8),
            less: d.create_depth_stencil_state(&less).unwrap(),
            stencil_equal: d.create_depth_stencil_state(&stencil).unwrap(),
            scissor: d
                .create_rasterizer_state(&RasterizerDesc { scissor_enable: true, ..Default::default() })
                .unwrap(),
            discards: shader(
                "@fragment fn ps(@builtin(position) at: vec4f) -> @location(0) vec4f {
                    if (u32(at.x) & 1u) == 1u { discard; }
                    return vec4f(1.0);
                }",
            ),
            gives_depth: shader(
                "struct Out { @builtin(frag_depth) depth: f32, @location(0) color: vec4f }
                @fragment fn ps(@builtin(position) at: vec4f) -> Out {
                    return Out(select(0.25, 0.75, at.y > 4.0), vec4f(1.0));
                }",
            ),
            gives_two: shader(
                "struct Out { @location(1) second: vec4f, @location(0) color: vec4f }
                @fragment fn ps() -> Out { return Out(vec4f(0.0, 1.0, 0.0, 1.0), vec4f(1.0)); }",
            ),
            gives_none: shader("@fragment fn ps() {}"),
            blends_nothing: d.create_blend_state(&BlendDesc::all(masked)).unwrap(),
        }
    }

    fn begin(&self, cx: &mut DeviceContext) {
        self.depth.begin(cx, 0.5, 1);
        cx.om_set_depth_stencil_state(&self.less, 0);
    }

    fn draw(&self, cx: &mut DeviceContext, rect: [f32; 4], depth: f32) {
        self.depth.quad.draw_at(cx, RED, rect, depth);
    }

    fn draw_with(&self, cx: &mut DeviceContext, shader: Option<&PixelShader>) {
        self.depth.quad.bind(cx);
        self.depth.quad.set(cx, RED, Quad::ALL, 0.25);
        cx.ps_set_shader(shader);
        cx.draw(4, 0);
    }
}

/// A row's name, the number of samples that pass, and the commands within the query.
type Row = (&'static str, u64, fn(&mut DeviceContext, &Scene));

const ROWS: &[Row] = &[
    ("nothing", 0, |_, _| ()),
    ("all", 64, |cx, s| s.draw(cx, Quad::ALL, 0.25)),
    ("half", 32, |cx, s| s.draw(cx, LEFT, 0.25)),
    ("behind", 0, |cx, s| s.draw(cx, Quad::ALL, 0.75)),
    ("each draw counts", 64 * 3 + 32, |cx, s| {
        (0..3).for_each(|_| s.draw(cx, Quad::ALL, 0.25));
        s.draw(cx, LEFT, 0.25);
        s.draw(cx, LEFT, 0.75);
    }),
    ("stencil passes", 64, |cx, s| {
        cx.om_set_depth_stencil_state(&s.stencil_equal, 1);
        s.draw(cx, Quad::ALL, 0.75);
    }),
    ("stencil fails", 0, |cx, s| {
        cx.om_set_depth_stencil_state(&s.stencil_equal, 2);
        s.draw(cx, Quad::ALL, 0.25);
    }),
    ("within the scissor", 6, |cx, s| {
        cx.rs_set_state(&s.scissor);
        cx.rs_set_scissor_rects(onze::Rect { left: 3, top: 3, right: 6, bottom: 5 });
        s.draw(cx, Quad::ALL, 0.25);
    }),
    ("discarded by the shader", 32, |cx, s| s.draw_with(cx, Some(&s.discards))),
    ("hidden by the shader's depth", 32, |cx, s| s.draw_with(cx, Some(&s.gives_depth))),
    ("a shader depth without a depth target", 64, |cx, s| {
        cx.om_set_render_targets(&s.depth.target.view, None);
        s.draw_with(cx, Some(&s.gives_depth));
    }),
    ("a shader with more outputs than targets", 64, |cx, s| s.draw_with(cx, Some(&s.gives_two))),
    ("two targets", 64, |cx, s| {
        cx.om_set_render_targets([Some(&s.depth.target.view), Some(&s.other.view)], &s.depth.depth);
        s.draw_with(cx, Some(&s.gives_two));
    }),
    ("a shader without outputs", 64, |cx, s| s.draw_with(cx, Some(&s.gives_none))),
    ("no pixel shader", 64, |cx, s| s.draw_with(cx, None)),
    ("no color target", 32, |cx, s| {
        cx.om_set_render_targets(None::<&RenderTargetView>, &s.depth.depth);
        s.draw_with(cx, Some(&s.discards));
    }),
    ("no color target and no pixel shader", 64, |cx, s| {
        cx.om_set_render_targets(None::<&RenderTargetView>, &s.depth.depth);
        s.draw_with(cx, None);
    }),
    ("a gap before the target", 64, |cx, s| {
        cx.om_set_render_targets([None, Some(&s.other.view)], &s.depth.depth);
        s.draw_with(cx, Some(&s.gives_two));
    }),
    ("nothing is written", 64, |cx, s| {
        cx.om_set_blend_state(&s.blends_nothing, [1.0; 4], u32::MAX);
        s.draw(cx, Quad::ALL, 0.25);
    }),
    ("several shaders in turn", 64 + 32 + 64 + 64, |cx, s| {
        s.draw_with(cx, Some(&s.gives_two));
        s.draw_with(cx, Some(&s.discards));
        s.draw_with(cx, None);
        s.draw(cx, Quad::ALL, 0.25);
    }),
    ("clears and copies", 0, |cx, s| {
        cx.clear_render_target_view(&s.depth.target.view, RED);
        cx.copy_resource(&s.other.texture, &s.depth.target.texture);
    }),
    ("several targets in turn, with a copy", 64 * 3, |cx, s| {
        s.draw(cx, Quad::ALL, 0.25);
        cx.om_set_render_targets(&s.other.view, &s.depth.depth);
        s.draw(cx, Quad::ALL, 0.25);
        cx.copy_resource(&s.depth.target.texture, &s.other.texture);
        cx.om_set_render_targets(&s.depth.target.view, &s.depth.depth);
        s.draw(cx, Quad::ALL, 0.25);
    }),
];

#[test]
fn exactly_the_samples_that_pass_are_counted() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten, MessageId::DrawRenderTargetNotSet]);
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let Some(queries) = counters(h, ROWS.len()) else { return };
            h.record(how, |cx| {
                for ((_, _, draw), query) in ROWS.iter().zip(&queries) {
                    cx.clear_state();
                    scene.begin(cx);
                    // Draws before `begin` and after `end` must not count.
                    scene.draw(cx, Quad::ALL, 0.25);
                    cx.begin(query);
                    draw(cx, &scene);
                    cx.end(query);
                    scene.begin(cx);
                    scene.draw(cx, Quad::ALL, 0.25);
                }
            });
            for ((what, samples, _), query) in ROWS.iter().zip(&queries) {
                assert_counts(h, std::slice::from_ref(query), &[*samples], &format!("{what}, {how:?}"));
            }
        }
    });
}

/// See Wine 10.0, d3d11 tests, lines 6011 and 33613.
#[test]
fn a_quad_over_640_by_480_texels_is_307200_samples() {
    on_each(&gpu_matrix(), |h| {
        let (target, quad) = (Target::new(&h.device, 640, 480), Quad::new(&h.device));
        for how in CommandPath::ALL {
            let Some(queries) = counters(h, 1) else { return };
            h.record(how, |cx| {
                target.bind(cx);
                cx.begin(&queries[0]);
                quad.draw(cx, RED);
                cx.end(&queries[0]);
            });
            assert_counts(h, &queries, &[307_200], &format!("{how:?}"));
        }
    });
}

/// Multisampled and other targets take turns, so that each has a sum of its own.
#[test]
fn each_sample_of_a_multisampled_target_is_counted() {
    on_each(&gpu_matrix(), |h| {
        let desc =
            Texture2dDesc { sample_count: 4, ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8) };
        let texture = h.device.create_texture_2d(&desc, None).unwrap();
        let view = h.device.create_render_target_view(&texture, None).unwrap();
        let multisampled = Target { texture, view, width: 8, height: 8 };
        let (single, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        for how in CommandPath::ALL {
            let Some(queries) = counters(h, 4) else { return };
            h.record(how, |cx| {
                for (query, target) in queries.iter().zip([&single, &multisampled, &single, &multisampled]) {
                    target.bind(cx);
                    cx.begin(query);
                    quad.draw(cx, RED);
                    cx.end(query);
                }
            });
            assert_counts(h, &queries, &[64, 256, 64, 256], &format!("{how:?}"));
        }
    });
}

/// Covers a shader that writes only location 1, which has no target, and a draw without a pixel shader.
#[test]
fn samples_of_a_target_that_is_not_written_are_counted() {
    const VERTICES: &str = "@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(select(-1.0, 3.0, i == 2u), select(-1.0, 3.0, i == 1u), 0.0, 1.0);
    }";
    const SECOND: &str = "@fragment fn main() -> @location(1) vec4f { return vec4f(1.0); }";
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawRenderTargetNotSet]);
        let vertices = h.device.create_vertex_shader(ShaderSource::wgsl(VERTICES, "main")).unwrap();
        let second = h.device.create_pixel_shader(ShaderSource::wgsl(SECOND, "main")).unwrap();
        for format in [Format::R8G8B8A8_UNORM, Format::B8G8R8A8_UNORM, Format::R32_UINT, Format::R16_SINT] {
            let target = Target::with_format(&h.device, format, 8, 8);
            for how in CommandPath::ALL {
                let Some(queries) = counters(h, 2) else { return };
                h.record(how, |cx| {
                    target.bind(cx);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.vs_set_shader(&vertices);
                    for (query, pixels) in queries.iter().zip([Some(&second), None]) {
                        cx.ps_set_shader(pixels);
                        cx.begin(query);
                        cx.draw(3, 0);
                        cx.end(query);
                    }
                });
                assert_counts(h, &queries, &[64, 64], &format!("{format:?}, {how:?}"));
            }
        }
    });
}

#[test]
fn counting_does_not_change_the_picture() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[
            MessageId::DrawNoPixelShader,
            MessageId::DrawNothingWritten,
            MessageId::DrawRenderTargetNotSet,
        ]);
        let scene = Scene::new(h);
        let Some(queries) = counters(h, 1) else { return };
        for (what, _, draw) in ROWS {
            let mut pictures = [false, true].map(|counts| {
                h.record(CommandPath::Immediate, |cx| {
                    cx.clear_render_target_view(&scene.other.view, [0.0; 4]);
                    scene.begin(cx);
                    if counts {
                        cx.begin(&queries[0]);
                    }
                    draw(cx, &scene);
                    if counts {
                        cx.end(&queries[0]);
                    }
                });
                [scene.depth.target.read(h), scene.other.read(h)]
            });
            let counted = std::mem::take(&mut pictures[1]);
            assert!(counted == pictures[0], "{what}");
        }
    });
}

#[test]
fn counts_can_overlap_span_lists_and_restart() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::BeginDuplicate, MessageId::EndWithoutBegin]);
        let scene = Scene::new(h);
        let Some(queries) = counters(h, 4) else { return };
        let [outer, inner, late, own] = &queries[..] else { unreachable!() };
        let predicate = h.device.create_query(QueryType::OcclusionPredicate).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.begin(&mut deferred);
        scene.draw(&mut deferred, LEFT, 0.25);
        deferred.begin(own);
        scene.draw(&mut deferred, Quad::ALL, 0.25);
        deferred.end(own);
        let list = deferred.finish_command_list(false).unwrap();
        for round in 0..3 {
            let cx = &mut h.immediate;
            scene.begin(cx);
            cx.begin(outer);
            scene.draw(cx, Quad::ALL, 0.25);
            cx.begin(inner);
            cx.begin(&predicate);
            scene.draw(cx, Quad::ALL, 0.75);
            cx.end(&predicate);
            cx.execute_command_list(&list, true);
            if round == 1 {
                cx.flush();
            }
            cx.begin(late);
            cx.execute_command_list(&list, true);
            cx.end(inner);
            scene.draw(cx, LEFT, 0.25);
            cx.end(outer);
            scene.draw(cx, LEFT, 0.25);
            cx.end(late);
            let expected = [64 + 2 * 96 + 32, 2 * 96, 96 + 2 * 32, 64];
            assert_counts(h, &queries, &expected, &format!("round {round}"));
            let hidden = wait_for("there is a result", || h.immediate.get_data(&predicate, false).unwrap());
            assert_eq!(hidden, QueryData::OcclusionPredicate(false), "round {round}");
        }
        scene.begin(&mut h.immediate);
        h.immediate.begin(own);
        scene.draw(&mut h.immediate, Quad::ALL, 0.25);
        h.immediate.begin(own);
        scene.draw(&mut h.immediate, LEFT, 0.25);
        h.immediate.end(own);
        assert_counts(h, std::slice::from_ref(own), &[32], "begun twice");
        h.immediate.end(own);
        assert_counts(h, std::slice::from_ref(own), &[0], "ended twice");
    });
}

#[test]
fn a_count_without_a_free_slot_still_tells_visibility() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::DrawUnsupported]);
        let scene = Scene::new(h);
        let Some(queries) = counters(h, 3) else { return };
        let many: Vec<_> = (0..8).map(|_| Target::new(&h.device, 8, 8)).collect();
        let views: [_; 8] = std::array::from_fn(|at| Some(&many[at].view));
        let cx = &mut h.immediate;
        scene.begin(cx);
        cx.om_set_render_targets(views, &scene.depth.depth);
        cx.begin(&queries[0]);
        scene.draw(cx, Quad::ALL, 0.25);
        cx.end(&queries[0]);
        cx.begin(&queries[1]);
        scene.draw(cx, Quad::ALL, 0.75);
        cx.end(&queries[1]);
        // The first draw counts as 1, because no slot is free, but the second draw adds its exact count.
        cx.begin(&queries[2]);
        scene.draw(cx, Quad::ALL, 0.25);
        cx.om_set_render_targets(&scene.depth.target.view, &scene.depth.depth);
        scene.draw(cx, LEFT, 0.25);
        cx.end(&queries[2]);
        assert_counts(h, &queries, &[1, 0, 33], "eight targets");
        let messages = h.device.info_queue().take();
        assert!(messages.iter().any(|m| m.description.contains("free render-target slot")), "{messages:?}");
    });
}

/// Returns a state that blends with the second output of the pixel shader, if the adapter supports it.
fn blends_two(h: &Harness) -> Option<BlendState> {
    let desc = RenderTargetBlendDesc {
        blend_enable: true,
        src_blend: Blend::Src1Color,
        ..RenderTargetBlendDesc::default()
    };
    let has = h.has_feature(Features::DUAL_SOURCE_BLEND);
    has.then(|| h.device.create_blend_state(&BlendDesc::all(desc)).unwrap())
}

#[test]
fn draws_that_blend_with_a_second_output_count_as_one() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::DrawUnsupported]);
        let Some((state, queries)) = blends_two(h).zip(counters(h, 1)) else { return };
        let scene = Scene::new(h);
        let text = "enable dual_source_blending;
            struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
            @fragment fn ps() -> Out { return Out(vec4f(1.0), vec4f(1.0)); }";
        let shader = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let cx = &mut h.immediate;
        scene.begin(cx);
        cx.begin(&queries[0]);
        scene.draw(cx, LEFT, 0.25);
        cx.om_set_blend_state(&state, [1.0; 4], u32::MAX);
        scene.draw_with(cx, Some(&shader));
        cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
        scene.draw(cx, LEFT, 0.25);
        cx.end(&queries[0]);
        assert_counts(h, &queries, &[32 + 1 + 32], "a second output between two draws");
        h.device.info_queue().take();
    });
}

/// The shader has two outputs with each state, so the counter depends on the blend state alone.
#[test]
fn another_blend_state_adds_or_removes_the_counter() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::DrawUnsupported, MessageId::DrawRenderTargetNotSet]);
        let Some((state, queries)) = blends_two(h).zip(counters(h, 1)) else { return };
        let scene = Scene::new(h);
        let cx = &mut h.immediate;
        scene.begin(cx);
        scene.depth.quad.bind(cx);
        scene.depth.quad.set(cx, RED, LEFT, 0.25);
        cx.ps_set_shader(&scene.gives_two);
        cx.begin(&queries[0]);
        for blend in [None, Some(&state), None, Some(&state), None] {
            cx.om_set_blend_state(blend, [1.0; 4], u32::MAX);
            cx.draw(4, 0);
        }
        cx.end(&queries[0]);
        assert_counts(h, &queries, &[32 + 1 + 32 + 1 + 32], "a second output in every other draw");
        h.device.info_queue().take();
    });
}
