//! Converts colours to the bytes of a format and back on the CPU, which gives the expected picture of the
//! format's cell.

use onze::ddi::ComponentKind;
use onze::prelude::*;

use crate::blocks;

pub(crate) type Color = [f32; 4];

/// The bytes of a picture, and the colours that a decoder must produce from them.
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) colors: Vec<Color>,
}

/// Encodes a linear value from 0 to 1 with the sRGB transfer function, the inverse of [`from_srgb`].
pub(crate) fn to_srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

pub(crate) fn from_srgb(stored: f32) -> f32 {
    if stored <= 0.040_45 { stored / 12.92 } else { ((stored + 0.055) / 1.055).powf(2.4) }
}

/// Converts a number from 0 to 65504 to the bits of a 16-bit float, with 0 for subnormal results.
pub(crate) fn to_half(value: f32) -> u32 {
    if value < 6.2e-5 { 0 } else { (value.to_bits() - (112 << 23) + (1 << 12)) >> 13 }
}

pub(crate) fn from_half(bits: u32) -> f32 {
    if bits < 1 << 10 { bits as f32 / 16_777_216.0 } else { f32::from_bits((bits << 13) + (112 << 23)) }
}

/// Encodes a number from 0 to 1 as a component, and returns the stored bits and the number that a shader
/// reads.
fn component(format: Format, bits: u32, value: f32, is_alpha: bool) -> (u32, f32) {
    let most = u32::MAX >> (32 - bits);
    let signed = (f64::from(most >> 1) * f64::from(2.0 * value - 1.0)).round() as i32;
    let unsigned = (f64::from(most) * f64::from(value)).round() as u32;
    let is_srgb = format.is_srgb() && !is_alpha;
    match format.component_kind() {
        ComponentKind::Unorm if is_srgb => {
            let stored = (most as f32 * to_srgb(value)).round();
            (stored as u32, from_srgb(stored / most as f32))
        }
        ComponentKind::Uint => (unsigned, unsigned as f32),
        ComponentKind::Sint => (signed as u32 & most, signed as f32),
        ComponentKind::Snorm => (signed as u32 & most, signed as f32 / (most >> 1) as f32),
        ComponentKind::Float if bits == 32 => (value.to_bits(), value),
        // Floats of 11 and 10 bits are 16-bit floats without the sign and the lowest bits of the mantissa.
        ComponentKind::Float => {
            let shift = if bits == 16 { 0 } else { 15 - bits };
            let stored = to_half(value) >> shift;
            (stored, from_half(stored << shift))
        }
        _ => (unsigned, unsigned as f32 / most as f32),
    }
}

/// Encodes a texel, and returns its bits and the colour that a shader reads.
fn texel(format: Format, color: Color) -> (u128, Color) {
    if format == Format::R9G9B9E5_SHAREDEXP {
        let brightest = color[0].max(color[1]).max(color[2]).max(1e-4);
        let exponent = brightest.log2().floor() as i32 + 1;
        let scale = (9.0 - exponent as f32).exp2();
        let stored = [0, 1, 2].map(|n| (color[n] * scale).round().min(511.0));
        let bits = stored.iter().enumerate().fold(0, |bits, (n, part)| bits | (*part as u128) << (9 * n));
        let [r, g, b] = stored.map(|part| part / scale);
        return (bits | ((exponent + 15) as u128) << 27, [r, g, b, 1.0]);
    }
    // DXGI format names list components from the lowest bits to the highest.
    let is_bgr = format!("{format:?}").starts_with('B');
    let order = if is_bgr { [2, 1, 0, 3] } else { [0, 1, 2, 3] };
    let (mut bits, mut at, mut left) = (0, 0, [0.0, 0.0, 0.0, 1.0]);
    for n in order {
        let width = u32::from(format.component_bits()[n]);
        if width > 0 {
            let (stored, read) = component(format, width, color[n], n == 3);
            (bits, left[n]) = (bits | u128::from(stored) << at, read);
            at += width;
        }
    }
    (bits, left)
}

/// Encodes a square picture in a format, block by block or texel by texel.
pub(crate) fn encode(format: Format, side: usize, picture: &[Color]) -> Encoded {
    let (width, height) = format.block_size();
    let (width, height) = (width as usize, height as usize);
    let mut encoded = Encoded { bytes: Vec::new(), colors: picture.to_vec() };
    for (y, x) in (0..side / height).flat_map(|y| (0..side / width).map(move |x| (y * height, x * width))) {
        let places: Vec<_> = (0..width * height).map(|n| (y + n / width) * side + x + n % width).collect();
        let texels: Vec<_> = places.iter().map(|place| picture[*place]).collect();
        let (bits, colors) = match (width, height) {
            (1, _) => {
                let (bits, color) = texel(format, texels[0]);
                (bits, vec![color])
            }
            (2, _) => pair(format, &texels),
            _ => blocks::encode(format, &texels),
        };
        encoded.bytes.extend(&bits.to_le_bytes()[..format.bytes_per_block() as usize]);
        for (place, color) in places.into_iter().zip(colors) {
            encoded.colors[place] = color;
        }
    }
    encoded
}

/// Encodes two texels of a packed format, which share red and blue but have separate greens.
fn pair(format: Format, texels: &[Color]) -> (u128, Vec<Color>) {
    let byte = |value: f32| (value * 255.0).round() as u8;
    let mean = |n: usize| byte((texels[0][n] + texels[1][n]) / 2.0);
    let (r, b, greens) = (mean(0), mean(2), [byte(texels[0][1]), byte(texels[1][1])]);
    let bytes = match format {
        Format::R8G8_B8G8_UNORM => [r, greens[0], b, greens[1]],
        _ => [greens[0], r, greens[1], b],
    };
    let colors = greens.map(|g| [r, g, b, 255].map(|part| f32::from(part) / 255.0));
    (u32::from_le_bytes(bytes).into(), colors.to_vec())
}
