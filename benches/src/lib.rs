//! The benchmarks' workload, once with Onze and once with raw wgpu.
//!
//! Ten thousand draws a frame of one tiny triangle that the rasterizer clips away, into a target of 256 x 256
//! texels, with a vertex shader that reads 64 bytes of constants and a pixel shader that reads a texture.
//! [`workload`] defines the changes between the draws, and [`onze_side`] and [`wgpu_side`] are the two
//! programs. [`soak`] measures memory instead of time.
#![forbid(unsafe_code)]

pub mod backend;
pub mod error;
pub mod onze_side;
pub mod soak;
pub mod wgpu_side;
pub mod workload;
