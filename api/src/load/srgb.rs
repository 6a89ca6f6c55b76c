//! Formats with the sRGB transfer function, and the corresponding linear formats.

use onze_ddi::Format;

/// Each format with an sRGB variant, and that variant.
const TWINS: [(Format, Format); 7] = [
    (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB),
    (Format::B8G8R8A8_UNORM, Format::B8G8R8A8_UNORM_SRGB),
    (Format::B8G8R8X8_UNORM, Format::B8G8R8X8_UNORM_SRGB),
    (Format::BC1_UNORM, Format::BC1_UNORM_SRGB),
    (Format::BC2_UNORM, Format::BC2_UNORM_SRGB),
    (Format::BC3_UNORM, Format::BC3_UNORM_SRGB),
    (Format::BC7_UNORM, Format::BC7_UNORM_SRGB),
];

/// Returns the variant of a format with or without the sRGB transfer function, or the format itself if it has
/// only one variant.
pub(super) fn with(format: Format, srgb: bool) -> Format {
    let twin = TWINS.iter().find(|(linear, twin)| [*linear, *twin].contains(&format));
    twin.map_or(format, |(linear, twin)| if srgb { *twin } else { *linear })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_format_has_a_linear_twin_of_its_family() {
        for format in Format::ALL.iter().copied() {
            let (linear, srgb) = (with(format, false), with(format, true));
            assert!(!linear.is_srgb(), "{format:?}");
            assert_eq!(linear.family(), format.family());
            assert_eq!(srgb.family(), format.family());
            assert!(!format.is_srgb() || srgb == format, "{format:?}");
            assert!(srgb.is_srgb() || srgb == format, "{format:?}");
        }
    }
}
