//! Encoders for BC1 to BC7, which expect 4x4 blocks whose colours are on a line between two endpoints. BC6H
//! and BC7 use only modes with one pair of endpoints.

use onze::prelude::*;

use crate::codec::{Color, from_half, from_srgb, to_half, to_srgb};

/// Weight of the second endpoint for each four-bit index, in 64ths.
const WEIGHTS: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];

#[derive(Default)]
struct Bits(u128, u32);

impl Bits {
    fn put(&mut self, width: u32, value: u32) {
        self.0 |= u128::from(value) << self.1;
        self.1 += width;
    }
}

fn nearest(palette: &[Color], texel: &Color) -> usize {
    let distance = |color: &Color| color.iter().zip(texel).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
    let best = (0..palette.len()).min_by(|a, b| distance(&palette[*a]).total_cmp(&distance(&palette[*b])));
    best.unwrap_or(0)
}

/// Encodes colours as a BC1 block of 64 bits, which has four colours if its first endpoint is greater than
/// the second.
fn colors(bits: &mut Bits, texels: &[Color]) -> Vec<Color> {
    let ends = [0, 15]
        .map(|n: usize| [(0, 31.0), (1, 63.0), (2, 31.0)].map(|(c, most)| (texels[n][c] * most).round()));
    let number = |end: &[f32; 3]| (end[0] as u32) << 11 | (end[1] as u32) << 5 | end[2] as u32;
    let ends = if number(&ends[0]) < number(&ends[1]) { [ends[1], ends[0]] } else { ends };
    let is_one = number(&ends[0]) == number(&ends[1]);
    let palette: Vec<Color> = [0.0, 1.0, 1.0 / 3.0, 2.0 / 3.0][..if is_one { 1 } else { 4 }]
        .iter()
        .map(|part| {
            let at = |n: usize, most: f32| (ends[0][n] * (1.0 - part) + ends[1][n] * part) / most;
            [at(0, 31.0), at(1, 63.0), at(2, 31.0), 1.0]
        })
        .collect();
    ends.iter().for_each(|end| bits.put(16, number(end)));
    let texels = texels.iter().map(|[r, g, b, _]| [*r, *g, *b, 1.0]);
    let indices: Vec<_> = texels.map(|texel| nearest(&palette, &texel)).collect();
    indices.iter().for_each(|index| bits.put(2, *index as u32));
    indices.iter().map(|index| palette[*index]).collect()
}

/// Encodes one component as a BC4 block of 64 bits, which has eight values if its first endpoint is greater
/// than the second.
fn ramp(bits: &mut Bits, is_signed: bool, values: impl Iterator<Item = f32> + Clone) -> Vec<f32> {
    let stored =
        |value: f32| if is_signed { (value * 254.0).round() - 127.0 } else { (value * 255.0).round() };
    let low = stored(values.clone().fold(1.0, f32::min));
    let high = stored(values.clone().fold(0.0, f32::max));
    let most = if is_signed { 127.0 } else { 255.0 };
    // Equal endpoints select the mode with six values, but the palette is still correct because then only the
    // first value is used.
    let parts =
        [0.0, 7.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|part| (high * (7.0 - part) + low * part) / 7.0 / most);
    let palette = parts.map(|part| [part; 4]);
    [high, low].iter().for_each(|end| bits.put(8, u32::from(*end as i16 as u8)));
    let values = values.map(|value| if is_signed { 2.0 * value - 1.0 } else { value });
    let indices: Vec<_> = values.map(|value| nearest(&palette, &[value; 4])).collect();
    indices.iter().for_each(|index| bits.put(3, *index as u32));
    indices.iter().map(|index| parts[*index]).collect()
}

/// Writes the indices of BC6H and BC7. The first index is 0, because the first endpoint is the first texel's
/// colour. These formats do not store the highest bit of the first index.
fn indices(bits: &mut Bits, palette: &[Color], texels: &[Color]) -> Vec<Color> {
    let mut found = Vec::new();
    for (n, texel) in texels.iter().enumerate() {
        let index = if n == 0 { 0 } else { nearest(palette, texel) };
        bits.put(if n == 0 { 3 } else { 4 }, index as u32);
        found.push(palette[index]);
    }
    found
}

/// Encodes BC6H in mode 11, which has one pair of endpoints with ten bits per component.
fn floats(bits: &mut Bits, is_signed: bool, texels: &[Color]) -> Vec<Color> {
    // `end` quantizes a 16-bit float to ten bits, and `wide` expands the result again.
    let (factor, most) = if is_signed { (31.0 * 2.0, 511) } else { (31.0, 1023) };
    let end = |value: f32| ((to_half(value) as f32 / factor) as u32).min(most);
    let wide = |end: u32| match end {
        0 => 0,
        end if is_signed => ((end << 15) + 0x4000) >> 9,
        end => ((end << 16) + 0x8000) >> 10,
    };
    let ends = [0, 15].map(|n: usize| [0, 1, 2].map(|c| end(texels[n][c])));
    let palette = WEIGHTS.map(|weight| {
        let [r, g, b] = [0, 1, 2].map(|n| {
            let mixed = (wide(ends[0][n]) * (64 - weight) + wide(ends[1][n]) * weight + 32) >> 6;
            from_half(if is_signed { (mixed * 31) >> 5 } else { (mixed * 31) >> 6 })
        });
        [r, g, b, 1.0]
    });
    bits.put(5, 3);
    ends.as_flattened().iter().for_each(|end| bits.put(10, *end));
    let texels: Vec<_> = texels.iter().map(|[r, g, b, _]| [*r, *g, *b, 1.0]).collect();
    indices(bits, &palette, &texels)
}

/// Encodes BC7 in mode 6, which has one pair of endpoints with seven bits per component, plus a shared low
/// bit per endpoint.
fn bytes(bits: &mut Bits, texels: &[Color]) -> Vec<Color> {
    let ends = [0, 15].map(|n: usize| texels[n].map(|value| (value * 127.0).round() as u32));
    let palette = WEIGHTS.map(|weight| {
        [0, 1, 2, 3].map(|n| {
            let [a, b] = ends.map(|end| end[n] << 1 | 1);
            ((a * (64 - weight) + b * weight + 32) >> 6) as f32 / 255.0
        })
    });
    bits.put(7, 1 << 6);
    (0..4).for_each(|n| ends.iter().for_each(|end| bits.put(7, end[n])));
    bits.put(2, 3);
    indices(bits, &palette, texels)
}

/// Encodes a block, and returns its bits and the colours that a decoder must produce.
pub(crate) fn encode(format: Format, texels: &[Color]) -> (u128, Vec<Color>) {
    let mut bits = Bits::default();
    let is_srgb = format.is_srgb();
    let curve = |color: &Color, curve: fn(f32) -> f32| {
        let [r, g, b, a] = *color;
        if is_srgb { [curve(r), curve(g), curve(b), a] } else { *color }
    };
    let texels: Vec<_> = texels.iter().map(|texel| curve(texel, to_srgb)).collect();
    let is_signed = matches!(format, Format::BC4_SNORM | Format::BC5_SNORM | Format::BC6H_SF16);
    let component = |n: usize| texels.iter().map(move |texel| texel[n]);
    let found: Vec<Color> = match format.family() {
        Format::BC1_TYPELESS => colors(&mut bits, &texels),
        Format::BC2_TYPELESS => {
            let alphas: Vec<_> = component(3).map(|alpha| (alpha * 15.0).round()).collect();
            alphas.iter().for_each(|alpha| bits.put(4, *alpha as u32));
            let found = colors(&mut bits, &texels).into_iter().zip(alphas);
            found.map(|([r, g, b, _], alpha)| [r, g, b, alpha / 15.0]).collect()
        }
        Format::BC3_TYPELESS => {
            let alphas = ramp(&mut bits, false, component(3));
            colors(&mut bits, &texels).into_iter().zip(alphas).map(|([r, g, b, _], a)| [r, g, b, a]).collect()
        }
        Format::BC4_TYPELESS => {
            ramp(&mut bits, is_signed, component(0)).into_iter().map(|r| [r, 0.0, 0.0, 1.0]).collect()
        }
        Format::BC5_TYPELESS => {
            let reds = ramp(&mut bits, is_signed, component(0));
            let greens = ramp(&mut bits, is_signed, component(1));
            reds.into_iter().zip(greens).map(|(r, g)| [r, g, 0.0, 1.0]).collect()
        }
        Format::BC6H_TYPELESS => floats(&mut bits, is_signed, &texels),
        _ => bytes(&mut bits, &texels),
    };
    (bits.0, found.iter().map(|color| curve(color, from_srgb)).collect())
}
