//! What the driver says it can do: all that the first subset of Onze has, so that an application
//! written for a GPU runs here unchanged.

use onze_ddi::{ComponentKind, FeatureLevel, Features, Format, FormatSupport, PipelineCaps};

/// The largest buffer, in bytes, when the runtime sets no budget.
const MAX_BUFFER: u64 = 1 << 30;

pub(crate) fn pipeline_caps(memory_budget: Option<u64>) -> PipelineCaps {
    PipelineCaps {
        feature_levels: vec![FeatureLevel::Core11],
        features: Features::DEPTH_CLIP_DISABLE
            | Features::WIREFRAME
            | Features::DUAL_SOURCE_BLEND
            | Features::FLOAT32_FILTER
            | Features::BC_TEXTURES
            | Features::CUBE_ARRAYS
            | Features::BORDER_ADDRESS,
        max_texture_2d: 16384,
        max_array_slices: 2048,
        max_buffer: memory_budget.map_or(MAX_BUFFER, |budget| budget.min(MAX_BUFFER)),
        max_constant_buffer_view: 4096 * 16,
        max_vertex_buffers: 32,
        max_input_elements: 32,
        max_render_targets: 8,
    }
}

/// What a format can do, by what it is made of.
pub(crate) fn format_support(format: Format) -> FormatSupport {
    use FormatSupport as S;
    let texture = S::TEXTURE2D | S::TEXTURECUBE | S::MIP | S::CPU_LOCKABLE | S::CAST_WITHIN_BIT_LAYOUT;
    let compressed = format.is_block_compressed();
    // Two texels in one block: seen by samplers only.
    let packed = format.block_size() == (2, 1);
    let depth_view = format.has_depth() || format.has_stencil();
    match format.component_kind() {
        ComponentKind::Unknown => return S::empty(),
        // Three times 32 bits is for vertices.
        ComponentKind::Typeless if format.bytes_per_block() == 12 => return S::empty(),
        ComponentKind::Typeless => return texture,
        ComponentKind::Depth => return texture | S::DEPTH_STENCIL,
        _ if format == Format::R10G10B10_XR_BIAS_A2_UNORM => return S::empty(),
        _ => {}
    }
    if format.bytes_per_block() == 12 {
        return S::BUFFER | S::IA_VERTEX_BUFFER;
    }
    let mut support = texture | S::SHADER_LOAD;
    support.set(S::SHADER_SAMPLE, !format.is_integer());
    support.set(
        S::SHADER_SAMPLE_COMPARISON,
        matches!(
            format,
            Format::R32_FLOAT
                | Format::R16_UNORM
                | Format::R24_UNORM_X8_TYPELESS
                | Format::R32_FLOAT_X8X24_TYPELESS
        ),
    );
    let target = !compressed && !packed && !depth_view && format != Format::R9G9B9E5_SHAREDEXP;
    support.set(S::RENDER_TARGET, target);
    support.set(S::BLENDABLE | S::MIP_AUTOGEN, target && !format.is_integer());
    let blue_first = matches!(format.family(), Format::B8G8R8X8_TYPELESS)
        || matches!(format, Format::B5G6R5_UNORM | Format::B5G5R5A1_UNORM | Format::B4G4R4A4_UNORM);
    support.set(
        S::BUFFER | S::IA_VERTEX_BUFFER,
        target && !blue_first && !format.is_srgb() && format != Format::A8_UNORM,
    );
    support.set(S::IA_INDEX_BUFFER, matches!(format, Format::R16_UINT | Format::R32_UINT));
    support.set(
        S::DISPLAY,
        matches!(
            format,
            Format::R8G8B8A8_UNORM
                | Format::R8G8B8A8_UNORM_SRGB
                | Format::B8G8R8A8_UNORM
                | Format::B8G8R8A8_UNORM_SRGB
                | Format::R10G10B10A2_UNORM
                | Format::R16G16B16A16_FLOAT
        ),
    );
    support
}
