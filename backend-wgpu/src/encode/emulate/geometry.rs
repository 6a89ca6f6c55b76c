//! Draws with a geometry shader, which runs in wgpu's vertex stage after the vertex shader.
//!
//! wgpu draws everything that the geometry shader may append. Usually the vertex stage runs both shaders for each
//! of these vertices (`objects/shader/passes/geometry.rs`), and reads vertices and indices from storage buffers, as
//! in [`super::pull`]. So such a draw needs no memory for results. Only indexed strips and indirect draws need a
//! dispatch before the pass, which gathers the primitives or expands the arguments. The vertices of expensive draws
//! are stored before the pass instead ([`super::stored_vertices`]).
//!
//! A draw whose geometry shader selects slices or viewports is repeated ([`super::selections`]).

use onze_ddi::{
    ConservativeRasterizationMode, FillMode, InputPrimitive, OutputValue, RasterizerDesc, ShaderStage,
};

use crate::{
    encode::{
        draw::DrawCall,
        emulate::{
            patterns::{most_pattern_invocations, pattern_indices},
            selections::SelectedParts,
        },
        emulate_hooks::{GeometryDraws, StreamOutputs, VertexPulling},
        encoder::Encoder,
        fast_hooks::Bundling,
        parts::{
            draw_path::DrawPath,
            expanded_draws::{CountedNumbers, DrawExpansion, ExpandedArguments, ReadyBatch, ReadyExpansion},
            hash::SlabIndex,
            patches::StoredPatches,
            pipeline_plan::PipelinePlan,
            pulled::{GeometryInput, GeometrySetting, PulledDraw},
            ranges::{BufferRange, whole_buffer},
            ready::{DrawChange, FastDrawLimits},
            streams::StreamArguments,
            vertex_batches::StoredVertices,
            vertex_end::PrimitiveSelection,
            vertices::{BufferSubstitutes, DrawArea},
        },
    },
    objects::shader::{Expansion, ExpansionForm, PullConstants, geometry_program},
    record::page::InstancedDraw,
};
/// How the bound geometry shader is executed.
#[derive(Clone, Debug)]
struct ExpandedDraw {
    selects: SelectedParts,
    /// The primitive that the geometry shader reads, and the origin of its vertices.
    input: InputPrimitive,
    origin: GeometryInput,
    expansion: Expansion,
    /// The stored vertices of the draw, if it has any.
    stored: Option<StoredVertices>,
}

/// Returns the first primitive and the number of primitives of each draw that wgpu makes, because a draw has
/// less than 2³¹ vertices. `vertices` is the number of expanded vertices for a primitive.
fn parts(primitives: u32, vertices: u32) -> impl Iterator<Item = (u32, u32)> {
    let most = (i32::MAX as u32 / vertices.max(1)).max(1);
    let parts = (0..primitives).step_by(most as usize);
    parts.map(move |first| (first, (primitives - first).min(most)))
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
                self.stats.stored_draws += 1;
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
            self.ready.renew(DrawChange::NothingOfExpansion, FastDrawLimits::default());
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
        let origin = self.geometry_input(indexed);
        self.set_geometry(GeometrySetting { input: origin, is_indirect: !is_known, expansion });
        Some(ExpandedDraw { selects, input, origin, expansion, stored: None })
    }

    fn set_geometry(&mut self, setting: GeometrySetting) {
        if self.state.geometry.replace(setting) != Some(setting) {
            self.state.dirty_setting();
        }
    }

    /// Makes a draw if the open pass has everything that it needs.
    fn draw_ready_expansion(&mut self, call: &DrawCall) -> bool {
        let Some(ready) = self.ready_expansion else { return false };
        if self.ready.changed() != DrawChange::NothingOfExpansion
            || self.pipeline.place() != Some(ready.pipeline)
        {
            return false;
        }
        let args = match ready.batch {
            Some(_) => self.store_alike(&ready, call),
            None => ready.expand(&call.args, call.indexed),
        };
        let Some(args) = args else { return false };
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
        let expansion_of = match &expanded.stored {
            Some(stored) => Some((stored.arguments, PulledDraw::default())),
            None => expansion.expand(args),
        };
        let Some((expanded_args, draw)) = expansion_of else {
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
            || self.state.stream_shader.is_some()
            || self.targets.stand_in().is_some()
            || self.queries.has_statistics();
        let pipeline = self.pipeline.place()?;
        if !is_alone && !self.bindings.of(PipelinePlan::GeometryDraw).has_changed_resources() {
            let primitives = self.most_primitives(&expanded.expansion);
            let least_stored = self.least_stored_primitives(expanded.input, &expanded.expansion);
            let least_stored = least_stored.unwrap_or(u64::MAX);
            let batch = expanded.stored.as_ref().map(|stored| ReadyBatch {
                id: stored.id,
                input: expanded.origin,
                instance_count: args.instance_count,
            });
            self.ready_expansion =
                Some(ReadyExpansion { expansion, pipeline, pulled, draw, primitives, least_stored, batch });
            self.ready.renew(DrawChange::NothingOfExpansion, FastDrawLimits::default());
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
                encoder.find_pulled(&fetch, draw, Some(stored.range()))?
            } else if encoder.gathers() {
                let indices = encoder.gather_strips(&encoder.indices_of(args), expanded.input)?;
                let fetch = encoder.pulled()?.clone();
                encoder.pull_alone(&fetch, draw, Some(whole_buffer(&indices)))?.0
            } else {
                encoder.resolve_pulled(draw).ok()??
            };
            Some((area, pulled))
        })?;
        let stored = expanded.stored.as_ref().map(|stored| stored.arguments.primitives);
        let primitives = stored.unwrap_or_else(|| self.state.topology.primitive_count(args.count));
        self.bind_expanded(&area, pulled, primitives);
        Some(pulled)
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
}
