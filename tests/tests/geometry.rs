//! Draws with a geometry shader: their pictures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "geometry/batches.rs"]
mod batches;
#[path = "geometry/from_vertex_shaders.rs"]
mod from_vertex_shaders;
#[path = "geometry/model.rs"]
pub(crate) mod model;
#[path = "geometry/published.rs"]
mod published;
#[path = "geometry/random.rs"]
pub(crate) mod random;
#[path = "geometry/shaders.rs"]
pub(crate) mod shaders;
#[path = "geometry/slices.rs"]
mod slices;
#[path = "geometry/statistics.rs"]
mod statistics;
#[path = "geometry/stored.rs"]
mod stored;
#[path = "geometry/stream_values.rs"]
mod stream_values;
#[path = "geometry/streams.rs"]
pub(crate) mod streams;
#[path = "geometry/values.rs"]
mod values;
