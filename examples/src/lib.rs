//! What several of the example programs share: models of glTF files, on their way to the GPU, and a camera
//! that goes around them.

#![forbid(unsafe_code)]

pub mod content;
pub mod gpu_model;
pub mod model;
pub mod orbit;
