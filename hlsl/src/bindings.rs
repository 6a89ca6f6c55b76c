//! Which registers the constant buffers, resources and samplers of an entry point have.

use std::collections::{HashMap, HashSet};

use crate::tree::{BufferId, FunctionId, GlobalId};

/// An object of a variable: the variable, and the number of the object among those in the variable's type, counted in the
/// order of fields and elements. A variable of an object type is its own object 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId {
    pub(crate) global: GlobalId,
    pub(crate) index: u32,
}

/// What an entry point uses, directly or through the functions that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Functions that are called, callees before callers, with the entry point as the last.
    pub(crate) functions: Vec<FunctionId>,
    /// Variables that are read or written.
    pub(crate) globals: HashSet<GlobalId>,
    /// Objects of variables that are used.
    pub(crate) objects: HashSet<ObjectId>,
}

/// The registers of an entry point, and where its uniform variables lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    /// `b` registers of constant buffers that are used, `t` registers of `tbuffer`s.
    pub(crate) buffers: HashMap<BufferId, u32>,
    /// `t`, `s` and `u` registers of objects; the objects of an array have consecutive ones.
    pub(crate) objects: HashMap<ObjectId, u32>,
    /// The byte at which a uniform variable begins in its buffer. Those of unused buffers are there, too.
    pub(crate) offsets: HashMap<GlobalId, u32>,
    /// Bytes of a constant buffer, a multiple of 16.
    pub(crate) sizes: HashMap<BufferId, u32>,
}
