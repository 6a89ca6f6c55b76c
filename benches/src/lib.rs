//! The benchmarks' workload, implemented with Onze and with raw wgpu.
//!
//! A frame has ten thousand draws into a target of 256 x 256 texels. Most variants draw one tiny triangle
//! that the rasterizer clips away. The vertex shader reads 64 bytes of constants, and the pixel shader reads
//! a texture. [`workload`] defines the state changes between draws, and [`onze_side`] and [`wgpu_side`] are
//! the two programs. [`soak`] measures memory instead of time.
#![forbid(unsafe_code)]

pub mod backend;
pub mod counted;
pub mod error;
pub mod onze_side;
pub mod soak;
pub mod wgpu_side;
pub mod workload;
