//! Typed buffers, whose elements shaders read and write in the format of the view.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "typed_buffers/bounds.rs"]
mod bounds;
#[path = "typed_buffers/clears.rs"]
mod clears;
#[path = "typed_buffers/reach.rs"]
mod reach;

use onze::prelude::*;
use onze::{FormatSupport, ddi::ComponentKind};
use onze_tests::{
    CommandPath, Config, Harness, gpu_matrix, on_each,
    texels::{self, Bits},
};

fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.is_buffer_element())
}

/// Returns the WGSL type of a component, and a storage format with that component type.
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

fn bytes(count: usize) -> Vec<u8> {
    const SPECIAL: [u8; 24] = [
        0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff, 0, 0, 0xc0, 0x7f, 0, 0x7c, 1, 0, 0, 0xfc, 0xff, 0x7f, 0x80, 0x81,
        0x7e, 0xff,
    ];
    let random = |n: usize| (n.wrapping_mul(2_654_435_761) >> 11) as u8;
    (0..count).map(|n| SPECIAL.get(n).copied().unwrap_or_else(|| random(n))).collect()
}

/// Returns the index of the first element that differs from the expected element, treating all NaNs as equal.
fn differing(format: Format, found: &[u8], expected: &[u8]) -> Option<usize> {
    assert_eq!(found.len(), expected.len());
    let size = format.bytes_per_block() as usize;
    let is_float = format.component_kind() == ComponentKind::Float;
    let is_same = |(found, expected): (&[u8], &[u8])| {
        let as_read = |bytes| texels::load(format, bytes);
        let mut components = as_read(found).into_iter().zip(as_read(expected));
        found == expected || is_float && components.all(|(a, b)| texels::is_same(format, a, b))
    };
    found.chunks(size).zip(expected.chunks(size)).position(|pair| !is_same(pair))
}

/// Returns a shader that reads 32 elements from index -1 on, although the view may have fewer elements.
fn loading(kind: &str) -> String {
    format!(
        "@group(1) @binding(3) var input: texture_1d<{kind}>;
        @group(3) @binding(0) var<storage, read_write> output: array<u32>;
        fn put(at: u32, value: vec4<{kind}>) {{
            let bits = bitcast<vec4u>(value);
            for (var i = 0u; i < 4u; i++) {{ output[1u + 4u * at + i] = bits[i]; }}
        }}
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) index: u32) {{
            if index == 0u {{ output[0] = textureDimensions(input) + 1000u * textureNumLevels(input); }}
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
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&load);
                    cx.cs_set_shader_resources(3, &view);
                    cx.cs_set_unordered_access_views(0, &written);
                    cx.dispatch(1, 1, 1);
                });
                let found: Vec<u32> = h.immediate.read_buffer(&output).unwrap();
                assert_eq!(found[0], 1000 + count, "{format:?}: one level, and elements");
                for (index, found) in found[1..].chunks(4).enumerate() {
                    let at = index.wrapping_sub(1);
                    let element = (at < count as usize).then(|| (first as usize + at) * size);
                    let expected: Bits =
                        element.map_or([0; 4], |at| texels::load(format, &contents[at..at + size]));
                    let is_same = expected.iter().zip(found).all(|(a, b)| texels::is_same(format, *a, *b));
                    assert!(is_same, "{format:?} from {first}, element {at}: {found:x?}, not {expected:x?}");
                }
            }
        }
    });
}

/// Returns values that formats round, clamp or cannot represent.
fn values(kind: ComponentKind) -> Vec<Bits> {
    let numbers: Vec<u32> = match kind {
        ComponentKind::Uint => vec![0, 1, 2, 3, 4, 127, 255, 256, 1023, 1024, 65535, 65536, u32::MAX],
        ComponentKind::Sint => {
            [0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, i32::MAX, i32::MIN]
                .map(|n| n as u32)
                .into()
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
            -65504.0,
            65519.9,
            65520.0,
            65536.0,
            -1e9,
            1e30,
            f32::MAX,
            64512.0,
            65024.0,
            65023.9,
            // Two numbers whose magnitude is just below a 16-bit float, and one halfway between two 16-bit
            // floats.
            0.999_999_94,
            -1.000_976_4,
            1.001_464_8,
            1e-5,
            // Half of the smallest 16-bit denormal, almost that denormal, and a larger number.
            -3e-8,
            5.9e-8,
            -1.7e-7,
            6.1e-5,
            1e-40,
            -1e-40,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ]
        .map(f32::to_bits)
        .into(),
    };
    let at = |n: usize| numbers[n % numbers.len()];
    // With these strides, every number appears in each component, because neither 2 nor 3 divides the count.
    assert!(!numbers.len().is_multiple_of(2) && !numbers.len().is_multiple_of(3));
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
            // The element at index `count` is outside the view.
            let text = format!(
                "@group(1) @binding(0) var<storage> input: array<vec4<{kind}>>;
                @group(3) @binding(2) var output: texture_storage_1d<{storage}, write>;
                @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) index: u32) {{
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
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&store);
                    cx.cs_set_shader_resources(0, &input);
                    cx.cs_set_unordered_access_views(2, &view);
                    cx.dispatch(1, 1, 1);
                });
                let mut expected = before;
                for (at, value) in values.iter().enumerate().take(count) {
                    let at = (first + at) * size;
                    expected[at..at + size].copy_from_slice(&texels::store(format, *value));
                }
                let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                if let Some(at) = differing(format, &found, &expected) {
                    let value = at.checked_sub(first).and_then(|at| values.get(at));
                    let [found, expected] = [&found, &expected].map(|bytes| &bytes[at * size..][..size]);
                    panic!(
                        "{format:?} from {first}, element {at}, {value:x?}: {found:x?}, not {expected:x?}"
                    );
                }
            }
        }
    });
}

/// Returns a shader that adds twice the input's elements to a view, and `add` after the end of the input.
fn adding(kind: &str, storage: &str, add: &str) -> String {
    format!(
        "@group(1) @binding(0) var input: texture_1d<{kind}>;
        @group(3) @binding(0) var output: texture_storage_1d<{storage}, read_write>;
        fn element(buffer: texture_1d<{kind}>, at: u32) -> vec4<{kind}> {{ return textureLoad(buffer, at, 0); }}
        fn twice(buffer: texture_1d<{kind}>, at: u32) -> vec4<{kind}> {{
            if at < textureDimensions(buffer) {{ return element(buffer, at) + element(buffer, at); }}
            return vec4<{kind}>({add});
        }}
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            textureStore(output, id.x, textureLoad(output, id.x) + twice(input, id.x));
        }}"
    )
}

/// The result is the same on every path, although threads write different elements of one word at the same
/// time.
#[test]
fn stores_keep_their_neighbours_however_they_are_recorded() {
    on_each(&gpu_matrix(), |h| {
        let add = shader(h, &adding("u32", "rgba32uint", "1u"));
        for (format, size) in
            [(Format::R8_UINT, 1), (Format::R16_UINT, 2), (Format::R8G8_UINT, 2), (Format::R32_UINT, 4)]
        {
            let twos = plain(h, &[2; 256 * 4]);
            let read = srv(h, &twos, format, 1, 100);
            for how in CommandPath::ALL {
                let buffer = plain(h, &vec![3; 300 * size]);
                let view = uav(h, &buffer, format, 3, 200);
                h.record(how, |cx| {
                    cx.cs_set_shader(&add);
                    cx.cs_set_shader_resources(0, &read);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(4, 1, 1);
                });
                let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                let mut expected = vec![3; 300 * size];
                for (at, element) in expected.chunks_mut(size).enumerate().skip(3).take(200) {
                    // After the end of the input, 1 is added to each component.
                    let low = |at: usize| {
                        if at < 103 {
                            7
                        } else if at == 0 {
                            4
                        } else {
                            3
                        }
                    };
                    for (place, byte) in element.iter_mut().enumerate() {
                        let begins = place == 0 || format == Format::R8G8_UINT;
                        *byte = if at < 103 {
                            low(at)
                        } else if begins {
                            4
                        } else {
                            3
                        };
                    }
                }
                assert_eq!(
                    found,
                    if h.draws() { expected } else { vec![3; 300 * size] },
                    "{format:?} {how:?}"
                );
            }
        }
    });
}

/// Only the format of the view changes between two dispatches.
#[test]
fn the_format_of_a_view_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        let load = shader(h, &loading("f32"));
        let contents = bytes(128);
        let buffer = plain(h, &contents);
        let formats =
            [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_SNORM, Format::R16G16_UNORM, Format::R32_FLOAT];
        let views = formats.map(|format| srv(h, &buffer, format, 2, 20));
        for how in CommandPath::ALL {
            let outputs: Vec<_> = views.iter().chain(&views).map(|_| results(h, 1 + 4 * 32)).collect();
            let written: Vec<_> =
                outputs.iter().map(|o| h.device.create_unordered_access_view(o, None).unwrap()).collect();
            h.record(how, |cx| {
                cx.cs_set_shader(&load);
                for (view, written) in views.iter().chain(&views).zip(&written) {
                    cx.cs_set_shader_resources(3, view);
                    cx.cs_set_unordered_access_views(0, written);
                    cx.dispatch(1, 1, 1);
                }
            });
            for (format, output) in formats.iter().chain(&formats).zip(&outputs) {
                let found: Vec<u32> = h.immediate.read_buffer(output).unwrap();
                for at in 0..20 {
                    let bytes = &contents[8 + 4 * at..][..4];
                    let expected = texels::load(*format, bytes);
                    let found = &found[1 + 4 * (at + 1)..][..4];
                    let same = expected.iter().zip(found).all(|(a, b)| texels::is_same(*format, *a, *b));
                    assert!(same, "{format:?} {how:?} {at}: {found:x?}, not {expected:x?}");
                }
            }
        }
    });
}

/// Empty slots, raw views in typed slots and typed views in raw slots read as zeros and ignore stores.
#[test]
fn mismatched_views_read_as_zero() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[
            MessageId::DispatchUnorderedAccessMismatch,
            MessageId::DrawShaderResourceMismatch,
            MessageId::DrawShaderResourceNotSet,
        ]);
        let text = "
            @group(1) @binding(0) var input: texture_1d<f32>;
            @group(1) @binding(1) var<storage> words: array<u32>;
            @group(3) @binding(0) var<storage, read_write> output: array<u32>;
            @group(3) @binding(1) var written: texture_storage_1d<rgba32float, read_write>;
            @compute @workgroup_size(1) fn main() {
                let at = output[0];
                textureStore(written, 0, vec4f(9.0));
                let sum = textureLoad(input, 1, 0) + textureLoad(written, 0);
                output[1] = u32(dot(sum, vec4f(1.0))) + words[1] + textureDimensions(input) + textureNumLevels(input) + 100u;
            }";
        let mixed = shader(h, text);
        let buffer = h
            .device
            .create_buffer(&BufferDesc::raw(64, VIEWED), Some(bytemuck::cast_slice(&[7_u32; 16])))
            .unwrap();
        let ints = srv(h, &buffer, Format::R32_UINT, 0, 4);
        let raw =
            h.device.create_shader_resource_view(&buffer, &ShaderResourceViewDesc::raw_buffer(4, 4)).unwrap();
        let written_words = h.device.create_buffer(&BufferDesc::raw(64, VIEWED), Some(&[7; 64])).unwrap();
        let desc = UnorderedAccessViewDesc::raw_buffer(0, 16);
        let written = h.device.create_unordered_access_view(&written_words, Some(&desc)).unwrap();
        for (input, words) in [(None, None), (Some(&raw), Some(&ints)), (Some(&raw), None)] {
            let output = results(h, 2);
            let view = h.device.create_unordered_access_view(&output, None).unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&mixed);
                cx.cs_set_shader_resources(0, [input, words]);
                cx.cs_set_unordered_access_views(0, [&view, &written]);
                cx.dispatch(1, 1, 1);
            });
            h.device.info_queue().clear();
            let found: Vec<u32> = h.immediate.read_buffer(&output).unwrap();
            assert_eq!(found, if h.draws() { [0, 100] } else { [0, 0] });
            assert_eq!(h.immediate.read_buffer::<u8>(&written_words).unwrap(), [7; 64]);
        }
    });
}

#[test]
fn threads_count_in_typed_elements() {
    on_each(&gpu_matrix(), |h| {
        let text = |kind: &str, storage: &str| {
            format!(
                "@group(3) @binding(0) var counts: texture_storage_1d<{storage}, atomic>;
                @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) index: u32) {{
                    textureAtomicAdd(counts, 0, {kind}(1));
                    textureAtomicMin(counts, 1, {kind}(index) - {kind}(0));
                    textureAtomicMax(counts, 2, {kind}(index));
                    textureAtomicOr(counts, 3, {kind}(index));
                    textureAtomicAnd(counts, 4, {kind}(index));
                    textureAtomicXor(counts, 5, {kind}(index));
                    textureAtomicAdd(counts, 6, {kind}(1));
                }}"
            )
        };
        let before = [1, 5, u32::MAX, 0, 0xffff, 0, 40, 41];
        for (kind, storage, format, most) in
            [("u32", "r32uint", Format::R32_UINT, u32::MAX), ("i32", "r32sint", Format::R32_SINT, 63)]
        {
            let count = shader(h, &text(kind, storage));
            for how in CommandPath::ALL {
                let buffer = plain(h, bytemuck::cast_slice(&before));
                let view = uav(h, &buffer, format, 0, 6);
                h.record(how, |cx| {
                    cx.cs_set_shader(&count);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(1, 1, 1);
                });
                let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
                let expected = if h.draws() { [65, 0, most, 63, 0, 0, 40, 41] } else { before };
                assert_eq!(found, expected, "{format:?} {how:?}");
            }
        }
    });
}

/// Elements that a shader declares for atomics can also be loaded and stored without atomics.
#[test]
fn counted_elements_are_loaded_and_stored() {
    on_each(&gpu_matrix(), |h| {
        for (kind, storage, format) in
            [("u32", "r32uint", Format::R32_UINT), ("i32", "r32sint", Format::R32_SINT)]
        {
            let text = format!(
                "@group(3) @binding(0) var counts: texture_storage_1d<{storage}, atomic>;
                @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) index: u32) {{
                    let old = textureLoad(counts, index);
                    textureStore(counts, index, old - vec4<{kind}>(7));
                    textureAtomicMax(counts, index, {kind}(1));
                }}"
            );
            let count = shader(h, &text);
            let buffer = plain(h, bytemuck::cast_slice(&[10_u32; 12]));
            let small = plain(h, bytemuck::cast_slice(&[3_u32; 12]));
            let views = [&buffer, &small].map(|buffer| uav(h, buffer, format, 3, 5));
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&count);
                for view in &views {
                    cx.cs_set_unordered_access_views(0, view);
                    cx.dispatch(1, 1, 1);
                }
            });
            // As an unsigned number, -4 is larger than 1.
            let small_becomes = if kind == "u32" { 4_u32.wrapping_neg() } else { 1 };
            for (buffer, before, after) in [(&buffer, 10, 3), (&small, 3, small_becomes)] {
                let of = |at| if h.draws() && (3..8).contains(&at) { after } else { before };
                let expected: Vec<u32> = (0..12).map(of).collect();
                assert_eq!(h.immediate.read_buffer::<u32>(buffer).unwrap(), expected, "{format:?}");
            }
        }
    });
}

/// Each write, whether it is a copy or a store through a typed or raw view, is seen by the next use of the
/// buffer.
#[test]
fn typed_views_share_their_buffer_with_all_other_uses() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let add = shader(h, &adding("f32", "rgba32float", "1.0"));
        for how in CommandPath::ALL {
            let desc = BufferDesc::raw(64, VIEWED | BindFlags::VERTEX_BUFFER);
            let buffer = h.device.create_buffer(&desc, None).unwrap();
            let copy = plain(h, &[0; 64]);
            let written = uav(h, &buffer, Format::R32_FLOAT, 0, 16);
            let raw =
                h.device.create_unordered_access_view(&buffer, &UnorderedAccessViewDesc::raw_buffer(0, 4));
            let raw = raw.unwrap();
            h.record(how, |cx| {
                cx.cs_set_shader(&add);
                cx.cs_set_unordered_access_views(0, &written);
                cx.dispatch(1, 1, 1);
                cx.clear_unordered_access_view_uint(&raw, [2.0_f32.to_bits(), 0, 0, 0]);
                cx.dispatch(1, 1, 1);
                cx.copy_resource(&copy, &buffer);
                cx.dispatch(1, 1, 1);
            });
            let numbers = |first: f32, rest: f32| -> Vec<f32> {
                (0..16)
                    .map(|at| {
                        if !h.draws() {
                            0.0
                        } else if at < 4 {
                            first
                        } else {
                            rest
                        }
                    })
                    .collect()
            };
            let (expected, expected_copy) = (numbers(4.0, 3.0), numbers(3.0, 2.0));
            let copied: Vec<f32> = h.immediate.read_buffer(&copy).unwrap();
            h.device.info_queue().clear();
            assert_eq!(copied, expected_copy, "{how:?}");
            assert_eq!(h.immediate.read_buffer::<f32>(&buffer).unwrap(), expected, "{how:?}");
        }
    });
}

/// A discard gives a dynamic buffer new contents, which its typed views must show from then on.
#[test]
fn a_dynamic_buffer_is_read_through_typed_views() {
    on_each(&gpu_matrix(), |h| {
        let load = shader(h, &loading("f32"));
        let input =
            h.device.create_buffer(&BufferDesc::dynamic(64, BindFlags::SHADER_RESOURCE), None).unwrap();
        let view = srv(h, &input, Format::R8_UNORM, 3, 20);
        for how in CommandPath::ALL {
            let outputs = [results(h, 1 + 4 * 32), results(h, 1 + 4 * 32)];
            let written = outputs.each_ref().map(|o| h.device.create_unordered_access_view(o, None).unwrap());
            h.record(how, |cx| {
                cx.cs_set_shader(&load);
                cx.cs_set_shader_resources(3, &view);
                for (written, factor) in written.iter().zip([1_u8, 3]) {
                    let bytes: Vec<u8> = (0..64).map(|n| n * factor).collect();
                    cx.update(&input, &bytes[..]).unwrap();
                    cx.cs_set_unordered_access_views(0, written);
                    cx.dispatch(1, 1, 1);
                }
            });
            for (output, factor) in outputs.iter().zip([1, 3]) {
                let found: Vec<f32> = h.immediate.read_buffer(output).unwrap();
                for at in 0..20 {
                    let expected = ((3 + at) * factor) as f32 / 255.0;
                    let expected = if h.draws() { [expected, 0.0, 0.0, 1.0] } else { [0.0; 4] };
                    assert_eq!(found[1 + 4 * (at + 1)..][..4], expected, "{how:?} {at}");
                }
            }
        }
    });
}

/// The vertex shader reads its vertices from one typed buffer, and the pixel shader reads its colours from
/// another.
#[test]
fn draws_read_typed_buffers_in_both_stages() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            @group(1) @binding(0) var corners: texture_1d<f32>;
            @vertex fn vs(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
                return vec4f(textureLoad(corners, index, 0).xy, 0.5, 1.0);
            }
            @group(1) @binding(0) var colors: texture_1d<u32>;
            @fragment fn ps(@builtin(position) at: vec4f) -> @location(0) vec4f {
                return vec4f(textureLoad(colors, u32(at.x) / 2u, 0)) / 255.0;
            }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let corners: [i8; 14] = [5, 5, 5, 5, 5, 5, -127, 127, 127, 127, -127, -127, 127, -127];
        let corners = plain(h, bytemuck::cast_slice(&corners));
        let colors = plain(h, &[9, 9, 9, 9, 255, 0, 0, 255, 0, 255, 128, 255]);
        let (corners, colors) =
            (srv(h, &corners, Format::R8G8_SNORM, 3, 4), srv(h, &colors, Format::R8G8B8A8_UINT, 1, 2));
        let target = onze_tests::Target::new(&h.device, 4, 4);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                target.bind(cx);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                cx.vs_set_shader_resources(0, &corners);
                cx.ps_set_shader_resources(0, &colors);
                cx.prepare_draw();
                cx.draw(4, 0);
            });
            let texels = target.read(h);
            for (x, expected) in [(0, 0xff00_00ff), (1, 0xff00_00ff), (2, 0xff80_ff00), (3, 0xff80_ff00)] {
                let expected = if h.draws() { expected } else { 0 };
                assert_eq!(target.at(&texels, x, 2), expected, "{how:?}, {x}");
            }
        }
    });
}

/// One dispatch reads one part of a buffer and writes another part of it.
#[test]
fn a_dispatch_reads_one_part_of_a_buffer_and_writes_another() {
    on_each(&gpu_matrix(), |h| {
        let add = shader(h, &adding("u32", "rgba32uint", "1u"));
        let buffer = plain(h, &[5; 64]);
        let (read, written) =
            (srv(h, &buffer, Format::R8_UINT, 1, 20), uav(h, &buffer, Format::R8_UINT, 30, 25));
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&add);
            cx.cs_set_shader_resources(0, &read);
            cx.cs_set_unordered_access_views(0, &written);
            cx.dispatch(1, 1, 1);
        });
        let of = |at: usize| match at {
            30..50 => 15,
            50..55 => 6,
            _ => 5,
        };
        let expected: Vec<u8> = (0..64).map(|at| if h.draws() { of(at) } else { 5 }).collect();
        assert_eq!(h.immediate.read_buffer::<u8>(&buffer).unwrap(), expected);
    });
}
