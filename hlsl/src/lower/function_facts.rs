//! Facts about functions, and the keys of their specialized versions.

use std::collections::BTreeMap;

use crate::{
    check::tree::{FunctionId, GlobalId, LocalId},
    lower::known_objects::KnownObjects,
    session::hash::HashSet,
};

/// What one function of naga is lowered from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FunctionKey {
    pub(super) function: FunctionId,
    /// The objects in its parameters.
    pub(super) objects: KnownObjects,
    /// The objects of variables outside of functions that something was assigned to.
    pub(super) globals: BTreeMap<GlobalId, KnownObjects>,
    /// Components of parameters that are known, where the function needs that.
    pub(super) known: Vec<(LocalId, Vec<Option<u64>>)>,
}

/// What a function does.
#[derive(Debug, Default)]
pub(super) struct FunctionFacts {
    /// Variables that are stored to outside their declarations.
    pub(super) assigned: HashSet<LocalId>,
    /// It has places that take nothing but literals, and what is there depends on variables; or it hands objects to its
    /// caller, and which these are may depend on arguments.
    pub(super) needs_literals: bool,
    /// It, or what it calls, stores to memory that the caller may name too: variables outside of functions, elements of
    /// buffers.
    pub(super) stores_outside: bool,
}
