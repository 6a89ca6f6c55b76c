//! The compute pipelines of stream output and of stored vertices and patches.

use std::sync::Arc;

use onze_ddi::{STREAM_OUTPUT_SLOTS, ShaderStage};

use crate::{
    encode::{
        compile::{PromisedPipeline, compile},
        emulate::stream_draw::StreamDraw,
        emulate_hooks::VertexPulling,
        encoder::Encoder,
        parts::{
            layouts::{ConstantBinding, DrawLayout},
            pipeline_plan::PipelinePlan,
            pulled::{GeometryInput, NO_BUFFER, PullPlan, plan_pull, plan_stored},
            ranges::VERTEX_SLOTS,
            stored_pipelines::{PipelinePurpose, PipelineRefusal, StoredPipeline},
            streams::{GatheredLayout, StreamKey, StreamNumbers, StreamPipelines, StreamPurpose},
        },
    },
    objects::shader::{
        Assembly, CONSTANT_GROUP, DomainStage, GatheredConstants, PointNumbers, PullConstants, PullSpace,
        ShaderModules, Specialization, StageBindingCounts, StreamDispatch, StreamStage, gathered_topology,
    },
    services::gpu::Gpu,
};

impl<'r> Encoder<'r> {
    /// Returns the pipelines of a draw, and waits until they are compiled.
    pub(super) fn stream_pipelines(&mut self, draw: &StreamDraw<'r>) -> Option<StreamPipelines> {
        let stored = self.begin_stream_pipelines(draw, PipelinePurpose::Draw)?;
        self.wait_for(&stored)
    }

    /// Finds the pipelines of a draw in the shared store, or adds them and begins to compile them.
    pub(super) fn begin_stream_pipelines(
        &mut self,
        draw: &StreamDraw<'r>,
        pipeline_purpose: PipelinePurpose,
    ) -> Option<Arc<StoredPipeline<StreamPipelines>>> {
        let layout = self.draw_layout(draw.plan)?.clone();
        let pulled =
            self.state.layout.map_or([NO_BUFFER; VERTEX_SLOTS], |layout| self.storage_buffers(layout).0);
        let key = StreamKey {
            vertex_shader: draw.vertex.id.get(),
            stream_shader: draw.shader.id.get(),
            purpose: draw.purpose,
            size: draw.size,
            gathers: draw.gathers(
                &self.gpu.limits,
                &layout,
                self.state.layout.map_or(0, |layout| layout.slots.len()),
            ),
            hull_shader: self.patches.as_ref().map_or(0, |patches| patches.hull.id.get()),
            layout: self.state.layout.map_or(0, |layout| layout.id.get()),
            groups: layout.ids(),
            pulled,
            input: draw.origin,
            topology: self.state.topology,
        };
        let shared = self.caches.shared.clone();
        let (stored, is_new) =
            shared.streams.place(&key, &self.gpu.invalidation, pipeline_purpose.is_awaited());
        if is_new {
            match pipeline_purpose {
                PipelinePurpose::Preparation => self.stats.pipelines_prepared += 1,
                _ => self.stats.pipeline_compilations += 1,
            }
            let promised = PromisedPipeline(stored.clone());
            let space = draw.space(&layout);
            let plan = match draw.plan {
                PipelinePlan::TessellatedStreams => {
                    Ok(plan_stored(self.gpu, &shared, space, wgpu::ShaderStages::COMPUTE))
                }
                plan => {
                    let origin = Some(draw.origin);
                    plan_pull(self.gpu, &shared, &self.state, draw.vertex, &pulled, origin, space, plan)
                }
            };
            let gathers = key.gathers;
            let plan =
                plan.and_then(|plan| check(&self.gpu.limits, draw, &layout, &plan, gathers).map(|()| plan));
            let domain = self.domain_stage(PointNumbers::Given, None);
            let lost = draw.lost();
            match plan {
                Ok(plan) => {
                    let recipe = StreamRecipe::new(draw, &key, layout, plan, domain);
                    let [uses, _] = lost.unwrap_or(["draws with stored vertices", ""]);
                    self.begin(promised, pipeline_purpose, move |gpu| {
                        compile(gpu, uses, lost.is_some(), || recipe.make(gpu))
                    });
                }
                Err(words) => promised.keep(Err(match lost {
                    Some([_, effect]) => PipelineRefusal::Limit(format!("{effect}: {words}")),
                    None => PipelineRefusal::Silent,
                })),
            }
        }
        Some(stored)
    }
}

/// Checks that the compute stage has room for the bindings of both shaders, of the vertices and of the streams.
fn check(
    limits: &wgpu::Limits,
    draw: &StreamDraw<'_>,
    layout: &DrawLayout,
    plan: &PullPlan,
    gathers: bool,
) -> Result<(), String> {
    let mut own = draw.bindings(layout);
    if gathers {
        let copied = layout.constants.len() as u32;
        (own.buffers, own.constants) = (own.buffers + copied, own.constants.saturating_sub(copied));
    }
    let targets = (0..STREAM_OUTPUT_SLOTS).filter(|slot| draw.output.uses_slot(*slot)).count() as u32;
    let all = StageBindingCounts {
        // The counts are in a buffer as well.
        buffers: own.buffers + plan.fetch.buffers() + targets + 1,
        ..own
    };
    // The numbers of the pulled vertices, and those of the streams. Records contain both.
    let numbers = plan.code.space.bindings();
    let of_pulled = match plan.code.space {
        PullSpace::Record => StageBindingCounts::default(),
        PullSpace::Storage | PullSpace::Uniform => numbers,
    };
    all.plus(&numbers).plus(&of_pulled).check(
        match draw.plan {
            PipelinePlan::Patches => {
                "the vertex shader and the hull shader together use with the vertex buffers, the index buffer and the \
                 stored patches"
            }
            PipelinePlan::TessellatedStreams => {
                "the domain shader and the geometry shader together use with the stored patches and the buffers of \
                 stream output"
            }
            _ => {
                "the vertex shader and the geometry shader together use with the vertex buffers, the index buffer and \
                 the buffers of stream output"
            }
        },
        limits,
    )
}

/// Everything that the pipelines of a draw are made from.
struct StreamRecipe {
    vertex: Arc<ShaderModules>,
    count: Option<Specialization>,
    write: Option<Specialization>,
    layout: Arc<DrawLayout>,
    plan: PullPlan,
    /// The slots that receive vertices.
    slots: Vec<u32>,
    /// Whether each draw has copies of its constant buffers.
    gathers: bool,
}

impl StreamRecipe {
    fn new(
        draw: &StreamDraw<'_>,
        key: &StreamKey,
        layout: Arc<DrawLayout>,
        plan: PullPlan,
        domain: Option<Arc<DomainStage>>,
    ) -> Self {
        let of_stage = |stage: ShaderStage| Specialization {
            block: layout.driver_reads[stage],
            seen: layout.seen[stage].clone(),
            ..Specialization::default()
        };
        let topology = match draw.origin {
            GeometryInput::Gathered => gathered_topology(draw.input),
            GeometryInput::Vertices | GeometryInput::Indices { .. } | GeometryInput::Corners => key.topology,
        };
        let is_tessellated = domain.is_some();
        let pull = Arc::new(plan.code.clone());
        let gathered: Vec<_> = layout
            .constants
            .iter()
            .filter(|_| key.gathers)
            .map(|of| GatheredConstants { binding: of.binding, stride: of.needed as u32 })
            .collect();
        let specialization = |dispatch| Specialization {
            pull: Some(pull.clone()),
            streams: Some(Arc::new(StreamStage {
                id: key.stream_shader,
                output: draw.output.clone(),
                key: of_stage(draw.output.code.reflection.stage),
                assembly: Assembly { topology, indices: plan.indices, is_tessellated },
                input: draw.input,
                has_instances: key.size.has_instances,
                has_loop: key.size.has_loop,
                dispatch,
                gathered: gathered.clone(),
            })),
            tessellation: domain.clone(),
            ..of_stage(draw.plan.first_stage())
        };
        let slots = (0..STREAM_OUTPUT_SLOTS).filter(|slot| draw.output.uses_slot(*slot));
        Self {
            vertex: draw.vertex.modules.clone(),
            count: draw.is_counted().then(|| specialization(StreamDispatch::Count)),
            write: match draw.purpose {
                StreamPurpose::Count => None,
                StreamPurpose::Write => {
                    Some(specialization(StreamDispatch::Write { is_counted: draw.is_counted() }))
                }
                StreamPurpose::Store(expansion) => Some(specialization(StreamDispatch::Store(expansion))),
            },
            slots: slots.map(|slot| slot as u32).collect(),
            layout,
            plan,
            gathers: key.gathers,
        }
    }

    /// Makes the layout of the copied constant buffers.
    fn gathered(&self, gpu: &Gpu) -> Option<GatheredLayout> {
        if !self.gathers {
            return None;
        }
        let entry = |constants: &ConstantBinding| wgpu::BindGroupLayoutEntry {
            binding: constants.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(constants.needed),
            },
            count: None,
        };
        let entries: Vec<_> = self.layout.constants.iter().map(entry).collect();
        let desc = wgpu::BindGroupLayoutDescriptor { label: Some("copied constants"), entries: &entries };
        Some(GatheredLayout {
            group: gpu.device.create_bind_group_layout(&desc),
            constants: self.layout.constants.iter().copied().collect(),
        })
    }

    fn make(self, gpu: &Gpu) -> StreamPipelines {
        let buffer = |binding, ty, bytes| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(bytes),
            },
            count: None,
        };
        let written = wgpu::BufferBindingType::Storage { read_only: false };
        let PullPlan { code, fetch, .. } = &self.plan;
        let of_pulled = match code.space {
            PullSpace::Record => PullConstants::bytes(fetch.slots.len()) as u64,
            PullSpace::Storage | PullSpace::Uniform => 0,
        };
        let numbers = buffer(0, code.space.binding(), StreamNumbers::BYTES + of_pulled);
        let mut entries = vec![numbers, buffer(1, written, 4)];
        entries.extend(self.slots.iter().map(|slot| buffer(2 + slot, written, 4)));
        let label = Some("stream output");
        let group = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let gathered = self.gathered(gpu);
        let own = self.layout.groups.iter().enumerate().map(|(at, group)| match &gathered {
            Some(gathered) if at == CONSTANT_GROUP => Some(&gathered.group),
            _ => group.layout.as_ref(),
        });
        let pulled = self.plan.fetch.layout().layout.as_ref();
        let layouts: Vec<_> = own.chain([pulled, Some(&group)]).collect();
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        let pipeline = |specialization: &Specialization| {
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&layout),
                module: &self.vertex.get(gpu, specialization),
                entry_point: Some(self.vertex.entry_point()),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: gpu.pipeline_cache.load().as_deref(),
            })
        };
        StreamPipelines {
            count: self.count.as_ref().map(pipeline),
            write: self.write.as_ref().map(pipeline),
            pulled: self.plan.fetch.clone(),
            group,
            gathered,
        }
    }
}
