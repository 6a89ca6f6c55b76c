//! Formats without a wgpu counterpart, whose textures have a wider format that can represent all their
//! values.
//!
//! Contents are widened and narrowed when they are copied between memory and texture: initial contents here,
//! and all other contents in [`crate::encode`]. Components that the format lacks contain the values that
//! Direct3D 11 reads there: 1 for alpha, and 0 for the colour of `A8_UNORM`. Clears, write masks and
//! conversions leave these components unchanged, so filters, blending and mip levels need no special
//! handling.

use onze_ddi::Format;

/// The memory layout of texels in a format that wgpu lacks.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub(crate) enum Packing {
    Alpha = 0,
    B5G6R5 = 1,
    B5G5R5A1 = 2,
    B4G4R4A4 = 3,
    NoAlpha = 4,
    /// `R8G8_B8G8_UNORM`, in which two texels share one red value and one blue value.
    R8G8B8G8 = 5,
    G8R8G8B8 = 6,
    ThreeFloats = 7,
    ThreeIntegers = 8,
}

/// Formats with the wgpu formats of their textures and their memory layouts.
const PACKED: &[(Format, wgpu::TextureFormat, Packing)] = &[
    (Format::A8_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::Alpha),
    (Format::B5G6R5_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::B5G6R5),
    (Format::B5G5R5A1_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::B5G5R5A1),
    (Format::B4G4R4A4_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::B4G4R4A4),
    (Format::B8G8R8X8_TYPELESS, wgpu::TextureFormat::Bgra8Unorm, Packing::NoAlpha),
    (Format::B8G8R8X8_UNORM, wgpu::TextureFormat::Bgra8Unorm, Packing::NoAlpha),
    (Format::B8G8R8X8_UNORM_SRGB, wgpu::TextureFormat::Bgra8UnormSrgb, Packing::NoAlpha),
    (Format::R8G8_B8G8_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::R8G8B8G8),
    (Format::G8R8_G8B8_UNORM, wgpu::TextureFormat::Rgba8Unorm, Packing::G8R8G8B8),
    (Format::R32G32B32_FLOAT, wgpu::TextureFormat::Rgba32Float, Packing::ThreeFloats),
    (Format::R32G32B32_UINT, wgpu::TextureFormat::Rgba32Uint, Packing::ThreeIntegers),
    (Format::R32G32B32_SINT, wgpu::TextureFormat::Rgba32Sint, Packing::ThreeIntegers),
];

/// The wider format of a format's textures, and the memory layout, or `None` if wgpu has the format, or if no
/// wider format is suitable.
pub(crate) fn packed(format: Format) -> Option<(wgpu::TextureFormat, Packing)> {
    PACKED.iter().find(|row| row.0 == format).map(|row| (row.1, row.2))
}

impl Packing {
    /// Bytes of a texel in memory, or of two texels that share a word.
    pub(crate) const fn bytes(self) -> u32 {
        match self {
            Self::Alpha => 1,
            Self::B5G6R5 | Self::B5G5R5A1 | Self::B4G4R4A4 => 2,
            Self::NoAlpha | Self::R8G8B8G8 | Self::G8R8G8B8 => 4,
            Self::ThreeFloats | Self::ThreeIntegers => 12,
        }
    }

    pub(crate) const fn block(self) -> u32 {
        match self {
            Self::R8G8B8G8 | Self::G8R8G8B8 => 2,
            _ => 1,
        }
    }

    /// Number of 32-bit words per texel of the texture.
    pub(crate) const fn wide_words(self) -> u32 {
        match self {
            Self::ThreeFloats | Self::ThreeIntegers => 4,
            _ => 1,
        }
    }

    /// The components that draws must not write, because they contain the values of components that the
    /// format lacks.
    pub(crate) const fn hidden(self) -> wgpu::ColorWrites {
        match self {
            Self::Alpha => wgpu::ColorWrites::COLOR,
            Self::B5G5R5A1 | Self::B4G4R4A4 => wgpu::ColorWrites::empty(),
            _ => wgpu::ColorWrites::ALPHA,
        }
    }

    /// Converts a texel to the texture's format. `block` contains the bytes of the texel or, if texels share
    /// a block, the bytes of the block. `at` is the texel's index in the block.
    fn widen(self, block: &[u8], at: usize) -> [u32; 4] {
        let byte = |n: usize| u32::from(block.get(n).copied().unwrap_or(0));
        let word = |n: usize| byte(n) | byte(n + 1) << 8 | byte(n + 2) << 16 | byte(n + 3) << 24;
        let texel = byte(0) | byte(1) << 8;
        let spread = |first: u32, bits: u32| {
            let most = (1 << bits) - 1;
            (((texel >> first) & most) * 510 + most) / (2 * most)
        };
        let rgba = |[r, g, b, a]: [u32; 4]| [r | g << 8 | b << 16 | a << 24, 0, 0, 0];
        match self {
            Self::Alpha => rgba([0, 0, 0, byte(0)]),
            Self::B5G6R5 => rgba([spread(11, 5), spread(5, 6), spread(0, 5), 255]),
            Self::B5G5R5A1 => rgba([spread(10, 5), spread(5, 5), spread(0, 5), spread(15, 1)]),
            Self::B4G4R4A4 => rgba([spread(8, 4), spread(4, 4), spread(0, 4), spread(12, 4)]),
            Self::NoAlpha => [word(0) | 0xff00_0000, 0, 0, 0],
            Self::R8G8B8G8 => rgba([byte(0), byte(1 + 2 * at), byte(2), 255]),
            Self::G8R8G8B8 => rgba([byte(1), byte(2 * at), byte(3), 255]),
            Self::ThreeFloats => [word(0), word(4), word(8), 1.0_f32.to_bits()],
            Self::ThreeIntegers => [word(0), word(4), word(8), 1],
        }
    }

    /// Converts rows of texels to the texture's format, without padding, with missing rows or bytes set to
    /// zero.
    pub(crate) fn widen_rows(self, bytes: &[u8], pitch: u32, [width, rows]: [u32; 2]) -> Vec<u32> {
        let mut wide = Vec::with_capacity((width * rows * self.wide_words()) as usize);
        for y in 0..rows as usize {
            let row = bytes.get(y * pitch as usize..).unwrap_or_default();
            for x in 0..width {
                let block = row.get((x / self.block() * self.bytes()) as usize..).unwrap_or_default();
                let texel = self.widen(block, (x % self.block()) as usize);
                wide.extend(texel.iter().take(self.wide_words() as usize));
            }
        }
        wide
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packing_has_the_bytes_of_its_format() {
        for &(format, wide, packing) in PACKED {
            assert_eq!(packing.bytes(), format.bytes_per_block(), "{format:?}");
            assert_eq!(packing.block(), format.block_size().0, "{format:?}");
            assert_eq!(wide.block_copy_size(None), Some(4 * packing.wide_words()), "{format:?}");
            assert_eq!(wide.is_srgb(), format.is_srgb(), "{format:?}");
            let shown = format.color_write_components();
            assert_eq!(packing.hidden().bits(), u32::from(!shown & 15), "{format:?}");
        }
    }

    #[test]
    fn texels_are_widened_to_the_nearest_numbers() {
        let one = |packing: Packing, bytes: &[u8]| packing.widen(bytes, 0)[0];
        assert_eq!(one(Packing::Alpha, &[7]), 0x0700_0000);
        assert_eq!(one(Packing::B5G6R5, &[0x1f, 0xf8]), 0xffff_00ff);
        assert_eq!(one(Packing::B5G6R5, &[0x20, 0x08]), 0xff00_0408);
        assert_eq!(one(Packing::B5G5R5A1, &[0xff, 0x7f]), 0x00ff_ffff);
        assert_eq!(one(Packing::B4G4R4A4, &[0x21, 0x43]), 0x4411_2233);
        assert_eq!(one(Packing::NoAlpha, &[1, 2, 3, 4]), 0xff03_0201);
        let two = |packing: Packing| [packing.widen(&[1, 2, 3, 4], 0)[0], packing.widen(&[1, 2, 3, 4], 1)[0]];
        assert_eq!(two(Packing::R8G8B8G8), [0xff03_0201, 0xff03_0401]);
        assert_eq!(two(Packing::G8R8G8B8), [0xff04_0102, 0xff04_0302]);
        let rows = Packing::ThreeIntegers.widen_rows(&[1; 28], 16, [1, 2]);
        assert_eq!(
            rows,
            [0x0101_0101, 0x0101_0101, 0x0101_0101, 1, 0x0101_0101, 0x0101_0101, 0x0101_0101, 1]
        );
    }
}
