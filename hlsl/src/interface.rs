//! The interface of an entry point: semantics, registers and offsets, and the limits of its stage and shader model.
//!
//! [`flow`] checks control flow, because its rules also apply only to the functions that an entry point reaches.

pub(crate) mod availability;
pub(crate) mod bindings;
pub(crate) mod candidates;
pub(crate) mod entry;
pub(crate) mod flow;
pub(crate) mod layout;
pub(crate) mod reads;
pub(crate) mod signature;
pub(crate) mod stages;
pub(crate) mod stores;
pub(crate) mod tessellation;
pub(crate) mod usage;

use crate::check::tree::{FunctionId, Program};

use self::{
    bindings::{Bindings, Usage},
    entry::Entry,
};

/// The results of all steps before the lowering.
pub(crate) struct Analysis {
    pub(crate) program: Program,
    pub(crate) function: FunctionId,
    pub(crate) entry: Entry,
    pub(crate) usage: Usage,
    pub(crate) bindings: Bindings,
}
