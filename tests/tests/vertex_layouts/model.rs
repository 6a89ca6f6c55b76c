//! The rules of the vertex fetch, computed on the CPU: what a shader gets of bytes.

use onze::Format;
use onze_tests::texels::{self, Bits};

/// The value that a shader reads from an element. `None` stands for an element outside its buffer.
pub(crate) fn element(format: Format, bytes: Option<&[u8]>) -> Bits {
    let zeros = [0; 16];
    texels::load(format, bytes.unwrap_or(&zeros[..format.bytes_per_block() as usize]))
}

/// Where an element lies: with 32 bits, which wrap around.
pub(crate) fn address(number: u32, stride: u32, offset: u32) -> u32 {
    number.wrapping_mul(stride).wrapping_add(offset)
}

/// Whether a shader may get one value for another: floats that are next to each other, and any NaN for a NaN.
pub(crate) fn is_same(format: Format, found: u32, expected: u32) -> bool {
    if found == expected || format.is_integer() {
        return found == expected;
    }
    let (found, expected) = (f32::from_bits(found), f32::from_bits(expected));
    if found.is_nan() || expected.is_nan() {
        return found.is_nan() && expected.is_nan();
    }
    // Adapters may flush what is denormalized.
    (found - expected).abs() <= expected.abs() * 1e-6 + f32::MIN_POSITIVE
}
