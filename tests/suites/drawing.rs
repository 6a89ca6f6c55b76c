//! Tests of draws: vertex inputs, shader outputs, states, targets and queries.

#[path = "../tests/blend.rs"]
mod blend;
#[path = "../tests/conventions.rs"]
mod conventions;
#[path = "../tests/depth_bias.rs"]
mod depth_bias;
#[path = "../tests/depth_stencil.rs"]
mod depth_stencil;
#[path = "../tests/draw.rs"]
mod draw;
#[path = "../tests/draws_by_index.rs"]
mod draws_by_index;
#[path = "../tests/draws_without_targets.rs"]
mod draws_without_targets;
#[path = "../tests/geometry.rs"]
mod geometry;
#[path = "../tests/indirect.rs"]
mod indirect;
#[path = "../tests/instances.rs"]
mod instances;
#[path = "../tests/larger_depth.rs"]
mod larger_depth;
#[path = "../tests/linkage.rs"]
mod linkage;
#[path = "../tests/multisampling.rs"]
mod multisampling;
#[path = "../tests/occlusion.rs"]
mod occlusion;
#[path = "../tests/occlusion_counts.rs"]
mod occlusion_counts;
#[path = "../tests/partial_outputs.rs"]
mod partial_outputs;
#[path = "../tests/predication.rs"]
mod predication;
#[path = "../tests/primitive_ids.rs"]
mod primitive_ids;
#[path = "../tests/primitives.rs"]
mod primitives;
#[path = "../tests/private_variables.rs"]
mod private_variables;
#[path = "../tests/prologue.rs"]
mod prologue;
#[path = "../tests/rasterizer.rs"]
mod rasterizer;
#[path = "../tests/shared_registers.rs"]
mod shared_registers;
#[path = "../tests/targets.rs"]
mod targets;
#[path = "../tests/tessellation.rs"]
mod tessellation;
#[path = "../tests/vertex_fetch.rs"]
mod vertex_fetch;
#[path = "../tests/vertex_layouts.rs"]
mod vertex_layouts;
#[path = "../tests/viewports.rs"]
mod viewports;
#[path = "../tests/written_draws.rs"]
mod written_draws;
