//! Formats: the names and numbers of `DXGI_FORMAT`, and the properties of each format.
//!
//! All properties are computed from a table with a row for each format. The table does not contain video
//! formats, because this library does not support them, or `R1_UNORM`, because Direct3D 11 does not support
//! it. The supported *uses* of a format depend on the device, so the driver reports them.
//!
//! ```
//! use onze_ddi::{ComponentKind, Format, copy_compatible};
//!
//! let format = Format::BC1_UNORM_SRGB;
//! assert_eq!((format.block_size(), format.bytes_per_block()), ((4, 4), 8));
//! assert_eq!(format.row_pitch(6), 16, "two blocks");
//! assert_eq!(format.family(), Format::BC1_TYPELESS);
//! assert_eq!(Format::R32_UINT.component_kind(), ComponentKind::Uint);
//! assert!(copy_compatible(Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UINT));
//! assert_eq!(Format::from_u32(28), Some(Format::R8G8B8A8_UNORM));
//! ```

mod copy;
mod table;

pub use copy::copy_compatible;
pub use table::{ComponentKind, Format};
use table::{DEPTH, SRGB, STENCIL};

impl Format {
    /// Bytes per block, or 0 for [`UNKNOWN`](Self::UNKNOWN). A block is 4x4 texels in a block-compressed
    /// format, two texels in the packed formats `R8G8_B8G8` and `G8R8_G8B8`, and one texel in all other
    /// formats.
    pub const fn bytes_per_block(self) -> u32 {
        self.row().bytes as u32
    }

    /// Width and height of a block in texels: (4, 4) for block-compressed formats, (2, 1) for packed formats,
    /// and (1, 1) for all other formats.
    pub const fn block_size(self) -> (u32, u32) {
        let (width, height) = self.row().block;
        (width as u32, height as u32)
    }

    /// Size in bytes of a tightly packed row of blocks that covers `width` texels, or `u32::MAX` on overflow.
    pub const fn row_pitch(self, width: u32) -> u32 {
        self.blocks(width).saturating_mul(self.bytes_per_block())
    }

    /// Number of blocks in a row that covers `width` texels.
    pub const fn blocks(self, width: u32) -> u32 {
        width.div_ceil(self.block_size().0)
    }

    /// Number of rows of blocks that cover `height` rows of texels.
    pub const fn rows(self, height: u32) -> u32 {
        height.div_ceil(self.block_size().1)
    }

    /// Converts a size in texels of `other` to a size in texels of this format that has the same number of
    /// blocks. A copy between the two formats covers these two sizes, and partial blocks at the edges are
    /// counted as whole blocks.
    pub const fn texels_of_blocks(self, other: Format, texels: (u32, u32)) -> (u32, u32) {
        let ((from_width, from_height), (width, height)) = (other.block_size(), self.block_size());
        (
            texels.0.div_ceil(from_width).saturating_mul(width),
            texels.1.div_ceil(from_height).saturating_mul(height),
        )
    }

    /// Whether this is a typeless parent. `R24_UNORM_X8_TYPELESS` and similar formats are not typeless
    /// parents, because only their unused bits are typeless.
    pub const fn is_typeless(self) -> bool {
        matches!(self.row().kind, ComponentKind::Typeless)
    }

    /// Whether this is one of the four formats of depth-stencil views: `D32_FLOAT_S8X24_UINT`, `D32_FLOAT`,
    /// `D24_UNORM_S8_UINT` or `D16_UNORM`.
    pub const fn is_depth_stencil(self) -> bool {
        matches!(self.row().kind, ComponentKind::Depth)
    }

    /// Whether this format has a depth plane with any bind flags, or is a view format that reads a depth
    /// plane.
    ///
    /// True for the depth-stencil formats and for the families of `R32G8X24_TYPELESS` and `R24G8_TYPELESS`,
    /// except their stencil views. False for `R32_TYPELESS` and `R16_TYPELESS`, which contain depth or colour
    /// depending on the resource's bind flags; see [`depth_stencil_format`](Self::depth_stencil_format).
    pub const fn has_depth(self) -> bool {
        self.row().flags & DEPTH != 0
    }

    /// Whether this format has a stencil plane, or is a view format that reads a stencil plane.
    pub const fn has_stencil(self) -> bool {
        self.row().flags & STENCIL != 0
    }

    /// Returns the format of depth-stencil views of a resource with this format, or `None` if there is none.
    ///
    /// For a depth-stencil format, this is the format itself. The typeless parents `R32G8X24`, `R32`, `R24G8`
    /// and `R16` have one such format each, while all other formats have none.
    pub const fn depth_stencil_format(self) -> Option<Format> {
        match self {
            Self::R32G8X24_TYPELESS => Some(Self::D32_FLOAT_S8X24_UINT),
            Self::R32_TYPELESS => Some(Self::D32_FLOAT),
            Self::R24G8_TYPELESS => Some(Self::D24_UNORM_S8_UINT),
            Self::R16_TYPELESS => Some(Self::D16_UNORM),
            _ if self.is_depth_stencil() => Some(self),
            _ => None,
        }
    }

    /// Whether the colour components are stored with the sRGB transfer function.
    pub const fn is_srgb(self) -> bool {
        self.row().flags & SRGB != 0
    }

    /// Whether this is one of the block-compressed formats BC1 to BC7.
    pub const fn is_block_compressed(self) -> bool {
        self.row().block.1 == 4
    }

    /// Whether a shader reads integers from this format, which is true for all formats whose names end in
    /// `UINT` or `SINT`.
    pub const fn is_integer(self) -> bool {
        matches!(self.row().kind, ComponentKind::Uint | ComponentKind::Sint)
    }

    /// How the components of this format are interpreted.
    pub const fn component_kind(self) -> ComponentKind {
        self.row().kind
    }

    /// Number of bits of red, green, blue and alpha; 0 for components that the format lacks.
    ///
    /// For a depth-stencil format, the first two numbers are the bits of depth and stencil, and for a
    /// block-compressed format, the numbers are the bits of the decoded components. The shared exponent of
    /// `R9G9B9E5_SHAREDEXP` is not included.
    pub const fn component_bits(self) -> [u8; 4] {
        self.row().bits
    }

    /// The number of components, 1 to 4, or 0 for [`UNKNOWN`](Self::UNKNOWN).
    pub const fn component_count(self) -> u32 {
        self.components_present().count_ones()
    }

    /// The colour components that a render target of this format stores, as bits of a colour write mask (1
    /// red, 2 green, 4 blue, 8 alpha), or 0 for a depth-stencil format.
    pub const fn color_write_components(self) -> u8 {
        if self.is_depth_stencil() { 0 } else { self.components_present() }
    }

    const fn components_present(self) -> u8 {
        let bits = self.row().bits;
        (bits[0] != 0) as u8
            | ((bits[1] != 0) as u8) << 1
            | ((bits[2] != 0) as u8) << 2
            | ((bits[3] != 0) as u8) << 3
    }

    /// Whether typed buffer views may have this format if the driver supports typed views (D3D11:
    /// `D3D11_FORMAT_SUPPORT_BUFFER`). True for colour formats of 1 to 16 bytes per texel, except sRGB and
    /// block formats, 16-bit packed formats, `A8_UNORM`, `R9G9B9E5_SHAREDEXP` and
    /// `R10G10B10_XR_BIAS_A2_UNORM` (`D3D11_3_Formats_FL11_0.xls` of the functional specification).
    #[doc(alias = "D3D11_FORMAT_SUPPORT_BUFFER")]
    pub const fn is_buffer_element(self) -> bool {
        let row = self.row();
        let is_plain = row.block.0 == 1 && row.block.1 == 1 && row.flags == 0;
        let has_numbers =
            !matches!(row.kind, ComponentKind::Unknown | ComponentKind::Typeless | ComponentKind::Depth);
        let is_packed = matches!(
            self,
            Self::A8_UNORM
                | Self::R9G9B9E5_SHAREDEXP
                | Self::R10G10B10_XR_BIAS_A2_UNORM
                | Self::B5G6R5_UNORM
                | Self::B5G5R5A1_UNORM
                | Self::B4G4R4A4_UNORM
        );
        is_plain && has_numbers && !is_packed
    }

    /// Whether typed unordered-access views of buffers may have this format, if a driver supports such views
    /// (D3D11: `D3D11_FORMAT_SUPPORT_TYPED_UNORDERED_ACCESS_VIEW`). True for the formats of
    /// [`Format::is_buffer_element`], except formats with 12 bytes per element and formats that begin with
    /// blue.
    #[doc(alias = "D3D11_FORMAT_SUPPORT_TYPED_UNORDERED_ACCESS_VIEW")]
    pub const fn is_written_buffer_element(self) -> bool {
        let begins_with_blue = matches!(self, Self::B8G8R8A8_UNORM | Self::B8G8R8X8_UNORM);
        self.is_buffer_element() && !begins_with_blue && self.bytes_per_block() != 12
    }

    /// Whether vertex elements may have this format, if a driver supports it (D3D11:
    /// `D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER`). True for the formats of [`Format::is_buffer_element`], and
    /// for `A8_UNORM`, `B5G6R5_UNORM` and `B5G5R5A1_UNORM`.
    #[doc(alias = "D3D11_FORMAT_SUPPORT_IA_VERTEX_BUFFER")]
    pub const fn is_vertex_element(self) -> bool {
        self.is_buffer_element() || matches!(self, Self::A8_UNORM | Self::B5G6R5_UNORM | Self::B5G5R5A1_UNORM)
    }

    /// Whether stream output writes components of this format, if a driver supports stream output (D3D11:
    /// `D3D11_FORMAT_SUPPORT_SO_BUFFER`). True for the formats with one to four floats or integers of 32 bits.
    #[doc(alias = "D3D11_FORMAT_SUPPORT_SO_BUFFER")]
    pub const fn is_stream_element(self) -> bool {
        let is_written =
            matches!(self.component_kind(), ComponentKind::Float | ComponentKind::Uint | ComponentKind::Sint);
        is_written
            && self.is_buffer_element()
            && self.bytes_per_block() == 4 * self.component_count()
            && self.component_bits()[0] == 32
    }

    /// The alignment in bytes of a vertex element of this format: its size rounded up to a power of two, at
    /// most 4 (functional specification 4.4.6), or 1 for [`UNKNOWN`](Self::UNKNOWN). An appended element
    /// (`D3D11_APPEND_ALIGNED_ELEMENT`) starts at a multiple of this alignment.
    pub const fn element_alignment(self) -> u32 {
        match self.bytes_per_block() {
            0 | 1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    /// The typeless parent of the format's family, or the format itself if the family has none.
    ///
    /// A resource with a typeless format may have views with any typed format of its family, and resources
    /// with formats of the same family can be copied to each other.
    pub const fn family(self) -> Format {
        self.row().family
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_dxgi() {
        for (format, number) in [
            (Format::UNKNOWN, 0),
            (Format::R32G32B32A32_FLOAT, 2),
            (Format::R16G16B16A16_SINT, 14),
            (Format::D32_FLOAT_S8X24_UINT, 20),
            (Format::R8G8B8A8_UNORM, 28),
            (Format::D32_FLOAT, 40),
            (Format::D24_UNORM_S8_UINT, 45),
            (Format::D16_UNORM, 55),
            (Format::R8_UNORM, 61),
            (Format::R9G9B9E5_SHAREDEXP, 67),
            (Format::BC1_UNORM, 71),
            (Format::B8G8R8A8_UNORM, 87),
            (Format::BC7_UNORM_SRGB, 99),
            (Format::B4G4R4A4_UNORM, 115),
        ] {
            assert_eq!(format as u32, number, "{format:?}");
            assert_eq!(Format::from_u32(number), Some(format));
        }
    }

    #[test]
    fn the_table_has_the_numbers_0_to_99_and_115_without_66() {
        for number in (0..200).chain([u32::MAX]) {
            let expected = (number <= 99 && number != 66) || number == 115;
            let found = Format::from_u32(number);
            assert_eq!(found.is_some(), expected, "{number}");
            assert!(found.is_none_or(|format| format as u32 == number));
        }
        assert_eq!(Format::ALL.len(), 99);
    }

    #[test]
    fn a_family_has_one_parent_and_one_block_size() {
        for &format in Format::ALL {
            let family = format.family();
            assert_eq!(family.family(), family, "{format:?}");
            assert_eq!(family.block_size(), format.block_size(), "{format:?}");
            assert_eq!(family.bytes_per_block(), format.bytes_per_block(), "{format:?}");
            assert!(family == format || family.is_typeless(), "{format:?}");
            assert!(!format.is_typeless() || family == format, "{format:?}");
        }
    }

    #[test]
    fn names_of_a_family_share_a_prefix() {
        // Detects a wrong parent in the table, except in the depth families, which are checked separately
        // because their names differ.
        for &format in Format::ALL {
            let (family, name) = (format!("{:?}", format.family()), format!("{format:?}"));
            let Some(stem) = family.strip_suffix("_TYPELESS") else {
                assert_eq!(family, name);
                continue;
            };
            let odd =
                format.has_depth() || format.has_stencil() || format == Format::R10G10B10_XR_BIAS_A2_UNORM;
            assert!(odd || name.starts_with(stem), "{name} in {family}");
        }
        assert_eq!(Format::D24_UNORM_S8_UINT.family(), Format::R24G8_TYPELESS);
        assert_eq!(Format::X24_TYPELESS_G8_UINT.family(), Format::R24G8_TYPELESS);
        assert_eq!(Format::D32_FLOAT_S8X24_UINT.family(), Format::R32G8X24_TYPELESS);
        assert_eq!(Format::R32_FLOAT_X8X24_TYPELESS.family(), Format::R32G8X24_TYPELESS);
        assert_eq!(Format::D32_FLOAT.family(), Format::R32_TYPELESS);
        assert_eq!(Format::D16_UNORM.family(), Format::R16_TYPELESS);
    }

    #[test]
    fn kind_and_srgb_match_the_names_of_formats() {
        for &format in Format::ALL {
            let name = format!("{format:?}");
            let kind = format.component_kind();
            let expected = match name.rsplit('_').next() {
                Some(_) if name.starts_with('D') => ComponentKind::Depth,
                Some(_) if name.starts_with("R32_FLOAT_X8") => ComponentKind::Float,
                Some(_) if name.starts_with("R24_UNORM_X8") => ComponentKind::Unorm,
                Some("TYPELESS") => ComponentKind::Typeless,
                Some("FLOAT" | "SHAREDEXP" | "UF16" | "SF16") => ComponentKind::Float,
                Some("UNORM" | "SRGB") => ComponentKind::Unorm,
                Some("SNORM") => ComponentKind::Snorm,
                Some("UINT") => ComponentKind::Uint,
                Some("SINT") => ComponentKind::Sint,
                _ => ComponentKind::Unknown,
            };
            assert_eq!(kind, expected, "{name}");
            assert_eq!(format.is_srgb(), name.ends_with("_SRGB"), "{name}");
            assert_eq!(format.is_block_compressed(), name.starts_with("BC"), "{name}");
            assert_eq!(format.is_integer(), matches!(kind, ComponentKind::Uint | ComponentKind::Sint));
        }
    }

    #[test]
    fn bits_fill_the_block_of_plain_formats() {
        for &format in Format::ALL {
            if format.block_size() != (1, 1) {
                continue;
            }
            let bits: u32 = format.component_bits().iter().map(|&b| u32::from(b)).sum();
            let unused = match format {
                Format::R32G8X24_TYPELESS | Format::D32_FLOAT_S8X24_UINT => 24,
                Format::R32_FLOAT_X8X24_TYPELESS => 32,
                Format::X32_TYPELESS_G8X24_UINT => 56,
                Format::R24_UNORM_X8_TYPELESS => 8,
                Format::X24_TYPELESS_G8_UINT => 24,
                Format::R9G9B9E5_SHAREDEXP => 5,
                _ if format.family() == Format::B8G8R8X8_TYPELESS => 8,
                _ => 0,
            };
            assert_eq!(bits + unused, format.bytes_per_block() * 8, "{format:?}");
        }
    }

    #[test]
    fn depth_formats_and_their_views_have_the_expected_planes() {
        for (format, depth, stencil, view) in [
            (Format::D32_FLOAT_S8X24_UINT, true, true, Some(Format::D32_FLOAT_S8X24_UINT)),
            (Format::R24G8_TYPELESS, true, true, Some(Format::D24_UNORM_S8_UINT)),
            (Format::R24_UNORM_X8_TYPELESS, true, false, None),
            (Format::X24_TYPELESS_G8_UINT, false, true, None),
            (Format::D16_UNORM, true, false, Some(Format::D16_UNORM)),
            (Format::R16_TYPELESS, false, false, Some(Format::D16_UNORM)),
            (Format::R32_TYPELESS, false, false, Some(Format::D32_FLOAT)),
            (Format::R32_FLOAT, false, false, None),
            (Format::R8G8B8A8_TYPELESS, false, false, None),
        ] {
            assert_eq!(format.has_depth(), depth, "{format:?}");
            assert_eq!(format.has_stencil(), stencil, "{format:?}");
            assert_eq!(format.depth_stencil_format(), view, "{format:?}");
        }
        let depth_stencil: Vec<_> = Format::ALL.iter().copied().filter(|f| f.is_depth_stencil()).collect();
        assert_eq!(
            depth_stencil,
            [Format::D32_FLOAT_S8X24_UINT, Format::D32_FLOAT, Format::D24_UNORM_S8_UINT, Format::D16_UNORM]
        );
    }

    #[test]
    fn pitches_count_whole_blocks() {
        assert_eq!(Format::R8G8B8A8_UNORM.row_pitch(3), 12);
        assert_eq!(Format::R8G8B8A8_UNORM.rows(3), 3);
        assert_eq!(Format::BC1_UNORM.row_pitch(5), 16);
        assert_eq!(Format::BC3_UNORM.row_pitch(1), 16);
        assert_eq!(Format::BC7_UNORM.rows(9), 3);
        assert_eq!(Format::R8G8_B8G8_UNORM.row_pitch(3), 8);
        assert_eq!(Format::R32G32B32A32_FLOAT.row_pitch(u32::MAX), u32::MAX);
        assert_eq!(Format::UNKNOWN.row_pitch(7), 0);
    }

    #[test]
    fn vertex_elements_align_to_their_size_and_at_most_to_4() {
        for (format, alignment) in [
            (Format::R8_UNORM, 1),
            (Format::R8G8_UNORM, 2),
            (Format::R16_FLOAT, 2),
            (Format::R8G8B8A8_UNORM, 4),
            (Format::R16G16B16A16_FLOAT, 4),
            (Format::R32G32B32_FLOAT, 4),
            (Format::R32G32B32A32_FLOAT, 4),
        ] {
            assert_eq!(format.element_alignment(), alignment, "{format:?}");
        }
    }

    #[test]
    fn formats_have_the_expected_components() {
        for (format, count, mask) in [
            (Format::UNKNOWN, 0, 0),
            (Format::R8_UNORM, 1, 1),
            (Format::A8_UNORM, 1, 8),
            (Format::R16G16_FLOAT, 2, 3),
            (Format::R11G11B10_FLOAT, 3, 7),
            (Format::B8G8R8X8_UNORM, 3, 7),
            (Format::B8G8R8A8_UNORM, 4, 15),
            (Format::D24_UNORM_S8_UINT, 2, 0),
        ] {
            assert_eq!(format.component_count(), count, "{format:?}");
            assert_eq!(format.color_write_components(), mask, "{format:?}");
        }
    }
}
