//! KTX2 files, Khronos' texture container format, which glTF uses.

use std::{borrow::Cow, ops::Range};

use ::ktx2::{Format as Vk, Header, LevelIndex, Reader};
use onze_ddi::{Format, TextureShape};

use super::{FileTexels, check_counts};
use crate::report::Error;

/// Reads the header and locates the subresources. The file stores all slices of a mip level together.
pub(super) fn read(bytes: &[u8]) -> Result<FileTexels<'_>, Error> {
    let file = Reader::new(bytes).map_err(|error| Error::InvalidArg(format!("it is broken: {error}")))?;
    let header = file.header();
    let shape = match (header.pixel_height, header.pixel_depth) {
        (0, 0) => TextureShape::D1,
        (_, 0) => TextureShape::D2,
        (0, _) => return Err(Error::InvalidArg("it is broken: it has a depth and no height".to_owned())),
        _ => TextureShape::D3,
    };
    let slices = u64::from(header.layer_count.max(1)) * u64::from(header.face_count);
    if shape == TextureShape::D3 && slices > 1 {
        return Err(Error::InvalidArg(format!(
            "it is a 3D texture of {slices} slices, but 3D textures have none"
        )));
    }
    if let Some(scheme) = header.supercompression_scheme {
        return Err(Error::Unsupported(format!(
            "its texels are compressed with {scheme:?}: make the file without that, as with \
             `ktx create` without `--zstd`, or transcode it with `ktx transcode --target bc7`"
        )));
    }
    if !matches!(header.face_count, 1 | 6) {
        return Err(Error::InvalidArg(format!("it is broken: {} faces, not 1 or 6", header.face_count)));
    }
    let mip_levels = header.level_count.max(1);
    let mut texels = FileTexels {
        shape,
        format: format(header.format)?,
        width: header.pixel_width,
        height: header.pixel_height.max(1),
        depth: header.pixel_depth.max(1),
        mip_levels,
        slices: check_counts(mip_levels, slices)?,
        is_cube: header.face_count == 6,
        wants_mips: header.level_count == 0,
        bytes: Cow::Borrowed(bytes),
        subresources: Vec::new(),
    };
    let levels = levels(bytes, mip_levels);
    for slice in 0..texels.slices as usize {
        for (mip, Range { start, end }) in (0..).zip(&levels) {
            let size = texels.mip_bytes(mip);
            let (len, needed) = (end - start, size.saturating_mul(texels.slices as usize));
            if len < needed {
                return Err(Error::InvalidArg(format!(
                    "it is cut off: mip level {mip} has {len} bytes, not {needed}"
                )));
            }
            let start = start + slice * size;
            texels.subresources.push(start..start + size);
        }
    }
    Ok(texels)
}

/// Returns the byte ranges of the mip levels, which the reader has checked to be within the file.
fn levels(bytes: &[u8], mip_levels: u32) -> Vec<Range<usize>> {
    let entries = bytes.get(Header::LENGTH..).unwrap_or_default().chunks_exact(LevelIndex::LENGTH);
    entries
        .take(mip_levels as usize)
        .filter_map(|entry| {
            let level = LevelIndex::from_bytes(entry.try_into().ok()?);
            let start = usize::try_from(level.byte_offset).ok()?;
            Some(start..start.checked_add(usize::try_from(level.byte_length).ok()?)?)
        })
        .collect()
}

/// Returns the DXGI format with the same bits as a Vulkan format.
fn format(format: Option<Vk>) -> Result<Format, Error> {
    let Some(format) = format else {
        let text = "it is in a universal format (Basis Universal), which must be transcoded: use \
                    `ktx transcode --target bc7` or another format, then load the result";
        return Err(Error::Unsupported(text.to_owned()));
    };
    FORMATS.iter().find(|(vk, _)| *vk == format).map(|(_, format)| *format).ok_or_else(|| {
        Error::Unsupported(format!(
            "its format is {format:?}, which Direct3D 11 does not have: convert it to one with four components, or \
             to BC7"
        ))
    })
}

/// The formats that both DXGI and Vulkan have.
const FORMATS: &[(Vk, Format)] = &[
    (Vk::R5G6B5_UNORM_PACK16, Format::B5G6R5_UNORM),
    (Vk::A1R5G5B5_UNORM_PACK16, Format::B5G5R5A1_UNORM),
    (Vk::A4R4G4B4_UNORM_PACK16, Format::B4G4R4A4_UNORM),
    (Vk::R8_UNORM, Format::R8_UNORM),
    (Vk::R8_SNORM, Format::R8_SNORM),
    (Vk::R8_UINT, Format::R8_UINT),
    (Vk::R8_SINT, Format::R8_SINT),
    (Vk::R8G8_UNORM, Format::R8G8_UNORM),
    (Vk::R8G8_SNORM, Format::R8G8_SNORM),
    (Vk::R8G8_UINT, Format::R8G8_UINT),
    (Vk::R8G8_SINT, Format::R8G8_SINT),
    (Vk::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM),
    (Vk::R8G8B8A8_SRGB, Format::R8G8B8A8_UNORM_SRGB),
    (Vk::R8G8B8A8_SNORM, Format::R8G8B8A8_SNORM),
    (Vk::R8G8B8A8_UINT, Format::R8G8B8A8_UINT),
    (Vk::R8G8B8A8_SINT, Format::R8G8B8A8_SINT),
    (Vk::B8G8R8A8_UNORM, Format::B8G8R8A8_UNORM),
    (Vk::B8G8R8A8_SRGB, Format::B8G8R8A8_UNORM_SRGB),
    (Vk::A2B10G10R10_UNORM_PACK32, Format::R10G10B10A2_UNORM),
    (Vk::A2B10G10R10_UINT_PACK32, Format::R10G10B10A2_UINT),
    (Vk::R16_UNORM, Format::R16_UNORM),
    (Vk::R16_SNORM, Format::R16_SNORM),
    (Vk::R16_UINT, Format::R16_UINT),
    (Vk::R16_SINT, Format::R16_SINT),
    (Vk::R16_SFLOAT, Format::R16_FLOAT),
    (Vk::R16G16_UNORM, Format::R16G16_UNORM),
    (Vk::R16G16_SNORM, Format::R16G16_SNORM),
    (Vk::R16G16_UINT, Format::R16G16_UINT),
    (Vk::R16G16_SINT, Format::R16G16_SINT),
    (Vk::R16G16_SFLOAT, Format::R16G16_FLOAT),
    (Vk::R16G16B16A16_UNORM, Format::R16G16B16A16_UNORM),
    (Vk::R16G16B16A16_SNORM, Format::R16G16B16A16_SNORM),
    (Vk::R16G16B16A16_UINT, Format::R16G16B16A16_UINT),
    (Vk::R16G16B16A16_SINT, Format::R16G16B16A16_SINT),
    (Vk::R16G16B16A16_SFLOAT, Format::R16G16B16A16_FLOAT),
    (Vk::R32_UINT, Format::R32_UINT),
    (Vk::R32_SINT, Format::R32_SINT),
    (Vk::R32_SFLOAT, Format::R32_FLOAT),
    (Vk::R32G32_UINT, Format::R32G32_UINT),
    (Vk::R32G32_SINT, Format::R32G32_SINT),
    (Vk::R32G32_SFLOAT, Format::R32G32_FLOAT),
    (Vk::R32G32B32_UINT, Format::R32G32B32_UINT),
    (Vk::R32G32B32_SINT, Format::R32G32B32_SINT),
    (Vk::R32G32B32_SFLOAT, Format::R32G32B32_FLOAT),
    (Vk::R32G32B32A32_UINT, Format::R32G32B32A32_UINT),
    (Vk::R32G32B32A32_SINT, Format::R32G32B32A32_SINT),
    (Vk::R32G32B32A32_SFLOAT, Format::R32G32B32A32_FLOAT),
    (Vk::B10G11R11_UFLOAT_PACK32, Format::R11G11B10_FLOAT),
    (Vk::E5B9G9R9_UFLOAT_PACK32, Format::R9G9B9E5_SHAREDEXP),
    (Vk::BC1_RGB_UNORM_BLOCK, Format::BC1_UNORM),
    (Vk::BC1_RGB_SRGB_BLOCK, Format::BC1_UNORM_SRGB),
    (Vk::BC1_RGBA_UNORM_BLOCK, Format::BC1_UNORM),
    (Vk::BC1_RGBA_SRGB_BLOCK, Format::BC1_UNORM_SRGB),
    (Vk::BC2_UNORM_BLOCK, Format::BC2_UNORM),
    (Vk::BC2_SRGB_BLOCK, Format::BC2_UNORM_SRGB),
    (Vk::BC3_UNORM_BLOCK, Format::BC3_UNORM),
    (Vk::BC3_SRGB_BLOCK, Format::BC3_UNORM_SRGB),
    (Vk::BC4_UNORM_BLOCK, Format::BC4_UNORM),
    (Vk::BC4_SNORM_BLOCK, Format::BC4_SNORM),
    (Vk::BC5_UNORM_BLOCK, Format::BC5_UNORM),
    (Vk::BC5_SNORM_BLOCK, Format::BC5_SNORM),
    (Vk::BC6H_UFLOAT_BLOCK, Format::BC6H_UF16),
    (Vk::BC6H_SFLOAT_BLOCK, Format::BC6H_SF16),
    (Vk::BC7_UNORM_BLOCK, Format::BC7_UNORM),
    (Vk::BC7_SRGB_BLOCK, Format::BC7_UNORM_SRGB),
];
