//! Replacements for features of Direct3D 11 that wgpu lacks.

pub(in crate::encode) mod adjacency;
pub(crate) mod blit;
pub(crate) mod casts;
pub(in crate::encode) mod depth_copy;
pub(in crate::encode) mod enlarged;
pub(in crate::encode) mod fill;
pub(in crate::encode) mod fitted_viewport;
pub(in crate::encode) mod guard;
pub(in crate::encode) mod merge;
pub(in crate::encode) mod mips;
pub(in crate::encode) mod pull;
pub(in crate::encode) mod repack;
pub(in crate::encode) mod resolve;
pub(in crate::encode) mod sample_counts;
pub(in crate::encode) mod samples;
pub(in crate::encode) mod stand_ins;
