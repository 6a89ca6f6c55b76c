//! Pipeline replicas: a second set of pipelines and bind group layouts, so that encoding threads share fewer
//! reference counts.
//!
//! When a pass sets a pipeline or a bind group, wgpu counts references to the pipeline and to the group's
//! layout. If several threads set the same objects, these counts move between the caches of their CPU cores.
//! Half of the threads therefore use replicas. wgpu merges layouts with the same entries, so a replica's
//! layout differs in its first entry, which is also visible to compute shaders. This has no effect on draws.
//!
//! Every thread begins with the primary pipelines. A thread that uses replicas tries the replica of a layout
//! that has been in use for some time. If it needs a pipeline that the replica lacks, the pipeline is
//! compiled as a spare job, and draws with the layout use the primary pipelines until it is ready. Draws
//! never wait for a replica. Layouts by index have no replicas.
//!
//! If each draw is made alone and changes all state (`v3`), encoding and submitting a list takes 0.86 of the
//! time with replicas, both in wall time and in CPU time. If a draw changes only its mesh and constants
//! (`boxes`), it takes 0.98, which is within the noise of 11 %. These figures are for the noop backend and
//! two threads, each on its own CPU core. Replicas need parallel threads: a draw executes about as many
//! instructions and atomic operations with replicas as without.

use std::sync::Arc;

use crate::{
    encode::{
        caches::WorkerCaches,
        encoder::Encoder,
        fast_hooks::PipelineReplicas,
        parts::{
            known_layouts::KnownLayout,
            layouts::{DrawLayout, GroupLayout, SharedStore},
            pipeline_plan::PipelinePlan,
            pipelines::{CompiledPipeline, PipelineKey},
            stored_pipelines::PipelinePurpose,
        },
    },
    services::gpu::Gpu,
};

impl SharedStore {
    /// Returns the replica of a layout, or `None` if the layout has no bindings and would be its own replica.
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
    /// Tries the replicas of some layouts before a run. The layouts have been in use for some time, and no
    /// pipeline of theirs is known to be missing.
    pub(crate) fn try_replica(&mut self, gpu: &Gpu) {
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
            // The cache contains bind groups of the primary layouts.
            self.resources.clear();
        }
    }

    #[cfg(test)]
    pub(crate) fn draws_with_replica(&mut self) -> bool {
        self.layouts.values_mut().any(|known| known.uses_replica)
    }
}

impl<'r> PipelineReplicas for Encoder<'r> {
    fn replica(&mut self) -> Option<Arc<DrawLayout>> {
        if self.groups.index.is_used() {
            return None;
        }
        self.known_layout().filter(|known| known.uses_replica).map(|known| known.now().clone())
    }

    fn replica_pipeline(&mut self, key: &PipelineKey, layout: &DrawLayout) -> Option<CompiledPipeline> {
        let stored = self.find_or_begin(key, layout, PipelinePurpose::Replica);
        let compiled = stored.compiled().cloned();
        if compiled.is_none() {
            if let Some(known) = self.known_layout() {
                known.uses_replica = false;
                known.missing = Some(stored);
            }
            self.caches.resources.clear();
            self.bindings.of_mut(PipelinePlan::Draw).change_resources();
            self.resolve_groups(self.draw_plan());
        }
        compiled
    }

    fn prepare_replicas(&mut self, key: &PipelineKey) {
        let Some(primary) = self.known_layout().map(|known| known.primary.clone()) else { return };
        self.find_or_begin(&key.with_layout(primary.ids()), &primary, PipelinePurpose::Preparation);
        if let Some(replica) = self.replica() {
            self.find_or_begin(key, &replica, PipelinePurpose::Replica);
        }
    }
}

impl<'r> Encoder<'r> {
    fn known_layout(&mut self) -> Option<&mut KnownLayout> {
        self.caches.layouts.get_mut(self.groups.layout()?)
    }
}
