//! Random draws of a few meshes, with random changes between them.
//!
//! `ONZE_FUZZ_SEED` sets the first seed and `ONZE_FUZZ_PROGRAMS` the number of programs.

use onze::Rect;
use onze_tests::Random;

use super::{multi_draws::Meshes, *};

const STEPS: u32 = 300;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

fn step(r: &mut Random, cx: &mut DeviceContext, meshes: &Meshes) {
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

/// A hundredth of the programs is enough for every change. The full test is `ONZE_FUZZ_PROGRAMS=3000`.
#[test]
fn random_draws_are_the_same_one_by_one() {
    let (first, programs) = (setting("ONZE_FUZZ_SEED", 1), setting("ONZE_FUZZ_PROGRAMS", 30));
    println!("{programs} programs of {STEPS} steps, with seeds from {first} on");
    let modes = [DrawsByIndex::Off, DrawsByIndex::Always];
    let [Some(alone), Some(always)] =
        modes.map(|draws_by_index| Harness::start(Config { draws_by_index, ..Config::GPU }))
    else {
        return;
    };
    let before = always.device.statistics();
    let mut all = [alone, always].map(|h| {
        h.watch.allow_all();
        let scissor = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let scissor = h.device.create_rasterizer_state(&scissor).unwrap();
        let (meshes, target) = (Meshes::new(&h.device), Target::new(&h.device, SIZE, SIZE));
        (h, meshes, target, scissor)
    });
    for seed in first..first + programs {
        let pictures = all.each_mut().map(|(h, meshes, target, scissor)| {
            h.record(CommandPath::ALL[seed as usize % CommandPath::ALL.len()], |cx| {
                let mut r = Random::new(seed);
                cx.clear_render_target_view(&target.view, [0.1, 0.2, 0.3, 1.0]);
                target.bind(cx);
                meshes.bind(cx);
                cx.rs_set_state(&*scissor);
                cx.rs_set_scissor_rects(Rect { left: 0, top: 0, right: 64, bottom: 64 });
                (0..STEPS).for_each(|_| step(&mut r, cx, meshes));
            });
            target.read(h)
        });
        assert!(pictures[0] == pictures[1], "seed {seed}");
    }
    let [_, (always, ..)] = &all;
    let statistics = always.device.statistics() - before;
    assert!(statistics.multi_draws > 0 && statistics.draws_merged > 0, "{statistics:?}");
    for (h, meshes, target, scissor) in all {
        drop((meshes, target, scissor));
        h.finish();
    }
}
