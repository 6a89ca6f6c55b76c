//! Validation of the descriptors of state objects, against Direct3D 11's rules and the device's features.
//!
//! The functions return descriptors as `GetDesc` reports them, where fields without effect have their
//! defaults, so that descriptors with the same effect result in one object.

use onze_ddi::{
    BlendDesc, ColorWrite, ComparisonFunc, ConservativeRasterizationMode, DepthStencilDesc, Features,
    FillMode, Filter, FilterReduction, LogicOp, PipelineCaps, RasterizerDesc, RenderTargetBlendDesc,
    SamplerDesc, TextureAddressMode,
};

use super::need;
use crate::report::Error;

/// Range of the mip level bias (D3D11: `D3D11_MIP_LOD_BIAS_MIN` and `D3D11_MIP_LOD_BIAS_MAX`).
const MIP_LOD_BIAS: std::ops::RangeInclusive<f32> = -16.0..=15.99;
/// Maximum anisotropy of a sampler, in samples (D3D11: `D3D11_REQ_MAXANISOTROPY`).
const MAX_ANISOTROPY: u32 = 16;
/// Valid values of `D3D11_RASTERIZER_DESC1::ForcedSampleCount`, where 0 selects the sample count of the
/// targets.
const FORCED_SAMPLE_COUNTS: [u32; 6] = [0, 1, 2, 4, 8, 16];
/// The border colours that are available without [`Features::BORDER_COLOR`].
const PLAIN_BORDERS: [[f32; 4]; 3] = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]];

/// Checks a blend descriptor, and returns it with the defaults in all fields that have no effect.
///
/// Fields without effect are not checked, because descriptors that are zero except for a few fields are
/// common. Targets other than 0 are therefore checked only if the targets are independent, and factors only
/// if blending is on. Unless the targets are independent, all targets are equal in the result. A logic
/// operation applies to all targets (D3D11.3 functional specification, 17.7.2).
pub(crate) fn blend(desc: &BlendDesc, caps: &PipelineCaps) -> Result<BlendDesc, Error> {
    let in_effect =
        if desc.independent_blend_enable { &desc.render_target[..] } else { &desc.render_target[..1] };
    let each = |check: &dyn Fn(&RenderTargetBlendDesc) -> Result<(), Error>| {
        let mut targets = in_effect.iter().enumerate();
        targets.try_for_each(|(i, target)| {
            check(target).map_err(|e| e.about(format_args!("blend state, target {i}")))
        })
    };
    // Features are checked last, so that a missing feature does not hide an invalid field of another target.
    each(&|target| target_rules(target, desc.independent_blend_enable))?;
    each(&|target| target_available(target, caps))?;
    let targets = if desc.independent_blend_enable { desc.render_target } else { [desc.render_target[0]; 8] };
    Ok(BlendDesc { render_target: targets.map(normalised_blend), ..*desc })
}

fn normalised_blend(target: RenderTargetBlendDesc) -> RenderTargetBlendDesc {
    if target.blend_enable {
        return RenderTargetBlendDesc { logic_op: LogicOp::Noop, ..target };
    }
    let RenderTargetBlendDesc { logic_op_enable, logic_op, render_target_write_mask, .. } = target;
    RenderTargetBlendDesc {
        logic_op_enable,
        logic_op: if logic_op_enable { logic_op } else { LogicOp::Noop },
        render_target_write_mask,
        ..Default::default()
    }
}

fn target_rules(target: &RenderTargetBlendDesc, is_independent: bool) -> Result<(), Error> {
    let unknown = target.render_target_write_mask.difference(ColorWrite::ALL).bits();
    if unknown != 0 {
        return invalid!(
            "render_target_write_mask has unknown bits {unknown:#x}; use the flags of ColorWrite"
        );
    }
    if target.logic_op_enable && target.blend_enable {
        return invalid!("logic_op_enable and blend_enable are mutually exclusive; set one of them to false");
    }
    if target.logic_op_enable && is_independent {
        return invalid!("a logic operation applies to all targets; set independent_blend_enable to false");
    }
    if !target.blend_enable {
        return Ok(());
    }
    for (what, factor) in
        [("src_blend_alpha", target.src_blend_alpha), ("dest_blend_alpha", target.dest_blend_alpha)]
    {
        if factor.is_color() {
            return invalid!(
                "{what} needs an alpha factor, found the colour factor {factor:?}; use an alpha factor such as \
                 Blend::SrcAlpha"
            );
        }
    }
    Ok(())
}

fn target_available(target: &RenderTargetBlendDesc, caps: &PipelineCaps) -> Result<(), Error> {
    if target.logic_op_enable {
        need(caps, Features::LOGIC_OPS, "logic_op_enable")?;
    }
    if !target.blend_enable {
        return Ok(());
    }
    let factors = [target.src_blend, target.dest_blend, target.src_blend_alpha, target.dest_blend_alpha];
    if let Some(factor) = factors.into_iter().find(|f| f.is_dual_source()) {
        need(caps, Features::DUAL_SOURCE_BLEND, format_args!("{factor:?}"))?;
    }
    Ok(())
}

/// Normalises a depth-stencil descriptor; all combinations of its fields are valid. In the result, the fields
/// of a test (depth or stencil) that is off have their defaults.
pub(crate) fn depth_stencil(
    desc: &DepthStencilDesc,
    _caps: &PipelineCaps,
) -> Result<DepthStencilDesc, Error> {
    let (mut desc, off) = (*desc, DepthStencilDesc::default());
    if !desc.depth_enable {
        desc.depth_write = off.depth_write;
        desc.depth_func = off.depth_func;
    }
    if !desc.stencil_enable {
        desc.stencil_read_mask = off.stencil_read_mask;
        desc.stencil_write_mask = off.stencil_write_mask;
        desc.front_face = off.front_face;
        desc.back_face = off.back_face;
    }
    Ok(desc)
}

/// Checks a rasterizer descriptor, and returns it as `GetDesc` reports it.
pub(crate) fn rasterizer(desc: &RasterizerDesc, caps: &PipelineCaps) -> Result<RasterizerDesc, Error> {
    let check = || {
        numbers(&[
            ("depth_bias_clamp", desc.depth_bias_clamp),
            ("slope_scaled_depth_bias", desc.slope_scaled_depth_bias),
        ])?;
        if !FORCED_SAMPLE_COUNTS.contains(&desc.forced_sample_count) {
            return invalid!(
                "forced_sample_count must be 0, 1, 2, 4, 8 or 16, found {}; 0 uses the sample count of the targets",
                desc.forced_sample_count
            );
        }
        let is_conservative = desc.conservative_raster == ConservativeRasterizationMode::On;
        if is_conservative && desc.fill_mode != FillMode::Solid {
            return invalid!(
                "ConservativeRasterizationMode::On needs FillMode::Solid, found {:?}",
                desc.fill_mode
            );
        }
        if desc.fill_mode == FillMode::Wireframe {
            need(caps, Features::WIREFRAME, "FillMode::Wireframe")?;
        }
        if !desc.depth_clip_enable {
            need(caps, Features::DEPTH_CLIP_DISABLE, "depth_clip_enable: false")?;
        }
        if desc.antialiased_line_enable && !desc.multisample_enable {
            need(caps, Features::ANTIALIASED_LINES, "antialiased_line_enable")?;
        }
        if desc.forced_sample_count != 0 {
            let count = desc.forced_sample_count;
            need(caps, Features::FORCED_SAMPLE_COUNT, format_args!("forced_sample_count: {count}"))?;
        }
        if is_conservative {
            need(caps, Features::CONSERVATIVE_RASTERIZATION, "ConservativeRasterizationMode::On")?;
        }
        Ok(*desc)
    };
    check().map_err(|e: Error| e.about("rasterizer state"))
}

/// Checks and normalises a sampler descriptor. Fields that the filter and the address modes do not use get
/// neutral values, and of an anisotropic filter, only the reduction is kept.
pub(crate) fn sampler(desc: &SamplerDesc, caps: &PipelineCaps) -> Result<SamplerDesc, Error> {
    sampler_rules(desc)
        .and_then(|()| {
            let desc = normalised(desc);
            sampler_available(&desc, caps).map(|()| desc)
        })
        .map_err(|e| e.about("sampler"))
}

fn sampler_rules(desc: &SamplerDesc) -> Result<(), Error> {
    let [red, green, blue, alpha] = desc.border_color;
    numbers(&[
        ("mip_lod_bias", desc.mip_lod_bias),
        ("min_lod", desc.min_lod),
        ("max_lod", desc.max_lod),
        ("border_color[0]", red),
        ("border_color[1]", green),
        ("border_color[2]", blue),
        ("border_color[3]", alpha),
    ])?;
    if !MIP_LOD_BIAS.contains(&desc.mip_lod_bias) {
        let (least, most) = (MIP_LOD_BIAS.start(), MIP_LOD_BIAS.end());
        return invalid!("mip_lod_bias must be {least} to {most}, found {}", desc.mip_lod_bias);
    }
    if desc.filter.anisotropic && !(1..=MAX_ANISOTROPY).contains(&desc.max_anisotropy) {
        return invalid!(
            "max_anisotropy must be 1 to {MAX_ANISOTROPY}, found {}; {MAX_ANISOTROPY} gives the best quality, or choose a \
             filter that is not anisotropic",
            desc.max_anisotropy
        );
    }
    Ok(())
}

fn address_modes(desc: &SamplerDesc) -> [TextureAddressMode; 3] {
    [desc.address_u, desc.address_v, desc.address_w]
}

fn normalised(desc: &SamplerDesc) -> SamplerDesc {
    let mut desc = *desc;
    if desc.filter.anisotropic {
        desc.filter = Filter { reduction: desc.filter.reduction, ..Filter::ANISOTROPIC };
    } else {
        desc.max_anisotropy = 0;
    }
    if !desc.filter.is_comparison() {
        desc.comparison_func = ComparisonFunc::Never;
    }
    if !address_modes(&desc).contains(&TextureAddressMode::Border) {
        desc.border_color = [0.0; 4];
    }
    desc
}

fn sampler_available(desc: &SamplerDesc, caps: &PipelineCaps) -> Result<(), Error> {
    if let FilterReduction::Minimum | FilterReduction::Maximum = desc.filter.reduction {
        need(caps, Features::MIN_MAX_FILTERS, format_args!("FilterReduction::{:?}", desc.filter.reduction))?;
    }
    let modes = address_modes(desc);
    if modes.contains(&TextureAddressMode::MirrorOnce) {
        need(caps, Features::MIRROR_ONCE, "TextureAddressMode::MirrorOnce")?;
    }
    if modes.contains(&TextureAddressMode::Border) {
        need(caps, Features::BORDER_ADDRESS, "TextureAddressMode::Border")?;
        if !PLAIN_BORDERS.contains(&desc.border_color) {
            let color = desc.border_color;
            need(
                caps,
                Features::BORDER_COLOR,
                format_args!(
                    "the border colour {color:?}, other than transparent black, opaque black and opaque white,"
                ),
            )?;
        }
    }
    Ok(())
}

/// Rejects NaN in the fields of a descriptor, with an error that names the field.
fn numbers(values: &[(&str, f32)]) -> Result<(), Error> {
    match values.iter().find(|(_, value)| value.is_nan()) {
        Some((what, _)) => invalid!("{what} is NaN; set a number"),
        None => Ok(()),
    }
}
