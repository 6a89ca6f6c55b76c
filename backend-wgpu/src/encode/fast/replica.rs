//! Pipeline replicas: a second set of pipelines and bind group layouts, so that encoding threads share fewer counts.
//!
//! When a pass sets a pipeline or a bind group, wgpu counts references to the pipeline and to the group's layout.
//! Threads that set the same objects pass these counts between their processors' caches. Half of the threads
//! therefore use replicas. wgpu merges layouts with the same entries, so the first entry of a replica's layout is
//! visible to compute shaders, too, which no draw has.
//!
//! Every thread begins with the primary pipelines. A thread that uses replicas tries the replica of a layout that was
//! in use for long. If a pipeline is missing there, it is compiled at idle priority, and the layout's draws go back to
//! the primary pipelines until it is ready. Draws never wait for a replica.

use std::sync::Arc;

use crate::services::gpu::Gpu;

use crate::encode::{
    Encoder, WorkerCaches,
    bind::GraphicsBindPoint,
    compile::{PipelinePurpose, StoredPipeline},
    fast::by_index::{DrawPath, LayoutHistory},
    layout::{DrawLayout, GroupLayout, SharedStore},
    pipeline::{CompiledPipeline, PipelineKey},
};

/// The layout of a draw, as an encoding thread knows it.
#[derive(Debug)]
pub(in crate::encode) struct KnownLayout {
    pub(in crate::encode) primary: Arc<DrawLayout>,
    /// The replica, once it was tried.
    replica: Option<Arc<DrawLayout>>,
    uses_replica: bool,
    /// The pipeline that the replica lacked when it was tried.
    missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
    /// The run in which it became known; `u64::MAX` if there is nothing to try any more.
    since: u64,
    /// What is known of draws by index.
    pub(in crate::encode) learning: LayoutHistory,
}

impl KnownLayout {
    pub(in crate::encode) fn new(layout: DrawLayout, run: u64) -> Self {
        let primary = Arc::new(layout);
        let learning = LayoutHistory::default();
        Self { primary, replica: None, uses_replica: false, missing: None, since: run, learning }
    }

    /// Has the second form from now on; whether the replica was in use till then.
    pub(in crate::encode) fn learned(&mut self, learned: Result<Arc<DrawLayout>, DrawPath>) -> bool {
        let is_new = learned.is_ok();
        self.learning.learned = Some(learned);
        is_new && std::mem::take(&mut self.uses_replica)
    }

    /// What draws are made with.
    pub(in crate::encode) fn now(&self) -> &Arc<DrawLayout> {
        self.replica.as_ref().filter(|_| self.uses_replica).unwrap_or(&self.primary)
    }

    /// Whether the replica may be tried in a run.
    fn is_due(&mut self, run: u64, after_runs: u64) -> bool {
        // The second form has no replica, and binds the resources as the first one.
        if self.uses_replica
            || self.learning.layout().is_some()
            || self.since.saturating_add(after_runs) > run
        {
            return false;
        }
        match self.missing.as_ref().map(|missing| missing.get()) {
            None | Some(Some(Ok(_))) => true,
            Some(None) => false,
            Some(Some(Err(_))) => {
                // It will not be there.
                self.since = u64::MAX;
                self.missing = None;
                false
            }
        }
    }
}

impl SharedStore {
    /// The replica of a layout; `None` if it binds nothing, and so is its own replica.
    fn replica(&self, gpu: &Gpu, primary: &DrawLayout) -> Option<DrawLayout> {
        let twin = |group: &GroupLayout| {
            let mut entries = group.entries.to_vec();
            entries.iter_mut().take(1).for_each(|entry| entry.visibility |= wgpu::ShaderStages::COMPUTE);
            self.group(gpu, entries, group.seen.clone(), None)
        };
        let replica = DrawLayout {
            groups: primary.groups.each_ref().map(twin),
            constants: primary.constants.clone(),
            driver_reads: primary.driver_reads,
            seen: primary.seen.clone(),
            plan: None,
        };
        (replica.ids() != primary.ids()).then_some(replica)
    }
}

impl WorkerCaches {
    /// Before a run: tries the replicas of some layouts that are in use for long and lack no known pipeline.
    pub(in crate::encode) fn try_replica(&mut self, gpu: &Gpu) {
        let Some(policy) = gpu.policy.replicas.as_ref().filter(|_| self.uses_replica) else { return };
        if !self.runs.is_multiple_of(policy.every_runs) {
            return;
        }
        let run = self.runs;
        let mut has_changed = false;
        for known in self
            .layouts
            .values_mut()
            .filter_map(|known| known.is_due(run, policy.after_runs).then_some(known))
            .take(policy.at_once)
        {
            if known.replica.is_none() {
                known.replica = self.shared.replica(gpu, &known.primary).map(Arc::new);
            }
            known.uses_replica = known.replica.is_some();
            known.missing = None;
            if !known.uses_replica {
                known.since = u64::MAX;
            }
            has_changed |= known.uses_replica;
        }
        if has_changed {
            // It has bind groups of the primary layouts.
            self.resources.clear();
        }
    }

    /// Whether any draw is made with a replica.
    #[cfg(test)]
    pub(in crate::encode) fn draws_with_replica(&mut self) -> bool {
        self.layouts.values_mut().any(|known| known.uses_replica)
    }
}

impl Encoder<'_> {
    fn known_layout(&mut self) -> Option<&mut KnownLayout> {
        self.caches.layouts.get_mut(self.groups.layout?)
    }

    /// The layout of a draw that is made with a replica.
    pub(in crate::encode) fn replica(&mut self) -> Option<Arc<DrawLayout>> {
        if self.groups.indexed {
            return None;
        }
        self.known_layout().filter(|known| known.uses_replica).map(|known| known.now().clone())
    }

    /// A replica pipeline. If it is missing, it is compiled for draws to come, and the bind groups are primary ones
    /// from now on: then the draw's key is another one.
    pub(in crate::encode) fn replica_pipeline(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Option<CompiledPipeline> {
        let stored = self.find_or_begin(key, layout, PipelinePurpose::Replica);
        let compiled = stored.compiled().cloned();
        if compiled.is_none() {
            if let Some(known) = self.known_layout() {
                known.uses_replica = false;
                known.missing = Some(stored);
            }
            self.caches.resources.clear();
            self.state.bindings.resources_dirty = true;
            self.resolve_groups::<GraphicsBindPoint>();
        }
        compiled
    }

    /// Compiles the pipelines that a draw would need: the primary one, and the replica if the layout uses it.
    pub(in crate::encode) fn prepare_replicas(&mut self, key: &PipelineKey) {
        let Some(primary) = self.known_layout().map(|known| known.primary.clone()) else { return };
        self.find_or_begin(&key.with_layout(primary.ids()), &primary, PipelinePurpose::Preparation);
        if let Some(replica) = self.replica() {
            self.find_or_begin(key, &replica, PipelinePurpose::Replica);
        }
    }
}
