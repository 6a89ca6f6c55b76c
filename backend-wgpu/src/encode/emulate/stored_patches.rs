//! Stored patches: the dispatches that store and divide the patches of a tessellated draw ([`super::tessellation`]).
//!
//! The first dispatches run the shaders of the application: one stores the output control points, one in each thread, and
//! one the patch constants, which may read the stored points. Their code is that of stored vertices ([`super::stored_vertices`]). Then the tessellator
//! divides each patch, adds the numbers of corners, and writes the indices of the corners for as many patches as there is
//! room. All dispatches go into the prologue if nothing in the section has written their inputs.

use onze_ddi::{HullProgram, ShaderStage};

use crate::{
    encode::{
        emulate::streams::{StreamBuffers, StreamDraw, entry},
        encoder::Encoder,
        own_pipelines::tessellator::{TessellatorKey, TessellatorPipelines},
        parts::{
            accesses::{AccessKind, AccessRange},
            arena::ArenaRange,
            patches::{PatchPlan, PatchSizes, StoredPatches, most_corners},
            prologue::CommandPlace,
            streams::{StreamArguments, StreamNumbers, StreamPurpose},
        },
    },
    objects::shader::{
        Expansion, PULL_GROUP, PointNumbers, STREAM_GROUP, Shader, StreamOutput, THREADS_OF_GROUP,
        hull_program,
    },
    services::{ids::unique_id, policy::TessellationPolicy},
};

/// The shaders that store the patches of the bound hull shader.
#[derive(Copy, Clone)]
pub(super) struct PatchShaders<'r> {
    hull: &'r Shader,
    pub(super) program: &'r HullProgram,
    /// Stores the control points, if there are any.
    pub(super) points: Option<PatchPart<'r>>,
    pub(super) constants: PatchPart<'r>,
}

/// A shader that stores a part of the patches, in one invocation or several for each patch.
#[derive(Copy, Clone)]
pub(super) struct PatchPart<'r> {
    pub(super) shader: &'r Shader,
    pub(super) output: &'r StreamOutput,
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
        self.output.vertex_words().into()
    }

    pub(super) fn purpose(&self) -> Option<StreamPurpose> {
        Some(StreamPurpose::Store(Expansion::new(&self.shader.code, false)?))
    }
}

impl<'r> PatchShaders<'r> {
    /// Returns patches in a range with an identifier.
    pub(super) const fn stored(&self, range: ArenaRange, id: u64, plan: PatchPlan) -> StoredPatches<'r> {
        let Self { hull, program, .. } = *self;
        StoredPatches { hull, program, range, id, plan, numbers: PointNumbers::Given }
    }

    pub(super) fn sizes(&self) -> PatchSizes {
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

impl<'r> Encoder<'r> {
    /// Returns the shaders that store the patches of the next draw, or `None` if it draws nothing.
    pub(super) fn patch_shaders(&mut self) -> Option<PatchShaders<'r>> {
        let hull = self.bindings.shader(ShaderStage::Hull)?;
        let program = hull_program(&hull.code)?;
        self.bindings.shader(ShaderStage::Domain)?;
        let points = self.state.topology.control_points()?;
        // A hull shader that reads no input control points accepts patches of any size.
        if program.input_points != 0 && program.input_points != points {
            return None;
        }
        let shaders = self.parts_of(hull, program);
        if shaders.is_none() {
            self.report("draws of patches are skipped: wgpu refuses a part of the hull shader");
        }
        shaders
    }

    fn parts_of(&self, hull: &'r Shader, program: &'r HullProgram) -> Option<PatchShaders<'r>> {
        let points = match program.output_points {
            0 => None,
            count => Some(PatchPart::new(hull.control_points(self.gpu)?, count)?),
        };
        let constants = PatchPart::new(hull.patch_constants(self.gpu)?, 1)?;
        Some(PatchShaders { hull, program, points, constants })
    }

    /// Returns the memory for patches. A part of them is bound as a whole, so it has to fit into a binding.
    pub(super) fn patch_memory(&self) -> TessellationPolicy {
        self.gpu.policy.tessellation.in_bindings_of(self.gpu.limits.max_storage_buffer_binding_size)
    }

    /// Stores a part of a draw's patches: the first one and their number.
    pub(super) fn store_patches(
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
        let policy = self.patch_memory();
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
        let unused = [(); 2].map(|()| self.temporary(4, wgpu::BufferUsages::STORAGE));
        let [unused_points, unused_constants] = unused.each_ref().map(wgpu::Buffer::as_entire_binding);
        let part = |offset: u64, part: &PatchPart<'_>| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &patches.range.buffer,
                offset: patches.range.offset + offset,
                size: std::num::NonZeroU64::new(part.size() * u64::from(plan.patches)),
            })
        };
        let points = shaders.points.as_ref().map(|points| part(plan.points, points));
        let mut groups = Vec::with_capacity(2);
        if let (Some((_, buffers)), Some(points)) = (&dispatches.points, &points) {
            groups.push((buffers, self.patch_group(buffers, unused_points, points.clone())));
        }
        let (_, constants) = &dispatches.constants;
        // The function of patch constants may read the control points.
        let read = points.filter(|_| shaders.constants.output.points.is_some()).unwrap_or(unused_constants);
        let stored = part(plan.constants, &shaders.constants);
        groups.push((constants, self.patch_group(constants, read, stored)));
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

    /// Makes the group of a dispatch that stores a part of patches and may read another part.
    fn patch_group(
        &self,
        buffers: &StreamBuffers,
        read: wgpu::BindingResource<'_>,
        stored: wgpu::BindingResource<'_>,
    ) -> wgpu::BindGroup {
        let [read, stored] =
            [(1, read), (2, stored)].map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
        self.make_stream_group(&buffers.pipelines.group, &[entry(0, &buffers.numbers), read, stored])
    }
}

/// Identifies the range of the arena that draws share among the accesses of a run. No buffer has this identifier.
pub(super) const SHARED_RANGE: u64 = u64::MAX;

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
