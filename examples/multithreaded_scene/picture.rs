//! Pictures of the modes, compared with each other and written to files.

use std::path::Path;

use serde::Serialize;

use crate::args::Size;
use crate::error::DemoError;

#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) name: String,
    /// RGBA pixels with 8 bits per channel, stored row by row from the top without padding.
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    fn pixels(&self) -> &[[u8; 4]] {
        self.pixels.as_chunks().0
    }
}

/// Returns a description of each picture that differs from the first picture.
pub(crate) fn differences(pictures: &[Picture]) -> Vec<String> {
    let Some((first, others)) = pictures.split_first() else {
        return Vec::new();
    };
    others
        .iter()
        .filter(|other| other.pixels != first.pixels)
        .map(|other| {
            let count = first.pixels().iter().zip(other.pixels()).filter(|(a, b)| a != b).count();
            let all = first.pixels().len();
            format!("{} differs from {} in {count} of {all} pixels", other.name, first.name)
        })
        .collect()
}

/// The difference between the pictures of two programs, ignoring alpha because it is meaningless after
/// blending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Likeness {
    pub(crate) largest: u8,
    pub(crate) mean: f64,
    pub(crate) visible_ppm: f64,
}

impl Likeness {
    const VISIBLE: u8 = 8;
    /// Maximum number of visibly different pixels per million, not zero because two shader compilers may
    /// round edges or depths differently in a few places.
    const MOST_VISIBLE_PPM: f64 = 500.0;
    /// Maximum mean difference that rounding alone can explain, in units of 1/255.
    const MOST_MEAN: f64 = 0.25;

    pub(crate) fn of(a: &Picture, b: &Picture) -> Self {
        let pixels = a.pixels().len().max(1) as f64;
        let (mut largest, mut sum, mut visible) = (0, 0_u64, 0_u64);
        for (a, b) in a.pixels().iter().zip(b.pixels()) {
            let difference = [0, 1, 2].map(|channel| a[channel].abs_diff(b[channel]));
            let most = difference.into_iter().max().unwrap_or(0);
            largest = largest.max(most);
            sum += difference.map(u64::from).iter().sum::<u64>();
            visible += u64::from(most > Self::VISIBLE);
        }
        Self { largest, mean: sum as f64 / (pixels * 3.0), visible_ppm: visible as f64 * 1e6 / pixels }
    }

    pub(crate) fn worse(self, other: Self) -> Self {
        Self {
            largest: self.largest.max(other.largest),
            mean: self.mean.max(other.mean),
            visible_ppm: self.visible_ppm.max(other.visible_ppm),
        }
    }

    /// Whether the differences are small enough to be caused by rounding.
    pub(crate) fn is_close(&self) -> bool {
        self.mean <= Self::MOST_MEAN && self.visible_ppm <= Self::MOST_VISIBLE_PPM
    }

    pub(crate) fn words(&self) -> String {
        if self.largest == 0 {
            return "the same to the last bit".to_owned();
        }
        format!("different by at most {} of 255, by {:.4} in the mean", self.largest, self.mean)
    }
}

/// Writes a picture as RGB, because its alpha is meaningless after blending.
pub(crate) fn write_png(path: &Path, size: Size, picture: &Picture) -> Result<(), DemoError> {
    let rgb: Vec<u8> = picture.pixels().iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    image::save_buffer(path, &rgb, size.width, size.height, image::ColorType::Rgb8)
        .map_err(|error| DemoError::write(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, pixels: &[u8]) -> Picture {
        Picture { name: name.to_owned(), pixels: pixels.to_vec() }
    }

    #[test]
    fn one_bit_is_a_difference_and_is_named() {
        let same = [picture("a", &[1; 8]), picture("b", &[1; 8])];
        assert!(differences(&same).is_empty());
        let mut pixels = [1; 8];
        pixels[5] = 0;
        let other = [picture("a", &[1; 8]), picture("b", &pixels)];
        assert_eq!(differences(&other), ["b differs from a in 1 of 2 pixels"]);
    }

    #[test]
    fn rounding_is_close_and_a_missing_object_is_not() {
        let expected = picture("a", &[100; 40_000]);
        let same = Likeness::of(&expected, &picture("b", &[100; 40_000]));
        assert_eq!(same, Likeness::default());
        assert_eq!(same.words(), "the same to the last bit");
        // In ten thousand pixels, every sixth byte differs by one, and one channel differs visibly.
        let mut rounded = vec![100; 40_000];
        rounded.iter_mut().step_by(6).for_each(|byte| *byte = 101);
        rounded[400] = 180;
        let rounded = Likeness::of(&expected, &picture("b", &rounded));
        assert!(rounded.is_close() && rounded.largest == 80, "{rounded:?}");
        assert!(rounded.mean > 0.1 && rounded.words().contains("at most 80 of 255"), "{rounded:?}");
        let mut object = vec![100; 40_000];
        object[400..440].fill(60);
        assert!(!Likeness::of(&expected, &picture("b", &object)).is_close());
        assert!(!Likeness::of(&expected, &picture("b", &[99; 40_000])).is_close());
        let mut alpha = vec![100; 40_000];
        alpha.iter_mut().skip(3).step_by(4).for_each(|byte| *byte = 0);
        assert_eq!(Likeness::of(&expected, &picture("b", &alpha)).largest, 0);
    }
}
