//! Tests of tessellation.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "tessellation/batches.rs"]
mod batches;
#[path = "tessellation/chain_shaders.rs"]
mod chain_shaders;
#[path = "tessellation/chains.rs"]
mod chains;
#[path = "tessellation/draws.rs"]
mod draws;
#[path = "tessellation/indirect.rs"]
mod indirect;
#[path = "tessellation/model.rs"]
mod model;
#[path = "tessellation/orders.rs"]
mod orders;
#[path = "tessellation/output_points.rs"]
mod output_points;
#[path = "tessellation/published.rs"]
mod published;
#[path = "tessellation/random.rs"]
mod random;
#[path = "tessellation/rules.rs"]
mod rules;
#[path = "tessellation/scenes.rs"]
mod scenes;
#[path = "tessellation/stages.rs"]
mod stages;
#[path = "tessellation/statistics.rs"]
mod statistics;
#[path = "tessellation/system_values.rs"]
mod system_values;
#[path = "tessellation/tables.rs"]
mod tables;
#[path = "tessellation/tessellator.rs"]
mod tessellator;
