//! Tests of tessellation.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "tessellation/draws.rs"]
mod draws;
#[path = "tessellation/model.rs"]
mod model;
#[path = "tessellation/tables.rs"]
mod tables;
#[path = "tessellation/tessellator.rs"]
mod tessellator;
