//! A CPU implementation of samplers, used to compute the expected results of the samplers' cells.

use onze::prelude::*;
use onze::{FilterReduction, TextureAddressMode};

use crate::codec::Color;

/// A square mip level: its width in texels, and the texels.
pub(crate) type Level = (usize, Vec<Color>);

pub(crate) const REFERENCE: f32 = 0.25;

/// Applies the address mode to a texel's coordinate, or returns `None` for the border colour.
fn address(mode: TextureAddressMode, place: i64, side: i64) -> Option<i64> {
    let place = match mode {
        TextureAddressMode::Wrap => place.rem_euclid(side),
        TextureAddressMode::Mirror => {
            let place = place.rem_euclid(2 * side);
            place.min(2 * side - 1 - place)
        }
        TextureAddressMode::Clamp => place.clamp(0, side - 1),
        TextureAddressMode::MirrorOnce => place.max(-1 - place).min(side - 1),
        TextureAddressMode::Border => return (0..side).contains(&place).then_some(place),
    };
    Some(place)
}

/// Appends the texels around a point with their weights: four for linear filtering, or one for point
/// filtering.
fn collect(
    desc: &SamplerDesc,
    (side, texels): &Level,
    linear: bool,
    at: [f32; 2],
    weight: f32,
    to: &mut Vec<(f32, Color)>,
) {
    let place = at.map(|part| part * *side as f32 - if linear { 0.5 } else { 0.0 });
    let low = place.map(f32::floor);
    let part = [0, 1].map(|n| if linear { place[n] - low[n] } else { 0.0 });
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let share = |n: usize, corner: i64| if corner == 1 { part[n] } else { 1.0 - part[n] };
        let column = address(desc.address_u, low[0] as i64 + x, *side as i64);
        let row = address(desc.address_v, low[1] as i64 + y, *side as i64);
        let texel =
            column.zip(row).map_or(desc.border_color, |(x, y)| texels[y as usize * side + x as usize]);
        to.push((weight * share(0, x) * share(1, y), texel));
    }
}

/// Returns the sampler's expected result at texture coordinates and a level of detail.
pub(crate) fn sample(desc: &SamplerDesc, levels: &[Level], at: [f32; 2], lod: f32) -> Color {
    let filter = desc.filter;
    let on = |linear: bool| linear || filter.anisotropic;
    let linear = on(if lod <= 0.0 { filter.mag_linear } else { filter.min_linear });
    let lod = lod.clamp(0.0, (levels.len() - 1) as f32);
    let lod = if on(filter.mip_linear) { lod } else { (lod + 0.5).floor() };
    let (fine, part) = (lod.floor() as usize, lod.fract());
    let mut parts = Vec::new();
    collect(desc, &levels[fine], linear, at, 1.0 - part, &mut parts);
    collect(desc, &levels[(fine + 1).min(levels.len() - 1)], linear, at, part, &mut parts);
    parts.retain(|(weight, _)| *weight > 0.0);
    let passes = |texel: f32| f32::from(u8::from(REFERENCE <= texel));
    [0, 1, 2, 3].map(|n| {
        let values = parts.iter().map(|(weight, texel)| (*weight, texel[n]));
        match filter.reduction {
            FilterReduction::Standard => values.map(|(weight, value)| weight * value).sum(),
            FilterReduction::Comparison if n == 3 => 1.0,
            FilterReduction::Comparison => {
                parts.iter().map(|(weight, texel)| weight * passes(texel[0])).sum()
            }
            FilterReduction::Minimum => values.map(|(_, value)| value).fold(f32::MAX, f32::min),
            FilterReduction::Maximum => values.map(|(_, value)| value).fold(f32::MIN, f32::max),
        }
    })
}
