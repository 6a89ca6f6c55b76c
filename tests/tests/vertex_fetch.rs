//! Vertex fetch: the conversion of elements, and values for missing vertices.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{FormatSupport, prelude::*};
use onze_tests::{
    CommandPath, Harness, Target, gpu_matrix, on_each,
    shapes::{BLACK, discarded, expect, vertices},
};

/// Returns shaders that draw one point per vertex, with the x coordinate from slot 1 and the other input as
/// the point's colour.
fn plotter(kind: &str, color: &str) -> String {
    format!(
        "struct Point {{ @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) data: {kind} }}
        @vertex
        fn vs_main(@location(0) data: {kind}, @location(1) place: f32) -> Point {{
            return Point(vec4<f32>(place, 0.0, 0.0, 1.0), data);
        }}
        @fragment
        fn ps_main(point: Point) -> @location(0) {color} {{ return {color}(point.data); }}"
    )
}

struct Plotter {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    places: Buffer,
}

const POINTS: u32 = 16;

impl Plotter {
    /// Creates a plotter for data in one format, at a byte offset of `offset`.
    fn new(device: &Device, format: Format, offset: u32) -> Self {
        let kind = match format.component_kind() {
            onze::ddi::ComponentKind::Uint => "vec4<u32>",
            onze::ddi::ComponentKind::Sint => "vec4<i32>",
            _ => "vec4<f32>",
        };
        let data = InputElementDesc::new("DATA", 0, format).offset(offset);
        Self::with(device, kind, "vec4<f32>", data)
    }

    fn with(device: &Device, kind: &str, color: &str, data: InputElementDesc) -> Self {
        let source = plotter(kind, color);
        let vs = device.create_vertex_shader(ShaderSource::wgsl(&source, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap();
        let place = InputElementDesc::new("PLACE", 0, Format::R32_FLOAT).slot(1);
        let layout = device.create_input_layout(&[data, place], &vs).unwrap();
        let places: Vec<f32> = (0..POINTS).map(|n| (n as f32 + 0.5) / 8.0 - 1.0).collect();
        Self { vs, ps, layout, places: vertices(device, &places) }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_input_layout(&self.layout);
        cx.ia_set_vertex_buffers(1, VertexBufferBinding::new(&self.places, 4));
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
    }
}

const BYTES: [u32; 4] = [0x8765_4321, 0x1234_5678, 0xcccc_cccc, 0xdead_beef];

/// The values of [`BYTES`] in each format (Wine 10.0, d3d11 tests, lines 34781 and 19251).
const FORMATS: &[(Format, [f32; 4])] = &[
    (Format::R8G8B8A8_UNORM, [0.129_412, 0.262_745, 0.396_078, 0.529_412]),
    (Format::R8G8B8A8_SNORM, [0.259_843, 0.527_559, 0.795_276, -0.952_756]),
    (Format::B8G8R8A8_UNORM, [0.396_078, 0.262_745, 0.129_412, 0.529_412]),
    (Format::R10G10B10A2_UNORM, [0.782_991, 0.328_446, 0.115_347, 0.666_667]),
    (Format::R16G16_FLOAT, [3.564_453, -1.128_316e-4, 0.0, 1.0]),
    (Format::R16G16B16A16_SNORM, [0.524_461, -0.942_259, 0.675_558, 0.142_216]),
    (Format::R16G16_UNORM, [0.262_226, 0.528_893, 0.0, 1.0]),
    (Format::R8G8_UNORM, [0.129_412, 0.262_745, 0.0, 1.0]),
    (Format::R8_UNORM, [0.129_412, 0.0, 0.0, 1.0]),
    (Format::R8G8B8A8_UINT, [33.0, 67.0, 101.0, 135.0]),
    (Format::R8G8B8A8_SINT, [33.0, 67.0, 101.0, -121.0]),
    (Format::R8G8_SINT, [33.0, 67.0, 0.0, 1.0]),
    (Format::R16G16_UINT, [17_185.0, 34_661.0, 0.0, 1.0]),
    (Format::R16G16_SINT, [17_185.0, -30_875.0, 0.0, 1.0]),
    (Format::R16G16B16A16_UINT, [17_185.0, 34_661.0, 22_136.0, 4660.0]),
    (Format::R16_UINT, [17_185.0, 0.0, 0.0, 1.0]),
    (Format::R32_UINT, [2_271_560_481.0, 0.0, 0.0, 1.0]),
    (Format::R32_SINT, [-2_023_406_815.0, 0.0, 0.0, 1.0]),
    (Format::R32G32_UINT, [2_271_560_481.0, 305_419_896.0, 0.0, 1.0]),
    (Format::R32G32B32A32_SINT, [-2_023_406_815.0, 305_419_896.0, -858_993_460.0, -559_038_737.0]),
];

fn is_near(actual: &[f32], expected: &[f32; 4]) -> bool {
    actual.iter().zip(expected).all(|(a, e)| (a - e).abs() <= 1e-6_f32.max(e.abs() * 1e-6))
}

#[test]
fn elements_are_converted_and_missing_channels_are_0_0_0_1() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::with_format(&h.device, Format::R32G32B32A32_FLOAT, POINTS, 1);
        for (format, expected) in FORMATS {
            assert!(h.has_format(*format, FormatSupport::IA_VERTEX_BUFFER), "{format:?}");
            let plotter = Plotter::new(&h.device, *format, 0);
            let data = vertices(&h.device, &BYTES);
            check_first(h, &target, &plotter, &data, &format!("{format:?}"), expected);
        }
        let floats = vertices(&h.device, &[-7.25_f32, 1e-20, 3e30, 0.1]);
        for (format, count) in [
            (Format::R32_FLOAT, 1),
            (Format::R32G32_FLOAT, 2),
            (Format::R32G32B32_FLOAT, 3),
            (Format::R32G32B32A32_FLOAT, 4),
        ] {
            let mut expected = [0.0, 0.0, 0.0, 1.0];
            expected[..count].copy_from_slice(&[-7.25_f32, 1e-20, 3e30, 0.1][..count]);
            let plotter = Plotter::new(&h.device, format, 0);
            check_first(h, &target, &plotter, &floats, &format!("{format:?}"), &expected);
        }
    });
}

fn check_first(
    h: &mut Harness,
    target: &Target,
    plotter: &Plotter,
    data: &Buffer,
    what: &str,
    expected: &[f32; 4],
) {
    for how in CommandPath::ALL {
        h.record(how, |cx| {
            target.bind(cx);
            plotter.bind(cx);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(data, 16));
            cx.draw(1, 0);
        });
        let read: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0));
        assert!(is_near(&read[..4], expected), "{what}, {how:?}: {:?}, not {expected:?}", &read[..4]);
    }
}

const MANY: &str = "
    struct Point { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }

    @vertex
    fn vs_main(
        @location(3) place: vec2<f32>,
        @location(0) red: f32,
        @location(1) green: vec2<u32>,
        @location(2) blue: vec4<f32>,
    ) -> Point {
        let color = vec3<f32>(red, f32(green.y) / 255.0, blue.z);
        return Point(vec4<f32>(place, 0.0, 1.0), vec4<f32>(color, 1.0));
    }

    @fragment
    fn ps_main(point: Point) -> @location(0) vec4<f32> { return point.color; }
";

/// Returns the x coordinate of point `n`, and its red, green and blue as bytes.
fn many(n: u32) -> (f32, u32, u32, u32) {
    ((n as f32 + 0.5) / 8.0 - 1.0, 15 * n, 255 - 10 * n, 7 * n)
}

fn many_color(x: u32) -> u32 {
    let (_, red, green, blue) = many(x);
    BLACK | blue << 16 | green << 8 | red
}

/// The same four elements are read from one buffer, from one buffer with gaps, and from several buffers in
/// slots that are not all adjacent.
#[test]
fn the_layout_places_elements_in_one_or_several_buffers() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, POINTS, 1);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(MANY, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(MANY, "ps_main")).unwrap();
        let place = |slot| InputElementDesc::new("PLACE", 0, Format::R32G32_FLOAT).slot(slot);
        let red = |slot| InputElementDesc::new("RED", 0, Format::R32_FLOAT).slot(slot);
        let green = |slot| InputElementDesc::new("GREEN", 0, Format::R16G16_UINT).slot(slot);
        let blue = |slot| InputElementDesc::new("BLUE", 0, Format::R8G8B8A8_UNORM).slot(slot);
        let words =
            |pick: &dyn Fn(u32) -> Vec<u32>| vertices(&d, &(0..POINTS).flat_map(pick).collect::<Vec<_>>());
        let p = |n| [many(n).0.to_bits(), 0];
        let r = |n| (many(n).1 as f32 / 255.0).to_bits();
        let g = |n| many(n).2 << 16;
        let b = |n| many(n).3 << 16;
        let rows = [
            // All elements are in one buffer: appended, in another order, and with gaps.
            (
                vec![place(0), red(0), green(0), blue(0)],
                vec![(0, 20, words(&|n| vec![p(n)[0], 0, r(n), g(n), b(n)]))],
            ),
            (
                vec![blue(0), green(0), place(0), red(0)],
                vec![(0, 20, words(&|n| vec![b(n), g(n), p(n)[0], 0, r(n)]))],
            ),
            (
                vec![red(0).offset(28), place(0).offset(4), blue(0).offset(24), green(0).offset(0)],
                vec![(0, 32, words(&|n| vec![g(n), p(n)[0], 0, 9, 9, 9, b(n), r(n)]))],
            ),
            (
                vec![place(0), red(1), green(2), blue(3)],
                vec![
                    (0, 8, words(&|n| p(n).to_vec())),
                    (1, 4, words(&|n| vec![r(n)])),
                    (2, 4, words(&|n| vec![g(n)])),
                    (3, 4, words(&|n| vec![b(n)])),
                ],
            ),
            // Each buffer contains two elements that are appended within their slot, and the two slots are
            // not adjacent.
            (
                vec![red(30), place(7), green(30), blue(7)],
                vec![(7, 12, words(&|n| vec![p(n)[0], 0, b(n)])), (30, 8, words(&|n| vec![r(n), g(n)]))],
            ),
        ];
        for (row, (elements, buffers)) in rows.iter().enumerate() {
            let layout = d.create_input_layout(elements, &vs).unwrap();
            let draw = |cx: &mut DeviceContext| {
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_input_layout(&layout);
                for (slot, stride, buffer) in buffers {
                    cx.ia_set_vertex_buffers(*slot, VertexBufferBinding::new(buffer, *stride));
                }
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.draw(POINTS, 0);
            };
            expect(h, &target, &format!("row {row}"), draw, |x, _| many_color(x));
        }
    });
}

#[test]
fn a_stride_of_0_reads_the_first_vertex_over_and_over() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, POINTS, 1);
        let plotter = Plotter::new(&h.device, Format::R8G8B8A8_UNORM, 0);
        let data = vertices(&h.device, &[0xff11_2233_u32, 0xff44_5566]);
        for offset in [0, 4] {
            let draw = |cx: &mut DeviceContext| {
                plotter.bind(cx);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &data, stride: 0, offset });
                cx.draw(POINTS, 0);
            };
            let expected = if offset == 0 { 0xff11_2233 } else { 0xff44_5566 };
            expect(h, &target, &format!("offset {offset}"), draw, |_, _| expected);
        }
    });
}

/// The draws alternate between strides 0 and 2. wgpu fetches vertices with a stride of 0, but the shader
/// fetches vertices with a stride of 2. The stride is not part of the pipeline with shader fetch.
#[test]
fn a_stride_change_alone_switches_to_shader_fetch() {
    const ALONE: &str = "
        @vertex fn vs_main(@location(0) place: f32) -> @builtin(position) vec4<f32> {
            return vec4<f32>(place, 0.0, 0.0, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }";
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexStrideTooShort]);
        let d = h.device.clone();
        let target = Target::new(&d, POINTS, 1);
        let vs = d.create_vertex_shader(ShaderSource::wgsl(ALONE, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(ALONE, "ps_main")).unwrap();
        let layout =
            d.create_input_layout(&[InputElementDesc::new("PLACE", 0, Format::R32_FLOAT)], &vs).unwrap();
        let buffers: Vec<_> = (0..POINTS / 2)
            .map(|n| {
                let stride = n % 2 * 2;
                let mut bytes = [0_u8; 8];
                let place = (2.0 * n as f32 + 0.5) / 8.0 - 1.0;
                bytes[stride as usize..][..4].copy_from_slice(&place.to_le_bytes());
                (vertices(&d, &bytes), stride)
            })
            .collect();
        let draw = |cx: &mut DeviceContext| {
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.ia_set_input_layout(&layout);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            for (buffer, stride) in &buffers {
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(buffer, *stride));
                cx.draw(1, stride / 2);
            }
        };
        expect(h, &target, "strides 0 and 2", draw, |x, _| if x % 2 == 0 { u32::MAX } else { BLACK });
    });
}

/// Consecutive draws differ only in the buffer. All buffers have the same size and are fetched by the shader
/// from the same offset. Some buffers are adjacent in memory, and other buffers are separate.
#[test]
fn shader_fetch_distinguishes_buffers_at_the_same_offset() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, POINTS, 1);
        let plotter = Plotter::new(&d, Format::R8G8B8A8_UNORM, 0);
        let bytes = |n: u8| [n + 1; 4 * POINTS as usize + 4];
        let own: Vec<_> = (0..4).map(|n| vertices(&d, &bytes(n))).collect();
        let flags = BindFlags::VERTEX_BUFFER;
        let beside: Vec<_> = (0..4).map(|n| discarded(&d, &mut h.immediate, flags, &bytes(n))).collect();
        for (what, buffers) in [("of their own", &own), ("beside each other", &beside)] {
            let draw = |cx: &mut DeviceContext| {
                plotter.bind(cx);
                for (n, buffer) in (0..).zip(buffers) {
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer, stride: 4, offset: 2 });
                    cx.draw(4, 4 * n);
                }
            };
            expect(h, &target, what, draw, |x, _| (x / 4 + 1) * 0x0101_0101);
        }
    });
}

/// The contents of the memory around a buffer that is read out of range.
const NEIGHBOUR: u32 = 0xdead_beef;

/// Creates an immutable and a dynamic buffer with these contents, each created between two buffers with
/// different contents.
fn surrounded(h: &mut Harness, data: &[u32]) -> Vec<(&'static str, Buffer, Vec<Buffer>)> {
    let device = h.device.clone();
    let flags = BindFlags::VERTEX_BUFFER;
    let mut around: Vec<_> = (0..4).map(|_| vertices(&device, &[NEIGHBOUR; 64])).collect();
    let immutable = vertices(&device, data);
    around.extend((0..4).map(|_| vertices(&device, &[NEIGHBOUR; 64])));
    let mut others: Vec<_> =
        (0..4).map(|_| discarded(&device, &mut h.immediate, flags, &[NEIGHBOUR; 64])).collect();
    let dynamic = discarded(&device, &mut h.immediate, flags, data);
    others.extend((0..4).map(|_| discarded(&device, &mut h.immediate, flags, &[NEIGHBOUR; 64])));
    vec![("immutable", immutable, around), ("dynamic", dynamic, others)]
}

const DATA: [u32; 5] = [0xff11_2233, 0xff22_3344, 0xff33_4455, 0xff44_5566, 0xff55_6677];

/// Returns the 4-byte element at a byte offset in a buffer that contains [`DATA`], or 0 if the offset is out
/// of range or unaligned.
fn data_at(byte: i64) -> u32 {
    let index = usize::try_from(byte).ok().filter(|byte| byte % 4 == 0).map(|byte| byte / 4);
    index.and_then(|index| DATA.get(index)).copied().unwrap_or(0)
}

#[test]
fn out_of_range_vertices_read_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferTooSmall]);
        let target = Target::new(&h.device, POINTS, 1);
        let plotter = Plotter::new(&h.device, Format::R8G8B8A8_UNORM, 0);
        let indices: Vec<u32> = (0..POINTS).rev().collect();
        let indices = h.device.create_buffer_with(BindFlags::INDEX_BUFFER, &indices).unwrap();
        for (kind, data, _neighbours) in surrounded(h, &DATA) {
            for (stride, offset) in [(4, 0), (4, 8), (8, 0), (8, 4), (4, 20), (4, 64), (4, 4000), (256, 0)] {
                let bind = |cx: &mut DeviceContext| {
                    plotter.bind(cx);
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding { buffer: &data, stride, offset });
                };
                let row = format!("{kind}, stride {stride}, offset {offset}");
                let read = |x: u32, _: u32| data_at((offset + stride * x).into());
                let draw = |cx: &mut DeviceContext| {
                    bind(cx);
                    cx.draw(POINTS, 0);
                };
                expect(h, &target, &row, draw, read);
                let draw = |cx: &mut DeviceContext| {
                    bind(cx);
                    cx.ia_set_index_buffer(&indices, Format::R32_UINT, 0);
                    cx.draw_indexed(POINTS, 0, 0);
                };
                expect(h, &target, &format!("{row}, indexed"), draw, read);
            }
        }
    });
}

/// Tests a format with one component, whose missing components have their default values even if the element
/// is out of range.
#[test]
fn out_of_range_elements_keep_their_channel_defaults() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferTooSmall]);
        let target = Target::new(&h.device, POINTS, 1);
        let plotter = Plotter::new(&h.device, Format::R32_FLOAT, 0);
        for (kind, data, _neighbours) in surrounded(h, &[1.0_f32.to_bits(), 0.5_f32.to_bits()]) {
            let draw = |cx: &mut DeviceContext| {
                plotter.bind(cx);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&data, 4));
                cx.draw(POINTS, 0);
            };
            expect(h, &target, kind, draw, |x, _| match x {
                0 => 0xff00_00ff,
                1 => 0xff00_0080,
                _ => 0xff00_0000,
            });
        }
    });
}

/// A negative base vertex refers to vertices before the buffer's start, and a large base vertex refers to
/// vertices far past its end.
#[test]
fn a_base_vertex_that_leaves_the_buffer_reads_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferTooSmall]);
        let target = Target::new(&h.device, POINTS, 1);
        let d = h.device.clone();
        // The position is per instance, so only the data can be out of range.
        let source = plotter("vec4<f32>", "vec4<f32>");
        let vs = d.create_vertex_shader(ShaderSource::wgsl(&source, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(&source, "ps_main")).unwrap();
        let elements = [
            InputElementDesc::new("DATA", 0, Format::R8G8B8A8_UNORM),
            InputElementDesc::new("PLACE", 0, Format::R32_FLOAT).slot(1).per_instance(),
        ];
        let layout = d.create_input_layout(&elements, &vs).unwrap();
        let places: Vec<f32> = (0..POINTS).map(|n| (n as f32 + 0.5) / 8.0 - 1.0).collect();
        let places = vertices(&d, &places);
        let indices: Vec<u16> = (0..POINTS as u16).collect();
        let indices = d.create_buffer_with(BindFlags::INDEX_BUFFER, &indices).unwrap();
        for (kind, data, _neighbours) in surrounded(h, &DATA) {
            for base in [0, -2, 3, -20, 1000, 1_000_000, 1 << 28] {
                let draw = |cx: &mut DeviceContext| {
                    cx.vs_set_shader(&vs);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_input_layout(&layout);
                    cx.ia_set_vertex_buffers(
                        0,
                        [VertexBufferBinding::new(&data, 4), VertexBufferBinding::new(&places, 4)],
                    );
                    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                    cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                    for n in 0..POINTS {
                        cx.draw_indexed_instanced(1, 1, n, base, n);
                    }
                };
                let row = format!("{kind}, base vertex {base}");
                expect(h, &target, &row, draw, |x, _| data_at((i64::from(x) + i64::from(base)) * 4));
            }
        }
    });
}

#[test]
fn out_of_range_instances_read_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferTooSmall]);
        let target = Target::new(&h.device, POINTS, 1);
        let data = InputElementDesc::new("DATA", 0, Format::R8G8B8A8_UNORM).per_instance();
        let plotter = Plotter::with(&h.device, "vec4<f32>", "vec4<f32>", data);
        let indices: Vec<u16> = (0..POINTS as u16).collect();
        let indices = h.device.create_buffer_with(BindFlags::INDEX_BUFFER, &indices).unwrap();
        for (kind, data, _neighbours) in surrounded(h, &DATA) {
            let draw = |cx: &mut DeviceContext| {
                plotter.bind(cx);
                cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&data, 4));
                for n in 0..POINTS {
                    if n % 2 == 0 {
                        cx.draw_instanced(1, 1, n, n);
                    } else {
                        cx.draw_indexed_instanced(1, 1, n, 0, n);
                    }
                }
            };
            expect(h, &target, kind, draw, |x, _| data_at(i64::from(x) * 4));
        }
    });
}

#[test]
fn a_slot_without_a_buffer_reads_0() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawVertexBufferNotSet]);
        let target = Target::with_format(&h.device, Format::R32G32B32A32_FLOAT, POINTS, 1);
        let data = vertices(&h.device, &[0xdead_beef_u32; 6 * POINTS as usize]);
        for format in [
            Format::R32_FLOAT,
            Format::R8G8B8A8_UNORM,
            Format::R32G32B32_FLOAT,
            Format::R16G16_UINT,
            Format::R32_SINT,
        ] {
            let plotter = Plotter::new(&h.device, format, 8);
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [3.0; 4]);
                    target.bind(cx);
                    plotter.bind(cx);
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&data, 24));
                    cx.draw(POINTS, 0);
                    cx.ia_set_vertex_buffers(0, None);
                    cx.draw(POINTS, 0);
                });
                let read: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0));
                assert!(read.iter().all(|f| *f == 0.0), "{format:?}, {how:?}: {read:?}");
            }
        }
    });
}

#[test]
fn consecutive_draws_fetch_by_their_own_layouts() {
    // wgpu cannot fetch vertices of six bytes, but those of slot 2. The slots and the offsets of a point's place and
    // colour.
    let layouts: [[(u32, u32); 2]; 8] = [
        [(0, 0), (0, 2)],
        [(0, 2), (1, 0)],
        [(1, 4), (0, 2)],
        [(2, 0), (2, 2)],
        [(0, 4), (0, 0)],
        [(1, 0), (2, 0)],
        [(2, 2), (2, 0)],
        [(1, 2), (1, 4)],
    ];
    let value = |(slot, offset): (u32, u32)| 1 + 3 * slot + offset / 2;
    let text = "
        struct O { float4 position : SV_Position; nointerpolation uint color : COLOR; };
        O vs_main(uint place : PLACE, uint color : COLOR) {
            O o = { float4((place * 2 + 1) / 10.0 - 1, 0, 0, 1), color };
            return o;
        }
        uint ps_main(O o) : SV_Target { return o.color; }";
    on_each(&gpu_matrix(), |h| {
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(text, "ps_main")).unwrap();
        let layouts_of_vs = layouts.map(|[place, color]| {
            let element = |name, (slot, offset)| {
                InputElementDesc::new(name, 0, Format::R16_UINT).slot(slot).offset(offset)
            };
            h.device.create_input_layout(&[element("PLACE", place), element("COLOR", color)], &vs).unwrap()
        });
        let buffers = [0, 1, 2]
            .map(|slot| vertices(&h.device, &[0, 2, 4, 6].map(|offset| value((slot, offset)) as u16)));
        let target = Target::with_format(&h.device, Format::R32_UINT, 10, 1);
        let mut expected = [0; 10];
        for [place, color] in layouts {
            expected[value(place) as usize] = value(color);
        }
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                target.bind(cx);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                for (slot, (buffer, stride)) in (0..).zip(buffers.iter().zip([6, 6, 4])) {
                    cx.ia_set_vertex_buffers(slot, VertexBufferBinding::new(buffer, stride));
                }
                for layout in &layouts_of_vs {
                    cx.ia_set_input_layout(layout);
                    cx.draw(1, 0);
                }
            });
            assert_eq!(target.read(h), expected, "{how:?}");
        }
    });
}
