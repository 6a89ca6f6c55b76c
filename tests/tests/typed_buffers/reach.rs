//! Typed views in lists that are executed repeatedly, in draws, and with different numbers of encoding
//! workers.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each, texels};

use super::{VIEWED, adding, bytes, plain, shader, srv, uav, words};

fn configs() -> Vec<Config> {
    let one = Config { workers: 1, ..Config::GPU };
    let mut configs = gpu_matrix();
    configs.extend([one, Config { page_draws: Some(1), ..one }]);
    configs
}

fn list(h: &Harness, is_nested: bool, commands: impl FnOnce(&mut DeviceContext)) -> CommandList {
    let mut deferred = h.device.create_deferred_context().unwrap();
    commands(&mut deferred);
    let list = deferred.finish_command_list(false).unwrap();
    if !is_nested {
        return list;
    }
    deferred.execute_command_list(&list, false);
    deferred.finish_command_list(false).unwrap()
}

fn dynamic(h: &Harness, bytes: &[u8]) -> Buffer {
    let desc = BufferDesc::dynamic(bytes.len() as u32, BindFlags::SHADER_RESOURCE);
    h.device.create_buffer(&desc, Some(bytes)).unwrap()
}

/// Applies the effect of [`adding`] to `written`, from its element `first` on, adding `add` after the end of
/// `read`.
fn added(format: Format, add: u32, (written, first): (&mut [u8], usize), read: &[u8]) {
    let size = format.bytes_per_block() as usize;
    let is_float = words(format).0 == "f32";
    let sum = |a: u32, b: u32| {
        if is_float { (f32::from_bits(a) + f32::from_bits(b)).to_bits() } else { a.wrapping_add(b) }
    };
    for (at, element) in written.chunks_mut(size).skip(first).enumerate() {
        let old = texels::load(format, element);
        let read = read.chunks_exact(size).nth(at).map(|read| texels::load(format, read));
        let new = std::array::from_fn(|n| sum(old[n], read.map_or(add, |read| sum(read[n], read[n]))));
        element.copy_from_slice(&texels::store(format, new));
    }
}

/// Formats in which repeated additions of small numbers are exact.
const ADDED: [Format; 5] =
    [Format::R8_UINT, Format::R16_SINT, Format::R8G8B8A8_UNORM, Format::R16_FLOAT, Format::R16G16B16A16_UINT];

/// Before each execution, another buffer is copied to the list's input, so that the list's output
/// accumulates.
#[test]
fn a_list_reads_typed_elements_anew_each_time() {
    on_each(&configs(), |h| {
        for format in ADDED {
            let size = format.bytes_per_block() as usize;
            let (kind, storage) = words(format);
            let (add, add_bits) = if kind == "f32" { ("0.25", 0.25_f32.to_bits()) } else { ("3", 3) };
            let cs = shader(h, &adding(kind, storage, add));
            let inputs = [1_u8, 2].map(|factor| -> Vec<u8> {
                (0..32 * size).map(|n| if n % size == 0 { n as u8 % 7 * factor } else { 0 }).collect()
            });
            for is_nested in [false, true] {
                let (read, written) = (plain(h, &inputs[0]), plain(h, &vec![0; 40 * size]));
                let others = inputs.each_ref().map(|bytes| plain(h, bytes));
                // Elements smaller than a word begin in the middle of a word at indices 3 and 5.
                let (srv, uav) = (srv(h, &read, format, 3, 20), uav(h, &written, format, 5, 30));
                let list = list(h, is_nested, |cx| {
                    cx.cs_set_shader(&cs);
                    cx.cs_set_shader_resources(0, &srv);
                    cx.cs_set_unordered_access_views(0, &uav);
                    cx.dispatch(1, 1, 1);
                });
                let mut expected = vec![0; 40 * size];
                for which in [0, 1, 1, 0] {
                    h.immediate.copy_resource(&read, &others[which]);
                    h.immediate.execute_command_list(&list, false);
                    if h.draws() {
                        let written = (&mut expected[..35 * size], 5);
                        added(format, add_bits, written, &inputs[which][3 * size..23 * size]);
                    }
                }
                let found: Vec<u8> = h.immediate.read_buffer(&written).unwrap();
                assert_eq!(found, expected, "{format:?}, nested {is_nested}");
            }
        }
    });
}

/// The first dispatch in the list reads contents that the immediate context wrote, and the second dispatch
/// reads contents that the list itself wrote after a discard.
#[test]
fn a_list_can_discard_the_typed_buffer_it_reads() {
    on_each(&configs(), |h| {
        let cs = shader(h, &adding("u32", "rgba32uint", "0u"));
        let contents = |first: u8| -> [u8; 32] { std::array::from_fn(|n| first + n as u8 % 3) };
        for is_nested in [false, true] {
            let input = dynamic(h, &contents(1));
            let outputs = [(); 2].map(|()| plain(h, &[0; 32]));
            let view = srv(h, &input, Format::R8_UINT, 5, 9);
            let views = outputs.each_ref().map(|output| uav(h, output, Format::R8_UINT, 7, 9));
            let list = list(h, is_nested, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &view);
                cx.cs_set_unordered_access_views(0, &views[0]);
                cx.dispatch(1, 1, 1);
                cx.map(&input, 0, MapType::WriteDiscard).unwrap().write(0, &contents(7));
                cx.cs_set_unordered_access_views(0, &views[1]);
                cx.dispatch(1, 1, 1);
            });
            let mut expected = [[0; 32]; 2];
            // The buffer is not discarded before the third execution, so the list starts with the contents
            // that it wrote last.
            for left in [Some(4), Some(9), None] {
                if let Some(left) = left {
                    h.immediate.map(&input, 0, MapType::WriteDiscard).unwrap().write(0, &contents(left));
                }
                h.immediate.execute_command_list(&list, false);
                if h.draws() {
                    for (expected, first) in expected.iter_mut().zip([left.unwrap_or(7), 7]) {
                        added(Format::R8_UINT, 0, (&mut expected[..16], 7), &contents(first)[5..14]);
                    }
                }
            }
            for (output, expected) in outputs.iter().zip(expected) {
                let found: Vec<u8> = h.immediate.read_buffer(output).unwrap();
                assert_eq!(found, expected, "nested {is_nested}");
            }
        }
    });
}

/// Only the format of the view changes between dispatches and copies, while the buffer and the range of bytes
/// stay the same.
#[test]
fn the_format_of_a_written_view_can_change_alone() {
    on_each(&configs(), |h| {
        let cs = shader(
            h,
            "@group(3) @binding(1) var output: texture_storage_1d<rgba32float, read_write>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) at: u32) {
                let swapped = textureLoad(output, at).yxwz;
                textureStore(output, at, swapped + vec4f(0.4, -0.31, 1.0, 0.0));
            }",
        );
        let formats = [
            Format::R8G8B8A8_UNORM,
            Format::R8G8B8A8_SNORM,
            Format::R16G16_FLOAT,
            Format::R8G8B8A8_UNORM,
            Format::R10G10B10A2_UNORM,
        ];
        let before: Vec<u8> = (0..64).map(|n| [0, 0x34, 0x20, 0x2c][n % 4]).collect();
        for how in CommandPath::ALL {
            let buffer = plain(h, &before);
            let views = formats.map(|format| uav(h, &buffer, format, 3, 10));
            let copies = formats.map(|_| plain(h, &[0; 64]));
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                for (view, copy) in views.iter().zip(&copies) {
                    cx.cs_set_unordered_access_views(1, view);
                    cx.dispatch(1, 1, 1);
                    cx.copy_resource(copy, &buffer);
                }
            });
            let mut expected = before.clone();
            for (format, copy) in formats.iter().zip(&copies) {
                if h.draws() {
                    for element in expected[12..52].chunks_mut(4) {
                        let [x, y, z, w] = texels::load(*format, element).map(f32::from_bits);
                        let new = [y + 0.4, x - 0.31, w + 1.0, z].map(f32::to_bits);
                        element.copy_from_slice(&texels::store(*format, new));
                    }
                }
                let found: Vec<u8> = h.immediate.read_buffer(copy).unwrap();
                assert_eq!(found, expected, "{format:?}, {how:?}");
            }
        }
    });
}

const DRAWING: &str = "
    @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
        return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
    }
    fn place(at: vec4f) -> u32 { return u32(at.x) + 8u * u32(at.y); }
    @group(1) @binding(0) var input: texture_1d<f32>;
    @group(3) @binding(1) var output: texture_storage_1d<rgba32float, read_write>;
    @fragment fn grow(@builtin(position) at: vec4f) -> @location(0) vec4f {
        let old = textureLoad(output, place(at)).x;
        textureStore(output, place(at), vec4f(2.0 * old + 1.0));
        return vec4f(old / 255.0, 0.0, 0.0, 1.0);
    }
    @fragment fn show(@builtin(position) at: vec4f) -> @location(0) vec4f {
        return vec4f(textureLoad(input, place(at), 0).x / 255.0, 0.0, 0.0, 1.0);
    }
    @fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
        return textureLoad(input, place(at), 0);
    }
    @group(3) @binding(1) var output_of_compute: texture_storage_1d<rgba32float, read_write>;
    @compute @workgroup_size(64) fn twice(@builtin(local_invocation_index) at: u32) {
        textureStore(output_of_compute, at, 2.0 * textureLoad(output_of_compute, at));
    }";

/// Takes turns between draws and dispatches that write a typed buffer, draws that read it, and clears, which
/// must all take effect in order.
#[test]
fn draws_and_dispatches_see_the_elements_of_those_before() {
    on_each(&configs(), |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard]);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(DRAWING, "vs")).unwrap();
        let [grow, show] = ["grow", "show"]
            .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(DRAWING, name)).unwrap());
        let twice = h.device.create_compute_shader(ShaderSource::wgsl(DRAWING, "twice")).unwrap();
        let targets = [(); 3].map(|()| Target::with_format(&h.device, Format::R8G8B8A8_UNORM, 8, 8));
        // Two of the 64 pixels and threads access elements after the view, so they read 0 and write nothing.
        for (format, first, count) in [(Format::R16_FLOAT, 3, 62), (Format::R32_FLOAT, 1, 62)] {
            let size = format.bytes_per_block() as usize;
            for how in CommandPath::ALL {
                let before = bytes(70 * size);
                let buffer = plain(h, &before);
                let (view, seen) =
                    (uav(h, &buffer, format, first, count), srv(h, &buffer, format, first, count));
                h.record(how, |cx| {
                    cx.vs_set_shader(&vs);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                    cx.cs_set_shader(&twice);
                    cx.clear_unordered_access_view_float(&view, [1.0; 4]);
                    // The clear writes 1, and the two draws change it to 3 and then to 7.
                    cx.ps_set_shader(&grow);
                    cx.om_set_render_targets_and_unordered_access_views(
                        &targets[0].view,
                        None,
                        1,
                        &view,
                        &[],
                    );
                    cx.draw(3, 0);
                    cx.draw(3, 0);
                    // The next draw reads the elements that the previous draws wrote.
                    cx.om_set_unordered_access_views(1, None);
                    cx.om_set_render_targets(&targets[1].view, None);
                    cx.ps_set_shader(&show);
                    cx.ps_set_shader_resources(0, &seen);
                    cx.draw(3, 0);
                    cx.ps_set_shader_resources(0, None);
                    // Each dispatch doubles the values, first to 14 and then to 28.
                    cx.cs_set_unordered_access_views(1, &view);
                    cx.dispatch(1, 1, 1);
                    cx.dispatch(1, 1, 1);
                    cx.cs_set_unordered_access_views(1, None);
                    cx.om_set_render_targets(&targets[2].view, None);
                    cx.ps_set_shader_resources(0, &seen);
                    cx.draw(3, 0);
                    // The first draw changes the value to 57, the clear to 9, and the last draw to 19.
                    cx.ps_set_shader(&grow);
                    cx.om_set_render_targets_and_unordered_access_views(
                        &targets[0].view,
                        None,
                        1,
                        &view,
                        &[],
                    );
                    cx.draw(3, 0);
                    cx.clear_unordered_access_view_float(&view, [9.0; 4]);
                    cx.draw(3, 0);
                });
                for (target, expected) in targets.iter().zip([9, 7, 28]) {
                    let reds: Vec<u32> = target.read(h).iter().map(|texel| texel & 0xff).collect();
                    let red = |at| if h.draws() && at < count { expected } else { 0 };
                    assert_eq!(reds, (0..64).map(red).collect::<Vec<_>>(), "{format:?}, {how:?}");
                }
                let mut expected = before;
                if h.draws() {
                    let element = texels::store(format, [19.0_f32.to_bits(); 4]);
                    let part = first as usize * size..(first + count) as usize * size;
                    expected[part].copy_from_slice(&element.repeat(count as usize));
                }
                let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                assert_eq!(found, expected, "{format:?}, {how:?}");
            }
        }
    });
}

/// A target with eight rows, each drawn with its own draw from the elements of one view.
struct Rows {
    target: Target,
    vs: VertexShader,
    ps: PixelShader,
    scissor: RasterizerState,
}

/// The format, the first element and the number of elements of a view.
type ViewPart = (Format, u32, u32);

impl Rows {
    fn new(h: &Harness) -> Self {
        let scissor = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        Self {
            target: Target::with_format(&h.device, Format::R8G8B8A8_UNORM, 8, 8),
            vs: h.device.create_vertex_shader(ShaderSource::wgsl(DRAWING, "vs")).unwrap(),
            ps: h.device.create_pixel_shader(ShaderSource::wgsl(DRAWING, "shade")).unwrap(),
            scissor: h.device.create_rasterizer_state(&scissor).unwrap(),
        }
    }

    /// Draws each row of the target from the next view, and after the last view from the first again.
    fn draw(&self, cx: &mut DeviceContext, views: &[ShaderResourceView]) {
        cx.clear_render_target_view(&self.target.view, [0.0; 4]);
        cx.om_set_render_targets(&self.target.view, None);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.rs_set_state(&self.scissor);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
        for (row, view) in (0..8).zip(views.iter().cycle()) {
            cx.ps_set_shader_resources(0, view);
            cx.rs_set_scissor_rects(onze::Rect { left: 0, top: row, right: 8, bottom: row + 1 });
            cx.draw(3, 0);
        }
    }

    /// Compares the red of all texels with the first components of the elements in each part.
    fn check(&self, h: &mut Harness, parts: &[(ViewPart, &[u8])], what: &str) {
        let found: Vec<u32> = self.target.read(h).iter().map(|texel| texel & 0xff).collect();
        for (row, ((format, first, count), contents)) in (0..8).zip(parts.iter().cycle()) {
            let size = format.bytes_per_block() as usize;
            let of = |at: usize| -> u32 {
                if !h.draws() || at >= *count as usize {
                    return 0;
                }
                let element = &contents[(*first as usize + at) * size..][..size];
                let value = f32::from_bits(texels::load(*format, element)[0]);
                // The value is clamped and rounded in the same way as in a UNORM target.
                (value.max(0.0) * 255.0 + 0.5) as u32
            };
            let part = 8 * row..8 * row + 8;
            let expected: Vec<u32> = part.clone().map(of).collect();
            assert_eq!(found[part], expected, "row {row}, {what}");
        }
    }
}

/// The views show the same bytes in several formats, with different first elements and counts.
#[test]
fn each_draw_reads_the_typed_view_that_was_bound_for_it() {
    on_each(&configs(), |h| {
        let rows = Rows::new(h);
        let contents: Vec<u8> = (0..200).map(|n| n as u8 ^ 0x55).collect();
        let desc = BufferDesc::new(200, VIEWED | BindFlags::VERTEX_BUFFER);
        let buffer = h.device.create_buffer(&desc, Some(&contents)).unwrap();
        // The views of the fourth and fifth rows end within these rows, so some of their texels read out of
        // range.
        let parts = [
            (Format::R8_UNORM, 4, 64),
            (Format::R8_SNORM, 4, 64),
            (Format::R8_UNORM, 5, 64),
            (Format::R8_UNORM, 4, 28),
            (Format::R8G8_UNORM, 2, 36),
        ];
        let views = parts.map(|(format, first, count)| srv(h, &buffer, format, first, count));
        for how in CommandPath::ALL {
            h.record(how, |cx| rows.draw(cx, &views));
            rows.check(h, &parts.map(|part| (part, &contents[..])), &format!("{how:?}"));
        }
    });
}

/// Between executions, new contents are copied to one buffer, and another buffer is discarded in some rounds.
#[test]
fn a_list_draws_typed_elements_as_they_are_each_time() {
    on_each(&configs(), |h| {
        let rows = Rows::new(h);
        let contents = |seed: u8| -> [u8; 80] { std::array::from_fn(|n| (n as u8).wrapping_mul(3) ^ seed) };
        let others = [1, 40, 77, 130, 200, 13].map(|seed| (contents(seed), plain(h, &contents(seed))));
        for is_nested in [false, true] {
            let (discarded, copied) = (dynamic(h, &contents(0)), plain(h, &contents(0)));
            let parts = [(Format::R8_UNORM, 5, 60), (Format::R8_SNORM, 7, 64)];
            let [first, second] = parts;
            let views = [
                srv(h, &discarded, first.0, first.1, first.2),
                srv(h, &copied, second.0, second.1, second.2),
            ];
            let list = list(h, is_nested, |cx| rows.draw(cx, &views));
            let mut discarded_contents = contents(0);
            for (n, (bytes, other)) in others.iter().enumerate() {
                if n % 3 != 2 {
                    discarded_contents = contents(bytes[0] ^ 0x5a);
                    let mut mapped = h.immediate.map(&discarded, 0, MapType::WriteDiscard).unwrap();
                    mapped.write(0, &discarded_contents);
                }
                h.immediate.copy_resource(&copied, other);
                h.immediate.execute_command_list(&list, false);
                let parts = [(first, &discarded_contents[..]), (second, &bytes[..])];
                rows.check(h, &parts, &format!("nested {is_nested}, execution {n}"));
            }
        }
    });
}

/// wgpu does not order accesses within a pass, although some adapters happen to keep the order.
#[test]
fn draws_that_store_elements_share_no_pass() {
    const SHADERS: &str = "
        @group(3) @binding(1) var numbers: texture_storage_1d<rgba32uint, read_write>;
        @group(3) @binding(2) var counts: texture_storage_1d<r32uint, atomic>;
        @fragment fn load(@builtin(position) at: vec4f) {
            textureAtomicAdd(counts, 0, textureLoad(numbers, u32(at.x)).x);
        }
        @fragment fn store(@builtin(position) at: vec4f) { textureStore(numbers, u32(at.x), vec4u(1u)); }
        @fragment fn add() { textureAtomicAdd(counts, 0, 1u); }
        @fragment fn most() { textureAtomicMax(counts, 0, 1u); }
        @fragment fn peek() { if textureLoad(counts, 0).x == 999u { discard; } }
        @fragment fn climb() { textureAtomicAdd(counts, textureLoad(counts, 0).x, 1u); }
        @fragment fn nothing() {}";
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(DRAWING, "vs")).unwrap();
        let target = Target::with_format(&h.device, Format::R8G8B8A8_UNORM, 8, 8);
        // One view shows the first two bytes of the buffer's second word, and the other shows its last word.
        let buffer = plain(h, &[0; 64]);
        let views = [uav(h, &buffer, Format::R8_UINT, 4, 2), uav(h, &buffer, Format::R32_UINT, 15, 1)];
        for (entry_points, passes) in [
            (["load", "load", "load"], 1),
            (["add", "add", "nothing"], 1),
            (["add", "most", "most"], 2),
            (["peek", "peek", "peek"], 1),
            (["climb", "climb", "climb"], 3),
            (["add", "peek", "peek"], 2),
            (["add", "peek", "add"], 3),
            (["store", "nothing", "nothing"], 1),
            (["store", "store", "store"], 3),
            (["load", "store", "load"], 3),
        ] {
            let shaders = entry_points
                .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(SHADERS, name)).unwrap());
            let before = h.device.statistics().passes;
            h.record(CommandPath::Immediate, |cx| {
                cx.vs_set_shader(&vs);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                cx.om_set_render_targets_and_unordered_access_views(&target.view, None, 1, &views, &[]);
                for shader in &shaders {
                    cx.ps_set_shader(shader);
                    cx.draw(3, 0);
                }
            });
            h.immediate.flush();
            assert_eq!(h.device.statistics().passes - before, passes, "{entry_points:?}");
        }
    });
}

/// A copy between two draws may be moved before them, but not before a command that writes its source.
#[test]
fn a_copy_between_draws_sees_the_clear_before_it() {
    on_each(&configs(), |h| {
        let rows = Rows::new(h);
        let other = plain(h, &[0x40; 80]);
        let part = (Format::R8_UNORM, 3, 70);
        let seen = [srv(h, &other, part.0, part.1, part.2)];
        for how in CommandPath::ALL {
            let (buffer, copy) = (plain(h, &[9; 32]), plain(h, &[1; 32]));
            let view = uav(h, &buffer, Format::R8_UNORM, 5, 7);
            h.record(how, |cx| {
                cx.clear_unordered_access_view_float(&view, [0.2; 4]);
                rows.draw(cx, &seen);
                cx.copy_resource(&copy, &buffer);
                cx.draw(3, 0);
            });
            let of = |at| if (5..12).contains(&at) { 51 } else { 9 };
            let expected: [u8; 32] = std::array::from_fn(|at| if h.draws() { of(at) } else { 9 });
            let found: Vec<u8> = h.immediate.read_buffer(&copy).unwrap();
            assert_eq!(found, expected, "{how:?}");
            rows.check(h, &[(part, &[0x40; 80])], &format!("{how:?}"));
        }
    });
}
