//! Copy compatibility of formats.

use super::Format;

/// Whether a copy may write texels of one format unchanged to a resource of the other format.
///
/// Formats of the same family are compatible. The following pairs are also compatible:
/// * `R9G9B9E5_SHAREDEXP` with the colour formats of the family of `R32_TYPELESS`.
/// * BC1 or BC4 with the families of `R16G16B16A16_TYPELESS` and `R32G32_TYPELESS`, because a block has the
///   size of a 64-bit texel.
/// * BC2, BC3, BC5, BC6H or BC7 with the family of `R32G32B32A32_TYPELESS`, because a block has the size of a
///   128-bit texel.
///
/// All other pairs are incompatible, even if their texels have the same size. The rules for compressed
/// formats come from Direct3D 10.1 ("Format Conversion using Direct3D 10.1").
pub const fn copy_compatible(a: Format, b: Format) -> bool {
    const fn is_plain_r32(format: Format) -> bool {
        matches!(format.family(), Format::R32_TYPELESS) && !format.is_depth_stencil()
    }
    a.family() as u32 == b.family() as u32
        || (matches!(a, Format::R9G9B9E5_SHAREDEXP) && is_plain_r32(b))
        || (matches!(b, Format::R9G9B9E5_SHAREDEXP) && is_plain_r32(a))
        || is_texel_of_block(a, b)
        || is_texel_of_block(b, a)
}

/// Whether blocks of a compressed format may be copied as texels of an uncompressed format.
const fn is_texel_of_block(plain: Format, block: Format) -> bool {
    let is_plain = matches!(
        plain.family(),
        Format::R16G16B16A16_TYPELESS | Format::R32G32_TYPELESS | Format::R32G32B32A32_TYPELESS
    );
    is_plain && block.is_block_compressed() && plain.bytes_per_block() == block.bytes_per_block()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_work_within_a_family_and_between_equal_words() {
        use Format as F;
        for (a, b, expected) in [
            (F::R8G8B8A8_UNORM, F::R8G8B8A8_TYPELESS, true),
            (F::R8G8B8A8_UNORM_SRGB, F::R8G8B8A8_SINT, true),
            (F::R16G16_UNORM, F::R16G16_FLOAT, true),
            (F::R32G32_UINT, F::R32G32_FLOAT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_TYPELESS, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_FLOAT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_UINT, true),
            (F::R9G9B9E5_SHAREDEXP, F::R32_SINT, true),
            (F::D16_UNORM, F::R16_UNORM, true),
            (F::D32_FLOAT, F::R32_FLOAT, true),
            (F::BC1_UNORM, F::R16G16B16A16_UINT, true),
            (F::BC1_TYPELESS, F::R32G32_FLOAT, true),
            (F::BC4_SNORM, F::R32G32_TYPELESS, true),
            (F::BC2_UNORM, F::R32G32B32A32_UINT, true),
            (F::BC7_UNORM_SRGB, F::R32G32B32A32_SINT, true),
            (F::BC1_UNORM, F::BC4_UNORM, false),
            (F::BC1_UNORM, F::R32G32B32A32_UINT, false),
            (F::BC3_UNORM, F::R32G32_UINT, false),
            (F::BC1_UNORM, F::R32G8X24_TYPELESS, false),
            (F::R16G16B16A16_UINT, F::R32G32_UINT, false),
            (F::R9G9B9E5_SHAREDEXP, F::D32_FLOAT, false),
            (F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM, false),
            (F::R8G8B8A8_UINT, F::R16G16_UINT, false),
            (F::R16G16_TYPELESS, F::R32_TYPELESS, false),
            (F::R9G9B9E5_SHAREDEXP, F::R8G8B8A8_UNORM, false),
            (F::R9G9B9E5_SHAREDEXP, F::B8G8R8A8_UNORM, false),
            (F::R9G9B9E5_SHAREDEXP, F::R16G16_UINT, false),
        ] {
            assert_eq!(copy_compatible(a, b), expected, "{a:?} and {b:?}");
            assert_eq!(copy_compatible(b, a), expected, "{b:?} and {a:?}");
        }
    }
}
