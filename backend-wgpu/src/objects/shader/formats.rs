//! Formats as shaders see them: the kind and the bits of components, and naga's names of storage formats.

use naga::StorageFormat;
use onze_ddi::{ComponentKind, Format, ScalarKind};

/// Returns the scalar kind of a format's components in shaders.
pub(crate) const fn kind_of(format: Format) -> ScalarKind {
    match format.component_kind() {
        ComponentKind::Uint => ScalarKind::Uint,
        ComponentKind::Sint => ScalarKind::Sint,
        ComponentKind::Unknown
        | ComponentKind::Typeless
        | ComponentKind::Float
        | ComponentKind::Unorm
        | ComponentKind::Snorm
        | ComponentKind::Depth => ScalarKind::Float,
    }
}

/// Returns wgpu's sample type for components of a kind.
pub(crate) const fn sample_type(kind: ScalarKind, filterable: bool) -> wgpu::TextureSampleType {
    match kind {
        ScalarKind::Float => wgpu::TextureSampleType::Float { filterable },
        ScalarKind::Sint => wgpu::TextureSampleType::Sint,
        ScalarKind::Uint => wgpu::TextureSampleType::Uint,
    }
}

/// Returns the scalar kind of a typed buffer's elements, or `None` if no typed buffer has the format.
pub(crate) fn scalar_kind(format: Format) -> Option<ScalarKind> {
    format.is_buffer_element().then(|| kind_of(format))
}

/// The bits of one component within an element.
#[derive(Copy, Clone, Debug)]
pub(crate) struct FormatChannel {
    /// Index of the component in the shader's vector.
    pub(crate) component: usize,
    /// Position of the lowest bit within the element.
    pub(crate) first: u32,
    pub(crate) bits: u32,
}

pub(crate) fn channels(format: Format) -> impl Iterator<Item = FormatChannel> {
    let bits = format.component_bits();
    let blue_first = matches!(format.family(), Format::B8G8R8A8_TYPELESS | Format::B8G8R8X8_TYPELESS)
        || matches!(format, Format::B5G6R5_UNORM | Format::B5G5R5A1_UNORM);
    let order = if blue_first { [2, 1, 0, 3] } else { [0, 1, 2, 3] };
    let mut next = 0;
    order.into_iter().zip(order.map(|component| u32::from(bits[component]))).filter_map(
        move |(component, bits)| {
            let first = next;
            next += bits;
            (bits != 0).then_some(FormatChannel { component, first, bits })
        },
    )
}

/// Packs the lowest bits of four values into an element.
pub(crate) fn packed(format: Format, values: [u32; 4]) -> [u32; 4] {
    let mut words = [0; 4];
    for FormatChannel { component, first, bits } in channels(format) {
        if let Some(word) = words.get_mut(first as usize / 32) {
            *word |= (values[component] & ones(bits)) << (first % 32);
        }
    }
    words
}

/// Returns the largest number of `bits` bits.
pub(crate) const fn ones(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Returns naga's format for a written texture, or `None` if no adapter supports writes to the format.
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
