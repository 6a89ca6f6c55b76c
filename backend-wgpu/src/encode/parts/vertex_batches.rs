//! Draws whose vertices are stored together, by one dispatch and in one range of the arena.
//!
//! The vertices of all draws follow each other, so draws find them in one bind group, by their first vertex.

use crate::{
    encode::parts::{
        arena::ArenaRange,
        batches::BatchInputs,
        expanded_draws::ExpandedArguments,
        groups::BoundGroups,
        pulled::GeometryInput,
        ranges::BufferRange,
        shared_dispatch::{RecordedDraw, SharedDispatch},
        streams::StreamNumbers,
    },
    record::page::InstancedDraw,
    services::ids::unique_id,
};

/// Maximum number of draws in a batch. On llvmpipe, 10,000 draws of one point take 14 ms of CPU time, and 17 ms with batches
/// of 256 draws.
pub(crate) const MOST_DRAWS: u32 = 1024;

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
    /// Identifies the range among the accesses of the run, and its batch.
    pub(crate) id: u64,
    /// The primitives of the draw, counted in the range. Instances are stored one after the other, so they are drawn as one.
    pub(crate) arguments: ExpandedArguments,
}

impl StoredVertices {
    /// Returns the range with its identifier.
    pub(crate) const fn range(&self) -> BufferRange<'_> {
        self.range.with_id(self.id)
    }
}

/// Draws whose vertices are stored together.
#[derive(Debug)]
pub(crate) struct VertexBatch {
    pub(crate) dispatch: SharedDispatch,
    pub(crate) inputs: BatchInputs,
    last_draw: RecordedDraw,
    pub(crate) range: ArenaRange,
    pub(crate) id: u64,
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
        let ResolvedVertices { draw: mut last_draw, bound } = resolved;
        let inputs = BatchInputs::new(bound, std::mem::take(&mut last_draw.gathered));
        let (dispatch, id) = (SharedDispatch::new(&last_draw), unique_id());
        Self { dispatch, inputs, last_draw, range, id, room, primitives, invocations, draws: 1 }
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
    pub(crate) fn add(&mut self, resolved: ResolvedVertices, primitives: u32) {
        let mut draw = resolved.draw;
        let constants = self.inputs.gathered.add(std::mem::take(&mut draw.gathered));
        self.last_draw = draw;
        self.add_last(primitives, constants);
    }

    /// Adds a draw that differs from the last one only in its arguments, and returns those of its expanded vertices, or
    /// `None` if the batch is full. `of_instance` is the number of primitives in an instance.
    pub(crate) fn add_alike(
        &mut self,
        args: &InstancedDraw,
        input: GeometryInput,
        of_instance: u32,
    ) -> Option<ExpandedArguments> {
        let numbers = StreamNumbers::new(of_instance, self.invocations, args.instance_count)?;
        let primitives = of_instance * args.instance_count;
        self.last_draw.set_arguments(&input.whole(args, of_instance), numbers);
        let has_room = self.has_room(primitives) && self.dispatch.accepts(&self.last_draw);
        if !has_room || numbers.of_thread > 1 {
            return None;
        }
        self.add_last(primitives, self.inputs.gathered.last());
        Some(self.arguments(primitives))
    }

    fn add_last(&mut self, primitives: u32, constants: u32) {
        self.dispatch.add(&self.last_draw, self.primitives * self.invocations, constants);
        self.primitives += primitives;
        self.draws += 1;
    }

    /// Returns the arguments of the last draw, given the number of its primitives.
    const fn arguments(&self, primitives: u32) -> ExpandedArguments {
        let first = self.primitives - primitives;
        ExpandedArguments { first, primitives, instance_count: 1, start_instance: 0 }
    }

    /// Returns the vertices of the last draw, given the number of its primitives.
    pub(crate) fn last(&self, primitives: u32) -> StoredVertices {
        StoredVertices { range: self.range.clone(), id: self.id, arguments: self.arguments(primitives) }
    }

    pub(crate) const fn draws(&self) -> u32 {
        self.draws
    }
}
