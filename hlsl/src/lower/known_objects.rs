//! The objects that variables and results contain, as far as the compiler knows them.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    check::tree::{GlobalId, LocalId, ObjectType},
    interface::bindings::{ObjectId, VariableId},
    session::hash::HashMap,
};

/// An object that is known: a texture, a buffer or a sampler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KnownObject {
    pub(crate) id: ObjectId,
    pub(crate) ty: Arc<ObjectType>,
}

/// The objects in a value, in the order of the objects in its type; `None` for what is not assigned, or not known.
pub(super) type KnownObjects = Vec<Option<KnownObject>>;

/// The objects that variables stand for. Variables outside of functions are here once something was assigned to them.
pub(super) type Objects = HashMap<VariableId, KnownObjects>;

/// The objects that a function hands to its caller.
#[derive(Clone, Default, Debug)]
pub(super) struct ObjectExit {
    pub(super) result: KnownObjects,
    /// Those of `out` parameters.
    pub(super) parameters: HashMap<LocalId, KnownObjects>,
    pub(super) globals: BTreeMap<GlobalId, KnownObjects>,
}
