//! Out-of-range accesses through views, where loads must return zero, and stores and atomics must change
//! nothing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, gpu_matrix, on_each};

const FLAGS: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

/// Number of elements in the buffer.
const ELEMENTS: u32 = 24;
/// The first element of each view.
const FIRST: u32 = 8;
/// Number of elements in each view.
const COUNT: u32 = 5;

/// Indices inside the view, at its end and out of range. The last two indices would be in range if byte
/// offsets wrapped at 32 bits.
const INDICES: [u32; 9] = [0, 3, 4, 5, 6, 20, u32::MAX, 0x4000_0000, 0x1000_0003];

/// Operations at an index, where the first operation loads from `input`, and all other operations access
/// `output`.
const OPERATIONS: [&str; 13] = [
    "result = input[index];",
    "result = atomicLoad(&output[index]);",
    "atomicStore(&output[index], -5);",
    "result = atomicAdd(&output[index], 7);",
    "result = atomicSub(&output[index], 7);",
    "result = atomicMax(&output[index], 5);",
    "result = atomicMin(&output[index], -5);",
    "result = atomicAnd(&output[index], 12);",
    "result = atomicOr(&output[index], 12);",
    "result = atomicXor(&output[index], 12);",
    "result = atomicExchange(&output[index], 99);",
    "let exchange = atomicCompareExchangeWeak(&output[index], 18, 99);
     result = exchange.old_value + 1000 * i32(exchange.exchanged);",
    // Retries until it succeeds, as shaders commonly do.
    "loop {
        let old = result;
        let exchange = atomicCompareExchangeWeak(&output[index], old, old + 3);
        if exchange.exchanged { break; }
        result = exchange.old_value;
     }",
];

/// Returns the result of an operation, and the value that remains in the element.
fn model(operation: usize, before: i32) -> (i32, i32) {
    match operation {
        0 | 1 => (before, before),
        2 => (0, -5),
        3 => (before, before + 7),
        4 => (before, before - 7),
        5 => (before, before.max(5)),
        6 => (before, before.min(-5)),
        7 => (before, before & 12),
        8 => (before, before | 12),
        9 => (before, before ^ 12),
        10 => (before, 99),
        12 => (before, before + 3),
        _ => (before + 1000 * i32::from(before == 18), if before == 18 { 99 } else { before }),
    }
}

fn structured<T: Pod>(h: &Harness, stride: u32, contents: &[T]) -> Buffer {
    let bytes: &[u8] = bytemuck::cast_slice(contents);
    let desc = BufferDesc::structured(stride, bytes.len() as u32 / stride, FLAGS);
    h.device.create_buffer(&desc, Some(bytes)).unwrap()
}

/// A buffer that the shader accesses through views of a part, and a buffer for the shader's results.
struct Memory {
    output: Buffer,
    results: Buffer,
    read: ShaderResourceView,
    views: [UnorderedAccessView; 2],
}

impl Memory {
    fn new<T: Pod>(h: &Harness, stride: u32, contents: &[T], results: usize) -> Self {
        let [input, output] = [(); 2].map(|()| structured(h, stride, contents));
        let results = structured(h, 4, &vec![77; results]);
        let into = h.device.create_unordered_access_view(&results, None).unwrap();
        let (read, written) = (part(h, &input).0, part(h, &output).1);
        Self { output, results, read, views: [written, into] }
    }

    fn bind(&self, cx: &mut DeviceContext, shader: &ComputeShader, indices: &ShaderResourceView) {
        cx.cs_set_shader(shader);
        cx.cs_set_shader_resources(0, [indices, &self.read]);
        cx.cs_set_unordered_access_views(0, self.views.each_ref());
    }
}

fn part(h: &Harness, buffer: &Buffer) -> (ShaderResourceView, UnorderedAccessView) {
    let read = ShaderResourceViewDesc::buffer(FIRST, COUNT);
    let written = UnorderedAccessViewDesc::buffer(FIRST, COUNT);
    (
        h.device.create_shader_resource_view(buffer, Some(&read)).unwrap(),
        h.device.create_unordered_access_view(buffer, Some(&written)).unwrap(),
    )
}

#[test]
fn out_of_range_view_accesses_read_zero_and_write_nothing() {
    on_each(&gpu_matrix(), |h| {
        let numbers: Vec<i32> = (0..ELEMENTS as i32).map(|n| n * 9 - 72).collect();
        let indices = structured(h, 4, &INDICES);
        let indices = h.device.create_shader_resource_view(&indices, None).unwrap();
        for (operation, done) in OPERATIONS.into_iter().enumerate() {
            let text = format!(
                "@group(0) @binding(0) var<uniform> at: vec4u;
                @group(1) @binding(0) var<storage> indices: array<u32>;
                @group(1) @binding(1) var<storage> input: array<i32>;
                @group(3) @binding(0) var<storage, read_write> output: array<atomic<i32>>;
                @group(3) @binding(1) var<storage, read_write> results: array<i32>;
                @compute @workgroup_size(1) fn main() {{
                    let index = indices[at.x];
                    var result = 0;
                    {done}
                    results[at.x] = result;
                }}"
            );
            let shader = h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap();
            let constants =
                h.device.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None);
            let constants = constants.unwrap();
            for how in CommandPath::ALL {
                let memory = Memory::new(h, 4, &numbers, INDICES.len());
                h.record(how, |cx| {
                    memory.bind(cx, &shader, &indices);
                    cx.cs_set_constant_buffers(0, &constants);
                    for at in 0..INDICES.len() as u32 {
                        cx.update(&constants, &[at, 0, 0, 0]).unwrap();
                        cx.dispatch(1, 1, 1);
                    }
                });
                let (mut left, mut given) = (numbers.clone(), Vec::new());
                for index in INDICES {
                    if index < COUNT {
                        let element = &mut left[(FIRST + index) as usize];
                        let (result, after) = model(operation, *element);
                        *element = after;
                        given.push(result);
                    } else {
                        given.push(0);
                    }
                }
                assert_eq!(h.immediate.read_buffer::<i32>(&memory.results).unwrap(), given, "{done} {how:?}");
                assert_eq!(h.immediate.read_buffer::<i32>(&memory.output).unwrap(), left, "{done} {how:?}");
            }
        }
    });
}

/// Out-of-range indices into an array in a structure do not reach other elements either.
#[test]
fn out_of_range_array_accesses_read_zero_and_write_nothing() {
    let text = "
        struct Item { head: vec2u, part: array<u32, 4> }
        @group(1) @binding(0) var<storage> indices: array<vec2u>;
        @group(1) @binding(1) var<storage> input: array<Item>;
        @group(3) @binding(0) var<storage, read_write> output: array<Item>;
        @group(3) @binding(1) var<storage, read_write> results: array<u32>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) thread: u32) {
            let at = indices[thread];
            let whole = input[at.x];
            results[thread] = input[at.x].part[at.y] + 1000u * whole.head.y;
            output[at.x].part[at.y] = 500u + thread;
        }";
    on_each(&gpu_matrix(), |h| {
        let shader = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let places: Vec<[u32; 2]> = [0, 4, 5, u32::MAX, 0x2000_0000]
            .into_iter()
            .flat_map(|item| [1, 3, 4, 9, u32::MAX, 0x4000_0001].map(|part| [item, part]))
            .chain([[7, 7]; 2])
            .collect();
        let numbers: Vec<u32> = (0..6 * ELEMENTS).collect();
        let indices = structured(h, 8, &places);
        let indices = h.device.create_shader_resource_view(&indices, None).unwrap();
        for how in CommandPath::ALL {
            let memory = Memory::new(h, 24, &numbers, 32);
            h.record(how, |cx| {
                memory.bind(cx, &shader, &indices);
                cx.dispatch(1, 1, 1);
            });
            let (mut left, mut given) = (numbers.clone(), Vec::new());
            for (thread, [item, part]) in (0..).zip(&places) {
                let first = (*item < COUNT).then(|| 6 * (FIRST + item));
                let head = first.map_or(0, |first| first + 1);
                let reached = first.filter(|_| *part < 4).map(|first| first + 2 + part);
                given.push(reached.unwrap_or(0) + 1000 * head);
                if let Some(reached) = reached {
                    left[reached as usize] = 500 + thread;
                }
            }
            assert_eq!(h.immediate.read_buffer::<u32>(&memory.results).unwrap(), given, "{how:?}");
            assert_eq!(h.immediate.read_buffer::<u32>(&memory.output).unwrap(), left, "{how:?}");
        }
    });
}
