//! Replacements for features of Direct3D 11 that wgpu lacks.

pub(crate) mod adjacency;
pub(crate) mod blit;
pub(crate) mod casts;
pub(crate) mod depth_copy;
pub(crate) mod enlarged;
pub(crate) mod fill;
pub(crate) mod fitted_viewport;
pub(crate) mod gather;
pub(crate) mod geometry;
pub(crate) mod guard;
pub(crate) mod merge;
pub(crate) mod mips;
mod patch_dispatches;
mod patch_pipelines;
pub(crate) mod pull;
mod records;
pub(crate) mod repack;
pub(crate) mod resolve;
pub(crate) mod sample_counts;
pub(crate) mod samples;
pub(crate) mod slices;
mod stand_ins;
mod stored_patches;
mod stored_vertices;
mod stream_pipelines;
mod streams;
mod tessellation;
