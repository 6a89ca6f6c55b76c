//! Slots for which the code of a shader depends on the view that is bound there.
//!
//! A typed buffer is read and written by code for the format of its view ([`super::typed`]), and a texture that is written
//! is declared with that format. What is declared as a 1D image is a typed buffer or a 1D texture, by the view. So the
//! kinds and formats of the bound views are a part of the key of the specialised modules, of
//! the layouts of bind groups, and by these of the pipelines. Most shaders have no such slot, and then there is nothing
//! to look for.

use std::sync::Arc;

use naga::{GlobalVariable, Handle, StorageAccess};
use onze_ddi::{ComponentKind, Format, ScalarKind, ShaderReflection, TextureDimension, UnorderedAccessKind};

use super::{binding, driver_constants::CountSlot, elements, unordered_binding};

/// A slot of a shader whose code depends on the view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewSlot {
    /// The `t` or the `u` slot.
    pub(crate) slot: u32,
    /// It is a `u` slot.
    pub(crate) unordered: bool,
    /// The variable in the shader's module.
    pub(super) variable: Handle<GlobalVariable>,
    /// Of a texture its dimension; `None` for a typed buffer or a 1D texture.
    pub(crate) texture: Option<TextureDimension>,
    /// What the shader takes for a component.
    pub(super) kind: ScalarKind,
    /// What the shader does with it.
    pub(crate) access: StorageAccess,
}

/// What the code of a slot must know of the bound view.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SeenView {
    pub(crate) format: Format,
    pub(crate) kind: SeenKind,
}

/// What a view shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SeenKind {
    /// Elements of a buffer.
    Buffer,
    /// A 1D texture, which is a 2D one of height 1 in wgpu.
    Row {
        /// Samplers can filter it.
        filters: bool,
    },
    /// A texture, as it is.
    Texture,
    /// Some of the depth slices of a 3D texture. wgpu binds all of them.
    DepthSlices,
}

/// Of each such slot of a shader, in their order, the bound view; `None` if nothing is bound that can be read as
/// declared. `None` for all if no slot has a view.
pub(crate) type SeenSlots = Option<Arc<[Option<SeenView>]>>;

/// The kind of a format's components, as shaders get them.
pub(crate) const fn kind_of(format: Format) -> ScalarKind {
    match format.component_kind() {
        ComponentKind::Uint => ScalarKind::Uint,
        ComponentKind::Sint => ScalarKind::Sint,
        ComponentKind::Unknown
        | ComponentKind::Typeless
        | ComponentKind::Float
        | ComponentKind::Unorm
        | ComponentKind::Snorm
        | ComponentKind::Depth => ScalarKind::Float,
    }
}

/// The sample type of a texture whose components are of a kind.
pub(crate) const fn sample_type(kind: ScalarKind, filterable: bool) -> wgpu::TextureSampleType {
    match kind {
        ScalarKind::Float => wgpu::TextureSampleType::Float { filterable },
        ScalarKind::Sint => wgpu::TextureSampleType::Sint,
        ScalarKind::Uint => wgpu::TextureSampleType::Uint,
    }
}

/// The view in one of the slots.
pub(crate) fn seen_view(seen: &SeenSlots, at: usize) -> Option<SeenView> {
    *seen.as_ref()?.get(at)?
}

impl ViewSlot {
    /// Those of a shader: the `t` slots, then the `u` slots.
    pub(super) fn all(shader: &ShaderReflection) -> Box<[Self]> {
        let read = shader.resources.iter().filter_map(|resource| {
            let kind = resource.kind.typed_buffer()?;
            let (slot, variable) = (resource.slot, resource.binding);
            let access = StorageAccess::LOAD;
            Some(Self { slot, unordered: false, variable, texture: None, kind, access })
        });
        let written = shader.unordered_access.iter().filter_map(|unordered| {
            let (texture, kind, access) = match unordered.kind {
                UnorderedAccessKind::TypedBuffer { kind, access } => (None, kind, access),
                UnorderedAccessKind::Texture { dimension, kind, access } => (Some(dimension), kind, access),
                UnorderedAccessKind::Buffer { .. } => return None,
            };
            let (slot, variable) = (unordered.slot, unordered.binding);
            Some(Self { slot, unordered: true, variable, texture, kind, access })
        });
        read.chain(written).collect()
    }

    /// The binding of the slot.
    pub(crate) const fn binding(&self, lane: usize) -> u32 {
        if self.unordered { unordered_binding(lane, self.slot) } else { binding(lane, self.slot) }
    }

    /// Where the driver constants have the elements of the bound view.
    pub(crate) const fn count(&self) -> CountSlot {
        if self.unordered { CountSlot::unordered_access(self.slot) } else { CountSlot::resource(self.slot) }
    }

    /// Whether the shader can read and write elements of a format. It gets the bits of those of another kind
    /// ([`super::other_kinds`]).
    pub(crate) fn takes(&self, format: Format) -> bool {
        elements::scalar_kind(format).is_some()
    }

    /// Whether the shader can read and write texels of a format. Atomic functions are those of the declared kind.
    pub(crate) fn takes_texels(&self, format: Format) -> bool {
        elements::scalar_kind(format)
            .is_some_and(|kind| kind == self.kind || !self.access.contains(StorageAccess::ATOMIC))
    }
}
