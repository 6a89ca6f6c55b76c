//! Draws with a geometry shader: their pictures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "geometry/model.rs"]
mod model;
#[path = "geometry/random.rs"]
mod random;
#[path = "geometry/shaders.rs"]
mod shaders;
#[path = "geometry/values.rs"]
mod values;
