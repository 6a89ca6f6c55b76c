//! Clears of typed buffer views in every format, which must write the specified elements but no byte outside
//! the view.

use onze::{ddi::ComponentKind, prelude::*};
use onze_tests::{
    CommandPath, Config, Harness, gpu_matrix, on_each,
    texels::{self, Bits},
};

use super::{bytes, formats, plain, uav};

/// The first element and the number of elements of each part. If elements are short, most parts begin and end
/// within a word.
const PARTS: [(u32, u32); 5] = [(0, 12), (1, 5), (3, 2), (2, 1), (5, 6)];
const ELEMENTS: usize = 12;

/// Returns clear values, some with one number in all components and others with mixed numbers.
fn fours(numbers: &[u32]) -> Vec<Bits> {
    let at = |n: usize| numbers[n % numbers.len()];
    let mixed = (0..numbers.len()).map(|n| [at(n), at(n + 5), at(2 * n + 1), at(3 * n + 2)]);
    numbers.iter().map(|number| [*number; 4]).chain(mixed).collect()
}

/// Clears a part of a buffer and compares all bytes of the buffer, with `None` for a clear that must change
/// nothing.
fn check(
    h: &mut Harness,
    (format, (first, count)): (Format, (u32, u32)),
    element: Option<&[u8]>,
    what: &str,
    clear: impl FnOnce(&mut DeviceContext, &UnorderedAccessView),
) {
    let size = format.bytes_per_block() as usize;
    let before = bytes(ELEMENTS * size);
    let buffer = plain(h, &before);
    let view = uav(h, &buffer, format, first, count);
    h.record(CommandPath::Immediate, |cx| clear(cx, &view));
    let mut expected = before;
    if let Some(element) = element {
        let part = first as usize * size..(first + count) as usize * size;
        expected[part].copy_from_slice(&element.repeat(count as usize));
    }
    let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
    assert_eq!(found, expected, "{format:?}, {count} from {first}, {what}");
}

#[test]
fn a_clear_with_floats_converts_to_every_format() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        // The smallest 32-bit denormal, a number just below the smallest 16-bit denormal, and a number whose
        // magnitude is between two and three times that denormal.
        1e-45,
        5.9e-8,
        -1.7e-7,
        65504.0,
        -65504.0,
        // The first number that rounds to infinity instead of 65504 if 16-bit conversion rounds to the
        // nearest number.
        65520.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ]
    .map(f32::to_bits);
    on_each(&[Config::GPU], |h| {
        for format in formats().filter(|format| format.is_written_buffer_element()) {
            let takes = !matches!(format.component_kind(), ComponentKind::Uint | ComponentKind::Sint);
            for (n, bits) in fours(&numbers).into_iter().enumerate() {
                let values = bits.map(f32::from_bits);
                let element = takes.then(|| texels::store(format, bits));
                check(h, (format, PARTS[n % 5]), element.as_deref(), &format!("{values:?}"), |cx, view| {
                    cx.clear_unordered_access_view_float(view, values);
                });
                if !takes {
                    h.assert_reported(MessageId::ClearUnorderedAccessViewInvalid);
                    break;
                }
            }
        }
    });
}

/// Clears with integers do not convert the numbers, so float formats also receive the lowest bits.
#[test]
fn a_clear_with_whole_numbers_takes_the_lowest_bits() {
    let numbers = [0, 1, 0x7f, 0x80, 0x1ff, 0x7fff, 0x8000, 0x1_ffff, 0x8000_0000, 0x1234_5678, u32::MAX];
    on_each(&[Config::GPU], |h| {
        for format in formats().filter(|format| format.is_written_buffer_element()) {
            for (n, values) in fours(&numbers).into_iter().enumerate() {
                let mut element = 0_u128;
                for (component, first, bits) in texels::channels(format) {
                    element |= (u128::from(values[component]) & ((1 << bits) - 1)) << first;
                }
                let element = &element.to_le_bytes()[..format.bytes_per_block() as usize];
                check(h, (format, PARTS[n % 5]), Some(element), &format!("{values:x?}"), |cx, view| {
                    cx.clear_unordered_access_view_uint(view, values);
                });
            }
        }
    });
}

/// A clear writes the lowest bits of each number to its component, for views that begin at any element.
#[test]
fn a_clear_writes_the_bits_of_each_component() {
    on_each(&gpu_matrix(), |h| {
        let values = [0x1234_5678, 0x9abc_def1, 0x55aa_33cc, 0x0f1e_2d3c];
        let element = |format: Format| -> Vec<u8> {
            match format {
                Format::R8_UINT => vec![0x78],
                Format::R16_FLOAT => vec![0x78, 0x56],
                Format::R8G8B8A8_SINT => vec![0x78, 0xf1, 0xcc, 0x3c],
                Format::R10G10B10A2_UNORM => (0x278_u32 | 0x2f1 << 10 | 0x3cc << 20).to_le_bytes().into(),
                Format::R16G16B16A16_UNORM => vec![0x78, 0x56, 0xf1, 0xde, 0xcc, 0x33, 0x3c, 0x2d],
                _ => values.iter().flat_map(|n: &u32| n.to_le_bytes()).collect(),
            }
        };
        for format in [
            Format::R8_UINT,
            Format::R16_FLOAT,
            Format::R8G8B8A8_SINT,
            Format::R10G10B10A2_UNORM,
            Format::R16G16B16A16_UNORM,
            Format::R32G32B32A32_FLOAT,
        ] {
            let element = element(format);
            let size = element.len();
            for (first, count) in [(0, 24), (1, 2), (3, 9), (5, 1)] {
                for how in [CommandPath::Immediate, CommandPath::Deferred] {
                    let buffer = plain(h, &vec![0xee; 24 * size]);
                    let view = uav(h, &buffer, format, first as u32, count as u32);
                    h.record(how, |cx| cx.clear_unordered_access_view_uint(&view, values));
                    let mut expected = vec![0xee; 24 * size];
                    if h.draws() {
                        expected[first * size..(first + count) * size]
                            .copy_from_slice(&element.repeat(count));
                    }
                    let found: Vec<u8> = h.immediate.read_buffer(&buffer).unwrap();
                    assert_eq!(found, expected, "{format:?} {first} {count} {how:?}");
                }
            }
            let buffer = plain(h, &vec![0xee; 8 * size]);
            let view = uav(h, &buffer, format, 1, 6);
            h.record(CommandPath::Immediate, |cx| cx.clear_unordered_access_view_uint(&view, [0; 4]));
            let zeros = |at: usize| h.draws() && (size..7 * size).contains(&at);
            let expected: Vec<u8> = (0..8 * size).map(|at| if zeros(at) { 0 } else { 0xee }).collect();
            assert_eq!(h.immediate.read_buffer::<u8>(&buffer).unwrap(), expected, "{format:?} zeros");
        }
    });
}
