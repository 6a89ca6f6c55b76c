//! Raw views: shaders read and write a buffer as 4-byte words.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, matrix, on_each};

const WORDS: u32 = 128;

/// The entry point `copy` adds 1 to each word, and `count` counts its threads.
const SHADER: &str = "
    @group(1) @binding(0) var<storage> input: array<u32>;
    @group(3) @binding(0) var<storage, read_write> output: array<u32>;
    @group(3) @binding(1) var<storage, read_write> counters: array<atomic<u32>>;

    @compute @workgroup_size(64)
    fn copy(@builtin(global_invocation_id) id: vec3u) { output[id.x] = input[id.x] + 1u; }

    @compute @workgroup_size(64)
    fn count(@builtin(global_invocation_id) id: vec3u) {
        atomicAdd(&counters[id.x % arrayLength(&counters)], 1u);
    }";

fn shader(h: &Harness, entry_point: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
}

fn raw(h: &Harness, contents: &[u32]) -> Buffer {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let desc = BufferDesc::raw(4 * contents.len() as u32, flags).label("words");
    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(contents))).unwrap()
}

fn numbers() -> Vec<u32> {
    (0..WORDS).map(|n| n * n).collect()
}

fn srv(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> ShaderResourceView {
    let desc = ShaderResourceViewDesc::raw_buffer(first, count);
    h.device.create_shader_resource_view(buffer, Some(&desc)).unwrap()
}

fn uav(h: &Harness, buffer: &Buffer, first: u32, count: u32) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::raw_buffer(first, count);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

/// Tries offsets that a raw view may have but wgpu cannot bind, because wgpu requires a larger alignment than
/// Direct3D 11.
#[test]
fn shaders_read_and_write_exactly_the_words_of_a_raw_view() {
    on_each(&matrix(), |h| {
        let copy = shader(h, "copy");
        let input = raw(h, &numbers());
        for (from, to, count) in [(0, 0, WORDS), (4, 64, 64), (64, 4, 7), (100, 12, 28), (124, 124, 1)] {
            for how in CommandPath::ALL {
                let output = raw(h, &[7; WORDS as usize]);
                let (read, written) = (srv(h, &input, from, count), uav(h, &output, to, count));
                h.record(how, |cx| {
                    cx.cs_set_shader(&copy);
                    cx.cs_set_shader_resources(0, &read);
                    cx.cs_set_unordered_access_views(0, &written);
                    cx.dispatch(WORDS.div_ceil(64), 1, 1);
                });
                let computed = |n: u32| {
                    let at = n.checked_sub(to).filter(|at| *at < count && h.draws());
                    at.map_or(7, |at| (from + at) * (from + at) + 1)
                };
                let expected: Vec<_> = (0..WORDS).map(computed).collect();
                let found: Vec<u32> = h.immediate.read_buffer(&output).unwrap();
                assert_eq!(found, expected, "{count} words from {from} to {to}, {how:?}");
            }
        }
    });
}

#[test]
fn a_clear_writes_the_words_of_a_raw_view() {
    on_each(&gpu_matrix(), |h| {
        for how in CommandPath::ALL {
            let buffer = raw(h, &numbers());
            let view = uav(h, &buffer, 8, 5);
            h.record(how, |cx| cx.clear_unordered_access_view_uint(&view, [9, 1, 2, 3]));
            let mut expected = numbers();
            if h.draws() {
                expected[8..13].fill(9);
            }
            assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), expected, "{how:?}");
        }
    });
}

#[test]
fn threads_count_in_the_words_of_a_raw_view() {
    on_each(&gpu_matrix(), |h| {
        let count = shader(h, "count");
        for how in CommandPath::ALL {
            let counters = raw(h, &[0; 12]);
            let view = uav(h, &counters, 4, 5);
            h.record(how, |cx| {
                cx.cs_set_shader(&count);
                cx.cs_set_unordered_access_views(1, &view);
                cx.dispatch(5, 1, 1);
            });
            let found: Vec<u32> = h.immediate.read_buffer(&counters).unwrap();
            assert_eq!(found, [0, 0, 0, 0, 64, 64, 64, 64, 64, 0, 0, 0], "{how:?}");
        }
    });
}

/// A bound view shows the contents of the dynamic buffer's last map.
#[test]
fn a_dynamic_buffer_is_read_through_a_raw_view() {
    on_each(&gpu_matrix(), |h| {
        let copy = shader(h, "copy");
        let desc = BufferDesc {
            misc_flags: MiscFlags::BUFFER_ALLOW_RAW_VIEWS,
            ..BufferDesc::dynamic(4 * WORDS, BindFlags::SHADER_RESOURCE)
        };
        let input = h.device.create_buffer(&desc, None).unwrap();
        let read = srv(h, &input, 8, 64);
        let outputs = [(); 2].map(|()| raw(h, &[0; 64]));
        let written = outputs.each_ref().map(|output| uav(h, output, 0, 64));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.cs_set_shader(&copy);
                cx.cs_set_shader_resources(0, &read);
                for (written, factor) in written.iter().zip([1, 5]) {
                    let words: Vec<_> = (0..WORDS).map(|n| factor * n).collect();
                    cx.update(&input, &words[..]).unwrap();
                    cx.cs_set_unordered_access_views(0, written);
                    cx.dispatch(1, 1, 1);
                }
            });
            for (output, factor) in outputs.iter().zip([1, 5]) {
                let expected: Vec<_> = (8..72).map(|n| factor * n + 1).collect();
                assert_eq!(h.immediate.read_buffer::<u32>(output).unwrap(), expected, "{how:?}");
            }
        }
    });
}

/// A compute shader writes vertices, so the driver must keep them in a buffer that wgpu can also use for
/// vertex fetch.
#[test]
fn a_vertex_buffer_is_written_through_a_raw_view() {
    on_each(&gpu_matrix(), |h| {
        let copy = shader(h, "copy");
        let input = raw(h, &numbers());
        let flags = BindFlags::VERTEX_BUFFER | BindFlags::UNORDERED_ACCESS;
        let vertices = h.device.create_buffer(&BufferDesc::raw(4 * WORDS, flags), None).unwrap();
        let (read, written) = (srv(h, &input, 0, WORDS), uav(h, &vertices, 0, WORDS));
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&copy);
            cx.cs_set_shader_resources(0, &read);
            cx.cs_set_unordered_access_views(0, &written);
            cx.dispatch(WORDS / 64, 1, 1);
        });
        let expected: Vec<_> = numbers().iter().map(|n| n + 1).collect();
        assert_eq!(h.immediate.read_buffer::<u32>(&vertices).unwrap(), expected);
    });
}

#[test]
fn the_debug_layer_requires_word_elements_for_raw_views() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessMismatch, MessageId::DrawShaderResourceMismatch]);
        let text = "
            @group(1) @binding(0) var<storage> input: array<vec4u>;
            @group(3) @binding(0) var<storage, read_write> output: array<vec2u>;
            @compute @workgroup_size(1) fn main() { output[0] = input[0].xy; }";
        let wide = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let words = shader(h, "copy");
        let (input, output) = (raw(h, &[1; 8]), raw(h, &[0; 8]));
        let (read, written) = (srv(h, &input, 0, 8), uav(h, &output, 0, 8));
        for (shader, is_right) in [(&words, true), (&wide, false)] {
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(shader);
                cx.cs_set_shader_resources(0, &read);
                cx.cs_set_unordered_access_views(0, &written);
                cx.dispatch(1, 1, 1);
            });
            let said: Vec<_> = h.device.info_queue().take().iter().map(|message| message.id).collect();
            let mismatches =
                [MessageId::DrawShaderResourceMismatch, MessageId::DispatchUnorderedAccessMismatch];
            assert_eq!(said, if is_right { &[][..] } else { &mismatches });
        }
    });
}
