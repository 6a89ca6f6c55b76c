//! Comparison of pictures that must look the same.

use image::RgbImage;

/// Maximum difference per channel, in 8-bit steps, between pixels that are considered equal.
const MOST_OFF: u8 = 2;

/// At most one in this many pixels may differ by more than [`MOST_OFF`], because edges and filters are
/// rounded differently.
const PIXELS_PER_OTHER: usize = 200;

/// Returns a description of the difference between two pictures, or `None` if they look the same.
pub(super) fn difference(expected: &RgbImage, actual: &RgbImage) -> Option<String> {
    if expected.dimensions() != actual.dimensions() {
        return Some(format!("it has {:?} pixels, not {:?}", actual.dimensions(), expected.dimensions()));
    }
    let is_other =
        |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > MOST_OFF);
    let others = expected.pixels().zip(actual.pixels()).filter(is_other).count();
    let all = expected.pixels().len();
    (others * PIXELS_PER_OTHER > all).then(|| format!("{others} of {all} pixels differ"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pixel_in_two_hundred_may_differ() {
        let black = RgbImage::new(20, 20);
        let with = |pixels: u32, channel: u8| {
            let mut picture = black.clone();
            (0..pixels).for_each(|x| picture.put_pixel(x, 3, image::Rgb([0, channel, 0])));
            picture
        };
        assert_eq!(difference(&black, &with(20, 2)), None);
        assert_eq!(difference(&black, &with(2, 255)), None);
        assert_eq!(difference(&black, &with(3, 3)).unwrap(), "3 of 400 pixels differ");
        assert!(difference(&black, &RgbImage::new(20, 21)).unwrap().contains("(20, 21)"));
    }
}
