//! Batches: draws that store their vertices or patches together, by the same dispatches and in one range of the arena.
//!
//! Consecutive draws that differ only in their arguments and constants form a batch. Its dispatches go to the end of the
//! prologue. That is early enough, because a command that writes one of their inputs cannot go into the prologue after the
//! draw. A draw that cannot share dispatches has a batch of its own.

use crate::encode::parts::{
    gathered_constants::{ConstantSet, ConstantSets},
    groups::BoundGroups,
};

/// Maximum number of batches of each kind that wait for further draws.
pub(crate) const MOST_BATCHES: usize = 4;

/// The memory for a batch is at least this many times as large as the vertices or patches of a draw in it.
pub(crate) const DRAWS_OF_BATCH: u64 = 4;

/// The resources that the shaders of a batch read.
#[derive(Debug)]
pub(crate) struct BatchInputs {
    /// The bind groups, without that of copied constant buffers.
    pub(crate) bound: BoundGroups,
    /// The constant buffers of the draws, if they are copied.
    pub(crate) gathered: ConstantSets,
}

impl BatchInputs {
    /// Returns the resources of the first draw.
    pub(crate) fn new(bound: BoundGroups, constants: ConstantSet) -> Self {
        let mut gathered = ConstantSets::default();
        gathered.add(constants);
        Self { bound, gathered }
    }
}
