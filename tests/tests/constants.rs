//! Constant buffers in shaders: offsets, windows, and reads past a buffer's end.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Random, Target, gpu_matrix, on_each, shapes::expect};

/// Returns a shader that writes constant x of a block of 64 constants to texel x, with the block bound to
/// `slot`.
fn source(slot: u32) -> String {
    format!(
        "struct Block {{ values: array<vec4<f32>, 64> }}
        @group(0) @binding({slot}) var<uniform> block: Block;

        @vertex
        fn vs_main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4<f32> {{
            return vec4<f32>(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
        }}

        @fragment
        fn ps_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {{
            return block.values[u32(position.x)];
        }}"
    )
}

const COUNT: u32 = 64;

struct Show {
    vs: VertexShader,
    ps: PixelShader,
    target: Target,
}

impl Show {
    fn new(device: &Device, slot: u32) -> Self {
        let source = source(slot);
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(&source, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap(),
            target: Target::new(device, COUNT, 1),
        }
    }

    fn draw(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.draw(3, 0);
    }
}

fn color(seed: u32, n: u32) -> u32 {
    0xff00_0000 | ((n * 5 + seed) % 256) << 16 | (250 - n % 250) << 8 | ((seed + n / 64) % 256)
}

fn constants(seed: u32, count: u32) -> Vec<[f32; 4]> {
    (0..count).map(|n| color(seed, n).to_le_bytes().map(|byte| f32::from(byte) / 255.0)).collect()
}

fn default_buffer(device: &Device, data: &[[f32; 4]]) -> Buffer {
    device.create_buffer_with(BindFlags::CONSTANT_BUFFER, data).unwrap()
}

fn dynamic_buffer(device: &Device, cx: &mut DeviceContext, data: &[[f32; 4]]) -> Buffer {
    let desc = BufferDesc::dynamic(16 * data.len() as u32, BindFlags::CONSTANT_BUFFER);
    let buffer = device.create_buffer(&desc, None).unwrap();
    cx.map(&buffer, 0, MapType::WriteDiscard).unwrap().write_slice(0, data);
    buffer
}

/// Creates a default buffer and a dynamic buffer with `count` constants, each created between two buffers
/// with different contents.
fn surrounded(h: &mut Harness, count: u32) -> Vec<(&'static str, Buffer, Vec<Buffer>)> {
    let device = h.device.clone();
    let cx = &mut h.immediate;
    let noise = constants(99, 64);
    let data = constants(7, count);
    let mut around: Vec<_> = (0..8).map(|_| default_buffer(&device, &noise[..count as usize])).collect();
    let default = default_buffer(&device, &data);
    around.extend((0..8).map(|_| default_buffer(&device, &noise[..count as usize])));
    let mut others: Vec<_> = (0..8).map(|_| dynamic_buffer(&device, cx, &noise)).collect();
    let dynamic = dynamic_buffer(&device, cx, &data);
    others.extend((0..8).map(|_| dynamic_buffer(&device, cx, &noise)));
    vec![("default", default, around), ("dynamic", dynamic, others)]
}

#[test]
fn constants_beyond_the_end_of_the_buffer_are_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let show = Show::new(&h.device, 0);
        for count in [1, 3, 15, 16, 17, 63, 64] {
            for (kind, buffer, _neighbours) in surrounded(h, count) {
                let draw = |cx: &mut DeviceContext| {
                    cx.ps_set_constant_buffers(0, &buffer);
                    show.draw(cx);
                };
                let row = format!("{kind} buffer of {count}");
                expect(h, &show.target, &row, draw, |x, _| if x < count { color(7, x) } else { 0 });
            }
        }
    });
}

#[test]
fn constants_of_a_slot_without_a_buffer_are_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet]);
        let show = Show::new(&h.device, 5);
        let full = default_buffer(&h.device, &constants(9, 64));
        let draw = |cx: &mut DeviceContext| {
            cx.ps_set_constant_buffers(4, [&full, &full, &full]);
            show.draw(cx);
            cx.ps_set_constant_buffers(5, None);
            show.draw(cx);
        };
        expect(h, &show.target, "unbound", draw, |_, _| 0);
    });
}

fn window(first_constant: u32, num_constants: u32) -> ConstantRange {
    ConstantRange { first_constant, num_constants }
}

/// A shader sees only the part of the window that is within the buffer.
#[test]
fn a_constant_window_has_an_offset_and_zeros_beyond_its_end() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let show = Show::new(&h.device, 3);
        let d = h.device.clone();
        for (size, windows) in [
            (64, [(0, 64), (0, 16), (16, 16), (16, 32), (48, 16), (48, 4096), (64, 16), (4096, 16)]),
            (40, [(0, 32), (0, 48), (16, 16), (16, 4096), (32, 16), (32, 64), (48, 16), (1 << 20, 16)]),
            (
                9000,
                [
                    (4096, 64),
                    (4096, 4096),
                    (8192, 16),
                    (8976, 4096),
                    (8992, 16),
                    (9008, 16),
                    (0, 4096),
                    (16, 48),
                ],
            ),
        ] {
            let dynamic = dynamic_buffer(&d, &mut h.immediate, &constants(7, size));
            let buffers = [default_buffer(&d, &constants(7, size)), dynamic];
            for (buffer, (first, count)) in buffers.iter().flat_map(|b| windows.map(|w| (b, w))) {
                let draw = |cx: &mut DeviceContext| {
                    cx.ps_set_constant_buffers1(3, buffer, &[window(first, count)]);
                    show.draw(cx);
                };
                let usage = buffer.desc().usage;
                expect(h, &show.target, &format!("{size}, {usage:?}, {first}+{count}"), draw, |x, _| {
                    if x < count && first + x < size { color(7, first + x) } else { 0 }
                });
            }
        }
    });
}

/// Tests the rule for windows in a dispatch whose threads each write one constant to their own element.
#[test]
fn constants_beyond_their_window_are_0_in_a_dispatch() {
    const SHADER: &str = "
        struct Block { values: array<vec4<f32>, 64> }
        @group(0) @binding(13) var<uniform> block: Block;
        @group(3) @binding(0) var<storage, read_write> found: array<vec4f>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) n: u32) {
            found[n] = block.values[n] + 1.0;
        }";
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet, MessageId::DrawConstantBufferTooSmall]);
        let d = h.device.clone();
        let cs = d.create_compute_shader(ShaderSource::wgsl(SHADER, "main")).unwrap();
        for size in [16, 40, 64] {
            let contents: Vec<[f32; 4]> = (0..size).map(|n| [n as f32 + 2.0; 4]).collect();
            let dynamic = dynamic_buffer(&d, &mut h.immediate, &contents);
            let buffers = [Some(default_buffer(&d, &contents)), Some(dynamic), None];
            let windows = [(0, 4096), (0, 16), (16, 32), (32, 4096), (64, 16)];
            for (buffer, (first, count)) in buffers.iter().flat_map(|b| windows.map(|w| (b, w))) {
                let found =
                    d.create_buffer(&BufferDesc::structured(16, 64, BindFlags::UNORDERED_ACCESS), None);
                let found = found.unwrap();
                let view = found.create_unordered_access_view().unwrap();
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&cs);
                    if let Some(buffer) = buffer {
                        cx.cs_set_constant_buffers1(13, buffer, &[window(first, count)]);
                    }
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(1, 1, 1);
                });
                let there = |n: u32| buffer.is_some() && n < count && first + n < size;
                let value = |n: u32| if there(n) { (first + n) as f32 + 3.0 } else { 1.0 };
                let expected: Vec<_> = (0..64).map(|n| [value(n); 4]).collect();
                let found: Vec<[f32; 4]> = h.immediate.read_buffer(&found).unwrap();
                assert_eq!(found, expected, "{size}, {first}+{count}, bound {}", buffer.is_some());
            }
        }
    });
}

const TWO_BUFFERS: &str = "
    struct Pair { value: vec4<f32> }
    @group(0) @binding(0) var<uniform> first: Pair;
    @group(0) @binding(1) var<uniform> second: Pair;

    @fragment
    fn ps_main() -> @location(0) vec4<f32> { return vec4<f32>(first.value.xy, second.value.xy); }
";

/// See Wine 10.0, d3d11 tests, line 34140.
#[test]
fn constant_offsets_last_until_a_bind_without_offsets() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let mut show = Show::new(&d, 0);
        show.ps = d.create_pixel_shader(ShaderSource::wgsl(TWO_BUFFERS, "ps_main")).unwrap();
        let buffer = |low: [f32; 2], high: [f32; 2]| {
            let mut data = vec![[0.0_f32; 4]; 32];
            data[0][..2].copy_from_slice(&low);
            data[16][..2].copy_from_slice(&high);
            default_buffer(&d, &data)
        };
        let (a, b) = (buffer([0.1, 0.2], [0.3, 0.4]), buffer([0.5, 0.6], [0.7, 0.8]));
        type Set<'a> = &'a dyn Fn(&mut DeviceContext);
        let first: Set<'_> = &|cx| cx.ps_set_constant_buffers1(0, [&a, &b], &[window(0, 16), window(16, 16)]);
        let second: Set<'_> =
            &|cx| cx.ps_set_constant_buffers1(0, [&a, &b], &[window(16, 16), window(0, 32)]);
        let plain: Set<'_> = &|cx| cx.ps_set_constant_buffers(0, [&a, &b]);
        // The offset of the second window is not a multiple of 16, so the whole call is ignored.
        let invalid: Set<'_> =
            &|cx| cx.ps_set_constant_buffers1(0, [&b, &a], &[window(0, 16), window(8, 16)]);
        let rows: [(&str, &[Set<'_>], u32); 5] = [
            ("first", &[first], 0xccb2_3319),
            ("plain", &[plain], 0x9980_3319),
            ("second", &[second], 0x9980_664c),
            ("first, second, plain", &[first, second, plain], 0x9980_3319),
            ("second, invalid", &[second, invalid], 0x9980_664c),
        ];
        for (what, sets, expected) in rows {
            let draw = |cx: &mut DeviceContext| {
                for set in sets {
                    set(cx);
                    show.draw(cx);
                }
            };
            expect(h, &show.target, what, draw, |_, _| expected);
        }
        h.assert_reported(MessageId::SetConstantBuffers1Invalid);
    });
}

const BY_VERTEX: &str = "
    struct Block { values: array<vec4<f32>, 64> }
    @group(0) @binding(2) var<uniform> block: Block;

    struct Point { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    @vertex
    fn vs_main(@builtin(vertex_index) n: u32) -> Point {
        return Point(vec4<f32>((f32(n) + 0.5) / 32.0 - 1.0, 0.0, 0.0, 1.0), block.values[n]);
    }

    struct Factor { value: vec4<f32> }
    @group(0) @binding(2) var<uniform> other: Factor;

    @fragment
    fn ps_main(point: Point) -> @location(0) vec4<f32> { return point.color * other.value; }
";

/// Windows and buffer ends have the same meaning in the vertex stage as in the pixel stage.
#[test]
fn the_two_stages_have_slots_of_their_own() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let d = h.device.clone();
        let target = Target::new(&d, COUNT, 1);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(BY_VERTEX, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(BY_VERTEX, "ps_main")).unwrap();
        let (values, factor) =
            (default_buffer(&d, &constants(7, 96)), default_buffer(&d, &[[1.0, 0.0, 1.0, 1.0]]));
        for (first, count) in [(0, 4096), (16, 32), (48, 4096)] {
            let draw = |cx: &mut DeviceContext| {
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.vs_set_constant_buffers1(2, &values, &[window(first, count)]);
                cx.ps_set_constant_buffers(2, &factor);
                cx.draw(COUNT, 0);
            };
            expect(h, &target, &format!("{first}+{count}"), draw, |x, _| {
                if x < count && first + x < 96 { color(7, first + x) & 0xffff_00ff } else { 0 }
            });
        }
    });
}

#[test]
fn all_fourteen_slots_are_read_at_once() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let mut show = Show::new(&d, 0);
        let declare: String = (0..14)
            .map(|n| {
                format!("struct B{n} {{ v: vec4<f32> }} @group(0) @binding({n}) var<uniform> b{n}: B{n};\n")
            })
            .collect();
        let cases: String = (0..14).map(|n| format!("case {n}: {{ return b{n}.v; }}\n")).collect();
        let source = format!(
            "{declare}
            @fragment
            fn ps_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {{
                switch i32(position.x) {{ {cases} default: {{ return vec4<f32>(1.0); }} }}
            }}"
        );
        show.ps = d.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap();
        let buffers: Vec<_> = (0..14).map(|n| default_buffer(&d, &constants(n * 10, 16))).collect();
        let dynamic = dynamic_buffer(&d, &mut h.immediate, &constants(200, 16));
        let draw = |cx: &mut DeviceContext| {
            cx.ps_set_constant_buffers(0, &buffers.iter().collect::<Vec<_>>()[..]);
            cx.ps_set_constant_buffers(11, &dynamic);
            show.draw(cx);
        };
        expect(h, &show.target, "all", draw, |x, _| match x {
            11 => color(200, 0),
            0..14 => color(x * 10, 0),
            _ => u32::MAX,
        });
    });
}

/// The driver pads a short buffer for the shader, and later writes to the buffer must still be seen.
#[test]
fn each_draw_sees_the_current_bytes_of_a_short_buffer() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let d = h.device.clone();
        let show = Show::new(&d, 0);
        let short = default_buffer(&d, &constants(1, 4));
        let from = default_buffer(&d, &constants(3, 4));
        let dynamic = d.create_buffer(&BufferDesc::dynamic(64, BindFlags::CONSTANT_BUFFER), None).unwrap();
        let discard = |cx: &mut DeviceContext, seed| {
            cx.map(&dynamic, 0, MapType::WriteDiscard).unwrap().write_slice(0, &constants(seed, 4));
        };
        // Every draw covers the whole target, so the target shows the last draw.
        for steps in 1..=5 {
            let draw = |cx: &mut DeviceContext| {
                cx.update_subresource(&short, 0, None, &constants(1, 4), 0, 0);
                cx.ps_set_constant_buffers(0, &short);
                show.draw(cx);
                if steps > 1 {
                    cx.update_subresource(&short, 0, None, &constants(2, 4), 0, 0);
                    show.draw(cx);
                }
                if steps > 2 {
                    cx.copy_resource(&short, &from);
                    show.draw(cx);
                }
                if steps > 3 {
                    cx.ps_set_constant_buffers(0, &dynamic);
                    discard(cx, 4);
                    show.draw(cx);
                }
                if steps > 4 {
                    discard(cx, 5);
                    show.draw(cx);
                }
                // These writes follow the last draw, so no draw may see them.
                discard(cx, 6);
                cx.update_subresource(&short, 0, None, &constants(6, 4), 0, 0);
            };
            expect(
                h,
                &show.target,
                &format!("{steps} steps"),
                draw,
                |x, _| {
                    if x < 4 { color(steps, x) } else { 0 }
                },
            );
        }
    });
}

const BOTH_STAGES: &str = "
    struct Block { values: array<vec4<f32>, 64> }
    @group(0) @binding(0) var<uniform> block: Block;

    struct Point { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    @vertex
    fn vs_main(@builtin(vertex_index) n: u32) -> Point {
        return Point(vec4<f32>((f32(n) + 0.5) / 32.0 - 1.0, 0.0, 0.0, 1.0), block.values[n]);
    }

    struct Scale { factor: vec4<f32>, offset: vec4<f32> }
    @group(0) @binding(0) var<uniform> scale: Scale;

    @fragment
    fn ps_main(point: Point) -> @location(0) vec4<f32> { return point.color * scale.factor + scale.offset; }
";

/// The pixel stage's buffer is bound without an offset, and its contents must stay current while the vertex
/// stage's buffer changes.
#[test]
fn a_short_buffer_is_current_when_the_other_stage_changes() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let d = h.device.clone();
        let target = Target::new(&d, COUNT, 1);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(BOTH_STAGES, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(BOTH_STAGES, "ps_main")).unwrap();
        let values = [7, 8, 9].map(|seed| default_buffer(&d, &constants(seed, 64)));
        let [short, black] = [0, 1].map(|_| default_buffer(&d, &[[0.0; 4]]));
        let red = default_buffer(&d, &[[1.0, 0.0, 0.0, 1.0]]);
        let draw = |cx: &mut DeviceContext| {
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.copy_resource(&short, &black);
            cx.ps_set_constant_buffers(0, &short);
            for values in &values {
                cx.vs_set_constant_buffers(0, values);
                cx.draw(COUNT, 0);
            }
            cx.copy_resource(&short, &red);
            cx.draw(COUNT, 0);
        };
        expect(h, &target, "copy", draw, |x, _| color(9, x) & 0xff00_00ff);
    });
}

const SLOTS: u32 = 14;

/// Returns the values of the two colour channels that encode the flags of a stage: slots 0 to 6 in the first
/// channel and slots 7 to 13 in the second. Slot `n` adds `2 << (n % 7)`.
fn channels(flags: u32) -> [u8; 2] {
    [(flags & 0x7f) as u8 * 2, (flags >> 7 & 0x7f) as u8 * 2]
}

fn many_slots() -> [String; 2] {
    let slots = (0..SLOTS).map(|n| format!("@group(0) @binding({n}) var<uniform> c{n}: vec4<f32>;\n"));
    let declared: String = slots.collect();
    let sum = |slots: std::ops::Range<u32>| {
        let part = |n: u32| format!("c{n}.x * {}.0", 2 << (n % 7));
        slots.map(part).collect::<Vec<_>>().join(" + ")
    };
    let flags = format!("vec2<f32>({}, {}) / 255.0", sum(0..7), sum(7..14));
    let vs = format!(
        "{declared}
        struct Out {{ @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat) flags: vec2<f32> }}
        @vertex
        fn vs_main(@builtin(vertex_index) n: u32) -> Out {{
            let at = vec4<f32>(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
            return Out(at, {flags});
        }}"
    );
    let ps = format!(
        "{declared}
        @fragment
        fn ps_main(@location(0) @interpolate(flat) of_vs: vec2<f32>) -> @location(0) vec4<f32> {{
            return vec4<f32>(of_vs, {flags});
        }}"
    );
    [vs, ps]
}

/// There are more constant-buffer slots than dynamic offsets, so the driver binds the buffers in the upper
/// slots without dynamic offsets.
#[test]
fn draws_read_buffers_discarded_between_draws_in_all_slots() {
    on_each(&gpu_matrix(), |h| {
        let [vs, ps] = many_slots();
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(&vs, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&ps, "ps_main")).unwrap();
        let target = Target::new(&h.device, 32, 1);
        let desc = BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER);
        let buffer = |_| h.device.create_buffer(&desc, None).unwrap();
        let buffers: [Vec<Buffer>; 2] = [(0..SLOTS).map(buffer).collect(), (0..SLOTS).map(buffer).collect()];
        // Draw `n` fills texel `n`. The first draw discards every buffer, and each later draw discards about
        // half of them.
        let mut random = Random::new(3);
        let plan: Vec<[(u32, u32); 2]> = (0..target.width)
            .map(|n| {
                [(); 2]
                    .map(|()| (random.below(1 << SLOTS), if n == 0 { !0 } else { random.below(1 << SLOTS) }))
            })
            .collect();
        let draw = |cx: &mut DeviceContext| {
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_constant_buffers(0, &buffers[0].iter().map(Some).collect::<Vec<_>>()[..]);
            cx.ps_set_constant_buffers(0, &buffers[1].iter().map(Some).collect::<Vec<_>>()[..]);
            for (n, stages) in plan.iter().enumerate() {
                for (buffers, (flags, discarded)) in buffers.iter().zip(stages) {
                    for (slot, buffer) in
                        buffers.iter().enumerate().filter(|(slot, _)| discarded >> slot & 1 != 0)
                    {
                        let flag = [(flags >> slot & 1) as f32, 0.5, 0.5, 0.5];
                        cx.map(buffer, 0, MapType::WriteDiscard).unwrap().write(0, &flag);
                    }
                }
                cx.rs_set_viewports(Viewport { top_left_x: n as f32, ..Viewport::sized(1.0, 1.0) });
                cx.draw(3, 0);
            }
        };
        let mut shown = [0; 2];
        let texels: Vec<_> = plan
            .iter()
            .map(|stages| {
                for (shown, (flags, discarded)) in shown.iter_mut().zip(stages) {
                    *shown = *shown & !discarded | flags & discarded;
                }
                let [[r, g], [b, a]] = shown.map(channels);
                u32::from_le_bytes([r, g, b, a])
            })
            .collect();
        expect(h, &target, "28 constant buffers", draw, |x, _| texels[x as usize]);
    });
}
