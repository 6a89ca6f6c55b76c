//! Facts about objects that decide the types of their variables in naga.

use crate::{
    check::tree::GlobalId, interface::bindings::ObjectId, lower::known_objects::KnownObject,
    session::hash::HashSet, syntax::builtin::Object as Kind,
};

/// What must be known of a program's objects before variables of naga can be made for them. It is found while a module is
/// made. If something is found too late, the module is made again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectFacts {
    /// Textures that are compared with a value.
    pub(super) compared: HashSet<ObjectId>,
    /// Parts of buffers that are changed atomically: the fields on the way, [`ANY_ELEMENT`] for those of arrays.
    atomic: HashSet<(ObjectId, Vec<u32>)>,
    /// Variables of samplers that read textures of two dimensions along with them: `tex1D` reads these, too.
    flat: HashSet<GlobalId>,
    /// Typed buffers whose elements are words in memory: an atomic function gives the value before, or exchanges.
    words: HashSet<ObjectId>,
    /// A variable was made before this was known.
    is_late: bool,
}

/// In a path, all elements of an array.
pub(super) const ANY_ELEMENT: u32 = u32::MAX;

impl ObjectFacts {
    /// Whether something was found too late since the last time. It is known now.
    pub(crate) fn take_late(&mut self) -> bool {
        std::mem::take(&mut self.is_late)
    }

    /// Notes that a texture is compared.
    pub(super) fn compare(&mut self, id: ObjectId, is_made: bool) {
        self.is_late |= self.compared.insert(id) && is_made;
    }

    /// Notes that a part of a buffer is changed atomically.
    pub(super) fn change_atomically(&mut self, id: ObjectId, path: Vec<u32>, is_made: bool) {
        self.is_late |= self.atomic.insert((id, path)) && is_made;
    }

    /// Notes that a typed buffer holds words in memory. What was lowered until now does not hold, if that is new.
    pub(super) fn hold_words(&mut self, id: ObjectId) {
        self.is_late |= self.words.insert(id);
    }

    /// What an object is lowered as.
    pub(super) fn kind_of(&self, object: &KnownObject) -> Kind {
        match object.ty.kind {
            Kind::RwBuffer if self.words.contains(&object.id) => Kind::RwStructuredBuffer,
            Kind::RovBuffer if self.words.contains(&object.id) => Kind::RovStructuredBuffer,
            kind => kind,
        }
    }

    /// Notes that a sampler reads a texture of two dimensions.
    pub(super) fn flatten(&mut self, id: GlobalId, is_made: bool) {
        self.is_late |= self.flat.insert(id) && is_made;
    }

    /// Whether a sampler, or another one of its array, reads a texture of two dimensions.
    pub(super) fn is_flat(&self, id: GlobalId) -> bool {
        self.flat.contains(&id)
    }

    /// Whether a part of a buffer is changed atomically.
    pub(super) fn is_atomic(&self, id: ObjectId, path: &[u32]) -> bool {
        !self.atomic.is_empty() && self.atomic.contains(&(id, path.to_vec()))
    }
}
