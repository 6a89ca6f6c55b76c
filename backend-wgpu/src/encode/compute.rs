//! Dispatches: update the bindings of the compute shader, then run it.
//!
//! The bindings are resolved as for draws ([`super::bind`]). In a compute pass each dispatch is a separate
//! usage scope, so wgpu orders dispatches that read and write the same buffer.
//!
//! wgpu cannot bind a buffer view with an unaligned start, or one that is shorter than the shader's type.
//! Such a view is copied into a temporary buffer before the dispatch. If the shader writes to it, the bytes
//! are copied back afterwards.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        compile::{PromisedPipeline, compile},
        encoder::Encoder,
        parts::{
            dispatches::{ComputeKey, GroupCounts},
            pipeline_plan::PipelinePlan,
            stored_pipelines::PipelinePurpose,
            vertex_end::VertexEnd,
        },
    },
    objects::shader::{Shader, Specialization},
};

impl<'r> Encoder<'r> {
    /// Runs the bound compute shader, unless there is none or a dimension of the thread groups is 0.
    pub(super) fn run_groups(&mut self, counts: GroupCounts<'r>) {
        let Some(shader) = self.bindings.shader(ShaderStage::Compute) else { return };
        if let GroupCounts::Known(counts) = counts
            && counts.contains(&0)
        {
            return;
        }
        // The dispatch may read a target of the open pass, or a texture with a pending clear.
        if !self.pass.is_compute() {
            self.end_pass();
        }
        let arguments = match counts {
            GroupCounts::Known(_) => None,
            GroupCounts::In(range) => Some(self.arguments(PipelinePlan::Dispatch, range)),
        };
        self.resolve_groups(PipelinePlan::Dispatch);
        let key = (shader.id.get(), self.compute.groups.layout_ids());
        let is_bound = self.pass.is_compute() && self.compute.bound == Some(key);
        let pipeline = if is_bound { None } else { self.compute_pipeline(shader, key) };
        if !is_bound && pipeline.is_none() {
            return;
        }
        self.open_compute_pass();
        if let Some(pass) = self.pass.compute() {
            if let Some(pipeline) = &pipeline {
                pass.set_pipeline(pipeline);
                self.compute.bound = Some(key);
            }
            for (at, place, offsets) in self.compute.groups.take_moved() {
                if let Some(group) = self.caches.groups.get(place) {
                    pass.set_bind_group(at, group, offsets);
                }
            }
            match (counts, &arguments) {
                (GroupCounts::Known([x, y, z]), _) => pass.dispatch_workgroups(x.into(), y.into(), z.into()),
                (GroupCounts::In(_), Some((buffer, offset))) => {
                    pass.dispatch_workgroups_indirect(buffer, *offset);
                }
                (GroupCounts::In(_), None) => {}
            }
        }
        if let GroupCounts::Known(counts) = counts {
            self.count_threads(counts, shader);
        }
        self.stats.dispatches += 1;
        self.copy_back(PipelinePlan::Dispatch);
        self.buffers_changed();
    }

    /// Returns the pipeline of the bound shader for the resolved layouts, and waits until it is compiled.
    fn compute_pipeline(&mut self, shader: &Shader, key: ComputeKey) -> Option<wgpu::ComputePipeline> {
        let run = self.caches.runs;
        if let Some(place) = self.caches.compute.find(&key, run) {
            return self.caches.compute.get(place)?.clone();
        }
        let layout = self.draw_layout(PipelinePlan::Dispatch)?.clone();
        let shared = self.caches.shared.clone();
        let (stored, is_new) = shared.compute.place(&key, &self.gpu.invalidation, true);
        if is_new {
            self.stats.pipeline_compilations += 1;
            let modules = shader.modules.clone();
            let block = layout.driver_reads[ShaderStage::Compute];
            let seen = layout.seen[ShaderStage::Compute].clone();
            let layout = shared.pipeline_layout(self.gpu, &layout, None, VertexEnd::default());
            self.begin(PromisedPipeline(stored.clone()), PipelinePurpose::Draw, move |gpu| {
                let specialization = Specialization { block, seen, ..Specialization::default() };
                compile(gpu, "dispatches", true, || {
                    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                        label: None,
                        layout: Some(&layout),
                        module: &modules.get(gpu, &specialization),
                        entry_point: Some(modules.entry_point()),
                        compilation_options: wgpu::PipelineCompilationOptions::default(),
                        cache: gpu.pipeline_cache.load().as_deref(),
                    })
                })
            });
        }
        let pipeline = self.wait_for(&stored);
        self.caches.compute.insert(key, pipeline.clone(), run);
        pipeline
    }
}
