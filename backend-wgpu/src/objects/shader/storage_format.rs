//! The formats of textures that shaders write, in naga's words.

use naga::StorageFormat;
use onze_ddi::Format;

/// The format in which naga declares a texture that shaders write; `None` for one that no adapter lets them write.
pub(crate) const fn storage_format(format: Format) -> Option<StorageFormat> {
    Some(match format {
        Format::R8_UNORM => StorageFormat::R8Unorm,
        Format::R8_SNORM => StorageFormat::R8Snorm,
        Format::R8_UINT => StorageFormat::R8Uint,
        Format::R8_SINT => StorageFormat::R8Sint,
        Format::R16_UINT => StorageFormat::R16Uint,
        Format::R16_SINT => StorageFormat::R16Sint,
        Format::R16_FLOAT => StorageFormat::R16Float,
        Format::R16_UNORM => StorageFormat::R16Unorm,
        Format::R16_SNORM => StorageFormat::R16Snorm,
        Format::R8G8_UNORM => StorageFormat::Rg8Unorm,
        Format::R8G8_SNORM => StorageFormat::Rg8Snorm,
        Format::R8G8_UINT => StorageFormat::Rg8Uint,
        Format::R8G8_SINT => StorageFormat::Rg8Sint,
        Format::R32_UINT => StorageFormat::R32Uint,
        Format::R32_SINT => StorageFormat::R32Sint,
        Format::R32_FLOAT => StorageFormat::R32Float,
        Format::R16G16_UINT => StorageFormat::Rg16Uint,
        Format::R16G16_SINT => StorageFormat::Rg16Sint,
        Format::R16G16_FLOAT => StorageFormat::Rg16Float,
        Format::R16G16_UNORM => StorageFormat::Rg16Unorm,
        Format::R16G16_SNORM => StorageFormat::Rg16Snorm,
        Format::R8G8B8A8_UNORM => StorageFormat::Rgba8Unorm,
        Format::R8G8B8A8_SNORM => StorageFormat::Rgba8Snorm,
        Format::R8G8B8A8_UINT => StorageFormat::Rgba8Uint,
        Format::R8G8B8A8_SINT => StorageFormat::Rgba8Sint,
        Format::B8G8R8A8_UNORM => StorageFormat::Bgra8Unorm,
        Format::R10G10B10A2_UINT => StorageFormat::Rgb10a2Uint,
        Format::R10G10B10A2_UNORM => StorageFormat::Rgb10a2Unorm,
        Format::R11G11B10_FLOAT => StorageFormat::Rg11b10Ufloat,
        Format::R32G32_UINT => StorageFormat::Rg32Uint,
        Format::R32G32_SINT => StorageFormat::Rg32Sint,
        Format::R32G32_FLOAT => StorageFormat::Rg32Float,
        Format::R16G16B16A16_UINT => StorageFormat::Rgba16Uint,
        Format::R16G16B16A16_SINT => StorageFormat::Rgba16Sint,
        Format::R16G16B16A16_FLOAT => StorageFormat::Rgba16Float,
        Format::R16G16B16A16_UNORM => StorageFormat::Rgba16Unorm,
        Format::R16G16B16A16_SNORM => StorageFormat::Rgba16Snorm,
        Format::R32G32B32A32_UINT => StorageFormat::Rgba32Uint,
        Format::R32G32B32A32_SINT => StorageFormat::Rgba32Sint,
        Format::R32G32B32A32_FLOAT => StorageFormat::Rgba32Float,
        _ => return None,
    })
}
