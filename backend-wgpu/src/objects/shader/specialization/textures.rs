//! Textures whose views differ from the shader's declaration in kind, sample count or minimum mip level.

use std::sync::Arc;

use onze_ddi::ScalarKind;

/// A texture with a minimum mip level.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClampedTexture {
    /// The `t` slot.
    pub(crate) slot: u32,
    /// Bit n is set if the format has component n. Missing components are 0, 0, 0, 1.
    pub(crate) components: u8,
}

/// The textures of a shader with a minimum mip level. Most shaders have `None`.
pub(crate) type Clamps = Option<Arc<[ClampedTexture]>>;

/// A texture whose view has components of another kind than declared.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OtherKind {
    /// The `t` slot.
    pub(crate) slot: u32,
    /// The scalar kind of the view.
    pub(crate) kind: ScalarKind,
}

/// The textures of a shader whose views have another kind. Most shaders have `None`.
pub(crate) type OtherKinds = Option<Arc<[OtherKind]>>;

/// Returns whether a set with one bit per slot contains a slot.
pub(crate) const fn has_slot(slots: u128, slot: u32) -> bool {
    match slots.checked_shr(slot) {
        Some(shifted) => shifted & 1 != 0,
        None => false,
    }
}
