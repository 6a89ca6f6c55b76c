//! Recipes: all that a render pipeline is made from.
//!
//! A recipe holds the whole wgpu descriptor and borrows nothing from the encoder, so any thread can compile it. What
//! this driver or the adapter cannot do is refused before a recipe is made.

use std::sync::Arc;

use onze_ddi::{DsvFlags, ScalarKind, ShaderReflection};

use crate::{
    encode::{
        bind::GraphicsBindPoint,
        compile::{PromisedPipeline, compile},
        encoder::Encoder,
        parts::{
            layouts::{DrawLayout, SharedStore},
            pipelines::{CompiledPipeline, FetchSlot, PipelineKey},
            pulled::{PulledFetch, plan_pull},
            ranges::{EMPTY_SLOT, TARGETS, VERTEX_SLOTS},
            sample_counter::{counter_fragment, counter_target},
            state::DrawState,
            stored_pipelines::{PipelinePurpose, PipelineRefusal, StoredPipeline},
        },
    },
    objects::{
        shader::{
            AlphaUse, FIT_GROUP, Outputs, Shader, ShaderModules, Specialization, StageBindingCounts,
            check_targets, differing_varyings, plan_locations,
        },
        stage::{PIXEL, VERTEX},
        state::{ElementLayout, RasterizerState, VertexElement},
    },
    services::{convert, gpu::Gpu},
};

/// A stage of a pipeline.
struct RecipeStage {
    modules: Arc<ShaderModules>,
    specialization: Specialization,
}

/// What runs for each pixel.
enum FragmentStage {
    Shader(Box<RecipeStage>),
    /// Nothing, and no target wants it.
    None,
    /// wgpu wants a fragment stage for colour targets; this one writes nothing.
    NoOp,
    /// Nothing, and the samples are counted at this location; the first target has numbers of this kind, if it is another.
    Count(usize, Option<ScalarKind>),
}

impl FragmentStage {
    /// The module and the entry point.
    fn stage(&self, gpu: &Gpu) -> Option<(wgpu::ShaderModule, &str)> {
        match self {
            Self::Shader(stage) => {
                let RecipeStage { modules, specialization } = &**stage;
                Some((modules.get(gpu, specialization), &modules.code.entry_point))
            }
            Self::None => None,
            Self::NoOp => Some((no_op_fragment(&gpu.device), "main")),
            Self::Count(location, first) => Some((counter_fragment(&gpu.device, *location, *first), "main")),
        }
    }
}

/// All that a pipeline is made from.
struct Recipe {
    layout: wgpu::PipelineLayout,
    vertex: RecipeStage,
    buffers: Vec<BufferLayout>,
    primitive: wgpu::PrimitiveState,
    depth_stencil: Option<wgpu::DepthStencilState>,
    multisample: wgpu::MultisampleState,
    fragment: FragmentStage,
    targets: Vec<Option<wgpu::ColorTargetState>>,
    pulled: Option<PulledFetch>,
}

impl Recipe {
    /// Makes the pipeline. Errors are reported, except those of replicas.
    fn make(self, gpu: &Gpu, is_missed: bool) -> Result<CompiledPipeline, PipelineRefusal> {
        let pipeline = compile(gpu, "draws", is_missed, || self.compile(gpu))?;
        let fetches = self.buffers.iter().map(|buffer| buffer.fetch).collect();
        let reads =
            |state: &wgpu::DepthStencilState| state.stencil.is_enabled() && state.stencil.needs_ref_value();
        let reads_stencil_ref = self.depth_stencil.as_ref().is_some_and(reads);
        Ok(CompiledPipeline { pipeline, fetches, pulled: self.pulled, reads_stencil_ref })
    }

    fn compile(&self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let RecipeStage { modules, specialization } = &self.vertex;
        let vertex = modules.get(gpu, specialization);
        let buffers: Vec<_> = self.buffers.iter().map(|buffer| Some(buffer.layout())).collect();
        let fragment = self.fragment.stage(gpu);
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&self.layout),
            vertex: wgpu::VertexState {
                module: &vertex,
                entry_point: Some(&modules.code.entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &buffers,
            },
            primitive: self.primitive,
            depth_stencil: self.depth_stencil.clone(),
            multisample: self.multisample,
            fragment: fragment.as_ref().map(|(module, entry_point)| wgpu::FragmentState {
                module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &self.targets,
            }),
            multiview_mask: None,
            cache: gpu.pipeline_cache.load().as_deref(),
        })
    }
}

impl Encoder<'_> {
    /// Takes a pipeline from the shared store, for a draw: a new one is compiled meanwhile.
    pub(super) fn pipeline_for_draw(&mut self, key: &PipelineKey) -> Option<CompiledPipeline> {
        let layout = self.draw_layout::<GraphicsBindPoint>()?.clone();
        let stored = self.find_or_begin(key, &layout, PipelinePurpose::Draw);
        self.wait_for(&stored)
    }

    /// Looks a pipeline up in the shared store, and has one compiled that is not there.
    pub(super) fn find_or_begin(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
        purpose: PipelinePurpose,
    ) -> Arc<StoredPipeline<CompiledPipeline>> {
        let shared = self.caches.shared.clone();
        let (stored, is_new) =
            shared.pipelines.place(key, &self.gpu.invalidation, purpose == PipelinePurpose::Draw);
        if is_new {
            match purpose {
                PipelinePurpose::Draw => self.stats.pipeline_compilations += 1,
                PipelinePurpose::Preparation => self.stats.pipelines_prepared += 1,
                PipelinePurpose::Replica | PipelinePurpose::ByIndex => {}
            }
            let promised = PromisedPipeline(stored.clone());
            match self.recipe(&shared, key, layout) {
                Ok(recipe) => {
                    let is_missed = !purpose.is_spare();
                    self.begin(promised, purpose, move |gpu| recipe.make(gpu, is_missed));
                }
                Err(refusal) => promised.keep(Err(refusal)),
            }
        }
        if let Some(Err(PipelineRefusal::Limit(words))) = stored.get() {
            self.report(words);
        }
        stored
    }

    /// All that the pipeline of a draw is made from; or why there can be none.
    fn recipe(
        &self,
        shared: &SharedStore,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Result<Recipe, PipelineRefusal> {
        let limit = |words: &str| skipped(words);
        let state = &self.state;
        let [vertex, pixel] = state.bindings.shaders();
        let vertex = vertex.ok_or_else(|| limit("there is no vertex shader"))?;
        let topology =
            convert::topology(key.setting.topology).ok_or_else(|| limit("there is no topology"))?;
        let (mut buffers, mut pull, mut pulled) = (Vec::new(), None, None);
        match &key.setting.pulled {
            Some(bound) => {
                let plan = plan_pull(self.gpu, shared, state, vertex, bound);
                let (code, of_pipeline) = plan.map_err(|words| limit(&words))?;
                (pull, pulled) = (Some(Arc::new(code)), Some(of_pipeline));
            }
            None => {
                buffers = vertex_buffers(self.gpu, state.layout, vertex, &key.setting.strides)
                    .map_err(|words| limit(&words))?;
            }
        }
        if key.setting.is_fitted {
            let constants = vertex.code.reflection.constant_buffers.len()
                + usize::from(layout.driver_reads[VERTEX].is_some());
            check_fitted(&self.gpu.limits, constants, buffers.len()).map_err(|words| limit(&words))?;
        }
        let has_constants = layout.driver_reads[VERTEX].is_some();
        let (own, is_fitted) = (vertex.bindings(), key.setting.is_fitted);
        check_vertex_stage(&self.gpu.limits, &own, has_constants, buffers.len(), is_fitted)
            .map_err(|words| limit(&words))?;
        check_targets(&self.gpu.limits, key.setting.color_formats.into_iter().flatten())
            .map_err(|words| limit(&words))?;
        let targets = color_targets(self.gpu, state, key, pixel)?;
        let targets = targets.get(..self.targets.colors).unwrap_or_default();
        let counter = key.setting.counter.map(usize::from);
        let count_location = |lane: usize| counter.filter(|_| lane == PIXEL).map(|slot| slot as u32);
        let outputs = pixel.map(|pixel| outputs(state, key, pixel)).unwrap_or_default();
        let varyings = pixel
            .map(|pixel| differing_varyings(&vertex.code.reflection, &pixel.code.reflection))
            .unwrap_or_default();
        let index = layout.plan.as_ref().and_then(|plan| plan.stage(VERTEX)?.location);
        let is_points = topology == wgpu::PrimitiveTopology::PointList;
        let pixel_module = pixel.map(|pixel| &pixel.code.module);
        let locations = plan_locations(&self.gpu.limits, &vertex.code.module, pixel_module, index, is_points)
            .map_err(|words| limit(&words))?;
        let stage = |shader: &Shader, lane: usize, depth_location| RecipeStage {
            modules: shader.modules.clone(),
            specialization: Specialization {
                block: layout.driver_reads[lane],
                depth_location,
                count_location: count_location(lane),
                fills_first: pixel.filter(|_| lane == PIXEL).and_then(|pixel| fills_first(key, Some(pixel))),
                samples: (!shader.code.module.overrides.is_empty()).then_some(key.setting.samples),
                outputs: if lane == PIXEL { outputs } else { Outputs::default() },
                seen: layout.seen[lane].clone(),
                by_index: layout.plan.as_ref().and_then(|plan| plan.stage(lane)),
                pull: pull.clone().filter(|_| lane == VERTEX),
                varyings: if lane == VERTEX { varyings.clone() } else { Vec::new() },
                is_fitted: lane == VERTEX && key.setting.is_fitted,
                locations: locations.clone(),
            },
        };
        let fragment = match pixel {
            Some(pixel) if pixel.code.reflection.writes_depth && key.setting.depth_format.is_none() => {
                let location = free_location(state, key, pixel)
                    .ok_or_else(|| limit("the pixel shader gives a depth, and there is no depth target"))?;
                FragmentStage::Shader(Box::new(stage(pixel, PIXEL, Some(location))))
            }
            Some(pixel) => FragmentStage::Shader(Box::new(stage(pixel, PIXEL, None))),
            None if counter.is_some() => {
                FragmentStage::Count(counter.unwrap_or_default(), fills_first(key, None))
            }
            None if !targets.is_empty() => FragmentStage::NoOp,
            None => FragmentStage::None,
        };
        Ok(Recipe {
            layout: shared.pipeline_layout(
                self.gpu,
                layout,
                pulled.as_ref().map(PulledFetch::layout),
                key.setting.is_fitted,
            ),
            vertex: stage(vertex, VERTEX, None),
            buffers,
            primitive: primitive(state.rasterizer, key.setting.wide_strip, topology),
            depth_stencil: depth_stencil(state, key, topology),
            multisample: multisample(state, key, pixel),
            fragment,
            targets: targets.to_vec(),
            pulled,
        })
    }
}

/// The refusal of draws for a reason in words.
fn skipped(words: &str) -> PipelineRefusal {
    PipelineRefusal::Limit(format!("draws are skipped: {words}"))
}

/// Checks that a vertex shader with these numbers of constant buffers and vertex buffers leaves room for a fitted viewport.
fn check_fitted(limits: &wgpu::Limits, constants: usize, vertex_buffers: usize) -> Result<(), String> {
    let most_constants = limits.max_uniform_buffers_per_shader_stage as usize;
    let most_buffers = (limits.max_bind_groups_plus_vertex_buffers as usize).saturating_sub(FIT_GROUP + 1);
    let taken = if constants >= most_constants {
        format!("the vertex shader has all {most_constants} constant buffers")
    } else if vertex_buffers > most_buffers {
        format!("the input layout reads more than {most_buffers} vertex buffers")
    } else {
        return Ok(());
    };
    let most = limits.max_texture_dimension_2d;
    Err(format!(
        "the viewport is larger than the {most} x {most} pixels of the adapter's viewports, so the vertex shader needs \
         one more constant buffer, and {taken}; use one less, or a smaller viewport"
    ))
}

/// Checks that the adapter has room for all buffers of the vertex stage, vertex buffers among them.
fn check_vertex_stage(
    limits: &wgpu::Limits,
    own: &StageBindingCounts,
    has_driver_constants: bool,
    vertex_buffers: usize,
    is_fitted: bool,
) -> Result<(), String> {
    let most = limits.max_buffers_and_acceleration_structures_per_shader_stage;
    let driver = u32::from(has_driver_constants) + u32::from(is_fitted);
    let bound = own.constants + own.buffers + driver;
    let all = bound + vertex_buffers as u32;
    if all <= most {
        return Ok(());
    }
    Err(format!(
        "the vertex shader uses {bound} buffers and the input layout {vertex_buffers} vertex buffers, and the adapter has \
         {most} for both; use fewer, or one vertex buffer for several elements"
    ))
}

/// One vertex buffer's layout with what the shader reads of it.
struct BufferLayout {
    stride: u64,
    attributes: Vec<wgpu::VertexAttribute>,
    fetch: FetchSlot,
}

impl BufferLayout {
    fn layout(&self) -> wgpu::VertexBufferLayout<'_> {
        wgpu::VertexBufferLayout {
            array_stride: self.stride,
            step_mode: if self.fetch.per_instance {
                wgpu::VertexStepMode::Instance
            } else {
                wgpu::VertexStepMode::Vertex
            },
            attributes: &self.attributes,
        }
    }
}

/// What an input reads of the null buffer: all four components, for where no buffer is bound D3D11 gives 0
/// also for those that an element's format lacks.
fn zeros(inputs: &ShaderReflection, location: u32) -> wgpu::VertexAttribute {
    let format = match inputs.input(location).map(|input| input.kind) {
        Some(ScalarKind::Uint) => wgpu::VertexFormat::Uint32x4,
        Some(ScalarKind::Sint) => wgpu::VertexFormat::Sint32x4,
        Some(ScalarKind::Float) | None => wgpu::VertexFormat::Float32x4,
    };
    wgpu::VertexAttribute { format, offset: 0, shader_location: location }
}

fn vertex_buffers(
    gpu: &Gpu,
    layout: Option<&ElementLayout>,
    vertex: &Shader,
    strides: &[u16; VERTEX_SLOTS],
) -> Result<Vec<BufferLayout>, String> {
    let inputs = &vertex.code.reflection;
    let mut buffers = Vec::new();
    for slot in layout.iter().flat_map(|layout| &layout.slots) {
        let is_read = |element: &&VertexElement| inputs.input(element.location).is_some();
        let mut attributes = Vec::new();
        for element in slot.elements.iter().filter(is_read) {
            let VertexElement { location, format, offset, .. } = *element;
            let fetched =
                element.fetched.ok_or_else(|| format!("wgpu has no vertex elements of {format:?}"))?;
            let offset = offset.into();
            attributes.push(wgpu::VertexAttribute { format: fetched, offset, shader_location: location });
        }
        let mut stride = strides.get(slot.slot as usize).copied().unwrap_or(EMPTY_SLOT);
        if stride == EMPTY_SLOT {
            // One vertex of zeros over and over.
            stride = 0;
            attributes.iter_mut().for_each(|a| *a = zeros(inputs, a.shader_location));
        }
        let Some(last) = attributes.iter().max_by_key(|a| a.offset + a.format.size()) else { continue };
        let end = last.offset + last.format.size();
        let stride = u64::from(stride);
        check_stride(gpu, slot.slot, stride, last, inputs)?;
        let per_instance = slot.step.is_per_instance();
        buffers.push(BufferLayout {
            stride,
            attributes,
            fetch: FetchSlot { slot: slot.slot as usize, per_instance, end },
        });
    }
    Ok(buffers)
}

/// Whether wgpu has a stride, in bytes, for a slot whose last element is given.
fn check_stride(
    gpu: &Gpu,
    slot: u32,
    stride: u64,
    last: &wgpu::VertexAttribute,
    inputs: &ShaderReflection,
) -> Result<(), String> {
    let most = gpu.limits.max_vertex_buffer_array_stride;
    let (start, end) = (last.offset, last.offset + last.format.size());
    if !stride.is_multiple_of(wgpu::VERTEX_ALIGNMENT) {
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and wgpu takes multiples of {}; pad the \
             vertices",
            wgpu::VERTEX_ALIGNMENT
        ));
    }
    if stride != 0 && end > stride {
        let location = last.shader_location;
        // The driver does not know the shader's language. In HLSL the name is the semantic.
        let name = match inputs.input(location) {
            Some(input) if !input.name.is_empty() => format!("`{}`", input.name),
            _ => format!("input {location}"),
        };
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and its element for {name} takes bytes \
             {start} to {end} of a vertex; give `VertexBufferBinding` the size of a whole vertex"
        ));
    }
    if stride > u64::from(most) {
        return Err(format!(
            "the stride of the vertex buffer in slot {slot} is {stride} bytes, and the adapter has at most {most}"
        ));
    }
    Ok(())
}

/// The numbers that a pixel shader gives to a target of a format.
fn kind_of(format: wgpu::TextureFormat) -> Option<ScalarKind> {
    match format.sample_type(None, None)? {
        wgpu::TextureSampleType::Float { .. } => Some(ScalarKind::Float),
        wgpu::TextureSampleType::Uint => Some(ScalarKind::Uint),
        wgpu::TextureSampleType::Sint => Some(ScalarKind::Sint),
        wgpu::TextureSampleType::Depth => None,
    }
}

/// The kind of the zeros for the first target, if the shader gives it nothing and gives something to another one.
fn fills_first(key: &PipelineKey, pixel: Option<&Shader>) -> Option<ScalarKind> {
    let gives = |at: u32| pixel.is_some_and(|pixel| pixel.code.reflection.output(at).is_some());
    let (first, others) = key.setting.color_formats.split_first()?;
    let is_given = |(at, format): (u32, &Option<_>)| format.is_some() && gives(at);
    let is_used = key.setting.counter.is_some() || (1..).zip(others).any(is_given);
    first.filter(|_| is_used && key.setting.counter != Some(0) && !gives(0)).and_then(kind_of)
}

fn color_targets(
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
            // D3D11 leaves a target alone that the shader does not write.
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

/// Whether the colours at locations 0 and 1 are the two sources of blending.
fn blends_two_sources(state: &DrawState<'_>, pixel: &Shader) -> bool {
    let code = &pixel.code.reflection;
    state.blend.is_some_and(|blend| blend.dual_source) && !code.dual_source && code.gives_two_sources()
}

/// A location that has neither an output of the pixel shader nor a target.
fn free_location(state: &DrawState<'_>, key: &PipelineKey, pixel: &Shader) -> Option<u32> {
    let reflection = &pixel.code.reflection;
    if blends_two_sources(state, pixel) {
        // It is dropped with the colours that have no target.
        return Some(TARGETS as u32 - 1);
    }
    // A second output for blending suffers no others.
    let is_free = |at: &u32| {
        reflection.output(*at).is_none()
            && key.setting.color_formats.get(*at as usize).is_some_and(Option::is_none)
    };
    (0..TARGETS as u32).filter(|_| !reflection.dual_source).find(is_free)
}

fn no_op_fragment(device: &wgpu::Device) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("no pixel shader"),
        source: wgpu::ShaderSource::Wgsl("@fragment fn main() {}".into()),
    })
}

fn is_triangles(topology: wgpu::PrimitiveTopology) -> bool {
    matches!(topology, wgpu::PrimitiveTopology::TriangleList | wgpu::PrimitiveTopology::TriangleStrip)
}

fn primitive(
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
        // D3D11's default: what faces away is not drawn, and clockwise faces the viewer.
        front_face: rasterizer.map_or(wgpu::FrontFace::Cw, |r| r.front_face),
        cull_mode: rasterizer.map_or(Some(wgpu::Face::Back), |r| r.cull_mode),
        unclipped_depth: rasterizer.is_some_and(|r| r.unclipped_depth),
        polygon_mode: rasterizer.map_or(wgpu::PolygonMode::Fill, |r| r.polygon_mode),
        // Not all adapters have it for points and lines.
        conservative: is_triangles(topology) && rasterizer.is_some_and(|r| r.conservative),
    }
}

fn depth_stencil(
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

/// Whether the alpha of the first colour chooses the samples that are written: not if the shader has a mask of its own.
fn covers_by_alpha(state: &DrawState<'_>, pixel: &Shader) -> bool {
    let reflection = &pixel.code.reflection;
    state.blend.is_some_and(|blend| blend.desc.alpha_to_coverage_enable)
        && !reflection.writes_sample_mask
        && reflection.output(0).is_some_and(|output| output.kind == ScalarKind::Float)
}

/// Whether wgpu makes coverage of alpha: of several samples, where the first target has an alpha that is no integer.
fn has_alpha_coverage(key: &PipelineKey) -> bool {
    let [first, ..] = key.setting.color_formats;
    key.setting.samples > 1
        && first.is_some_and(|format| format.components() == 4 && kind_of(format) == Some(ScalarKind::Float))
}

/// What becomes of what a pixel shader gives.
fn outputs(state: &DrawState<'_>, key: &PipelineKey, pixel: &Shader) -> Outputs {
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
        // Both sources have the kind of the one target.
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

fn multisample(state: &DrawState<'_>, key: &PipelineKey, pixel: Option<&Shader>) -> wgpu::MultisampleState {
    let covers = pixel.is_some_and(|pixel| covers_by_alpha(state, pixel));
    wgpu::MultisampleState {
        count: key.setting.samples,
        // Not every adapter knows a mask without samples.
        mask: if key.leaves_out_all_samples() { !0 } else { key.setting.sample_mask.into() },
        alpha_to_coverage_enabled: covers && has_alpha_coverage(key),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze_ddi::{ConservativeRasterizationMode, RasterizerDesc};

    use super::*;
    use crate::testing;

    #[test]
    fn the_vertex_stage_has_one_limit_for_all_its_buffers() {
        let most = 12;
        let limits = wgpu::Limits {
            max_buffers_and_acceleration_structures_per_shader_stage: most,
            ..wgpu::Limits::default()
        };
        let own = StageBindingCounts {
            constants: 3,
            driver_constants: 0,
            buffers: 2,
            textures: 20,
            written_textures: 0,
            samplers: 16,
        };
        // Textures and samplers are not buffers, and each of the two blocks of the driver is one.
        for (has_constants, is_fitted, room) in
            [(false, false, 7), (true, false, 6), (false, true, 6), (true, true, 5)]
        {
            let check =
                |vertex_buffers| check_vertex_stage(&limits, &own, has_constants, vertex_buffers, is_fitted);
            assert_eq!(check(room), Ok(()), "{has_constants}, {is_fitted}");
            let error = check(room + 1).unwrap_err();
            let bound = most as usize - room;
            for words in [format!("{bound} buffers"), format!("{} vertex buffers", room + 1), "12".into()] {
                assert!(error.contains(&words), "{words:?} is missing in: {error}");
            }
        }
    }

    #[test]
    fn a_fitted_viewport_needs_a_constant_buffer() {
        let limits = wgpu::Limits {
            max_uniform_buffers_per_shader_stage: 14,
            max_bind_groups_plus_vertex_buffers: 24,
            ..wgpu::Limits::default()
        };
        assert_eq!(check_fitted(&limits, 13, 20), Ok(()));
        let error = check_fitted(&limits, 14, 20).unwrap_err();
        assert!(error.contains("has all 14 constant buffers"), "{error}");
        let error = check_fitted(&limits, 13, 21).unwrap_err();
        assert!(error.contains("more than 20 vertex buffers"), "{error}");
    }

    #[test]
    fn only_triangles_are_rasterized_conservatively() {
        use wgpu::PrimitiveTopology as T;
        let (device, _) = testing::noop();
        let state = |conservative_raster| {
            let desc = RasterizerDesc { conservative_raster, ..RasterizerDesc::default() };
            RasterizerState::new(&device.gpu, &desc).unwrap()
        };
        let (on, off) = (state(ConservativeRasterizationMode::On), state(ConservativeRasterizationMode::Off));
        for topology in [T::PointList, T::LineList, T::LineStrip, T::TriangleList, T::TriangleStrip] {
            let is_on = |state| primitive(state, false, topology).conservative;
            let is_triangles = matches!(topology, T::TriangleList | T::TriangleStrip);
            assert_eq!([is_on(Some(&on)), is_on(Some(&off)), is_on(None)], [is_triangles, false, false]);
        }
    }
}
