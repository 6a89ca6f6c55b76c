//! WGSL code that reads and writes an element of a typed buffer, and reads one of a vertex buffer, for each
//! format.
//!
//! The conversions are those of the functional specification of Direct3D 11.3, section 3.2. They use integer
//! arithmetic where WGSL leaves the result open: for numbers that are not finite, are denormalised or are out
//! of range. WGSL's own packing of 16-bit floats may round either way, so it is not used.

use onze_ddi::{ComponentKind, Format, ScalarKind};

use crate::objects::shader::formats::{FormatChannel, channels, kind_of, ones};

/// Returns the name of a scalar type.
pub(crate) const fn scalar_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Float => "f32",
        ScalarKind::Sint => "i32",
        ScalarKind::Uint => "u32",
    }
}

/// Converts a value of the view's kind to the declared kind.
pub(crate) fn as_declared(value: &str, declared: ScalarKind, view: ScalarKind) -> String {
    if declared == view { value.into() } else { format!("bitcast<vec4<{}>>({value})", scalar_name(declared)) }
}

/// Converts a value of the declared kind to the view's kind.
pub(crate) fn as_viewed(value: &str, declared: ScalarKind, view: ScalarKind) -> String {
    as_declared(value, view, declared)
}

/// Returns the shader's vector, of the declared kind, from the words `word0` and so on. Missing components
/// are 0, 0, 0, 1.
pub(crate) fn decoded(format: Format, declared: ScalarKind) -> String {
    let kind = kind_of(format);
    let mut components = [0, 0, 0, 1].map(|missing| format!("{}({missing})", scalar_name(kind)));
    for channel in channels(format) {
        components[channel.component] = decode(format.component_kind(), channel);
    }
    as_declared(&format!("vec4<{}>({})", scalar_name(kind), components.join(", ")), declared, kind)
}

fn decode(kind: ComponentKind, FormatChannel { first, bits, .. }: FormatChannel) -> String {
    let (word, shift) = (first / 32, first % 32);
    let raw = if bits == 32 {
        format!("word{word}")
    } else {
        format!("((word{word} >> {shift}u) & {}u)", ones(bits))
    };
    let signed = format!("(i32({raw} << {0}u) >> {0}u)", 32 - bits);
    match (kind, bits) {
        (ComponentKind::Uint, _) => raw,
        (ComponentKind::Sint, _) => signed,
        (ComponentKind::Unorm, _) => format!("f32({raw}) / {}.0", ones(bits)),
        (ComponentKind::Snorm, _) => format!("max(f32({signed}) / {}.0, -1.0)", ones(bits - 1)),
        (_, 32) => format!("bitcast<f32>({raw})"),
        (_, 16) => format!("from_half({raw})"),
        (_, _) => format!("from_small({raw}, {}u)", bits - SMALL_EXPONENT),
    }
}

/// Returns the words of an element, from the vector `value` of the format's kind.
pub(crate) fn encoded(format: Format) -> Vec<String> {
    let mut words = vec![String::new(); format.bytes_per_block().div_ceil(4) as usize];
    for channel in channels(format) {
        let Some(word) = words.get_mut(channel.first as usize / 32) else { continue };
        let code = encode(format.component_kind(), channel);
        let join = if word.is_empty() { "" } else { " | " };
        *word += &format!("{join}({code} << {}u)", channel.first % 32);
    }
    words
}

fn encode(kind: ComponentKind, FormatChannel { component, bits, .. }: FormatChannel) -> String {
    let value = format!("value[{component}]");
    match (kind, bits) {
        (ComponentKind::Uint, 32) => value,
        (ComponentKind::Sint, 32) => format!("bitcast<u32>({value})"),
        (ComponentKind::Uint, _) => format!("min({value}, {}u)", ones(bits)),
        (ComponentKind::Sint, _) => {
            let most = ones(bits - 1);
            format!("(bitcast<u32>(clamp({value}, -{most} - 1, {most})) & {}u)", ones(bits))
        }
        (ComponentKind::Unorm, _) => format!("to_unorm({value}, {}.0)", ones(bits)),
        (ComponentKind::Snorm, _) => format!("(to_snorm({value}, {}.0) & {}u)", ones(bits - 1), ones(bits)),
        (_, 32) => format!("bitcast<u32>({value})"),
        (_, 16) => format!("to_half({value})"),
        (_, _) => format!("to_unsigned({value}, {}u)", bits - SMALL_EXPONENT),
    }
}

/// Exponent bits of floats with 10, 11 and 16 bits.
const SMALL_EXPONENT: u32 = 5;

/// The functions that decoded and encoded elements call.
pub(crate) const CONVERSIONS: &str = "
    fn from_small(bits: u32, mantissa: u32) -> f32 {
        let exponent = bits >> mantissa;
        let fraction = (bits & ((1u << mantissa) - 1u)) << (23u - mantissa);
        if exponent == 31u { return bitcast<f32>(0x7f800000u | fraction); }
        if exponent == 0u { return f32(fraction) * 0x1p-37f; }
        return bitcast<f32>(((exponent + 112u) << 23u) | fraction);
    }

    fn from_half(bits: u32) -> f32 {
        let magnitude = bitcast<u32>(from_small(bits & 0x7fffu, 10u));
        return bitcast<f32>(magnitude | ((bits & 0x8000u) << 16u));
    }

    fn is_nan(magnitude: u32) -> bool { return magnitude > 0x7f800000u; }

    // Section 3.2.2: rounds towards zero. Finite numbers that are too large become the largest finite number.
    fn to_small(magnitude: u32, mantissa: u32) -> u32 {
        let dropped = 23u - mantissa;
        let infinity = 31u << mantissa;
        if is_nan(magnitude) { return infinity | (1u << (mantissa - 1u)); }
        if magnitude == 0x7f800000u { return infinity; }
        if magnitude >= 0x38800000u { return min((magnitude - 0x38000000u) >> dropped, infinity - 1u); }
        let shift = min(dropped + 113u - (magnitude >> 23u), 31u);
        return ((magnitude & 0x7fffffu) | 0x800000u) >> shift;
    }

    fn to_half(value: f32) -> u32 {
        let bits = bitcast<u32>(value);
        return to_small(bits & 0x7fffffffu, 10u) | ((bits >> 16u) & 0x8000u);
    }

    // Negative numbers become 0, including -INF. NaN stays NaN.
    fn to_unsigned(value: f32, mantissa: u32) -> u32 {
        let bits = bitcast<u32>(value);
        let magnitude = bits & 0x7fffffffu;
        if bits > magnitude && !is_nan(magnitude) { return 0u; }
        return to_small(magnitude, mantissa);
    }

    // Section 3.2.3: UNORM and SNORM round to the nearest number.
    fn to_unorm(value: f32, most: f32) -> u32 {
        if is_nan(bitcast<u32>(value) & 0x7fffffffu) { return 0u; }
        return u32(clamp(value, 0.0, 1.0) * most + 0.5);
    }

    fn to_snorm(value: f32, most: f32) -> u32 {
        if is_nan(bitcast<u32>(value) & 0x7fffffffu) { return 0u; }
        let scaled = clamp(value, -1.0, 1.0) * most;
        return bitcast<u32>(i32(scaled + select(-0.5, 0.5, scaled >= 0.0)));
    }";

/// WGSL's atomic functions that exist for both images and buffers.
pub(crate) const ATOMICS: [&str; 6] =
    ["atomicAdd", "atomicAnd", "atomicMax", "atomicMin", "atomicOr", "atomicXor"];
