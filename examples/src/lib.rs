//! Code shared by several example programs: loading glTF models and uploading them to the GPU, a camera that
//! orbits them, a command-line option that selects the shader language, and shaders that are recompiled when
//! their file changes.

#![forbid(unsafe_code)]

pub mod content;
pub mod gpu_model;
pub mod languages;
pub mod model;
pub mod orbit;
pub mod watched;
