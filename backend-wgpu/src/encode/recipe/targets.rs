//! Targets, blending, depth and multisampling of a pipeline.

use onze_ddi::{DsvFlags, ScalarKind};

use crate::{
    encode::parts::{
        pipelines::PipelineKey, ranges::TARGETS, sample_counter::counter_target, state::DrawState,
        stored_pipelines::PipelineRefusal,
    },
    objects::{
        shader::{AlphaUse, Outputs, Shader},
        state::RasterizerState,
    },
    services::gpu::Gpu,
};

use super::skipped;

/// Returns the kind of the values that a pixel shader writes to a target of a format.
pub(super) fn kind_of(format: wgpu::TextureFormat) -> Option<ScalarKind> {
    match format.sample_type(None, None)? {
        wgpu::TextureSampleType::Float { .. } => Some(ScalarKind::Float),
        wgpu::TextureSampleType::Uint => Some(ScalarKind::Uint),
        wgpu::TextureSampleType::Sint => Some(ScalarKind::Sint),
        wgpu::TextureSampleType::Depth => None,
    }
}

/// Returns the kind of the zeros for the first target, if the shader does not write to it. Returns `None` if
/// no other target is written or counts samples.
pub(super) fn fills_first(key: &PipelineKey, pixel: Option<&Shader>) -> Option<ScalarKind> {
    let gives = |at: u32| pixel.is_some_and(|pixel| pixel.code.reflection.output(at).is_some());
    let (first, others) = key.setting.color_formats.split_first()?;
    let is_given = |(at, format): (u32, &Option<_>)| format.is_some() && gives(at);
    let is_used = key.setting.counter.is_some() || (1..).zip(others).any(is_given);
    first.filter(|_| is_used && key.setting.counter != Some(0) && !gives(0)).and_then(kind_of)
}

pub(super) fn color_targets(
    gpu: &Gpu,
    state: &DrawState<'_>,
    key: &PipelineKey,
    pixel: Option<&Shader>,
) -> Result<[Option<wgpu::ColorTargetState>; TARGETS], PipelineRefusal> {
    let mut targets = [const { None }; TARGETS];
    if let Some(pixel) = pixel
        && state.blend.is_some_and(|blend| blend.dual_source)
    {
        let code = &pixel.code.reflection;
        if !code.dual_source && !code.gives_two_sources() {
            return Err(skipped(
                "the blend state has SRC1 factors, and the pixel shader does not give the colours of both target 0 \
                 and target 1; give both, or use a blend state without SRC1 factors",
            ));
        }
        let mut others = (1_u32..).zip(key.setting.color_formats.iter().skip(1));
        if let Some((slot, _)) = others.find(|(_, format)| format.is_some()) {
            return Err(skipped(&format!(
                "the blend state has SRC1 factors, and a target is bound in slot {slot}; with two sources only slot 0 may \
                 have a target"
            )));
        }
    }
    for (at, (target, format)) in targets.iter_mut().zip(key.setting.color_formats).enumerate() {
        let Some(format) = format else { continue };
        if key.setting.counter.map(usize::from) == Some(at) {
            let mut counter = counter_target(format);
            if key.leaves_out_all_samples() {
                counter.write_mask = wgpu::ColorWrites::empty();
            }
            *target = Some(counter);
            continue;
        }
        let output = pixel.and_then(|shader| shader.code.reflection.output(at as u32));
        let is_blendable =
            || gpu.format_features(format).flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE);
        let blend = state.blend.and_then(|blend| blend.targets.get(at).copied().flatten());
        let write_mask = match (output, state.blend) {
            (Some(_), _) if key.leaves_out_all_samples() => wgpu::ColorWrites::empty(),
            // Direct3D 11 keeps the contents of a target that the shader does not write.
            (None, _) => wgpu::ColorWrites::empty(),
            (Some(_), None) => wgpu::ColorWrites::ALL,
            (Some(_), Some(blend)) => blend.write_masks.get(at).copied().unwrap_or(wgpu::ColorWrites::ALL),
        };
        let hidden = wgpu::ColorWrites::from_bits_truncate(key.setting.hidden >> (4 * at));
        let write_mask = write_mask - hidden;
        let blend = blend.filter(|_| output.is_some() && is_blendable());
        *target = Some(wgpu::ColorTargetState { format, blend, write_mask });
    }
    Ok(targets)
}

/// Returns a location that has neither an output of the pixel shader nor a target.
pub(super) fn free_location(state: &DrawState<'_>, key: &PipelineKey, pixel: &Shader) -> Option<u32> {
    let reflection = &pixel.code.reflection;
    if blends_two_sources(state, pixel) {
        // The output at this location is dropped, like all colours without a target.
        return Some(TARGETS as u32 - 1);
    }
    // A shader with a second output for blending can have no other outputs.
    let is_free = |at: &u32| {
        reflection.output(*at).is_none()
            && key.setting.color_formats.get(*at as usize).is_some_and(Option::is_none)
    };
    (0..TARGETS as u32).filter(|_| !reflection.dual_source).find(is_free)
}

pub(super) fn primitive(
    rasterizer: Option<&RasterizerState>,
    wide_strip: bool,
    topology: wgpu::PrimitiveTopology,
) -> wgpu::PrimitiveState {
    let is_strip =
        matches!(topology, wgpu::PrimitiveTopology::LineStrip | wgpu::PrimitiveTopology::TriangleStrip);
    let index_format = if wide_strip { wgpu::IndexFormat::Uint32 } else { wgpu::IndexFormat::Uint16 };
    wgpu::PrimitiveState {
        topology,
        strip_index_format: is_strip.then_some(index_format),
        // By default, D3D11 culls back faces, and clockwise triangles face the viewer.
        front_face: rasterizer.map_or(wgpu::FrontFace::Cw, |r| r.front_face),
        cull_mode: rasterizer.map_or(Some(wgpu::Face::Back), |r| r.cull_mode),
        unclipped_depth: rasterizer.is_some_and(|r| r.unclipped_depth),
        polygon_mode: rasterizer.map_or(wgpu::PolygonMode::Fill, |r| r.polygon_mode),
        // Not every adapter supports conservative rasterization of points and lines.
        conservative: is_triangles(topology) && rasterizer.is_some_and(|r| r.conservative),
    }
}

pub(super) fn depth_stencil(
    state: &DrawState<'_>,
    key: &PipelineKey,
    topology: wgpu::PrimitiveTopology,
) -> Option<wgpu::DepthStencilState> {
    let format = key.setting.depth_format?;
    let has_depth = format.has_depth_aspect();
    let depth_write = state.depth_stencil.is_none_or(|s| s.depth_write);
    let compare = state.depth_stencil.map_or(wgpu::CompareFunction::Less, |s| s.depth_compare);
    let mut stencil = match state.depth_stencil {
        Some(depth_stencil) if format.has_stencil_aspect() => depth_stencil.stencil.clone(),
        _ => wgpu::StencilState::default(),
    };
    if key.setting.read_only.contains(DsvFlags::READ_ONLY_STENCIL) || key.leaves_out_all_samples() {
        stencil.write_mask = 0;
    }
    let biased = state.rasterizer.filter(|_| is_triangles(topology));
    let bias = biased.map_or_else(wgpu::DepthBiasState::default, |r| r.bias);
    let depth_write = depth_write && !key.leaves_out_all_samples();
    let writes_depth = depth_write && !key.setting.read_only.contains(DsvFlags::READ_ONLY_DEPTH);
    Some(wgpu::DepthStencilState {
        format,
        depth_write_enabled: Some(has_depth && writes_depth),
        depth_compare: Some(if has_depth { compare } else { wgpu::CompareFunction::Always }),
        stencil,
        bias,
    })
}

/// Returns the conversions of a pixel shader's outputs for the bound targets.
pub(super) fn outputs(state: &DrawState<'_>, key: &PipelineKey, pixel: &Shader) -> Outputs {
    let reflection = &pixel.code.reflection;
    let samples = key.setting.samples;
    let alpha = match covers_by_alpha(state, pixel) {
        true if samples == 1 => AlphaUse::Kills,
        true if !has_alpha_coverage(key) => AlphaUse::Covers(samples as u8),
        _ => AlphaUse::Plain,
    };
    let are_sources = blends_two_sources(state, pixel);
    let is_blended = |at: u32| state.blend.is_some_and(|blend| blend.targets[at as usize].is_some());
    let widened = (0..TARGETS as u32).filter(|at| {
        let format = key.setting.color_formats[*at as usize];
        let needed = match format {
            Some(_) if is_blended(*at) => 4,
            Some(format) => format.components(),
            None => 0,
        };
        let needs_all = *at == 0 && covers_by_alpha(state, pixel) || *at < 2 && are_sources;
        let needed = if needs_all { 4 } else { needed };
        reflection.output(*at).is_some_and(|output| output.components < needed)
    });
    let recast = std::array::from_fn(|at| {
        let is_counter = key.setting.counter.map(usize::from) == Some(at);
        // Both blend sources have the kind of the only target that is bound.
        let target = if are_sources && at == 1 { 0 } else { at };
        let kind = key.setting.color_formats[target].filter(|_| !is_counter).and_then(kind_of)?;
        reflection.output(at as u32).is_some_and(|output| output.kind != kind).then_some(kind)
    });
    Outputs {
        recast,
        widened: widened.fold(0, |mask, at| mask | 1 << at),
        alpha,
        mask_kills: samples == 1 && reflection.writes_sample_mask,
        are_sources,
    }
}

pub(super) fn multisample(
    state: &DrawState<'_>,
    key: &PipelineKey,
    pixel: Option<&Shader>,
) -> wgpu::MultisampleState {
    let covers = pixel.is_some_and(|pixel| covers_by_alpha(state, pixel));
    wgpu::MultisampleState {
        count: key.setting.samples,
        // Not every adapter supports an empty mask, so write masks disable the targets instead.
        mask: if key.leaves_out_all_samples() { !0 } else { key.setting.sample_mask.into() },
        alpha_to_coverage_enabled: covers && has_alpha_coverage(key),
    }
}

/// Returns whether the colours at locations 0 and 1 become the two sources of blending.
pub(super) fn blends_two_sources(state: &DrawState<'_>, pixel: &Shader) -> bool {
    let code = &pixel.code.reflection;
    state.blend.is_some_and(|blend| blend.dual_source) && !code.dual_source && code.gives_two_sources()
}

pub(super) fn is_triangles(topology: wgpu::PrimitiveTopology) -> bool {
    matches!(topology, wgpu::PrimitiveTopology::TriangleList | wgpu::PrimitiveTopology::TriangleStrip)
}

/// Returns whether the alpha of the first colour selects the samples that are written. It does not if the
/// shader writes a sample mask.
pub(super) fn covers_by_alpha(state: &DrawState<'_>, pixel: &Shader) -> bool {
    let reflection = &pixel.code.reflection;
    state.blend.is_some_and(|blend| blend.desc.alpha_to_coverage_enable)
        && !reflection.writes_sample_mask
        && reflection.output(0).is_some_and(|output| output.kind == ScalarKind::Float)
}

/// Returns whether wgpu can convert alpha to coverage: the targets are multisampled, and the first one has an
/// alpha component that is not an integer.
pub(super) fn has_alpha_coverage(key: &PipelineKey) -> bool {
    let [first, ..] = key.setting.color_formats;
    key.setting.samples > 1
        && first.is_some_and(|format| format.components() == 4 && kind_of(format) == Some(ScalarKind::Float))
}
