//! Draws: update the state that has changed since the last draw, then draw.

use onze_ddi::{Rect, ShaderStage};

use crate::{
    encode::{
        emulate_hooks::{
            AdjacencyRemoval, GeometryDraws, PaddedCopies, SliceRanges, StandIns, StreamOutputs,
            TessellatedDraws, VertexPulling, ViewportFitting,
        },
        encoder::{Encoder, clip},
        fast_hooks::{Bundling, DrawsByIndex},
        parts::{
            accesses::AccessRange,
            bundle_spans::DrawSink,
            draw_path::DrawPath,
            passes::PassBuffer,
            pipeline_plan::PipelinePlan,
            ranges::BufferRange,
            ready::{DrawChange, DrawInstances, FastDrawLimits, FirstVertex, limit},
            skipped::Skipped,
            streams::StreamArguments,
            vertices::{BufferSubstitutes, DrawArea, Substitute},
        },
    },
    record::page::InstancedDraw,
};

/// The arguments of a direct draw, and whether it uses indices.
#[derive(Copy, Clone, Debug)]
pub(super) struct DrawCall {
    pub(super) indexed: bool,
    pub(super) args: InstancedDraw,
}

/// The reason why a draw cannot be made with the bound buffers.
enum DrawRefusal {
    /// The draw reads beyond its vertex buffers, so its shader should pull the vertices.
    BeyondVertices,
    Skipped,
}

impl From<Skipped> for DrawRefusal {
    fn from(_: Skipped) -> Self {
        Self::Skipped
    }
}

impl<'r> Encoder<'r> {
    /// Makes draws between which no state changes. Usually the first draw updates the state, and the others
    /// need nothing that the pass lacks.
    #[inline]
    pub(super) fn draw<D: Copy + Into<InstancedDraw>>(&mut self, draws: &[D], indexed: bool) {
        if self.groups.index.is_split() {
            self.bindings.of_mut(PipelinePlan::Draw).change_constants();
            self.ready.forget_bindings();
        }
        if self.ready.changed() == DrawChange::Bindings {
            self.rebind();
        }
        let mut done = 0;
        loop {
            let drawn = self.draw_ready(draws.get(done..).unwrap_or_default(), indexed);
            if drawn > 0 {
                done += drawn;
                self.end_in_bundle(done, draws.len());
            }
            let Some(draw) = draws.get(done) else { return };
            self.draw_anew(&DrawCall { indexed, args: (*draw).into() }, done, draws.len());
            done += 1;
            if self.ready.expects_slices()
                && let Some(rest) = draws.get(done..).filter(|rest| !rest.is_empty())
            {
                return self.in_each_slice(|encoder, _| encoder.draw(rest, indexed));
            }
        }
    }

    /// Makes draws until one needs something that the pass lacks, and returns the number of draws made.
    #[inline]
    fn draw_ready<D: Copy + Into<InstancedDraw>>(&mut self, draws: &[D], indexed: bool) -> usize {
        if self.ready.changed() != DrawChange::Nothing || draws.is_empty() {
            return 0;
        }
        if self.groups.has_moved() {
            self.bind_groups();
        }
        let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording) else { return 0 };
        let (by_index, merging) =
            (self.ready.is_by_index(), self.ready.merges().then(|| self.groups.index.merging()));
        let (mut drawn, mut merged) = (0, 0);
        for draw in draws {
            let mut args = (*draw).into();
            if !self.ready.allows(indexed, &args) {
                break;
            }
            if by_index {
                args.start_instance = self.groups.index.value();
            }
            merged += u32::from(sink.draw(indexed, args, merging));
            drawn += 1;
        }
        self.ready.note_draw();
        self.stats.draws += drawn as u32;
        self.stats.merged += merged;
        self.stats.ways[self.path.current() as usize] += drawn as u32;
        drawn
    }

    /// Makes a draw that needs something that the pass lacks. The draw has index `at` among the `all` draws
    /// of its command.
    #[inline(never)]
    fn draw_anew(&mut self, call: &DrawCall, at: usize, all: usize) {
        self.stats.draws += 1;
        self.ready.interrupt();
        self.begin_in_bundle(at);
        let counts_input = self.queries.has_statistics();
        if counts_input {
            self.tell_draws_apart();
        }
        if self.bindings.shader(ShaderStage::Hull).is_some() {
            return self.draw_tessellated(StreamArguments::Known(call.args), call.indexed);
        }
        if self.state.stream_shader.is_some()
            && !self.write_streams(StreamArguments::Known(call.args), call.indexed)
        {
            if counts_input && self.bindings.shader(ShaderStage::Vertex).is_some() {
                self.measure_primitives(StreamArguments::Known(call.args), call.indexed);
                self.count_input(&call.args);
            }
            return;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.draw_with_geometry(call);
        }
        if let Some(DrawCall { indexed, mut args }) = self.prepare(call)
            && let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording)
        {
            if self.groups.index.is_used() {
                args.start_instance = self.groups.index.value();
            }
            let merging = self.ready.merges().then(|| self.groups.index.merging());
            self.stats.merged += u32::from(sink.draw(indexed, args, merging));
            self.stats.ways[self.path.current() as usize] += 1;
            self.ready.note_draw();
            self.end_in_bundle(at + 1, all);
            if counts_input {
                self.count_input(&call.args);
            }
            if self.draw_writes() {
                self.after_writes();
            }
        }
    }

    /// Binds the changed groups and the changed pipeline, unless the pass also lacks something else. In that
    /// case the next draw checks all state.
    #[inline(never)]
    fn rebind(&mut self) {
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.rebind_expansion();
        }
        self.resolve_groups(PipelinePlan::Draw);
        let is_other = self.resolve_pulling_pipeline();
        let is_other = is_other || self.state.vertex_dirty || self.state.area_dirty || self.minds_writes();
        let is_other = is_other || self.ready.is_by_index() != self.groups.index.is_used();
        if self.pipeline.place().is_none() || is_other {
            self.ready.forget();
        }
        // Nothing is bound if the resolution of the groups has ended the pass.
        if self.ready.changed() == DrawChange::Bindings {
            self.bind_pipeline();
            self.ready.bindings_set();
        }
    }

    /// Resolves the pipeline. Returns whether it is a new one that pulls its vertices, or whose predecessor does, so that
    /// the pass lacks buffers.
    fn resolve_pulling_pipeline(&mut self) -> bool {
        if !self.state.pipeline_dirty {
            return false;
        }
        let was_pulled = self.pulled().is_some();
        self.resolve_pipeline();
        was_pulled || self.pulled().is_some()
    }

    /// Opens the pass and binds everything that it lacks, or returns `None` if there is nothing to draw.
    fn prepare(&mut self, call: &DrawCall) -> Option<DrawCall> {
        self.ready.forget();
        let args = &call.args;
        if args.count == 0 || args.instance_count == 0 || self.bindings.shader(ShaderStage::Vertex).is_none()
        {
            return None;
        }
        if args.instance_count != 1 {
            self.keep_alone(DrawPath::Instanced);
        }
        let (area, args, substitutes) = self.in_one_section(|encoder| encoder.resolve_inputs(call))?;
        let indexed = call.indexed || self.state.draws_have_own_indices();
        self.open_pass_for_draw(None);
        let has_copies = substitutes.has_copies() || self.groups.has_padded();
        // Whether the next draw needs a stand-in depends on its shader and the open queries.
        let is_alone =
            self.minds_writes() || self.targets.stand_in().is_some() || self.state.stream_shader.is_some();
        self.choose_bundle(&area, !has_copies && !is_alone && self.vertex_end.fit.is_none());
        self.bind_all(&area, &substitutes, indexed);
        if substitutes.is_empty() && !is_alone && !self.queries.has_statistics() {
            self.set_ready(indexed);
        }
        Some(DrawCall { indexed, args })
    }

    /// Updates the state and replaces buffers for a draw, or returns `None` if there is nothing to draw.
    #[inline]
    fn resolve_inputs(&mut self, call: &DrawCall) -> Option<(DrawArea, InstancedDraw, BufferSubstitutes)> {
        self.fetch_vertices();
        let mut area = self.resolve_state(PipelinePlan::Draw)?;
        let mut found = self.substitute(call);
        if let Err(DrawRefusal::BeyondVertices) = found
            && self.pull_vertices()
        {
            area = self.resolve_state(PipelinePlan::Draw)?;
            found = self.substitute(call);
        }
        let (args, mut substitutes) = found.ok()?;
        substitutes.pulled = self.resolve_pulled(&substitutes.pulled_draw()).ok()?;
        Some((area, args, substitutes))
    }

    /// Updates the state that does not depend on the draw's arguments, or returns `None` if there is nothing
    /// to draw.
    #[inline(always)]
    pub(super) fn resolve_state(&mut self, plan: PipelinePlan) -> Option<DrawArea> {
        self.resolve_targets();
        if !self.is_drawable() {
            return None;
        }
        // The area is resolved first, because the pipeline depends on whether the viewport fits.
        self.resolve_area();
        self.resolve_groups(plan);
        self.resolve_pipeline();
        self.pipeline.place()?;
        let area = self.area?;
        if self.targets.stand_in().is_some() {
            self.fit_stand_in(&area);
        }
        self.resolve_vertices();
        Some(area)
    }

    /// Returns whether the draw has targets, or a stand-in that replaces missing targets.
    #[inline(always)]
    pub(super) fn is_drawable(&mut self) -> bool {
        self.targets.is_drawable() || (self.targets.is_empty() && self.resolve_stand_in())
    }

    /// Binds everything that the open pass lacks, after the state is resolved.
    #[inline(always)]
    pub(super) fn bind_all(&mut self, area: &DrawArea, substitutes: &BufferSubstitutes, indexed: bool) {
        self.bind_dynamic_state(area);
        self.bind_pipeline();
        if self.queries.is_waiting() {
            self.begin_segments();
        }
        self.bind_groups();
        self.bind_vertex_end();
        if let Some(pulled) = substitutes.pulled {
            self.bind_pulled(pulled);
        }
        self.bind_vertices(substitutes);
        if indexed {
            self.bind_indices(substitutes);
        }
    }

    /// Notes which draws the open pass can make while no state changes.
    fn set_ready(&mut self, indexed: bool) {
        let index = self.state.index;
        let indices = index.range.filter(|_| indexed).map_or(0, |range| range.size / index.width());
        let vertex_shader = self.bindings.shader(ShaderStage::Vertex);
        let reflection = vertex_shader.map(|shader| &shader.code.reflection);
        let by_index = self.groups.index.is_used();
        let pulled = self.pulled();
        let reads_by_instance =
            self.vertex.reads_by_instance() || pulled.is_some_and(|pulled| pulled.reads_by_instance);
        let rebases_instances = reflection.is_some_and(|shader| shader.uses_instance_index)
            || pulled.is_some_and(|pulled| pulled.has_step_rates);
        let first_vertex = match reflection.is_some_and(|shader| shader.uses_vertex_index) {
            true => FirstVertex::Zero,
            false => FirstVertex::Any,
        };
        let draw_instances = match (by_index, rebases_instances) {
            (true, _) => DrawInstances::ByIndex,
            (false, true) => DrawInstances::FromZero,
            (false, false) => DrawInstances::Any,
        };
        // Learning from this draw may have changed the layout of the next draws.
        let has_learned = self.bindings.of(PipelinePlan::Draw).has_changed_resources();
        let limits = FastDrawLimits {
            first_vertex,
            draw_instances,
            merges: by_index || !(rebases_instances || reads_by_instance),
            vertices: limit(self.vertex.vertices()),
            instances: limit(self.vertex.instances()),
            indices: limit(indices),
        };
        let changed = if has_learned { DrawChange::Bindings } else { DrawChange::Nothing };
        self.ready.renew(changed, limits);
    }

    /// Resolves the state of a draw and begins to compile its pipeline, without waiting for it.
    pub(super) fn prepare_draw(&mut self) {
        self.resolve_targets();
        if self.bindings.shader(ShaderStage::Vertex).is_none() {
            return;
        }
        if self.bindings.shader(ShaderStage::Hull).is_some() {
            return self.prepare_tessellated();
        }
        let is_rasterized = self.state.stream_shader.is_none() || self.prepare_streams();
        if !is_rasterized || !self.is_drawable() {
            return;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.prepare_with_geometry();
        }
        self.resolve_area();
        self.resolve_groups(PipelinePlan::Draw);
        self.resolve_pipeline_later();
    }

    pub(super) fn resolve_area(&mut self) {
        if !std::mem::take(&mut self.state.area_dirty) {
            return;
        }
        self.area = self.find_area();
    }

    fn find_area(&mut self) -> Option<DrawArea> {
        let selected = self.vertex_end.selection.map_or(0, |selection| selection.viewport as usize);
        let viewport = *self.state.viewports.get(selected)?;
        // The viewport acts as an implicit scissor rectangle, and the casts saturate.
        let mut rect = Rect {
            left: viewport.top_left_x.floor() as i32,
            top: viewport.top_left_y.floor() as i32,
            right: (viewport.top_left_x + viewport.width).floor() as i32,
            bottom: (viewport.top_left_y + viewport.height).floor() as i32,
        };
        if self.state.rasterizer.is_some_and(|r| r.desc.scissor_enable) {
            let scissor = self.state.scissors.get(selected)?;
            rect.left = rect.left.max(scissor.left);
            rect.top = rect.top.max(scissor.top);
            rect.right = rect.right.min(scissor.right);
            rect.bottom = rect.bottom.min(scissor.bottom);
        }
        let [width, height] = self.targets.shared_size();
        let scissor = clip(rect, width, height)?;
        Some(DrawArea { viewport: self.fit_viewport(viewport, scissor), scissor })
    }

    pub(super) fn resolve_vertices(&mut self) {
        if !std::mem::take(&mut self.state.vertex_dirty) {
            return;
        }
        let null = &self.encoding.objects.nulls.vertex;
        let null =
            BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: null.offset, size: null.size };
        let pipeline =
            self.pipeline.place().and_then(|place| self.caches.pipelines.pipelines.get(place)?.as_ref());
        let slots = pipeline.map_or(&[][..], |pipeline| &pipeline.fetches);
        self.vertex.resolve(&self.state, slots, null);
    }

    /// Replaces the buffers that do not contain everything that the draw reads, and removes the draw's start
    /// where wgpu would number vertices or instances differently. Fails if the draw cannot be made.
    fn substitute(&mut self, call: &DrawCall) -> Result<(InstancedDraw, BufferSubstitutes), DrawRefusal> {
        let mut args = call.args;
        let mut substitutes = BufferSubstitutes::default();
        // In wgpu, SV_VertexID and SV_InstanceID include the start of the draw, but in Direct3D 11 they do
        // not. So the draw starts at 0 and its buffers are shifted instead.
        if let Some(shader) = self.bindings.shader(ShaderStage::Vertex) {
            let reflection = &shader.code.reflection;
            if reflection.uses_vertex_index {
                if call.indexed {
                    substitutes.vertex_shift = args.base_vertex.into();
                    args.base_vertex = 0;
                } else {
                    substitutes.vertex_shift = args.start.into();
                    args.start = 0;
                }
            }
            let has_step_rates = self.pulled().is_some_and(|pulled| pulled.has_step_rates);
            if (reflection.uses_instance_index || has_step_rates) && !self.groups.index.is_used() {
                substitutes.instance_shift = args.start_instance.into();
                args.start_instance = 0;
            }
        }
        let last_instance = u64::from(args.start_instance) + u64::from(args.instance_count);
        let last_vertex = u64::from(args.start) + u64::from(args.count);
        let fits = substitutes.vertex_shift == 0
            && substitutes.instance_shift == 0
            && self.vertex.is_aligned()
            && last_instance <= self.vertex.instances()
            && (call.indexed || last_vertex <= self.vertex.vertices());
        if !fits {
            let last_vertex = (!call.indexed).then_some(last_vertex);
            self.substitute_vertices(&mut substitutes, last_vertex, Some(last_instance))?;
        }
        if self.state.topology.has_adjacency() {
            self.substitute_adjacent(&mut substitutes, call.indexed, &mut args)?;
        } else if call.indexed {
            self.substitute_indices(&mut substitutes, Some(last_vertex))?;
        }
        Ok((args, substitutes))
    }

    /// Replaces the indices of a draw by indices without the adjacent vertices, and fails if none is left.
    #[cold]
    fn substitute_adjacent(
        &mut self,
        substitutes: &mut BufferSubstitutes,
        indexed: bool,
        args: &mut InstancedDraw,
    ) -> Result<(), Skipped> {
        let gathered = if indexed {
            self.gather_indices(args)
        } else {
            // The cast may wrap, because the GPU also adds vertex numbers with 32 bits.
            args.base_vertex = args.start as i32;
            self.adjacent_sequence(args.count)
        };
        let (indices, count) = gathered.ok_or(Skipped)?;
        (args.start, args.count) = (0, count);
        substitutes.set_indices(indices);
        Ok(())
    }

    /// Replaces the buffers that wgpu cannot read as they are for an indirect draw, and whose sizes it
    /// compares with the arguments.
    pub(super) fn substitute_unaligned(&mut self, indexed: bool) -> Option<BufferSubstitutes> {
        let mut substitutes = BufferSubstitutes::default();
        if !self.vertex.is_aligned() {
            self.substitute_vertices(&mut substitutes, None, None).ok()?;
        }
        if indexed {
            self.substitute_indices(&mut substitutes, None).ok()?;
        }
        Some(substitutes)
    }

    /// Replaces vertex buffers that do not contain everything that the draw reads, or that wgpu cannot bind
    /// at their offset. `last_vertex` is `None` for indexed draws. Both limits are `None` for indirect draws,
    /// because their reads are unknown and the GPU bounds them.
    fn substitute_vertices(
        &mut self,
        substitutes: &mut BufferSubstitutes,
        last_vertex: Option<u64>,
        last_instance: Option<u64>,
    ) -> Result<(), DrawRefusal> {
        for at in 0..self.vertex.fetches().len() {
            let Some(fetch) = self.vertex.fetches().get(at).copied() else { break };
            if fetch.is_null {
                continue;
            }
            let (shift, end) = (substitutes.shift(&fetch), fetch.slot.end);
            let last = if fetch.slot.per_instance { last_instance } else { last_vertex };
            let needed = last.map(|last| fetch.stride.saturating_mul(last - 1).saturating_add(end));
            let rest =
                fetch.range.size.checked_sub(shift.unsigned_abs()).filter(|rest| shift >= 0 && *rest > 0);
            let is_aligned = (fetch.range.offset as i64 + shift) % 4 == 0;
            if rest.is_some_and(|rest| is_aligned && needed.is_none_or(|needed| needed <= rest)) {
                continue;
            }
            if self.gpu.pulls_vertices() && !self.state.pulls_vertices {
                return Err(DrawRefusal::BeyondVertices);
            }
            let behind = fetch.range.size as i64 - shift;
            let Some(needed) = needed.or(u64::try_from(behind).ok().filter(|n| *n > 0)) else {
                substitutes.vertex.push((at, Substitute::Zeros));
                continue;
            };
            let usage = wgpu::BufferUsages::VERTEX;
            let copy = self.guarded_copy(fetch.range, shift, needed.max(end), usage);
            substitutes.vertex.push((at, Substitute::Copy(copy?)));
        }
        Ok(())
    }

    /// Replaces the index buffer if it contains fewer than `last` indices, or if the GPU cannot read it at its
    /// offset. `last` is `None` for indirect draws.
    fn substitute_indices(
        &mut self,
        substitutes: &mut BufferSubstitutes,
        last: Option<u64>,
    ) -> Result<(), Skipped> {
        let width = self.state.index.width();
        let bound = || self.state.index.range.map_or(0, |range| range.size);
        let needed = last.map_or_else(|| bound().max(width), |last| last * width);
        let is_read_at = |offset: u64| {
            offset.is_multiple_of(width) && (last.is_some() || self.gpu.reads_indirect_indices_at(offset))
        };
        let range = match self.state.index.range {
            Some(range) if range.size >= needed && is_read_at(range.offset) => return Ok(()),
            Some(range) => range,
            None => {
                let null = &self.encoding.objects.nulls.vertex;
                BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: 0, size: 0 }
            }
        };
        let copy = self.guarded_copy(range, 0, needed, wgpu::BufferUsages::INDEX)?;
        substitutes.index = Some((copy, self.state.index.wide));
        Ok(())
    }

    /// Returns a padded copy, or reports and skips the draw if the copy would be too large.
    fn guarded_copy(
        &mut self,
        range: BufferRange<'r>,
        shift: i64,
        needed: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, Skipped> {
        if needed > self.largest_copy() {
            self.report(
                "a draw is skipped: the zeros beyond a vertex or index buffer that it reads are in a copy, of 256 MiB at most; \
                 draw fewer vertices, instances or indices, or make the buffer larger",
            );
            return Err(Skipped);
        }
        Ok(self.padded_copy(range, shift, needed, usage))
    }

    /// Binds the groups that the pass lacks, or whose dynamic offsets have changed.
    pub(super) fn bind_groups(&mut self) {
        if self.path.learns() && self.groups.has_moved_constants() {
            self.learn();
        }
        let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording) else { return };
        for (at, place, offsets) in self.groups.take_moved() {
            if let Some(group) = self.caches.groups.get(place) {
                sink.set_group(at, place, group, offsets);
            }
        }
    }

    /// Binds the pipeline, unless the pass already has it or its compilation failed.
    pub(super) fn bind_pipeline(&mut self) {
        if let Some(place) = self.pipeline.place()
            && self.pass.changes_pipeline(place)
            && let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording)
            && let Some(Some(compiled)) = self.caches.pipelines.pipelines.get(place)
        {
            sink.set_pipeline(place, compiled);
        }
    }

    /// Returns whether the pass has the viewport, scissor rectangle, blend factor and stencil reference.
    pub(super) fn has_dynamic_state(&self, area: &DrawArea) -> bool {
        self.pass.has_dynamic_state(area, self.state.blend_factor, self.state.stencil_ref)
    }

    /// Sets the viewport, scissor rectangle, blend factor and stencil reference where the pass has other
    /// values.
    pub(super) fn bind_dynamic_state(&mut self, area: &DrawArea) {
        if self.has_dynamic_state(area) {
            return;
        }
        self.pass.set_dynamic_state(area, self.state.blend_factor, self.state.stencil_ref);
    }

    pub(super) fn bind_vertices(&mut self, substitutes: &BufferSubstitutes) {
        let null = &self.encoding.objects.nulls.vertex;
        for (at, fetch) in self.vertex.fetches().iter().enumerate() {
            let found =
                substitutes.vertex.iter().find(|(slot, _)| *slot == at).map(|(_, substitute)| substitute);
            let (buffer, wanted): (&'r wgpu::Buffer, PassBuffer) = match found {
                Some(Substitute::Copy(copy)) => {
                    self.pass.set_vertex_copy(at, copy);
                    continue;
                }
                Some(Substitute::Zeros) => (&null.buffer, (null.buffer_id, null.offset, null.size)),
                None => {
                    // The shift is within the buffer, because otherwise the buffer would have a substitute.
                    let shift = if fetch.is_null { 0 } else { substitutes.shift(fetch).unsigned_abs() };
                    let range = fetch.range;
                    (range.buffer, (range.id, range.offset + shift, range.size - shift))
                }
            };
            if self.pass.changes_vertex_buffer(at, wanted)
                && let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording)
            {
                self.accesses.reads(AccessRange::bytes(wanted.0, wanted.1, wanted.2));
                sink.set_vertex_buffer(at as u32, buffer.slice(wanted.1..wanted.1 + wanted.2));
            }
        }
    }

    pub(super) fn bind_indices(&mut self, substitutes: &BufferSubstitutes) {
        let wide = substitutes.index.as_ref().map_or(self.state.index.wide, |(_, wide)| *wide);
        let format = if wide { wgpu::IndexFormat::Uint32 } else { wgpu::IndexFormat::Uint16 };
        if let Some((copy, _)) = &substitutes.index {
            self.pass.set_index_copy(copy, format);
        } else if let Some(range) = self.state.index.range
            && self.pass.changes_indices((range.id, range.offset, range.size), wide)
            && let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording)
        {
            self.accesses.reads(AccessRange::bytes(range.id, range.offset, range.size));
            sink.set_index_buffer(range.buffer.slice(range.offset..range.offset + range.size), format);
            if let Some(open) = self.pass.render() {
                open.allow_indexed_multi_draws(self.gpu.reads_indirect_indices_at(range.offset));
            }
        }
    }
}
