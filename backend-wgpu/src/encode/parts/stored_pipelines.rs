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

/// A key that contains the identifiers of a pipeline's objects.
pub(crate) trait PipelineObjects: Clone + Eq + Hash {
    /// Returns whether `is_one` is true for one of the identifiers.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool;
}

#[derive(Debug)]
pub(crate) struct StoredPipelines<K, P>(Mutex<Stored<K, P>>);

#[derive(Debug)]
pub(crate) struct Stored<K, P> {
    pipelines: HashMap<K, Arc<StoredPipeline<P>>>,
    /// Number of entries of [`CacheInvalidation`] that were read.
    seen_invalid: u64,
}

impl<K, P> Default for StoredPipelines<K, P> {
    fn default() -> Self {
        Self(Mutex::new(Stored { pipelines: HashMap::new(), seen_invalid: 0 }))
    }
}

impl<K: PipelineObjects, P> StoredPipelines<K, P> {
    /// Returns the entry of a pipeline, and whether it is new, in which case the caller must compile it.
    /// Adding an entry also drops the pipelines of destroyed objects.
    pub(crate) fn place(
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
        // If the destroyed objects are not known individually, pipelines that are being compiled are kept, so
        // that they are not compiled twice.
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

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).pipelines.len()
    }

    /// Holds the lock, so that a test can see which threads wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(&self.0)
    }
}

/// The reason for the lack of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum PipelineRefusal {
    /// Draws or dispatches are skipped, and this message states why.
    Limit(String),
    /// Draws or dispatches are skipped, because of a problem that was already reported.
    Silent,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PipelinePurpose {
    /// A draw or a dispatch that is encoded now and waits for the pipeline.
    Draw,
    /// A draw that is encoded now and begins to compile several pipelines before it waits for the first one.
    OneOfSeveral,
    /// Later draws, so that they need not wait.
    Preparation,
    /// Draws that use the primary pipeline until the replica is compiled.
    Replica,
    /// Draws by index, which can use the primary layout instead. Unlike a replica, the pipeline is also
    /// compiled if no compiler thread exists.
    ByIndex,
}

impl PipelinePurpose {
    /// Returns whether a draw or a dispatch that is encoded now needs the pipeline.
    pub(crate) const fn is_awaited(self) -> bool {
        matches!(self, Self::Draw | Self::OneOfSeveral)
    }

    /// Returns whether draws can be made without the pipeline.
    pub(crate) const fn is_spare(self) -> bool {
        matches!(self, Self::Replica | Self::ByIndex)
    }
}

/// A pipeline that is compiled, refused, or being compiled.
#[derive(Debug)]
pub(crate) struct StoredPipeline<P> {
    /// Number of the pipeline's compile job.
    pub(crate) number: u64,
    pub(crate) result: OnceLock<Result<P, PipelineRefusal>>,
    /// A draw or a dispatch requested the pipeline before it was compiled.
    pub(crate) awaited: AtomicBool,
}

impl<P> StoredPipeline<P> {
    pub(crate) fn new(awaited: bool) -> Self {
        Self { number: unique_id(), result: OnceLock::new(), awaited: AtomicBool::new(awaited) }
    }

    /// Returns the result, or `None` while the pipeline is being compiled.
    pub(crate) fn get(&self) -> Option<&Result<P, PipelineRefusal>> {
        self.result.get()
    }

    pub(crate) fn compiled(&self) -> Option<&P> {
        self.get()?.as_ref().ok()
    }

    /// Waits for the pipeline, and returns whether no draw or dispatch had requested it before. If no thread
    /// has begun to compile it, a calling thread that may compile does so.
    pub(crate) fn wait(&self, compilers: &Compilers, may_compile: bool) -> bool {
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
