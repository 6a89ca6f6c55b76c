//! The encoder of a run: its parts, and the commands of a page.

use std::{
    hash::{BuildHasher, BuildHasherDefault},
    ops::Range,
};

use onze_ddi::{Rect, ShaderStage};

use crate::{
    encode::{
        caches::WorkerCaches,
        device_encoding::DeviceEncoding,
        emulate_hooks::{MipGeneration, SampleCounting},
        fast_hooks::Bundling,
        parts::{
            accesses::RunAccesses,
            bundle_spans::BundleRecording,
            clears::PendingClears,
            dispatches::{ComputeState, DISPATCH_ARGUMENTS, GroupCounts},
            encode_gate::GatePass,
            events::EventGroups,
            groups::PendingGroups,
            hash::FastHasher,
            hoisted_copies::HoistedCopies,
            member_uses::{CastUse, RunCasts},
            page_objects::PageObjects,
            passes::{OpenPass, PassBindings, PassState, PassWrites},
            pipelines::CurrentPipeline,
            queries::{QueryResults, RunQueries},
            ranges::{BufferRange, IndexSlot, VertexSlot},
            ready::FastDrawState,
            state::{Bindings, DrawState},
            targets::TargetSet,
            vertices::{DrawArea, VertexPlan},
            viewport_fit::ViewportFit,
        },
        run::EncodeStats,
    },
    objects::{
        stage::{PipelineKind, VERTEX, lane},
        state::{ElementLayout, RasterizerState},
        view::COUNTER_BYTES,
    },
    record::{
        command::{Bind, Command, ViewFormat},
        min_lods::MinLods,
        page::{BlendFactor, IndexedDraw, Page, PlainDraw},
        run_page::RunPage,
    },
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

    /// Encodes commands of a page.
    pub(in crate::encode) fn encode(
        &mut self,
        page: &'r Page,
        objects: &PageObjects<'r>,
        commands: &[Command],
    ) {
        for command in commands {
            self.encode_one(page, objects, *command);
        }
    }

    /// Encodes a page whose commands depend on a predicate that says no: only what does not depend on it.
    #[cold]
    fn encode_skipped(&mut self, page: &'r Page, objects: &PageObjects<'r>) {
        for command in &page.commands {
            match *command {
                Command::Draw { .. }
                | Command::Draws { .. }
                | Command::DrawIndexed { .. }
                | Command::DrawsIndexed { .. }
                | Command::DrawsInstanced { .. }
                | Command::DrawsIndexedInstanced { .. }
                | Command::DrawIndirect { .. }
                | Command::Dispatch(_)
                | Command::DispatchIndirect { .. }
                | Command::ClearRenderTarget { .. }
                | Command::ClearDepthStencil { .. }
                | Command::GenerateMips(_) => {}
                Command::Copy(at) if !page.unconditional.contains(&at) => {}
                Command::Copy(_)
                | Command::Binds(_)
                | Command::SetConstantBuffer { .. }
                | Command::SetVertexBuffer { .. }
                | Command::SetIndexBuffer { .. }
                | Command::SetResourceBuffer { .. }
                | Command::SetUnorderedBuffer { .. }
                | Command::SetUnorderedTexture { .. }
                | Command::SetBlendFactor(_)
                | Command::SetViewport(_)
                | Command::SetScissor(_)
                | Command::SetTargets(_)
                | Command::BeginQuery(_)
                | Command::EndQuery(_)
                | Command::BeginEvent(_)
                | Command::EndEvent
                | Command::SetMarker(_)
                | Command::PrepareDraw => self.encode_one(page, objects, *command),
            }
        }
    }

    /// Of the commands that change what a draw needs, only the usual ones are told apart.
    #[inline(always)]
    fn encode_one(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: Command) {
        match command {
            Command::SetConstantBuffer { stages, slot, object, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                self.set_constant_buffer(stages, slot, range);
            }
            Command::Binds(binds) => {
                self.ready.forget_bindings();
                for bind in binds.iter() {
                    self.bind(objects, bind);
                }
            }
            Command::Draw { .. }
            | Command::Draws { .. }
            | Command::DrawIndexed { .. }
            | Command::DrawsIndexed { .. }
            | Command::DrawsInstanced { .. }
            | Command::DrawsIndexedInstanced { .. } => self.encode_draws(page, command, 0..usize::MAX),
            Command::SetResourceBuffer { stage, slot, format, object, offset, size } => {
                self.set_resource_buffer(stage, slot, objects.part(object, offset, size, format));
            }
            Command::SetVertexBuffer { .. }
            | Command::SetIndexBuffer { .. }
            | Command::SetUnorderedBuffer { .. }
            | Command::SetUnorderedTexture { .. }
            | Command::SetBlendFactor(_)
            | Command::SetViewport(_)
            | Command::SetScissor(_)
            | Command::SetTargets(_) => {
                self.ready.forget();
                self.encode_other(page, objects, command);
            }
            Command::DrawIndirect { .. }
            | Command::Dispatch(_)
            | Command::DispatchIndirect { .. }
            | Command::ClearRenderTarget { .. }
            | Command::ClearDepthStencil { .. }
            | Command::Copy(_)
            | Command::GenerateMips(_)
            | Command::BeginQuery(_)
            | Command::EndQuery(_)
            | Command::BeginEvent(_)
            | Command::EndEvent
            | Command::SetMarker(_)
            | Command::PrepareDraw => {
                self.ready.forget();
                self.finish_bundle();
                self.encode_other(page, objects, command);
            }
        }
    }

    /// Makes some of the draws of a command.
    #[inline(always)]
    pub(in crate::encode) fn encode_draws(&mut self, page: &'r Page, command: Command, some: Range<usize>) {
        match command {
            Command::Draw { vertex_count: count, start_vertex: start } => {
                self.draw(part(&[PlainDraw { count, start }], some), false);
            }
            Command::DrawIndexed { index_count: count, start_index: start, base_vertex } => {
                self.draw(part(&[IndexedDraw { count, start, base_vertex }], some), true);
            }
            Command::Draws { first, count } => {
                self.draw(part(part_of(&page.plain_draws, first, count), some), false);
            }
            Command::DrawsIndexed { first, count } => {
                self.draw(part(part_of(&page.indexed_draws, first, count), some), true);
            }
            Command::DrawsInstanced { first, count } => {
                self.draw(part(part_of(&page.instanced_draws, first, count), some), false);
            }
            Command::DrawsIndexedInstanced { first, count } => {
                self.draw(part(part_of(&page.instanced_draws, first, count), some), true);
            }
            // No draws.
            Command::Binds(_)
            | Command::SetConstantBuffer { .. }
            | Command::SetVertexBuffer { .. }
            | Command::SetIndexBuffer { .. }
            | Command::SetResourceBuffer { .. }
            | Command::SetUnorderedBuffer { .. }
            | Command::SetUnorderedTexture { .. }
            | Command::SetBlendFactor(_)
            | Command::SetViewport(_)
            | Command::SetScissor(_)
            | Command::SetTargets(_)
            | Command::DrawIndirect { .. }
            | Command::Dispatch(_)
            | Command::DispatchIndirect { .. }
            | Command::ClearRenderTarget { .. }
            | Command::ClearDepthStencil { .. }
            | Command::Copy(_)
            | Command::GenerateMips(_)
            | Command::BeginQuery(_)
            | Command::EndQuery(_)
            | Command::BeginEvent(_)
            | Command::EndEvent
            | Command::SetMarker(_)
            | Command::PrepareDraw => {}
        }
    }

    /// What is neither a draw nor one of the usual binds.
    #[inline(never)]
    fn encode_other(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: Command) {
        match command {
            Command::ClearRenderTarget { object, color } => {
                if let (Some(view), Some(color)) = (objects.view(object), page.colors.get(color as usize)) {
                    self.clear_render_target(view, *color);
                }
            }
            Command::ClearDepthStencil { object, flags, stencil, depth } => {
                if let Some(view) = objects.view(object) {
                    self.clear_depth_stencil(view, flags, depth, stencil);
                }
            }
            Command::Copy(at) => {
                if let Some(copy) = page.copies.get(at as usize) {
                    self.copy(objects, copy);
                }
            }
            Command::GenerateMips(object) => {
                if let Some(view) = objects.view(object) {
                    self.generate_mips(view);
                }
            }
            Command::BeginQuery(at) => self.begin_query(at),
            Command::EndQuery(at) => self.end_query(at),
            Command::BeginEvent(name) => {
                if let Some(name) = page.names.get(name as usize) {
                    self.end_compute_pass();
                    self.events.begin(name, self.pass.render().map(OpenPass::pass));
                }
            }
            Command::EndEvent => {
                self.end_compute_pass();
                self.events.end(&mut self.encoder, self.pass.render().map(OpenPass::pass));
            }
            Command::PrepareDraw => self.prepare_draw(),
            Command::SetMarker(name) => {
                if let Some(name) = page.names.get(name as usize) {
                    self.marker(name);
                }
            }
            Command::DrawIndirect { indexed, object, offset } => {
                if let Some(range) = objects.buffer(object, offset.into(), 0) {
                    self.draw_indirect(range, indexed);
                }
            }
            Command::Dispatch(groups) => self.run_groups(GroupCounts::Known(groups)),
            Command::DispatchIndirect { object, offset } => {
                if let Some(range) = objects.buffer(object, offset.into(), DISPATCH_ARGUMENTS) {
                    self.run_groups(GroupCounts::In(range));
                }
            }
            Command::SetVertexBuffer { .. }
            | Command::SetIndexBuffer { .. }
            | Command::SetUnorderedBuffer { .. }
            | Command::SetUnorderedTexture { .. }
            | Command::SetBlendFactor(_)
            | Command::SetViewport(_)
            | Command::SetScissor(_)
            | Command::SetTargets(_) => self.set(page, objects, command),
            // `encode_one` has them.
            Command::Binds(_)
            | Command::SetConstantBuffer { .. }
            | Command::SetResourceBuffer { .. }
            | Command::Draw { .. }
            | Command::Draws { .. }
            | Command::DrawIndexed { .. }
            | Command::DrawsIndexed { .. }
            | Command::DrawsInstanced { .. }
            | Command::DrawsIndexedInstanced { .. } => {}
        }
    }

    /// Changes what the shaders of a stage see. No shader of a stage without a lane exists, so what is bound to
    /// one is seen by none.
    #[inline]
    fn with_bindings(&mut self, stage: ShaderStage, set: impl FnOnce(&mut Bindings<'r>, usize)) {
        match lane(stage) {
            Some((PipelineKind::Render, lane)) => set(&mut self.state.bindings, lane),
            Some((PipelineKind::Compute, lane)) => set(self.compute.set(), lane),
            None => {}
        }
    }

    /// A short bind; writes the mirror.
    fn bind(&mut self, objects: &PageObjects<'r>, bind: Bind) {
        let state = &mut self.state;
        match bind {
            Bind::InputLayout(object) => {
                let before = std::mem::replace(&mut state.layout, objects.element_layout(object));
                let by_instance =
                    |layout: Option<&ElementLayout>| layout.is_some_and(|l| l.reads_by_instance);
                // Whether draws can be made by index depends on it.
                state.bindings.resources_dirty |= by_instance(before) != by_instance(state.layout);
                state.dirty_setting();
            }
            Bind::Topology(topology) => {
                state.setting_dirty |= state.topology != topology;
                state.pipeline_dirty |= state.topology != topology;
                state.topology = topology;
                if topology.has_adjacency() {
                    // Each draw is made with other indices.
                    self.ready.forget();
                }
            }
            Bind::Shader { stage, object } => match lane(stage) {
                Some((PipelineKind::Render, lane)) => {
                    state.set_shader(lane, objects.shader(object));
                    self.groups.kept_alone = None;
                    self.reconsider_counter();
                    if lane == VERTEX {
                        self.ready.forget();
                    }
                }
                Some((PipelineKind::Compute, lane)) => {
                    self.compute.set().set_shader(lane, objects.shader(object));
                }
                None => {}
            },
            Bind::ShaderResource { stage, slot, object } => {
                let view = objects.view(object);
                self.with_bindings(stage, |bindings, lane| bindings.set_texture(lane, slot, view));
            }
            Bind::Sampler { stage, slot, object } => {
                let sampler = objects.sampler(object);
                self.with_bindings(stage, |bindings, lane| bindings.set_sampler(lane, slot, sampler));
            }
            Bind::RasterizerState(object) => {
                let before = std::mem::replace(&mut state.rasterizer, objects.rasterizer_state(object));
                let scissors = |state: Option<&RasterizerState>| state.is_some_and(|s| s.desc.scissor_enable);
                state.area_dirty |= scissors(before) != scissors(state.rasterizer);
                state.pipeline_dirty = true;
            }
            Bind::BlendState(object) => {
                state.blend = objects.blend_state(object);
                state.pipeline_dirty = true;
                self.reconsider_counter();
            }
            Bind::DepthStencilState { stencil_ref, object } => {
                state.depth_stencil = objects.depth_stencil_state(object);
                state.pipeline_dirty = true;
                if state.stencil_ref != stencil_ref {
                    state.stencil_ref = stencil_ref;
                    self.ready.forget();
                }
            }
        }
    }

    /// The other commands that only write the mirror.
    fn set(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: Command) {
        let state = &mut self.state;
        match command {
            Command::SetVertexBuffer { slot, object, stride, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                state.set_vertex_buffer(slot, VertexSlot { range, stride });
            }
            Command::SetIndexBuffer { wide, object, offset, size } => {
                // The width is in the key of strips, which restart at an index of all ones.
                if state.index.wide != wide {
                    state.dirty_setting();
                }
                state.index = IndexSlot { range: objects.buffer(object, offset.into(), size.into()), wide };
            }
            Command::SetUnorderedBuffer { stage, slot, format, object, counter, offset, size } => {
                let part = objects.part(object, offset, size, format);
                let counter = objects.part(counter, 0, COUNTER_BYTES, ViewFormat::default());
                self.with_bindings(stage, |bindings, _| bindings.set_unordered(slot, part, counter));
            }
            Command::SetUnorderedTexture { stage, slot, object } => {
                let view = objects.view(object);
                self.with_bindings(stage, |bindings, _| bindings.set_unordered_texture(slot, view));
            }
            Command::SetBlendFactor(at) => {
                if let Some(BlendFactor { factor, sample_mask }) = page.blend_factors.get(at as usize) {
                    state.blend_factor = *factor;
                    if state.sample_mask != *sample_mask {
                        state.sample_mask = *sample_mask;
                        state.dirty_setting();
                    }
                }
            }
            Command::SetViewport(at) => {
                state.viewport = at.and_then(|at| page.viewports.get(at as usize)).copied();
                state.area_dirty = true;
            }
            Command::SetScissor(at) => {
                state.scissor = at.and_then(|at| page.rects.get(at as usize)).copied();
                state.area_dirty = true;
            }
            Command::SetTargets(at) => {
                if let Some(targets) = page.targets.get(at as usize) {
                    let color = targets.color.map(|object| objects.view(object));
                    state.set_targets(color, objects.view(targets.depth_stencil));
                }
            }
            // They do something: `encode_other` has them.
            Command::Binds(_)
            | Command::SetConstantBuffer { .. }
            | Command::Draw { .. }
            | Command::Draws { .. }
            | Command::DrawIndexed { .. }
            | Command::DrawsIndexed { .. }
            | Command::DrawsInstanced { .. }
            | Command::DrawsIndexedInstanced { .. }
            | Command::DrawIndirect { .. }
            | Command::Dispatch(_)
            | Command::DispatchIndirect { .. }
            | Command::ClearRenderTarget { .. }
            | Command::ClearDepthStencil { .. }
            | Command::Copy(_)
            | Command::GenerateMips(_)
            | Command::BeginQuery(_)
            | Command::EndQuery(_)
            | Command::BeginEvent(_)
            | Command::EndEvent
            | Command::SetMarker(_)
            | Command::SetResourceBuffer { .. }
            | Command::PrepareDraw => {}
        }
    }

    fn marker(&mut self, name: &str) {
        match &mut self.pass {
            PassState::Render(open) => open.pass().insert_debug_marker(name),
            PassState::Compute(pass) => pass.insert_debug_marker(name),
            PassState::None => {
                self.events.enter_encoder(&mut self.encoder);
                self.encoder.insert_debug_marker(name);
                self.used = true;
            }
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

/// A part of a page's side array.
fn part_of<T>(all: &[T], first: u32, count: u32) -> &[T] {
    let first = first as usize;
    part(all, first..first + count as usize)
}

/// The elements at these places, as far as there are any.
#[inline]
fn part<T>(all: &[T], places: Range<usize>) -> &[T] {
    all.get(places.start..places.end.min(all.len())).unwrap_or_default()
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
