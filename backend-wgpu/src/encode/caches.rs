//! The caches of one encoding thread, and the rules for dropping their entries.

pub(crate) use crate::services::sizes::{INVALIDATION_RUNS, UNUSED_RUNS};

use std::{cell::OnceCell, collections::HashSet, sync::Arc};

use crate::{
    encode::{
        parts::{
            adjacent_sequences::AdjacentSequences,
            arena::VertexArena,
            dispatches::ComputeCache,
            enlarged_targets::EnlargedTargets,
            expanded_draws::Pattern,
            groups::{GroupCache, ResourceCache},
            hash::{FastMap, Slab},
            known_layouts::KnownLayout,
            layouts::{LayoutKey, SharedStore},
            pipelines::PipelineCache,
            pulled::PulledGroups,
            sample_counter::SampleCounter,
            stand_in::StandIn,
            vertex_end::VertexEndNumbers,
        },
        temporaries::UnusedBuffer,
    },
    services::{
        cache_invalidation::CacheInvalidation,
        sizes::{MANY_INVALID, MOST_KNOWN_LAYOUTS, MOST_PIPELINES, MOST_RESOURCE_SETS},
    },
};

/// The caches that one encoding thread keeps from run to run and does not share, except for the store.
#[derive(Debug)]
pub(crate) struct WorkerCaches {
    pub(super) shared: Arc<SharedStore>,
    /// The thread belongs to the driver, so it may compile a pipeline that it would otherwise wait for.
    pub(super) may_compile: bool,
    /// The thread uses pipeline replicas of layouts that have one.
    pub(super) uses_replica: bool,
    pub(super) groups: GroupCache,
    /// Bind groups of pulled vertex buffers, which are kept for one run only, so that they do not keep vertex
    /// buffers alive.
    pub(super) pulled: PulledGroups,
    /// Contains indices into `groups`, so it is cleared whenever groups may move. Later look-ups fill it
    /// again through `groups`, which marks the groups in use as recently used.
    pub(super) resources: ResourceCache,
    pub(super) pipelines: PipelineCache,
    pub(super) compute: ComputeCache,
    /// The layouts that this thread knows, by everything that they are made from.
    pub(super) layouts: Slab<LayoutKey, KnownLayout>,
    /// Hashes of the messages that were already reported, so that each is reported only once.
    pub(super) reported: FastMap<u64, ()>,
    /// Index buffers for draws with adjacency but without indices.
    pub(super) sequences: AdjacentSequences,
    /// The index buffers of draws with a geometry shader.
    pub(super) patterns: Vec<Pattern>,
    /// The shaders of tessellated draws whose pipelines are compiled or being compiled: vertex, hull, domain and pixel
    /// shader, or 0.
    pub(super) tessellated: HashSet<[u64; 4]>,
    /// The memory of stored vertices.
    pub(super) arena: VertexArena,
    /// Bind groups of the numbers that change the results of the vertex stage.
    pub(super) vertex_ends: Vec<(VertexEndNumbers, wgpu::BindGroup)>,
    /// The buffer for unused bindings of dispatches.
    pub(super) unused: OnceCell<UnusedBuffer>,
    /// The placeholder target of draws that have no target, kept for later passes.
    pub(super) stand_in: Option<StandIn>,
    /// Replacements for render targets that are smaller than the depth-stencil target.
    pub(super) enlarged: EnlargedTargets,
    /// The additional target of draws within queries that count samples.
    pub(super) sample_counter: Option<SampleCounter>,
    /// Identifiers in the keys of bind groups with temporary buffers. No later run uses these groups, so they
    /// are dropped.
    pub(super) spent: HashSet<u64>,
    /// Number of entries of [`CacheInvalidation`] that were read.
    seen_invalid: u64,
    pub(super) runs: u64,
    /// Number of sections of runs that have begun. Accesses are declared again in each of them.
    pub(super) sections: u64,
}

impl WorkerCaches {
    /// Creates empty caches over a device's shared store for a thread that may compile or not, and uses
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
            patterns: Vec::new(),
            tessellated: HashSet::new(),
            arena: VertexArena::default(),
            vertex_ends: Vec::new(),
            unused: OnceCell::new(),
            stand_in: None,
            enlarged: EnlargedTargets::default(),
            sample_counter: None,
            spent: HashSet::new(),
            seen_invalid: 0,
            runs: 0,
            sections: 0,
        }
    }

    /// Drops entries that no run will use again, because they keep wgpu's objects alive.
    pub(super) fn begin_run(&mut self, invalidation: &CacheInvalidation) {
        self.runs += 1;
        self.sections += 1;
        self.arena.begin_run();
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
        if self.layouts.drop_keys(|key| key.shaders.iter().any(|(_, id)| invalid.has(*id))) {
            self.resources.clear();
        }
    }

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
