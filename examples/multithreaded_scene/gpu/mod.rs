//! The scene on the device: what the immediate context uploads once, what any context records.

pub(crate) mod record;
pub(crate) mod resources;
pub(crate) mod run;
mod states;
pub(crate) mod targets;
