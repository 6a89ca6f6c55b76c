//! A CPU model of the rules of vertex fetch. Draws must produce the same values as this model.

use onze::Format;
use onze_tests::texels::{self, Bits};

/// Returns the value that a shader reads from an element. `bytes` must be `None` if the element is outside
/// its buffer.
pub(crate) fn element(format: Format, bytes: Option<&[u8]>) -> Bits {
    let zeros = [0; 16];
    texels::load(format, bytes.unwrap_or(&zeros[..format.bytes_per_block() as usize]))
}

/// Returns the byte offset of an element, with arithmetic that wraps at 32 bits.
pub(crate) fn address(number: u32, stride: u32, offset: u32) -> u32 {
    number.wrapping_mul(stride).wrapping_add(offset)
}

/// Returns whether `found` is an acceptable result where `expected` is the exact value: floats may differ
/// slightly, and any NaN may replace a NaN.
pub(crate) fn is_same(format: Format, found: u32, expected: u32) -> bool {
    if found == expected || format.is_integer() {
        return found == expected;
    }
    let (found, expected) = (f32::from_bits(found), f32::from_bits(expected));
    if found.is_nan() || expected.is_nan() {
        return found.is_nan() && expected.is_nan();
    }
    // Adapters may flush denormal numbers, so the tolerance includes the smallest normal number.
    (found - expected).abs() <= expected.abs() * 1e-6 + f32::MIN_POSITIVE
}
