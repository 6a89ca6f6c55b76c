//! Indices beyond a declared array in a constant buffer, limited by the bound buffer and not by the
//! declaration.
//!
//! Out-of-bounds reads depend on the size of the bound buffer or range (Direct3D 11.3, functional
//! specification 5.2.3).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each, shapes::expect};

/// Number of rows that each test reads, from the buffer's first row on.
const READ: u32 = 192;

/// Each thread reads the row with its own index in several ways. In `Constants`, the arrays begin at rows 1
/// and 4 of the seven declared rows.
const ROWS: &str = "
    struct Element { float4 first; float2 second[2]; };
    cbuffer Constants : register(b3) {
        float4 before;
        float4 middle[2];
        float4 after;
        float3 last[3];
    };
    cbuffer Structures : register(b4) { float4 head; Element elements[2]; };
    cbuffer Matrices : register(b5) { row_major float4x4 matrices[2]; };
    cbuffer Short : register(b6) { float4 single[1]; };
    RWStructuredBuffer<float4> found : register(u0);
    RWStructuredBuffer<float> parts : register(u1);
    [numthreads(192, 1, 1)] void main(uint thread : SV_GroupIndex) {
        int n = thread;
        found[n] = middle[n - 1];
        found[192 + n] = float4(last[n - 4], 0);
        found[384 + n] = n % 3 == 0 ? elements[n / 3].first : float4(elements[n / 3].second[n % 3 - 1], 0, 0);
        found[576 + n] = matrices[n / 4][n % 4];
        found[768 + n] = single[n];
        parts[n] = middle[n / 4 - 1][n % 4];
    }";

/// Returns the components of row `n` after row `first` of a buffer.
fn row(first: u32, n: u32) -> [f32; 4] {
    [0.25, 0.5, 0.75, 1.0].map(|part| (first + n) as f32 + part)
}

fn rows(count: u32) -> Vec<[f32; 4]> {
    (0..count).map(|n| row(0, n)).collect()
}

/// Creates a default, a dynamic and an immutable buffer with the same contents.
fn buffers(h: &mut Harness, count: u32) -> [Buffer; 3] {
    let bytes = 16 * count;
    let data = rows(count);
    let data = Some(bytemuck::cast_slice(&data));
    let default = h.device.create_buffer(&BufferDesc::new(bytes, BindFlags::CONSTANT_BUFFER), data).unwrap();
    let desc = BufferDesc::dynamic(bytes, BindFlags::CONSTANT_BUFFER);
    let dynamic = h.device.create_buffer(&desc, None).unwrap();
    h.immediate.map(&dynamic, 0, MapType::WriteDiscard).unwrap().write_slice(0, &rows(count));
    let immutable =
        h.device.create_buffer(&BufferDesc::immutable(bytes, BindFlags::CONSTANT_BUFFER), data).unwrap();
    [default, dynamic, immutable]
}

struct Reads {
    cs: ComputeShader,
    found: Buffer,
    parts: Buffer,
}

impl Reads {
    fn new(device: &Device) -> Self {
        let buffer = |stride, count| {
            let desc = BufferDesc::structured(stride, count, BindFlags::UNORDERED_ACCESS);
            device.create_buffer(&desc, None).unwrap()
        };
        let cs = device.create_compute_shader(ShaderSource::hlsl(ROWS, "main")).unwrap();
        Self { cs, found: buffer(16, 5 * READ), parts: buffer(4, READ) }
    }

    /// Asserts that rows below `bound` have their contents and that all other rows are zero.
    fn check(&self, h: &mut Harness, what: &str, bind: impl Fn(&mut DeviceContext), first: u32, bound: u32) {
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&self.cs);
            let views =
                [&self.found, &self.parts].map(|buffer| buffer.create_unordered_access_view().unwrap());
            cx.cs_set_unordered_access_views(0, [&views[0], &views[1]]);
            bind(cx);
            cx.dispatch(1, 1, 1);
        });
        let there = |n: u32| if n < bound { row(first, n) } else { [0.0; 4] };
        let found: Vec<[f32; 4]> = h.immediate.read_buffer(&self.found).unwrap();
        for n in 0..READ {
            let [x, y, z, _] = there(n);
            let (element, place) = (n / 3, n % 3);
            let [a, b, ..] = there(1 + 3 * element + place);
            let of_structure = if place == 0 { there(1 + 3 * element) } else { [a, b, 0.0, 0.0] };
            let expected = [there(n), [x, y, z, 0.0], of_structure, there(n), there(n)];
            let read = [0, 1, 2, 3, 4].map(|of| found[(of * READ + n) as usize]);
            assert_eq!(read, expected, "{what}, row {n}");
        }
        let parts: Vec<f32> = h.immediate.read_buffer(&self.parts).unwrap();
        for n in 0..READ {
            assert_eq!(parts[n as usize], there(n / 4)[(n % 4) as usize], "{what}, component {n}");
        }
    }
}

/// Returns the number of rows to bind for a draw, from the draw's index.
type RowsOfDraw = fn(u32) -> u32;

#[test]
fn indices_read_the_bound_buffer_and_zeros_out_of_range() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet, MessageId::DrawConstantBufferTooSmall]);
        let reads = Reads::new(&h.device);
        // The sizes alternate between values below, equal to and above the declared size.
        for count in [7, 16, 1, 9, 150, 7, 192, 3] {
            for buffer in buffers(h, count) {
                let what = format!("{count} rows, {:?}", buffer.desc().usage);
                reads.check(h, &what, |cx| cx.cs_set_constant_buffers(3, [&buffer; 4]), 0, count);
            }
        }
        reads.check(h, "nothing bound", |_| {}, 0, 0);
    });
}

#[test]
fn an_index_reads_no_further_than_the_window() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let reads = Reads::new(&h.device);
        for buffer in buffers(h, 250) {
            for (first, count) in [(0, 16), (16, 32), (48, 4096), (240, 16), (256, 16)] {
                let window = ConstantRange { first_constant: first, num_constants: count };
                let bind = |cx: &mut DeviceContext| {
                    cx.cs_set_constant_buffers1(3, [&buffer; 4], &[window; 4]);
                };
                let bound = count.min(250_u32.saturating_sub(first));
                reads.check(h, &format!("{first}+{count}, {:?}", buffer.desc().usage), bind, first, bound);
            }
        }
    });
}

/// A shader sees at most 4,096 rows of a larger buffer, as in Direct3D 11.
#[test]
fn an_index_reads_up_to_4096_rows() {
    const FAR: &str = "
        cbuffer Constants : register(b0) { float4 values[2]; };
        RWStructuredBuffer<float4> found : register(u0);
        [numthreads(4, 1, 1)] void main(uint n : SV_GroupIndex) { found[n] = values[4094 + n]; }";
    on_each(&[Config::GPU], |h| {
        let device = h.device.clone();
        let cs = device.create_compute_shader(ShaderSource::hlsl(FAR, "main")).unwrap();
        let desc = BufferDesc::structured(16, 4, BindFlags::UNORDERED_ACCESS);
        let found = device.create_buffer(&desc, None).unwrap();
        let view = found.create_unordered_access_view().unwrap();
        for (count, expected) in [(4096, 2), (5000, 2), (4095, 1), (64, 0)] {
            let constants = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &rows(count)).unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_constant_buffers(0, &constants);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(1, 1, 1);
            });
            let read: Vec<[f32; 4]> = h.immediate.read_buffer(&found).unwrap();
            let there = |n: u32| if n < expected { row(0, 4094 + n) } else { [0.0; 4] };
            assert_eq!(read, [0, 1, 2, 3].map(there), "{count} rows");
        }
    });
}

/// Draw `d` paints column `d`, so that the texel in row `y` shows row `y` of the draw's constants.
const COLUMNS: &str = "
    cbuffer Place : register(b0) { float4 place; };
    cbuffer Paint : register(b1) { float4 paint[2]; };
    float4 vs_main(uint n : SV_VertexID) : SV_Position {
        return float4(n & 2 ? place.z : place.x, n & 1 ? 1 : -1, 0, 1);
    }
    float4 ps_main(float4 position : SV_Position) : SV_Target { return paint[uint(position.y)]; }";

const COLUMN_COUNT: u32 = 64;
const COLUMN_ROWS: u32 = 20;

fn color(draw: u32, row: u32) -> u32 {
    0xff00_0000 | (draw * 3 + 1) << 16 | (row * 9 + 5) << 8 | ((draw * 7 + row * 11) % 256)
}

fn paint(draw: u32, count: u32) -> Vec<[f32; 4]> {
    (0..count).map(|n| color(draw, n).to_le_bytes().map(|byte| f32::from(byte) / 255.0)).collect()
}

/// The draws differ only in their constants, and draws by index place the constants next to each other in one
/// window.
#[test]
fn a_draw_never_reads_constants_of_another_draw() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferTooSmall]);
        let device = h.device.clone();
        let target = Target::new(&device, COLUMN_COUNT, COLUMN_ROWS);
        let vs = device.create_vertex_shader(ShaderSource::hlsl(COLUMNS, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::hlsl(COLUMNS, "ps_main")).unwrap();
        let dynamic = |rows: u32| {
            let desc = BufferDesc::dynamic(16 * rows, BindFlags::CONSTANT_BUFFER);
            device.create_buffer(&desc, None).unwrap()
        };
        let sizes: [(&str, RowsOfDraw); 5] = [
            ("as declared", |_| 2),
            ("larger", |_| 13),
            ("a window of 16 rows each", |_| 16),
            ("now and then larger", |draw| if draw % 8 < 6 { 2 } else { 9 }),
            ("all", |draw| [2, 5, 16, 1, 17, 2, 20][draw as usize % 7]),
        ];
        for (what, size) in sizes {
            let place = dynamic(1);
            let kinds: Vec<_> = (1..=20).map(dynamic).collect();
            let draw = |cx: &mut DeviceContext| {
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                cx.vs_set_constant_buffers(0, &place);
                for draw in 0..COLUMN_COUNT {
                    let left = draw as f32 / 32.0 - 1.0;
                    let buffer = &kinds[size(draw) as usize - 1];
                    cx.map(&place, 0, MapType::WriteDiscard)
                        .unwrap()
                        .write_slice(0, &[left, 0.0, left + 1.0 / 32.0, 0.0]);
                    cx.map(buffer, 0, MapType::WriteDiscard)
                        .unwrap()
                        .write_slice(0, &paint(draw, size(draw)));
                    cx.ps_set_constant_buffers(1, buffer);
                    cx.draw(4, 0);
                }
            };
            let before = device.statistics();
            expect(h, &target, what, draw, |x, y| if y < size(x) { color(x, y) } else { 0 });
            let Statistics { draws_by_index, .. } = device.statistics() - before;
            let is_forced = h.config.draws_by_index == DrawsByIndex::Always;
            if is_forced && size(0) == size(6) {
                assert!(draws_by_index > 0, "{what}: no draw was made by index");
            }
        }
    });
}

/// A list reads the contents that the buffer has when the list is executed.
#[test]
fn a_list_reads_the_rows_of_the_buffer_at_its_execution() {
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let target = Target::new(&device, 1, COLUMN_ROWS);
        let vs = device.create_vertex_shader(ShaderSource::hlsl(COLUMNS, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::hlsl(COLUMNS, "ps_main")).unwrap();
        let place = device.create_constant_buffer(&[-1.0_f32, 0.0, 1.0, 0.0]).unwrap();
        let desc = BufferDesc::dynamic(16 * 12, BindFlags::CONSTANT_BUFFER);
        let constants = device.create_buffer(&desc, None).unwrap();
        let mut deferred = device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        deferred.vs_set_shader(&vs);
        deferred.ps_set_shader(&ps);
        deferred.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        deferred.vs_set_constant_buffers(0, &place);
        deferred.ps_set_constant_buffers(1, &constants);
        deferred.draw(4, 0);
        let list = deferred.finish_command_list(false).unwrap();
        for seed in [3, 20] {
            let data = paint(seed, 12);
            h.immediate.map(&constants, 0, MapType::WriteDiscard).unwrap().write_slice(0, &data);
            h.immediate.execute_command_list(&list, false);
            let texels = target.read(h);
            for y in 0..COLUMN_ROWS {
                let expected = if y < 12 { color(seed, y) } else { 0 };
                assert_eq!(target.at(&texels, 0, y), expected, "row {y} of {seed}");
            }
        }
    });
}
