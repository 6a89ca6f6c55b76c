//! The rules of the vertex fetch, computed on the CPU: what a shader gets of bytes.

use onze::{Format, ddi::ComponentKind};

/// A component of a format: its bits in the element, from the lowest on.
#[derive(Copy, Clone)]
struct Channel {
    component: usize,
    first: usize,
    bits: usize,
}

/// The order in which formats have their components.
fn channels(format: Format) -> Vec<Channel> {
    let name = format!("{format:?}");
    let order: &[usize] = if name.starts_with('B') { &[2, 1, 0, 3] } else { &[0, 1, 2, 3] };
    let mut first = 0;
    let mut all = Vec::new();
    for component in order.iter().copied() {
        let bits = usize::from(format.component_bits()[component]);
        if bits > 0 {
            all.push(Channel { component, first, bits });
            first += bits;
        }
    }
    all
}

/// A float with a sign bit if it has 16 bits, and 5 bits of exponent.
fn small_float(raw: u32, bits: usize) -> f32 {
    let (sign, mantissa_bits) = if bits == 16 { (raw >> 15, 10) } else { (0, bits - 5) };
    let exponent = raw >> mantissa_bits & 31;
    let mantissa = raw & ((1 << mantissa_bits) - 1);
    let fraction = f64::from(mantissa) / f64::from(1u32 << mantissa_bits);
    let value = match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if mantissa == 0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent as i32 - 15),
    };
    (if sign == 1 { -value } else { value }) as f32
}

/// The four components that a shader gets of an element, as bits. Without bytes, the element does not lie in its buffer.
pub(crate) fn element(format: Format, bytes: Option<&[u8]>) -> [u32; 4] {
    let kind = format.component_kind();
    let one = if format.is_integer() { 1 } else { 1f32.to_bits() };
    let mut value = [0, 0, 0, one];
    for Channel { component, first, bits } in channels(format) {
        let bit = |at: usize| bytes.map_or(0, |bytes| u32::from(bytes[at / 8] >> (at % 8) & 1));
        let raw = (0..bits).fold(0, |raw, at| raw | bit(first + at) << at);
        let signed = (raw << (32 - bits)) as i32 >> (32 - bits);
        let most = |bits: usize| ((1u64 << bits) - 1) as f32;
        value[component] = match kind {
            ComponentKind::Uint => raw,
            ComponentKind::Sint => signed as u32,
            ComponentKind::Unorm => (raw as f32 / most(bits)).to_bits(),
            ComponentKind::Snorm => (signed as f32 / most(bits - 1)).max(-1.0).to_bits(),
            _ if bits == 32 => raw,
            _ => small_float(raw, bits).to_bits(),
        };
    }
    value
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
