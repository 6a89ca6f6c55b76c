//! The scene on the device: the immediate context's one-time uploads, and the recording by any
//! context.

pub(crate) mod record;
pub(crate) mod resources;
pub(crate) mod run;
mod states;
pub(crate) mod targets;
