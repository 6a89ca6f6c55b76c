//! The four state objects and the input layout, converted to wgpu except for fields that depend on other
//! state.

use std::sync::Arc;

use onze_ddi::{
    BlendDesc, ConservativeRasterizationMode, CreateError, DepthStencilDesc, ElementDesc, FillMode, Format,
    InputClassification, RasterizerDesc, SamplerDesc, TextureAddressMode,
};

use crate::{
    objects::shader::bindings::PULL_GROUP,
    services::{cache_invalidation::CacheId, convert, gpu::Gpu},
};

#[derive(Debug)]
pub(crate) struct BlendState {
    pub(crate) id: CacheId,
    pub(crate) desc: BlendDesc,
    /// The blend of each target, or `None` if blending is disabled; without independent blending, all
    /// elements are copies of the first. If a target's format cannot be blended, `None` must be used instead
    /// of its element.
    pub(crate) targets: [Option<wgpu::BlendState>; 8],
    pub(crate) write_masks: [wgpu::ColorWrites; 8],
    /// Whether a target is blended with the pixel shader's second output, in which case the shader must have
    /// that output and no other target may be bound.
    pub(crate) dual_source: bool,
}

#[derive(Debug)]
pub(crate) struct DepthStencilState {
    pub(crate) id: CacheId,
    /// The comparison of the depth test, or `Always` if the depth test is disabled.
    pub(crate) depth_compare: wgpu::CompareFunction,
    /// Whether depth is written, which is false if the depth test is disabled.
    pub(crate) depth_write: bool,
    /// The stencil test, which passes and writes nothing if it is disabled.
    pub(crate) stencil: wgpu::StencilState,
}

#[derive(Debug)]
pub(crate) struct RasterizerState {
    pub(crate) id: CacheId,
    pub(crate) desc: RasterizerDesc,
    pub(crate) front_face: wgpu::FrontFace,
    pub(crate) cull_mode: Option<wgpu::Face>,
    pub(crate) polygon_mode: wgpu::PolygonMode,
    pub(crate) unclipped_depth: bool,
    pub(crate) conservative: bool,
    /// The depth bias, used only for triangles, because wgpu rejects a bias for other topologies.
    pub(crate) bias: wgpu::DepthBiasState,
}

#[derive(Debug)]
pub(crate) struct Sampler {
    pub(crate) id: CacheId,
    pub(crate) desc: SamplerDesc,
    pub(crate) sampler: wgpu::Sampler,
    pub(crate) comparison: bool,
    /// The same sampler without filtering and comparison, for textures that cannot be filtered. It equals
    /// `sampler` if `sampler` neither filters nor compares.
    pub(crate) point_twin: wgpu::Sampler,
}

/// The elements of an input layout that come from one vertex buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ElementSlot {
    pub(crate) slot: u32,
    pub(crate) step: StepRate,
    pub(crate) elements: Vec<VertexElement>,
    /// Bytes from the start of a vertex to the end of its last element.
    pub(crate) end: u64,
}

/// The rate at which a vertex buffer advances to its next element.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StepRate {
    Vertex,
    /// The buffer advances after this many instances, which is at least 1.
    Instances(u32),
}

impl StepRate {
    pub(crate) const fn is_per_instance(self) -> bool {
        matches!(self, Self::Instances(_))
    }

    /// Returns wgpu's step mode, or `None` if wgpu does not support the step rate.
    pub(crate) const fn mode(self) -> Option<wgpu::VertexStepMode> {
        match self {
            Self::Vertex => Some(wgpu::VertexStepMode::Vertex),
            Self::Instances(1) => Some(wgpu::VertexStepMode::Instance),
            Self::Instances(_) => None,
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct VertexElement {
    pub(crate) location: u32,
    /// The format in the vertex buffer.
    pub(crate) format: Format,
    /// The corresponding wgpu format, if there is one.
    pub(crate) fetched: Option<wgpu::VertexFormat>,
    pub(crate) offset: u32,
}

#[derive(Debug)]
pub(crate) struct ElementLayout {
    pub(crate) id: CacheId,
    pub(crate) slots: Vec<ElementSlot>,
    pub(crate) reads_by_instance: bool,
    /// Whether any slot has a step rate that wgpu does not support.
    pub(crate) has_step_rates: bool,
    /// Whether shaders must pull the elements ([`super::shader`]) because wgpu does not support the layout,
    /// whichever vertex buffers are bound.
    pub(crate) is_pulled: bool,
}

fn refused<T>(words: &'static str) -> Result<T, CreateError> {
    Err(CreateError::Application(words.into()))
}

impl BlendState {
    /// Creates a blend state.
    ///
    /// # Errors
    /// Returns an error if the state has a logic operation, or if it blends with the second output and the
    /// adapter does not support that.
    pub(crate) fn new(gpu: &Gpu, desc: &BlendDesc) -> Result<Arc<Self>, CreateError> {
        if desc.render_target.iter().any(|target| target.logic_op_enable) {
            return refused("wgpu has no logic operations (Features::LOGIC_OPS)");
        }
        let source = |i: usize| if desc.independent_blend_enable { desc.render_target.get(i) } else { None };
        let target = |i: usize| source(i).unwrap_or(&desc.render_target[0]);
        let dual_source = (0..desc.render_target.len()).map(target).any(|t| {
            let factors = [t.src_blend, t.dest_blend, t.src_blend_alpha, t.dest_blend_alpha];
            t.blend_enable && factors.iter().any(|blend| blend.is_dual_source())
        });
        if dual_source && !gpu.features.contains(wgpu::Features::DUAL_SOURCE_BLENDING) {
            return refused("the adapter cannot blend with a second output (Features::DUAL_SOURCE_BLEND)");
        }
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            desc: *desc,
            targets: std::array::from_fn(|i| convert::blend(target(i))),
            write_masks: std::array::from_fn(|i| convert::color_writes(target(i).render_target_write_mask)),
            dual_source,
        }))
    }
}

impl DepthStencilState {
    pub(crate) fn new(gpu: &Gpu, desc: &DepthStencilDesc) -> Arc<Self> {
        Arc::new(Self {
            id: gpu.invalidation.new_id(),
            depth_compare: if desc.depth_enable {
                convert::compare(desc.depth_func)
            } else {
                wgpu::CompareFunction::Always
            },
            depth_write: desc.depth_enable && desc.depth_write,
            stencil: convert::stencil(desc),
        })
    }
}

impl RasterizerState {
    /// Creates a rasterizer state, or returns an error that names the feature which the adapter lacks.
    pub(crate) fn new(gpu: &Gpu, desc: &RasterizerDesc) -> Result<Arc<Self>, CreateError> {
        if desc.fill_mode == FillMode::Wireframe && !gpu.features.contains(wgpu::Features::POLYGON_MODE_LINE)
        {
            return refused("the adapter cannot draw wireframes (Features::WIREFRAME)");
        }
        if !desc.depth_clip_enable && !gpu.features.contains(wgpu::Features::DEPTH_CLIP_CONTROL) {
            return refused("the adapter cannot switch depth clipping off (Features::DEPTH_CLIP_DISABLE)");
        }
        let conservative = desc.conservative_raster == ConservativeRasterizationMode::On;
        if conservative && !gpu.features.contains(wgpu::Features::CONSERVATIVE_RASTERIZATION) {
            return refused(
                "the adapter cannot rasterize conservatively (Features::CONSERVATIVE_RASTERIZATION)",
            );
        }
        if desc.forced_sample_count != 0 {
            return refused("wgpu uses the sample count of the targets (Features::FORCED_SAMPLE_COUNT)");
        }
        if desc.antialiased_line_enable && !desc.multisample_enable {
            return refused("wgpu does not anti-alias lines (Features::ANTIALIASED_LINES)");
        }
        let has_clamp = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::DEPTH_BIAS_CLAMP);
        if desc.depth_bias_clamp != 0.0 && !has_clamp {
            return refused("the adapter cannot clamp the depth bias");
        }
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            desc: *desc,
            front_face: if desc.front_counter_clockwise { wgpu::FrontFace::Ccw } else { wgpu::FrontFace::Cw },
            cull_mode: convert::cull_mode(desc.cull_mode),
            polygon_mode: match desc.fill_mode {
                FillMode::Wireframe => wgpu::PolygonMode::Line,
                FillMode::Solid => wgpu::PolygonMode::Fill,
            },
            unclipped_depth: !desc.depth_clip_enable,
            conservative,
            bias: wgpu::DepthBiasState {
                constant: desc.depth_bias,
                slope_scale: desc.slope_scaled_depth_bias,
                clamp: desc.depth_bias_clamp,
            },
        }))
    }
}

/// A level of detail above any mip level, needed because wgpu requires a finite maximum.
const MOST_LOD: f32 = 32.0;

impl Sampler {
    /// Creates a sampler, or returns an error if the GPU is out of memory. Shaders emulate the features that
    /// wgpu's sampler lacks ([`super::shader::Sampling`]).
    pub(crate) fn new(gpu: &Gpu, desc: &SamplerDesc) -> Result<Arc<Self>, CreateError> {
        let descriptor = sampler_descriptor(gpu, desc);
        let comparison = desc.filter.is_comparison();
        let filtering = [descriptor.mag_filter, descriptor.min_filter].contains(&wgpu::FilterMode::Linear)
            || descriptor.mipmap_filter == wgpu::MipmapFilterMode::Linear;
        let (sampler, point_twin) = gpu.guarded(|| {
            let sampler = gpu.device.create_sampler(&descriptor);
            let point_twin = if comparison || filtering {
                gpu.device.create_sampler(&without_filter(&descriptor))
            } else {
                sampler.clone()
            };
            (sampler, point_twin)
        })?;
        Ok(Arc::new(Self { id: gpu.invalidation.new_id(), desc: *desc, sampler, comparison, point_twin }))
    }
}

pub(crate) fn without_filter<'a>(descriptor: &wgpu::SamplerDescriptor<'a>) -> wgpu::SamplerDescriptor<'a> {
    wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Nearest,
        min_filter: wgpu::FilterMode::Nearest,
        mipmap_filter: wgpu::MipmapFilterMode::Nearest,
        anisotropy_clamp: 1,
        compare: None,
        ..descriptor.clone()
    }
}

/// Converts D3D11's sampler to wgpu, without the features that wgpu lacks.
pub(crate) fn sampler_descriptor(gpu: &Gpu, desc: &SamplerDesc) -> wgpu::SamplerDescriptor<'static> {
    let has_border = gpu.features.contains(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER);
    let modes = [desc.address_u, desc.address_v, desc.address_w];
    let border = modes.contains(&TextureAddressMode::Border).then_some(desc.border_color);
    let [u, v, w] = modes.map(|mode| convert::address_mode(mode, has_border));
    let filter = desc.filter;
    let linear =
        |on| if on || filter.anisotropic { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    let lod_min_clamp = desc.min_lod.clamp(0.0, MOST_LOD);
    wgpu::SamplerDescriptor {
        label: None,
        address_mode_u: u,
        address_mode_v: v,
        address_mode_w: w,
        mag_filter: linear(filter.mag_linear),
        min_filter: linear(filter.min_linear),
        mipmap_filter: match linear(filter.mip_linear) {
            wgpu::FilterMode::Linear => wgpu::MipmapFilterMode::Linear,
            wgpu::FilterMode::Nearest => wgpu::MipmapFilterMode::Nearest,
        },
        lod_min_clamp,
        // If the minimum exceeds the maximum, the minimum is used for both.
        lod_max_clamp: desc.max_lod.clamp(lod_min_clamp, MOST_LOD),
        compare: filter.is_comparison().then(|| convert::compare(desc.comparison_func)),
        anisotropy_clamp: if filter.anisotropic { desc.max_anisotropy.clamp(1, 16) as u16 } else { 1 },
        border_color: border
            .filter(|_| has_border)
            .map(|color| convert::border_color(color).unwrap_or(wgpu::SamplerBorderColor::TransparentBlack)),
    }
}

/// Maximum number of vertex buffers per input layout. wgpu also limits the total number of vertex buffers and
/// bind groups.
pub(crate) fn max_vertex_buffers(limits: &wgpu::Limits) -> u32 {
    limits
        .max_vertex_buffers
        .min(limits.max_bind_groups_plus_vertex_buffers.saturating_sub(PULL_GROUP as u32 + 1))
        .min(32)
}

impl ElementLayout {
    /// Creates an input layout.
    ///
    /// # Errors
    /// Returns an error if an element's format is not a vertex format. On an adapter whose shaders cannot
    /// read vertex buffers, it also returns an error if the layout exceeds the formats, step rates, elements
    /// or slots that wgpu supports.
    pub(crate) fn new(gpu: &Gpu, elements: &[ElementDesc]) -> Result<Arc<Self>, CreateError> {
        if let Some(element) = elements.iter().find(|element| !element.format.is_vertex_element()) {
            let text = format!("{:?} is not a format of vertex elements", element.format);
            return Err(CreateError::Application(text.into()));
        }
        let slots = element_slots(elements);
        let missing = missing_in_wgpu(gpu, &slots);
        if let Some(text) = missing.clone().filter(|_| !gpu.pulls_vertices()) {
            return Err(CreateError::Application(text.into()));
        }
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            reads_by_instance: slots.iter().any(|slot| slot.step.is_per_instance()),
            has_step_rates: slots.iter().any(|slot| slot.step.mode().is_none()),
            is_pulled: missing.is_some(),
            slots,
        }))
    }
}

/// Returns a description of the layout's first property that wgpu's vertex buffers do not support.
fn missing_in_wgpu(gpu: &Gpu, slots: &[ElementSlot]) -> Option<String> {
    let elements = || slots.iter().flat_map(|slot| &slot.elements);
    if let Some(element) = elements().find(|element| element.fetched.is_none()) {
        return Some(format!("wgpu has no vertex elements of {:?}", element.format));
    }
    if slots.iter().any(|slot| slot.step.mode().is_none()) {
        return Some("wgpu has no step rate except 1 (Features::INSTANCE_STEP_RATE)".to_owned());
    }
    let most = gpu.limits.max_vertex_attributes;
    if elements().count() > most as usize {
        return Some(format!("the adapter reads {most} elements per vertex"));
    }
    let most = max_vertex_buffers(&gpu.limits);
    (slots.len() > most as usize)
        .then(|| format!("the adapter reads {most} vertex buffers with one input layout"))
}

fn element_slots(elements: &[ElementDesc]) -> Vec<ElementSlot> {
    let mut slots: Vec<ElementSlot> = Vec::new();
    for element in elements {
        let step = match element.class {
            InputClassification::PerVertexData => StepRate::Vertex,
            InputClassification::PerInstanceData => StepRate::Instances(element.step_rate),
        };
        let at = match slots.binary_search_by_key(&element.input_slot, |s| s.slot) {
            Ok(at) => at,
            Err(at) => {
                slots
                    .insert(at, ElementSlot { slot: element.input_slot, step, elements: Vec::new(), end: 0 });
                at
            }
        };
        let Some(slot) = slots.get_mut(at) else { continue };
        let ElementDesc { location, format, offset, .. } = *element;
        slot.elements.push(VertexElement {
            location,
            format,
            fetched: convert::vertex_format(format),
            offset,
        });
        slot.end = slot.end.max(u64::from(offset) + u64::from(format.bytes_per_block()));
    }
    for slot in &mut slots {
        slot.elements.sort_by_key(|element| element.location);
    }
    slots
}

#[cfg(test)]
mod tests;
