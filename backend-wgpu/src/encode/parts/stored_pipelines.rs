//! The pipelines of a device, each compiled once for all encoding threads.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    encode::compiler::Compilers,
    services::{
        cache_invalidation::{CacheInvalidation, DestroyedNumbers},
        ids::unique_id,
        sizes::MOST_PIPELINES,
        sync::lock,
    },
};

/// A key that has the numbers of the objects that a pipeline is made from.
pub(in crate::encode) trait PipelineObjects: Clone + Eq + Hash {
    /// Whether there is such a number among them.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool;
}

/// Pipelines by what they are made from.
#[derive(Debug)]
pub(in crate::encode) struct StoredPipelines<K, P>(Mutex<Stored<K, P>>);

#[derive(Debug)]
pub(in crate::encode) struct Stored<K, P> {
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
    pub(in crate::encode) fn place(
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
    pub(in crate::encode) fn hold_lock(&self) -> impl Sized {
        lock(&self.0)
    }
}

/// Why there is no pipeline.
#[derive(Clone, Debug)]
pub(in crate::encode) enum PipelineRefusal {
    /// Draws or dispatches cannot be made, for what the words say.
    Limit(String),
    /// What went wrong was said already: they are skipped.
    Silent,
}

/// What a pipeline is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::encode) enum PipelinePurpose {
    /// A draw or a dispatch that waits for it.
    Draw,
    /// Draws to come.
    Preparation,
    /// Draws that can be made without it.
    Replica,
    /// The same, but it is worth compiling where there is no other thread for it, too.
    ByIndex,
}

impl PipelinePurpose {
    /// Nothing is lost if there is none.
    pub(in crate::encode) const fn is_spare(self) -> bool {
        matches!(self, Self::Replica | Self::ByIndex)
    }
}

/// A pipeline that is compiled, refused, or being compiled.
#[derive(Debug)]
pub(in crate::encode) struct StoredPipeline<P> {
    /// By which the threads that compile know it.
    pub(in crate::encode) number: u64,
    pub(in crate::encode) result: OnceLock<Result<P, PipelineRefusal>>,
    /// A draw or a dispatch has asked for it before it was compiled.
    pub(in crate::encode) awaited: AtomicBool,
}

impl<P> StoredPipeline<P> {
    pub(in crate::encode) fn new(awaited: bool) -> Self {
        Self { number: unique_id(), result: OnceLock::new(), awaited: AtomicBool::new(awaited) }
    }

    /// What came of it, if that is known.
    pub(in crate::encode) fn get(&self) -> Option<&Result<P, PipelineRefusal>> {
        self.result.get()
    }

    /// The pipeline, if it is there.
    pub(in crate::encode) fn compiled(&self) -> Option<&P> {
        self.get()?.as_ref().ok()
    }

    /// A draw or a dispatch waits for it; whether it is the first. If no thread has begun to compile it, a thread that may compile
    /// does.
    pub(in crate::encode) fn wait(&self, compilers: &Compilers, may_compile: bool) -> bool {
        let is_first = !self.awaited.swap(true, Ordering::Relaxed);
        if may_compile {
            compilers.help(self.number);
        } else if is_first {
            compilers.urge(self.number);
        }
        let _span = tracing::trace_span!("wait_for_pipeline").entered();
        self.result.wait();
        is_first
    }
}
