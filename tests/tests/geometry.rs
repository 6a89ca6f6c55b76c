//! Draws with a geometry shader: their pictures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "geometry/from_vertex_shaders.rs"]
mod from_vertex_shaders;
#[path = "geometry/model.rs"]
mod model;
#[path = "geometry/published.rs"]
mod published;
#[path = "geometry/random.rs"]
mod random;
#[path = "geometry/shaders.rs"]
mod shaders;
#[path = "geometry/slices.rs"]
mod slices;
#[path = "geometry/statistics.rs"]
mod statistics;
#[path = "geometry/stored.rs"]
mod stored;
#[path = "geometry/stream_values.rs"]
mod stream_values;
#[path = "geometry/streams.rs"]
mod streams;
#[path = "geometry/values.rs"]
mod values;
