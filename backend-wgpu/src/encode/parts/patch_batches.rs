//! Draws whose patches are stored together, by the same dispatches and in one range of the arena.
//!
//! A draw of a few patches needs five dispatches, which cost far more than the patches, so draws share them in
//! [batches](super::batches).

use crate::encode::{
    own_pipelines::tessellator::TessellatorPipelines,
    parts::{
        arena::ArenaRange,
        batches::BatchInputs,
        gathered_constants::ConstantSet,
        groups::BoundGroups,
        patches::{PatchPlan, PatchSizes},
        shared_dispatch::{RecordedDraw, SharedDispatch},
        streams::{GatheredLayout, StreamBuffers},
    },
};

/// Maximum number of draws in a batch.
const MOST_DRAWS: u32 = 256;

/// The room of a batch for draws that are alike.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchRoom {
    draws: u32,
    /// Bytes of the range, and bytes of the indices among them.
    pub(crate) bytes: u64,
    index_bytes: u64,
}

impl BatchRoom {
    /// Returns the room for as many draws as wished, but for no more than fit into `most_bytes`. Half of these bytes are
    /// enough for the indices, because most patches have fewer corners than they may have.
    pub(crate) fn new(sizes: &PatchSizes, patches: u32, draws: u32, most_bytes: u64) -> Self {
        let fixed = |draws| sizes.plan(patches * draws, draws, None).bytes();
        let fitting = u32::try_from(most_bytes / 2 / fixed(1)).unwrap_or(u32::MAX);
        let draws = draws.min(fitting).clamp(1, MOST_DRAWS);
        let bytes = sizes.plan(patches * draws, draws, Some(most_bytes - fixed(draws))).bytes();
        Self { draws, bytes, index_bytes: bytes - fixed(draws) }
    }
}

/// A dispatch that stores the control points or the constants of patches.
#[derive(Debug)]
pub(crate) enum PartDispatch {
    /// The dispatch of draws with known arguments.
    Known(SharedDispatch),
    /// The dispatch of an indirect draw.
    Indirect(StreamBuffers),
}

/// The patches of a draw, or of a part of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchesOfDraw {
    /// Number of the first patch in the draw.
    pub(crate) first: u32,
    /// Number of patches or, for an indirect draw, their maximum number.
    pub(crate) count: u32,
    /// Number of patches in each instance, or 0 if only the GPU knows it.
    pub(crate) of_instance: u32,
}

/// The code that stores and divides patches.
#[derive(Clone, Debug)]
pub(crate) struct PatchCode {
    pub(crate) sizes: PatchSizes,
    pub(crate) tessellator: TessellatorPipelines,
    /// The bits of the maximum tessellation factor.
    pub(crate) most: u32,
    /// Number of words of the constants of a patch, and number of tessellation factors among them.
    pub(crate) constant_words: u32,
    pub(crate) factors: u32,
    /// The constants depend on stored control points.
    pub(crate) reads_points: bool,
}

/// Draws whose patches are stored together.
#[derive(Debug)]
pub(crate) struct PatchBatch {
    pub(crate) code: PatchCode,
    pub(crate) points: Option<PartDispatch>,
    pub(crate) constants: PartDispatch,
    pub(crate) inputs: BatchInputs,
    pub(crate) range: ArenaRange,
    /// Identifies the range among the accesses of the run.
    pub(crate) id: u64,
    /// For each draw, the words that the tessellator reads.
    draws: Vec<[u32; 4]>,
    patches: u32,
    /// Maximum number of corners of all patches.
    corners: u64,
    /// Maximum bytes of indices.
    index_bytes: Option<u64>,
}

/// The parts and the resources of a draw that is about to be stored.
#[derive(Debug)]
pub(crate) struct ResolvedPatches {
    pub(crate) points: Option<ResolvedPart>,
    pub(crate) constants: ResolvedPart,
    /// The bind groups, without that of copied constant buffers.
    pub(crate) bound: BoundGroups,
}

/// A part of the patches of a draw.
#[derive(Debug)]
pub(crate) enum ResolvedPart {
    Known(RecordedDraw),
    Indirect(StreamBuffers),
}

impl PartDispatch {
    fn new(part: ResolvedPart) -> Self {
        match part {
            ResolvedPart::Known(draw) => Self::Known(SharedDispatch::new(&draw)),
            ResolvedPart::Indirect(buffers) => Self::Indirect(buffers),
        }
    }

    fn accepts(&self, part: &ResolvedPart) -> bool {
        match (self, part) {
            (Self::Known(dispatch), ResolvedPart::Known(draw)) => dispatch.accepts(draw),
            _ => false,
        }
    }

    /// Adds a draw that the dispatch accepts.
    fn add(&mut self, part: &ResolvedPart, first_stored: u32, constants: u32) {
        if let (Self::Known(dispatch), ResolvedPart::Known(draw)) = (self, part) {
            dispatch.add(draw, first_stored, constants);
        }
    }

    /// Returns the layout of copied constant buffers, if the dispatch reads them.
    pub(crate) const fn gathered(&self) -> Option<&GatheredLayout> {
        match self {
            Self::Known(dispatch) => dispatch.pipelines.gathered.as_ref(),
            Self::Indirect(_) => None,
        }
    }
}

impl ResolvedPart {
    /// Takes the constant buffers that are copied. Both parts of a draw have the same ones.
    fn take_gathered(&mut self) -> ConstantSet {
        match self {
            Self::Known(draw) => std::mem::take(&mut draw.gathered),
            Self::Indirect(_) => ConstantSet::new(),
        }
    }

    /// Returns whether constant buffers are copied.
    pub(crate) const fn gathers(&self) -> bool {
        match self {
            Self::Known(draw) => draw.pipelines.gathered.is_some(),
            Self::Indirect(_) => false,
        }
    }
}

impl PatchBatch {
    /// Follows the draws for the tessellator, and begins after all patches.
    pub(crate) const END_OF_DRAWS: [u32; 4] = [u32::MAX, 0, 0, 0];

    /// Returns a batch with one draw, whose indices take at most `index_bytes`, and none if the draw needs none.
    pub(crate) fn new(
        code: PatchCode,
        resolved: ResolvedPatches,
        draw: PatchesOfDraw,
        (range, id): (ArenaRange, u64),
        index_bytes: Option<u64>,
    ) -> Self {
        let ResolvedPatches { points, mut constants, bound } = resolved;
        let inputs = BatchInputs::new(bound, constants.take_gathered());
        let (points, constants) = (points.map(PartDispatch::new), PartDispatch::new(constants));
        let (draws, patches, corners) = (Vec::new(), 0, 0);
        let mut batch =
            Self { code, points, constants, inputs, range, id, draws, patches, corners, index_bytes };
        batch.note(draw);
        batch
    }

    /// Returns a batch for further draws.
    pub(crate) fn open(
        code: PatchCode,
        resolved: ResolvedPatches,
        draw: PatchesOfDraw,
        place: (ArenaRange, u64),
        room: BatchRoom,
    ) -> Self {
        Self::new(code, resolved, draw, place, Some(room.index_bytes))
    }

    /// Returns whether the same dispatches can store a draw.
    pub(crate) fn accepts(&self, resolved: &ResolvedPatches) -> bool {
        let points = match (&self.points, &resolved.points) {
            (Some(dispatch), Some(part)) => dispatch.accepts(part),
            (None, None) => true,
            _ => false,
        };
        points && self.constants.accepts(&resolved.constants) && self.inputs.bound == resolved.bound
    }

    /// Returns whether there is room for a draw.
    pub(crate) fn has_room(&self, draw: &PatchesOfDraw) -> bool {
        let draws = self.draws.len() as u32 + 1;
        let fixed = self.code.sizes.plan(self.patches + draw.count, draws, None).bytes();
        draws <= MOST_DRAWS && fixed + self.index_bytes.unwrap_or(0) <= self.range.size
    }

    /// Adds a draw that the batch accepts, and returns its number.
    pub(crate) fn add(&mut self, mut resolved: ResolvedPatches, draw: PatchesOfDraw) -> u32 {
        let constants = self.inputs.gathered.add(resolved.constants.take_gathered());
        if let (Some(dispatch), Some(part)) = (&mut self.points, &resolved.points) {
            dispatch.add(part, self.patches * self.code.sizes.points_of_patch, constants);
        }
        self.constants.add(&resolved.constants, self.patches, constants);
        self.note(draw);
        self.draws.len() as u32 - 1
    }

    fn note(&mut self, draw: PatchesOfDraw) {
        self.draws.push([self.patches, draw.first, draw.of_instance, 0]);
        self.patches += draw.count;
        self.corners += u64::from(draw.count) * u64::from(self.code.sizes.corners);
    }

    /// Returns whether the indices of the last draw may not fit, and thus those of no later draw.
    pub(crate) fn has_tail(&self) -> bool {
        self.index_bytes.is_none_or(|bytes| 4 * self.corners > bytes)
    }

    /// Returns whether patches may have indices.
    pub(crate) const fn has_indices(&self) -> bool {
        self.index_bytes.is_some()
    }

    /// Divides the range among all patches.
    pub(crate) fn plan(&self) -> PatchPlan {
        self.code.sizes.plan(self.patches, self.draws.len() as u32, self.index_bytes)
    }

    pub(crate) fn draws(&self) -> &[[u32; 4]] {
        &self.draws
    }
}
