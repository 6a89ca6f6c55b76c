//! The state of the encoder, divided into parts with one file each.
//!
//! A part never calls the encoder, and the operations in the files beside this folder change several parts at
//! a time.

pub(crate) mod accesses;
pub(crate) mod adjacent_sequences;
pub(crate) mod arena;
pub(crate) mod bindings;
pub(crate) mod bundle_spans;
pub(crate) mod clears;
pub(crate) mod dispatches;
pub(crate) mod draw_index;
pub(crate) mod draw_path;
pub(crate) mod enlarged_targets;
pub(crate) mod events;
pub(crate) mod expanded_draws;
pub(crate) mod groups;
pub(crate) mod hash;
pub(crate) mod known_layouts;
pub(crate) mod layouts;
pub(crate) mod locations;
pub(crate) mod member_uses;
pub(crate) mod merging;
pub(crate) mod multi_draw;
pub(crate) mod page_objects;
pub(crate) mod passes;
pub(crate) mod pipeline_plan;
pub(crate) mod pipelines;
pub(crate) mod plans;
pub(crate) mod prologue;
pub(crate) mod pulled;
pub(crate) mod queries;
pub(crate) mod query_segments;
pub(crate) mod ranges;
pub(crate) mod ready;
pub(crate) mod resource_key;
pub(crate) mod sample_counter;
pub(crate) mod skipped;
pub(crate) mod stand_in;
pub(crate) mod state;
pub(crate) mod stored_pipelines;
pub(crate) mod streams;
pub(crate) mod stretch_slots;
pub(crate) mod targets;
pub(crate) mod vertex_end;
pub(crate) mod vertices;
pub(crate) mod windows;
