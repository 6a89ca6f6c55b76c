//! The encoder's state, in parts with one owner each.

pub(crate) mod accesses;
pub(crate) mod clears;
pub(crate) mod dispatches;
pub(crate) mod events;
pub(crate) mod groups;
pub(crate) mod hash;
pub(crate) mod layouts;
pub(crate) mod locations;
pub(crate) mod merging;
pub(crate) mod page_objects;
pub(crate) mod passes;
pub(crate) mod pipelines;
pub(crate) mod plans;
pub(crate) mod pulled;
pub(crate) mod queries;
pub(crate) mod query_segments;
pub(crate) mod ranges;
pub(crate) mod ready;
pub(crate) mod state;
pub(crate) mod stored_pipelines;
pub(crate) mod targets;
pub(crate) mod vertices;
pub(crate) mod windows;
