//! Conversions from Direct3D 11 to wgpu: formats, comparisons, blending and topologies.
//!
//! `None` means that wgpu has no counterpart; if wgpu has a format, [`Gpu`](crate::services::gpu::Gpu)
//! reports how the adapter supports it.

use crate::services::packing::packed;
use onze_ddi::{
    BindFlags, Blend, BlendOp, ColorWrite, ComparisonFunc, CullMode, DepthStencilDesc, DepthStencilOpDesc,
    Format, PrimitiveTopology, RenderTargetBlendDesc, ResourceDesc, StencilOp, TextureAddressMode,
};
use wgpu::{TextureFormat as T, VertexFormat as V};

/// Typed formats and their wgpu formats for textures and for vertex elements.
const FORMATS: &[(Format, Option<T>, Option<V>)] = &[
    (Format::R32G32B32A32_FLOAT, Some(T::Rgba32Float), Some(V::Float32x4)),
    (Format::R32G32B32A32_UINT, Some(T::Rgba32Uint), Some(V::Uint32x4)),
    (Format::R32G32B32A32_SINT, Some(T::Rgba32Sint), Some(V::Sint32x4)),
    (Format::R32G32B32_FLOAT, None, Some(V::Float32x3)),
    (Format::R32G32B32_UINT, None, Some(V::Uint32x3)),
    (Format::R32G32B32_SINT, None, Some(V::Sint32x3)),
    (Format::R16G16B16A16_FLOAT, Some(T::Rgba16Float), Some(V::Float16x4)),
    (Format::R16G16B16A16_UNORM, Some(T::Rgba16Unorm), Some(V::Unorm16x4)),
    (Format::R16G16B16A16_UINT, Some(T::Rgba16Uint), Some(V::Uint16x4)),
    (Format::R16G16B16A16_SNORM, Some(T::Rgba16Snorm), Some(V::Snorm16x4)),
    (Format::R16G16B16A16_SINT, Some(T::Rgba16Sint), Some(V::Sint16x4)),
    (Format::R32G32_FLOAT, Some(T::Rg32Float), Some(V::Float32x2)),
    (Format::R32G32_UINT, Some(T::Rg32Uint), Some(V::Uint32x2)),
    (Format::R32G32_SINT, Some(T::Rg32Sint), Some(V::Sint32x2)),
    (Format::D32_FLOAT_S8X24_UINT, Some(T::Depth32FloatStencil8), None),
    (Format::R10G10B10A2_UNORM, Some(T::Rgb10a2Unorm), Some(V::Unorm10_10_10_2)),
    (Format::R10G10B10A2_UINT, Some(T::Rgb10a2Uint), None),
    (Format::R11G11B10_FLOAT, Some(T::Rg11b10Ufloat), None),
    (Format::R8G8B8A8_UNORM, Some(T::Rgba8Unorm), Some(V::Unorm8x4)),
    (Format::R8G8B8A8_UNORM_SRGB, Some(T::Rgba8UnormSrgb), None),
    (Format::R8G8B8A8_UINT, Some(T::Rgba8Uint), Some(V::Uint8x4)),
    (Format::R8G8B8A8_SNORM, Some(T::Rgba8Snorm), Some(V::Snorm8x4)),
    (Format::R8G8B8A8_SINT, Some(T::Rgba8Sint), Some(V::Sint8x4)),
    (Format::R16G16_FLOAT, Some(T::Rg16Float), Some(V::Float16x2)),
    (Format::R16G16_UNORM, Some(T::Rg16Unorm), Some(V::Unorm16x2)),
    (Format::R16G16_UINT, Some(T::Rg16Uint), Some(V::Uint16x2)),
    (Format::R16G16_SNORM, Some(T::Rg16Snorm), Some(V::Snorm16x2)),
    (Format::R16G16_SINT, Some(T::Rg16Sint), Some(V::Sint16x2)),
    (Format::D32_FLOAT, Some(T::Depth32Float), None),
    (Format::R32_FLOAT, Some(T::R32Float), Some(V::Float32)),
    (Format::R32_UINT, Some(T::R32Uint), Some(V::Uint32)),
    (Format::R32_SINT, Some(T::R32Sint), Some(V::Sint32)),
    (Format::D24_UNORM_S8_UINT, Some(T::Depth24PlusStencil8), None),
    (Format::R8G8_UNORM, Some(T::Rg8Unorm), Some(V::Unorm8x2)),
    (Format::R8G8_UINT, Some(T::Rg8Uint), Some(V::Uint8x2)),
    (Format::R8G8_SNORM, Some(T::Rg8Snorm), Some(V::Snorm8x2)),
    (Format::R8G8_SINT, Some(T::Rg8Sint), Some(V::Sint8x2)),
    (Format::R16_FLOAT, Some(T::R16Float), Some(V::Float16)),
    (Format::D16_UNORM, Some(T::Depth16Unorm), None),
    (Format::R16_UNORM, Some(T::R16Unorm), Some(V::Unorm16)),
    (Format::R16_UINT, Some(T::R16Uint), Some(V::Uint16)),
    (Format::R16_SNORM, Some(T::R16Snorm), Some(V::Snorm16)),
    (Format::R16_SINT, Some(T::R16Sint), Some(V::Sint16)),
    (Format::R8_UNORM, Some(T::R8Unorm), Some(V::Unorm8)),
    (Format::R8_UINT, Some(T::R8Uint), Some(V::Uint8)),
    (Format::R8_SNORM, Some(T::R8Snorm), Some(V::Snorm8)),
    (Format::R8_SINT, Some(T::R8Sint), Some(V::Sint8)),
    (Format::R9G9B9E5_SHAREDEXP, Some(T::Rgb9e5Ufloat), None),
    (Format::BC1_UNORM, Some(T::Bc1RgbaUnorm), None),
    (Format::BC1_UNORM_SRGB, Some(T::Bc1RgbaUnormSrgb), None),
    (Format::BC2_UNORM, Some(T::Bc2RgbaUnorm), None),
    (Format::BC2_UNORM_SRGB, Some(T::Bc2RgbaUnormSrgb), None),
    (Format::BC3_UNORM, Some(T::Bc3RgbaUnorm), None),
    (Format::BC3_UNORM_SRGB, Some(T::Bc3RgbaUnormSrgb), None),
    (Format::BC4_UNORM, Some(T::Bc4RUnorm), None),
    (Format::BC4_SNORM, Some(T::Bc4RSnorm), None),
    (Format::BC5_UNORM, Some(T::Bc5RgUnorm), None),
    (Format::BC5_SNORM, Some(T::Bc5RgSnorm), None),
    (Format::B8G8R8A8_UNORM, Some(T::Bgra8Unorm), Some(V::Unorm8x4Bgra)),
    (Format::B8G8R8A8_UNORM_SRGB, Some(T::Bgra8UnormSrgb), None),
    (Format::BC6H_UF16, Some(T::Bc6hRgbUfloat), None),
    (Format::BC6H_SF16, Some(T::Bc6hRgbFloat), None),
    (Format::BC7_UNORM, Some(T::Bc7RgbaUnorm), None),
    (Format::BC7_UNORM_SRGB, Some(T::Bc7RgbaUnormSrgb), None),
];

/// The format in which a texture of a typeless format is created, unless it is a depth target: the family
/// member that most programs use for views. Views of this format and its sRGB twin need no second texture,
/// because wgpu allows these two view formats.
const TYPELESS: &[(Format, T)] = &[
    (Format::R32G32B32A32_TYPELESS, T::Rgba32Float),
    (Format::R16G16B16A16_TYPELESS, T::Rgba16Float),
    (Format::R32G32_TYPELESS, T::Rg32Float),
    (Format::R32G8X24_TYPELESS, T::Depth32FloatStencil8),
    (Format::R10G10B10A2_TYPELESS, T::Rgb10a2Unorm),
    (Format::R8G8B8A8_TYPELESS, T::Rgba8Unorm),
    (Format::R16G16_TYPELESS, T::Rg16Float),
    (Format::R32_TYPELESS, T::R32Float),
    (Format::R24G8_TYPELESS, T::Depth24PlusStencil8),
    (Format::R8G8_TYPELESS, T::Rg8Unorm),
    (Format::R16_TYPELESS, T::R16Float),
    (Format::R8_TYPELESS, T::R8Unorm),
    (Format::BC1_TYPELESS, T::Bc1RgbaUnorm),
    (Format::BC2_TYPELESS, T::Bc2RgbaUnorm),
    (Format::BC3_TYPELESS, T::Bc3RgbaUnorm),
    (Format::BC4_TYPELESS, T::Bc4RUnorm),
    (Format::BC5_TYPELESS, T::Bc5RgUnorm),
    (Format::B8G8R8A8_TYPELESS, T::Bgra8Unorm),
    (Format::BC6H_TYPELESS, T::Bc6hRgbUfloat),
    (Format::BC7_TYPELESS, T::Bc7RgbaUnorm),
];

/// The wgpu format of a typed format for textures and views, which the planes of depth formats lack, because
/// their views select an aspect instead.
pub(crate) fn texture_format(format: Format) -> Option<T> {
    let wide = || packed(format).filter(|_| !format.is_typeless()).map(|(wide, _)| wide);
    FORMATS.iter().find(|row| row.0 == format).and_then(|row| row.1).or_else(wide)
}

pub(crate) fn vertex_format(format: Format) -> Option<V> {
    FORMATS.iter().find(|row| row.0 == format)?.2
}

/// The format for creating a texture, which depends on whether the texture is a depth target.
pub(crate) fn physical_format(format: Format, bind_flags: BindFlags) -> Option<T> {
    if bind_flags.contains(BindFlags::DEPTH_STENCIL) {
        return texture_format(format.depth_stencil_format()?);
    }
    if format.is_typeless() {
        let wide = || packed(format).map(|(wide, _)| wide);
        return TYPELESS.iter().find(|row| row.0 == format).map(|row| row.1).or_else(wide);
    }
    let is_target = bind_flags.contains(BindFlags::RENDER_TARGET);
    texture_format(format).filter(|_| !is_target || !format.is_depth_stencil())
}

/// The sRGB counterpart of a linear format, or the linear counterpart of an sRGB format.
pub(crate) fn srgb_twin(format: T) -> Option<T> {
    let twin = if format.is_srgb() { format.remove_srgb_suffix() } else { format.add_srgb_suffix() };
    (twin != format).then_some(twin)
}

/// The format of a texture, or `UNKNOWN` for a buffer.
pub(crate) fn resource_format(desc: &ResourceDesc) -> Format {
    match desc {
        ResourceDesc::Texture(d) => d.format,
        _ => Format::UNKNOWN,
    }
}

/// The primitive topology without adjacency, or `None` for topologies that draw nothing: the undefined
/// topology, and patches, because hull shaders are unsupported.
pub(crate) fn topology(topology: PrimitiveTopology) -> Option<wgpu::PrimitiveTopology> {
    match topology.without_adjacency() {
        PrimitiveTopology::PointList => Some(wgpu::PrimitiveTopology::PointList),
        PrimitiveTopology::LineList => Some(wgpu::PrimitiveTopology::LineList),
        PrimitiveTopology::LineStrip => Some(wgpu::PrimitiveTopology::LineStrip),
        PrimitiveTopology::TriangleList => Some(wgpu::PrimitiveTopology::TriangleList),
        PrimitiveTopology::TriangleStrip => Some(wgpu::PrimitiveTopology::TriangleStrip),
        _ => None,
    }
}

pub(crate) fn compare(func: ComparisonFunc) -> wgpu::CompareFunction {
    match func {
        ComparisonFunc::Never => wgpu::CompareFunction::Never,
        ComparisonFunc::Less => wgpu::CompareFunction::Less,
        ComparisonFunc::Equal => wgpu::CompareFunction::Equal,
        ComparisonFunc::LessEqual => wgpu::CompareFunction::LessEqual,
        ComparisonFunc::Greater => wgpu::CompareFunction::Greater,
        ComparisonFunc::NotEqual => wgpu::CompareFunction::NotEqual,
        ComparisonFunc::GreaterEqual => wgpu::CompareFunction::GreaterEqual,
        ComparisonFunc::Always => wgpu::CompareFunction::Always,
    }
}

fn stencil_operation(op: StencilOp) -> wgpu::StencilOperation {
    match op {
        StencilOp::Keep => wgpu::StencilOperation::Keep,
        StencilOp::Zero => wgpu::StencilOperation::Zero,
        StencilOp::Replace => wgpu::StencilOperation::Replace,
        StencilOp::IncrSat => wgpu::StencilOperation::IncrementClamp,
        StencilOp::DecrSat => wgpu::StencilOperation::DecrementClamp,
        StencilOp::Invert => wgpu::StencilOperation::Invert,
        StencilOp::Incr => wgpu::StencilOperation::IncrementWrap,
        StencilOp::Decr => wgpu::StencilOperation::DecrementWrap,
    }
}

fn stencil_face(op: &DepthStencilOpDesc) -> wgpu::StencilFaceState {
    wgpu::StencilFaceState {
        compare: compare(op.stencil_func),
        fail_op: stencil_operation(op.stencil_fail_op),
        depth_fail_op: stencil_operation(op.stencil_depth_fail_op),
        pass_op: stencil_operation(op.stencil_pass_op),
    }
}

/// The stencil test or, if it is disabled, wgpu's default, which does nothing.
pub(crate) fn stencil(desc: &DepthStencilDesc) -> wgpu::StencilState {
    if !desc.stencil_enable {
        return wgpu::StencilState::default();
    }
    wgpu::StencilState {
        front: stencil_face(&desc.front_face),
        back: stencil_face(&desc.back_face),
        read_mask: desc.stencil_read_mask.into(),
        write_mask: desc.stencil_write_mask.into(),
    }
}

fn blend_factor(blend: Blend) -> wgpu::BlendFactor {
    match blend {
        Blend::Zero => wgpu::BlendFactor::Zero,
        Blend::One => wgpu::BlendFactor::One,
        Blend::SrcColor => wgpu::BlendFactor::Src,
        Blend::InvSrcColor => wgpu::BlendFactor::OneMinusSrc,
        Blend::SrcAlpha => wgpu::BlendFactor::SrcAlpha,
        Blend::InvSrcAlpha => wgpu::BlendFactor::OneMinusSrcAlpha,
        Blend::DestAlpha => wgpu::BlendFactor::DstAlpha,
        Blend::InvDestAlpha => wgpu::BlendFactor::OneMinusDstAlpha,
        Blend::DestColor => wgpu::BlendFactor::Dst,
        Blend::InvDestColor => wgpu::BlendFactor::OneMinusDst,
        Blend::SrcAlphaSat => wgpu::BlendFactor::SrcAlphaSaturated,
        Blend::BlendFactor => wgpu::BlendFactor::Constant,
        Blend::InvBlendFactor => wgpu::BlendFactor::OneMinusConstant,
        Blend::Src1Color => wgpu::BlendFactor::Src1,
        Blend::InvSrc1Color => wgpu::BlendFactor::OneMinusSrc1,
        Blend::Src1Alpha => wgpu::BlendFactor::Src1Alpha,
        Blend::InvSrc1Alpha => wgpu::BlendFactor::OneMinusSrc1Alpha,
    }
}

fn blend_component(src: Blend, dest: Blend, op: BlendOp) -> wgpu::BlendComponent {
    let operation = match op {
        BlendOp::Add => wgpu::BlendOperation::Add,
        BlendOp::Subtract => wgpu::BlendOperation::Subtract,
        BlendOp::RevSubtract => wgpu::BlendOperation::ReverseSubtract,
        BlendOp::Min => wgpu::BlendOperation::Min,
        BlendOp::Max => wgpu::BlendOperation::Max,
    };
    // D3D11 ignores the factors of Min and Max, but wgpu requires them to be one.
    let ignored = matches!(op, BlendOp::Min | BlendOp::Max);
    let factor = |blend| if ignored { wgpu::BlendFactor::One } else { blend_factor(blend) };
    wgpu::BlendComponent { src_factor: factor(src), dst_factor: factor(dest), operation }
}

/// The blend state of a target, or `None` if blending is disabled.
pub(crate) fn blend(desc: &RenderTargetBlendDesc) -> Option<wgpu::BlendState> {
    desc.blend_enable.then(|| wgpu::BlendState {
        color: blend_component(desc.src_blend, desc.dest_blend, desc.blend_op),
        alpha: blend_component(desc.src_blend_alpha, desc.dest_blend_alpha, desc.blend_op_alpha),
    })
}

/// The write mask, whose bits are the same in both APIs.
pub(crate) fn color_writes(mask: ColorWrite) -> wgpu::ColorWrites {
    wgpu::ColorWrites::from_bits_truncate(mask.bits().into())
}

pub(crate) fn cull_mode(mode: CullMode) -> Option<wgpu::Face> {
    match mode {
        CullMode::None => None,
        CullMode::Front => Some(wgpu::Face::Front),
        CullMode::Back => Some(wgpu::Face::Back),
    }
}

/// The address mode, which becomes `ClampToEdge` if wgpu lacks the mode or the adapter lacks borders, because
/// shaders emulate these modes.
pub(crate) fn address_mode(mode: TextureAddressMode, has_border: bool) -> wgpu::AddressMode {
    match mode {
        TextureAddressMode::Wrap => wgpu::AddressMode::Repeat,
        TextureAddressMode::Mirror => wgpu::AddressMode::MirrorRepeat,
        TextureAddressMode::Border if has_border => wgpu::AddressMode::ClampToBorder,
        TextureAddressMode::Clamp | TextureAddressMode::Border | TextureAddressMode::MirrorOnce => {
            wgpu::AddressMode::ClampToEdge
        }
    }
}

/// The border colour, or `None` if it is not one of the three that wgpu supports.
pub(crate) fn border_color(color: [f32; 4]) -> Option<wgpu::SamplerBorderColor> {
    match color {
        [0.0, 0.0, 0.0, 0.0] => Some(wgpu::SamplerBorderColor::TransparentBlack),
        [0.0, 0.0, 0.0, 1.0] => Some(wgpu::SamplerBorderColor::OpaqueBlack),
        [1.0, 1.0, 1.0, 1.0] => Some(wgpu::SamplerBorderColor::OpaqueWhite),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_texture_format_has_the_size_and_the_meaning_of_its_name() {
        for &(format, texture, _) in FORMATS {
            let Some(texture) = texture else { continue };
            assert_eq!(texture.is_srgb(), format.is_srgb(), "{format:?}");
            assert_eq!(texture.is_depth_stencil_format(), format.is_depth_stencil(), "{format:?}");
            assert_eq!(texture.has_stencil_aspect(), format.has_stencil(), "{format:?}");
            assert_eq!(texture.block_dimensions(), format.block_size(), "{format:?}");
            if !format.is_depth_stencil() {
                assert_eq!(texture.block_copy_size(None), Some(format.bytes_per_block()), "{format:?}");
                assert_eq!(u32::from(texture.components()), format.component_count(), "{format:?}");
                let integer = matches!(
                    texture.sample_type(None, None),
                    Some(wgpu::TextureSampleType::Uint | wgpu::TextureSampleType::Sint)
                );
                assert_eq!(integer, format.is_integer(), "{format:?}");
            }
        }
    }

    #[test]
    fn a_vertex_format_has_the_size_of_its_name() {
        for &(format, _, vertex) in FORMATS {
            if let Some(vertex) = vertex {
                assert_eq!(vertex.size(), u64::from(format.bytes_per_block()), "{format:?}");
            }
        }
    }

    #[test]
    fn no_format_has_two_rows_and_no_two_formats_are_the_same() {
        for (i, a) in FORMATS.iter().enumerate() {
            for b in &FORMATS[i + 1..] {
                assert!(
                    a.0 != b.0 && (a.1.is_none() || a.1 != b.1) && (a.2.is_none() || a.2 != b.2),
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn a_typeless_texture_is_a_member_of_its_family() {
        for &(format, physical) in TYPELESS {
            assert!(format.is_typeless());
            let member = FORMATS.iter().find(|row| row.1 == Some(physical)).unwrap().0;
            assert_eq!(member.family(), format);
        }
        let missing: Vec<_> = Format::ALL
            .iter()
            .filter(|f| f.is_typeless() && physical_format(**f, BindFlags::SHADER_RESOURCE).is_none())
            .collect();
        assert_eq!(missing, [&Format::R32G32B32_TYPELESS]);
    }

    #[test]
    fn a_depth_target_is_a_depth_texture_and_nothing_else_is() {
        for (format, expected) in [
            (Format::R32G8X24_TYPELESS, Some(T::Depth32FloatStencil8)),
            (Format::R32_TYPELESS, Some(T::Depth32Float)),
            (Format::R24G8_TYPELESS, Some(T::Depth24PlusStencil8)),
            (Format::R16_TYPELESS, Some(T::Depth16Unorm)),
            (Format::D32_FLOAT, Some(T::Depth32Float)),
            (Format::R8G8B8A8_UNORM, None),
        ] {
            assert_eq!(physical_format(format, BindFlags::DEPTH_STENCIL), expected, "{format:?}");
        }
        assert_eq!(physical_format(Format::R32_TYPELESS, BindFlags::SHADER_RESOURCE), Some(T::R32Float));
        assert_eq!(physical_format(Format::D32_FLOAT, BindFlags::RENDER_TARGET), None);
    }

    #[test]
    fn twins_differ_in_srgb_only() {
        assert_eq!(srgb_twin(T::Rgba8Unorm), Some(T::Rgba8UnormSrgb));
        assert_eq!(srgb_twin(T::Bc1RgbaUnormSrgb), Some(T::Bc1RgbaUnorm));
        assert_eq!(srgb_twin(T::Rgba16Float), None);
    }

    #[test]
    fn min_and_max_ignore_their_factors() {
        let desc = RenderTargetBlendDesc { blend_op: BlendOp::Max, ..RenderTargetBlendDesc::alpha() };
        let blend = blend(&desc).unwrap();
        assert_eq!(
            (blend.color.src_factor, blend.color.dst_factor),
            (wgpu::BlendFactor::One, wgpu::BlendFactor::One)
        );
        assert_eq!(blend.alpha.dst_factor, wgpu::BlendFactor::OneMinusSrcAlpha);
    }

    #[test]
    fn write_masks_keep_their_bits() {
        for (mask, expected) in [
            (ColorWrite::RED, wgpu::ColorWrites::RED),
            (ColorWrite::GREEN, wgpu::ColorWrites::GREEN),
            (ColorWrite::BLUE, wgpu::ColorWrites::BLUE),
            (ColorWrite::ALPHA, wgpu::ColorWrites::ALPHA),
            (ColorWrite::ALL, wgpu::ColorWrites::ALL),
        ] {
            assert_eq!(color_writes(mask), expected);
        }
    }

    #[test]
    fn a_stencil_test_that_is_off_keeps_everything() {
        let off = DepthStencilDesc { stencil_enable: false, ..DepthStencilDesc::default() };
        assert_eq!(stencil(&off), wgpu::StencilState::default());
        let face = DepthStencilOpDesc { stencil_pass_op: StencilOp::Incr, ..DepthStencilOpDesc::default() };
        let on = DepthStencilDesc { stencil_enable: true, front_face: face, ..off };
        assert_eq!(stencil(&on).front.pass_op, wgpu::StencilOperation::IncrementWrap);
        assert_eq!(stencil(&on).back.pass_op, wgpu::StencilOperation::Keep);
    }

    #[test]
    fn only_three_border_colors_exist() {
        assert_eq!(border_color([0.0, 0.0, 0.0, 1.0]), Some(wgpu::SamplerBorderColor::OpaqueBlack));
        assert_eq!(border_color([0.5, 0.0, 0.0, 1.0]), None);
    }
}
