//! Compilation of render and compute pipelines: which thread compiles a pipeline, and when.
//!
//! Each pipeline has an entry in a store that all encoding threads share
//! ([`super::parts::stored_pipelines`]). The thread that adds the entry writes a recipe, which borrows
//! nothing from the encoder. It hands the recipe to the compiler threads ([`super::compiler`]) or compiles it
//! itself. Other threads that need the same pipeline wait for the entry.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
};

use crate::{
    encode::{
        compiler::CompileJob,
        encoder::Encoder,
        parts::stored_pipelines::{PipelinePurpose, PipelineRefusal, StoredPipeline},
    },
    services::{error_scope::scoped, gpu::Gpu},
};

/// A pipeline that is being made. Its drop wakes the threads that wait for the pipeline, even after a panic.
pub(super) struct PromisedPipeline<P>(pub(super) Arc<StoredPipeline<P>>);

impl<P> PromisedPipeline<P> {
    pub(super) fn keep(&self, result: Result<P, PipelineRefusal>) {
        // The result is set at most once by `keep`, because a pipeline has one promise, and the drop after it
        // has no effect.
        drop(self.0.result.set(result));
    }
}

impl<P> Drop for PromisedPipeline<P> {
    fn drop(&mut self) {
        self.keep(Err(PipelineRefusal::Silent));
    }
}

/// Compiles a pipeline. `uses` names the draws or dispatches in error messages, which are reported only if
/// `is_missed`.
pub(super) fn compile<P>(
    gpu: &Gpu,
    uses: &str,
    is_missed: bool,
    make: impl FnOnce() -> P,
) -> Result<P, PipelineRefusal> {
    if gpu.is_lost() {
        return Err(PipelineRefusal::Silent);
    }
    let _span = tracing::trace_span!("compile").entered();
    match catch_unwind(AssertUnwindSafe(|| scoped(&gpu.device, make))) {
        Ok(Ok(pipeline)) => return Ok(pipeline),
        _ if !is_missed => tracing::debug!("a replica pipeline could not be made"),
        Ok(Err(error)) => refused(gpu, uses, &error),
        Err(_) => gpu.report_bug(format!("{uses} are skipped: compiling the pipeline panicked")),
    }
    Err(PipelineRefusal::Silent)
}

impl Encoder<'_> {
    /// Waits for a pipeline that a draw or a dispatch needs now. Only threads that need the same pipeline wait
    /// for it.
    pub(super) fn wait_for<P: Clone>(&mut self, stored: &StoredPipeline<P>) -> Option<P> {
        if stored.get().is_none() {
            let is_first = stored.wait(&self.encoding.compilers, self.caches.may_compile);
            self.stats.pipeline_compilations += u32::from(is_first);
        }
        if let Some(Err(PipelineRefusal::Limit(words))) = stored.get() {
            self.report(words);
        }
        // The clone belongs to the worker, so draws touch no shared reference counts.
        stored.compiled().cloned()
    }

    /// Hands a new pipeline to the compiler threads. Compiles it here if there are none, or if this thread
    /// may compile and would only wait.
    pub(super) fn begin<P: Send + Sync + 'static>(
        &mut self,
        promised: PromisedPipeline<P>,
        purpose: PipelinePurpose,
        make: impl FnOnce(&Gpu) -> Result<P, PipelineRefusal> + Send + 'static,
    ) {
        let stored = promised.0.clone();
        let work = move |gpu: &Gpu| promised.keep(make(gpu));
        let compilers = &self.encoding.compilers;
        let is_awaited = || stored.awaited.load(Ordering::Relaxed);
        let handed_over = match purpose {
            PipelinePurpose::Draw if self.caches.may_compile => Err(Box::new(work) as CompileJob),
            PipelinePurpose::Draw | PipelinePurpose::OneOfSeveral | PipelinePurpose::Preparation => {
                compilers.hand_over(stored.number, is_awaited, work)
            }
            // If the work is dropped, the drop of its promise stores a refusal.
            PipelinePurpose::Replica => compilers.hand_over_spare(work).or(Ok(())),
            PipelinePurpose::ByIndex => compilers.hand_over_spare(work),
        };
        if let Err(work) = handed_over {
            work(self.gpu);
        }
    }
}

/// Reports why wgpu refused a pipeline, and removes the device if the GPU is out of memory.
fn refused(gpu: &Gpu, uses: &str, error: &wgpu::Error) {
    match error {
        // The device is gone, so the error says nothing about the pipeline.
        _ if gpu.is_gone() => {}
        wgpu::Error::OutOfMemory { .. } => gpu.lose("the GPU is out of memory"),
        wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => {
            gpu.report_bug(format!("{uses} are skipped: wgpu refused the pipeline: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_pipeline_without_memory_removes_the_device() {
        let (device, runtime) = testing::noop();
        let error = || wgpu::Error::OutOfMemory { source: "as a test".into() };
        refused(&device.gpu, "draws", &error());
        refused(&device.gpu, "draws", &error());
        assert_eq!(*runtime.removed.lock().unwrap(), ["the GPU is out of memory"]);
        assert_eq!(runtime.bugs.lock().unwrap().len(), 0);
    }
}
