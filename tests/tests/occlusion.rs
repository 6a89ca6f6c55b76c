//! Occlusion predicates: the draws that they cover, and their results in command lists.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, DepthScene, Harness, Quad, Target, assert_error, matrix, on_each, wait_for,
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn predicate(device: &Device) -> onze::Query {
    let query = device.create_query(QueryType::OcclusionPredicate).unwrap();
    assert_eq!(query.query_type(), QueryType::OcclusionPredicate);
    query
}

fn predicates<const N: usize>(h: &Harness) -> [onze::Query; N] {
    std::array::from_fn(|_| predicate(&h.device))
}

fn answer(h: &mut Harness, query: &onze::Query) -> bool {
    match wait_for("there is a result", || h.immediate.get_data(query, false).unwrap()) {
        QueryData::OcclusionPredicate(visible) => visible,
        other => panic!("{other:?} is not the result of a predicate"),
    }
}

/// Asserts the results, but expects nothing to be visible on devices that do not draw.
fn assert_answers(h: &mut Harness, queries: &[onze::Query], expected: &[bool], what: &str) {
    let draws = h.draws();
    let expected: Vec<_> = expected.iter().map(|visible| *visible && draws).collect();
    let answers: Vec<_> = queries.iter().map(|query| answer(h, query)).collect();
    assert_eq!(answers, expected, "{what}");
}

/// States that can hide a draw, and a scene with depth 0.5 and stencil 1.
struct Scene {
    depth: DepthScene,
    other: Target,
    mips: ShaderResourceView,
    less: DepthStencilState,
    stencil_equal: DepthStencilState,
    scissor: RasterizerState,
    discard: PixelShader,
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
        let discard = "@fragment fn ps_main() -> @location(0) vec4<f32> { discard; return vec4<f32>(); }";
        let mips = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8)
        };
        let mips = d.create_texture_2d(&mips, None).unwrap();
        Self {
            depth: DepthScene::with_stencil(h, 8, 8),
            other: Target::new(d, 8, 8),
            mips: d.create_shader_resource_view(&mips, None).unwrap(),
            less: d.create_depth_stencil_state(&less).unwrap(),
            stencil_equal: d.create_depth_stencil_state(&stencil).unwrap(),
            scissor: d
                .create_rasterizer_state(&RasterizerDesc { scissor_enable: true, ..Default::default() })
                .unwrap(),
            discard: d.create_pixel_shader(ShaderSource::wgsl(discard, "ps_main")).unwrap(),
        }
    }

    fn begin(&self, cx: &mut DeviceContext) {
        self.depth.begin(cx, 0.5, 1);
        cx.om_set_depth_stencil_state(&self.less, 0);
    }

    fn draw(&self, cx: &mut DeviceContext, depth: f32) {
        self.depth.quad.draw_at(cx, RED, Quad::ALL, depth);
    }
}

/// A row's name, whether any sample passes, and the commands within the query.
type Row = (&'static str, bool, fn(&mut DeviceContext, &Scene));

const ROWS: &[Row] = &[
    ("nothing", false, |_, _| ()),
    ("in front", true, |cx, s| s.draw(cx, 0.25)),
    ("behind", false, |cx, s| s.draw(cx, 0.75)),
    ("behind, then in front", true, |cx, s| {
        s.draw(cx, 0.75);
        s.draw(cx, 0.25);
    }),
    ("one texel", true, |cx, s| s.depth.cell(cx, 9, 0.25, RED)),
    ("stencil passes", true, |cx, s| {
        cx.om_set_depth_stencil_state(&s.stencil_equal, 1);
        s.draw(cx, 0.75);
    }),
    ("stencil fails", false, |cx, s| {
        cx.om_set_depth_stencil_state(&s.stencil_equal, 2);
        s.draw(cx, 0.25);
    }),
    ("outside of the scissor", false, |cx, s| {
        cx.rs_set_state(&s.scissor);
        cx.rs_set_scissor_rects(onze::Rect { left: 9, top: 0, right: 12, bottom: 4 });
        s.draw(cx, 0.25);
    }),
    ("within the scissor", true, |cx, s| {
        cx.rs_set_state(&s.scissor);
        cx.rs_set_scissor_rects(onze::Rect { left: 3, top: 3, right: 4, bottom: 4 });
        s.draw(cx, 0.25);
    }),
    ("outside of the viewport", false, |cx, s| {
        s.depth.quad.draw_at(cx, RED, [2.0, 2.0, 3.0, 3.0], 0.25);
    }),
    ("no vertices", false, |cx, s| {
        s.depth.quad.bind(cx);
        cx.draw(0, 0);
    }),
    ("discarded by the shader", false, |cx, s| {
        s.depth.quad.bind(cx);
        s.depth.quad.set(cx, RED, Quad::ALL, 0.25);
        cx.ps_set_shader(&s.discard);
        cx.draw(4, 0);
    }),
    ("clears", false, |cx, s| {
        cx.clear_render_target_view(&s.depth.target.view, RED);
        cx.clear_depth_stencil_view(&s.depth.depth, ClearFlags::DEPTH, 1.0, 0);
    }),
    ("behind, before and after a clear", true, |cx, s| {
        s.draw(cx, 0.75);
        cx.clear_depth_stencil_view(&s.depth.depth, ClearFlags::DEPTH, 1.0, 0);
        s.draw(cx, 0.75);
    }),
    ("copies", false, |cx, s| cx.copy_resource(&s.depth.target.texture, &s.other.texture)),
    // The driver generates mips with draws, but the query must not count them.
    ("mips", false, |cx, s| cx.generate_mips(&s.mips)),
];

#[test]
fn a_sample_that_passes_depth_and_stencil_tests_is_visible() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::DrawScissorEmpty]);
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let queries: Vec<_> = ROWS.iter().map(|_| predicate(&h.device)).collect();
            h.record(how, |cx| {
                for ((_, _, draw), query) in ROWS.iter().zip(&queries) {
                    cx.clear_state();
                    scene.begin(cx);
                    // Draws before `begin` and after `end` must not count.
                    scene.draw(cx, 0.25);
                    cx.begin(query);
                    draw(cx, &scene);
                    cx.end(query);
                    scene.begin(cx);
                    scene.draw(cx, 0.25);
                }
            });
            for ((what, visible, _), query) in ROWS.iter().zip(&queries) {
                assert_answers(h, std::slice::from_ref(query), &[*visible], &format!("{what}, {how:?}"));
            }
        }
    });
}

#[test]
fn overlapping_queries_see_only_their_own_draws() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let queries @ [outer, first, last, inner, late] = &predicates::<5>(h);
            h.record(how, |cx| {
                scene.begin(cx);
                cx.begin(outer);
                cx.begin(first);
                scene.draw(cx, 0.75);
                cx.begin(last);
                cx.begin(inner);
                scene.draw(cx, 0.75);
                cx.end(first);
                cx.end(inner);
                cx.begin(late);
                scene.draw(cx, 0.25);
                cx.end(last);
                cx.end(outer);
                scene.draw(cx, 0.75);
                cx.end(late);
            });
            assert_answers(h, queries, &[true, false, true, false, true], &format!("{how:?}"));
        }
    });
}

/// A query covers many draws, with other passes, updates and copies between them. If `visible` is true,
/// exactly one of these draws, near the end, passes the depth test.
#[test]
fn a_query_spans_targets_copies_maps_and_flushes() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let other = &scene.other;
        let word = h.device.create_buffer(&BufferDesc::new(4, BindFlags::VERTEX_BUFFER), None).unwrap();
        for how in CommandPath::ALL {
            for visible in [false, true] {
                let [query, around] = &predicates::<2>(h);
                h.record(how, |cx| {
                    scene.begin(cx);
                    cx.begin(around);
                    scene.draw(cx, 0.75);
                    cx.begin(query);
                    for n in 0..20 {
                        scene.draw(cx, if visible && n == 18 { 0.25 } else { 0.75 });
                        cx.update_subresource(&word, 0, None, &[n], 0, 0);
                        scene.draw(cx, 0.75);
                        // The clear becomes the load operation of a pass in which no sample passes.
                        cx.clear_render_target_view(&other.view, RED);
                        cx.om_set_render_targets(&other.view, &scene.depth.depth);
                        scene.draw(cx, 0.75);
                        cx.copy_resource(&scene.depth.target.texture, &other.texture);
                        cx.om_set_render_targets(&scene.depth.target.view, &scene.depth.depth);
                    }
                    cx.end(query);
                    scene.draw(cx, 0.75);
                    cx.end(around);
                    scene.draw(cx, 0.25);
                });
                let both = [query.clone(), around.clone()];
                assert_answers(h, &both, &[visible; 2], &format!("{how:?}, visible: {visible}"));
            }
        }
        let [query] = &predicates::<1>(h);
        for visible in [true, false, true] {
            h.immediate.clear_state();
            scene.begin(&mut h.immediate);
            h.immediate.begin(query);
            scene.draw(&mut h.immediate, if visible { 0.25 } else { 0.75 });
            for _ in 0..3 {
                h.immediate.flush();
                scene.draw(&mut h.immediate, 0.75);
                h.read(&other.texture, 0);
            }
            h.immediate.end(query);
            assert_answers(h, std::slice::from_ref(query), &[visible], "submitted while it was begun");
        }
    });
}

/// Uses more segments than one of the driver's query sets contains, within passes and across passes.
#[test]
fn thousands_of_queries_in_a_frame_have_results() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let scene = Scene::new(h);
        let queries: Vec<_> = (0..3000).map(|_| predicate(&h.device)).collect();
        for frame in 0..2 {
            scene.begin(&mut h.immediate);
            scene.draw(&mut h.immediate, 0.75);
            for (n, query) in queries.iter().enumerate() {
                h.immediate.begin(query);
                scene.depth.cell(
                    &mut h.immediate,
                    n as u32 % 64,
                    if (n + frame) % 3 == 0 { 0.25 } else { 0.75 },
                    RED,
                );
                h.immediate.end(query);
            }
            let expected: Vec<_> = (0..queries.len()).map(|n| (n + frame) % 3 == 0).collect();
            assert_answers(h, &queries, &expected, "one query for each draw");
        }
    });
}

/// See Wine 10.0, d3d11 tests, lines 6011 to 6296.
#[test]
fn a_query_is_read_after_its_end_and_restarts_each_time() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::EndWithoutBegin]);
        let scene = Scene::new(h);
        let query = &predicate(&h.device);
        let refused = |h: &mut Harness, when: &str| {
            for do_not_flush in [false, true] {
                assert_error!(h.immediate.get_data(query, do_not_flush), InvalidCall, "{when}");
                h.assert_reported(MessageId::GetDataInvalid);
            }
        };
        let check =
            |h: &mut Harness, visible, what| assert_answers(h, std::slice::from_ref(query), &[visible], what);
        refused(h, "new");
        h.immediate.end(query);
        check(h, false, "ended only");
        scene.begin(&mut h.immediate);
        h.immediate.begin(query);
        refused(h, "begun, after an answer");
        scene.draw(&mut h.immediate, 0.25);
        refused(h, "begun and drawn");
        h.immediate.end(query);
        check(h, true, "ended");
        check(h, true, "asked again");
        h.immediate.end(query);
        check(h, false, "ended again, without a beginning");

        h.immediate.begin(query);
        scene.draw(&mut h.immediate, 0.25);
        h.immediate.begin(query);
        h.assert_reported(MessageId::BeginDuplicate);
        refused(h, "begun twice");
        scene.draw(&mut h.immediate, 0.75);
        h.immediate.end(query);
        check(h, false, "what was seen before the second beginning is forgotten");
        h.immediate.end(query);
        h.immediate.begin(query);
        scene.draw(&mut h.immediate, 0.25);
        h.immediate.end(query);
        // Results of earlier rounds may still be pending when the last result is read.
        check(h, true, "the last round");
    });
}

/// See Wine 10.0, d3d11 tests, line 33613.
#[test]
fn a_query_in_a_list_returns_its_last_execution() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::EndWithoutBegin]);
        let scene = Scene::new(h);
        let query = &predicate(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let mut lists = [0.25, 0.75].map(|depth| {
            deferred.om_set_depth_stencil_state(&scene.less, 0);
            deferred.om_set_render_targets(&scene.depth.target.view, &scene.depth.depth);
            deferred.rs_set_viewports(scene.depth.target.viewport());
            deferred.begin(query);
            scene.draw(&mut deferred, depth);
            deferred.end(query);
            let inner = deferred.finish_command_list(false).unwrap();
            deferred.execute_command_list(&inner, false);
            (inner, deferred.finish_command_list(false).unwrap())
        });
        assert_error!(h.immediate.get_data(query, false), InvalidCall, "only recorded");
        h.assert_reported(MessageId::GetDataInvalid);
        for (n, visible) in [true, true, false, true, false, false].into_iter().enumerate() {
            scene.begin(&mut h.immediate);
            let (inner, outer) = &lists[usize::from(!visible)];
            // Only the last execution counts, even if earlier executions are in the same submission.
            for _ in 0..n {
                h.immediate.execute_command_list(&lists[usize::from(visible)].1, false);
            }
            h.immediate.execute_command_list(if n % 2 == 0 { inner } else { outer }, false);
            assert_answers(h, std::slice::from_ref(query), &[visible], &format!("execution {n}"));
        }
        // A list ends the query several times, with the last `end` first in an inner list, and later in the
        // outer list itself.
        lists.reverse();
        let [(hidden, _), (shown, _)] = &lists;
        for [first, second] in [[hidden, shown], [shown, hidden]] {
            deferred.end(query);
            deferred.execute_command_list(first, false);
            deferred.execute_command_list(second, false);
            let list = deferred.finish_command_list(false).unwrap();
            h.immediate.execute_command_list(&list, false);
            let visible = std::ptr::eq(second, shown);
            assert_answers(h, std::slice::from_ref(query), &[visible], "the last of the inner lists");
            deferred.execute_command_list(second, false);
            deferred.end(query);
            let list = deferred.finish_command_list(false).unwrap();
            h.immediate.execute_command_list(&list, false);
            assert_answers(h, std::slice::from_ref(query), &[false], "ended after the inner list");
        }
    });
}

#[test]
fn a_query_sees_draws_of_lists_executed_within_it() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::DrawViewportNotSet]);
        let scene = Scene::new(h);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.begin(&mut deferred);
        for _ in 0..3 {
            scene.draw(&mut deferred, 0.75);
        }
        scene.draw(&mut deferred, 0.25);
        let shown = deferred.finish_command_list(false).unwrap();
        let [own] = &predicates::<1>(h);
        scene.begin(&mut deferred);
        deferred.begin(own);
        scene.draw(&mut deferred, 0.75);
        deferred.end(own);
        let hidden = deferred.finish_command_list(false).unwrap();
        for how in CommandPath::ALL {
            let queries @ [around, before, after, nothing] = &predicates::<4>(h);
            h.record(how, |cx| {
                scene.begin(cx);
                cx.begin(around);
                cx.begin(before);
                cx.execute_command_list(&hidden, false);
                cx.end(before);
                cx.begin(after);
                cx.execute_command_list(&shown, true);
                cx.begin(nothing);
                scene.draw(cx, 0.75);
                cx.execute_command_list(&hidden, false);
                cx.end(nothing);
                cx.end(around);
                cx.end(after);
            });
            assert_answers(h, queries, &[true, false, true, false], &format!("{how:?}"));
            assert_answers(h, std::slice::from_ref(own), &[false], "the list's own");
        }
    });
}

#[test]
fn a_list_whose_query_is_begun_does_not_run() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::EndWithoutBegin]);
        let scene = Scene::new(h);
        let query = &predicate(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.begin(&mut deferred);
        deferred.begin(query);
        scene.draw(&mut deferred, 0.25);
        deferred.end(query);
        let inner = deferred.finish_command_list(false).unwrap();
        deferred.end(query);
        let ends = deferred.finish_command_list(false).unwrap();
        deferred.execute_command_list(&inner, false);
        let outer = deferred.finish_command_list(false).unwrap();
        let lists = [(&inner, "list"), (&ends, "list that only ends it"), (&outer, "list in a list")];
        let nested = |h: &mut Harness, list: &CommandList| {
            let mut deferred = h.device.create_deferred_context().unwrap();
            deferred.begin(query);
            deferred.execute_command_list(list, false);
            h.assert_reported(MessageId::ExecuteCommandListBegunQuery);
            deferred.end(query);
            deferred.finish_command_list(false).unwrap()
        };
        for (list, what) in lists {
            for restore in [false, true] {
                let cx = &mut h.immediate;
                cx.clear_render_target_view(&scene.depth.target.view, [0.0; 4]);
                cx.rs_set_viewports(scene.depth.target.viewport());
                cx.begin(query);
                cx.execute_command_list(list, restore);
                h.assert_reported(MessageId::ExecuteCommandListBegunQuery);
                let viewports = h.immediate.rs_get_viewports().len();
                assert_eq!(viewports, usize::from(restore), "{what}: the state is not as after a run");
                h.immediate.end(query);
                assert_answers(h, std::slice::from_ref(query), &[false], what);
                assert!(scene.depth.target.read(h).iter().all(|texel| *texel == 0), "{what} has drawn");
            }
            let list = nested(h, list);
            h.immediate.execute_command_list(&list, false);
            assert_answers(h, std::slice::from_ref(query), &[false], what);
            assert!(scene.depth.target.read(h).iter().all(|texel| *texel == 0), "{what} has drawn");
        }
        // The list can be executed again while another query is active, or while the same query is active on
        // another context.
        let other = predicate(&h.device);
        h.immediate.begin(&other);
        deferred.begin(query);
        h.immediate.execute_command_list(&outer, false);
        h.immediate.end(&other);
        deferred.end(query);
        assert_answers(h, &[query.clone(), other], &[true, true], "neither was begun here");
        drop(deferred);
    });
}

#[test]
fn finishing_a_list_ends_the_queries_that_are_begun() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let [open, closed] = &predicates::<2>(h);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.begin(&mut deferred);
        deferred.begin(closed);
        deferred.begin(open);
        scene.draw(&mut deferred, 0.25);
        deferred.end(closed);
        h.assert_silent();
        let list = deferred.finish_command_list(false).unwrap();
        h.assert_reported(MessageId::FinishCommandListOpenQuery);
        // The next recording starts without an open query.
        scene.begin(&mut deferred);
        scene.draw(&mut deferred, 0.25);
        let next = deferred.finish_command_list(false).unwrap();
        assert!(h.device.info_queue().take().is_empty());
        for query in [open, closed] {
            assert_error!(h.immediate.get_data(query, false), InvalidCall);
            h.assert_reported(MessageId::GetDataInvalid);
        }
        h.immediate.execute_command_list(&list, false);
        assert_answers(h, &[open.clone(), closed.clone()], &[true; 2], "both are ended");
        scene.begin(&mut h.immediate);
        h.immediate.begin(open);
        scene.draw(&mut h.immediate, 0.75);
        h.immediate.end(open);
        h.immediate.execute_command_list(&next, false);
        assert_answers(h, std::slice::from_ref(open), &[false], "it does not go on in the next list");
    });
}

#[test]
fn a_query_may_be_dropped_while_it_is_begun() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        scene.begin(&mut h.immediate);
        let [kept] = &predicates::<1>(h);
        let lost = predicate(&h.device);
        h.immediate.begin(&lost);
        h.immediate.begin(kept);
        scene.draw(&mut h.immediate, 0.75);
        drop(lost);
        h.immediate.flush();
        scene.draw(&mut h.immediate, 0.25);
        h.immediate.end(kept);
        assert_answers(h, std::slice::from_ref(kept), &[true], "the other one");
        // A dropped recording leaves no open query either.
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.begin(&predicate(&h.device));
        deferred.begin(kept);
        drop(deferred);
        // The harness checks for leaks, even though this query is still active when the test ends.
        h.immediate.begin(&predicate(&h.device));
    });
}
