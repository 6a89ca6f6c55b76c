//! Consecutive draws that select slices, which the driver encodes slice by slice.
//!
//! Random commands are executed twice: with a marker after each of them, so that every draw is encoded alone, and without
//! markers.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Random, on_each};

use super::values::{LAYER, Scene, Slices, program};

/// Geometry shaders run for each vertex, or store their vertices.
const FORMS: [Config; 2] =
    [Config { stored_geometry: StoredGeometry::Off, ..Config::GPU }, Config::GPU.with_stored_geometry()];

/// A command between clears.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Binds shaders: a geometry shader that selects slices, one that does not, or none.
    Shaders(usize),
    /// Binds the slices and colours of points.
    Constants(usize),
    Viewport(f32),
    Blend,
    /// Draws points, in one call for each element.
    Draws {
        count: u32,
        calls: u32,
    },
    /// Draws points twice, and writes a constant buffer between both.
    Update,
}

fn step(random: &mut Random) -> Step {
    match random.below(12) {
        0 | 1 => Step::Shaders(random.below(3) as usize),
        2..=4 => Step::Constants(random.below(3) as usize),
        5 => Step::Viewport(random.range(3..9) as f32),
        6 => Step::Blend,
        7 => Step::Update,
        _ => Step::Draws { count: random.range(1..5), calls: random.range(1..4) },
    }
}

#[test]
fn draws_in_ranges_reach_the_same_slices() {
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    let set = "o.slice = numbers[n].x; o.number = numbers[n + 8].x;";
    let color = "o.number";
    let layered = Scene::new(&h.device, &program(LAYER, set, color), &[]);
    let flat = Scene::new(&h.device, &program("", "o.number = numbers[n + 8].x;", color), &[]);
    let vs = "struct O { float4 position : SV_Position; nointerpolation uint number : NUMBER; };
        O main(uint k : SV_VertexID) {
            O o = { float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0.5, 1), 5 };
            return o;
        }";
    let plain = h.device.create_vertex_shader(ShaderSource::hlsl(vs, "main")).unwrap();
    let write = |random: &mut Random| {
        let values: Vec<_> = (0..16).map(|_| [random.below(7), 0, 0, 0]).collect();
        let desc = BufferDesc::new(256, BindFlags::CONSTANT_BUFFER);
        (desc, values)
    };
    let mut others = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let slices = random.range(2..6);
        let targets = [0; 2].map(|_| Slices::new(&h.device, slices));
        let steps: Vec<_> = (0..40).map(|_| step(&mut random)).collect();
        let how = *random.pick(&CommandPath::ALL);
        let mut pictures = Vec::new();
        for (is_alone, target) in [true, false].into_iter().zip(&targets) {
            let mut random = Random::new(seed + 1000);
            let constants = [0; 3].map(|_| {
                let (desc, values) = write(&mut random);
                h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&values))).unwrap()
            });
            h.record(how, |cx| {
                layered.bind(cx);
                cx.gs_set_constant_buffers(0, &constants[0]);
                cx.om_set_render_targets(&target.view, None);
                cx.clear_render_target_view(&target.view, [9.0; 4]);
                for step in &steps {
                    match *step {
                        Step::Shaders(which) => {
                            let scene = if which == 0 { &layered } else { &flat };
                            cx.vs_set_shader(if which == 2 { &plain } else { &scene.vs });
                            cx.gs_set_shader((which != 2).then_some(&scene.gs));
                            cx.ps_set_shader(&scene.ps);
                            cx.ia_set_primitive_topology(match which {
                                2 => PrimitiveTopology::TriangleList,
                                _ => PrimitiveTopology::PointList,
                            });
                        }
                        Step::Constants(which) => cx.gs_set_constant_buffers(0, &constants[which]),
                        Step::Viewport(size) => cx.rs_set_viewports(Viewport::sized(size, size)),
                        Step::Blend => cx.om_set_blend_state(None, [1.0; 4], u32::MAX),
                        Step::Draws { count, calls } => (0..calls).for_each(|call| {
                            cx.draw(count, call);
                            if is_alone {
                                cx.set_marker("alone");
                            }
                        }),
                        Step::Update => {
                            cx.draw(3, 0);
                            let (_, values) = write(&mut random);
                            cx.update_subresource(
                                &constants[0],
                                0,
                                None,
                                bytemuck::cast_slice::<_, u8>(&values),
                                0,
                                0,
                            );
                            cx.draw(3, 0);
                        }
                    }
                    if is_alone {
                        cx.set_marker("alone");
                    }
                }
            });
            pictures.push((0..slices).map(|slice| h.read_u32(&target.texture, slice)).collect::<Vec<_>>());
        }
        assert!(pictures[0] == pictures[1], "seed {seed}, {slices} slices, {how:?}: {steps:?}");
        others += u32::from(pictures[0].iter().skip(1).flatten().any(|texel| *texel != 9));
    }
    assert!(others > 20, "only {others} programs draw to other slices than the first");
    drop((layered, flat, plain));
    h.finish();
}

/// A draw that writes streams ends a range, and is made once.
#[test]
fn draws_with_stream_output_follow_draws_to_slices() {
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    let layered = Scene::new(&h.device, &program(LAYER, "o.slice = n % 2;", "o.number"), &[]);
    let text = "struct V { nointerpolation uint number : NUMBER; };
        V main(uint number : SV_VertexID) { V v; v.number = number + 1; return v; }";
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
    let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
    let so = h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
    let targets = Slices::new(&h.device, 3);
    for how in CommandPath::ALL {
        let buffer = h.device.create_buffer(&BufferDesc::new(32, BindFlags::STREAM_OUTPUT), None).unwrap();
        h.record(how, |cx| {
            layered.bind(cx);
            cx.om_set_render_targets(&targets.view, None);
            cx.draw(2, 0);
            cx.draw(2, 0);
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&so);
            // An offset would end the range before the draws.
            cx.so_set_targets(StreamOutputBinding::append(&buffer));
            (0..3).for_each(|_| cx.draw(2, 0));
        });
        let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
        assert_eq!(found, [1, 2, 1, 2, 1, 2, 0, 0], "{how:?}");
    }
    drop((layered, vs, so, targets));
    h.finish();
}

/// A draw whose primitives are rasterized and written to a buffer is made for each slice, but writes once.
#[test]
fn draws_that_select_slices_write_streams_once() {
    on_each(&FORMS, |h| {
        let layered = Scene::new(&h.device, &program(LAYER, "o.slice = n + 1;", "o.number"), &[]);
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let so = h.device.create_geometry_shader_with_stream_output(&layered.gs, &entries, &[], Some(0));
        let so = so.unwrap();
        let targets = Slices::new(&h.device, 3);
        for how in CommandPath::ALL {
            let buffer =
                h.device.create_buffer(&BufferDesc::new(128, BindFlags::STREAM_OUTPUT), None).unwrap();
            h.record(how, |cx| {
                layered.bind(cx);
                cx.gs_set_shader(&so);
                cx.om_set_render_targets(&targets.view, None);
                cx.clear_render_target_view(&targets.view, [9.0; 4]);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                (0..4).for_each(|_| cx.draw(2, 0));
            });
            let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
            let expected: Vec<u32> = [0, 0, 0, 1, 1, 1].repeat(4);
            assert_eq!(found[..24], expected, "{how:?}");
            assert_eq!(found[24..], [0; 8], "{how:?}");
            targets.expect(h, &[9, 0, 1], "slices");
        }
    });
}

/// A draw is made for each slice, but counts once.
#[test]
fn stored_draws_to_slices_count_once() {
    let config = Config { stored_geometry: StoredGeometry::Always, ..Config::GPU };
    let Some(mut h) = Harness::start(config) else { return };
    let scene = Scene::new(&h.device, &program(LAYER, "o.slice = n;", "o.number"), &[]);
    let targets = Slices::new(&h.device, 3);
    let before = h.device.statistics();
    h.record(CommandPath::Immediate, |cx| {
        scene.bind(cx);
        cx.om_set_render_targets(&targets.view, None);
        (0..4).for_each(|_| cx.draw(3, 0));
    });
    assert_eq!([0, 1, 2].map(|slice| h.read_u32(&targets.texture, slice)[0]), [0, 1, 2]);
    let after = h.device.statistics();
    assert_eq!((after.draws - before.draws, after.draws_stored - before.draws_stored), (4, 4));
    drop((scene, targets));
    h.finish();
}
