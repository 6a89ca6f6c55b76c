//! Slots for which a shader's code depends on the bound view.
//!
//! Typed buffers are read and written by code for the view's format, and written textures are declared with
//! that format. A shader declares both typed buffers and 1D textures as 1D images, and the bound view decides
//! between them. The kinds and formats of the bound views are therefore part of the key, of the bind group
//! layouts and so of the pipelines. Most shaders have no such slot.

use std::sync::Arc;

use naga::StorageAccess;
use onze_ddi::{Format, ScalarKind, ShaderReflection, ShaderStage, TextureDimension, UnorderedAccessKind};

use crate::objects::shader::{
    bindings::{binding, unordered_binding},
    driver_constants::CountSlot,
    formats::scalar_kind,
};

/// A slot of a shader whose code depends on the view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewSlot {
    /// The `t` or `u` slot.
    pub(crate) slot: u32,
    /// Whether the slot is a `u` slot.
    pub(crate) unordered: bool,
    /// The dimension of a texture, or `None` for a typed buffer or a 1D texture.
    pub(crate) texture: Option<TextureDimension>,
    /// The scalar kind that the shader declares.
    pub(crate) kind: ScalarKind,
    /// The shader's accesses.
    pub(crate) access: StorageAccess,
}

impl ViewSlot {
    /// Returns a shader's slots: the `t` slots, followed by the `u` slots.
    pub(crate) fn all(shader: &ShaderReflection) -> Box<[Self]> {
        let read = shader.resources.iter().filter_map(|resource| {
            let kind = resource.kind.typed_buffer()?;
            let access = StorageAccess::LOAD;
            Some(Self { slot: resource.slot, unordered: false, texture: None, kind, access })
        });
        let written = shader.unordered_access.iter().filter_map(|unordered| {
            let (texture, kind, access) = match unordered.kind {
                UnorderedAccessKind::TypedBuffer { kind, access } => (None, kind, access),
                UnorderedAccessKind::Texture { dimension, kind, access } => (Some(dimension), kind, access),
                UnorderedAccessKind::Buffer { .. } => return None,
            };
            Some(Self { slot: unordered.slot, unordered: true, texture, kind, access })
        });
        read.chain(written).collect()
    }

    /// Returns the binding of the slot.
    pub(crate) const fn binding(&self, stage: ShaderStage) -> u32 {
        if self.unordered { unordered_binding(stage, self.slot) } else { binding(stage, self.slot) }
    }

    /// Returns the position of the element count in the driver constants.
    pub(crate) const fn count(&self) -> CountSlot {
        if self.unordered { CountSlot::unordered_access(self.slot) } else { CountSlot::resource(self.slot) }
    }

    /// Returns whether the shader can access elements of a format. If the format has another kind than
    /// declared, the shader accesses the bits.
    pub(crate) fn takes(&self, format: Format) -> bool {
        scalar_kind(format).is_some()
    }

    /// Returns whether the shader can access texels of a format. Atomic functions require the declared kind.
    pub(crate) fn takes_texels(&self, format: Format) -> bool {
        scalar_kind(format)
            .is_some_and(|kind| kind == self.kind || !self.access.contains(StorageAccess::ATOMIC))
    }
}

/// The properties of a bound view that a slot's code depends on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SeenView {
    pub(crate) format: Format,
    pub(crate) kind: SeenKind,
}

/// The kind of a view.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SeenKind {
    /// A view of a buffer's elements.
    Buffer,
    /// A view of a 1D texture, which is a 2D texture of height 1 in wgpu.
    Row {
        /// Whether samplers can filter the texture.
        filters: bool,
    },
    /// A view of a texture with the same dimension in wgpu.
    Texture,
    /// A view of some depth slices of a 3D texture. wgpu binds all slices.
    DepthSlices,
}

/// The bound view of each slot, in the order of [`ViewSlot::all`], with `None` for a slot without a suitable
/// view. The list itself is `None` if no slot has a view.
pub(crate) type SeenSlots = Option<Arc<[Option<SeenView>]>>;

/// Returns the view in a slot.
pub(crate) fn seen_view(seen: &SeenSlots, at: usize) -> Option<SeenView> {
    *seen.as_ref()?.get(at)?
}
