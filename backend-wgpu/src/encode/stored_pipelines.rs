//! The pipelines of a device, each compiled once for all encoding threads.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex},
};

use crate::services::{
    cache_invalidation::{CacheInvalidation, DestroyedNumbers},
    sizes::MOST_PIPELINES,
    sync::lock,
};

use super::compile::StoredPipeline;

/// A key that has the numbers of the objects that a pipeline is made from.
pub(super) trait PipelineObjects: Clone + Eq + Hash {
    /// Whether there is such a number among them.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool;
}

/// Pipelines by what they are made from.
#[derive(Debug)]
pub(super) struct StoredPipelines<K, P>(Mutex<Stored<K, P>>);

#[derive(Debug)]
struct Stored<K, P> {
    pipelines: HashMap<K, Arc<StoredPipeline<P>>>,
    /// How many of [`CacheInvalidation`] were read.
    seen_invalid: u64,
}

impl<K, P> Default for StoredPipelines<K, P> {
    fn default() -> Self {
        Self(Mutex::new(Stored { pipelines: HashMap::new(), seen_invalid: 0 }))
    }
}

impl<K: PipelineObjects, P> StoredPipelines<K, P> {
    /// The place for a pipeline, and whether it is a new one, which the caller has to fill. Then those of objects
    /// that were destroyed are dropped.
    pub(super) fn place(
        &self,
        key: &K,
        invalidation: &CacheInvalidation,
        is_awaited: bool,
    ) -> (Arc<StoredPipeline<P>>, bool) {
        let mut stored = lock(&self.0);
        if let Some(found) = stored.pipelines.get(key) {
            return (found.clone(), false);
        }
        let Stored { pipelines, seen_invalid: seen } = &mut *stored;
        // Of what is being compiled nothing is dropped, so that it is not compiled twice.
        let is_compiling = |pipeline: &StoredPipeline<P>| pipeline.get().is_none();
        if invalidation.since(*seen) > 0
            && let Some(invalid) = invalidation.take_since(seen)
        {
            let may_be_wrong = invalid == DestroyedNumbers::All;
            pipelines.retain(|key, pipeline| {
                (may_be_wrong && is_compiling(pipeline)) || !key.has(|id| invalid.has(id))
            });
        }
        if pipelines.len() >= 2 * MOST_PIPELINES {
            pipelines.retain(|_, pipeline| is_compiling(pipeline));
        }
        let new = Arc::new(StoredPipeline::new(is_awaited));
        pipelines.insert(key.clone(), new.clone());
        (new, true)
    }

    /// Holds the lock, to show which threads wait for it.
    #[cfg(test)]
    pub(super) fn hold_lock(&self) -> impl Sized {
        lock(&self.0)
    }
}
