//! A CPU sampler, derived only from sections 7.18 and 22.4 of the functional specification of Direct3D 11.3.

use onze::prelude::*;

/// The size and texels of a mip level, with the first axis varying fastest.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) size: [usize; 3],
    pub(super) texels: Vec<[f64; 4]>,
}

#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) axes: usize,
    pub(super) levels: Vec<Level>,
    /// The minimum and maximum value of the format.
    pub(super) range: [f64; 2],
    pub(super) components: usize,
    /// The value of `SetResourceMinLOD`, relative to the first mip level of the view.
    pub(super) min_lod: f64,
}

/// The input of an instruction that determines the level of detail.
#[derive(Copy, Clone, Debug)]
pub(super) enum Lod {
    Exact(f64),
    /// The change of the coordinates to the next pixel on each axis, and the level bias.
    Gradient([[f64; 3]; 2], f64),
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Sample {
    pub(super) at: [f64; 3],
    pub(super) lod: Lod,
    pub(super) offset: [i64; 3],
    /// The value that a comparison sampler compares with the texels.
    pub(super) reference: Option<f64>,
}

/// The result of a sample, or `None` if it depends on the rounding of the coordinates.
pub(super) type Found = Option<[f64; 4]>;

/// Precision of texel and level fractions, which have 8 bits.
const SUBTEXEL: f64 = 1.0 / 256.0;

/// Returns whether a texel or level fraction is so close to 0 or 1 that the adapter may round it to 0 or 1.
fn is_rounded(part: f64) -> bool {
    !(2.0 * SUBTEXEL..=1.0 - 2.0 * SUBTEXEL).contains(&part)
}

fn compares(func: ComparisonFunc, reference: f64, texel: f64) -> f64 {
    f64::from(onze_tests::shapes::passes(func, reference, texel))
}

/// Averages values with weights whose sum is 1, or takes the minimum or maximum of the values with a weight.
fn join(reduction: FilterReduction, parts: &[(f64, [f64; 4])]) -> [f64; 4] {
    std::array::from_fn(|n| {
        let weighed = parts.iter().filter(|(weight, _)| *weight > 0.0).map(|(_, value)| value[n]);
        match reduction {
            FilterReduction::Minimum => weighed.fold(f64::INFINITY, f64::min),
            FilterReduction::Maximum => weighed.fold(f64::NEG_INFINITY, f64::max),
            FilterReduction::Standard | FilterReduction::Comparison => {
                parts.iter().map(|(weight, value)| weight * value[n]).sum()
            }
        }
    })
}

/// Resolves a texel's address (7.18.9), or returns `None` if the border colour is used.
fn address(mode: TextureAddressMode, place: i64, size: usize) -> Option<usize> {
    let size = size as i64;
    let last = size - 1;
    let found = match mode {
        TextureAddressMode::Wrap => place.rem_euclid(size),
        TextureAddressMode::Mirror => {
            let place = place.rem_euclid(2 * size);
            place.min(2 * size - 1 - place)
        }
        TextureAddressMode::Clamp => place.clamp(0, last),
        TextureAddressMode::MirrorOnce => (if place < 0 { -1 - place } else { place }).min(last),
        TextureAddressMode::Border => {
            return usize::try_from(place).ok().filter(|place| *place < size as usize);
        }
    };
    usize::try_from(found).ok()
}

impl Image {
    fn modes(&self, desc: &SamplerDesc) -> Vec<TextureAddressMode> {
        [desc.address_u, desc.address_v, desc.address_w].into_iter().take(self.axes).collect()
    }

    /// Returns the sampler's border colour, clamped to the texture's format (7.18.9.1).
    fn border(&self, desc: &SamplerDesc) -> [f64; 4] {
        std::array::from_fn(|n| {
            let color = f64::from(desc.border_color[n]).clamp(self.range[0], self.range[1]);
            if n < self.components { color } else { f64::from(n == 3) }
        })
    }

    fn texel(&self, desc: &SamplerDesc, level: usize, places: &[i64], reference: Option<f64>) -> [f64; 4] {
        let Level { size, texels } = &self.levels[level];
        let addresses: Option<Vec<_>> = self
            .modes(desc)
            .into_iter()
            .zip(places)
            .zip(size)
            .map(|((mode, place), size)| address(mode, *place, *size))
            .collect();
        let index = |found: Vec<usize>| {
            found.iter().zip(size).rev().fold(0, |index, (place, size)| index * size + place)
        };
        let texel = addresses.map_or_else(|| self.border(desc), |found| texels[index(found)]);
        reference.map_or(texel, |reference| [compares(desc.comparison_func, reference, texel[0]); 4])
    }

    /// Samples one level with a point or linear filter (7.18.7 and 7.18.8).
    fn at_level(&self, desc: &SamplerDesc, level: usize, linear: bool, sample: &Sample) -> Found {
        let size = self.levels[level].size;
        let mut corners: Vec<(f64, Vec<i64>)> = vec![(1.0, Vec::new())];
        for (axis, size) in size.iter().enumerate().take(self.axes) {
            let place = sample.at[axis] * *size as f64 + sample.offset[axis] as f64;
            let place = if linear { place - 0.5 } else { place };
            let (low, part) = (place.floor() as i64, place - place.floor());
            let is_extreme =
                matches!(desc.filter.reduction, FilterReduction::Minimum | FilterReduction::Maximum);
            if is_rounded(part) && (!linear || is_extreme) {
                return None;
            }
            let choices = if linear { vec![(1.0 - part, low), (part, low + 1)] } else { vec![(1.0, low)] };
            corners = corners
                .iter()
                .flat_map(|(weight, places)| {
                    choices.iter().map(move |(part, place)| {
                        let mut places = places.clone();
                        places.push(*place);
                        (weight * part, places)
                    })
                })
                .collect();
        }
        let parts: Vec<_> = corners
            .iter()
            .map(|(weight, places)| (*weight, self.texel(desc, level, places, sample.reference)))
            .collect();
        Some(join(desc.filter.reduction, &parts))
    }

    /// Combines the levels (7.18.10) for an already clamped level of detail.
    fn at_lod(&self, desc: &SamplerDesc, lod: f64, sample: &Sample) -> Found {
        let filter = desc.filter;
        let last = self.levels.len() - 1;
        let linear = |on: bool| on || filter.anisotropic;
        if lod <= 0.0 {
            return self.at_level(desc, 0, linear(filter.mag_linear), sample);
        }
        let min = linear(filter.min_linear);
        if !linear(filter.mip_linear) {
            // Halfway between two levels, the result depends on the adapter's rounding.
            let place = lod + 0.5;
            if (place - place.round()).abs() < 2.0 * SUBTEXEL {
                return None;
            }
            return self.at_level(desc, (place.floor() as usize).min(last), min, sample);
        }
        // A difference from a whole level that is as small as the precision of the logarithm is ignored.
        let lod = if (lod - lod.round()).abs() < 0.1 * SUBTEXEL { lod.round() } else { lod };
        let (fine, part) = (lod.floor() as usize, lod - lod.floor());
        let is_extreme = matches!(filter.reduction, FilterReduction::Minimum | FilterReduction::Maximum);
        if is_extreme && part != 0.0 && is_rounded(part) {
            // Rounding decides whether the other level contributes.
            return None;
        }
        let fine_value = self.at_level(desc, fine.min(last), min, sample)?;
        if part == 0.0 {
            return Some(fine_value);
        }
        let coarse_value = self.at_level(desc, (fine + 1).min(last), min, sample)?;
        Some(join(filter.reduction, &[(1.0 - part, fine_value), (part, coarse_value)]))
    }

    /// Adds the sampler's bias, then clamps the level to the sampler's range (7.18.11) and to the texture's
    /// minimum (5.8).
    fn clamped(&self, desc: &SamplerDesc, lod: f64) -> f64 {
        let biased = lod + f64::from(desc.mip_lod_bias);
        biased.min(desc.max_lod.into()).max(desc.min_lod.into()).max(self.min_lod).clamp(-99.0, 99.25)
    }

    pub(super) fn sample(&self, desc: &SamplerDesc, sample: &Sample) -> Found {
        if self.min_lod > (self.levels.len() - 1) as f64 {
            // The minimum level is after the last level of the view.
            return Some(self.out_of_bounds(desc, sample));
        }
        let (gradient, bias) = match sample.lod {
            Lod::Exact(lod) => return self.at_lod(desc, self.clamped(desc, lod), sample),
            Lod::Gradient(gradient, bias) => (gradient, bias),
        };
        let size = self.levels[0].size;
        let scaled = gradient.map(|change| [0, 1, 2].map(|axis| change[axis] * size[axis] as f64));
        let lengths = scaled.map(|change| change.iter().map(|part| part * part).sum::<f64>());
        if !desc.filter.anisotropic || self.axes != 2 {
            let lod = 0.5 * lengths[0].max(lengths[1]).log2();
            return self.at_lod(desc, self.clamped(desc, lod + bias), sample);
        }
        let major = usize::from(lengths[0] <= lengths[1]);
        let area = (scaled[0][0] * scaled[1][1] - scaled[0][1] * scaled[1][0]).abs();
        let most = f64::from(desc.max_anisotropy);
        let (mut ratio, short) = match lengths[major] / area {
            ratio if ratio <= most => (ratio, area / lengths[major].sqrt()),
            _ => (most, lengths[major].sqrt() / most),
        };
        if short < 1.0 {
            ratio = (ratio * short).max(1.0);
        }
        let lod = self.clamped(desc, short.log2() + bias);
        let count = (ratio - 0.001).ceil().clamp(1.0, 16.0);
        let mut parts = Vec::new();
        for n in 0..count as usize {
            let place = (n as f64 + 0.5) / count - 0.5;
            let at = [0, 1, 2].map(|axis| sample.at[axis] + gradient[major][axis] * place);
            parts.push((1.0 / count, self.at_lod(desc, lod, &Sample { at, ..*sample })?));
        }
        Some(join(desc.filter.reduction, &parts))
    }

    /// Returns zeros, with an alpha of 1 if the format has no alpha, or for a comparison sampler the result
    /// of the comparison with 0.
    fn out_of_bounds(&self, desc: &SamplerDesc, sample: &Sample) -> [f64; 4] {
        match sample.reference {
            Some(reference) => [compares(desc.comparison_func, reference, 0.0); 4],
            None => std::array::from_fn(|n| f64::from(n == 3 && self.components < 4)),
        }
    }

    /// Returns the four texels of `Gather` (22.4.2), or `None` if the result depends on rounding.
    pub(super) fn gather(&self, desc: &SamplerDesc, component: usize, sample: &Sample) -> Found {
        if self.min_lod >= 1.0 {
            // `Gather` reads the view's first level, and the minimum level excludes it.
            return Some([self.out_of_bounds(desc, sample)[component]; 4]);
        }
        let size = self.levels[0].size;
        let mut low = [0; 2];
        for (axis, low) in low.iter_mut().enumerate() {
            let place = sample.at[axis] * size[axis] as f64 - 0.5;
            let part = place - place.floor();
            if is_rounded(part) {
                return None;
            }
            *low = place.floor() as i64 + sample.offset[axis];
        }
        Some(
            [(0, 1), (1, 1), (1, 0), (0, 0)]
                .map(|(x, y)| self.texel(desc, 0, &[low[0] + x, low[1] + y], sample.reference)[component]),
        )
    }
}
