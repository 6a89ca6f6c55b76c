//! TODO

use std::sync::Arc;

use crate::encode::parts::{hash::Slab, layouts::GroupLayout, ranges::VERTEX_SLOTS};

/// Of each slot, which of the storage buffers it is; [`NO_BUFFER`] if nothing is bound or it is not read.
pub(in crate::encode) type PulledBuffers = [u8; VERTEX_SLOTS];

/// A run's bind groups of pulled vertex buffers.
pub(in crate::encode) type PulledGroups = Slab<Box<[u64]>, wgpu::BindGroup>;

/// What a pipeline pulls.
#[derive(Clone, Debug)]
pub(in crate::encode) struct PulledFetch {
    pub(in crate::encode) layout: GroupLayout,
    /// The slots in the order of the constants, each with its storage buffer.
    pub(in crate::encode) slots: Arc<[(usize, Option<u32>)]>,
    /// The vertex shader must know where the draw's instances start.
    pub(in crate::encode) has_step_rates: bool,
    pub(in crate::encode) reads_by_instance: bool,
}

impl PulledFetch {
    /// The layout of its bind group.
    pub(in crate::encode) const fn layout(&self) -> &GroupLayout {
        &self.layout
    }

    /// Storage buffers of the group.
    pub(in crate::encode) fn buffers(&self) -> u32 {
        self.slots.iter().filter_map(|(_, buffer)| *buffer).max().map_or(0, |last| last + 1)
    }
}
