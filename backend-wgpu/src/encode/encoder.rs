//! The encoder of a run: its parts, and the commands of a page.

use std::hash::{BuildHasher, BuildHasherDefault};

use onze_ddi::Rect;

use crate::{
    encode::{
        caches::WorkerCaches,
        device_encoding::DeviceEncoding,
        fast_hooks::Bundling,
        parts::{
            accesses::RunAccesses,
            bundle_spans::BundleRecording,
            clears::PendingClears,
            dispatches::ComputeState,
            encode_gate::GatePass,
            events::EventGroups,
            groups::PendingGroups,
            hash::FastHasher,
            hoisted_copies::HoistedCopies,
            member_uses::{CastUse, RunCasts},
            page_objects::PageObjects,
            passes::{PassBindings, PassState, PassWrites},
            pipelines::CurrentPipeline,
            queries::{QueryResults, RunQueries},
            ranges::BufferRange,
            ready::FastDrawState,
            state::DrawState,
            targets::TargetSet,
            vertices::{DrawArea, VertexPlan},
            viewport_fit::ViewportFit,
        },
        run::EncodeStats,
    },
    record::{min_lods::MinLods, run_page::RunPage},
    services::gpu::Gpu,
};

/// The hoisted copies and the run; its query segments, its textures of several members, and what it took.
type FinishedRun = ([Option<wgpu::CommandBuffer>; 2], QueryResults, Vec<CastUse>, EncodeStats);

/// A run on its way.
pub(super) struct Encoder<'r> {
    pub(in crate::encode) gpu: &'r Gpu,
    pub(in crate::encode) encoding: &'r DeviceEncoding,
    pub(in crate::encode) caches: &'r mut WorkerCaches,
    pub(in crate::encode) gate: GatePass<'r>,
    pub(in crate::encode) encoder: wgpu::CommandEncoder,
    /// The encoder holds commands.
    pub(in crate::encode) used: bool,
    pub(in crate::encode) accesses: RunAccesses,
    /// Textures of several members that it uses.
    pub(in crate::encode) casts: RunCasts,
    /// Copies that are submitted before it.
    pub(in crate::encode) hoisted: HoistedCopies,
    pub(in crate::encode) state: DrawState<'r>,
    /// What the bound targets amount to.
    pub(in crate::encode) targets: TargetSet<'r>,
    pub(in crate::encode) groups: PendingGroups,
    pub(in crate::encode) pipeline: CurrentPipeline,
    pub(in crate::encode) vertex: VertexPlan<'r>,
    /// Viewport and scissor for the next draw; `None` when nothing can be seen.
    pub(in crate::encode) area: Option<DrawArea>,
    /// How positions move into the area's viewport, if wgpu refuses the bound one.
    pub(in crate::encode) fit: Option<ViewportFit>,
    pub(in crate::encode) pass: PassState,
    /// What draws of the open pass may write through views.
    pub(in crate::encode) pass_writes: PassWrites,
    pub(in crate::encode) compute: ComputeState<'r>,
    pub(in crate::encode) ready: FastDrawState,
    /// While an indirect draw is made that needs them: where its base vertex and start instance lie.
    pub(in crate::encode) starts: Option<BufferRange<'r>>,
    /// The least levels of textures that hold for the page.
    pub(in crate::encode) min_lods: MinLods,
    /// Draws go into bundles.
    pub(in crate::encode) recording: Option<Box<BundleRecording<'r>>>,
    /// What the open pass has bound.
    pub(in crate::encode) bound: PassBindings,
    pub(in crate::encode) clears: PendingClears<'r>,
    pub(in crate::encode) events: EventGroups<'r>,
    pub(in crate::encode) queries: RunQueries<'r>,
    pub(in crate::encode) stats: EncodeStats,
}

impl<'r> Encoder<'r> {
    pub(in crate::encode) fn new(
        encoding: &'r DeviceEncoding,
        caches: &'r mut WorkerCaches,
        gate: GatePass<'r>,
    ) -> Self {
        let gpu = &*encoding.gpu;
        let encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("onze run") });
        Self {
            gpu,
            encoding,
            caches,
            gate,
            encoder,
            used: false,
            accesses: RunAccesses::default(),
            casts: RunCasts::default(),
            hoisted: HoistedCopies::default(),
            state: DrawState::default(),
            targets: TargetSet::default(),
            groups: PendingGroups::default(),
            pipeline: CurrentPipeline::default(),
            vertex: VertexPlan::default(),
            area: None,
            fit: None,
            pass: PassState::None,
            pass_writes: PassWrites::default(),
            compute: ComputeState::default(),
            ready: FastDrawState::default(),
            starts: None,
            min_lods: MinLods::default(),
            recording: None,
            bound: PassBindings::default(),
            clears: PendingClears::default(),
            events: EventGroups::default(),
            queries: RunQueries::default(),
            stats: EncodeStats::default(),
        }
    }

    /// The hoisted copies and the run, with the query segments that it fills and what was counted besides.
    pub(in crate::encode) fn finish(mut self) -> FinishedRun {
        self.flush_all_clears();
        self.end_pass();
        self.events.leave_encoder(&mut self.encoder);
        let segments = self.queries.finish(&mut self.encoder);
        drop(self.gate);
        let buffers = [self.hoisted.finish(), self.used.then(|| self.encoder.finish())];
        (buffers, segments, self.casts.finish(), self.stats)
    }

    pub(in crate::encode) fn encode_page(&mut self, run_page: &'r RunPage) {
        self.state = DrawState::default();
        self.compute.begin_page();
        self.groups.kept_alone = None;
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

    /// The encoder for commands outside of passes: the open pass ends.
    pub(in crate::encode) fn outside(&mut self) -> &mut wgpu::CommandEncoder {
        self.end_pass();
        self.events.enter_encoder(&mut self.encoder);
        self.used = true;
        &mut self.encoder
    }

    /// The encoder for a pass of the encoder's own, which is counted.
    pub(in crate::encode) fn outside_for_pass(&mut self) -> &mut wgpu::CommandEncoder {
        self.end_pass();
        self.events.leave_encoder(&mut self.encoder);
        self.used = true;
        self.stats.passes += 1;
        &mut self.encoder
    }

    /// Says once per thread what this driver or the adapter could not draw or copy, and why.
    pub(in crate::encode) fn report(&mut self, words: &str) {
        if self.is_new(words) {
            self.gpu.core.report_unsupported(words.to_owned().into());
        }
    }

    /// Says once per thread what would make draws cheaper.
    pub(in crate::encode) fn hint(&mut self, words: &'static str) {
        if self.is_new(words) {
            self.gpu.core.report_hint(words.into());
        }
    }

    /// Whether the words were not reported yet.
    fn is_new(&mut self, words: &str) -> bool {
        let hash = BuildHasherDefault::<FastHasher>::default().hash_one(words);
        if self.caches.reported.len() > 1024 {
            self.caches.reported.clear();
        }
        self.caches.reported.insert(hash, ()).is_none()
    }
}

/// The part of a rectangle that lies in `width` x `height` texels, as x, y, width and height.
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
    fn a_rectangle_is_cut_to_the_target() {
        let rect = |left, top, right, bottom| Rect { left, top, right, bottom };
        assert_eq!(clip(rect(-5, 2, 3, 20), 8, 8), Some([0, 2, 3, 6]));
        assert_eq!(clip(rect(8, 0, 20, 8), 8, 8), None);
        assert_eq!(clip(rect(5, 0, 3, 8), 8, 8), None, "right of its right edge");
        assert_eq!(clip(rect(i32::MIN, i32::MIN, i32::MAX, i32::MAX), 8, 4), Some([0, 0, 8, 4]));
    }
}
