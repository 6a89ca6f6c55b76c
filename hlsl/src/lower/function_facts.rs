//! Facts about functions, and the keys of their specialised versions.

use std::collections::BTreeMap;

use crate::{
    check::tree::{FunctionId, GlobalId, LocalId},
    lower::known_objects::KnownObjects,
    session::hash::HashSet,
};

/// The source of one naga function. Each distinct key is lowered once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FunctionKey {
    pub(super) function: FunctionId,
    /// The objects in the function's parameters.
    pub(super) objects: KnownObjects,
    /// The objects of global variables that were assigned before the call.
    pub(super) globals: BTreeMap<GlobalId, KnownObjects>,
    /// The known components of parameters, if the function needs them.
    pub(super) known: Vec<(LocalId, Vec<Option<u64>>)>,
}

/// Facts about a function.
#[derive(Debug, Default)]
pub(super) struct FunctionFacts {
    /// The variables that are stored to after their declaration.
    pub(super) assigned: HashSet<LocalId>,
    /// Whether known arguments matter: the function contains an operand that must be a literal and depends on
    /// variables, or it passes objects to its caller that may depend on arguments.
    pub(super) needs_literals: bool,
    /// Whether the function or one of its callees stores to memory that its caller may also refer to, such as
    /// global variables and buffer elements.
    pub(super) stores_outside: bool,
}
