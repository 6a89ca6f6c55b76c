//! Writes subresources of textures to PNG files.

use std::path::Path;

use ::image::{ColorType, ExtendedColorType, ImageFormat};
use onze_ddi::Format;

use crate::{context::ImmediateContext, objects::Texture2d, report::Error, validate};

/// Returns the colour type of the PNG file for a format, and the conversion of the format's texels, or `None`
/// for formats that a PNG file cannot represent.
fn png_form(format: Format) -> Option<(ColorType, TexelConversion)> {
    use ColorType::{L8, L16, Rgb8, Rgb16, Rgba8, Rgba16};
    Some(match format {
        Format::R8G8B8A8_UNORM | Format::R8G8B8A8_UNORM_SRGB => (Rgba8, TexelConversion::Keep),
        Format::B8G8R8A8_UNORM | Format::B8G8R8A8_UNORM_SRGB => {
            (Rgba8, TexelConversion::Pick(4, &[2, 1, 0, 3]))
        }
        Format::B8G8R8X8_UNORM | Format::B8G8R8X8_UNORM_SRGB => (Rgb8, TexelConversion::Pick(4, &[2, 1, 0])),
        Format::R8_UNORM | Format::A8_UNORM => (L8, TexelConversion::Keep),
        Format::R8G8_UNORM => (Rgb8, TexelConversion::Zero(2, 1)),
        Format::R16_UNORM => (L16, TexelConversion::Keep),
        Format::R16G16_UNORM => (Rgb16, TexelConversion::Zero(4, 2)),
        Format::R16G16B16A16_UNORM => (Rgba16, TexelConversion::Keep),
        Format::R10G10B10A2_UNORM => {
            (Rgba16, TexelConversion::Bits(4, &[(0, 10), (10, 10), (20, 10), (30, 2)]))
        }
        Format::B5G6R5_UNORM => (Rgb8, TexelConversion::Bits(2, &[(11, 5), (5, 6), (0, 5)])),
        Format::B5G5R5A1_UNORM => (Rgba8, TexelConversion::Bits(2, &[(10, 5), (5, 5), (0, 5), (15, 1)])),
        Format::B4G4R4A4_UNORM => (Rgba8, TexelConversion::Bits(2, &[(8, 4), (4, 4), (0, 4), (12, 4)])),
        _ => return None,
    })
}

/// The conversion of a tightly packed texel to a texel of a PNG file.
enum TexelConversion {
    Keep,
    /// Keeps some bytes of a texel, given by the bytes per texel and the indices of the bytes to keep, in
    /// their new order.
    Pick(usize, &'static [usize]),
    /// Appends zero bytes, for colours without blue, given by the bytes per texel and the number of bytes to
    /// append.
    Zero(usize, usize),
    /// Unpacks bit fields of a little-endian texel, given by the bytes per texel, and the first bit and the
    /// number of bits of each component.
    Bits(usize, &'static [(u32, u32)]),
}

impl TexelConversion {
    fn apply(&self, texels: Vec<u8>, wide: bool) -> Vec<u8> {
        match *self {
            Self::Keep => texels,
            Self::Pick(size, kept) => {
                texels.chunks_exact(size).flat_map(|texel| kept.iter().map(|at| texel[*at])).collect()
            }
            Self::Zero(size, zeros) => texels
                .chunks_exact(size)
                .flat_map(|texel| texel.iter().copied().chain(std::iter::repeat_n(0, zeros)))
                .collect(),
            Self::Bits(size, components) => {
                let mut bytes = Vec::new();
                for texel in texels.chunks_exact(size) {
                    let bits = texel.iter().rev().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
                    for (first, count) in components {
                        let most = (1_u32 << count) - 1;
                        let value = bits >> first & most;
                        // Rounds to the nearest value of the wider component.
                        let scaled = |largest: u32| (value * largest + most / 2) / most;
                        if wide {
                            bytes.extend((scaled(0xffff) as u16).to_ne_bytes());
                        } else {
                            bytes.push(scaled(0xff) as u8);
                        }
                    }
                }
                bytes
            }
        }
    }
}

impl ImmediateContext {
    /// Waits for the GPU and writes a subresource of a texture to a PNG file (D3DX11:
    /// `D3DX11SaveTextureToFile`).
    ///
    /// Components of sRGB formats stay encoded. The file has 8 bits per component, or 16 bits if the format
    /// has wider components; components of other widths are scaled. If the format has no blue component, blue
    /// is 0. An existing file is replaced.
    ///
    /// ```no_run
    /// # use onze::prelude::*;
    /// # fn f(device: &Device, context: &mut ImmediateContext) -> Result<(), onze::Error> {
    /// let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, 640, 360)?;
    /// // ... draws, and then:
    /// context.save_png(&target.texture, 0, "screenshot.png")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a multisampled texture, and for a format that a PNG file cannot represent:
    /// float, signed, integer, depth, block-compressed and typeless formats. To save such a texture, draw it
    /// into an `R8G8B8A8_UNORM_SRGB` texture first. [`Error::Fail`] with the path if the file cannot be
    /// written. Also returns the errors of [`read_texture_2d`](Self::read_texture_2d).
    #[doc(alias = "D3DX11SaveTextureToFile")]
    #[cfg_attr(docsrs, doc(cfg(feature = "image")))]
    pub fn save_png(
        &mut self,
        texture: &Texture2d,
        subresource: u32,
        path: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let (path, desc) = (path.as_ref(), texture.texture());
        let about = |error: Error| {
            let label = desc.label.as_deref().unwrap_or_default();
            error.about(format_args!("{} as {}", validate::named("texture", label), path.display()))
        };
        if desc.sample_count > 1 {
            let text =
                format!("it has {} samples; resolve it with `resolve_subresource` first", desc.sample_count);
            return Err(about(Error::InvalidArg(text)));
        }
        let Some((color, convert)) = png_form(desc.format) else {
            let format = desc.format;
            let text = format!(
                "a PNG file cannot hold {format:?}; draw the texture into one of R8G8B8A8_UNORM_SRGB and save that"
            );
            return Err(about(Error::InvalidArg(text)));
        };
        let texels = self.read_texture_2d(texture, subresource)?;
        let (width, height) = desc.mip_size(desc.mip_and_slice(subresource).0);
        let bytes = convert.apply(texels, color.bytes_per_pixel() > 4);
        let color = ExtendedColorType::from(color);
        ::image::save_buffer_with_format(path, &bytes, width, height, color, ImageFormat::Png)
            .map_err(|error| about(Error::Fail(error.to_string())))
    }
}
