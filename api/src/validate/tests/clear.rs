//! Tests of clears with floats: conversions, and formats that are rejected.

use onze_ddi::{
    BufferViewDesc, ComponentKind, DsvFlags, Format, SubresourceRange, TextureViewDesc, ViewDesc,
    ViewDimension,
};

use crate::validate::clear_bits;

fn texture_view(format: Format) -> ViewDesc {
    let range = SubresourceRange::FIRST;
    let dimension = ViewDimension::Texture2d;
    ViewDesc::Texture(TextureViewDesc { format, dimension, range, flags: DsvFlags::empty() })
}

#[test]
fn floats_become_the_bits_of_the_format() {
    use Format as F;
    for (format, values, expected) in [
        (F::R32G32B32A32_FLOAT, [1.0, -2.0, 0.0, 0.5], [0x3f80_0000, 0xc000_0000, 0, 0x3f00_0000]),
        (F::R32_FLOAT, [1.0; 4], [0x3f80_0000, 0, 0, 0]),
        (F::R16G16B16A16_FLOAT, [1.0, -2.0, 65504.0, 1e6], [0x3c00, 0xc000, 0x7bff, 0x7bff]),
        // The smallest denormal number, a slightly smaller number, a negative number of slightly less than
        // twice its magnitude, and the smallest normal number.
        (F::R16G16B16A16_FLOAT, [5.960_464_5e-8, 5.9e-8, -1.19e-7, 6.103_515_6e-5], [1, 0, 0x8001, 0x0400]),
        // A number just below the smallest normal number, and numbers of both signs below the smallest
        // denormal number.
        (F::R16G16B16A16_FLOAT, [6.103e-5, 1e-40, -1e-40, -0.0], [0x03ff, 0, 0x8000, 0x8000]),
        // Rounding is towards zero even if the next larger number is closer, so only infinity becomes
        // infinity.
        (
            F::R16G16B16A16_FLOAT,
            [1.000_976_4, -1.001_952_9, 65520.0, -1e30],
            [0x3c00, 0xbc01, 0x7bff, 0xfbff],
        ),
        (F::R16G16_FLOAT, [f32::NEG_INFINITY, f32::NAN, 0.0, 0.0], [0xfc00, 0x7e00, 0, 0]),
        (F::R16_FLOAT, [f32::INFINITY, 0.0, 0.0, 0.0], [0x7c00, 0, 0, 0]),
        (F::R11G11B10_FLOAT, [1.0, 0.5, 2.0, 9.0], [0x3c0, 0x380, 0x200, 0]),
        (F::R11G11B10_FLOAT, [-1.0, 1e9, 1e9, 0.0], [0, 0x7bf, 0x3df, 0]),
        // Rounding is towards zero, and NaN remains NaN.
        (F::R11G11B10_FLOAT, [1.015, f32::NAN, f32::INFINITY, 0.0], [0x3c0, 0x7e0, 0x3e0, 0]),
        (F::R11G11B10_FLOAT, [f32::NEG_INFINITY, -f32::NAN, f32::NEG_INFINITY, 0.0], [0, 0x7e0, 0, 0]),
        (F::R8G8B8A8_UNORM, [0.0, 1.0, 0.5, 2.0], [0, 255, 128, 255]),
        (F::R8G8B8A8_UNORM, [-1.0, f32::NAN, f32::INFINITY, 0.25], [0, 0, 255, 64]),
        (F::R10G10B10A2_UNORM, [1.0, 0.5, 0.0, 1.0], [1023, 512, 0, 3]),
        (F::R16_UNORM, [1.0, 1.0, 1.0, 1.0], [65535, 0, 0, 0]),
        (F::R8G8B8A8_SNORM, [1.0, -1.0, -2.0, 0.5], [127, 0x81, 0x81, 64]),
        (F::R16G16_SNORM, [-0.5, f32::NAN, 1.0, 1.0], [0xc000, 0, 0, 0]),
    ] {
        assert_eq!(clear_bits(&texture_view(format), values), Ok(expected), "{format:?} {values:?}");
    }
}

#[test]
fn a_clear_with_floats_needs_a_format_for_them() {
    for format in Format::ALL.iter().copied() {
        let takes = matches!(
            format.component_kind(),
            ComponentKind::Float | ComponentKind::Unorm | ComponentKind::Snorm
        ) && format != Format::R9G9B9E5_SHAREDEXP;
        assert_eq!(clear_bits(&texture_view(format), [0.5; 4]).is_ok(), takes, "{format:?}");
    }
    for (raw, counter, words) in
        [(false, false, "structured"), (false, true, "structured"), (true, false, "raw")]
    {
        let view = ViewDesc::Buffer(BufferViewDesc {
            format: Format::UNKNOWN,
            stride: 4,
            first_element: 0,
            elements: 1,
            raw,
            counter,
            append: false,
        });
        let refused = clear_bits(&view, [0.5; 4]).expect_err("no format");
        assert!(refused.contains(words) && refused.contains("clear_unordered_access_view_uint"), "{refused}");
    }
}
