//! Lists of any length draw as if their commands had been recorded directly at the point of execution.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::{sync::mpsc, thread};

use onze::prelude::*;
use onze_tests::{Config, Harness, Quad, Random, Target, on_each};

const SIZE: u32 = 64;

/// Number of different cells, so a longer sequence paints cells again.
const CELLS: u32 = 1500;

const TINTED: &str = "
    struct Constants { color: vec4<f32>, rect: vec4<f32>, depth: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;
    @group(0) @binding(1) var<uniform> tint: vec4<f32>;

    @fragment
    fn ps_main() -> @location(0) vec4<f32> {
        return constants.color * tint;
    }
";

/// Configurations with no encoder thread, with one and with several.
fn configs() -> [Config; 4] {
    let with = |workers, page_draws| Config { workers, page_draws, ..Config::GPU };
    [with(0, None), with(1, Some(500)), with(4, Some(500)), with(4, Some(7))]
}

/// Paints cells, blending each colour in equal parts with the previous contents.
struct Scene {
    quad: Quad,
    tinted: PixelShader,
    /// A tint that the context sets before it executes a list.
    tint: Buffer,
    blend: BlendState,
    target: Target,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let half = RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::BlendFactor,
            dest_blend: Blend::InvBlendFactor,
            ..RenderTargetBlendDesc::default()
        };
        Self {
            quad: Quad::new(device),
            tinted: device.create_pixel_shader(ShaderSource::wgsl(TINTED, "ps_main")).unwrap(),
            tint: device.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None).unwrap(),
            blend: device.create_blend_state(&BlendDesc::all(half)).unwrap(),
            target: Target::new(device, SIZE, SIZE),
        }
    }

    fn set_tint(&self, cx: &mut DeviceContext, tint: f32) {
        cx.map(&self.tint, 0, MapType::WriteDiscard).unwrap().write(0, &[1.0, tint, 1.0 - tint, 1.0]);
    }

    fn paint(&self, cx: &mut DeviceContext, seed: u32, cells: u32) {
        self.target.bind(cx);
        self.quad.bind(cx);
        cx.ps_set_shader(&self.tinted);
        cx.ps_set_constant_buffers(1, &self.tint);
        cx.om_set_blend_state(&self.blend, [0.5; 4], u32::MAX);
        for n in 0..cells {
            let cell = (n + seed * 11) % CELLS;
            let [x, y] = [cell % SIZE, cell / SIZE].map(|at| at as f32 * 2.0 / SIZE as f32 - 1.0);
            let shade = |by: u32| ((n * by + seed * 29) % 64) as f32 / 64.0;
            let rect = [x, y, x + 2.0 / SIZE as f32, y + 2.0 / SIZE as f32];
            self.quad.set(cx, [shade(1), shade(7), shade(13), 1.0], rect, 0.0);
            cx.draw(4, 0);
        }
    }

    fn clear(&self, cx: &mut DeviceContext) {
        cx.clear_render_target_view(&self.target.view, [0.0, 0.0, 0.0, 1.0]);
    }

    fn check(
        &self,
        h: &mut Harness,
        what: &str,
        draw: impl FnOnce(&mut ImmediateContext),
        directly: impl FnOnce(&mut ImmediateContext),
    ) {
        h.immediate.clear_state();
        self.clear(&mut h.immediate);
        directly(&mut h.immediate);
        let expected = self.target.read(h);
        assert!(expected.iter().any(|texel| *texel != expected[0]), "something is drawn");
        self.clear(&mut h.immediate);
        draw(&mut h.immediate);
        let found = self.target.read(h);
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(wrong, None, "{what}");
    }
}

/// For each list: the number of cells that it paints first, the list that it executes next, and the number of
/// cells that it paints last.
const LISTS: [(u32, Option<usize>, u32); 7] = [
    (5, None, 0),
    (999, None, 0),
    (2600, None, 0),
    (1000, Some(0), 1001),
    (3, Some(3), 1200),
    (0, Some(4), 0),
    (300, Some(2), 4000),
];

#[derive(Copy, Clone, Debug)]
enum Step {
    Tint(f32),
    Paint(u32),
    Execute(usize),
    Flush,
}

use Step::{Execute, Flush, Paint, Tint};

const STEPS: [Step; 24] = [
    Execute(2),
    Paint(20),
    Execute(2),
    Paint(700),
    Execute(0),
    Execute(1),
    Tint(0.75),
    Execute(3),
    Execute(0),
    Flush,
    Execute(5),
    Execute(5),
    Tint(0.25),
    Execute(5),
    Paint(1),
    Execute(6),
    Execute(4),
    Flush,
    Execute(6),
    Tint(0.5),
    Paint(1500),
    Execute(1),
    Execute(1),
    Execute(0),
];

fn directly(scene: &Scene, cx: &mut DeviceContext, list: usize) {
    let (before, inner, after) = LISTS[list];
    scene.paint(cx, list as u32, before);
    if let Some(inner) = inner {
        directly(scene, cx, inner);
    }
    scene.paint(cx, list as u32 + 50, after);
}

#[test]
fn lists_of_any_length_draw_in_the_order_of_execution() {
    on_each(&configs(), |h| {
        let scene = Scene::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        let mut lists: Vec<CommandList> = Vec::new();
        for (n, (before, inner, after)) in LISTS.iter().enumerate() {
            scene.paint(&mut deferred, n as u32, *before);
            if let Some(inner) = inner {
                deferred.execute_command_list(&lists[*inner], false);
            }
            scene.paint(&mut deferred, n as u32 + 50, *after);
            lists.push(deferred.finish_command_list(false).unwrap());
        }
        for steps in [6, 12, 17, STEPS.len()] {
            let run = |cx: &mut ImmediateContext, execute: &dyn Fn(&mut DeviceContext, usize)| {
                scene.set_tint(cx, 1.0);
                for step in &STEPS[..steps] {
                    match step {
                        Tint(tint) => scene.set_tint(cx, *tint),
                        Paint(cells) => scene.paint(cx, 90, *cells),
                        Execute(list) => execute(cx, *list),
                        Flush => cx.flush(),
                    }
                }
            };
            scene.check(
                h,
                &format!("{steps} steps"),
                |cx| run(cx, &|cx, list| cx.execute_command_list(&lists[list], false)),
                |cx| run(cx, &|cx, list| directly(&scene, cx, list)),
            );
        }
    });
}

/// After a few frames, encoder threads replace some of the objects that they use for drawing.
#[test]
fn repeated_frames_look_the_same() {
    on_each(&[Config { page_draws: Some(5), ..Config::GPU }], |h| {
        let scene = Scene::new(&h.device);
        let mut first = None;
        for frame in 0..80 {
            scene.clear(&mut h.immediate);
            scene.set_tint(&mut h.immediate, 0.25);
            scene.paint(&mut h.immediate, 0, 150);
            h.immediate.om_set_blend_state(None, [0.0; 4], u32::MAX);
            h.immediate.draw(4, 0);
            let picture = scene.target.read(h);
            assert!(picture.iter().any(|texel| *texel != picture[0]), "something is drawn");
            assert!(*first.get_or_insert_with(|| picture.clone()) == picture, "frame {frame}");
        }
    });
}

#[test]
fn a_list_may_be_rerecorded_before_its_submission() {
    on_each(&configs(), |h| {
        let scene = Scene::new(&h.device);
        let mut contexts = [(); 2].map(|()| h.device.create_deferred_context().unwrap());
        scene.set_tint(&mut h.immediate, 0.5);
        // Later rounds reuse the memory of earlier rounds.
        for round in 0..3 {
            let lists = |n| [(n, 2600 - n * 300), (n + 20, 10 + n)];
            scene.check(
                h,
                &format!("round {round}"),
                |cx| {
                    for n in 0..6 {
                        for ((seed, cells), context) in lists(n).into_iter().zip(&mut contexts) {
                            scene.paint(context, seed, cells);
                            let list = context.finish_command_list(false).unwrap();
                            cx.execute_command_list(&list, false);
                        }
                    }
                },
                |cx| {
                    for (seed, cells) in (0..6).flat_map(lists) {
                        scene.paint(cx, seed, cells);
                    }
                },
            );
        }
    });
}

/// The lists of each thread paint the thread's part of the target in a colour that identifies the list.
#[test]
fn long_lists_are_executed_while_threads_record_the_next() {
    const THREADS: u32 = 4;
    const LISTS: u32 = 24;
    on_each(&configs(), |h| {
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, SIZE, SIZE));
        let (send, receive) = mpsc::sync_channel::<CommandList>(3);
        let (quad, target, device) = (&quad, &target, h.device.clone());
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (send, device) = (send.clone(), device.clone());
                scope.spawn(move || {
                    let mut context = device.create_deferred_context().unwrap();
                    // Each thread has its own constant buffer, because the contents that a list leaves in a
                    // buffer affect later lists.
                    let quad = Quad::new(&device);
                    for list in 1..=LISTS {
                        target.bind(&mut context);
                        quad.bind(&mut context);
                        let rows = SIZE / THREADS;
                        let cells = rows * SIZE;
                        for n in 0..cells + list * 7 {
                            let color = if n < list * 7 { 0 } else { list };
                            let [x, y] = [n % cells % SIZE, thread * rows + n % cells / SIZE]
                                .map(|at| at as f32 * 2.0 / SIZE as f32 - 1.0);
                            let rect = [x, y, x + 2.0 / SIZE as f32, y + 2.0 / SIZE as f32];
                            quad.set(&mut context, [color as f32 / 255.0, 0.0, 0.0, 1.0], rect, 0.0);
                            context.draw(4, 0);
                        }
                        send.send(context.finish_command_list(false).unwrap()).unwrap();
                    }
                });
            }
            drop(send);
            let mut random = Random::new(17);
            while let Ok(list) = receive.recv() {
                for _ in 0..random.range(1..3) {
                    h.immediate.execute_command_list(&list, random.one_in(2));
                }
                if random.one_in(4) {
                    target.bind(&mut h.immediate);
                    quad.bind(&mut h.immediate);
                    let nothing = [0.0; 4];
                    (0..random.below(300))
                        .for_each(|_| quad.draw_at(&mut h.immediate, nothing, nothing, 0.0));
                }
                if random.one_in(6) {
                    h.immediate.flush();
                }
            }
        });
        onze_tests::drawing::assert_all(&target.read(h), 0xff00_0000 | LISTS, "the last list of each thread");
    });
}
