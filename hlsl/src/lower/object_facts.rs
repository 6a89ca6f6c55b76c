//! Facts about objects that determine the types of their naga variables.

use crate::{
    check::tree::GlobalId, interface::bindings::ObjectId, lower::known_objects::KnownObject,
    session::hash::HashSet, syntax::builtin::Object as Kind,
};

/// Facts about a program's objects, which are found during the lowering. A fact that is found after the
/// object's variable was added requires lowering the module again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectFacts {
    /// Textures that are sampled with a comparison.
    pub(super) compared: HashSet<ObjectId>,
    /// The components of buffer elements that atomic functions change, as paths of fields. [`ANY_ELEMENT`]
    /// represents the elements of an array.
    atomic: HashSet<(ObjectId, Vec<u32>)>,
    /// Variables of combined samplers that read 2D textures. `tex1D` then also reads a 2D texture.
    flat: HashSet<GlobalId>,
    /// Typed buffers that are stored as words, because the result of an atomic function is used or values are
    /// exchanged.
    words: HashSet<ObjectId>,
    /// Whether a fact was found too late.
    is_late: bool,
}

/// Represents all elements of an array in a path.
pub(super) const ANY_ELEMENT: u32 = u32::MAX;

impl ObjectFacts {
    /// Returns whether a fact was found too late since the last call.
    pub(crate) fn take_late(&mut self) -> bool {
        std::mem::take(&mut self.is_late)
    }

    /// Records that a texture is sampled with a comparison.
    pub(super) fn compare(&mut self, id: ObjectId, is_made: bool) {
        self.is_late |= self.compared.insert(id) && is_made;
    }

    /// Records that an atomic function changes a component of a buffer element.
    pub(super) fn change_atomically(&mut self, id: ObjectId, path: Vec<u32>, is_made: bool) {
        self.is_late |= self.atomic.insert((id, path)) && is_made;
    }

    /// Records that a typed buffer is stored as words. If this is new, the code that was lowered so far is
    /// invalid.
    pub(super) fn hold_words(&mut self, id: ObjectId) {
        self.is_late |= self.words.insert(id);
    }

    /// Returns the kind that an object is lowered as.
    pub(super) fn kind_of(&self, object: &KnownObject) -> Kind {
        match object.ty.kind {
            Kind::RwBuffer if self.words.contains(&object.id) => Kind::RwStructuredBuffer,
            Kind::RovBuffer if self.words.contains(&object.id) => Kind::RovStructuredBuffer,
            kind => kind,
        }
    }

    /// Records that a combined sampler reads a 2D texture.
    pub(super) fn flatten(&mut self, id: GlobalId, is_made: bool) {
        self.is_late |= self.flat.insert(id) && is_made;
    }

    /// Returns whether a combined sampler or another element of its array reads a 2D texture.
    pub(super) fn is_flat(&self, id: GlobalId) -> bool {
        self.flat.contains(&id)
    }

    /// Returns whether an atomic function changes a component of a buffer element.
    pub(super) fn is_atomic(&self, id: ObjectId, path: &[u32]) -> bool {
        !self.atomic.is_empty() && self.atomic.contains(&(id, path.to_vec()))
    }
}
