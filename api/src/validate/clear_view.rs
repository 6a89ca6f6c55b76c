//! `ClearView`: conversion of the colour, and clipping of the rectangles.

use onze_ddi::{Box3d, ComponentKind, Format, Rect, ViewDesc};

use super::clear_bits;

/// Limits a clear colour to the format's values where Direct3D 11 requires it: NaN becomes 0 except in float
/// formats, numbers for integer formats lose their fraction, and depth is clamped to the range from 0 to 1.
pub(crate) fn clear_view_color(format: Format, color: [f32; 4]) -> Result<[f32; 4], String> {
    let or_zero = |value: f32| if value.is_nan() { 0.0 } else { value };
    match format.component_kind() {
        ComponentKind::Depth if format.has_stencil() => Err(format!(
            "{format:?} has stencil, which a colour cannot clear; use `clear_depth_stencil_view`"
        )),
        ComponentKind::Depth => Ok(color.map(|value| or_zero(value).clamp(0.0, 1.0))),
        ComponentKind::Float => Ok(color),
        ComponentKind::Unorm | ComponentKind::Snorm => Ok(color.map(or_zero)),
        ComponentKind::Uint | ComponentKind::Sint => Ok(color.map(|value| or_zero(value).trunc())),
        ComponentKind::Unknown | ComponentKind::Typeless => {
            Err(format!("{format:?} has no components that a colour could be converted to"))
        }
    }
}

/// The bits of each component of an unordered-access view after a clear to a colour.
pub(crate) fn clear_view_words(view: &ViewDesc, color: [f32; 4]) -> [u32; 4] {
    let format = match view {
        ViewDesc::Texture(view) => view.format,
        ViewDesc::Buffer(view) => view.format,
    };
    let signed = match format.component_kind() {
        ComponentKind::Uint => false,
        ComponentKind::Sint => true,
        _ => return clear_bits(view, color).unwrap_or_default(),
    };
    let mut words = [0; 4];
    for ((word, value), bits) in words.iter_mut().zip(color).zip(format.component_bits()) {
        *word = whole_bits(value, bits, signed);
    }
    words
}

/// Truncates a number to an integer, clamps it to the range of `bits` bits, and returns it in the low bits.
fn whole_bits(value: f32, bits: u8, signed: bool) -> u32 {
    if bits == 0 {
        return 0;
    }
    let value = f64::from(value).trunc();
    if signed {
        let most = (1_i64 << (bits - 1)) - 1;
        let number = value.clamp(-(most as f64) - 1.0, most as f64) as i64;
        number as u32 & (u32::MAX >> (32 - u32::from(bits)))
    } else {
        value.clamp(0.0, ((1_u64 << bits) - 1) as f64) as u32
    }
}

/// The non-empty intersections of the rectangles with a surface, or `None` for the complete surface.
pub(crate) fn clear_boxes(rects: &[Rect], (width, height): (u32, u32)) -> Option<Vec<Box3d>> {
    if rects.is_empty() {
        return None;
    }
    let cut = |at: i32, most: u32| u32::try_from(at).unwrap_or(0).min(most);
    let boxes = rects.iter().map(|r| {
        Box3d::rect(cut(r.left, width), cut(r.top, height), cut(r.right, width), cut(r.bottom, height))
    });
    let boxes: Vec<_> = boxes.filter(|b| !b.is_empty()).collect();
    let all = Box3d::rect(0, 0, width, height);
    (!boxes.contains(&all)).then_some(boxes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
        Rect { left, top, right, bottom }
    }

    #[test]
    fn rectangles_are_clipped_to_the_surface() {
        let size = (8, 4);
        assert_eq!(clear_boxes(&[], size), None);
        for (given, expected) in [
            (rect(0, 0, 8, 4), None),
            (rect(-5, -5, 100, i32::MAX), None),
            (rect(1, 1, 3, 2), Some(vec![Box3d::rect(1, 1, 3, 2)])),
            (rect(i32::MIN, 3, 1, 9), Some(vec![Box3d::rect(0, 3, 1, 4)])),
            (rect(7, 0, 20, 4), Some(vec![Box3d::rect(7, 0, 8, 4)])),
            // Rectangles that are empty, reversed or outside the surface clear nothing.
            (rect(3, 1, 3, 2), Some(vec![])),
            (rect(3, 2, 1, 1), Some(vec![])),
            (rect(8, 0, 9, 4), Some(vec![])),
            (rect(-3, -3, 0, 0), Some(vec![])),
        ] {
            assert_eq!(clear_boxes(&[given], size), expected, "{given:?}");
        }
        let two = [rect(0, 0, 1, 1), rect(0, 0, 8, 4)];
        assert_eq!(clear_boxes(&two, size), None, "one rectangle covers the surface");
    }

    #[test]
    fn colours_are_clamped_to_the_integer_range() {
        for (value, bits, signed, expected) in [
            (1.9, 8, false, 1),
            (-3.0, 8, false, 0),
            (300.0, 8, false, 255),
            (f32::INFINITY, 32, false, u32::MAX),
            (5e9, 32, false, u32::MAX),
            (-1.9, 8, true, 0xff),
            (-200.0, 8, true, 0x80),
            (200.0, 8, true, 0x7f),
            (f32::NEG_INFINITY, 32, true, 0x8000_0000),
            (f32::INFINITY, 32, true, 0x7fff_ffff),
            (5.0, 0, false, 0),
        ] {
            assert_eq!(whole_bits(value, bits, signed), expected, "{value} of {bits} bits, {signed}");
        }
        let nan = [f32::NAN, f32::NEG_INFINITY, 1.5, -2.5];
        assert_eq!(clear_view_color(Format::R8G8B8A8_UINT, nan), Ok([0.0, f32::NEG_INFINITY, 1.0, -2.0]));
        assert_eq!(clear_view_color(Format::R8G8B8A8_UNORM, nan), Ok([0.0, f32::NEG_INFINITY, 1.5, -2.5]));
        assert_eq!(clear_view_color(Format::D32_FLOAT, nan), Ok([0.0, 0.0, 1.0, 0.0]));
        assert!(clear_view_color(Format::R32_FLOAT, nan).is_ok_and(|color| color[0].is_nan()));
        assert!(clear_view_color(Format::D24_UNORM_S8_UINT, nan).is_err());
        assert!(clear_view_color(Format::R8_TYPELESS, nan).is_err());
    }
}
