//! Dispatches: update the bindings of the compute shader, then run it.
//!
//! The bindings are resolved as for draws ([`super::bind`]). In a compute pass each dispatch is a usage scope of its
//! own, so wgpu orders dispatches that read and write the same buffer.
//!
//! wgpu cannot bind a view that begins between aligned bytes, or that is shorter than the shader's type. Such a view
//! is copied into a temporary buffer for the dispatch, and back after it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use crate::{
    objects::{shader::Shader, stage::COMPUTE},
    services::sync::lock,
};

use super::{
    Encoder,
    bind::{Dispatches, Groups},
    layout::LayoutIds,
    pass::PassState,
    scoped,
    state::{Bindings, BufferRange},
};

/// What the encoder has for dispatches.
#[derive(Debug, Default)]
pub(super) struct Compute<'r> {
    pub(super) bindings: Bindings<'r>,
    pub(super) groups: Groups,
    /// What was written to copies, and belongs into these parts of buffers.
    pub(super) copies_back: Vec<(BufferRange<'r>, wgpu::Buffer)>,
    /// A command of the page has bound something.
    used: bool,
}

impl<'r> Compute<'r> {
    /// Another page begins, in which nothing is bound.
    pub(super) fn begin_page(&mut self) {
        if std::mem::take(&mut self.used) {
            self.bindings = Bindings::default();
        }
    }

    /// The bindings, to change.
    pub(super) fn set(&mut self) -> &mut Bindings<'r> {
        self.used = true;
        &mut self.bindings
    }

    pub(super) fn set_constant_buffer(&mut self, slot: u8, range: Option<BufferRange<'r>>) {
        let bindings = self.set();
        if let Some(place) = bindings.stages[COMPUTE].constants.get_mut(usize::from(slot)) {
            *place = range;
            bindings.constants_dirty = true;
        }
    }
}

/// What a compute pipeline is made from: the shader's number, and those of the groups' layouts.
type ComputeKey = (u64, LayoutIds);

/// A pipeline that is compiled, being compiled, or refused.
type Stored = Arc<OnceLock<Option<wgpu::ComputePipeline>>>;

/// The compute pipelines of a device.
#[derive(Debug, Default)]
pub(super) struct ComputePipelines(Mutex<HashMap<ComputeKey, Stored>>);

impl ComputePipelines {
    fn place(&self, key: ComputeKey) -> Stored {
        lock(&self.0).entry(key).or_default().clone()
    }

    /// Drops those of destroyed shaders.
    pub(super) fn drop_invalidated(&self, is_invalid: impl Fn(u64) -> bool) {
        lock(&self.0).retain(|(shader, _), _| !is_invalid(*shader));
    }

    /// Holds the lock, to show which threads wait for it.
    #[cfg(test)]
    pub(super) fn hold_lock(&self) -> impl Sized {
        lock(&self.0)
    }
}

impl<'r> Encoder<'r> {
    /// Runs the bound compute shader in groups of threads.
    pub(super) fn run_groups(&mut self, [x, y, z]: [u16; 3]) {
        let Some(shader) = self.compute.bindings.stages[COMPUTE].shader else { return };
        if x == 0 || y == 0 || z == 0 {
            return;
        }
        // What a dispatch reads may be a target of the open pass, or wait to be cleared.
        if !matches!(self.pass, PassState::Compute(_)) {
            self.end_pass();
        }
        self.resolve_groups::<Dispatches>();
        let Some(pipeline) = self.compute_pipeline(shader) else { return };
        self.open_compute_pass();
        if let PassState::Compute(pass) = &mut self.pass {
            pass.set_pipeline(&pipeline);
            for (at, group) in (0..).zip(&self.compute.groups.groups) {
                if let Some(group_place) = group.place
                    && let Some(bind_group) = self.caches.groups.0.get(group_place)
                {
                    pass.set_bind_group(at, bind_group, group.offsets());
                }
            }
            pass.dispatch_workgroups(x.into(), y.into(), z.into());
        }
        self.stats.dispatches += 1;
        self.copy_back();
        self.buffers_changed();
    }

    /// Brings what was written to copies to where it belongs.
    fn copy_back(&mut self) {
        for (range, copy) in std::mem::take(&mut self.compute.copies_back) {
            self.copy_bytes((&copy, 0), (range.buffer, range.offset), range.size);
        }
    }

    /// The pipeline of the bound shader with the resolved layouts. Compiled here if it is not there yet: other
    /// threads that need it wait.
    fn compute_pipeline(&mut self, shader: &Shader) -> Option<wgpu::ComputePipeline> {
        let layout = self.draw_layout::<Dispatches>()?.clone();
        let shared = self.caches.shared.clone();
        let stored = shared.compute.place((shader.id.get(), layout.ids()));
        if let Some(pipeline) = stored.get() {
            return pipeline.clone();
        }
        let layout = shared.pipeline_layout(self.gpu, &layout);
        self.stats.pipeline_compilations += 1;
        self.gate.pause();
        let pipeline = stored.get_or_init(|| {
            let _span = tracing::trace_span!("compile").entered();
            let compiled = scoped(&self.gpu.device, || {
                self.gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: Some(&layout),
                    module: &shader.module,
                    entry_point: Some(&shader.code.entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: self.gpu.pipeline_cache.load().as_deref(),
                })
            });
            compiled.inspect_err(|error| self.gpu.report_bug(format!("dispatches are skipped: {error}"))).ok()
        });
        let pipeline = pipeline.clone();
        self.gate.go_on();
        pipeline
    }
}
