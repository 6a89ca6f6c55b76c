//! The driver's capabilities, which cover the whole subset of Direct3D 11 that Onze supports, so that an
//! application written for a GPU runs unchanged on the null driver.

use onze_ddi::{ComponentKind, FeatureLevel, Features, Format, FormatSupport, FormatSupport2, PipelineCaps};

/// Maximum buffer size in bytes, used if the runtime sets no memory budget.
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
            | Features::BORDER_ADDRESS
            | Features::BORDER_COLOR
            | Features::MIRROR_ONCE
            | Features::MIN_MAX_FILTERS
            | Features::COMPUTE
            | Features::TESSELLATION
            | Features::GEOMETRY_SHADERS
            | Features::STREAM_OUTPUT
            | Features::MULTIPLE_VIEWPORTS
            | Features::STRUCTURED_BUFFERS
            | Features::RAW_BUFFERS
            | Features::BUFFER_VIEWS
            | Features::INDIRECT_DRAWS
            | Features::UNORDERED_ACCESS
            | Features::EARLY_DEPTH_STENCIL
            | Features::CLIP_DISTANCES
            | Features::PRIMITIVE_ID
            | Features::COUNTERS
            | Features::OCCLUSION_COUNTS
            | Features::TIMESTAMPS
            | Features::PIPELINE_STATISTICS
            | Features::PREDICATION
            | Features::INSTANCE_STEP_RATE
            | Features::MULTISAMPLING
            | Features::CONSERVATIVE_RASTERIZATION
            | Features::TEXTURE_1D_3D,
        max_texture_2d: 16384,
        max_texture_3d: 2048,
        max_array_slices: 2048,
        max_buffer: memory_budget.map_or(MAX_BUFFER, |budget| budget.min(MAX_BUFFER)),
        max_constant_buffer_view: 4096 * 16,
        max_vertex_buffers: 32,
        max_input_elements: 32,
        max_render_targets: 8,
        max_replaced_buffer: 0,
    }
}

pub(crate) fn format_support(format: Format) -> FormatSupport {
    use Format as F;
    use FormatSupport as S;
    let mut texture = S::TEXTURE2D | S::TEXTURECUBE | S::MIP | S::CPU_LOCKABLE | S::CAST_WITHIN_BIT_LAYOUT;
    // 1D textures cannot be block-compressed, and 3D textures cannot have depth or stencil planes.
    texture.set(S::TEXTURE1D, format.block_size() == (1, 1));
    texture.set(S::TEXTURE3D, !format.has_depth() && !format.has_stencil());
    let is_three_words = format.bytes_per_block() == 12;
    match format.component_kind() {
        ComponentKind::Unknown => return S::empty(),
        ComponentKind::Typeless if is_three_words => return S::empty(),
        ComponentKind::Typeless => return texture,
        ComponentKind::Depth => return texture | S::DEPTH_STENCIL | S::MULTISAMPLE_RENDERTARGET,
        _ if format == F::R10G10B10_XR_BIAS_A2_UNORM => return S::empty(),
        // A format for a single plane of a depth texture is for views only, so no texture can have this
        // format.
        _ if format.has_depth() => {
            return S::SHADER_LOAD
                | S::SHADER_SAMPLE
                | S::SHADER_GATHER
                | S::SHADER_SAMPLE_COMPARISON
                | S::SHADER_GATHER_COMPARISON;
        }
        _ if format.has_stencil() => return S::SHADER_LOAD | S::SHADER_GATHER,
        _ => {}
    }
    // Shaders can read block-compressed formats and the shared-exponent format, but draws cannot render to
    // these formats.
    let sampled_only = format.block_size() != (1, 1) || format == F::R9G9B9E5_SHAREDEXP;
    let shown = matches!(format.family(), F::R8G8B8A8_TYPELESS | F::B8G8R8A8_TYPELESS);
    let filtered = !format.is_integer();
    let mut support = texture | S::SHADER_LOAD;
    support.set(S::SHADER_SAMPLE, filtered);
    support.set(S::SHADER_GATHER, true);
    support.set(
        S::SHADER_SAMPLE_COMPARISON | S::SHADER_GATHER_COMPARISON,
        matches!(format, F::R32_FLOAT | F::R16_UNORM),
    );
    support.set(S::RENDER_TARGET, !sampled_only);
    support.set(S::BLENDABLE | S::MIP_AUTOGEN, !sampled_only && filtered);
    support.set(S::MULTISAMPLE_RENDERTARGET | S::MULTISAMPLE_LOAD, !sampled_only);
    support.set(S::MULTISAMPLE_RESOLVE, !sampled_only && filtered);
    support.set(S::IA_VERTEX_BUFFER, format.is_vertex_element());
    support.set(S::SO_BUFFER, format.is_stream_element());
    support.set(S::BUFFER, format.is_buffer_element() || format.is_vertex_element());
    support.set(S::TYPED_UNORDERED_ACCESS_VIEW, format.is_written_buffer_element());
    support.set(S::IA_INDEX_BUFFER, matches!(format, F::R16_UINT | F::R32_UINT));
    let unorm = format.component_kind() == ComponentKind::Unorm && shown;
    support.set(S::BACK_BUFFER_CAST, unorm);
    support.set(S::DISPLAY, unorm || matches!(format, F::R10G10B10A2_UNORM | F::R16G16B16A16_FLOAT));
    support
}

pub(crate) fn format_support2(format: Format) -> FormatSupport2 {
    use FormatSupport2 as S;
    let is_written = format_support(format).contains(FormatSupport::TYPED_UNORDERED_ACCESS_VIEW);
    let mut support = S::empty();
    support.set(
        S::UAV_TYPED_STORE | S::UAV_TYPED_LOAD,
        is_written && format_support(format).contains(FormatSupport::TEXTURE2D),
    );
    let atomics = S::UAV_ATOMIC_ADD | S::UAV_ATOMIC_BITWISE_OPS;
    match format {
        Format::R32_UINT => support | atomics | S::UAV_ATOMIC_UNSIGNED_MIN_OR_MAX,
        Format::R32_SINT => support | atomics | S::UAV_ATOMIC_SIGNED_MIN_OR_MAX,
        _ => support,
    }
}

pub(crate) fn multisample_quality_levels(format: Format, sample_count: u32) -> u32 {
    // A typeless format is treated as a target format, because its views can have target formats.
    let targets = FormatSupport::RENDER_TARGET | FormatSupport::DEPTH_STENCIL;
    let support = format_support(format);
    let is_family = format.is_typeless() && format.block_size() == (1, 1) && !support.is_empty();
    u32::from((support.intersects(targets) || is_family) && matches!(sample_count, 1 | 2 | 4 | 8))
}
