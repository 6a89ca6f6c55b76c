//! Commands of a page: the dispatch from each command to the operation that encodes it.
//!
//! Binds and state commands only write to the mirror of the state ([`super::parts::state`]). Draws and other
//! work update wgpu's state before they are encoded.

use std::ops::Range;

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        emulate_hooks::{MipGeneration, SampleCounting, SliceRanges},
        encoder::Encoder,
        fast_hooks::{Bundling, Stretches},
        parts::{
            dispatches::{DISPATCH_ARGUMENTS, GroupCounts},
            page_objects::PageObjects,
            passes::OpenPass,
            patches::tessellated_topology,
            pipeline_plan::PipelinePlan,
            ranges::{IndexSlot, VertexSlot},
            ready::continues_stretch,
            streams::StreamTarget,
        },
    },
    objects::{
        shader::{Shader, hull_program},
        state::{ElementLayout, RasterizerState},
        view::COUNTER_BYTES,
    },
    record::{
        command::{
            Bind, BindCommand, Command, CommandClass, DrawCommand, HandleCommand, StateCommand, ViewFormat,
            WorkCommand,
        },
        page::{BlendFactor, IndexedDraw, Page, PlainDraw},
    },
};

/// The encoder while it encodes a page.
struct PageCommands<'a, 'r> {
    encoder: &'a mut Encoder<'r>,
    page: &'r Page,
    objects: &'a PageObjects<'r>,
}

impl HandleCommand for PageCommands<'_, '_> {
    #[inline(always)]
    fn bind(&mut self, command: BindCommand) {
        self.encoder.encode_bind(self.objects, command);
    }

    #[inline(always)]
    fn state(&mut self, command: StateCommand) {
        self.encoder.ready.forget();
        self.encoder.encode_state(self.page, self.objects, command);
    }

    #[inline(always)]
    fn draw(&mut self, command: DrawCommand) {
        self.encoder.encode_draws(self.page, command, 0..usize::MAX);
    }

    #[inline(always)]
    fn work(&mut self, command: WorkCommand) {
        self.encoder.ready.forget();
        self.encoder.ready.interrupt();
        self.encoder.finish_bundle();
        self.encoder.encode_work(self.page, self.objects, command);
    }
}

impl<'r> Encoder<'r> {
    /// Encodes a slice of a page's commands, in their order.
    pub(crate) fn encode(&mut self, page: &'r Page, objects: &PageObjects<'r>, commands: &[Command]) {
        let mut done = 0;
        while let Some(command) = commands.get(done) {
            self.encode_one(page, objects, *command);
            done += 1;
            if command.is_draw() && self.ready.is_steady() {
                let rest = commands.get(done..).unwrap_or_default();
                done += match self.ready.expects_slices() {
                    true => self.encode_slices(page, objects, rest),
                    false => self.encode_stretch(objects, rest),
                };
            }
        }
    }

    /// Encodes a page that predication skips: only the commands that do not depend on a predicate.
    #[cold]
    pub(crate) fn encode_skipped(&mut self, page: &'r Page, objects: &PageObjects<'r>) {
        for command in &page.commands {
            let is_skipped = match command.class() {
                CommandClass::Bind(_) | CommandClass::State(_) => false,
                CommandClass::Draw(_) => true,
                CommandClass::Work(work) => work.is_predicated(page),
            };
            if !is_skipped {
                self.encode_one(page, objects, *command);
            }
        }
    }

    #[inline(always)]
    pub(super) fn encode_one(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: Command) {
        command.handle(&mut PageCommands { encoder: self, page, objects });
    }

    #[inline(always)]
    fn encode_bind(&mut self, objects: &PageObjects<'r>, command: BindCommand) {
        match command {
            BindCommand::SetConstantBuffer { stages, slot, object, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                self.set_constant_buffer(stages, slot, range);
            }
            BindCommand::Binds(binds) => {
                self.ready.forget_bindings();
                for bind in binds.iter() {
                    self.bind(objects, bind);
                }
            }
            BindCommand::SetResourceBuffer { stage, slot, format, object, offset, size } => {
                self.ready.interrupt();
                self.set_resource_buffer(stage, slot, objects.part(object, offset, size, format));
            }
        }
    }

    /// Encodes those draws of a command whose indices, counted from its first draw, are in `some`.
    #[inline(always)]
    pub(crate) fn encode_draws(&mut self, page: &'r Page, command: DrawCommand, some: Range<usize>) {
        match command {
            DrawCommand::Draw { vertex_count: count, start_vertex: start } => {
                self.draw(part(&[PlainDraw { count, start }], some), false);
            }
            DrawCommand::DrawIndexed { index_count: count, start_index: start, base_vertex } => {
                self.draw(part(&[IndexedDraw { count, start, base_vertex }], some), true);
            }
            DrawCommand::Draws { first, count } => {
                self.draw(part(part_of(&page.plain_draws, first, count), some), false);
            }
            DrawCommand::DrawsIndexed { first, count } => {
                self.draw(part(part_of(&page.indexed_draws, first, count), some), true);
            }
            DrawCommand::DrawsInstanced { first, count } => {
                self.draw(part(part_of(&page.instanced_draws, first, count), some), false);
            }
            DrawCommand::DrawsIndexedInstanced { first, count } => {
                self.draw(part(part_of(&page.instanced_draws, first, count), some), true);
            }
        }
    }

    /// Writes state to the mirror, so that the next draw or dispatch resolves it.
    #[inline(never)]
    fn encode_state(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: StateCommand) {
        let is_buffer =
            matches!(command, StateCommand::SetVertexBuffer { .. } | StateCommand::SetIndexBuffer { .. });
        if !is_buffer {
            self.ready.interrupt();
        }
        let state = &mut self.state;
        match command {
            StateCommand::SetVertexBuffer { slot, object, stride, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                state.set_vertex_buffer(slot, VertexSlot { range, stride });
            }
            StateCommand::SetIndexBuffer { wide, object, offset, size } => {
                let range = objects.buffer(object, offset.into(), size.into());
                state.set_index_buffer(IndexSlot { range, wide });
            }
            StateCommand::SetUnorderedBuffer { stage, slot, format, object, counter, offset, size } => {
                let part = objects.part(object, offset, size, format);
                let counter = objects.part(counter, 0, COUNTER_BYTES, ViewFormat::default());
                self.bindings.set_unordered(stage, slot, part, counter);
            }
            StateCommand::SetUnorderedTexture { stage, slot, object } => {
                let view = objects.view(object);
                self.bindings.set_unordered_texture(stage, slot, view);
            }
            StateCommand::SetBlendFactor(at) => {
                if let Some(BlendFactor { factor, sample_mask }) = page.blend_factors.get(at as usize) {
                    state.blend_factor = *factor;
                    if state.sample_mask != *sample_mask {
                        state.sample_mask = *sample_mask;
                        state.dirty_setting();
                    }
                }
            }
            StateCommand::SetViewports(range) => {
                state.viewports = range.of(&page.viewports);
                state.area_dirty = true;
            }
            StateCommand::SetScissorRects(range) => {
                state.scissors = range.of(&page.rects);
                state.area_dirty = true;
            }
            StateCommand::SetStreamTargets(at) => {
                if let Some(targets) = page.stream_targets.get(at as usize) {
                    state.stream_targets = targets.map(|target| {
                        let filled = objects.buffer(target.filled, 0, COUNTER_BYTES.into())?;
                        let data = objects.buffer(target.object, target.offset.into(), target.size.into())?;
                        Some(StreamTarget { data, filled })
                    });
                }
            }
            StateCommand::SetTargets(at) => {
                if let Some(targets) = page.targets.get(at as usize) {
                    let color = targets.color.map(|object| objects.view(object));
                    state.set_targets(color, objects.view(targets.depth_stencil));
                }
            }
        }
    }

    #[inline(never)]
    fn encode_work(&mut self, page: &'r Page, objects: &PageObjects<'r>, command: WorkCommand) {
        match command {
            WorkCommand::ClearRenderTarget { object, color } => {
                if let (Some(view), Some(color)) = (objects.view(object), page.colors.get(color as usize)) {
                    self.clear_render_target(view, *color);
                }
            }
            WorkCommand::ClearDepthStencil { object, flags, stencil, depth } => {
                if let Some(view) = objects.view(object) {
                    self.clear_depth_stencil(view, flags, depth, stencil);
                }
            }
            WorkCommand::Copy(at) => {
                if let Some(copy) = page.copies.get(at as usize) {
                    self.copy(objects, copy);
                }
            }
            WorkCommand::GenerateMips(object) => {
                if let Some(view) = objects.view(object) {
                    self.generate_mips(view);
                }
            }
            WorkCommand::BeginQuery(at) => self.begin_query(at),
            WorkCommand::EndQuery(at) => self.end_query(at),
            WorkCommand::BeginEvent(name) => {
                if let Some(name) = page.names.get(name as usize) {
                    self.end_compute_pass();
                    self.events.begin(name, self.pass.render().map(OpenPass::pass));
                }
            }
            WorkCommand::EndEvent => {
                self.end_compute_pass();
                self.events.end(&mut self.encoder, self.pass.render().map(OpenPass::pass));
            }
            WorkCommand::PrepareDraw => self.prepare_draw(),
            WorkCommand::SetMarker(name) => {
                if let Some(name) = page.names.get(name as usize) {
                    self.marker(name);
                }
            }
            WorkCommand::DrawIndirect { indexed, object, offset } => {
                if let Some(range) = objects.buffer(object, offset.into(), 0) {
                    self.draw_indirect(range, indexed);
                }
            }
            WorkCommand::DrawAuto { object, stride, offset } => {
                if let Some(filled) = objects.buffer(object, 0, COUNTER_BYTES.into()) {
                    self.draw_auto(filled, offset, stride.into());
                }
            }
            WorkCommand::Dispatch(groups) => self.run_groups(GroupCounts::Known(groups)),
            WorkCommand::DispatchIndirect { object, offset } => {
                if let Some(range) = objects.buffer(object, offset.into(), DISPATCH_ARGUMENTS) {
                    self.run_groups(GroupCounts::In(range));
                }
            }
        }
    }

    /// Writes one of the binds of a [`Command::Binds`] to the mirror.
    pub(super) fn bind(&mut self, objects: &PageObjects<'r>, bind: Bind) {
        if !continues_stretch(&bind) {
            self.ready.interrupt();
        }
        let state = &mut self.state;
        match bind {
            Bind::InputLayout(object) => {
                let before = std::mem::replace(&mut state.layout, objects.element_layout(object));
                let by_instance =
                    |layout: Option<&ElementLayout>| layout.is_some_and(|l| l.reads_by_instance);
                // Draws by index are impossible if the layout reads data per instance.
                if by_instance(before) != by_instance(state.layout) {
                    self.bindings.of_mut(PipelinePlan::Draw).change_resources();
                }
                state.dirty_setting();
            }
            Bind::Topology(topology) => {
                state.setting_dirty |= state.topology != topology;
                state.pipeline_dirty |= state.topology != topology;
                state.topology = topology;
                if state.draws_have_own_indices() {
                    self.ready.forget();
                }
                if state.passes_through {
                    self.bind_pass_through();
                }
            }
            Bind::Shader { stage, object } => {
                let mut shader = objects.shader(object);
                if stage == ShaderStage::Geometry {
                    state.stream_shader = shader.filter(|shader| shader.stream_output.is_some());
                    // A vertex shader with stream output does not change the rest of the draw.
                    shader = shader.filter(|shader| shader.code.reflection.stage == stage);
                    state.passes_through = false;
                }
                let is_other = self.bindings.set_shader(stage, shader);
                if PipelinePlan::from(stage) == PipelinePlan::Draw {
                    state.pipeline_dirty |= is_other;
                    if stage != ShaderStage::Pixel {
                        self.ready.forget();
                    }
                    if stage != ShaderStage::Vertex && stage != ShaderStage::Pixel {
                        state.dirty_setting();
                    }
                    if stage != ShaderStage::Pixel {
                        self.bind_pass_through();
                    }
                    self.path.release();
                    self.reconsider_counter();
                }
            }
            Bind::ShaderResource { stage, slot, object } => {
                let view = objects.view(object);
                self.bindings.set_texture(stage, slot, view);
            }
            Bind::Sampler { stage, slot, object } => {
                let sampler = objects.sampler(object);
                self.bindings.set_sampler(stage, slot, sampler);
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

    /// Binds the geometry shader of the driver's own that the shader before the rasterizer needs, unless the program has
    /// bound one.
    #[inline]
    fn bind_pass_through(&mut self) {
        let stage = match self.bindings.shader(ShaderStage::Hull) {
            Some(_) => ShaderStage::Domain,
            None => ShaderStage::Vertex,
        };
        let shader = self.bindings.shader(stage).filter(|shader| shader.needs_geometry());
        if shader.is_some() || self.state.passes_through {
            self.replace_pass_through(shader);
        }
    }

    #[inline(never)]
    fn replace_pass_through(&mut self, before: Option<&'r Shader>) {
        if !self.state.passes_through && self.bindings.shader(ShaderStage::Geometry).is_some() {
            return;
        }
        // The shader depends on the topology.
        self.state.passes_through = before.is_some();
        let hull = self.bindings.shader(ShaderStage::Hull).and_then(|hull| hull_program(&hull.code));
        let topology = hull.map_or(self.state.topology, |hull| tessellated_topology(hull.output));
        let shader = before.and_then(|before| before.pass_through(self.gpu, topology));
        if self.bindings.set_shader(ShaderStage::Geometry, shader) {
            self.state.dirty_setting();
            self.ready.forget();
        }
    }

    fn marker(&mut self, name: &str) {
        if !self.pass.insert_marker(name) {
            self.events.enter_encoder(&mut self.encoder);
            self.encoder.insert_debug_marker(name);
            self.used = true;
        }
    }
}

/// Returns the elements of a page's side array that a command refers to.
fn part_of<T>(all: &[T], first: u32, count: u32) -> &[T] {
    let first = first as usize;
    part(all, first..first + count as usize)
}

/// Returns the elements in a range, clamped to the end of the array.
#[inline]
fn part<T>(all: &[T], places: Range<usize>) -> &[T] {
    all.get(places.start..places.end.min(all.len())).unwrap_or_default()
}
