//! `break` and `continue`: their targets, and the states at the jumps.

use naga::Statement as Emitted;

use crate::lower::{known_objects::Objects, known_variables::KnownVariables, result::Value};

/// The compiler's knowledge at a point of the program: known values and objects of variables.
#[derive(Clone, Debug)]
pub(super) struct KnownState {
    pub(super) objects: Objects,
    pub(super) known: KnownVariables,
}

/// The merged states at the `break` and `continue` statements of a loop or `switch`. A state is `None`
/// without such a statement.
#[derive(Clone, Default, Debug)]
pub(super) struct Jumped {
    pub(super) breaks: Option<KnownState>,
    pub(super) continues: Option<KnownState>,
}

/// The target of a `break` or `continue`.
#[derive(Clone, Copy, Debug)]
pub(super) enum JumpTarget {
    /// A naga loop.
    Loop,
    Switch,
    /// An unrolled loop. Each iteration is inside a naga loop that runs once and that `continue` ends.
    Unrolled {
        /// The variable that skips the remaining iterations, if one is needed.
        stop: Option<Value>,
    },
}

/// Returns whether the end of a block is unreachable.
pub(super) fn leaves(block: &naga::Block) -> bool {
    match block.last() {
        Some(Emitted::Return { .. } | Emitted::Kill | Emitted::Break | Emitted::Continue) => true,
        Some(Emitted::If { accept, reject, .. }) => leaves(accept) && leaves(reject),
        _ => false,
    }
}
