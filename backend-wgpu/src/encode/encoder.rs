//! The encoder of a run: its state, and its access to wgpu outside of passes.

use std::hash::{BuildHasher, BuildHasherDefault};

use onze_ddi::Rect;

use crate::{
    encode::{
        caches::WorkerCaches,
        device_encoding::DeviceEncoding,
        emulate_hooks::SharedDispatches,
        fast_hooks::Bundling,
        parts::{
            accesses::RunAccesses,
            bindings::Bindings,
            bundle_spans::BundleRecording,
            clears::PendingClears,
            dispatches::ComputeState,
            draw_path::PathChoice,
            events::EventGroups,
            expanded_draws::ReadyExpansion,
            groups::PendingGroups,
            hash::FastHasher,
            member_uses::{CastUse, RunCasts},
            multi_draw::{DrawArguments, MultiDraws},
            page_objects::PageObjects,
            passes::CurrentPass,
            patch_batches::PatchBatch,
            patches::StoredPatches,
            pipelines::CurrentPipeline,
            prologue::RunSections,
            queries::{QueryResults, RunQueries},
            ranges::BufferRange,
            ready::FastDrawState,
            state::DrawState,
            stretch_slots::StretchSlots,
            targets::TargetSet,
            vertex_batches::VertexBatch,
            vertex_end::VertexEndNumbers,
            vertices::{DrawArea, VertexPlan},
        },
        prologue::new_encoder,
        run::EncodeStats,
    },
    record::{min_lods::MinLods, run_page::RunPage},
    services::gpu::Gpu,
};

/// A run after its last page.
#[derive(Default)]
pub(super) struct FinishedRun {
    /// The command buffers in the order of submission.
    pub(super) buffers: Vec<wgpu::CommandBuffer>,
    /// The arguments of multi-draws, which must be uploaded before the command buffers are executed.
    pub(super) arguments: Vec<DrawArguments>,
    pub(super) queries: QueryResults,
    /// The uses of textures with several members.
    pub(super) casts: Vec<CastUse>,
    pub(super) stats: EncodeStats,
}

/// A run that is being encoded, from its first page until [`Encoder::finish`].
pub(super) struct Encoder<'r> {
    pub(crate) gpu: &'r Gpu,
    pub(crate) encoding: &'r DeviceEncoding,
    pub(crate) caches: &'r mut WorkerCaches,
    /// The encoder of the section's own commands.
    pub(crate) encoder: wgpu::CommandEncoder,
    /// Whether `encoder` contains commands, because an empty one is not submitted.
    pub(crate) used: bool,
    /// The prologue of the section, and the sections before it.
    pub(crate) sections: RunSections,
    /// The accesses of the section.
    pub(crate) accesses: RunAccesses,
    pub(crate) casts: RunCasts,
    pub(crate) state: DrawState<'r>,
    pub(crate) bindings: Bindings<'r>,
    /// The bound targets, resolved to a size, a sample count and formats.
    pub(crate) targets: TargetSet<'r>,
    pub(crate) groups: PendingGroups,
    pub(crate) path: PathChoice,
    pub(crate) pipeline: CurrentPipeline,
    pub(crate) vertex: VertexPlan<'r>,
    /// Viewport and scissor rectangle of the next draw, or `None` if nothing is visible.
    pub(crate) area: Option<DrawArea>,
    /// The numbers that change the results of the vertex stage: the transformation of positions into the
    /// viewport of `area`, if wgpu refuses the bound viewport, and the selected slice and viewport.
    pub(crate) vertex_end: VertexEndNumbers,
    pub(crate) pass: CurrentPass,
    /// The multi-draws of the run, which the open render pass owns until its end.
    pub(crate) multi_draws: MultiDraws,
    pub(crate) compute: ComputeState,
    pub(crate) ready: FastDrawState,
    /// The draws with a geometry shader that need nothing that the open pass lacks, as long as `ready` has no
    /// changes.
    pub(crate) ready_expansion: Option<ReadyExpansion>,
    /// The stored patches that the next draw of wgpu reads, while a tessellated draw is encoded.
    pub(crate) patches: Option<StoredPatches<'r>>,
    /// Draws whose patches are stored together, later in the prologue.
    pub(crate) patch_batches: Vec<PatchBatch>,
    /// Draws whose vertices are stored together, later in the prologue.
    pub(crate) vertex_batches: Vec<VertexBatch>,
    /// The only slice of the targets that draws are made to, while a range of commands is encoded for each slice.
    pub(crate) one_slice: Option<u32>,
    /// The slots of a stretch, which are empty between stretches.
    pub(crate) stretch_slots: StretchSlots,
    /// Base vertex and start instance of the indirect draw that is being encoded, if its shader needs them.
    pub(crate) starts: Option<BufferRange<'r>>,
    /// Minimum LODs of textures, which stay the same during a page.
    pub(crate) min_lods: MinLods,
    /// The bundle that is being recorded, if draws go into a bundle instead of the pass.
    pub(crate) recording: Option<Box<BundleRecording<'r>>>,
    pub(crate) clears: PendingClears<'r>,
    pub(crate) events: EventGroups<'r>,
    pub(crate) queries: RunQueries<'r>,
    pub(crate) stats: EncodeStats,
}

impl<'r> Encoder<'r> {
    pub(crate) fn new(encoding: &'r DeviceEncoding, caches: &'r mut WorkerCaches) -> Self {
        let gpu = &*encoding.gpu;
        Self {
            gpu,
            encoding,
            caches,
            encoder: new_encoder(&gpu.device),
            used: false,
            sections: RunSections::default(),
            accesses: RunAccesses::default(),
            casts: RunCasts::default(),
            state: DrawState::default(),
            bindings: Bindings::default(),
            targets: TargetSet::default(),
            groups: PendingGroups::default(),
            path: PathChoice::default(),
            pipeline: CurrentPipeline::default(),
            vertex: VertexPlan::default(),
            area: None,
            vertex_end: VertexEndNumbers::default(),
            pass: CurrentPass::default(),
            multi_draws: encoding.multi_draws(),
            compute: ComputeState::default(),
            ready: FastDrawState::default(),
            ready_expansion: None,
            patches: None,
            patch_batches: Vec::new(),
            vertex_batches: Vec::new(),
            one_slice: None,
            stretch_slots: StretchSlots::default(),
            starts: None,
            min_lods: MinLods::default(),
            recording: None,
            clears: PendingClears::default(),
            events: EventGroups::default(),
            queries: RunQueries::default(),
            stats: EncodeStats::default(),
        }
    }

    pub(crate) fn finish(mut self) -> FinishedRun {
        self.flush_all_clears();
        self.end_pass();
        self.flush_batches();
        self.events.leave_encoder(&mut self.encoder);
        let queries = self.queries.finish(&mut self.encoder);
        // The last section may contain only the readback of segments that earlier sections have measured.
        let is_used = self.used || !queries.0.is_empty();
        let buffers = self.sections.finish(is_used.then_some(self.encoder));
        let (arguments, multi_draws) = self.multi_draws.finish();
        let stats = EncodeStats { multi_draws, ..self.stats };
        FinishedRun { buffers, arguments, queries, casts: self.casts.finish(), stats }
    }

    pub(crate) fn encode_page(&mut self, run_page: &'r RunPage) {
        self.state = DrawState::default();
        self.bindings.reset();
        self.path.release();
        self.min_lods = run_page.min_lods.clone();
        self.ready.forget();
        self.begin_page_queries(run_page.scopes.as_deref());
        let objects = PageObjects::new(run_page);
        if run_page.skips {
            self.encode_skipped(&run_page.page, &objects);
        } else {
            self.encode_commands(run_page, &objects);
        }
    }

    /// Ends the open pass and returns the wgpu encoder, for commands outside of passes.
    pub(crate) fn outside(&mut self) -> &mut wgpu::CommandEncoder {
        self.end_pass();
        self.events.enter_encoder(&mut self.encoder);
        self.used = true;
        &mut self.encoder
    }

    /// Ends the open pass and returns the wgpu encoder, for a pass that the statistics count.
    pub(crate) fn outside_for_pass(&mut self) -> &mut wgpu::CommandEncoder {
        self.end_pass();
        self.events.leave_encoder(&mut self.encoder);
        self.used = true;
        self.stats.passes += 1;
        &mut self.encoder
    }

    /// Reports once per thread that the driver or the adapter cannot draw or copy something.
    pub(crate) fn report(&mut self, words: &str) {
        if self.is_new(words) {
            self.gpu.core.report_unsupported(words.to_owned().into());
        }
    }

    /// Reports once per thread how an application can make its draws cheaper.
    pub(crate) fn hint(&mut self, words: &'static str) {
        if self.is_new(words) {
            self.gpu.core.report_hint(words.into());
        }
    }

    /// Returns whether this thread has not reported the message yet, and remembers the message.
    fn is_new(&mut self, words: &str) -> bool {
        let hash = BuildHasherDefault::<FastHasher>::default().hash_one(words);
        if self.caches.reported.len() > 1024 {
            self.caches.reported.clear();
        }
        self.caches.reported.insert(hash, ()).is_none()
    }
}

/// Clips a rectangle to `width` x `height` texels and returns x, y, width and height, or `None` if nothing is
/// left.
pub(super) fn clip(rect: Rect, width: u32, height: u32) -> Option<[u32; 4]> {
    let clamp = |n: i32, most: u32| u32::try_from(n).unwrap_or(0).min(most);
    let (left, right) = (clamp(rect.left, width), clamp(rect.right, width));
    let (top, bottom) = (clamp(rect.top, height), clamp(rect.bottom, height));
    (left < right && top < bottom).then(|| [left, top, right - left, bottom - top])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_is_clipped_to_the_target() {
        let rect = |left, top, right, bottom| Rect { left, top, right, bottom };
        assert_eq!(clip(rect(-5, 2, 3, 20), 8, 8), Some([0, 2, 3, 6]));
        assert_eq!(clip(rect(8, 0, 20, 8), 8, 8), None);
        assert_eq!(clip(rect(5, 0, 3, 8), 8, 8), None, "right of its right edge");
        assert_eq!(clip(rect(i32::MIN, i32::MIN, i32::MAX, i32::MAX), 8, 4), Some([0, 0, 8, 4]));
    }
}
