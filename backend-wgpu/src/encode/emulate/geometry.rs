//! Draws with a geometry shader, which runs in wgpu's vertex stage after the vertex shader.
//!
//! wgpu draws everything that the geometry shader may append. Usually the vertex stage runs both shaders for each
//! of these vertices (`objects/shader/passes/geometry.rs`), and reads vertices and indices from storage buffers, as
//! in [`super::pull`]. So such a draw needs no memory for results. Only indexed strips and indirect draws need a
//! dispatch before the pass, which gathers the primitives or expands the arguments. The vertices of expensive draws
//! are stored before the pass instead ([`super::stored_vertices`]).
//!
//! A geometry shader can select a slice of the targets and a viewport for each primitive. wgpu cannot, so the
//! draw is repeated for each slice, in a pass of its own, and for each viewport. Each repetition keeps the
//! primitives of its slice and viewport.

use onze_ddi::{
    ConservativeRasterizationMode, FillMode, InputPrimitive, OutputValue, PrimitiveTopology, RasterizerDesc,
    ShaderStage,
};
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        draw::DrawCall,
        emulate::gather::{Gathering, IndexSource},
        emulate_hooks::{ByteCopies, GeometryDraws, StreamOutputs, VertexPulling},
        encoder::Encoder,
        fast_hooks::Bundling,
        own_pipelines::OwnCompute,
        parts::{
            accesses::AccessRange,
            arena::ArenaRange,
            draw_path::DrawPath,
            expanded_draws::{CountedNumbers, DrawExpansion, ExpandedArguments, Pattern, ReadyExpansion},
            hash::SlabIndex,
            patches::StoredPatches,
            pipeline_plan::PipelinePlan,
            pulled::{GeometryInput, GeometrySetting, PulledDraw},
            ranges::{BufferRange, whole_buffer},
            ready::{DrawChange, FastDrawLimits},
            streams::StreamArguments,
            vertex_end::PrimitiveSelection,
            vertices::{BufferSubstitutes, DrawArea},
        },
    },
    objects::shader::{Expansion, ExpansionForm, PullConstants, geometry_program},
    record::page::InstancedDraw,
};

/// The selections that a geometry shader makes for each primitive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct SelectedParts {
    slices: bool,
    viewports: bool,
}

/// How the bound geometry shader is executed.
#[derive(Clone, Debug)]
struct ExpandedDraw {
    selects: SelectedParts,
    /// The primitive that the geometry shader reads.
    input: InputPrimitive,
    expansion: Expansion,
    /// The stored vertices of the draw, if it has any.
    stored: Option<ArenaRange>,
}

/// Returns the first primitive and the number of primitives of each draw that wgpu makes, because a draw has
/// less than 2³¹ vertices. `vertices` is the number of expanded vertices for a primitive.
fn parts(primitives: u32, vertices: u32) -> impl Iterator<Item = (u32, u32)> {
    let most = (i32::MAX as u32 / vertices.max(1)).max(1);
    let parts = (0..primitives).step_by(most as usize);
    parts.map(move |first| (first, (primitives - first).min(most)))
}

/// Maximum number of indices of a pattern, which take 1 MiB.
const MOST_PATTERN_INDICES: u32 = 1 << 18;

/// Minimum number of invocations in a pattern, unless the maximum is smaller.
const MIN_PATTERN_INVOCATIONS: u32 = 64;

/// Maximum number of patterns that a thread keeps.
const MOST_PATTERNS: usize = 16;

/// Returns the number of indices of one invocation in a pattern.
const fn pattern_indices(expansion: &Expansion) -> u32 {
    3 * expansion.primitives
}

/// Returns the maximum number of invocations in a pattern.
const fn most_pattern_invocations(expansion: &Expansion) -> u32 {
    let most = MOST_PATTERN_INDICES / pattern_indices(expansion);
    if most == 0 { 1 } else { most }
}

/// Returns the indices of a pattern: the triangles of one strip for each invocation.
fn pattern(expansion: &Expansion, invocations: u32) -> Vec<u32> {
    let strip = |invocation: u32| {
        let first = invocation * expansion.invocation_vertices();
        (0..expansion.primitives).flat_map(move |triangle| {
            let at = first + triangle;
            if triangle % 2 == 0 { [at, at + 1, at + 2] } else { [at, at + 2, at + 1] }
        })
    };
    (0..invocations).flat_map(strip).collect()
}

impl GeometryDraws for Encoder<'_> {
    fn draw_with_geometry(&mut self, call: &DrawCall) {
        let args = call.args;
        if self.state.topology.primitive_count(args.count) == 0 || args.instance_count == 0 {
            return;
        }
        if self.draw_ready_expansion(call) {
            return;
        }
        if self.queries.has_statistics() {
            self.measure_primitives(StreamArguments::Known(args), call.indexed);
            self.count_input(&args);
        }
        let Some(mut expanded) = self.expand(call.indexed, true) else { return };
        self.resolve_targets();
        if self.is_drawable() && self.stores_vertices(&args, expanded.input, &expanded.expansion) {
            let expansion = Expansion { is_stored: true, ..expanded.expansion };
            expanded.stored = self.store_vertices(&args, call.indexed, expansion);
            if expanded.stored.is_some() {
                expanded.expansion = expansion;
                self.set_geometry(GeometrySetting::of_stored(expansion));
            }
        }
        let is_drawn =
            self.for_each_selection(expanded.selects, |encoder| encoder.draw_expanded(&args, &expanded));
        if is_drawn.is_some() {
            self.stats.ways[DrawPath::Alone as usize] += 1;
        }
    }

    #[inline(never)]
    fn rebind_expansion(&mut self) {
        // Another pipeline may execute the geometry shader in another way.
        if !self.state.pipeline_dirty {
            self.resolve_groups(PipelinePlan::GeometryDraw);
        }
        if self.state.pipeline_dirty || self.pipeline.place().is_none() || self.minds_writes() {
            self.ready.forget();
        }
        // Nothing is bound if the resolution of the groups has ended the pass.
        if self.ready.changed() == DrawChange::Bindings {
            self.ready.bindings_set();
        }
    }

    fn prepare_with_geometry(&mut self) {
        let is_known = self.patches.is_none();
        let Some(expanded) = self.expand(self.state.index.range.is_some(), is_known) else { return };
        let selects = expanded.selects.slices || expanded.selects.viewports;
        if selects {
            self.select(Some(PrimitiveSelection { slice: 0, slices: 1, viewport: 0 }));
        }
        self.resolve_area();
        self.resolve_groups(self.draw_plan());
        self.resolve_pipeline_later();
        if is_known && let Some(expansion) = self.prepare_store(expanded.input, &expanded.expansion) {
            self.set_geometry(GeometrySetting::of_stored(expansion));
            self.resolve_groups(PipelinePlan::GeometryDraw);
            self.resolve_pipeline_later();
        }
        if selects {
            self.select(None);
        }
    }

    fn draw_indirect_with_geometry(&mut self, arguments: BufferRange<'_>, indexed: bool) {
        self.measure_primitives(StreamArguments::In(arguments), indexed);
        let Some(expanded) = self.expand(indexed, false) else { return };
        let is_drawn = self.for_each_selection(expanded.selects, |encoder| {
            encoder.draw_expanded_indirect(arguments, indexed, &expanded)
        });
        if is_drawn.is_some() {
            self.stats.ways[DrawPath::Indirect as usize] += 1;
        }
    }
}

impl<'r> Encoder<'r> {
    /// Prepares a draw with the bound geometry shader, or returns `None` if it draws nothing. `is_known` states
    /// whether the arguments of the draw are known.
    fn expand(&mut self, indexed: bool, is_known: bool) -> Option<ExpandedDraw> {
        self.ready.forget();
        self.ready_expansion = None;
        // Draws with a geometry shader are never made by index.
        self.path.set_learns(false);
        self.bindings.shader(self.draw_plan().first_stage())?;
        let code = &self.bindings.shader(ShaderStage::Geometry)?.code;
        let program = geometry_program(code)?;
        // Without positions nothing is rasterized.
        program.streams.first().filter(|stream| stream.has_position)?;
        let selects = SelectedParts {
            slices: OutputValue::RenderTargetArrayIndex.is_in(&code.reflection),
            viewports: OutputValue::ViewportArrayIndex.is_in(&code.reflection),
        };
        let is_solid = self.state.rasterizer.is_none_or(|state| {
            let RasterizerDesc { fill_mode, conservative_raster, .. } = state.desc;
            fill_mode == FillMode::Solid && conservative_raster == ConservativeRasterizationMode::Off
        });
        // wgpu would count the triangles without area of a pattern.
        let may_be_pattern = is_solid && is_known && !self.queries.has_statistics();
        let expansion = Expansion::new(code, may_be_pattern)?;
        let (topology, input) = (self.state.topology, program.input);
        if !input.accepts(topology) {
            return None;
        }
        self.set_geometry(GeometrySetting {
            input: self.geometry_input(indexed),
            is_indirect: !is_known,
            expansion,
        });
        Some(ExpandedDraw { selects, input, expansion, stored: None })
    }

    fn set_geometry(&mut self, setting: GeometrySetting) {
        if self.state.geometry.replace(setting) != Some(setting) {
            self.state.dirty_setting();
        }
    }

    /// Returns the origin of the vertices of the next draw.
    pub(super) fn geometry_input(&self, indexed: bool) -> GeometryInput {
        match indexed {
            _ if self.patches.is_some() => GeometryInput::Corners,
            true if self.state.topology.is_strip() => GeometryInput::Gathered,
            true => GeometryInput::Indices { wide: self.state.index.wide },
            false => GeometryInput::Vertices,
        }
    }

    /// Makes a draw for each slice of the targets and for each viewport, if the geometry shader selects them.
    /// Returns `None` if all draws return `None`.
    fn for_each_selection(
        &mut self,
        selects: SelectedParts,
        mut draw: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if selects == (SelectedParts { slices: false, viewports: false }) {
            return draw(self);
        }
        self.resolve_targets();
        let slices = if selects.slices { self.targets.slices() } else { 1 };
        let selected = match self.one_slice.filter(|_| selects.slices) {
            Some(slice) => slice..slice + 1,
            None => 0..slices,
        };
        let viewports = if selects.viewports { self.state.viewports.len().max(1) as u32 } else { 1 };
        if viewports > 1 && self.has_overlapping_viewports() {
            self.report(
                "a geometry shader draws to viewports that overlap: where primitives of several viewports meet, those of \
                 a viewport with a higher index are drawn later; use viewports or scissor rectangles that do not overlap",
            );
        }
        let mut drawn = None;
        for slice in selected.clone() {
            for viewport in 0..viewports {
                self.select(Some(PrimitiveSelection { slice, slices, viewport }));
                drawn = draw(self).or(drawn);
            }
        }
        // Statistics count the input of each draw once, and writes keep their order.
        if selected.len() > 1 && !self.queries.has_statistics() && !self.draw_writes() {
            self.ready.expect_slices();
        }
        if self.one_slice.is_none() || !selects.slices {
            self.select(None);
        }
        drawn
    }

    /// Sets the slice and the viewport of the next draws.
    pub(super) fn select(&mut self, selection: Option<PrimitiveSelection>) {
        self.select_slice(selection.map_or(0, |selection| selection.slice));
        let before = std::mem::replace(&mut self.vertex_end.selection, selection);
        let viewport = |selection: Option<PrimitiveSelection>| selection.map_or(0, |of| of.viewport);
        self.state.area_dirty |= viewport(before) != viewport(selection);
        if before.is_some() != selection.is_some() {
            self.state.dirty_setting();
        }
    }

    /// Returns whether a pixel is in several of the viewports and their scissor rectangles.
    fn has_overlapping_viewports(&self) -> bool {
        let scissors = self.state.rasterizer.is_some_and(|state| state.desc.scissor_enable);
        let areas: Vec<_> = self
            .state
            .viewports
            .iter()
            .enumerate()
            .map(|(at, viewport)| {
                let whole = [
                    viewport.top_left_x,
                    viewport.top_left_y,
                    viewport.top_left_x + viewport.width,
                    viewport.top_left_y + viewport.height,
                ];
                match self.state.scissors.get(at).filter(|_| scissors) {
                    None => whole,
                    Some(rect) => [
                        whole[0].max(rect.left as f32),
                        whole[1].max(rect.top as f32),
                        whole[2].min(rect.right as f32),
                        whole[3].min(rect.bottom as f32),
                    ],
                }
            })
            .collect();
        let overlap =
            |a: &[f32; 4], b: &[f32; 4]| a[0].max(b[0]) < a[2].min(b[2]) && a[1].max(b[1]) < a[3].min(b[3]);
        areas.iter().enumerate().any(|(at, a)| areas.iter().skip(at + 1).any(|b| overlap(a, b)))
    }

    /// Makes a draw if the open pass has everything that it needs.
    fn draw_ready_expansion(&mut self, call: &DrawCall) -> bool {
        let Some(ready) = self.ready_expansion else { return false };
        let is_same =
            ready.expansion.is_indexed() == call.indexed && self.pipeline.place() == Some(ready.pipeline);
        if self.ready.changed() != DrawChange::Nothing || !is_same {
            return false;
        }
        let Some((args, draw)) = ready.expansion.expand(&call.args) else { return false };
        let all = u64::from(args.primitives) * u64::from(args.instance_count);
        if draw != ready.draw || args.primitives > ready.primitives || all >= ready.least_stored {
            return false;
        }
        if self.groups.has_moved() {
            self.bind_groups();
        }
        self.bind_pulled(ready.pulled);
        self.draw_bound(&args, &ready.expansion.setting.expansion);
        self.stats.ways[DrawPath::Alone as usize] += 1;
        true
    }

    /// Makes a draw with known arguments.
    fn draw_expanded(&mut self, args: &InstancedDraw, expanded: &ExpandedDraw) -> Option<()> {
        let expansion = self.draw_expansion()?;
        let Some((expanded_args, draw)) = expansion.expand(args) else {
            return self.draw_in_parts(args, expanded, &expansion);
        };
        let pulled = self.bind_for_expanded(args, expanded, &draw)?;
        self.draw_bound(&expanded_args, &expanded.expansion);
        if self.draw_writes() {
            self.after_writes();
        }
        // A range of commands for one slice keeps the selection from draw to draw.
        let keeps_selection = self.one_slice.is_some() && !expanded.selects.viewports;
        let is_alone = self.gathers()
            || self.vertex_end.fit.is_some()
            || (self.vertex_end.selection.is_some() && !keeps_selection)
            || self.minds_writes()
            || expanded.stored.is_some()
            || self.state.stream_shader.is_some()
            || self.targets.stand_in().is_some()
            || self.queries.has_statistics();
        let pipeline = self.pipeline.place()?;
        if !is_alone && !self.bindings.of(PipelinePlan::GeometryDraw).has_changed_resources() {
            let primitives = self.most_primitives(&expanded.expansion);
            let least_stored = self.least_stored_primitives(expanded.input, &expanded.expansion);
            let least_stored = least_stored.unwrap_or(u64::MAX);
            self.ready_expansion =
                Some(ReadyExpansion { expansion, pipeline, pulled, draw, primitives, least_stored });
            // No draw without a geometry shader is within these limits.
            self.ready.renew(DrawChange::Nothing, FastDrawLimits::default());
        }
        Some(())
    }

    /// Makes a draw with 2³¹ or more expanded vertices as several draws.
    #[cold]
    fn draw_in_parts(
        &mut self,
        args: &InstancedDraw,
        expanded: &ExpandedDraw,
        expansion: &DrawExpansion,
    ) -> Option<()> {
        let whole = expansion.whole(args);
        let primitives = whole.primitives[0];
        // Instances are drawn one after the other.
        for instance in 0..args.instance_count {
            for (first, count) in parts(primitives, expanded.expansion.vertices()) {
                let draw = PulledDraw { primitives: [primitives, first], ..whole };
                self.bind_for_expanded(args, expanded, &draw)?;
                let part = ExpandedArguments {
                    first: 0,
                    primitives: count,
                    instance_count: 1,
                    start_instance: instance,
                };
                self.draw_bound(&part, &expanded.expansion);
                if self.draw_writes() {
                    self.after_writes();
                }
            }
        }
        Some(())
    }

    /// Makes a draw after everything is bound.
    fn draw_bound(&mut self, args: &ExpandedArguments, expansion: &Expansion) {
        let Some(open) = self.pass.render() else { return };
        let ExpandedArguments { first, primitives, instance_count, start_instance } = *args;
        let vertices = expansion.invocation_vertices();
        let (first, invocations) = (first * expansion.instances, primitives * expansion.instances);
        let draw = InstancedDraw { count: 0, instance_count, start: 0, base_vertex: 0, start_instance };
        match expansion.form {
            ExpansionForm::List => {
                let draw = InstancedDraw { count: invocations * vertices, start: first * vertices, ..draw };
                open.draw(false, draw, None);
            }
            ExpansionForm::Pattern => {
                let most = most_pattern_invocations(expansion);
                // Instances are drawn one after the other, even if they need several draws.
                let (instances, of_draw) = match invocations > most {
                    true => (instance_count, 1),
                    false => (1, instance_count),
                };
                for instance in 0..instances {
                    for done in (0..invocations).step_by(most as usize) {
                        let count = (invocations - done).min(most) * pattern_indices(expansion);
                        let part = InstancedDraw {
                            count,
                            instance_count: of_draw,
                            start: 0,
                            base_vertex: ((first + done) * vertices) as i32,
                            start_instance: start_instance + instance,
                        };
                        open.draw(true, part, None);
                    }
                }
            }
        }
    }

    /// Resolves the state of a draw and binds everything, and returns the bind group of the pulled vertices.
    fn bind_for_expanded(
        &mut self,
        args: &InstancedDraw,
        expanded: &ExpandedDraw,
        draw: &PulledDraw,
    ) -> Option<SlabIndex> {
        let (area, pulled) = self.in_one_section(|encoder| {
            let area = encoder.resolve_state(PipelinePlan::GeometryDraw)?;
            let pulled = if let Some(stored) = &expanded.stored {
                let fetch = encoder.pulled()?.clone();
                encoder.pull_alone(&fetch, draw, Some(stored.with_id(0)))?.0
            } else if encoder.gathers() {
                let indices = encoder.gather_strips(&encoder.indices_of(args), expanded.input)?;
                let fetch = encoder.pulled()?.clone();
                encoder.pull_alone(&fetch, draw, Some(whole_buffer(&indices)))?.0
            } else {
                encoder.resolve_pulled(draw).ok()??
            };
            Some((area, pulled))
        })?;
        let primitives = self.state.topology.primitive_count(args.count);
        self.bind_expanded(&area, pulled, primitives);
        Some(pulled)
    }

    /// Returns the number of primitives that a draw with the bound index buffer can have.
    fn most_primitives(&self, expansion: &Expansion) -> u32 {
        let known = self.caches.patterns.iter().find(|known| known.primitives == expansion.primitives);
        let is_complete = |known: &Pattern| known.invocations == most_pattern_invocations(expansion);
        match (expansion.form, known) {
            (ExpansionForm::Pattern, Some(known)) if !is_complete(known) => {
                known.invocations / expansion.instances
            }
            (ExpansionForm::Pattern, None) => 0,
            _ => u32::MAX,
        }
    }

    /// Returns how the arguments of the next draws become those of the expanded vertices.
    fn draw_expansion(&self) -> Option<DrawExpansion> {
        let vertex = &self.bindings.shader(ShaderStage::Vertex)?.code.reflection;
        let geometry = self.bindings.shader(ShaderStage::Geometry)?;
        let has_step_rates = self.state.layout.is_some_and(|layout| layout.has_step_rates);
        Some(DrawExpansion {
            topology: self.state.topology,
            setting: self.state.geometry?,
            counts: CountedNumbers {
                vertex: vertex.uses_vertex_index,
                instance: vertex.uses_instance_index || has_step_rates,
                primitive: geometry.reads_primitive_number,
            },
        })
    }

    /// Makes a draw whose arguments are in a buffer.
    fn draw_expanded_indirect(
        &mut self,
        arguments: BufferRange<'_>,
        indexed: bool,
        expanded: &ExpandedDraw,
    ) -> Option<()> {
        let patches = self.patches.clone();
        let (area, pulled, arguments) = self.in_one_section(|encoder| {
            let area = encoder.resolve_state(encoder.draw_plan())?;
            let (mut most, mut indices) = (u32::MAX, None);
            if encoder.gathers() {
                let source = encoder.indices_of_indirect(arguments);
                most = source.most as u32;
                indices = Some(encoder.gather_strips(&source, expanded.input)?);
            }
            let fetch = encoder.pulled()?.clone();
            let given = patches.as_ref().map(StoredPatches::range).or(indices.as_ref().map(whole_buffer));
            let (pulled, constants) = encoder.pull_alone(&fetch, &PulledDraw::default(), given)?;
            let index_place = match encoder.state.geometry?.input {
                // The index buffer has the last slot.
                GeometryInput::Indices { .. } => PullConstants::stride_place(fetch.slots.len() - 1),
                GeometryInput::Vertices | GeometryInput::Gathered | GeometryInput::Corners => 0,
            };
            let parameters = [indexed.into(), 0, 0, most, expanded.expansion.vertices(), index_place];
            let arguments = encoder.expand_arguments(arguments, &constants, parameters)?;
            Some((area, pulled, arguments))
        })?;
        self.bind_expanded(&area, pulled, 0);
        self.pass.render()?.pass().draw_indirect(&arguments, 0);
        if self.draw_writes() {
            self.after_writes();
        }
        Some(())
    }

    /// Returns whether the next draw has indices of a strip, which are gathered into a list.
    fn gathers(&self) -> bool {
        self.state.geometry.is_some_and(|setting| setting.input == GeometryInput::Gathered)
    }

    /// Gathers the primitives of an indexed strip into a list of indices.
    pub(super) fn gather_strips(
        &mut self,
        source: &IndexSource<'_>,
        input: InputPrimitive,
    ) -> Option<wgpu::Buffer> {
        let topology = self.state.topology;
        let is_triangles = matches!(input, InputPrimitive::Triangle | InputPrimitive::TriangleAdjacency);
        let is_plain = matches!(input, InputPrimitive::Line | InputPrimitive::Triangle);
        let kind = u32::from(is_triangles) + if topology.has_adjacency() { 2 } else { 0 };
        self.gather(source, &Gathering {
            shader: OwnCompute::GatherStrips,
            params: &[kind, is_plain.into()],
            groups: 1,
            words: source.most * u64::from(input.vertex_count()),
            also_writes: None,
            lost: "draws of strips with indices and a geometry shader are skipped: the adapter has no compute shaders; \
                   draw without indices, or draw lists",
            too_many: "a draw is skipped: its strips have too many indices for a geometry shader; draw them in parts, from \
                       a smaller index buffer",
        })
    }

    /// Expands the arguments of an indirect draw in the prologue, or ends the pass. Also writes them into the
    /// constants of pulled vertices.
    fn expand_arguments(
        &mut self,
        arguments: BufferRange<'_>,
        constants: &wgpu::Buffer,
        mut parameters: [u32; 6],
    ) -> Option<wgpu::Buffer> {
        let pipeline = self.own_compute(
            OwnCompute::ExpandArguments,
            "indirect draws with a geometry shader are skipped: the adapter has no compute shaders; draw without a buffer \
             of arguments",
        )?;
        [parameters[1], parameters[2]] = assembly_steps(self.state.topology);
        let BufferRange { buffer, id, offset, size } = arguments;
        let place = self.place(&[AccessRange::bytes(id, offset, size)], &[]);
        let read = self.temporary(size_of::<[u32; 5]>() as u64, wgpu::BufferUsages::STORAGE);
        self.copy_bytes(place, (buffer, offset), (&read, 0), size);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT;
        let expanded = self.temporary(size_of::<[u32; 4]>() as u64, usage);
        let parameters = self.parameters(&parameters);
        let bindings = [&parameters, &read, constants, &expanded].map(|buffer| buffer.as_entire_binding());
        self.run_own_groups(place, pipeline, &bindings, [1, 1]);
        Some(expanded)
    }

    /// Opens the pass and binds everything that it lacks. A pattern has invocations for all primitives if
    /// possible.
    fn bind_expanded(&mut self, area: &DrawArea, pulled: SlabIndex, primitives: u32) {
        self.open_pass_for_draw(None);
        self.choose_bundle(area, false);
        let pattern = self.state.geometry.map(|setting| setting.expansion);
        let pattern = pattern.filter(|expansion| expansion.form == ExpansionForm::Pattern);
        let index =
            pattern.map(|expansion| (self.pattern(&expansion, primitives * expansion.instances), true));
        let indexed = index.is_some();
        let substitutes = BufferSubstitutes { pulled: Some(pulled), index, ..BufferSubstitutes::default() };
        self.bind_all(area, &substitutes, indexed);
    }
}

impl Encoder<'_> {
    /// Returns the index buffer of a pattern of at least `invocations`, or as many as a pattern can have.
    fn pattern(&mut self, expansion: &Expansion, invocations: u32) -> wgpu::Buffer {
        let most = most_pattern_invocations(expansion);
        let needed = invocations.min(most);
        let is_enough =
            |known: &Pattern| known.primitives == expansion.primitives && known.invocations >= needed;
        if let Some(known) = self.caches.patterns.iter().find(|known| is_enough(known)) {
            return known.indices.clone();
        }
        let invocations = needed.next_power_of_two().clamp(MIN_PATTERN_INVOCATIONS.min(most), most);
        let indices = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("pattern"),
            contents: bytemuck::cast_slice(&pattern(expansion, invocations)),
            usage: wgpu::BufferUsages::INDEX,
        });
        let patterns = &mut self.caches.patterns;
        patterns.retain(|known| known.primitives != expansion.primitives);
        if patterns.len() >= MOST_PATTERNS {
            patterns.remove(0);
        }
        let primitives = expansion.primitives;
        patterns.push(Pattern { primitives, invocations, indices: indices.clone() });
        indices
    }
}

/// Returns the number of vertices of the first primitive of a topology, and the number of further vertices of
/// each other primitive.
pub(super) const fn assembly_steps(topology: PrimitiveTopology) -> [u32; 2] {
    let mut first = 1;
    while topology.primitive_count(first) == 0 && first < 64 {
        first += 1;
    }
    let mut step = 1;
    while topology.primitive_count(first + step) == 1 && step < 64 {
        step += 1;
    }
    [first, step]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_has_less_than_2_to_the_31_vertices() {
        let parts = |primitives, vertices| parts(primitives, vertices).collect::<Vec<_>>();
        assert_eq!(parts(10, 3), [(0, 10)]);
        let most = i32::MAX as u32 / 3000;
        assert_eq!(parts(2 * most + 1, 3000), [(0, most), (most, most), (2 * most, 1)]);
    }

    #[test]
    fn a_pattern_repeats_the_triangles_of_a_strip() {
        let expansion = Expansion {
            form: ExpansionForm::Pattern,
            corners: 3,
            primitives: 3,
            instances: 1,
            is_stored: false,
        };
        let indices = pattern(&expansion, 3);
        assert_eq!(indices[..12], [0, 1, 2, 1, 3, 2, 2, 3, 4, 5, 6, 7]);
        assert_eq!(indices.len(), 27);
        let large = Expansion { primitives: 1022, ..expansion };
        assert_eq!(most_pattern_invocations(&large), 85);
    }

    #[test]
    fn each_topology_has_its_steps() {
        use PrimitiveTopology as T;
        for topology in (1..=64).filter_map(T::from_u32) {
            let [first, step] = assembly_steps(topology);
            for vertices in 0..100 {
                let count = if vertices < first { 0 } else { (vertices - first) / step + 1 };
                assert_eq!(topology.primitive_count(vertices), count, "{topology:?}, {vertices} vertices");
            }
        }
    }
}
