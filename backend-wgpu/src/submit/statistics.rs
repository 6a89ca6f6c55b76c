//! Statistics: counters that are updated once per submission, so they add no cost to a draw.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use onze_ddi::{DrawWays, DriverStatistics};

use crate::encode::{
    DeviceEncoding, EncodedRun,
    parts::draw_path::{DrawPath, WAYS},
};

#[derive(Debug, Default)]
pub(crate) struct DeviceCounters {
    workers: AtomicU32,
    draws: AtomicU64,
    ways: [AtomicU64; WAYS],
    merged: AtomicU64,
    multi_draws: AtomicU64,
    in_multi_draws: AtomicU64,
    stored_draws: AtomicU64,
    vertex_batches: AtomicU64,
    patch_batches: AtomicU64,
    pages: AtomicU64,
    recorded_bytes: AtomicU64,
    early_submissions: AtomicU64,
    predicate_waits: AtomicU64,
    passes: AtomicU64,
    bind_group_misses: AtomicU64,
    pipeline_compilations: AtomicU64,
    pipelines_prepared: AtomicU64,
    uploaded_bytes: AtomicU64,
}

impl DeviceCounters {
    pub(crate) fn submitted(&self, runs: &[EncodedRun]) {
        let add = |counter: &AtomicU64, of: fn(&EncodedRun) -> u64| {
            counter.fetch_add(runs.iter().map(of).sum(), Ordering::Relaxed);
        };
        add(&self.draws, |run| run.stats.draws.into());
        for (at, counter) in self.ways.iter().enumerate() {
            let made = |run: &EncodedRun| u64::from(run.stats.ways.get(at).copied().unwrap_or(0));
            counter.fetch_add(runs.iter().map(made).sum(), Ordering::Relaxed);
        }
        add(&self.merged, |run| run.stats.merged.into());
        add(&self.multi_draws, |run| run.stats.multi_draws.calls.into());
        add(&self.in_multi_draws, |run| run.stats.multi_draws.draws.into());
        add(&self.stored_draws, |run| run.stats.stored_draws.into());
        add(&self.vertex_batches, |run| run.stats.vertex_batches.into());
        add(&self.patch_batches, |run| run.stats.patch_batches.into());
        add(&self.pages, |run| run.pages.len() as u64);
        add(&self.recorded_bytes, |run| run.pages.iter().map(|page| page.page.bytes() as u64).sum());
        add(&self.passes, |run| run.stats.passes.into());
        add(&self.bind_group_misses, |run| run.stats.bind_group_misses.into());
        add(&self.pipeline_compilations, |run| run.stats.pipeline_compilations.into());
        add(&self.pipelines_prepared, |run| run.stats.pipelines_prepared.into());
    }

    pub(crate) fn started(&self, workers: u32) {
        self.workers.store(workers, Ordering::Relaxed);
    }

    pub(crate) fn submitted_early(&self) {
        self.early_submissions.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn predicate_waited(&self) {
        self.predicate_waits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn uploaded(&self, bytes: u64) {
        self.uploaded_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn ways(&self) -> DrawWays {
        let read = |way: DrawPath| self.ways[way as usize].load(Ordering::Relaxed);
        DrawWays {
            by_index: read(DrawPath::ByIndex),
            merged: self.merged.load(Ordering::Relaxed),
            multi_draws: self.multi_draws.load(Ordering::Relaxed),
            in_multi_draws: self.in_multi_draws.load(Ordering::Relaxed),
            instanced: read(DrawPath::Instanced),
            per_instance_data: read(DrawPath::PerInstanceData),
            unordered_access: read(DrawPath::Writes),
            indirect: read(DrawPath::Indirect),
            too_many_buffers: read(DrawPath::TooManySlots),
            no_location: read(DrawPath::NoLocation),
            no_window: read(DrawPath::NoWindow),
            switched_off: read(DrawPath::SwitchedOff),
        }
    }

    /// Reads all counters, including those that the compilers and the allocator keep.
    pub(crate) fn read(&self, encoding: &DeviceEncoding) -> DriverStatistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let heap = encoding.objects.allocator.heap();
        DriverStatistics {
            workers: self.workers.load(Ordering::Relaxed).into(),
            early_submissions: read(&self.early_submissions),
            predicate_waits: read(&self.predicate_waits),
            recorded_bytes: read(&self.recorded_bytes),
            draws: read(&self.draws),
            stored_draws: read(&self.stored_draws),
            vertex_batches: read(&self.vertex_batches),
            patch_batches: read(&self.patch_batches),
            ways: self.ways(),
            pages: read(&self.pages),
            passes: read(&self.passes),
            bind_group_misses: read(&self.bind_group_misses),
            pipeline_compilations: read(&self.pipeline_compilations),
            pipelines_prepared: read(&self.pipelines_prepared),
            pipelines_compiling: encoding.compilers.unfinished(),
            pipelines_spare: encoding.compilers.spare() as u64,
            uploaded_bytes: read(&self.uploaded_bytes),
            buffer_heap_bytes: heap.bytes,
            buffer_heap_free_bytes: heap.free,
            buffer_heap_padding_bytes: heap.padding,
        }
    }
}
