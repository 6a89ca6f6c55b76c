//! Clears of typed views of buffers: of every format the element that the rules say, and no byte beside the view.

use onze::{ddi::ComponentKind, prelude::*};
use onze_tests::{Config, Harness, How, on_each};

use super::{
    bytes, formats,
    model::{self, Bits},
    plain, uav,
};

/// Parts of a buffer of [`ELEMENTS`]: first element and count. Of short elements most begin and end within a word.
const PARTS: [(u32, u32); 5] = [(0, 12), (1, 5), (3, 2), (2, 1), (5, 6)];
const ELEMENTS: usize = 12;

/// Four values of the numbers: each number alone, and mixed.
fn fours(numbers: &[u32]) -> Vec<Bits> {
    let at = |n: usize| numbers[n % numbers.len()];
    let mixed = (0..numbers.len()).map(|n| [at(n), at(n + 5), at(2 * n + 1), at(3 * n + 2)]);
    numbers.iter().map(|number| [*number; 4]).chain(mixed).collect()
}

/// Clears a part of a buffer and compares all its bytes. `None`: the clear changes nothing.
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
    h.record(How::Immediate, |cx| clear(cx, &view));
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
        // The smallest number of 32 bits; below the smallest one of 16 bits; between its double and its triple.
        1e-45,
        5.9e-8,
        -1.7e-7,
        65504.0,
        -65504.0,
        // The first number that is nearer to infinity of 16 bits than to 65504.
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
                let element = takes.then(|| model::store(format, bits));
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

/// Whole numbers are not converted: of floats, too, the lowest bits are written.
#[test]
fn a_clear_with_whole_numbers_takes_the_lowest_bits() {
    let numbers = [0, 1, 0x7f, 0x80, 0x1ff, 0x7fff, 0x8000, 0x1_ffff, 0x8000_0000, 0x1234_5678, u32::MAX];
    on_each(&[Config::GPU], |h| {
        for format in formats().filter(|format| format.is_written_buffer_element()) {
            for (n, values) in fours(&numbers).into_iter().enumerate() {
                let mut element = 0_u128;
                for (component, first, bits) in model::channels(format) {
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
