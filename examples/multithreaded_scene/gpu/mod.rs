//! The scene on the device: one-time uploads with the immediate context, and recording with any context.

pub(crate) mod record;
pub(crate) mod resources;
pub(crate) mod run;
mod states;
pub(crate) mod targets;
