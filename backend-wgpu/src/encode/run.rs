//! A run of pages, before and after it is encoded.

use crate::{
    encode::parts::{
        member_uses::CastUse,
        plans::WAYS,
        query_segments::{CountedScope, SegmentSet},
    },
    record::run_page::RunPage,
};

/// What encoding a run took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodeStats {
    /// Draws among the commands, skipped ones too.
    pub(crate) draws: u32,
    /// Of those that were made, which way.
    pub(crate) ways: [u32; WAYS],
    /// Draws that became instances of the draw before them.
    pub(crate) merged: u32,
    /// Render and compute passes.
    pub(crate) passes: u32,
    /// Dispatches.
    pub(crate) dispatches: u32,
    /// Bind groups that had to be made.
    pub(crate) bind_group_misses: u32,
    /// Pipelines that a draw had to wait for.
    pub(crate) pipeline_compilations: u32,
    /// Pipelines that were asked for before.
    pub(crate) pipelines_prepared: u32,
}

/// Consecutive pages that are encoded together, by one worker into one encoder.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The pages, in recording order.
    pub(crate) pages: Vec<RunPage>,
    /// Draws in all of them.
    pub(crate) draws: u32,
}

/// A run as wgpu takes it.
#[derive(Debug, Default)]
pub(crate) struct EncodedRun {
    /// What to submit; empty when nothing is to be done or something went wrong.
    pub(crate) command_buffers: Vec<wgpu::CommandBuffer>,
    /// What was counted for queries.
    pub(crate) segments: Vec<SegmentSet>,
    /// What the encoder has counted for queries itself.
    pub(crate) counted: Vec<CountedScope>,
    /// To be kept until the submission.
    pub(crate) pages: Vec<RunPage>,
    /// How it uses textures of several members.
    pub(crate) casts: Vec<CastUse>,
    /// Why the run was lost.
    pub(crate) error: Option<String>,
    /// What it took.
    pub(crate) stats: EncodeStats,
}
