//! The known objects in variables and results.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    check::tree::{GlobalId, LocalId, ObjectType},
    interface::bindings::{ObjectId, VariableId},
    session::hash::HashMap,
};

/// A known texture, buffer or sampler.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KnownObject {
    pub(crate) id: ObjectId,
    pub(crate) ty: Arc<ObjectType>,
}

/// The objects in a value, in the order of the objects in its type. An entry is `None` if the object is not
/// assigned or not known.
pub(super) type KnownObjects = Vec<Option<KnownObject>>;

/// The objects that variables contain. Global variables are included only after an assignment.
pub(super) type Objects = HashMap<VariableId, KnownObjects>;

/// The objects that a function passes to its caller.
#[derive(Clone, Default, Debug)]
pub(super) struct ObjectExit {
    pub(super) result: KnownObjects,
    /// The objects of `out` and `inout` parameters.
    pub(super) parameters: HashMap<LocalId, KnownObjects>,
    pub(super) globals: BTreeMap<GlobalId, KnownObjects>,
}
