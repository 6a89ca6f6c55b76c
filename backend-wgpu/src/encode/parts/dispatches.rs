//! State of dispatches: their bindings, and the key of their pipelines.

use onze_ddi::DispatchIndirectArgs;

use crate::encode::parts::{
    groups::PendingGroups, hash::Slab, layouts::LayoutIds, ranges::BufferRange,
    stored_pipelines::PipelineObjects,
};

/// The encoder's state for dispatches: the bind groups and the current pipeline.
#[derive(Debug, Default)]
pub(crate) struct ComputeState {
    pub(crate) groups: PendingGroups,
    /// The pipeline of the compute pass that was opened last.
    pub(crate) bound: Option<ComputeKey>,
}

/// The identifier of the shader, and those of the bind group layouts.
pub(crate) type ComputeKey = (u64, LayoutIds);

impl PipelineObjects for ComputeKey {
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        is_one(self.0)
    }
}

/// The compute pipelines of an encoding thread, which are `None` if their compilation failed.
pub(crate) type ComputeCache = Slab<ComputeKey, Option<wgpu::ComputePipeline>>;

/// Size of the arguments of an indirect dispatch, in bytes.
pub(crate) const DISPATCH_ARGUMENTS: u64 = size_of::<DispatchIndirectArgs>() as u64;

/// The number of thread groups of a dispatch in each dimension.
#[derive(Copy, Clone, Debug)]
pub(crate) enum GroupCounts<'r> {
    Known([u16; 3]),
    /// The counts are in this buffer, because the dispatch is indirect.
    In(BufferRange<'r>),
}
