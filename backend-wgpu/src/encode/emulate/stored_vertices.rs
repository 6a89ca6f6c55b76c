//! Stored vertices: a compute shader runs the vertex and the geometry shader of a draw once for each invocation, and the
//! draw itself loads the vertices.
//!
//! Without them, the vertex stage runs both shaders for each vertex that the geometry shader may append
//! ([`super::geometry`]), which is slow if they are expensive and append many vertices. The dispatch goes into the
//! prologue if nothing in the section has written its inputs, so the pass stays open. Then small draws share it
//! ([`VertexBatch`]). The vertices are in the [arena](crate::encode::parts::arena), whose size is limited: the shaders of
//! draws that do not fit run for each vertex.

use onze_ddi::{InputPrimitive, ShaderStage};

use crate::{
    encode::{
        draw::DrawCall,
        emulate::{
            records::bind_dispatch,
            streams::{entry, storage_entry},
        },
        emulate_hooks::SharedDispatches,
        encoder::Encoder,
        parts::{
            batches::{DRAWS_OF_BATCH, MOST_BATCHES},
            expanded_draws::{ExpandedArguments, ReadyBatch, ReadyExpansion},
            prologue::CommandPlace,
            streams::{StreamArguments, StreamPurpose},
            vertex_batches::{MOST_DRAWS, ResolvedVertices, StoredVertices, VertexBatch},
        },
    },
    objects::shader::{CONSTANT_GROUP, Expansion},
    record::page::InstancedDraw,
};

/// The cost of loading or storing a word, in operations.
const WORD_COST: u64 = 1;

impl<'r> Encoder<'r> {
    /// Returns the minimum number of primitives, in all instances, of draws with the bound shaders whose vertices are
    /// stored, or `None` if none are.
    pub(super) fn least_stored_primitives(
        &self,
        input: InputPrimitive,
        expansion: &Expansion,
    ) -> Option<u64> {
        let policy = self.gpu.policy.stored_geometry?;
        let vertex = self.bindings.shader(ShaderStage::Vertex)?;
        let geometry = self.bindings.shader(ShaderStage::Geometry)?;
        let vertices = u64::from(expansion.invocation_vertices());
        let run = u64::from(input.vertex_count()) * vertex.cost() + geometry.cost();
        let words = self.primitive_size(expansion)? / 4 / u64::from(expansion.instances);
        let without = vertices * run;
        let is_worthwhile = without >= policy.gain * (run + 2 * WORD_COST * words);
        let of_primitive = (without * u64::from(expansion.instances)).max(1);
        is_worthwhile.then(|| policy.cost.div_ceil(of_primitive).max(1))
    }

    /// Returns whether a dispatch stores the vertices of a draw with the bound geometry shader.
    pub(super) fn stores_vertices(
        &self,
        args: &InstancedDraw,
        input: InputPrimitive,
        expansion: &Expansion,
    ) -> bool {
        let Some(policy) = &self.gpu.policy.stored_geometry else { return false };
        let Some(least) = self.least_stored_primitives(input, expansion) else { return false };
        let most = self.gpu.limits.max_storage_buffer_binding_size;
        let room = most.min(policy.bytes.saturating_sub(self.caches.arena.used()));
        self.primitives_of(args) >= least
            && self.stored_size(args, expansion).is_some_and(|size| size <= room)
    }

    /// Returns the number of primitives of a draw in all instances.
    fn primitives_of(&self, args: &InstancedDraw) -> u64 {
        u64::from(self.state.topology.primitive_count(args.count)) * u64::from(args.instance_count)
    }

    /// Returns the bytes of the vertices for a primitive, or `None` if they cannot be stored.
    fn primitive_size(&self, expansion: &Expansion) -> Option<u64> {
        let output = self.bindings.shader(ShaderStage::Geometry)?.stored_vertices()?;
        Some(u64::from(*output.strides.first()?) * u64::from(expansion.vertices()))
    }

    fn stored_size(&self, args: &InstancedDraw, expansion: &Expansion) -> Option<u64> {
        self.primitives_of(args).checked_mul(self.primitive_size(expansion)?)
    }

    /// Stores the vertices of a draw in the prologue or after the open pass. Returns `None` if the adapter cannot do
    /// that, or if the GPU is out of memory.
    pub(super) fn store_vertices(
        &mut self,
        args: &InstancedDraw,
        indexed: bool,
        expansion: Expansion,
    ) -> Option<StoredVertices> {
        let shader = self.bindings.shader(ShaderStage::Geometry)?;
        let output = shader.stored_vertices()?;
        let primitives = u32::try_from(self.primitives_of(args)).ok()?;
        let size = self.stored_size(args, &expansion)?;
        let bytes = self.gpu.policy.stored_geometry?.bytes;
        let of_batch = (bytes / 8).min(self.gpu.limits.max_storage_buffer_binding_size);
        let may_share = size.saturating_mul(DRAWS_OF_BATCH) <= of_batch;
        let arguments = StreamArguments::Known(*args);
        let draw = self.stream_draw(shader, output, &arguments, indexed, StreamPurpose::Store(expansion))?;
        let draw = draw.gathering(may_share);
        let resolved = self.resolve_dispatches(&[], |encoder| encoder.resolve_recorded(&draw, args));
        let (recorded, mut bound, place) = resolved?;
        if recorded.pipelines.gathered.is_some() {
            bound.retain(|(at, ..)| *at as usize != CONSTANT_GROUP);
        }
        let resolved = ResolvedVertices { draw: recorded, bound };
        let shares = may_share && place == CommandPlace::Prologue;
        let mut draws = 1;
        if shares && let Some(at) = self.vertex_batches.iter().position(|batch| batch.accepts(&resolved)) {
            let batch = self.vertex_batches.get_mut(at)?;
            if batch.has_room(primitives) {
                batch.add(resolved, primitives);
                return Some(batch.last(primitives));
            }
            // Draws that differ take little memory, because only a batch that follows a full one has more room.
            let full = self.vertex_batches.remove(at);
            let most = (of_batch / size.max(1)).min(MOST_DRAWS.into());
            draws = (2 * full.draws()).min(most as u32);
            self.dispatch_vertices(&full, CommandPlace::Prologue);
        }
        if self.caches.arena.used() + u64::from(draws) * size > bytes {
            draws = 1;
        }
        let range = self.caches.arena.take(self.gpu, u64::from(draws) * size)?;
        let batch = VertexBatch::new(resolved, primitives, expansion.instances, range, draws * primitives);
        let stored = batch.last(primitives);
        if !shares {
            self.dispatch_vertices(&batch, place);
            return Some(stored);
        }
        if self.vertex_batches.len() >= MOST_BATCHES {
            self.flush_batches();
        }
        self.vertex_batches.push(batch);
        Some(stored)
    }

    /// Adds a draw to a batch of draws that differ only in their arguments, and returns those of its expanded vertices, or
    /// `None` if it cannot be added.
    pub(super) fn store_alike(
        &mut self,
        ready: &ReadyExpansion,
        call: &DrawCall,
    ) -> Option<ExpandedArguments> {
        let ReadyBatch { id, input, instance_count } = ready.batch?;
        let (args, of_instance) = (&call.args, self.state.topology.primitive_count(call.args.count));
        let all = self.primitives_of(args);
        let is_like = self.geometry_input(call.indexed) == input
            && args.instance_count == instance_count
            && (ready.least_stored..=ready.primitives.into()).contains(&all);
        // Other bind groups may contain other inputs of the dispatch.
        if !is_like || self.groups.has_moved() {
            return None;
        }
        let batch = self.vertex_batches.iter_mut().find(|batch| batch.id == id)?;
        let stored = batch.add_alike(args, input, of_instance)?;
        self.stats.stored_draws += 1;
        Some(stored)
    }

    /// Begins to compile the pipeline that stores the vertices of draws with the bound shaders, if enough primitives make
    /// that worthwhile. Returns how such draws are expanded.
    pub(super) fn prepare_store(
        &mut self,
        input: InputPrimitive,
        expansion: &Expansion,
    ) -> Option<Expansion> {
        self.least_stored_primitives(input, expansion)?;
        let shader = self.bindings.shader(ShaderStage::Geometry)?;
        let expansion = Expansion { is_stored: true, ..*expansion };
        // The size of the draws is unknown.
        for gathers in [false, true] {
            let purpose = StreamPurpose::Store(expansion);
            self.prepare_stream_pipelines(shader, shader.stored_vertices()?, purpose, gathers);
        }
        Some(expansion)
    }

    /// Makes the dispatch that stores the vertices of all draws of a batch.
    pub(super) fn dispatch_vertices(&mut self, batch: &VertexBatch, place: CommandPlace) {
        let VertexBatch { dispatch, inputs, range, .. } = batch;
        let Some(pipeline) = &dispatch.pipelines.write else { return };
        let (records, pulled) = (self.records_buffer(dispatch), self.pulled_group(dispatch));
        let unused = self.unused_buffer();
        let entries = [entry(0, &records), unused.entry(1, None), storage_entry(2, &range.with_id(0))];
        let group = self.make_stream_group(&dispatch.pipelines.group, &entries);
        let bound = self.bound_inputs(place, dispatch.pipelines.gathered.as_ref(), inputs);
        let desc = wgpu::ComputePassDescriptor { label: Some("stored vertices"), timestamp_writes: None };
        let mut pass = self.encoder_at(place).begin_compute_pass(&desc);
        bind_dispatch(&mut pass, pipeline, &bound, pulled.as_ref(), &group);
        pass.dispatch_workgroups(dispatch.groups(), 1, 1);
        drop(pass);
        self.groups.forget_bound();
        self.stats.vertex_batches += 1;
    }
}
