//! Clears of unordered-access views with floats: the allowed views, and the conversion to bits.

use onze_ddi::{ComponentKind, Format, ViewDesc};

/// Converts the colour of a float clear to the component bits for an equivalent integer clear of the view.
///
/// Direct3D 11 converts to float, UNORM and SNORM formats by the rules of the functional specification of
/// Direct3D 11.3: floats of fewer than 32 bits are rounded towards zero (3.2.2), UNORM and SNORM to the
/// nearest representable number (3.2.3). Views of all other formats are rejected.
pub(crate) fn clear_bits(view: &ViewDesc, values: [f32; 4]) -> Result<[u32; 4], String> {
    let format = match view {
        ViewDesc::Texture(view) => view.format,
        ViewDesc::Buffer(view) if view.typed().is_some() => view.format,
        ViewDesc::Buffer(view) => {
            let kind = if view.raw { "raw" } else { "structured" };
            return Err(format!(
                "a view of a {kind} buffer has no format to convert floats to; use `clear_unordered_access_view_uint`, \
                 with `f32::to_bits` for floats"
            ));
        }
    };
    component_bits(format, values).ok_or_else(|| {
        format!(
            "a view of {format:?} is not cleared with floats, which are for formats of floats, UNORM and SNORM; use \
             `clear_unordered_access_view_uint`"
        )
    })
}

/// Converts each component of the format to bits, in the low bits of each number, or returns `None` if floats
/// cannot be converted to the format.
fn component_bits(format: Format, values: [f32; 4]) -> Option<[u32; 4]> {
    let convert: fn(f32, u8) -> Option<u32> = match format.component_kind() {
        ComponentKind::Float => float_bits,
        ComponentKind::Unorm => |value, bits| Some(norm(value, 0.0, (1_u64 << bits) - 1) as u32),
        ComponentKind::Snorm => |value, bits| {
            Some(norm(value, -1.0, (1_u64 << (bits - 1)) - 1) as u32 & (u32::MAX >> (32 - bits)))
        },
        ComponentKind::Unknown
        | ComponentKind::Typeless
        | ComponentKind::Uint
        | ComponentKind::Sint
        | ComponentKind::Depth => return None,
    };
    let mut converted = [0; 4];
    for ((to, value), bits) in converted.iter_mut().zip(values).zip(format.component_bits()) {
        if bits != 0 {
            *to = convert(value, bits)?;
        }
    }
    Some(converted)
}

/// Clamps a number to the range from `least` to 1 and expresses it in steps of 1 / `one`, with NaN as 0.
fn norm(value: f32, least: f64, one: u64) -> i64 {
    let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(least, 1.0) };
    (value * one as f64).round() as i64
}

/// Converts to a float of the given number of bits, or returns `None` if no format has such floats.
///
/// Floats of 10 and 11 bits are unsigned: negative numbers and negative infinity become 0, while NaN remains
/// NaN.
fn float_bits(value: f32, bits: u8) -> Option<u32> {
    match bits {
        32 => Some(value.to_bits()),
        16 => {
            let sign = value.to_bits() >> 31 << 15;
            Some(sign | small_float(value.abs(), 10))
        }
        10 | 11 => Some(if value < 0.0 { 0 } else { small_float(value, u32::from(bits) - 5) }),
        _ => None,
    }
}

/// Converts a non-negative number to a float with 5 bits of exponent and `mantissa` bits of mantissa.
///
/// The result is rounded towards zero, so a finite number out of range becomes the largest finite float
/// (functional specification 3.2.2).
fn small_float(value: f32, mantissa: u32) -> u32 {
    const BIAS: i32 = 15;
    let infinity = 31 << mantissa;
    if value.is_nan() {
        return infinity | 1 << (mantissa - 1);
    }
    if value == f32::INFINITY {
        return infinity;
    }
    let exponent = (value.to_bits() >> 23 & 0xff) as i32 - 127;
    // All denormal numbers use the step size of the smallest exponent.
    let exponent = exponent.max(1 - BIAS);
    let step = f64::from(exponent - mantissa as i32).exp2();
    // The implicit first bit of a normal number adds one to the exponent field.
    let steps = (f64::from(value) / step) as u32;
    let code = (((exponent + BIAS - 1).min(32) as u32) << mantissa) + steps;
    code.min(infinity - 1)
}
