//! Passes: when they begin and end, and how their targets are resolved.

use onze_ddi::DsvFlags;

use crate::{
    encode::{
        emulate_hooks::{MemberCopies, SampleCounting, TargetEnlargement},
        encoder::Encoder,
        fast_hooks::Bundling,
        parts::{
            accesses::{AccessRange, drawn_range},
            clears::operations,
            passes::OpenPass,
            pipeline_plan::PipelinePlan,
            ranges::TARGETS,
            targets::is_read_only,
        },
    },
    objects::view::View,
};

impl Encoder<'_> {
    /// Resolves the targets if they changed, and ends the open pass if its targets are different.
    pub(super) fn resolve_targets(&mut self) {
        if !std::mem::take(&mut self.state.targets_dirty) {
            return;
        }
        if self.targets.resolve(self.state.color_targets, self.state.depth_target) {
            self.end_pass();
        }
        if self.targets.is_enlarged() && !self.can_enlarge() {
            self.targets.refuse();
            self.report(
                "draws to multisampled targets with a larger depth-stencil target are skipped: the adapter's shaders do \
                 not read their samples; make the depth-stencil texture as large as the render targets",
            );
        }
        self.resolve_counter();
        self.state.dirty_setting();
        self.state.area_dirty = true;
        // Shaders may read a texture only if the targets do not write it.
        self.bindings.of_mut(PipelinePlan::Draw).change_resources();
    }

    /// Begins a pass with the resolved targets, whose pending clears become load operations, unless it is
    /// open.
    pub(super) fn open_pass(&mut self) {
        if self.pass.is_render() {
            return;
        }
        self.end_pass();
        let views: [Option<&View>; TARGETS] = *self.targets.color();
        let depth = self.targets.depth();
        for view in views.iter().chain(std::iter::once(&depth)).flatten() {
            self.flush_clears_beside(view);
        }
        for view in views.iter().chain(std::iter::once(&depth)).flatten() {
            self.adds_write(AccessRange::drawn(view, self.targets.slice()));
        }
        self.draws_to_members();
        self.events.leave_encoder(&mut self.encoder);
        let clears = views.map(|view| self.clears.take_exact(view?)?.color);
        let is_enlarged = self.targets.is_enlarged();
        let borrowed = if is_enlarged { self.enlarge(&clears.map(|c| c.is_some())) } else { Vec::new() };
        let queries = self.queries.pass_set(self.encoding);
        let mut color = std::array::from_fn::<_, TARGETS, _>(|slot| {
            let (view, depth_slice) = views[slot]?.attachment(self.targets.slice());
            let enlarged = self.caches.enlarged.view(slot).filter(|_| is_enlarged);
            Some(wgpu::RenderPassColorAttachment {
                view: enlarged.unwrap_or(view),
                depth_slice: depth_slice.filter(|_| !is_enlarged),
                resolve_target: None,
                ops: operations(clears[slot]),
            })
        });
        let depth_stencil = depth.map(|view| {
            let clear = self.clears.take_exact(view);
            let flags = self.targets.read_only();
            let has_depth = view.format.has_depth_aspect() && !flags.contains(DsvFlags::READ_ONLY_DEPTH);
            let has_stencil =
                view.format.has_stencil_aspect() && !flags.contains(DsvFlags::READ_ONLY_STENCIL);
            wgpu::RenderPassDepthStencilAttachment {
                view: view.attachment(self.targets.slice()).0,
                depth_ops: has_depth.then(|| operations(clear.and_then(|c| c.depth))),
                stencil_ops: has_stencil.then(|| operations(clear.and_then(|c| c.stencil))),
            }
        });
        if let Some((slot, stand_in)) = self.targets.stand_in().zip(self.caches.stand_in.as_ref()) {
            color[slot] = Some(stand_in.attachment());
        }
        let counter = self.targets.counter().zip(self.caches.sample_counter.as_ref());
        if let Some(((slot, _), counter)) = counter {
            color[slot] = Some(counter.attachment());
        }
        let counts_samples = counter.is_some();
        let mut pass = self
            .encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("draws"),
                color_attachments: color.get(..self.targets.color_count()).unwrap_or_default(),
                depth_stencil_attachment: depth_stencil,
                occlusion_query_set: queries.as_ref(),
                ..wgpu::RenderPassDescriptor::default()
            })
            .forget_lifetime();
        self.events.enter_pass(&mut pass);
        self.queries.begin_pass();
        self.groups.forget_bound();
        self.pass.begin_render(OpenPass::new(
            pass,
            std::mem::take(&mut self.multi_draws),
            queries.is_some(),
            counts_samples,
            borrowed,
        ));
        self.used = true;
        self.stats.passes += 1;
    }

    /// Declares the accesses of a pass to targets with several members, before the pass begins.
    fn draws_to_members(&mut self) {
        for view in (*self.targets.color()).into_iter().flatten() {
            self.writes_members(view, &drawn_range(view, self.targets.slice()));
        }
        if let Some(view) = self.targets.depth() {
            if is_read_only(view) {
                self.reads_members(view);
            } else {
                self.writes_members(view, &drawn_range(view, self.targets.slice()));
            }
        }
    }

    /// Makes the next pass draw to another slice of the targets.
    pub(super) fn select_slice(&mut self, slice: u32) {
        if self.targets.slice() != slice {
            self.end_pass();
            self.targets.set_slice(slice);
        }
    }

    /// Forgets the bound objects, because none is bound at the start of a bundle or after a bundle.
    pub(super) fn forget_objects(&mut self) {
        self.pass.forget_objects();
        self.groups.forget_bound();
    }

    /// Ends the open pass, if there is one, and copies back the targets that it enlarged.
    pub(super) fn end_pass(&mut self) {
        self.finish_bundle();
        self.ready.forget();
        if self.pass.is_open() {
            self.accesses.end_pass();
        }
        let Some(mut open) = self.pass.close() else { return };
        let pass = open.pass();
        let has_drawn = self.queries.end_segments(pass);
        self.events.leave_pass(pass);
        let counts_samples = open.counts_samples() && has_drawn;
        let (multi_draws, borrowed) = open.end();
        self.multi_draws = multi_draws;
        self.give_back(&borrowed);
        if counts_samples {
            self.sum_samples();
        }
    }

    /// Ends the open pass if it is a compute pass, because debug groups are not tracked in compute passes.
    pub(super) fn end_compute_pass(&mut self) {
        if self.pass.is_compute() {
            self.end_pass();
        }
    }

    /// Begins a compute pass, unless one is open, with the current debug groups around it.
    pub(super) fn open_compute_pass(&mut self) {
        if self.pass.is_compute() {
            return;
        }
        self.end_pass();
        self.events.enter_encoder(&mut self.encoder);
        let desc = wgpu::ComputePassDescriptor { label: Some("dispatches"), timestamp_writes: None };
        let pass = self.encoder.begin_compute_pass(&desc).forget_lifetime();
        self.pass.begin_compute(pass);
        self.compute.groups.forget_bound();
        self.compute.bound = None;
        self.used = true;
        self.stats.passes += 1;
    }
}
