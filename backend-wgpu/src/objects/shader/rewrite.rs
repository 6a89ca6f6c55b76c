//! Tools for reading and rewriting naga modules, shared by the analyses and the [passes](super::passes).

pub(crate) mod accesses;
pub(crate) mod added_output;
pub(crate) mod calls;
pub(crate) mod entry_point;
pub(crate) mod image_arguments;
pub(crate) mod import;
pub(crate) mod registers;
pub(crate) mod scalars;
pub(crate) mod snippet;
pub(crate) mod variables;
