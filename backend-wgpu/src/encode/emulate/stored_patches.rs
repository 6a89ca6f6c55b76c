//! Stored patches: the dispatches that store and divide the patches of tessellated draws ([`super::tessellation`]).
//!
//! The first dispatches run the shaders of the application: one stores the output control points, one in each thread,
//! and one the patch constants, which may read the stored points. Their code is that of stored vertices
//! ([`super::stored_vertices`]). Then the tessellator divides each patch, adds the numbers of corners, and writes the
//! indices of the corners for as many patches as there is room. All dispatches go into the prologue if nothing in the
//! section has written their inputs. Then small draws share them ([`PatchBatch`]).

use onze_ddi::{HullProgram, ShaderStage};

use crate::{
    encode::{
        emulate::stream_draw::StreamDraw,
        emulate_hooks::SharedDispatches,
        encoder::Encoder,
        own_pipelines::tessellator::TessellatorKey,
        parts::{
            accesses::{AccessKind, AccessRange},
            arena::ArenaRange,
            batches::{DRAWS_OF_BATCH, MOST_BATCHES},
            patch_batches::{BatchRoom, PatchBatch, PatchCode, PatchesOfDraw, ResolvedPart, ResolvedPatches},
            patches::{PatchSizes, StoredPatches, most_corners},
            prologue::CommandPlace,
            streams::{StreamArguments, StreamPurpose},
        },
    },
    objects::shader::{CONSTANT_GROUP, Expansion, PointNumbers, Shader, StreamOutput, hull_program},
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
    /// No other part follows.
    pub(super) ends: bool,
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

    /// Stores a part of a draw's patches: the first one and their number, of all of its patches.
    pub(super) fn store_patches(
        &mut self,
        shaders: &PatchShaders<'r>,
        arguments: StreamArguments<'_>,
        indexed: bool,
        [first, count, all]: [u32; 3],
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
        let (part, ends) = ([first, count], first + count == all);
        let drawn = DrawnPatches { arguments, indexed, part, ends, may_share, has_tail: plan.has_tail };
        self.begin_patch_pipelines(shaders, &drawn);
        let code = PatchCode {
            sizes,
            tessellator: self.tessellator(TessellatorKey::new(shaders.program))?,
            most: shaders.program.max_tess_factor.to_bits(),
            constant_words: shaders.constants.words() as u32,
            factors: shaders.program.domain.edge_factors() + shaders.program.domain.inside_factors(),
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
            false => self.caches.arena.take(self.gpu, bytes).map(|range| (range, unique_id())),
        };
        let Some(target) = target else {
            self.report("draws of patches are skipped: the GPU is out of memory");
            return None;
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

    /// Adds a draw to a batch, or begins one if the arena has room and memory for it. A batch that follows a full one
    /// has twice as much room, so draws that differ take little memory.
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
            self.flush_batches();
        }
        let place = (self.caches.arena.take(self.gpu, room.bytes)?, unique_id());
        let batch = PatchBatch::open(code.clone(), resolved, draw, place, room);
        let stored = shaders.in_batch(&batch, 0);
        self.patch_batches.push(batch);
        Some(stored)
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
        let resolved = self.resolve_dispatches(overwritten, |encoder| {
            let mut resolve = |part: &PatchPart<'r>, ends| {
                let draw = encoder.part_draw(part, drawn)?.ending(ends);
                Some(match drawn.arguments {
                    StreamArguments::Known(args) => {
                        ResolvedPart::Known(encoder.resolve_recorded(&draw, &args)?)
                    }
                    StreamArguments::In(_) => {
                        ResolvedPart::Indirect(encoder.resolve_streams(&draw, drawn.arguments)?)
                    }
                })
            };
            let points = match &shaders.points {
                Some(part) => Some(resolve(part, false)?),
                None => None,
            };
            Some((points, resolve(&shaders.constants, drawn.ends)?))
        });
        let ((points, constants), mut bound, place) = resolved?;
        if constants.gathers() {
            bound.retain(|(at, ..)| *at as usize != CONSTANT_GROUP);
        }
        Some((ResolvedPatches { points, constants, bound }, place))
    }
}
