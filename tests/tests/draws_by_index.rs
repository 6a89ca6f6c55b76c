//! Draws that differ only in their constants, made by index and one by one. All pictures are identical in
//! every bit, and the statistics show which path was used.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

#[path = "draws_by_index/between.rs"]
mod between;
#[path = "draws_by_index/buffers.rs"]
mod buffers;
#[path = "draws_by_index/materials.rs"]
mod materials;
#[path = "draws_by_index/multi_draws.rs"]
mod multi_draws;
#[path = "draws_by_index/pipelines.rs"]
mod pipelines;
#[path = "draws_by_index/random.rs"]
mod random;
#[path = "draws_by_index/shaders.rs"]
mod shaders;
#[path = "draws_by_index/stretches.rs"]
mod stretches;

use bytemuck::Pod;
use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, wait_until};

const SIZE: u32 = 64;

const FRAMES: u32 = 4;

struct Drawn {
    pictures: Vec<(String, Vec<u32>)>,
    statistics: Statistics,
    messages: Vec<Message>,
}

fn wait_for_pipelines(device: &Device) {
    wait_until("pipelines", || {
        let Statistics { pipelines_compiling, pipelines_spare, .. } = device.statistics();
        pipelines_compiling + pipelines_spare == 0
    });
}

/// Draws a scene in several frames on a new device: directly, from new lists, and from one list that is
/// executed again.
fn draw<S>(
    draws_by_index: DrawsByIndex,
    reported: &[MessageId],
    make: impl Fn(&Device) -> S,
    draw: impl Fn(&S, &mut DeviceContext, &Target),
) -> Option<Drawn> {
    let mut h = Harness::start(Config { draws_by_index, ..Config::GPU })?;
    h.watch.expect(reported);
    let before = h.device.statistics();
    let mut pictures = Vec::new();
    {
        let (scene, target) = (make(&h.device), Target::new(&h.device, SIZE, SIZE));
        let commands = |cx: &mut DeviceContext| {
            cx.clear_render_target_view(&target.view, [0.1, 0.2, 0.3, 1.0]);
            target.bind(cx);
            draw(&scene, cx, &target);
        };
        for how in [CommandPath::Immediate, CommandPath::Deferred] {
            for frame in 0..FRAMES {
                h.record(how, commands);
                pictures.push((format!("{draws_by_index:?}, {how:?}, frame {frame}"), target.read(&mut h)));
                wait_for_pipelines(&h.device);
            }
        }
        let mut deferred = h.device.create_deferred_context().unwrap();
        commands(&mut deferred);
        let list = deferred.finish_command_list(false).unwrap();
        for frame in 0..FRAMES {
            h.immediate.execute_command_list(&list, false);
            pictures.push((format!("{draws_by_index:?}, replay {frame}"), target.read(&mut h)));
        }
    }
    let statistics = h.device.statistics() - before;
    let messages = h.device.info_queue().take();
    h.finish();
    Some(Drawn { pictures, statistics, messages })
}

/// Asserts that a scene's pictures are the same with `DrawsByIndex::Off`, `Always` and `On`. Returns the
/// results with `Always`, which makes all possible draws by index, and with `On`, which first compiles their
/// pipelines in idle time.
fn compare<S>(
    make: impl Fn(&Device) -> S,
    commands: impl Fn(&S, &mut DeviceContext, &Target),
) -> Option<[Drawn; 2]> {
    compare_reported(&[], make, commands)
}

/// Compares like [`compare`], with a scene that causes the given messages on each device.
fn compare_reported<S>(
    reported: &[MessageId],
    make: impl Fn(&Device) -> S,
    commands: impl Fn(&S, &mut DeviceContext, &Target),
) -> Option<[Drawn; 2]> {
    let modes = [DrawsByIndex::Off, DrawsByIndex::Always, DrawsByIndex::On];
    let [alone, always, on] = modes.map(|mode| draw(mode, reported, &make, &commands));
    let (alone, always, on) = (alone?, always?, on?);
    let (_, expected) = &alone.pictures[0];
    let first = expected[0];
    assert!(expected.iter().any(|texel| *texel != first), "the scene draws nothing");
    for (what, picture) in alone.pictures.iter().chain(&always.pictures).chain(&on.pictures) {
        let wrong = picture.iter().zip(expected).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "{what}: {:#x?}", wrong.map(|at| (picture[at], expected[at])));
    }
    assert_eq!(alone.statistics.draws_by_index, 0);
    Some([always, on])
}

fn dynamic(device: &Device, size: u32) -> Buffer {
    device.create_buffer(&BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

fn discard<T: Pod>(cx: &mut DeviceContext, buffer: &Buffer, data: &[T]) {
    cx.map(buffer, 0, MapType::WriteDiscard).unwrap().write_slice(0, data);
}

/// Returns the rectangle of draw `n` in clip space, overlapping other rectangles so that the order of draws
/// is visible.
fn rect(n: u32) -> [f32; 4] {
    let (x, y) = ((n % 17) as f32 / 10.0 - 1.0, (n % 13) as f32 / 8.0 - 1.0);
    [x, y, x + 0.4, y + 0.3]
}

fn color(n: u32) -> [f32; 4] {
    [(n % 7) as f32 / 6.0, (n % 5) as f32 / 4.0, (n % 3) as f32 / 2.0, 1.0]
}

struct Shaders {
    vs: VertexShader,
    ps: PixelShader,
}

impl Shaders {
    fn new(device: &Device, source: &str) -> Self {
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(source, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(source, "ps_main")).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
    }
}

/// Rectangles of one colour, with the rectangle in the vertex shader's `b0` and the colour in the pixel
/// shader's `b0`.
const RECTANGLES: &str = "
    struct Place { rect: vec4<f32> }
    struct Paint { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> place: Place;
    @group(0) @binding(0) var<uniform> paint: Paint;
    @vertex fn vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
        let r = place.rect;
        return vec4<f32>(select(r.x, r.z, (index & 2u) != 0u), select(r.y, r.w, (index & 1u) != 0u), 0.5, 1.0);
    }
    @fragment fn ps_main() -> @location(0) vec4<f32> { return paint.color; }
";
