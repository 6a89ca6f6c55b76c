//! What several of the example programs share: models of glTF files, on their way to the GPU, a camera that goes around
//! them, the choice between two languages of shaders, and shaders that follow their file.

#![forbid(unsafe_code)]

pub mod content;
pub mod gpu_model;
pub mod languages;
pub mod model;
pub mod orbit;
pub mod watched;
