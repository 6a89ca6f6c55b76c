//! Draws of patches with a hull and a domain shader.
//!
//! Dispatches before the draw store everything that the domain shader reads: the output control points, one in each
//! thread, and the patch constants, with the code of stored vertices ([`super::stored_vertices`]). Then the tessellator
//! divides each patch, adds the numbers of corners, and writes the indices of the corners for as many patches as there is
//! room. The draw itself is an indirect draw, in which the domain shader takes the place of the vertex shader.
//!
//! The patches beyond the room for indices are the *tail*, a second draw without indices: each vertex finds its patch and
//! its domain point itself. So the memory has a limit that does not depend on the factors, and no number is read back.
//! With a geometry shader or stream output, all patches are in the tail.
//!
//! The patches of large draws are stored and drawn in parts. All dispatches go into the prologue if nothing in the section
//! has written their inputs.

use std::sync::Arc;

use onze_ddi::{HullProgram, ShaderStage};

use crate::{
    encode::{
        emulate::streams::{StreamBuffers, StreamDraw, entry},
        emulate_hooks::{GeometryDraws, StreamOutputs, TessellatedDraws, VertexPulling},
        encoder::Encoder,
        fast_hooks::Bundling,
        own_pipelines::tessellator::{TessellatorKey, TessellatorPipelines},
        parts::{
            accesses::{AccessKind, AccessRange},
            arena::ArenaRange,
            draw_path::DrawPath,
            patches::{PatchPlan, PatchSizes, StoredPatches, most_corners, tessellated_topology},
            prologue::CommandPlace,
            pulled::PulledDraw,
            streams::{StreamArguments, StreamNumbers, StreamPurpose},
            vertices::BufferSubstitutes,
        },
    },
    objects::shader::{
        DomainStage, Expansion, HeaderWord, PULL_GROUP, PointNumbers, STREAM_GROUP, Shader, StreamOutput,
        THREADS_OF_GROUP, domain_program, hull_program,
    },
    services::ids::unique_id,
};

/// The shaders that store the patches of the bound hull shader.
#[derive(Copy, Clone)]
struct PatchShaders<'r> {
    hull: &'r Shader,
    program: &'r HullProgram,
    /// Stores the control points, if there are any.
    points: Option<PatchPart<'r>>,
    constants: PatchPart<'r>,
}

/// A shader that stores a part of the patches, in one invocation or several for each patch.
#[derive(Copy, Clone)]
struct PatchPart<'r> {
    shader: &'r Shader,
    output: &'r StreamOutput,
    invocations: u32,
}

impl<'r> PatchPart<'r> {
    fn new(shader: &'r Shader, invocations: u32) -> Option<Self> {
        Some(Self { shader, output: shader.stored_vertices()?, invocations })
    }

    /// Returns the bytes for a patch.
    fn size(&self) -> u64 {
        self.words() * 4 * u64::from(self.invocations)
    }

    /// Returns the words of an invocation.
    fn words(&self) -> u64 {
        self.output.strides.first().map_or(0, |stride| u64::from(*stride) / 4)
    }

    fn purpose(&self) -> Option<StreamPurpose> {
        Some(StreamPurpose::Store(Expansion::new(&self.shader.code, false)?))
    }
}

impl<'r> PatchShaders<'r> {
    /// Returns patches in a range with an identifier.
    const fn stored(&self, range: ArenaRange, id: u64, plan: PatchPlan) -> StoredPatches<'r> {
        let Self { hull, program, .. } = *self;
        StoredPatches { hull, program, range, id, plan, numbers: PointNumbers::Given }
    }

    fn sizes(&self) -> PatchSizes {
        PatchSizes {
            points: self.points.map_or(0, |part| part.size()),
            constants: self.constants.size(),
            corners: most_corners(self.program),
        }
    }
}

/// The dispatches that store a part of a draw's patches.
struct PatchDispatches<'r> {
    points: Option<(StreamDraw<'r>, StreamBuffers)>,
    constants: (StreamDraw<'r>, StreamBuffers),
    place: CommandPlace,
}

impl TessellatedDraws for Encoder<'_> {
    fn draw_tessellated(&mut self, arguments: StreamArguments<'_>, indexed: bool) {
        self.ready.forget();
        self.ready_expansion = None;
        // The draw is never made by index.
        self.path.set_learns(false);
        let Some(shaders) = self.patch_shaders() else { return };
        if let StreamArguments::Known(args) = &arguments
            && self.queries.has_statistics()
        {
            self.count_patches(args);
        }
        self.resolve_targets();
        let sizes = shaders.sizes();
        let most = sizes.most_patches(self.gpu.policy.tessellation.patch_bytes);
        let all = match arguments {
            StreamArguments::Known(args) => {
                let of_instance = u64::from(self.state.topology.primitive_count(args.count));
                of_instance * u64::from(args.instance_count)
            }
            // The number of patches is unknown.
            StreamArguments::In(_) => u64::from(most),
        };
        let Ok(all) = u32::try_from(all) else {
            return self.report(
                "a draw of patches is skipped: it has 2³² patches or more; draw fewer patches or instances",
            );
        };
        let mut is_drawn = false;
        for first in (0..all).step_by(most as usize) {
            let patches = self.store_patches(&shaders, arguments, indexed, [first, (all - first).min(most)]);
            let Some(patches) = patches else { return };
            is_drawn |= self.with_patches(patches, Self::draw_patches).is_some();
        }
        if is_drawn {
            self.stats.ways[DrawPath::Indirect as usize] += 1;
        }
    }

    fn prepare_tessellated(&mut self) {
        let Some(shaders) = self.patch_shaders() else { return };
        for part in shaders.points.iter().chain([&shaders.constants]) {
            let Some(purpose) = part.purpose() else { return };
            self.prepare_stream_pipelines(part.shader, part.output, purpose);
        }
        let key = TessellatorKey::new(shaders.program);
        if self.encoding.own_pipelines.tessellator(&self.encoding.compilers, key).is_none() {
            return;
        }
        // The pipelines do not depend on the range.
        let plan = shaders.sizes().plan(1, Some(self.gpu.policy.tessellation.index_bytes));
        let patches = shaders.stored(self.caches.arena.take(self.gpu, 4), SHARED_RANGE, plan);
        self.with_patches(patches, Self::prepare_patches);
    }
}

impl<'r> Encoder<'r> {
    fn patch_shaders(&self) -> Option<PatchShaders<'r>> {
        let hull = self.bindings.shader(ShaderStage::Hull)?;
        let program = hull_program(&hull.code)?;
        self.bindings.shader(ShaderStage::Domain)?;
        let points = self.state.topology.control_points()?;
        // A hull shader that reads no input control points accepts patches of any size.
        if program.input_points != 0 && program.input_points != points {
            return None;
        }
        let points = match program.output_points {
            0 => None,
            count => Some(PatchPart::new(hull.control_points(self.gpu)?, count)?),
        };
        let constants = PatchPart::new(hull.patch_constants(self.gpu)?, 1)?;
        Some(PatchShaders { hull, program, points, constants })
    }

    /// Returns the tessellated patches as a part of the domain shader's key.
    pub(in crate::encode) fn domain_stage(
        &self,
        numbers: PointNumbers,
        primitive_location: Option<u32>,
    ) -> Option<Arc<DomainStage>> {
        let patches = self.patches.as_ref()?;
        let output = |shader: Option<&Shader>| shader.and_then(Shader::stored_vertices).cloned();
        Some(Arc::new(DomainStage {
            hull: patches.hull.id.get(),
            program: patches.program.clone(),
            points: output(patches.hull.control_points(self.gpu)),
            constants: output(patches.hull.patch_constants(self.gpu))?,
            numbers,
            primitive_location,
        }))
    }

    /// Calls a function while the state is that of draws that read stored patches.
    fn with_patches<T>(&mut self, patches: StoredPatches<'r>, draw: impl FnOnce(&mut Self) -> T) -> T {
        let topology = tessellated_topology(patches.program.output);
        let topology = std::mem::replace(&mut self.state.topology, topology);
        let layout = self.state.layout.take();
        self.patches = Some(patches);
        self.state.dirty_setting();
        self.change_draw_bindings();
        let result = draw(self);
        self.patches = None;
        (self.state.topology, self.state.layout) = (topology, layout);
        self.state.geometry = None;
        self.state.dirty_setting();
        self.state.vertex_dirty = true;
        self.change_draw_bindings();
        self.ready.forget();
        self.ready_expansion = None;
        result
    }

    /// Stores a part of a draw's patches: the first one and their number.
    fn store_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        arguments: StreamArguments<'_>,
        indexed: bool,
        part: [u32; 2],
    ) -> Option<StoredPatches<'r>> {
        let key = TessellatorKey::new(shaders.program);
        let pipelines = self.encoding.own_pipelines.tessellator(&self.encoding.compilers, key);
        let Some(pipelines) = pipelines else {
            self.report("draws of patches are skipped: the adapter cannot run the tessellator");
            return None;
        };
        let policy = &self.gpu.policy.tessellation;
        let draws_indices = self.bindings.shader(ShaderStage::Geometry).is_none()
            && self.state.stream_shader.is_none_or(|shader| shader.is_rasterized());
        let plan = shaders.sizes().plan(part[1], draws_indices.then_some(policy.index_bytes));
        let arena = &mut self.caches.arena;
        let is_shared = arena.used() + plan.bytes() > policy.bytes;
        let (range, id) = match is_shared {
            true => (arena.take_shared(self.gpu, plan.bytes()), SHARED_RANGE),
            false => (arena.take(self.gpu, plan.bytes()), unique_id()),
        };
        let written = AccessRange::bytes(id, range.offset, range.size);
        let overwritten = if is_shared { std::slice::from_ref(&written) } else { &[] };
        self.change_draw_bindings();
        let dispatches = self.in_one_section(|encoder| {
            encoder.resolve_patches(shaders, arguments, indexed, part, overwritten)
        });
        // The groups of the draw itself have other layouts.
        self.change_draw_bindings();
        let dispatches = dispatches?;
        if dispatches.place == CommandPlace::Run && !is_shared {
            self.accesses.add(written, AccessKind::Write);
        }
        let patches = shaders.stored(range, id, plan);
        self.dispatch_patches(shaders, &dispatches, &pipelines, &patches, part[0]);
        Some(patches)
    }

    /// Resolves everything that the dispatches of the shaders need.
    fn resolve_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        arguments: StreamArguments<'_>,
        indexed: bool,
        [first, count]: [u32; 2],
        overwritten: &[AccessRange],
    ) -> Option<PatchDispatches<'r>> {
        self.accesses.begin_reads();
        let mut resolve = |part: &PatchPart<'r>| {
            let draw = self.stream_draw(part.shader, part.output, &arguments, indexed, part.purpose()?)?;
            let draw = draw.of_part(first * part.invocations, count * part.invocations);
            let buffers = self.resolve_streams(&draw, arguments)?;
            Some((draw, buffers))
        };
        let points = shaders.points.as_ref().map(&mut resolve);
        let constants = resolve(&shaders.constants);
        let reads = self.accesses.end_reads();
        let points = match points {
            Some(points) => Some(points?),
            None => None,
        };
        Some(PatchDispatches { points, constants: constants?, place: self.place(&reads, overwritten) })
    }

    /// Makes all dispatches for a part of a draw.
    fn dispatch_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        dispatches: &PatchDispatches<'r>,
        tessellator: &TessellatorPipelines,
        patches: &StoredPatches<'r>,
        first: u32,
    ) {
        let plan = &patches.plan;
        let size = |part: &PatchPart<'_>| part.size() * u64::from(plan.patches);
        let unused = [(); 2].map(|()| self.temporary(4, wgpu::BufferUsages::STORAGE));
        let [unused_points, unused_constants] = &unused;
        let mut groups = Vec::with_capacity(2);
        if let (Some((_, buffers)), Some(part)) = (&dispatches.points, &shaders.points) {
            groups.push((
                buffers,
                self.patch_group(buffers, unused_points, patches, [plan.points, size(part)]),
            ));
        }
        let (_, constants) = &dispatches.constants;
        let place = [plan.constants, size(&shaders.constants)];
        groups.push((constants, self.patch_group(constants, unused_constants, patches, place)));
        let segment = self.queries.next_primitives(self.encoding);
        let segment_number = segment.as_ref().map_or(u32::MAX, |(_, at)| *at);
        let parameters = self.parameters(&tessellator_parameters(shaders, patches, first, segment_number));
        let unused_segments = self.temporary(4, wgpu::BufferUsages::STORAGE);
        let segments = segment.as_ref().map_or(&unused_segments, |(buffer, _)| buffer);
        let whole = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &patches.range.buffer,
            offset: patches.range.offset,
            size: std::num::NonZeroU64::new(patches.range.size),
        });
        let entries = [
            entry(0, &parameters),
            entry(1, &constants.numbers),
            wgpu::BindGroupEntry { binding: 2, resource: whole },
        ];
        let own_group = |pipeline: &wgpu::ComputePipeline, entries: &[wgpu::BindGroupEntry<'_>]| {
            self.make_stream_group(&pipeline.get_bind_group_layout(0), entries)
        };
        let divide = own_group(&tessellator.divide, &entries);
        let [parameters, numbers, whole] = entries;
        let write = [parameters.clone(), whole.clone()];
        let write = (plan.room > 0).then(|| own_group(&tessellator.write, &write));
        let add = own_group(&tessellator.add, &[parameters, numbers, whole, entry(3, segments)]);
        let bound = self.take_stream_groups();
        let desc = wgpu::ComputePassDescriptor { label: Some("patches"), timestamp_writes: None };
        let mut pass = self.encoder_at(dispatches.place).begin_compute_pass(&desc);
        let run = |pass: &mut wgpu::ComputePass<'_>, buffers: &StreamBuffers| match buffers.threads {
            Some(threads) => pass.dispatch_workgroups(threads.div_ceil(THREADS_OF_GROUP), 1, 1),
            None => pass.dispatch_workgroups_indirect(&buffers.numbers, StreamNumbers::GROUPS_OFFSET),
        };
        for (buffers, group) in &groups {
            let Some(pipeline) = &buffers.pipelines.write else { continue };
            pass.set_pipeline(pipeline);
            for (at, group, offsets) in &bound {
                pass.set_bind_group(*at, group, offsets);
            }
            pass.set_bind_group(PULL_GROUP as u32, &buffers.pulled, &[]);
            pass.set_bind_group(STREAM_GROUP as u32, group, &[]);
            run(&mut pass, buffers);
        }
        pass.set_pipeline(&tessellator.divide);
        pass.set_bind_group(0, &divide, &[]);
        run(&mut pass, constants);
        pass.set_pipeline(&tessellator.add);
        pass.set_bind_group(0, &add, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        if let Some(write) = write {
            pass.set_pipeline(&tessellator.write);
            pass.set_bind_group(0, &write, &[]);
            pass.dispatch_workgroups(plan.patches.min(MOST_WRITERS), 1, 1);
        }
        drop(pass);
        self.groups.forget_bound();
    }

    /// Makes the group of a dispatch that stores a part of patches, given its position and its size.
    fn patch_group(
        &self,
        buffers: &StreamBuffers,
        unused: &wgpu::Buffer,
        patches: &StoredPatches<'r>,
        [offset, size]: [u64; 2],
    ) -> wgpu::BindGroup {
        let StoredPatches { range, .. } = patches;
        let stored = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &range.buffer,
            offset: range.offset + offset,
            size: std::num::NonZeroU64::new(size),
        });
        let stored = wgpu::BindGroupEntry { binding: 2, resource: stored };
        self.make_stream_group(
            &buffers.pipelines.group,
            &[entry(0, &buffers.numbers), entry(1, unused), stored],
        )
    }

    /// Writes the streams of the stored patches and draws them, as far as they are rasterized.
    fn draw_patches(&mut self) -> Option<()> {
        let patches = self.patches.clone()?;
        let arguments = patches.arguments(HeaderWord::CornerArguments);
        if self.state.stream_shader.is_some() && !self.write_streams(StreamArguments::In(arguments), false) {
            self.measure_primitives(StreamArguments::In(arguments), false);
            return None;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            self.draw_indirect_with_geometry(arguments, false);
            return Some(());
        }
        // Without positions nothing is rasterized.
        let domain = self.bindings.shader(ShaderStage::Domain)?;
        domain_program(&domain.code).filter(|program| program.has_position)?;
        if patches.plan.room > 0 {
            self.draw_corners(&patches, PointNumbers::Given)?;
        }
        if patches.plan.has_tail {
            self.draw_corners(&patches, PointNumbers::OfCorner)?;
        }
        Some(())
    }

    /// Begins to compile the pipelines of draws that read stored patches.
    fn prepare_patches(&mut self) {
        let is_rasterized = self.state.stream_shader.is_none() || self.prepare_streams();
        if !is_rasterized || !self.is_drawable() {
            return;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.prepare_with_geometry();
        }
        for numbers in [PointNumbers::Given, PointNumbers::OfCorner] {
            self.set_numbers(numbers);
            self.resolve_area();
            self.resolve_groups(self.draw_plan());
            self.resolve_pipeline_later();
        }
    }

    /// Sets the numbers of the vertices in the next draw of wgpu.
    fn set_numbers(&mut self, numbers: PointNumbers) {
        if let Some(patches) = &mut self.patches
            && patches.numbers != numbers
        {
            patches.numbers = numbers;
            self.state.dirty_setting();
        }
    }

    /// Draws the stored patches with or without indices.
    fn draw_corners(&mut self, patches: &StoredPatches<'r>, numbers: PointNumbers) -> Option<()> {
        self.set_numbers(numbers);
        let (area, pulled) = self.in_one_section(|encoder| {
            let area = encoder.resolve_state(encoder.draw_plan())?;
            let fetch = encoder.pulled()?.clone();
            let (pulled, _) = encoder.pull_alone(&fetch, &PulledDraw::default(), Some(patches.range()))?;
            Some((area, pulled))
        })?;
        self.open_pass_for_draw(Some(patches.id));
        self.choose_bundle(&area, false);
        let indexed = numbers == PointNumbers::Given;
        let index = indexed.then(|| (patches.range.buffer.clone(), true));
        let substitutes = BufferSubstitutes { pulled: Some(pulled), index, ..BufferSubstitutes::default() };
        self.bind_all(&area, &substitutes, indexed);
        let pass = self.pass.render()?.pass();
        match numbers {
            PointNumbers::Given => {
                let arguments = patches.arguments(HeaderWord::IndexedArguments);
                pass.draw_indexed_indirect(arguments.buffer, arguments.offset);
            }
            PointNumbers::OfCorner => {
                let arguments = patches.arguments(HeaderWord::TailArguments);
                pass.draw_indirect(arguments.buffer, arguments.offset);
            }
        }
        if self.draw_writes() {
            self.after_writes();
        }
        Some(())
    }
}

/// Identifies the range of the arena that draws share among the accesses of a run. No buffer has this identifier.
const SHARED_RANGE: u64 = u64::MAX;

/// Maximum number of workgroups that write indices, each for many patches if necessary.
const MOST_WRITERS: u32 = 4096;

/// Returns the parameters of the tessellator's dispatches.
fn tessellator_parameters(
    shaders: &PatchShaders<'_>,
    patches: &StoredPatches<'_>,
    first: u32,
    segment: u32,
) -> [u32; 12] {
    let PatchPlan { points, constants, divisions, indices, room, .. } = patches.plan;
    let [points, constants, divisions, indices, header] =
        [points, constants, divisions, indices, patches.range.offset].map(|bytes| (bytes / 4) as u32);
    let words = shaders.constants.words() as u32;
    let most = shaders.program.max_tess_factor.to_bits();
    [first, points, constants, divisions, indices, header, words, room, most, segment, 0, 0]
}
