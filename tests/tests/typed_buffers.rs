//! Typed buffers: shaders read and write elements in the formats of views.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "typed_buffers/model.rs"]
mod model;

use onze::prelude::*;
use onze::{ComponentKind, FormatSupport};
use onze_tests::{Config, Harness, How, gpu_matrix, on_each};

use model::Bits;

/// The formats that typed views have.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.is_buffer_element())
}

/// The type of a component in WGSL, and a storage format of it.
fn words(format: Format) -> (&'static str, &'static str) {
    match format.component_kind() {
        ComponentKind::Uint => ("u32", "rgba32uint"),
        ComponentKind::Sint => ("i32", "rgba32sint"),
        _ => ("f32", "rgba32float"),
    }
}

fn shader(h: &Harness, text: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap()
}

const VIEWED: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

fn plain(h: &Harness, bytes: &[u8]) -> Buffer {
    h.device.create_buffer(&BufferDesc::new(bytes.len() as u32, VIEWED).label("typed"), Some(bytes)).unwrap()
}

fn results(h: &Harness, words: u32) -> Buffer {
    h.device.create_buffer(&BufferDesc::structured(4, words, VIEWED), None).unwrap()
}

fn srv(h: &Harness, buffer: &Buffer, format: Format, first: u32, count: u32) -> ShaderResourceView {
    let desc = ShaderResourceViewDesc::typed_buffer(format, first, count);
    h.device.create_shader_resource_view(buffer, Some(&desc)).unwrap()
}

fn uav(h: &Harness, buffer: &Buffer, format: Format, first: u32, count: u32) -> UnorderedAccessView {
    let desc = UnorderedAccessViewDesc::typed_buffer(format, first, count);
    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
}

/// Bytes in which every format has numbers of every kind.
fn bytes(count: usize) -> Vec<u8> {
    const SPECIAL: [u8; 24] = [
        0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff, 0, 0, 0xc0, 0x7f, 0, 0x7c, 1, 0, 0, 0xfc, 0xff, 0x7f, 0x80, 0x81, 0x7e, 0xff,
    ];
    let random = |n: usize| (n.wrapping_mul(2_654_435_761) >> 11) as u8;
    (0..count).map(|n| SPECIAL.get(n).copied().unwrap_or_else(|| random(n))).collect()
}

/// Of a buffer with a few elements around the view, all that a shader reads at -1 to `count` + 1.
fn loading(kind: &str) -> String {
    format!(
        "@group(1) @binding(3) var input: texture_1d<{kind}>;
        @group(3) @binding(0) var<storage, read_write> output: array<u32>;
        fn put(at: u32, value: vec4<{kind}>) {{
            let bits = bitcast<vec4u>(value);
            for (var i = 0u; i < 4u; i++) {{ output[1u + 4u * at + i] = bits[i]; }}
        }}
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) index: u32) {{
            if index == 0u {{ output[0] = textureDimensions(input); }}
            put(index, textureLoad(input, i32(index) - 1, 0));
        }}"
    )
}

#[test]
fn every_format_is_read_as_the_rules_say() {
    on_each(&[Config::GPU], |h| {
        for format in formats() {
            assert!(h.has_format(format, FormatSupport::BUFFER), "{format:?}");
            let size = format.bytes_per_block() as usize;
            let contents = bytes(31 * size);
            let buffer = plain(h, &contents);
            let load = shader(h, &loading(words(format).0));
            for (first, count) in [(0, 28), (1, 27), (3, 20), (5, 1), (30, 1)] {
                let view = srv(h, &buffer, format, first, count);
                let output = results(h, 1 + 4 * 32);
                let written = h.device.create_unordered_access_view(&output, None).unwrap();
                h.record(How::Immediate, |cx| {
                    cx.cs_set_shader(&load);
                    cx.cs_set_shader_resources(3, &view);
                    cx.cs_set_unordered_access_views(0, &written);
                    cx.dispatch(1, 1, 1);
                });
                let found: Vec<u32> = h.immediate.read_buffer(&output).unwrap();
                assert_eq!(found[0], count, "{format:?}: elements");
                for (index, found) in found[1..].chunks(4).enumerate() {
                    let at = index.wrapping_sub(1);
                    let element = (at < count as usize).then(|| (first as usize + at) * size);
                    let expected: Bits =
                        element.map_or([0; 4], |at| model::load(format, &contents[at..at + size]));
                    let is_same = expected.iter().zip(found).all(|(a, b)| model::is_same(format, *a, *b));
                    assert!(is_same, "{format:?} from {first}, element {at}: {found:x?}, not {expected:x?}");
                }
            }
        }
    });
}

/// Values that formats round, clamp and cannot hold.
fn values(kind: ComponentKind) -> Vec<Bits> {
    let numbers: Vec<u32> = match kind {
        ComponentKind::Uint => vec![0, 1, 2, 3, 4, 127, 255, 256, 1023, 1024, 65535, 65536, u32::MAX],
        ComponentKind::Sint => {
            [0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, i32::MAX, i32::MIN].map(|n| n as u32).into()
        }
        _ => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            0.123_456,
            -0.75,
            2.0,
            -2.0,
            65504.0,
            65519.9,
            65520.0,
            -1e9,
            64512.0,
            65024.0,
            1e-5,
            -3e-8,
            6.1e-5,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ]
        .map(f32::to_bits)
        .into(),
    };
    let at = |n: usize| numbers[n % numbers.len()];
    (0..numbers.len()).map(|n| [at(n), at(n + 5), at(2 * n + 1), at(3 * n + 2)]).collect()
}

#[test]
fn every_format_is_written_as_the_rules_say() {
    on_each(&[Config::GPU], |h| {
        for format in formats() {
            let can = format.is_written_buffer_element();
            assert_eq!(h.has_format(format, FormatSupport::TYPED_UNORDERED_ACCESS_VIEW), can, "{format:?}");
            if !can {
                continue;
            }
            let size = format.bytes_per_block() as usize;
            let (kind, storage) = words(format);
            let values = values(format.component_kind());
            // Element `count` is beyond the view.
            let text = format!(
                "@group(1) @binding(0) var<storage> input: array<vec4<{kind}>>;
                @group(3) @binding(2) var output: texture_storage_1d<{storage}, write>;
                @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) index: u32) {{
                    if index < arrayLength(&input) {{ textureStore(output, index, input[index]); }}
                }}"
            );
            let store = shader(h, &text);
            let desc = BufferDesc::structured(16, values.len() as u32, BindFlags::SHADER_RESOURCE);
            let input = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&values))).unwrap();
            let input = h.device.create_shader_resource_view(&input, None).unwrap();
            for (first, count) in [(0, values.len() - 1), (1, values.len() - 1), (3, 2), (7, values.len())] {
                let before = bytes((values.len() + 9) * size);
                let buffer = plain(h, &before);
                let view = uav(h, &buffer, format, first as u32, count as u32);
                h.record(How::Immediate, |cx| {
                    cx.cs_set_shader(&store);
                    cx.cs_set_shader_resources(0, &input);
                    cx.cs_set_unordered_access_views(2, &view);
                    cx.dispatch(1, 1, 1);
                });
                let mut expected = before;
                for (at, value) in values.iter().enumerate().take(count) {
                    let at = (first + at) * size;
                    expected[at..at + size].copy_from_slice(&model::store(format, *value));
                }
                let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                for (at, (found, expected)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
                    let as_read = |bytes| model::load(format, bytes);
                    let is_same = found == expected
                        || as_read(found)
                            .iter()
                            .zip(as_read(expected))
                            .all(|(a, b)| f32::from_bits(*a).is_nan() && model::is_same(format, *a, b) || *a == b);
                    let value = at.checked_sub(first).and_then(|at| values.get(at));
                    assert!(
                        is_same,
                        "{format:?} from {first}, element {at}, {value:x?}: {found:x?}, not {expected:x?}"
                    );
                }
            }
        }
    });
}
