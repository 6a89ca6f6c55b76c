//! A run of pages, before and after it is encoded.

use crate::{
    encode::parts::{
        member_uses::CastUse,
        plans::WAYS,
        query_segments::{CountedScope, SegmentSet},
    },
    record::run_page::RunPage,
};

/// Statistics of an encoded run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodeStats {
    /// Draws among the commands, including skipped draws.
    pub(crate) draws: u32,
    /// Draws that were made, by their path.
    pub(crate) ways: [u32; WAYS],
    /// Draws that became instances of the previous draw.
    pub(crate) merged: u32,
    /// Render and compute passes.
    pub(crate) passes: u32,
    pub(crate) dispatches: u32,
    /// Bind groups that were not in the cache.
    pub(crate) bind_group_misses: u32,
    /// Pipelines that a draw or a dispatch had to wait for.
    pub(crate) pipeline_compilations: u32,
    /// Pipelines that began to compile before a draw needed them.
    pub(crate) pipelines_prepared: u32,
}

/// Consecutive pages that one worker encodes into one encoder.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// Pages in recording order.
    pub(crate) pages: Vec<RunPage>,
    /// Draws in all pages.
    pub(crate) draws: u32,
}

/// A run as wgpu commands.
#[derive(Debug, Default)]
pub(crate) struct EncodedRun {
    /// Command buffers to submit. Empty if there is nothing to do or if the run failed.
    pub(crate) command_buffers: Vec<wgpu::CommandBuffer>,
    /// Segments that wgpu counts for queries.
    pub(crate) segments: Vec<SegmentSet>,
    /// Values that the encoder counted for queries itself.
    pub(crate) counted: Vec<CountedScope>,
    /// Pages to keep until the submission.
    pub(crate) pages: Vec<RunPage>,
    /// Uses of textures with several members.
    pub(crate) casts: Vec<CastUse>,
    /// The error with which the run failed.
    pub(crate) error: Option<String>,
    pub(crate) stats: EncodeStats,
}
