//! DDS (DirectDraw Surface) files, the texture container format of Direct3D's tools.

use std::borrow::Cow;

use ddsfile::{Caps2, D3D10ResourceDimension, D3DFormat, Dds, MiscFlag, PixelFormat, PixelFormatFlags};
use onze_ddi::{Format, TextureShape};

use super::{FileTexels, check_counts};
use crate::report::Error;

/// Reads the header and locates the subresources after it.
pub(super) fn read<'a>(bytes: &[u8]) -> Result<FileTexels<'a>, Error> {
    let file = Dds::read(bytes).map_err(|error| Error::InvalidArg(format!("it is broken: {error}")))?;
    let header = &file.header;
    let shape = shape(&file)?;
    let (slices, is_cube) = slices(&file)?;
    let mip_levels = header.mip_map_count.unwrap_or(1).max(1);
    let is_row = shape == TextureShape::D1;
    let mut texels = FileTexels {
        shape,
        format: format(&file)?,
        width: header.width,
        height: if is_row { 1 } else { header.height },
        depth: if shape == TextureShape::D3 { header.depth.unwrap_or(1).max(1) } else { 1 },
        mip_levels,
        slices: check_counts(mip_levels, slices)?,
        is_cube,
        wants_mips: false,
        bytes: Cow::Borrowed(&[]),
        subresources: Vec::new(),
    };
    let mut end = 0_usize;
    for _ in 0..texels.slices {
        for mip in 0..mip_levels {
            let start = end;
            end = end.saturating_add(texels.mip_bytes(mip));
            texels.subresources.push(start..end);
        }
    }
    if end > file.data.len() {
        return Err(Error::InvalidArg(format!(
            "it is cut off: {slices} slices of {mip_levels} mip levels need {end} bytes, found {}",
            file.data.len()
        )));
    }
    texels.bytes = Cow::Owned(file.data);
    Ok(texels)
}

/// Returns the number of dimensions of the texture in the file.
fn shape(file: &Dds) -> Result<TextureShape, Error> {
    let Some(header) = &file.header10 else {
        let is_volume = file.header.caps2.contains(Caps2::VOLUME);
        return Ok(if is_volume { TextureShape::D3 } else { TextureShape::D2 });
    };
    match header.resource_dimension {
        D3D10ResourceDimension::Texture1D => Ok(TextureShape::D1),
        D3D10ResourceDimension::Texture2D => Ok(TextureShape::D2),
        D3D10ResourceDimension::Texture3D if header.array_size <= 1 => Ok(TextureShape::D3),
        found => Err(Error::InvalidArg(format!(
            "it is a {found:?} of {} slices; textures have 1, 2 or 3 dimensions, and 3D textures have no slices",
            header.array_size
        ))),
    }
}

/// Returns the number of slices, and whether they are the faces of cubes.
fn slices(file: &Dds) -> Result<(u64, bool), Error> {
    if let Some(header) = &file.header10 {
        let is_cube = header.misc_flag.contains(MiscFlag::TEXTURECUBE);
        return Ok((u64::from(header.array_size) * if is_cube { 6 } else { 1 }, is_cube));
    }
    let caps = file.header.caps2;
    if !caps.contains(Caps2::CUBEMAP) {
        return Ok((1, false));
    }
    if !caps.contains(Caps2::CUBEMAP_ALLFACES) {
        let cure = "it is a cube without all six faces: store all of them";
        return Err(Error::InvalidArg(cure.to_owned()));
    }
    Ok((6, true))
}

/// Returns the format, from the DXGI format number or from a legacy header, which has no sRGB formats.
fn format(file: &Dds) -> Result<Format, Error> {
    use D3DFormat as D;
    let legacy = if file.header10.is_some() { None } else { file.get_d3d_format() };
    let found = match legacy {
        Some(D::A8B8G8R8) => Some(Format::R8G8B8A8_UNORM),
        Some(D::A8R8G8B8) => Some(Format::B8G8R8A8_UNORM),
        Some(D::X8R8G8B8) => Some(Format::B8G8R8X8_UNORM),
        Some(D::A1R5G5B5) => Some(Format::B5G5R5A1_UNORM),
        Some(D::R5G6B5) => Some(Format::B5G6R5_UNORM),
        Some(D::A4R4G4B4) => Some(Format::B4G4R4A4_UNORM),
        Some(D::A8) => Some(Format::A8_UNORM),
        Some(D::DXT1) => Some(Format::BC1_UNORM),
        Some(D::DXT2 | D::DXT3) => Some(Format::BC2_UNORM),
        Some(D::DXT4 | D::DXT5) => Some(Format::BC3_UNORM),
        Some(D::R8G8_B8G8) => Some(Format::R8G8_B8G8_UNORM),
        Some(D::G8R8_G8B8) => Some(Format::G8R8_G8B8_UNORM),
        Some(D::A16B16G16R16) => Some(Format::R16G16B16A16_UNORM),
        Some(D::Q16W16V16U16) => Some(Format::R16G16B16A16_SNORM),
        Some(D::R16F) => Some(Format::R16_FLOAT),
        Some(D::G16R16F) => Some(Format::R16G16_FLOAT),
        Some(D::A16B16G16R16F) => Some(Format::R16G16B16A16_FLOAT),
        Some(D::R32F) => Some(Format::R32_FLOAT),
        Some(D::G32R32F) => Some(Format::R32G32_FLOAT),
        Some(D::A32B32G32R32F) => Some(Format::R32G32B32A32_FLOAT),
        Some(_) => None,
        None => {
            let number = file.get_dxgi_format().map(|format| format as u32);
            number.and_then(Format::from_u32).or_else(|| by_masks(&file.header.spf))
        }
    };
    found.filter(|format| *format != Format::UNKNOWN).ok_or_else(|| {
        let name = match (legacy, file.get_dxgi_format()) {
            (Some(format), _) => format!("{format:?}"),
            (None, Some(format)) => format!("{format:?}"),
            (None, None) => "unknown".to_owned(),
        };
        Error::Unsupported(format!(
            "its format is {name}, which Direct3D 11 does not have: convert it, as with \
             `texconv -f R8G8B8A8_UNORM`"
        ))
    })
}

/// Recognizes legacy formats that `ddsfile` 0.6 does not recognize, because `ddsfile` ignores the masks of
/// luminance formats and does not accept masks that are zero.
fn by_masks(pixel: &PixelFormat) -> Option<Format> {
    let has = |flags| pixel.flags.contains(flags);
    let masks = [pixel.r_bit_mask, pixel.g_bit_mask, pixel.b_bit_mask].map(Option::unwrap_or_default);
    let (bits, alpha) = (pixel.rgb_bit_count?, pixel.a_bit_mask.unwrap_or_default());
    if has(PixelFormatFlags::LUMINANCE) {
        return match (bits, has(PixelFormatFlags::ALPHA_PIXELS)) {
            (8, false) => Some(Format::R8_UNORM),
            (16, false) => Some(Format::R16_UNORM),
            (16, true) => Some(Format::R8G8_UNORM),
            _ => None,
        };
    }
    match (bits, masks, alpha) {
        (32, [0xffff, 0xffff_0000, 0], 0) => Some(Format::R16G16_UNORM),
        (32, [0x3ff, 0xf_fc00, 0x3ff0_0000], 0xc000_0000) => Some(Format::R10G10B10A2_UNORM),
        _ => None,
    }
}
