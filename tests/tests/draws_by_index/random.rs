//! Random draws of a few meshes or materials, with random changes between them.
//!
//! `ONZE_FUZZ_SEED` sets the first seed and `ONZE_FUZZ_PROGRAMS` the number of programs.

use onze::Rect;
use onze_tests::Random;

use super::{materials::Materials, multi_draws::Meshes, pipelines::States, *};

const STEPS: u32 = 300;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

fn mesh_step(r: &mut Random, cx: &mut DeviceContext, meshes: &Meshes) {
    match r.below(16) {
        0 => discard(cx, &meshes.constants[1], &color(r.below(105))),
        1 => {
            let offset = 4 * r.below(3);
            let (indices, format) = match r.one_in(2) {
                true => (&meshes.wide, Format::R32_UINT),
                false => (&meshes.indices, Format::R16_UINT),
            };
            cx.ia_set_index_buffer(indices, format, offset);
        }
        2 => {
            let offset = 8 * r.below(3);
            let vertices = VertexBufferBinding { offset, ..VertexBufferBinding::new(&meshes.vertices, 8) };
            cx.ia_set_vertex_buffers(0, vertices);
        }
        3 => {
            let left = r.below(SIZE / 2) as i32;
            cx.rs_set_scissor_rects(Rect { left, top: 0, right: SIZE as i32, bottom: SIZE as i32 - left });
        }
        4 => cx.ia_set_primitive_topology(*r.pick(&[
            PrimitiveTopology::TriangleList,
            PrimitiveTopology::TriangleList,
            PrimitiveTopology::TriangleStrip,
        ])),
        5 => cx.ps_set_constant_buffers(0, &meshes.constants[usize::from(!r.one_in(4))]),
        6 => cx.draw(r.below(9), r.below(8)),
        // The next draws with these shaders are not made by index.
        7 if r.one_in(200) => cx.draw_indexed_instanced(3, 2, r.below(4), 0, 0),
        _ => {
            // Some of these draws read indices or vertices beyond the buffers, which are 0.
            let mesh = |r: &mut Random| (3 * (1 + r.below(4)), r.below(9), r.below(6) as i32 - 3);
            let (mut count, mut start, mut base) = mesh(r);
            let are_both_new = r.one_in(3);
            for _ in 0..1 + r.below(12) {
                if r.one_in(2) {
                    (count, start, base) = mesh(r);
                }
                discard(cx, &meshes.constants[0], &rect(r.below(221)));
                if are_both_new {
                    discard(cx, &meshes.constants[1], &color(r.below(105)));
                }
                cx.draw_indexed(count, start, base);
            }
        }
    }
}

fn material_step(r: &mut Random, cx: &mut DeviceContext, (scene, states): &(Materials, States)) {
    let mesh = r.pick(&scene.meshes);
    match r.below(24) {
        0 => {
            let (indices, format, size) = match r.one_in(2) {
                true => (&mesh.wide, Format::R32_UINT, 4),
                false => (&mesh.indices, Format::R16_UINT, 2),
            };
            cx.ia_set_index_buffer(indices, format, size * r.below(6));
        }
        1 => {
            let (stride, offset) = (*r.pick(&[8, 8, 8, 4, 12]), *r.pick(&[0, 4, 8, 24, 4096, 2]));
            cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &mesh.vertices, stride, offset });
        }
        2 => cx.ia_set_primitive_topology(*r.pick(&[
            PrimitiveTopology::TriangleList,
            PrimitiveTopology::TriangleList,
            PrimitiveTopology::TriangleStrip,
        ])),
        3 => cx.ps_set_shader(scene.pixel_shader(r.below(6))),
        4 => cx.ps_set_samplers(0, scene.samplers.get(r.below(4) as usize)),
        5 => cx.ps_set_shader_resources(r.below(4), [scene.view(r.below(7)), scene.view(r.below(7))]),
        6 => cx.draw(r.below(9), r.below(5)),
        7 if r.one_in(100) => cx.draw_indexed_instanced(3, 2, r.below(4), 0, 0),
        8 => discard(cx, &scene.paint, &color(r.below(105))),
        _ => {
            let (changes_texture, changes_mesh) = (r.one_in(2), r.one_in(2));
            let (changes_shader, changes_state) = (r.one_in(3), r.one_in(3));
            for _ in 0..1 + r.below(12) {
                discard(cx, &scene.place, &rect(r.below(221)));
                if changes_texture {
                    cx.ps_set_shader_resources(2 * r.below(2), scene.view(r.below(6)));
                }
                if changes_mesh {
                    r.pick(&scene.meshes).bind(cx);
                }
                if changes_shader {
                    cx.ps_set_shader(scene.pixel_shader(r.below(3)));
                }
                if changes_state {
                    states.change(cx, r.below(12));
                }
                cx.draw_indexed(3 * (1 + r.below(3)), r.below(7), r.below(3) as i32 - 1);
            }
        }
    }
}

/// Draws random programs one by one and by index, and returns the statistics of the draws by index. A hundredth of
/// the programs is enough for every change.
fn compare_random<S>(
    make: impl Fn(&Device) -> S,
    bind: impl Fn(&S, &mut DeviceContext),
    step: impl Fn(&mut Random, &mut DeviceContext, &S),
) -> Option<Statistics> {
    let (first, programs) = (setting("ONZE_FUZZ_SEED", 1), setting("ONZE_FUZZ_PROGRAMS", 30));
    println!("{programs} programs of {STEPS} steps, with seeds from {first} on");
    let modes = [DrawsByIndex::Off, DrawsByIndex::Always];
    let [alone, always] =
        modes.map(|draws_by_index| Harness::start(Config { draws_by_index, ..Config::GPU }));
    let (alone, always) = (alone?, always?);
    let before = always.device.statistics();
    let mut all = [alone, always].map(|h| {
        h.watch.allow_all();
        let scissor = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let scissor = h.device.create_rasterizer_state(&scissor).unwrap();
        let (scene, target) = (make(&h.device), Target::new(&h.device, SIZE, SIZE));
        (h, scene, target, scissor)
    });
    for seed in first..first + programs {
        let pictures = all.each_mut().map(|(h, scene, target, scissor)| {
            h.record(CommandPath::ALL[seed as usize % CommandPath::ALL.len()], |cx| {
                let mut r = Random::new(seed);
                cx.clear_render_target_view(&target.view, [0.1, 0.2, 0.3, 1.0]);
                target.bind(cx);
                bind(scene, cx);
                cx.rs_set_state(&*scissor);
                cx.rs_set_scissor_rects(Rect { left: 0, top: 0, right: 64, bottom: 64 });
                (0..STEPS).for_each(|_| step(&mut r, cx, scene));
            });
            target.read(h)
        });
        assert!(pictures[0] == pictures[1], "seed {seed}");
    }
    let [_, (always, ..)] = &all;
    let statistics = always.device.statistics() - before;
    for (h, scene, target, scissor) in all {
        drop((scene, target, scissor));
        h.finish();
    }
    Some(statistics)
}

/// The full test is `ONZE_FUZZ_PROGRAMS=3000`.
#[test]
fn random_draws_are_the_same_one_by_one() {
    if let Some(statistics) = compare_random(Meshes::new, Meshes::bind, mesh_step) {
        assert!(statistics.multi_draws > 0 && statistics.draws_merged > 0, "{statistics:?}");
    }
}

/// The full test is `ONZE_FUZZ_PROGRAMS=3000`.
#[test]
fn random_draws_of_materials_are_the_same_one_by_one() {
    if let Some(statistics) = compare_random(
        |device| (Materials::new(device), States::new(device)),
        |(scene, _), cx| scene.bind(cx),
        material_step,
    ) {
        assert!(statistics.draws_by_index > statistics.draws / 4, "{statistics:?}");
    }
}
