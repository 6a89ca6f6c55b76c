//! `break` and `continue`: their targets, and the state at each of them.

use naga::Statement as Emitted;

use crate::lower::{known_objects::Objects, known_variables::KnownVariables, result::Value};

/// What is known at a place: of variables, and which objects they stand for.
#[derive(Clone, Debug)]
pub(super) struct KnownState {
    pub(super) objects: Objects,
    pub(super) known: KnownVariables,
}

/// What is known where control leaves a loop or a `switch`; `None` where nothing does.
#[derive(Clone, Default, Debug)]
pub(super) struct Jumped {
    pub(super) breaks: Option<KnownState>,
    pub(super) continues: Option<KnownState>,
}

/// What `break` and `continue` leave.
#[derive(Clone, Copy, Debug)]
pub(super) enum JumpTarget {
    /// A loop of naga.
    Loop,
    Switch,
    /// A loop that is unrolled, within a loop of naga that has one round, which `continue` ends.
    Unrolled {
        /// A variable that says to leave the rounds that follow out, where it needs one.
        stop: Option<Value>,
    },
}

/// Whether control never comes to the end of a block.
pub(super) fn leaves(block: &naga::Block) -> bool {
    match block.last() {
        Some(Emitted::Return { .. } | Emitted::Kill | Emitted::Break | Emitted::Continue) => true,
        Some(Emitted::If { accept, reject, .. }) => leaves(accept) && leaves(reject),
        _ => false,
    }
}
