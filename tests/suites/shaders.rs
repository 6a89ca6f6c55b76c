//! Tests of shaders: languages, resources, samplers, constants and the compute stage.

#[path = "../tests/atomics.rs"]
mod atomics;
#[path = "../tests/compute.rs"]
mod compute;
#[path = "../tests/constants.rs"]
mod constants;
#[path = "../tests/counters.rs"]
mod counters;
#[path = "../tests/deep_shaders.rs"]
mod deep_shaders;
#[path = "../tests/geometry_draws.rs"]
mod geometry_draws;
#[path = "../tests/geometry_modules.rs"]
mod geometry_modules;
#[path = "../tests/groups.rs"]
mod groups;
#[path = "../tests/languages.rs"]
mod languages;
#[path = "../tests/languages_alike.rs"]
mod languages_alike;
#[path = "../tests/open_constants.rs"]
mod open_constants;
#[path = "../tests/other_kinds.rs"]
mod other_kinds;
#[path = "../tests/ranges.rs"]
mod ranges;
#[path = "../tests/samplers.rs"]
mod samplers;
#[path = "../tests/sampling.rs"]
mod sampling;
#[path = "../tests/shader_reads.rs"]
mod shader_reads;
#[path = "../tests/shader_terms.rs"]
mod shader_terms;
#[path = "../tests/tessellation_draws.rs"]
mod tessellation_draws;
#[path = "../tests/tessellation_modules.rs"]
mod tessellation_modules;
#[path = "../tests/typed_buffers.rs"]
mod typed_buffers;
#[path = "../tests/unordered_access.rs"]
mod unordered_access;
