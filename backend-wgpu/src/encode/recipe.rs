//! Recipes, which contain everything that a render pipeline is made from.
//!
//! A recipe contains the whole wgpu descriptor and borrows nothing from the encoder, so any thread can
//! compile it. Features that this driver or the adapter lacks are refused before a recipe is made.

mod geometry;
mod targets;
mod vertex_buffers;

use std::sync::Arc;

use onze_ddi::{ScalarKind, ShaderStage};

use crate::{
    encode::{
        compile::{PromisedPipeline, compile},
        encoder::Encoder,
        parts::{
            layouts::{DrawLayout, SharedStore},
            pipeline_plan::PipelinePlan,
            pipelines::{CompiledPipeline, PipelineKey},
            pulled::{PulledFetch, plan_pull, plan_stored},
            sample_counter::counter_fragment,
            stored_pipelines::{PipelinePurpose, PipelineRefusal, StoredPipeline},
        },
        recipe::{
            geometry::PipelineGeometry,
            targets::{
                color_targets, depth_stencil, fills_first, free_location, multisample, outputs, primitive,
            },
            vertex_buffers::{BufferLayout, vertex_buffers},
        },
    },
    objects::shader::{
        PixelInputs, PrimitiveNumber, PullSpace, Shader, ShaderModules, Specialization, StageBindingCounts,
        VERTEX_END_GROUP, check_targets, differing_varyings, free_register, missing_inputs, plan_locations,
        reads_primitive,
    },
    services::{convert, gpu::Gpu},
};

/// A shader stage of a pipeline, as modules and the specialization that selects one of them.
struct RecipeStage {
    modules: Arc<ShaderModules>,
    specialization: Specialization,
}

/// The fragment stage of a pipeline, with or without a pixel shader.
enum FragmentStage {
    Shader(Box<RecipeStage>),
    /// The pipeline has neither a pixel shader nor colour targets, so it needs no stage.
    None,
    /// A replacement for a missing pixel shader, which writes nothing. wgpu requires a fragment stage for
    /// colour targets.
    NoOp,
    /// A replacement for a missing pixel shader, which counts samples at this location. If another target is
    /// the first, the stage also outputs a value of this kind for it.
    Count(usize, Option<ScalarKind>),
}

impl FragmentStage {
    /// Returns the module and the name of the entry point, if there is a stage.
    fn stage(&self, gpu: &Gpu) -> Option<(wgpu::ShaderModule, &str)> {
        match self {
            Self::Shader(stage) => {
                let RecipeStage { modules, specialization } = &**stage;
                Some((modules.get(gpu, specialization), modules.entry_point()))
            }
            Self::None => None,
            Self::NoOp => Some((no_op_fragment(&gpu.device), "main")),
            Self::Count(location, first) => Some((counter_fragment(&gpu.device, *location, *first), "main")),
        }
    }
}

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
    /// Makes the pipeline. Errors are reported only if `is_missed`, which is `false` for replicas and
    /// pipelines by index.
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
                entry_point: Some(modules.entry_point()),
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
    /// Takes the pipeline of a draw from the shared store, and waits until it is compiled.
    pub(super) fn pipeline_for_draw(&mut self, key: &PipelineKey) -> Option<CompiledPipeline> {
        let layout = self.draw_layout(self.draw_plan())?.clone();
        let stored = self.find_or_begin(key, &layout, PipelinePurpose::Draw);
        self.wait_for(&stored)
    }

    /// Finds a pipeline in the shared store, or adds it and begins to compile it.
    pub(super) fn find_or_begin(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
        purpose: PipelinePurpose,
    ) -> Arc<StoredPipeline<CompiledPipeline>> {
        let shared = self.caches.shared.clone();
        let (stored, is_new) = shared.pipelines.place(key, &self.gpu.invalidation, purpose.is_awaited());
        if is_new {
            match purpose {
                PipelinePurpose::Draw | PipelinePurpose::OneOfSeveral => {
                    self.stats.pipeline_compilations += 1;
                }
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

    /// Collects everything that the pipeline of a draw is made from, or refuses it with a reason.
    fn recipe(
        &self,
        shared: &SharedStore,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Result<Recipe, PipelineRefusal> {
        let limit = |words: &str| skipped(words);
        let state = &self.state;
        let plan = self.draw_plan();
        let (vertex, pixel) =
            (self.bindings.shader(plan.first_stage()), self.bindings.shader(ShaderStage::Pixel));
        let vertex = vertex.ok_or_else(|| limit("there is no vertex shader"))?;
        let geometry = PipelineGeometry::new(key, &self.bindings);
        let topology = geometry.as_ref().map_or(key.setting.topology, PipelineGeometry::topology);
        let topology = convert::topology(topology).ok_or_else(|| limit("there is no topology"))?;
        let driver_blocks = [plan.first_stage(), ShaderStage::Geometry]
            .into_iter()
            .filter(|stage| layout.driver_reads[*stage].is_some())
            .count();
        let end = key.setting.vertex_end;
        let (mut buffers, mut pull, mut pulled, mut indices) = (Vec::new(), None, None, None);
        match &key.setting.pulled {
            Some(bound) => {
                let input = geometry.as_ref().map(PipelineGeometry::input);
                let space = geometry.as_ref().map_or(PullSpace::Storage, |geometry| {
                    geometry.pull_space(vertex, driver_blocks as u32, end)
                });
                let is_stored = geometry.as_ref().is_some_and(PipelineGeometry::is_stored);
                let plan = match is_stored || self.patches.is_some() {
                    true => plan_stored(self.gpu, shared, space, wgpu::ShaderStages::VERTEX),
                    false => {
                        plan_pull(self.gpu, shared, state, vertex, bound, input, space, PipelinePlan::Draw)
                            .map_err(|words| limit(&words))?
                    }
                };
                if self.patches.is_some() && geometry.is_none() {
                    let driver = driver_blocks as u32 + u32::from(end.is_fitted);
                    check_domain(&self.gpu.limits, vertex, driver).map_err(|words| limit(&words))?;
                }
                if let Some(geometry) = &geometry {
                    geometry
                        .check(&self.gpu.limits, vertex, &plan, driver_blocks as u32, end)
                        .map_err(|words| limit(&words))?;
                }
                (pull, pulled, indices) = (Some(Arc::new(plan.code)), Some(plan.fetch), plan.indices);
            }
            None => {
                buffers = vertex_buffers(self.gpu, state.layout, vertex, &key.setting.strides)
                    .map_err(|words| limit(&words))?;
            }
        }
        let own = vertex.bindings();
        if end.is_fitted {
            let constants = own.constants as usize + driver_blocks;
            check_fitted(&self.gpu.limits, constants, buffers.len()).map_err(|words| limit(&words))?;
        }
        check_vertex_stage(&self.gpu.limits, &own, driver_blocks as u32, buffers.len(), end.is_fitted)
            .map_err(|words| limit(&words))?;
        check_targets(&self.gpu.limits, key.setting.color_formats.into_iter().flatten())
            .map_err(|words| limit(&words))?;
        let targets = color_targets(self.gpu, state, key, pixel)?;
        let targets = targets.get(..self.targets.color_count()).unwrap_or_default();
        let counter = key.setting.counter.map(usize::from);
        let before_pixels = geometry.as_ref().map_or(vertex, |geometry| geometry.shader);
        let varyings = pixel
            .map(|pixel| differing_varyings(&before_pixels.code.reflection, &pixel.code.reflection))
            .unwrap_or_default();
        let primitive_number = match (&geometry, pixel) {
            (Some(geometry), Some(pixel)) => {
                geometry.primitive_number(&self.gpu.limits, pixel).map_err(limit)?
            }
            (None, Some(pixel)) if self.patches.is_some() => {
                patch_number(&self.gpu.limits, vertex, pixel).map_err(limit)?
            }
            _ => PrimitiveNumber::OfRasterizer,
        };
        let index = layout.plan.as_ref().and_then(|plan| plan.stage(ShaderStage::Vertex)?.location);
        let index = index.or(primitive_number.location());
        let is_points = topology == wgpu::PrimitiveTopology::PointList;
        let pixel_module = pixel.map(|pixel| &pixel.code.module);
        let locations = plan_locations(&self.gpu.limits, &before_pixels.code, pixel_module, index, is_points)
            .map_err(|words| limit(&words))?;
        let shared_part = |shader: &Shader| {
            let stage = shader.code.reflection.stage;
            Specialization {
                block: layout.driver_reads[stage],
                samples: (!shader.code.module.overrides.is_empty()).then_some(key.setting.samples),
                seen: layout.seen[stage].clone(),
                by_index: layout.plan.as_ref().and_then(|plan| plan.stage(stage)),
                locations: locations.clone(),
                ..Specialization::default()
            }
        };
        let geometry_stage = geometry.as_ref().map(|geometry| {
            geometry.stage(key.setting.topology, indices, primitive_number, shared_part(geometry.shader))
        });
        let vertex_stage = RecipeStage {
            modules: vertex.modules.clone(),
            specialization: Specialization {
                pull,
                tessellation: self.patches.as_ref().and_then(|patches| {
                    // A geometry shader passes on its own number.
                    let location = primitive_number.location().filter(|_| geometry.is_none());
                    self.domain_stage(patches.numbers, location)
                }),
                geometry: geometry_stage,
                varyings,
                is_fitted: end.is_fitted,
                ..shared_part(vertex)
            },
        };
        let pixel_stage = |pixel: &Shader, depth_location| {
            let specialization = Specialization {
                depth_location,
                count_location: key.setting.counter.map(u32::from),
                fills_first: fills_first(key, Some(pixel)),
                outputs: outputs(state, key, pixel),
                pixel_inputs: PixelInputs {
                    missing: missing_inputs(&before_pixels.code.reflection, &pixel.code.reflection),
                    primitive: primitive_number,
                },
                ..shared_part(pixel)
            };
            FragmentStage::Shader(Box::new(RecipeStage { modules: pixel.modules.clone(), specialization }))
        };
        let fragment = match pixel {
            Some(pixel) if pixel.code.reflection.writes_depth && key.setting.depth_format.is_none() => {
                let location = free_location(state, key, pixel)
                    .ok_or_else(|| limit("the pixel shader gives a depth, and there is no depth target"))?;
                pixel_stage(pixel, Some(location))
            }
            Some(pixel) => pixel_stage(pixel, None),
            None if counter.is_some() => {
                FragmentStage::Count(counter.unwrap_or_default(), fills_first(key, None))
            }
            None if !targets.is_empty() => FragmentStage::NoOp,
            None => FragmentStage::None,
        };
        Ok(Recipe {
            layout: shared.pipeline_layout(self.gpu, layout, pulled.as_ref().map(PulledFetch::layout), end),
            vertex: vertex_stage,
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

/// Checks that the vertex stage has room for the bindings of a domain shader and of the stored patches. `driver` is the
/// number of blocks of driver constants.
fn check_domain(limits: &wgpu::Limits, domain: &Shader, driver: u32) -> Result<(), String> {
    let own = domain.bindings();
    let stored = StageBindingCounts { buffers: 1, constants: driver, ..StageBindingCounts::default() };
    let all = StageBindingCounts { driver_constants: 0, ..own };
    all.plus(&stored)
        .plus(&PullSpace::Storage.bindings())
        .check("the domain shader uses with the stored patches", limits)
}

/// Returns the source of `SV_PrimitiveID` in the pixel shader of tessellated patches, or an error message if it needs a
/// register and none is left.
fn patch_number(
    limits: &wgpu::Limits,
    domain: &Shader,
    pixel: &Shader,
) -> Result<PrimitiveNumber, &'static str> {
    if !reads_primitive(&pixel.code.module) {
        return Ok(PrimitiveNumber::OfRasterizer);
    }
    let register = free_register(limits, &domain.code.reflection, &pixel.code.reflection);
    register.map(PrimitiveNumber::At).ok_or(
        "the pixel shader reads SV_PrimitiveID, for which the driver needs a register between the domain shader and the \
         pixel shader, and the shaders use all of them; pack what the domain shader gives",
    )
}

fn skipped(words: &str) -> PipelineRefusal {
    PipelineRefusal::Limit(format!("draws are skipped: {words}"))
}

/// Checks that a vertex shader with these numbers of constant buffers and vertex buffers leaves room for a
/// fitted viewport.
fn check_fitted(limits: &wgpu::Limits, constants: usize, vertex_buffers: usize) -> Result<(), String> {
    let most_constants = limits.max_uniform_buffers_per_shader_stage as usize;
    let most_buffers =
        (limits.max_bind_groups_plus_vertex_buffers as usize).saturating_sub(VERTEX_END_GROUP + 1);
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

/// Checks that the adapter has room for all buffers of the vertex stage, including vertex buffers.
fn check_vertex_stage(
    limits: &wgpu::Limits,
    own: &StageBindingCounts,
    driver_blocks: u32,
    vertex_buffers: usize,
    is_fitted: bool,
) -> Result<(), String> {
    let most = limits.max_buffers_and_acceleration_structures_per_shader_stage;
    let driver = driver_blocks + u32::from(is_fitted);
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

fn no_op_fragment(device: &wgpu::Device) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("no pixel shader"),
        source: wgpu::ShaderSource::Wgsl("@fragment fn main() {}".into()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze_ddi::{ConservativeRasterizationMode, RasterizerDesc};

    use super::*;
    use crate::objects::state::RasterizerState;
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
        // Textures and samplers are not buffers, but each of the driver's two constant blocks is a buffer.
        for (driver_blocks, is_fitted, room) in [(0, false, 7), (1, false, 6), (0, true, 6), (1, true, 5)] {
            let check =
                |vertex_buffers| check_vertex_stage(&limits, &own, driver_blocks, vertex_buffers, is_fitted);
            assert_eq!(check(room), Ok(()), "{driver_blocks}, {is_fitted}");
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
