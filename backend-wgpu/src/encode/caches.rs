//! The caches of one encoding thread, and when their entries are dropped.

pub(crate) use crate::services::sizes::{INVALIDATION_RUNS, UNUSED_RUNS};

use std::{collections::HashSet, sync::Arc};

use crate::{
    encode::parts::{
        adjacent_sequences::AdjacentSequences,
        dispatches::ComputeCache,
        enlarged_targets::EnlargedTargets,
        groups::{GroupCache, ResourceCache},
        hash::{FastMap, Slab},
        known_layouts::KnownLayout,
        layouts::{LayoutKey, SharedStore},
        pipelines::PipelineCache,
        pulled::PulledGroups,
        sample_counter::SampleCounter,
        stand_in::StandIn,
    },
    services::{
        cache_invalidation::CacheInvalidation,
        sizes::{MANY_INVALID, MOST_KNOWN_LAYOUTS, MOST_PIPELINES, MOST_RESOURCE_SETS},
    },
};

/// What one encoding thread keeps from run to run; nothing of it is shared.
#[derive(Debug)]
pub(crate) struct WorkerCaches {
    pub(super) shared: Arc<SharedStore>,
    /// The thread is the driver's own: it may compile what it would wait for.
    pub(super) may_compile: bool,
    /// The thread uses pipeline replicas where it can.
    pub(super) uses_replica: bool,
    pub(super) groups: GroupCache,
    /// Those of vertex buffers that shaders pull, in this run alone: so no bind group keeps a vertex buffer alive.
    pub(super) pulled: PulledGroups,
    /// Has places of `groups`, and so goes whenever they are looked through. What it finds is found anew then:
    /// so nothing that is in use grows old there.
    pub(super) resources: ResourceCache,
    pub(super) pipelines: PipelineCache,
    pub(super) compute: ComputeCache,
    /// By what they are made from.
    pub(super) layouts: Slab<LayoutKey, KnownLayout>,
    /// Hashes of what was reported already.
    pub(super) reported: FastMap<u64, ()>,
    /// For draws with adjacency.
    pub(super) sequences: AdjacentSequences,
    /// For draws without targets.
    pub(super) stand_in: Option<StandIn>,
    /// For targets that are smaller than the depth.
    pub(super) enlarged: EnlargedTargets,
    /// For queries that count samples.
    pub(super) sample_counter: Option<SampleCounter>,
    /// Numbers of buffers that only the last run has used.
    pub(super) spent: HashSet<u64>,
    /// How many of [`CacheInvalidation`] were read.
    seen_invalid: u64,
    pub(super) runs: u64,
}

impl WorkerCaches {
    /// Empty caches over a device's shared store, for a thread that may compile or not, and uses pipeline
    /// replicas or not.
    pub(crate) fn new(shared: &Arc<SharedStore>, may_compile: bool, uses_replica: bool) -> Self {
        Self {
            shared: shared.clone(),
            may_compile,
            uses_replica,
            groups: GroupCache::default(),
            pulled: PulledGroups::default(),
            resources: ResourceCache::default(),
            pipelines: PipelineCache::default(),
            compute: ComputeCache::default(),
            layouts: Slab::default(),
            reported: FastMap::default(),
            sequences: AdjacentSequences::default(),
            stand_in: None,
            enlarged: EnlargedTargets::default(),
            sample_counter: None,
            spent: HashSet::new(),
            seen_invalid: 0,
            runs: 0,
        }
    }

    /// Drops entries that no run will use again, because they keep wgpu's objects alive.
    pub(super) fn begin_run(&mut self, invalidation: &CacheInvalidation) {
        self.runs += 1;
        if self.pulled.len() > 0 {
            self.pulled.clear();
        }
        let new = invalidation.since(self.seen_invalid);
        if new >= MANY_INVALID || (new > 0 && self.runs.is_multiple_of(INVALIDATION_RUNS)) {
            self.drop_invalidated(invalidation);
        }
        if !self.spent.is_empty() {
            let spent = std::mem::take(&mut self.spent);
            self.drop_groups(|id| spent.contains(&id));
        }
        let is_full = self.groups.is_full() || self.resources.len() > MOST_RESOURCE_SETS;
        if is_full || self.runs.is_multiple_of(UNUSED_RUNS / 4) {
            let oldest = self.runs.saturating_sub(UNUSED_RUNS);
            self.groups.retire(oldest);
            self.resources.clear();
            self.pipelines.retire(oldest);
            self.enlarged.retire(oldest);
            self.compute.retire(oldest, MOST_PIPELINES);
            self.layouts.retire(oldest, MOST_KNOWN_LAYOUTS);
        }
    }

    fn drop_invalidated(&mut self, invalidation: &CacheInvalidation) {
        let Some(invalid) = invalidation.take_since(&mut self.seen_invalid) else { return };
        self.drop_groups(|id| invalid.has(id));
        self.pipelines.drop_invalidated(|id| invalid.has(id));
        self.compute.drop_keys(|(shader, _)| invalid.has(*shader));
        if self.layouts.drop_keys(|(shaders, ..)| shaders.iter().any(|id| invalid.has(*id))) {
            self.resources.clear();
        }
    }

    /// How many bind groups and pipelines there are.
    #[cfg(test)]
    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.groups.len(), self.pipelines.pipelines.len())
    }

    fn drop_groups(&mut self, is_invalid: impl Fn(u64) -> bool) {
        if self.groups.drop_invalidated(is_invalid) {
            self.resources.clear();
        }
    }
}
