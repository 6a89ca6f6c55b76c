//! Timestamp and pipeline-statistics queries on the immediate context, on deferred contexts and in lists.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Quad, Target, gpu_matrix, matrix, on_each, wait_for};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn answer(h: &mut Harness, query: &onze::Query) -> QueryData {
    wait_for("there is a result", || h.immediate.get_data(query, false).unwrap())
}

fn ticks(h: &mut Harness, query: &onze::Query) -> u64 {
    match answer(h, query) {
        QueryData::Timestamp(ticks) => ticks,
        other => panic!("{other:?} is not a timestamp"),
    }
}

fn statistics(h: &mut Harness, query: &onze::Query) -> PipelineStatistics {
    match answer(h, query) {
        QueryData::PipelineStatistics(statistics) => statistics,
        other => panic!("{other:?} is not a set of pipeline statistics"),
    }
}

/// Creates `count` queries of one type, or returns `None` if the device lacks the feature.
fn queries(h: &Harness, kind: QueryType, count: usize) -> Option<Vec<onze::Query>> {
    h.has_feature(kind.needs()).then(|| (0..count).map(|_| h.device.create_query(kind).unwrap()).collect())
}

struct Scene {
    target: Target,
    other: Target,
    quad: Quad,
    mips: ShaderResourceView,
    groups: ComputeShader,
    numbers: UnorderedAccessView,
    buffer: Buffer,
}

/// Number of threads in one group of [`Scene::groups`]: 3 by 4 by 5.
const THREADS: u64 = 60;

impl Scene {
    fn new(h: &Harness) -> Self {
        let d = &h.device;
        let mips = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8)
        };
        let mips = d.create_texture_2d(&mips, None).unwrap();
        let groups = "@group(3) @binding(0) var<storage, read_write> numbers: array<u32>;
            @compute @workgroup_size(3, 4, 5) fn cs(@builtin(local_invocation_index) at: u32) { numbers[at] = at; }";
        let buffer = BufferDesc {
            bind_flags: BindFlags::UNORDERED_ACCESS,
            ..BufferDesc::structured(4, 256, BindFlags::UNORDERED_ACCESS)
        };
        let buffer = d.create_buffer(&buffer, None).unwrap();
        Self {
            target: Target::new(d, 16, 16),
            other: Target::new(d, 16, 16),
            quad: Quad::new(d),
            mips: d.create_shader_resource_view(&mips, None).unwrap(),
            groups: d.create_compute_shader(ShaderSource::wgsl(groups, "cs")).unwrap(),
            numbers: d.create_unordered_access_view(&buffer, None).unwrap(),
            buffer,
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        self.target.bind(cx);
        self.quad.bind(cx);
        self.quad.set(cx, RED, Quad::ALL, 0.5);
    }

    fn dispatch(&self, cx: &mut DeviceContext, x: u32, y: u32, z: u32) {
        cx.cs_set_shader(&self.groups);
        cx.cs_set_unordered_access_views(0, &self.numbers);
        cx.dispatch(x, y, z);
    }
}

type Work = (&'static str, fn(&mut DeviceContext, &Scene));

const WORK: &[Work] = &[
    ("nothing", |_, _| ()),
    ("draws", |cx, s| (0..3).for_each(|_| s.quad.draw(cx, RED))),
    ("a clear", |cx, s| cx.clear_render_target_view(&s.target.view, RED)),
    ("a draw after it", |cx, s| s.quad.draw(cx, RED)),
    ("dispatches", |cx, s| (0..2).for_each(|_| s.dispatch(cx, 2, 1, 1))),
    ("a copy", |cx, s| cx.copy_resource(&s.other.texture, &s.target.texture)),
    ("an update", |cx, s| cx.update_subresource(&s.buffer, 0, None, &[7; 1024], 0, 0)),
    ("mips", |cx, s| cx.generate_mips(&s.mips)),
    ("another target", |cx, s| {
        s.other.bind(cx);
        s.quad.draw(cx, RED);
        s.target.bind(cx);
    }),
];

#[test]
fn timestamps_never_decrease() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::TimestampOutsideDisjoint]);
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let Some(stamps) = queries(h, QueryType::Timestamp, WORK.len() + 1) else { return };
            let mut last = 0;
            for round in 0..2 {
                h.record(how, |cx| {
                    scene.bind(cx);
                    cx.end(&stamps[0]);
                    for ((_, work), stamp) in WORK.iter().zip(&stamps[1..]) {
                        work(cx, &scene);
                        cx.end(stamp);
                    }
                });
                for (at, stamp) in stamps.iter().enumerate() {
                    let now = ticks(h, stamp);
                    assert!(now >= last, "{how:?}, round {round}, stamp {at}: {now} after {last}");
                    last = now;
                }
                assert!(last > 0, "{how:?}");
            }
        }
    });
}

#[test]
fn each_execution_of_a_list_writes_its_timestamps_again() {
    on_each(&matrix(), |h| {
        h.watch.expect(&[MessageId::TimestampOutsideDisjoint]);
        let scene = Scene::new(h);
        let Some(stamps) = queries(h, QueryType::Timestamp, 3) else { return };
        let [inner_stamp, outer_stamp, own] = &stamps[..] else { unreachable!() };
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        scene.quad.draw(&mut deferred, RED);
        deferred.end(inner_stamp);
        let inner = deferred.finish_command_list(false).unwrap();
        deferred.execute_command_list(&inner, false);
        deferred.end(outer_stamp);
        let outer = deferred.finish_command_list(false).unwrap();
        let mut last = [0; 3];
        for round in 0..4 {
            // The queries return the results of the last execution, even if several executions share a
            // submission.
            h.immediate.end(own);
            for _ in 0..=round {
                h.immediate.execute_command_list(&outer, false);
            }
            let now = [own, inner_stamp, outer_stamp].map(|stamp| ticks(h, stamp));
            assert!(now.is_sorted(), "round {round}: {now:?}");
            assert!(now[0] >= last[2], "round {round}: {now:?} after {last:?}");
            last = now;
        }
    });
}

#[test]
fn a_disjoint_query_returns_the_timestamp_frequency() {
    on_each(&matrix(), |h| {
        let Some(all) = queries(h, QueryType::TimestampDisjoint, 1) else { return };
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.bind(cx);
                cx.begin(&all[0]);
                scene.quad.draw(cx, RED);
                cx.end(&all[0]);
            });
            match answer(h, &all[0]) {
                QueryData::TimestampDisjoint(TimestampDisjoint { frequency, disjoint }) => {
                    assert!(frequency > 0 && !disjoint, "{how:?}: {frequency}, {disjoint}");
                }
                other => panic!("{other:?} is not a frequency"),
            }
        }
    });
}

type Counts = (&'static str, fn(&mut DeviceContext, &Scene), [u64; 2], u64);

/// Commands, with the expected input-assembler vertices and primitives and the expected compute-shader
/// invocations.
const COUNTS: &[Counts] = &[
    ("nothing", |_, _| (), [0, 0], 0),
    ("a strip of four", |cx, s| s.quad.draw(cx, RED), [4, 2], 0),
    (
        "lists with a rest, and instances",
        |cx, s| {
            s.quad.bind(cx);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.draw_instanced(7, 3, 0, 0);
            cx.ia_set_primitive_topology(PrimitiveTopology::LineList);
            cx.draw(5, 0);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.draw(2, 0);
            cx.ia_set_primitive_topology(PrimitiveTopology::LineStrip);
            cx.draw(6, 0);
        },
        [21 + 5 + 2 + 6, 6 + 2 + 2 + 5],
        0,
    ),
    (
        "adjacency, with a rest",
        |cx, s| {
            use PrimitiveTopology::{LineListAdj, LineStripAdj, TriangleListAdj, TriangleStripAdj};
            s.quad.bind(cx);
            for topology in [LineListAdj, LineStripAdj, TriangleListAdj, TriangleStripAdj] {
                cx.ia_set_primitive_topology(topology);
                cx.draw_instanced(9, 2, 0, 0);
            }
        },
        [4 * 18, 2 * (2 + 6 + 1 + 2)],
        0,
    ),
    (
        "many draws with nothing between them",
        |cx, s| {
            s.quad.bind(cx);
            (0..9).for_each(|_| cx.draw(4, 0));
        },
        [36, 18],
        0,
    ),
    ("groups", |cx, s| s.dispatch(cx, 2, 1, 1), [0, 0], 2 * THREADS),
    (
        "draws and groups in turn",
        |cx, s| {
            for n in 1..3 {
                s.quad.draw(cx, RED);
                s.dispatch(cx, 1, n, 2);
                s.dispatch(cx, 1, 1, 1);
            }
        },
        [8, 4],
        (2 + 4 + 2) * THREADS,
    ),
    (
        "clears, copies, updates and mips",
        |cx, s| {
            cx.clear_render_target_view(&s.target.view, RED);
            cx.copy_resource(&s.other.texture, &s.target.texture);
            cx.generate_mips(&s.mips);
        },
        [0, 0],
        0,
    ),
    (
        "several targets",
        |cx, s| {
            s.quad.draw(cx, RED);
            s.other.bind(cx);
            s.quad.draw(cx, RED);
            s.target.bind(cx);
            s.quad.draw(cx, RED);
        },
        [12, 6],
        0,
    ),
];

/// Two groups of 3 by 4 by 5 threads make 120 invocations (Direct3D 11.3, functional specification 20.4).
#[test]
fn statistics_count_work_between_begin_and_end_only() {
    on_each(&matrix(), |h| {
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let Some(all) = queries(h, QueryType::PipelineStatistics, COUNTS.len()) else { return };
            h.record(how, |cx| {
                for ((_, work, ..), query) in COUNTS.iter().zip(&all) {
                    cx.clear_state();
                    scene.bind(cx);
                    // Work before `begin` and after `end` must not be counted.
                    scene.quad.draw(cx, RED);
                    scene.dispatch(cx, 1, 1, 1);
                    scene.quad.draw(cx, RED);
                    cx.begin(query);
                    work(cx, &scene);
                    cx.end(query);
                    scene.quad.draw(cx, RED);
                    scene.dispatch(cx, 1, 1, 1);
                }
            });
            for ((what, _, input, threads), query) in COUNTS.iter().zip(&all) {
                let found = statistics(h, query);
                let drawn = u64::from(h.draws());
                let expected = (input.map(|n| n * drawn), threads * drawn);
                let counted = ([found.ia_vertices, found.ia_primitives], found.cs_invocations);
                assert_eq!(counted, expected, "{what}, {how:?}: {found:?}");
                let shaded = found.vs_invocations > 0;
                assert_eq!(shaded, input[0] * drawn > 0, "{what}, {how:?}: {found:?}");
                assert!(found.vs_invocations <= found.ia_vertices, "{what}, {how:?}: {found:?}");
                assert_eq!(
                    [found.gs_invocations, found.gs_primitives, found.hs_invocations, found.ds_invocations],
                    [0; 4]
                );
            }
        }
    });
}

#[test]
fn pixels_are_counted_only_with_a_pixel_shader() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(h);
        for how in CommandPath::ALL {
            let Some(all) = queries(h, QueryType::PipelineStatistics, 3) else { return };
            h.record(how, |cx| {
                scene.bind(cx);
                cx.begin(&all[0]);
                cx.draw(4, 0);
                cx.begin(&all[1]);
                cx.ps_set_shader(None);
                cx.draw(4, 0);
                cx.draw(4, 0);
                cx.end(&all[1]);
                cx.ps_set_shader(&scene.quad.ps);
                cx.draw(4, 0);
                cx.begin(&all[2]);
                cx.end(&all[0]);
                cx.draw(4, 0);
                cx.end(&all[2]);
            });
            let [both, none, one] = [&all[0], &all[1], &all[2]].map(|query| statistics(h, query));
            let pixels = [both, none, one].map(|found| found.ps_invocations);
            // An adapter may also count helper pixels, so the exact count is unknown, but the upper bound
            // excludes the two draws without a pixel shader.
            assert!(pixels[0] >= 2 * 256 && pixels[1] == 0 && pixels[2] >= 256, "{how:?}: {pixels:?}");
            assert!(pixels[0] < 3 * 256, "{how:?}: {pixels:?}");
            let primitives = [both, none, one].map(|found| found.c_primitives);
            assert_eq!(primitives, [8, 4, 2], "{how:?}");
        }
    });
}

#[test]
fn statistics_can_overlap_span_lists_and_restart() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::BeginDuplicate, MessageId::EndWithoutBegin]);
        let scene = Scene::new(h);
        let Some(all) = queries(h, QueryType::PipelineStatistics, 3) else { return };
        let [around, own, second] = &all[..] else { unreachable!() };
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.bind(&mut deferred);
        deferred.draw(4, 0);
        deferred.begin(own);
        deferred.draw(4, 0);
        scene.dispatch(&mut deferred, 1, 1, 1);
        deferred.end(own);
        let list = deferred.finish_command_list(false).unwrap();
        for round in 0..3 {
            scene.bind(&mut h.immediate);
            h.immediate.begin(around);
            h.immediate.draw(4, 0);
            h.immediate.execute_command_list(&list, true);
            h.immediate.begin(second);
            if round == 1 {
                h.immediate.flush();
            }
            h.immediate.execute_command_list(&list, true);
            h.immediate.draw(4, 0);
            h.immediate.end(around);
            h.immediate.draw(4, 0);
            h.immediate.end(second);
            let found = [around, own, second].map(|query| statistics(h, query));
            let found = found.map(|found| (found.ia_vertices, found.cs_invocations));
            assert_eq!(found, [(24, 2 * THREADS), (4, THREADS), (16, THREADS)], "round {round}");
        }
        h.immediate.begin(own);
        h.immediate.draw(4, 0);
        h.immediate.begin(own);
        h.immediate.end(own);
        assert_eq!(statistics(h, own), PipelineStatistics::default(), "begun twice");
        h.immediate.end(own);
        assert_eq!(statistics(h, own), PipelineStatistics::default(), "ended twice");
        h.take_errors();
    });
}

/// Uses more timestamps and more statistics segments than one query set of the driver contains.
#[test]
fn measurements_can_exceed_the_size_of_a_query_set() {
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::TimestampOutsideDisjoint]);
        let scene = Scene::new(h);
        let (Some(stamps), Some(counts)) =
            (queries(h, QueryType::Timestamp, 1100), queries(h, QueryType::PipelineStatistics, 1100))
        else {
            return;
        };
        for _ in 0..2 {
            scene.bind(&mut h.immediate);
            for (stamp, count) in stamps.iter().zip(&counts) {
                h.immediate.begin(count);
                h.immediate.draw(4, 0);
                h.immediate.end(count);
                h.immediate.end(stamp);
            }
            let times: Vec<_> = stamps.iter().map(|stamp| ticks(h, stamp)).collect();
            assert!(times.is_sorted());
            for (n, count) in counts.iter().enumerate() {
                assert_eq!(statistics(h, count).ia_vertices, 4, "{n}");
            }
        }
    });
}
