//! A run of pages, before and after it is encoded.

use crate::{
    encode::parts::{
        draw_path::WAYS,
        member_uses::CastUse,
        multi_draw::{DrawArguments, MultiDrawCounts},
        query_segments::{CountedScope, SegmentSet},
    },
    record::run_page::RunPage,
};

/// Statistics of encoding a run, which the device adds to its counters.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodeStats {
    /// Draws among the commands, including those that were skipped.
    pub(crate) draws: u32,
    /// Draws that were made, counted separately for each [`DrawPath`](crate::encode::parts::draw_path::DrawPath).
    pub(crate) ways: [u32; WAYS],
    /// Draws that became instances of the previous draw instead of draws of their own.
    pub(crate) merged: u32,
    pub(crate) multi_draws: MultiDrawCounts,
    /// Draws for which a dispatch has stored the vertices of a geometry shader.
    pub(crate) stored_draws: u32,
    /// Number of dispatches that have stored vertices of geometry shaders.
    pub(crate) vertex_batches: u32,
    /// Number of times that dispatches have stored patches.
    pub(crate) patch_batches: u32,
    pub(crate) passes: u32,
    pub(crate) dispatches: u32,
    /// Bind groups that were not in the cache and had to be made.
    pub(crate) bind_group_misses: u32,
    /// Pipelines that a draw or a dispatch had to wait for.
    pub(crate) pipeline_compilations: u32,
    /// Pipelines that began to compile before a draw needed them.
    pub(crate) pipelines_prepared: u32,
}

/// Consecutive pages that one worker encodes together.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) pages: Vec<RunPage>,
    pub(crate) draws: u32,
}

/// An encoded run, with everything that its submission needs.
#[derive(Debug, Default)]
pub(crate) struct EncodedRun {
    /// Command buffers to submit, or none if there is nothing to do or if the run failed.
    pub(crate) command_buffers: Vec<wgpu::CommandBuffer>,
    /// The arguments of multi-draws, which must be uploaded before the command buffers are executed.
    pub(crate) arguments: Vec<DrawArguments>,
    /// Segments that wgpu counts for queries and that are read back later.
    pub(crate) segments: Vec<SegmentSet>,
    /// Values that the encoder counted for queries itself, without the GPU.
    pub(crate) counted: Vec<CountedScope>,
    /// Pages that must live until the submission, because the commands use their objects.
    pub(crate) pages: Vec<RunPage>,
    /// Uses of textures with several members, by which the members are updated before the run.
    pub(crate) casts: Vec<CastUse>,
    /// The error, if the run failed and therefore has no command buffers.
    pub(crate) error: Option<String>,
    pub(crate) stats: EncodeStats,
}
