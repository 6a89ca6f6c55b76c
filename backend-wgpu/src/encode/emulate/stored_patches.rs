//! Stored patches: the dispatches that store and divide the patches of tessellated draws ([`super::tessellation`]).
//!
//! The first dispatches run the shaders of the application: one stores the output control points, one in each thread, and
//! one the patch constants, which may read the stored points. Their code is that of stored vertices
//! ([`super::stored_vertices`]). Then the tessellator divides each patch, adds the numbers of corners, and writes the
//! indices of the corners for as many patches as there is room. All dispatches go into the prologue if nothing in the section has written their inputs. Then small draws share
//! them ([`PatchBatch`]).

use onze_ddi::{HullProgram, ShaderStage};
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::{
            records::bind_dispatch,
            streams::{StreamDraw, entry},
        },
        emulate_hooks::TessellatedDraws,
        encoder::Encoder,
        own_pipelines::tessellator::TessellatorKey,
        parts::{
            accesses::{AccessKind, AccessRange},
            arena::ArenaRange,
            patch_batches::{
                BatchRoom, DRAWS_OF_BATCH, MOST_BATCHES, PartDispatch, PatchBatch, PatchCode, PatchesOfDraw,
                ResolvedPart, ResolvedPatches,
            },
            patches::{PatchPlan, PatchSizes, StoredPatches, most_corners},
            prologue::CommandPlace,
            streams::{StreamArguments, StreamNumbers, StreamPurpose},
        },
    },
    objects::shader::{
        CONSTANT_GROUP, Expansion, PointNumbers, Shader, StreamOutput, THREADS_OF_GROUP, hull_program,
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

/// The patches of a draw that are stored together.
pub(super) struct DrawnPatches<'a> {
    pub(super) arguments: StreamArguments<'a>,
    pub(super) indexed: bool,
    /// Number of the first patch in the draw, and the number of patches or, for an indirect draw, their maximum number.
    pub(super) part: [u32; 2],
    /// Other draws may share the dispatches, for which constant buffers are copied.
    pub(super) may_share: bool,
    /// The indices of the patches may not fit, if the draw is alone in its dispatches.
    pub(super) has_tail: bool,
}

impl<'r> PatchShaders<'r> {
    /// Returns the shaders in the order of their dispatches.
    pub(super) fn parts(&self) -> impl Iterator<Item = &PatchPart<'r>> {
        self.points.iter().chain([&self.constants])
    }

    /// Returns the patches of the first draw in a range with an identifier.
    pub(super) const fn stored(&self, range: ArenaRange, id: u64) -> StoredPatches<'r> {
        let Self { hull, program, .. } = *self;
        let numbers = PointNumbers::Given;
        StoredPatches { hull, program, range, id, draw: 0, has_indices: true, has_tail: true, numbers }
    }

    /// Returns the patches of a draw in a batch.
    fn in_batch(&self, batch: &PatchBatch, draw: u32) -> StoredPatches<'r> {
        let (has_indices, has_tail) = (batch.has_indices(), batch.has_tail());
        StoredPatches { draw, has_indices, has_tail, ..self.stored(batch.range.clone(), batch.id) }
    }

    pub(super) fn sizes(&self) -> PatchSizes {
        PatchSizes {
            points: self.points.map_or(0, |part| part.size()),
            points_of_patch: self.points.map_or(0, |part| part.invocations),
            constants: self.constants.size(),
            corners: most_corners(self.program),
        }
    }
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
        [first, count]: [u32; 2],
    ) -> Option<StoredPatches<'r>> {
        let draw = PatchesOfDraw {
            first,
            count,
            of_instance: match arguments {
                StreamArguments::Known(args) => self.state.topology.primitive_count(args.count),
                StreamArguments::In(_) => 0,
            },
        };
        let policy = self.patch_memory();
        let draws_indices = self.bindings.shader(ShaderStage::Geometry).is_none()
            && self.state.stream_shader.is_none_or(|shader| shader.is_rasterized());
        let index_bytes = draws_indices.then_some(policy.index_bytes);
        let sizes = shaders.sizes();
        let plan = sizes.plan(count, 1, index_bytes);
        let bytes = plan.bytes();
        // Queries measure each draw, and a geometry shader or stream output needs the arguments before the pass.
        let may_share = bytes.saturating_mul(DRAWS_OF_BATCH) <= policy.batch_bytes
            && draws_indices
            && self.state.stream_shader.is_none()
            && matches!(arguments, StreamArguments::Known(_))
            && !self.queries.has_statistics();
        let drawn =
            DrawnPatches { arguments, indexed, part: [first, count], may_share, has_tail: plan.has_tail };
        self.begin_patch_pipelines(shaders, &drawn);
        let code = PatchCode {
            sizes,
            tessellator: self.tessellator(TessellatorKey::new(shaders.program))?,
            most: shaders.program.max_tess_factor.to_bits(),
            constant_words: shaders.constants.words() as u32,
            reads_points: shaders.constants.output.points.is_some(),
        };
        if may_share {
            let (resolved, place) = self.resolve_patches(shaders, &drawn, &[])?;
            if place == CommandPlace::Prologue
                && let Some(stored) = self.share_patches(shaders, &code, resolved, draw, &policy)
            {
                return Some(stored);
            }
        }
        let is_full = self.caches.arena.used() + bytes > policy.bytes;
        let target = match is_full {
            true => self.caches.arena.take_shared(self.gpu, bytes),
            false => (self.caches.arena.take(self.gpu, bytes), unique_id()),
        };
        let written = AccessRange::bytes(target.1, target.0.offset, target.0.size);
        let overwritten = if is_full { std::slice::from_ref(&written) } else { &[] };
        let (resolved, place) = self.resolve_patches(shaders, &drawn, overwritten)?;
        if place == CommandPlace::Run && !is_full {
            self.accesses.add(written, AccessKind::Write);
        }
        let batch = PatchBatch::new(code, resolved, draw, target, index_bytes);
        let segment = self.queries.next_primitives(self.encoding, false);
        self.dispatch_patches(&batch, place, segment);
        Some(shaders.in_batch(&batch, 0))
    }

    /// Adds a draw to a batch, or begins one if the arena has room for it. A batch that follows a full one has twice as much
    /// room, so draws that differ take little memory.
    fn share_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        code: &PatchCode,
        resolved: ResolvedPatches,
        draw: PatchesOfDraw,
        policy: &TessellationPolicy,
    ) -> Option<StoredPatches<'r>> {
        let mut draws = 1;
        if let Some(at) = self.patch_batches.iter().position(|batch| batch.accepts(&resolved)) {
            let batch = self.patch_batches.get_mut(at)?;
            if batch.has_room(&draw) {
                let number = batch.add(resolved, draw);
                return Some(shaders.in_batch(batch, number));
            }
            let full = self.patch_batches.remove(at);
            draws = full.draws().len() as u32 * 2;
            self.dispatch_batch(&full);
        }
        let room = BatchRoom::new(&code.sizes, draw.count, draws, policy.batch_bytes);
        if self.caches.arena.used() + room.bytes > policy.bytes {
            return None;
        }
        if self.patch_batches.len() >= MOST_BATCHES {
            self.flush_patches();
        }
        let place = (self.caches.arena.take(self.gpu, room.bytes), unique_id());
        let batch = PatchBatch::open(code.clone(), resolved, draw, place, room);
        let stored = shaders.in_batch(&batch, 0);
        self.patch_batches.push(batch);
        Some(stored)
    }

    /// Makes the dispatches of a batch in the prologue. No query measures its draws, even if one has begun since.
    pub(super) fn dispatch_batch(&mut self, batch: &PatchBatch) {
        self.dispatch_patches(batch, CommandPlace::Prologue, None);
    }

    /// Returns the dispatch that stores a part of the patches of a draw.
    pub(super) fn part_draw(&self, part: &PatchPart<'r>, drawn: &DrawnPatches<'_>) -> Option<StreamDraw<'r>> {
        let DrawnPatches { arguments, indexed, part: range, may_share, .. } = drawn;
        let draw = self.stream_draw(part.shader, part.output, arguments, *indexed, part.purpose()?)?;
        let [first, count] = range.map(|patches| patches * part.invocations);
        Some(draw.of_part(first, count).gathering(*may_share))
    }

    /// Resolves everything that the dispatches of a part of a draw need, and chooses their place. They also write
    /// `overwritten`.
    fn resolve_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        drawn: &DrawnPatches<'_>,
        overwritten: &[AccessRange],
    ) -> Option<(ResolvedPatches, CommandPlace)> {
        self.change_draw_bindings();
        let resolved = self.in_one_section(|encoder| {
            encoder.accesses.begin_reads();
            let mut resolve = |part: &PatchPart<'r>| {
                let draw = encoder.part_draw(part, drawn)?;
                Some(match drawn.arguments {
                    StreamArguments::Known(args) => {
                        ResolvedPart::Known(encoder.resolve_recorded(&draw, &args)?)
                    }
                    StreamArguments::In(_) => {
                        ResolvedPart::Indirect(encoder.resolve_streams(&draw, drawn.arguments)?)
                    }
                })
            };
            let points = shaders.points.as_ref().map(&mut resolve);
            let constants = resolve(&shaders.constants);
            let reads = encoder.accesses.end_reads();
            let points = match points {
                Some(points) => Some(points?),
                None => None,
            };
            let constants = constants?;
            Some((points, constants, encoder.place(&reads, overwritten)))
        });
        let resolved = resolved.map(|(points, constants, place)| {
            let mut bound = self.take_stream_groups();
            if constants.gathers() {
                bound.retain(|(at, ..)| *at as usize != CONSTANT_GROUP);
            }
            (ResolvedPatches { points, constants, bound }, place)
        });
        // The groups of the draw itself have other layouts.
        self.change_draw_bindings();
        resolved
    }

    /// Makes all dispatches for the draws of a batch. `segment` receives the numbers that queries measure.
    fn dispatch_patches(
        &mut self,
        batch: &PatchBatch,
        place: CommandPlace,
        segment: Option<(wgpu::Buffer, u32)>,
    ) {
        let PatchBatch { code, range, .. } = batch;
        let plan = batch.plan();
        let part = |offset: u64, size: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &range.buffer,
                offset: range.offset + offset,
                size: std::num::NonZeroU64::new(size),
            })
        };
        let of_patches = |size: u64| size * u64::from(plan.patches);
        let mut dispatches = Vec::with_capacity(2);
        let points = batch.points.as_ref().map(|_| part(plan.points, of_patches(code.sizes.points)));
        if let (Some(dispatch), Some(stored)) = (&batch.points, &points) {
            dispatches.extend(self.part_dispatch(dispatch, None, stored.clone()));
        }
        let stored = part(plan.constants, of_patches(code.sizes.constants));
        let read = points.filter(|_| code.reads_points);
        let Some(constants) = self.part_dispatch(&batch.constants, read, stored) else { return };
        let segment_number = segment.as_ref().map_or(u32::MAX, |(_, at)| *at);
        let parameters = self.parameters(&tessellator_parameters(batch, &plan, segment_number));
        let draws = self.words_buffer("draws", bytemuck::cast_slice(batch.draws()));
        let unused_segments = self.temporary(4, wgpu::BufferUsages::STORAGE);
        let segments = segment.as_ref().map_or(&unused_segments, |(buffer, _)| buffer);
        let numbers = match &batch.constants {
            PartDispatch::Known(_) => {
                let numbers = StreamNumbers::of_range(0, 0, plan.patches);
                &self.words_buffer("patches", &numbers.words())
            }
            PartDispatch::Indirect(buffers) => &buffers.numbers,
        };
        let whole = wgpu::BindGroupEntry { binding: 2, resource: part(0, range.size) };
        let entries = [entry(0, &parameters), entry(1, numbers), whole, entry(3, segments), entry(4, &draws)];
        let own_group = |pipeline: &wgpu::ComputePipeline, bindings: &[usize]| {
            let entries: Vec<_> = bindings.iter().filter_map(|at| entries.get(*at).cloned()).collect();
            self.make_stream_group(&pipeline.get_bind_group_layout(0), &entries)
        };
        let divide = own_group(&code.tessellator.divide, &[0, 1, 2]);
        let add = own_group(&code.tessellator.add, &[0, 1, 2, 3, 4]);
        let write = (plan.room > 0).then(|| own_group(&code.tessellator.write, &[0, 2]));
        dispatches.push(constants);
        let run = |pass: &mut wgpu::ComputePass<'_>, groups: &GroupCount<'_>| match groups {
            GroupCount::Known(groups) => pass.dispatch_workgroups(*groups, 1, 1),
            GroupCount::In(numbers) => {
                pass.dispatch_workgroups_indirect(numbers, StreamNumbers::GROUPS_OFFSET);
            }
        };
        let of_patches = match &batch.constants {
            PartDispatch::Known(_) => GroupCount::Known(plan.patches.div_ceil(THREADS_OF_GROUP)),
            PartDispatch::Indirect(buffers) => GroupCount::In(&buffers.numbers),
        };
        let gathered = batch.constants.gathered();
        let gathered = gathered.map(|layout| self.gather_constants(place, layout, &batch.gathered));
        let mut bound = batch.bound.clone();
        bound.extend(gathered.map(|group| (CONSTANT_GROUP as u32, group, Vec::new())));
        let desc = wgpu::ComputePassDescriptor { label: Some("patches"), timestamp_writes: None };
        let mut pass = self.encoder_at(place).begin_compute_pass(&desc);
        for PartGroups { pipeline, pulled, streams, groups } in &dispatches {
            bind_dispatch(&mut pass, pipeline, &bound, pulled.as_ref(), streams);
            run(&mut pass, groups);
        }
        pass.set_pipeline(&code.tessellator.divide);
        pass.set_bind_group(0, &divide, &[]);
        run(&mut pass, &of_patches);
        pass.set_pipeline(&code.tessellator.add);
        pass.set_bind_group(0, &add, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        if let Some(write) = write {
            pass.set_pipeline(&code.tessellator.write);
            pass.set_bind_group(0, &write, &[]);
            pass.dispatch_workgroups(plan.patches.min(MOST_WRITERS), 1, 1);
        }
        drop(pass);
        self.groups.forget_bound();
        self.stats.patch_batches += 1;
    }

    /// Makes the bind groups of a dispatch that stores a part of patches and may read another part.
    fn part_dispatch<'b>(
        &self,
        part: &'b PartDispatch,
        read: Option<wgpu::BindingResource<'_>>,
        stored: wgpu::BindingResource<'_>,
    ) -> Option<PartGroups<'b>> {
        let unused = self.temporary(4, wgpu::BufferUsages::STORAGE);
        let read = read.unwrap_or_else(|| unused.as_entire_binding());
        let [read, stored] =
            [(1, read), (2, stored)].map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
        let streams = |numbers: &wgpu::Buffer, layout| {
            self.make_stream_group(layout, &[entry(0, numbers), read, stored])
        };
        Some(match part {
            PartDispatch::Known(dispatch) => PartGroups {
                pipeline: dispatch.pipelines.write.as_ref()?,
                pulled: self.pulled_group(dispatch),
                streams: streams(&self.records_buffer(dispatch), &dispatch.pipelines.group),
                groups: GroupCount::Known(dispatch.groups()),
            },
            PartDispatch::Indirect(buffers) => PartGroups {
                pipeline: buffers.pipelines.write.as_ref()?,
                pulled: Some(buffers.pulled.clone()),
                streams: streams(&buffers.numbers, &buffers.pipelines.group),
                groups: GroupCount::In(&buffers.numbers),
            },
        })
    }

    fn words_buffer(&self, label: &str, words: &[u32]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(label),
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE,
        })
    }
}

/// A dispatch that stores a part of patches.
struct PartGroups<'b> {
    pipeline: &'b wgpu::ComputePipeline,
    pulled: Option<wgpu::BindGroup>,
    streams: wgpu::BindGroup,
    groups: GroupCount<'b>,
}

/// The number of workgroups of a dispatch.
enum GroupCount<'b> {
    Known(u32),
    /// The number is in the [`StreamNumbers`] of an indirect draw.
    In(&'b wgpu::Buffer),
}

/// Maximum number of workgroups that write indices, each for many patches if necessary.
const MOST_WRITERS: u32 = 4096;

/// Returns the parameters of the tessellator's dispatches.
fn tessellator_parameters(batch: &PatchBatch, plan: &PatchPlan, segment: u32) -> [u32; 12] {
    let PatchPlan { points, constants, divisions, indices, room, .. } = *plan;
    let [points, constants, divisions, indices, header] =
        [points, constants, divisions, indices, batch.range.offset].map(|bytes| (bytes / 4) as u32);
    let (draws, words) = (batch.draws().len() as u32, batch.code.constant_words);
    [draws, points, constants, divisions, indices, header, words, room, batch.code.most, segment, 0, 0]
}
