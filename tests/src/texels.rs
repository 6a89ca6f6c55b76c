//! Conversions between component values and texels, computed on the CPU according to chapter 3.2 of the
//! functional specification of Direct3D 11.3.
//!
//! Conversions to smaller floats follow 3.2.2 and round towards zero, so a finite number that is too large
//! becomes the largest finite number. Conversions to UNORM and SNORM follow 3.2.3 and round to the nearest
//! number.

use onze::Format;
use onze::ddi::ComponentKind;

/// The four components that a shader reads or writes, as raw bits of any type.
pub type Bits = [u32; 4];

/// Returns the components of a texel: the component's index in the vector, its first bit and its number of
/// bits.
pub fn channels(format: Format) -> Vec<(usize, u32, u32)> {
    let bits = format.component_bits().map(u32::from);
    let name = format!("{format:?}");
    let order = if name.starts_with('B') { [2, 1, 0, 3] } else { [0, 1, 2, 3] };
    let mut first = 0;
    let mut channels = Vec::new();
    for component in order {
        if bits[component] > 0 {
            channels.push((component, first, bits[component]));
            first += bits[component];
        }
    }
    channels
}

/// Returns the value that a shader reads from a texel, with 0 for components that the format lacks, except
/// that a missing alpha is 1.
pub fn load(format: Format, element: &[u8]) -> Bits {
    let mut bytes = [0; 16];
    bytes[..element.len()].copy_from_slice(element);
    let element = u128::from_le_bytes(bytes);
    let kind = format.component_kind();
    let one = if matches!(kind, ComponentKind::Uint | ComponentKind::Sint) { 1 } else { 1.0_f32.to_bits() };
    let mut found = [0, 0, 0, one];
    for (component, first, bits) in channels(format) {
        let raw = ((element >> first) & ((1 << bits) - 1)) as u64;
        found[component] = component_of(kind, raw, bits);
    }
    found
}

fn component_of(kind: ComponentKind, raw: u64, bits: u32) -> u32 {
    let signed = (raw as i64) << (64 - bits) >> (64 - bits);
    match kind {
        ComponentKind::Uint => raw as u32,
        ComponentKind::Sint => signed as u32,
        ComponentKind::Unorm => ((raw as f64 / ((1_u64 << bits) - 1) as f64) as f32).to_bits(),
        ComponentKind::Snorm => {
            let most = ((1_u64 << (bits - 1)) - 1) as f64;
            ((signed as f64 / most).max(-1.0) as f32).to_bits()
        }
        _ if bits == 32 => raw as u32,
        _ => {
            let (sign, mantissa) = if bits == 16 { (raw >> 15, 10) } else { (0, bits - 5) };
            let magnitude = raw & ((1 << (mantissa + 5)) - 1);
            ((small(magnitude, mantissa) as f32).to_bits()) | (sign as u32) << 31
        }
    }
}

/// Returns the value of a float with a 5-bit exponent and a `mantissa`-bit fraction.
fn small(magnitude: u64, mantissa: u32) -> f64 {
    let (exponent, fraction) = (magnitude >> mantissa, magnitude & ((1 << mantissa) - 1));
    let fraction = fraction as f64 / (1_u64 << mantissa) as f64;
    match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2_f64.powi(-14),
        _ => (1.0 + fraction) * 2_f64.powi(exponent as i32 - 15),
    }
}

/// Returns whether two components have the same value or are both NaN.
pub fn is_same(format: Format, a: u32, b: u32) -> bool {
    let is_float = !matches!(format.component_kind(), ComponentKind::Uint | ComponentKind::Sint);
    a == b || is_float && f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

/// Returns the bytes in memory after a shader stores a value to a texel.
pub fn store(format: Format, value: Bits) -> Vec<u8> {
    let mut element = 0_u128;
    for (component, first, bits) in channels(format) {
        let raw = raw_of(format.component_kind(), value[component], bits);
        assert!(raw >> bits == 0, "{format:?} {component}");
        element |= u128::from(raw) << first;
    }
    element.to_le_bytes()[..format.bytes_per_block() as usize].to_vec()
}

fn raw_of(kind: ComponentKind, value: u32, bits: u32) -> u64 {
    let mask = (1_u64 << bits) - 1;
    let (int, float) = (i64::from(value as i32), f64::from(f32::from_bits(value)));
    match kind {
        ComponentKind::Uint => u64::from(value).min(mask),
        ComponentKind::Sint => int.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u64 & mask,
        ComponentKind::Unorm if float.is_nan() => 0,
        ComponentKind::Unorm => (float.clamp(0.0, 1.0) * mask as f64 + 0.5) as u64,
        ComponentKind::Snorm if float.is_nan() => 0,
        ComponentKind::Snorm => {
            let scaled = float.clamp(-1.0, 1.0) * ((1_u64 << (bits - 1)) - 1) as f64;
            (scaled + 0.5_f64.copysign(scaled)) as i64 as u64 & mask
        }
        _ if bits == 32 => value.into(),
        _ => {
            let mantissa = if bits == 16 { 10 } else { bits - 5 };
            let sign = u64::from(value >> 31);
            let infinity = 31 << mantissa;
            if float.is_nan() {
                // The specification permits any NaN here, and this returns one of them.
                return infinity | 1 << (mantissa - 1) | if bits == 16 { sign << 15 } else { 0 };
            }
            let magnitude = towards_zero(float.abs(), mantissa);
            match (bits, sign) {
                (16, sign) => magnitude | sign << 15,
                (_, 0) => magnitude,
                (_, _) => 0,
            }
        }
    }
}

/// Returns the bits of the largest float with a 5-bit exponent that is not above `number`, so that only
/// infinity becomes infinity.
fn towards_zero(number: f64, mantissa: u32) -> u64 {
    let infinity = 31_u64 << mantissa;
    if number.is_infinite() {
        return infinity;
    }
    // The partition point is at least 1, because 0 is not above any number.
    (0..infinity).collect::<Vec<_>>().partition_point(|raw| small(*raw, mantissa) <= number) as u64 - 1
}
