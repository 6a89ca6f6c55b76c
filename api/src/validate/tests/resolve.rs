//! Tests of resolves, against the table in the documentation of `ResolveSubresource`.

use onze_ddi::{BindFlags, CpuAccessFlags, Format, FormatSupport, Texture2dDesc, TextureDesc, Usage};

use crate::validate::resolve_subresource;

const FORMATS: [Format; 8] = [
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::R8G8B8A8_UINT,
    Format::R8G8B8A8_TYPELESS,
    Format::R32_FLOAT,
    Format::R32_TYPELESS,
    Format::D32_FLOAT,
    Format::UNKNOWN,
];

fn support(format: Format) -> FormatSupport {
    let resolves = matches!(format, Format::R8G8B8A8_UNORM | Format::R8G8B8A8_UNORM_SRGB | Format::R32_FLOAT);
    if resolves {
        FormatSupport::MULTISAMPLE_RESOLVE
    } else {
        FormatSupport::all().difference(FormatSupport::MULTISAMPLE_RESOLVE)
    }
}

fn texture(format: Format, sample_count: u32) -> TextureDesc {
    Texture2dDesc { sample_count, ..Texture2dDesc::render_target(format, 8, 4) }.into()
}

/// If both textures are typed, their formats and the resolve's format must be equal. If one texture is
/// typeless, the resolve's format is the format of the other texture. If both are typeless, it is a member of
/// their family.
#[test]
fn the_format_is_that_of_both_textures() {
    for to in FORMATS {
        for from in FORMATS {
            for format in FORMATS {
                let fits = |texture: Format| {
                    if texture.is_typeless() { format.family() == texture } else { format == texture }
                };
                let expected = fits(to)
                    && fits(from)
                    && !format.is_typeless()
                    && support(format).contains(FormatSupport::MULTISAMPLE_RESOLVE);
                let found = resolve_subresource(&texture(to, 1), 0, &texture(from, 4), 0, format, support);
                assert_eq!(found.is_ok(), expected, "{from:?} to {to:?} as {format:?}: {found:?}");
            }
        }
    }
}

#[test]
fn samples_usage_and_size_fit() {
    let format = Format::R32_FLOAT;
    for (to_samples, from_samples) in [(1, 1), (1, 2), (1, 16), (2, 4), (4, 1)] {
        for usage in [Usage::Default, Usage::Dynamic, Usage::Staging, Usage::Immutable] {
            // The mip levels are 32 x 16 to 1 x 1, and the third level has the size of the source.
            for subresource in 0..14 {
                let to = TextureDesc {
                    usage,
                    bind_flags: BindFlags::SHADER_RESOURCE,
                    cpu_access_flags: CpuAccessFlags::empty(),
                    mip_levels: 6,
                    array_size: 2,
                    width: 32,
                    height: 16,
                    ..texture(format, to_samples)
                };
                for from_subresource in [0, 2, 3] {
                    let from = TextureDesc { array_size: 3, ..texture(format, from_samples) };
                    let expected = to_samples == 1
                        && from_samples > 1
                        && usage == Usage::Default
                        && matches!(subresource, 2 | 8)
                        && from_subresource < 3;
                    let found =
                        resolve_subresource(&to, subresource, &from, from_subresource, format, support);
                    let what =
                        format!("{to_samples} {from_samples} {usage:?} {subresource} {from_subresource}");
                    assert_eq!(found.is_ok(), expected, "{what}: {found:?}");
                }
            }
        }
    }
}
