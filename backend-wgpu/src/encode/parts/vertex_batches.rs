//! Draws whose vertices are stored together, by one dispatch and in one range of the arena.
//!
//! The vertices of all draws follow each other, so draws find them in one bind group, by their first vertex.

use crate::{
    encode::parts::{
        arena::ArenaRange,
        batches::{BatchInputs, MOST_DRAWS},
        expanded_draws::ExpandedArguments,
        groups::BoundGroups,
        ranges::BufferRange,
        shared_dispatch::{RecordedDraw, SharedDispatch},
    },
    services::ids::unique_id,
};

/// The inputs of a draw that is about to be stored.
#[derive(Debug)]
pub(crate) struct ResolvedVertices {
    pub(crate) draw: RecordedDraw,
    /// The bind groups, without that of copied constant buffers.
    pub(crate) bound: BoundGroups,
}

/// The stored vertices of a draw, in a range of the arena that other draws may share.
#[derive(Clone, Debug)]
pub(crate) struct StoredVertices {
    range: ArenaRange,
    /// Identifies the range among the accesses of the run.
    id: u64,
    /// Number of the first primitive in the range, and the number of primitives in all instances.
    first: u32,
    primitives: u32,
}

impl StoredVertices {
    /// Returns the range with its identifier.
    pub(crate) const fn range(&self) -> BufferRange<'_> {
        self.range.with_id(self.id)
    }

    /// Returns the arguments of the draw. Its instances are stored one after the other, so they are drawn as one.
    pub(crate) const fn arguments(&self) -> ExpandedArguments {
        let Self { first, primitives, .. } = *self;
        ExpandedArguments { first, primitives, instance_count: 1, start_instance: 0 }
    }
}

/// Draws whose vertices are stored together.
#[derive(Debug)]
pub(crate) struct VertexBatch {
    pub(crate) dispatch: SharedDispatch,
    pub(crate) inputs: BatchInputs,
    pub(crate) range: ArenaRange,
    id: u64,
    /// Number of primitives for which the range has room, and the number of those that are stored.
    room: u32,
    primitives: u32,
    /// Number of invocations for a primitive.
    invocations: u32,
    draws: u32,
}

impl VertexBatch {
    /// Returns a batch with one draw. The range has room for `room` primitives, each with some invocations.
    pub(crate) fn new(
        resolved: ResolvedVertices,
        primitives: u32,
        invocations: u32,
        range: ArenaRange,
        room: u32,
    ) -> Self {
        let ResolvedVertices { draw, bound } = resolved;
        let (dispatch, inputs) = (SharedDispatch::new(&draw), BatchInputs::new(bound, draw.gathered));
        Self { dispatch, inputs, range, id: unique_id(), room, primitives, invocations, draws: 1 }
    }

    /// Returns whether the same dispatch can store a draw.
    pub(crate) fn accepts(&self, draw: &ResolvedVertices) -> bool {
        self.dispatch.accepts(&draw.draw) && self.inputs.bound == draw.bound
    }

    /// Returns whether there is room for the primitives of another draw.
    pub(crate) const fn has_room(&self, primitives: u32) -> bool {
        self.draws < MOST_DRAWS && primitives <= self.room - self.primitives
    }

    /// Adds a draw that the batch accepts and for which it has room.
    pub(crate) fn add(&mut self, draw: ResolvedVertices, primitives: u32) -> StoredVertices {
        let ResolvedVertices { mut draw, .. } = draw;
        let constants = self.inputs.gathered.add(std::mem::take(&mut draw.gathered));
        self.dispatch.add(&draw, self.primitives * self.invocations, constants);
        self.primitives += primitives;
        self.draws += 1;
        self.last(primitives)
    }

    /// Returns the vertices of the last draw, given the number of its primitives.
    pub(crate) fn last(&self, primitives: u32) -> StoredVertices {
        let first = self.primitives - primitives;
        StoredVertices { range: self.range.clone(), id: self.id, first, primitives }
    }

    pub(crate) const fn draws(&self) -> u32 {
        self.draws
    }
}
