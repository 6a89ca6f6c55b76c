//! Predication: the commands that a predicate can skip, and the query result that each command uses.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Quad, Target, matrix, null_matrix, on_each};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const NOTHING: [f32; 4] = [2.0, 2.0, 3.0, 3.0];

struct Scene {
    target: Target,
    depth: DepthStencilView,
    depths: Texture2d,
    quad: Quad,
    seen: Target,
    source: Target,
    mips: Texture2d,
    mips_view: ShaderResourceView,
    first_mip: RenderTargetView,
    numbers: Buffer,
    numbers_view: UnorderedAccessView,
    counted: UnorderedAccessView,
    groups: ComputeShader,
    constants: Buffer,
    dynamic: Buffer,
    copies: Buffer,
    arguments: Buffer,
    staging: Buffer,
    group_counts: Buffer,
    threes: Buffer,
}

impl Scene {
    fn new(h: &Harness) -> Self {
        let d = &h.device;
        let depth = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
        let depths = d.create_texture_2d(&depth, None).unwrap();
        let mips = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
        };
        let mips = d.create_texture_2d(&mips, None).unwrap();
        let numbers = BufferDesc::structured(4, 16, BindFlags::UNORDERED_ACCESS);
        let numbers = d.create_buffer(&numbers, None).unwrap();
        let counted = UnorderedAccessViewDesc {
            dimension: Some(UnorderedAccessViewDimension::Buffer {
                first_element: 0,
                num_elements: 16,
                flags: BufferUavFlags::COUNTER,
            }),
            ..Default::default()
        };
        let groups = "@group(3) @binding(0) var<storage, read_write> numbers: array<u32>;
            @compute @workgroup_size(16) fn cs(@builtin(local_invocation_index) at: u32) { numbers[at] = at + 1u; }";
        let arguments = BufferDesc {
            misc_flags: MiscFlags::DRAWINDIRECT_ARGS,
            ..BufferDesc::new(16, BindFlags::VERTEX_BUFFER)
        };
        let plain = |bytes| BufferDesc::new(bytes, BindFlags::VERTEX_BUFFER);
        let other =
            d.create_buffer(&BufferDesc::structured(4, 16, BindFlags::UNORDERED_ACCESS), None).unwrap();
        Self {
            target: Target::new(d, 4, 4),
            depth: d.create_depth_stencil_view(&depths, None).unwrap(),
            depths,
            quad: Quad::new(d),
            seen: Target::new(d, 4, 4),
            source: Target::new(d, 4, 4),
            mips_view: d.create_shader_resource_view(&mips, None).unwrap(),
            first_mip: d.create_render_target_view(&mips, None).unwrap(),
            mips,
            numbers_view: d.create_unordered_access_view(&numbers, None).unwrap(),
            numbers,
            counted: d.create_unordered_access_view(&other, Some(&counted)).unwrap(),
            groups: d.create_compute_shader(ShaderSource::wgsl(groups, "cs")).unwrap(),
            constants: d
                .create_buffer(&BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), Some(&[0; 64]))
                .unwrap(),
            dynamic: d.create_buffer(&BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), None).unwrap(),
            copies: d.create_buffer(&plain(64), Some(&[0; 64])).unwrap(),
            arguments: d.create_buffer(&arguments, Some(bytemuck::cast_slice(&[4_u32, 1, 0, 0]))).unwrap(),
            group_counts: d.create_buffer(&arguments, Some(bytemuck::cast_slice(&[1_u32, 1, 1, 0]))).unwrap(),
            threes: d.create_buffer(&plain(64), Some(&[3; 64])).unwrap(),
            staging: d.create_buffer(&BufferDesc::staging(64, CpuAccessFlags::READ), None).unwrap(),
        }
    }

    /// Restores the contents that all targets and destinations have before the tested command.
    fn reset(&self, cx: &mut DeviceContext) {
        for view in [&self.target.view, &self.first_mip] {
            cx.clear_render_target_view(view, [0.0; 4]);
        }
        cx.generate_mips(&self.mips_view);
        cx.clear_render_target_view(&self.first_mip, RED);
        cx.clear_render_target_view(&self.source.view, RED);
        cx.clear_depth_stencil_view(&self.depth, ClearFlags::DEPTH, 1.0, 0);
        cx.clear_unordered_access_view_uint(&self.numbers_view, [0; 4]);
        // The null driver ignores clears, so this update resets the contents.
        cx.update_subresource(&self.target.texture, 0, None, &[0_u8; 64], 16, 0);
        for buffer in [&self.constants, &self.copies] {
            cx.update_subresource(buffer, 0, None, &[0_u8; 64], 0, 0);
        }
        cx.update_subresource(&self.arguments, 0, None, &[4_u32, 1, 0, 0], 0, 0);
        cx.map(&self.dynamic, 0, MapType::WriteDiscard).unwrap().fill(0);
        cx.copy_resource(&self.staging, &self.copies);
        cx.cs_set_unordered_access_views_with_counts(0, &self.counted, &[3]);
        cx.cs_set_unordered_access_views(0, None);
        self.target.bind(cx);
        self.quad.bind(cx);
        self.quad.set(cx, RED, Quad::ALL, 0.5);
    }

    /// Runs the predicate's query around a visible draw or a hidden draw.
    fn see(&self, cx: &mut DeviceContext, predicate: &onze::Query, visible: bool) {
        self.seen.bind(cx);
        cx.begin(predicate);
        self.quad.draw_at(cx, RED, if visible { Quad::ALL } else { NOTHING }, 0.5);
        cx.end(predicate);
        self.target.bind(cx);
        self.quad.set(cx, RED, Quad::ALL, 0.5);
    }

    fn contents(&self, h: &mut Harness) -> Vec<Vec<u8>> {
        let textures = [(&self.target.texture, 0), (&self.mips, 1), (&self.depths, 0)];
        let mut all: Vec<_> = textures.into_iter().map(|(texture, mip)| h.read(texture, mip)).collect();
        let cx = &mut h.immediate;
        cx.copy_structure_count(&self.arguments, 0, &self.counted);
        for buffer in
            [&self.numbers, &self.constants, &self.copies, &self.dynamic, &self.arguments, &self.staging]
        {
            all.push(cx.read_buffer(buffer).unwrap());
        }
        all
    }
}

/// A command's name, whether a predicate can skip the command, and its code.
type Row = (&'static str, bool, fn(&mut DeviceContext, &Scene));

const ROWS: &[Row] = &[
    ("draw", true, |cx, _| cx.draw(4, 0)),
    ("draws with nothing between them", true, |cx, _| (0..5).for_each(|_| cx.draw(4, 0))),
    ("instances", true, |cx, _| cx.draw_instanced(4, 2, 0, 0)),
    ("an indirect draw", true, |cx, s| cx.draw_instanced_indirect(&s.arguments, 0)),
    ("dispatch", true, |cx, s| {
        cx.cs_set_shader(&s.groups);
        cx.cs_set_unordered_access_views(0, &s.numbers_view);
        cx.dispatch(1, 1, 1);
        cx.cs_set_unordered_access_views(0, None);
    }),
    ("an indirect dispatch", true, |cx, s| {
        cx.cs_set_shader(&s.groups);
        cx.cs_set_unordered_access_views(0, &s.numbers_view);
        cx.dispatch_indirect(&s.group_counts, 0);
        cx.cs_set_unordered_access_views(0, None);
    }),
    ("a clear of a target", true, |cx, s| cx.clear_render_target_view(&s.target.view, RED)),
    ("a clear of a depth", true, |cx, s| {
        cx.clear_depth_stencil_view(&s.depth, ClearFlags::DEPTH, 0.0, 0);
    }),
    ("a clear of a view", true, |cx, s| cx.clear_unordered_access_view_uint(&s.numbers_view, [7; 4])),
    ("a copy of a texture", true, |cx, s| cx.copy_resource(&s.target.texture, &s.source.texture)),
    ("a copy of a part", true, |cx, s| {
        let part = Box3d::rect(0, 0, 2, 2);
        cx.copy_subresource_region(&s.target.texture, 0, [1, 1, 0], &s.source.texture, 0, Some(part));
    }),
    ("a copy of a buffer", true, |cx, s| cx.copy_resource(&s.copies, &s.threes)),
    ("a copy of a counter", true, |cx, s| cx.copy_structure_count(&s.copies, 8, &s.counted)),
    ("an update of a buffer", true, |cx, s| cx.update_subresource(&s.copies, 0, None, &[5_u8; 64], 0, 0)),
    ("an update of constants", true, |cx, s| cx.update_subresource(&s.constants, 0, None, &[6_u8; 64], 0, 0)),
    ("an update of a texture", true, |cx, s| {
        cx.update_subresource(&s.target.texture, 0, None, &[9_u8; 64], 16, 0);
    }),
    ("mips", true, |cx, s| cx.generate_mips(&s.mips_view)),
    ("a copy to staging memory", true, |cx, s| cx.copy_resource(&s.staging, &s.threes)),
    ("a map", false, |cx, s| cx.map(&s.dynamic, 0, MapType::WriteDiscard).unwrap().fill(8)),
    ("an initial count", false, |cx, s| {
        cx.cs_set_unordered_access_views_with_counts(0, &s.counted, &[9]);
        cx.cs_set_unordered_access_views(0, None);
    }),
    ("nothing", false, |_, _| ()),
];

#[test]
fn a_predicate_skips_exactly_the_dependent_commands() {
    on_each(&matrix(), |h| {
        if !h.has_feature(Features::PREDICATION) {
            return;
        }
        let scene = Scene::new(h);
        let predicate = h.device.create_predicate(QueryType::OcclusionPredicate).unwrap();
        for how in CommandPath::ALL {
            for (what, depends, command) in ROWS {
                let [without, with] = [false, true].map(|executes| {
                    h.record(how, |cx| {
                        scene.reset(cx);
                        if executes {
                            command(cx, &scene);
                        }
                    });
                    scene.contents(h)
                });
                // The null driver executes only copies, updates and maps.
                assert!(with != without || !h.draws() || *what == "nothing", "{what} does nothing");
                for (visible, value) in [(false, false), (false, true), (true, false), (true, true)] {
                    h.record(how, |cx| {
                        scene.reset(cx);
                        scene.see(cx, &predicate, visible);
                        cx.set_predication(&predicate, value);
                        command(cx, &scene);
                        cx.set_predication(None, false);
                    });
                    // On devices that do not draw, nothing is visible.
                    let skips = *depends && (visible && h.draws()) == value;
                    let (found, expected) = (scene.contents(h), if skips { &without } else { &with });
                    assert!(
                        found == *expected,
                        "{what}, {how:?}, visible {visible}, value {value}: {found:?}, not {expected:?}"
                    );
                }
            }
        }
    });
}

#[test]
fn a_predicate_persists_across_flushes_until_replaced() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let queries = [(); 2].map(|()| h.device.create_predicate(QueryType::OcclusionPredicate).unwrap());
        let [hidden, shown] = &queries;
        let black = |h: &mut Harness| scene.target.read(h).iter().all(|texel| *texel == 0);
        scene.reset(&mut h.immediate);
        scene.see(&mut h.immediate, hidden, false);
        scene.see(&mut h.immediate, shown, true);
        h.immediate.set_predication(hidden, false);
        assert_eq!(h.immediate.get_predication(), (Some(hidden.clone()), false));
        for _ in 0..3 {
            h.immediate.draw(4, 0);
            h.immediate.flush();
        }
        h.immediate.set_predication(None, false);
        assert!(black(h), "hidden");
        h.immediate.set_predication(hidden, false);
        h.immediate.draw(4, 0);
        h.immediate.set_predication(shown, true);
        h.immediate.draw(4, 0);
        h.immediate.clear_state();
        assert_eq!(h.immediate.get_predication(), (None, false));
        // The null driver draws nothing, so the target stays black.
        assert!(black(h), "shown");
        scene.target.bind(&mut h.immediate);
        scene.quad.bind(&mut h.immediate);
        h.immediate.set_predication(shown, false);
        h.immediate.draw(4, 0);
        h.immediate.set_predication(None, true);
        assert_eq!(h.immediate.get_predication(), (None, true));
        assert_eq!(black(h), !h.draws());
    });
}

#[test]
fn lists_start_unpredicated_and_use_results_at_execution() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let [inside, outside] =
            [(); 2].map(|()| h.device.create_predicate(QueryType::OcclusionPredicate).unwrap());
        let red = |h: &mut Harness| scene.target.read(h).iter().all(|texel| *texel == 0xff00_00ff);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.target.bind(&mut deferred);
        deferred.set_predication(&inside, false);
        scene.quad.draw(&mut deferred, RED);
        let predicated = deferred.finish_command_list(false).unwrap();
        assert_eq!(deferred.get_predication(), (None, false));
        scene.target.bind(&mut deferred);
        scene.quad.draw(&mut deferred, RED);
        let plain = deferred.finish_command_list(false).unwrap();
        deferred.set_predication(&outside, false);
        deferred.execute_command_list(&predicated, true);
        assert_eq!(deferred.get_predication().0.as_ref(), Some(&outside));
        scene.target.bind(&mut deferred);
        deferred.clear_render_target_view(&scene.target.view, [0.0, 1.0, 0.0, 1.0]);
        let nested = deferred.finish_command_list(false).unwrap();
        for round in 0..4 {
            let visible = round % 2 == 1;
            scene.reset(&mut h.immediate);
            scene.see(&mut h.immediate, &inside, visible);
            scene.see(&mut h.immediate, &outside, false);
            h.immediate.set_predication(&outside, false);
            h.immediate.execute_command_list(&predicated, round > 1);
            let after = h.immediate.get_predication();
            assert_eq!(after, if round > 1 { (Some(outside.clone()), false) } else { (None, false) });
            h.immediate.clear_state();
            assert_eq!(red(h), visible && h.draws(), "round {round}");
            scene.reset(&mut h.immediate);
            h.immediate.execute_command_list(&nested, false);
            assert_eq!(red(h), visible && h.draws(), "nested, round {round}");
            scene.reset(&mut h.immediate);
            h.immediate.set_predication(&outside, false);
            h.immediate.execute_command_list(&plain, true);
            h.immediate.clear_render_target_view(&scene.target.view, [0.0; 4]);
            h.immediate.set_predication(None, false);
            assert_eq!(red(h), h.draws(), "a list without a predicate, round {round}");
        }
    });
}

#[test]
fn a_list_can_be_predicated_on_its_own_draws() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let predicate = h.device.create_predicate(QueryType::OcclusionPredicate).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        let lists = [false, true].map(|visible| {
            scene.see(&mut deferred, &predicate, visible);
            deferred.set_predication(&predicate, false);
            scene.quad.draw(&mut deferred, RED);
            deferred.set_predication(None, false);
            scene.see(&mut deferred, &predicate, !visible);
            deferred.finish_command_list(false).unwrap()
        });
        for round in 0..4 {
            let visible = round % 2 == 1;
            scene.reset(&mut h.immediate);
            h.immediate.execute_command_list(&lists[usize::from(visible)], false);
            let red = scene.target.read(h).iter().all(|texel| *texel == 0xff00_00ff);
            assert_eq!(red, visible && h.draws(), "round {round}");
            let last = onze_tests::wait_for("there is a result", || {
                h.immediate.get_data(&predicate, false).unwrap()
            });
            assert_eq!(last, QueryData::OcclusionPredicate(!visible && h.draws()), "round {round}");
        }
    });
}

/// Each use of a predicate takes the result of that query's last `end`, even if the list has already used
/// this predicate or another predicate.
#[test]
fn a_list_can_use_several_results_of_its_own_draws() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let [first, second] =
            [(); 2].map(|()| h.device.create_predicate(QueryType::OcclusionPredicate).unwrap());
        for other in [&first, &second] {
            for visible in [false, true] {
                scene.reset(&mut h.immediate);
                // `other` gets the opposite result first, so that a stale result would be detected.
                scene.see(&mut h.immediate, other, !visible);
                h.record(CommandPath::Nested, |cx| {
                    scene.see(cx, &first, !visible);
                    cx.set_predication(&first, true);
                    scene.quad.draw(cx, NOTHING);
                    cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
                    cx.set_predication(None, false);
                    scene.see(cx, other, visible);
                    cx.set_predication(other, false);
                    scene.quad.draw(cx, RED);
                });
                let red = scene.target.read(h).iter().all(|texel| *texel == 0xff00_00ff);
                assert_eq!(red, visible && h.draws(), "visible {visible}");
            }
        }
    });
}

#[test]
fn a_predicate_hint_never_waits_and_may_still_draw() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        let misc_flags = QueryMiscFlags::PREDICATEHINT;
        let desc = QueryDesc { misc_flags, ..QueryType::OcclusionPredicate.into() };
        let hint = h.device.create_predicate(desc).unwrap();
        scene.reset(&mut h.immediate);
        scene.see(&mut h.immediate, &hint, true);
        let waits = h.device.statistics().predicate_waits;
        h.immediate.set_predication(&hint, false);
        h.immediate.draw(4, 0);
        h.immediate.set_predication(None, false);
        assert_eq!(h.device.statistics().predicate_waits, waits);
        let red = scene.target.read(h).iter().all(|texel| *texel == 0xff00_00ff);
        assert_eq!(red, h.draws(), "visible draws must not be skipped");
        // After the wait, the result is available, so the hint must be obeyed.
        h.wait();
        scene.reset(&mut h.immediate);
        h.immediate.set_predication(&hint, true);
        h.immediate.draw(4, 0);
        h.immediate.set_predication(None, false);
        assert!(scene.target.read(h).iter().all(|texel| *texel == 0) || !h.draws());
    });
}

#[test]
fn set_predication_refuses_other_kinds_and_open_queries() {
    on_each(&null_matrix(), |h| {
        let [predicate, event] = [QueryType::OcclusionPredicate, QueryType::Event]
            .map(|kind| h.device.create_query(kind).unwrap());
        let Some(other) = Harness::start(Config::NULL) else { return };
        let foreign = other.device.create_query(QueryType::OcclusionPredicate).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        for immediate in [false, true] {
            let cx: &mut DeviceContext = if immediate { &mut h.immediate } else { &mut deferred };
            cx.set_predication(&event, true);
            assert_eq!(cx.get_predication(), (None, false));
            h.assert_reported(MessageId::SetPredicationInvalid);
            let cx: &mut DeviceContext = if immediate { &mut h.immediate } else { &mut deferred };
            cx.set_predication(&foreign, true);
            h.assert_reported(MessageId::ForeignObject);
            let cx: &mut DeviceContext = if immediate { &mut h.immediate } else { &mut deferred };
            cx.begin(&predicate);
            cx.set_predication(&predicate, true);
            assert_eq!(cx.get_predication(), (None, false));
            h.assert_reported(MessageId::SetPredicationInvalid);
            let cx: &mut DeviceContext = if immediate { &mut h.immediate } else { &mut deferred };
            cx.end(&predicate);
            cx.set_predication(&predicate, true);
            assert_eq!(cx.get_predication(), (Some(predicate.clone()), true));
            cx.begin(&predicate);
            h.assert_reported(MessageId::BeginInvalid);
            let cx: &mut DeviceContext = if immediate { &mut h.immediate } else { &mut deferred };
            cx.end(&predicate);
            h.assert_reported(MessageId::EndInvalid);
        }
        deferred.set_predication(None, false);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.set_predication(None, false);
        h.immediate.begin(&predicate);
        h.immediate.execute_command_list(&list, false);
        h.assert_reported(MessageId::ExecuteCommandListBegunQuery);
        h.immediate.end(&predicate);
        h.immediate.execute_command_list(&list, false);
        h.immediate.set_predication(&predicate, true);
        drop(list);
        // The context keeps the predicate alive, so the application may drop it.
        drop(predicate);
        h.immediate.flush();
        assert!(h.immediate.get_predication().0.is_some());
        h.immediate.set_predication(None, false);
        drop((deferred, foreign));
        other.finish();
    });
}
