//! Format support, derived from the adapter's support of the wgpu format that implements a Direct3D format.

use onze_ddi::{BindFlags, Format, FormatSupport, FormatSupport2};

use crate::{
    adapter::has_storage,
    objects::shader::storage_format,
    services::{convert, gpu::Gpu, packing::packed},
    submit::swap_chain,
};

/// Returns the support of a format except for multisampling, for which see [`samples_support`].
pub(crate) fn format_support(gpu: &Gpu, format: Format) -> FormatSupport {
    let mut support = FormatSupport::empty();
    // Rewritten shaders convert the elements of typed buffers, so the adapter need not support the format.
    support.set(FormatSupport::BUFFER, format.is_buffer_element());
    support.set(FormatSupport::TYPED_UNORDERED_ACCESS_VIEW, format.is_written_buffer_element());
    let is_element = format.is_vertex_element() && gpu.pulls_vertices();
    if is_element || convert::vertex_format(format).is_some() {
        support |= FormatSupport::BUFFER | FormatSupport::IA_VERTEX_BUFFER;
    }
    let writes_streams = has_storage(gpu.downlevel.flags, &gpu.limits);
    support.set(FormatSupport::SO_BUFFER, writes_streams && format.is_stream_element());
    if matches!(format, Format::R16_UINT | Format::R32_UINT) {
        support |= FormatSupport::BUFFER | FormatSupport::IA_INDEX_BUFFER;
    }
    // Shaders read a plane of a depth format through a view in a format of its typeless family.
    let is_depth_plane = format.has_depth() && !format.is_depth_stencil() && !format.is_typeless();
    let is_stencil_plane = format.has_stencil() && !format.has_depth();
    let depth_parent = format.family().depth_stencil_format().and_then(convert::texture_format);
    let physical = if is_depth_plane || is_stencil_plane {
        depth_parent
    } else {
        convert::physical_format(format, BindFlags::empty())
    };
    let Some(physical) = physical else {
        return support;
    };
    let packing = packed(format).map(|(_, packing)| packing);
    if packing.is_some() && !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return support;
    }
    let is_read = |physical| {
        let features = gpu.format_features(physical);
        features.allowed_usages.contains(wgpu::TextureUsages::TEXTURE_BINDING)
    };
    let loaded = FormatSupport::SHADER_LOAD | FormatSupport::SHADER_GATHER;
    // Comparison samplers need a depth format, or R32_FLOAT or R16_UNORM, because these two share typeless
    // families with depth formats.
    let can_be_depth = matches!(format, Format::R32_FLOAT | Format::R16_UNORM);
    let compared = FormatSupport::SHADER_SAMPLE_COMPARISON | FormatSupport::SHADER_GATHER_COMPARISON;
    if !is_read(physical) {
        // Depth textures can be read in a format that the adapter does not have for other textures.
        let is_depth_only = can_be_depth && depth_parent.is_some_and(is_read);
        return if is_depth_only { support | loaded | compared } else { support };
    }
    if is_stencil_plane {
        return support | loaded;
    }
    if is_depth_plane {
        return support | loaded | compared;
    }
    support |= FormatSupport::TEXTURE2D | FormatSupport::TEXTURECUBE | FormatSupport::MIP;
    support.set(FormatSupport::TEXTURE1D, format.block_size() == (1, 1));
    let is_sliced = gpu.features.contains(wgpu::Features::TEXTURE_COMPRESSION_BC_SLICED_3D);
    let has_depth = format.has_depth() || format.has_stencil();
    support.set(FormatSupport::TEXTURE3D, !has_depth && (is_sliced || !format.is_block_compressed()));
    // wgpu copies only 16-bit depth both to and from memory, so compute shaders copy all other depth formats.
    let moves = !physical.is_depth_stencil_format()
        || physical == wgpu::TextureFormat::Depth16Unorm
        || gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    support.set(FormatSupport::CPU_LOCKABLE, moves);
    if format.is_typeless() {
        return support | FormatSupport::CAST_WITHIN_BIT_LAYOUT;
    }
    let features = gpu.format_features(physical);
    let is_target = features.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
        && packing.is_none_or(|packing| packing.block() == 1);
    if format.is_depth_stencil() {
        support.set(FormatSupport::DEPTH_STENCIL, is_target);
        return support;
    }
    support |= loaded;
    let filters = gpu.sample_type(physical, wgpu::TextureAspect::All)
        == wgpu::TextureSampleType::Float { filterable: true };
    let blends = features.flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE);
    support.set(FormatSupport::SHADER_SAMPLE, filters);
    support.set(compared, can_be_depth);
    support.set(FormatSupport::RENDER_TARGET, is_target);
    support.set(FormatSupport::BLENDABLE, is_target && blends);
    support.set(FormatSupport::MIP_AUTOGEN, is_target && filters);
    let is_displayed = swap_chain::is_displayable(format);
    support.set(FormatSupport::DISPLAY, is_displayed);
    let has_views = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS);
    let has_twin = is_displayed && has_views && convert::srgb_twin(physical).is_some();
    support.set(FormatSupport::BACK_BUFFER_CAST, has_twin);
    support
}

/// Returns the multisampling support of a format whose textures can be multisampled. If wgpu cannot resolve
/// the format, the driver resolves with a draw.
pub(crate) fn samples_support(format: Format) -> FormatSupport {
    if format.is_typeless() {
        return FormatSupport::empty();
    }
    let mut support = FormatSupport::MULTISAMPLE_RENDERTARGET;
    let is_depth = format.is_depth_stencil();
    support.set(FormatSupport::MULTISAMPLE_LOAD, !is_depth);
    support.set(FormatSupport::MULTISAMPLE_RESOLVE, !is_depth && !format.is_integer());
    support
}

/// Whether targets in a format support a sample count. If a typeless format has wgpu formats for colour and
/// for depth, both of them must support the sample count.
pub(crate) fn has_samples(gpu: &Gpu, format: Format, count: u32) -> bool {
    if packed(format).is_some_and(|(_, packing)| count > 1 || packing.block() > 1) {
        return false;
    }
    let formats = [BindFlags::RENDER_TARGET, BindFlags::DEPTH_STENCIL];
    let mut formats = formats.iter().filter_map(|bind| convert::physical_format(format, *bind)).peekable();
    let has = |physical| {
        let features = gpu.format_features(physical);
        features.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT)
            && (count == 1 || features.flags.sample_count_supported(count))
    };
    formats.peek().is_some() && formats.all(has)
}

/// Returns the shader operations that a format supports through unordered-access views.
pub(crate) fn format_support2(gpu: &Gpu, format: Format) -> FormatSupport2 {
    use FormatSupport2 as S;
    let mut support = S::empty();
    let Some(physical) = convert::texture_format(format) else { return support };
    let features = gpu.format_features(physical);
    let is_stored = format.is_written_buffer_element()
        && storage_format(format).is_some()
        && features.allowed_usages.contains(wgpu::TextureUsages::STORAGE_BINDING);
    if !is_stored {
        return support;
    }
    use wgpu::TextureFormatFeatureFlags as F;
    support.set(S::UAV_TYPED_STORE, features.flags.intersects(F::STORAGE_WRITE_ONLY | F::STORAGE_READ_WRITE));
    support.set(S::UAV_TYPED_LOAD, features.flags.contains(F::STORAGE_READ_WRITE));
    let counts =
        gpu.features.contains(wgpu::Features::TEXTURE_ATOMIC) && features.flags.contains(F::STORAGE_ATOMIC);
    let atomics = S::UAV_ATOMIC_ADD | S::UAV_ATOMIC_BITWISE_OPS;
    match format {
        Format::R32_UINT if counts => support | atomics | S::UAV_ATOMIC_UNSIGNED_MIN_OR_MAX,
        Format::R32_SINT if counts => support | atomics | S::UAV_ATOMIC_SIGNED_MIN_OR_MAX,
        _ => support,
    }
}
