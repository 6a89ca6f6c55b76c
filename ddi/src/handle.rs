//! Context-local handles, which identify objects in calls between runtime and driver.
//!
//! A handle is a generational key, whose value the runtime chooses. The value is the same in every context,
//! but the handle's private data is context-local. Each context has its own
//! [`HandleStorage`](crate::HandleStorage), and a handle must be opened in this storage before its first use.
//! The storage rejects a handle that is not open in the context or whose object no longer exists.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use onze_ddi::{Key, ResourceHandle};
//!
//! let generation = |n| NonZeroU32::new(n).expect("not zero");
//! let old = ResourceHandle::new(Key::new(7, generation(1)));
//! // After the object is destroyed, its index is reused with another generation.
//! let new = ResourceHandle::new(Key::new(7, generation(2)));
//! assert_ne!(old, new);
//! assert_eq!(format!("{new:?}"), "Resource#7.2");
//! ```

use std::{
    fmt,
    hash::Hash,
    marker::PhantomData,
    num::{NonZeroU32, NonZeroU64},
};

/// The untyped value of a [`Handle`], the same in every context.
///
/// Index and generation are stored in one integer, with the index in the upper half, so keys and optional
/// keys can be compared with one operation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(NonZeroU64);

impl Key {
    /// Creates a key. Only the runtime calls this, when it creates an object.
    #[inline]
    pub const fn new(index: u32, generation: NonZeroU32) -> Self {
        match NonZeroU64::new((index as u64) << 32 | generation.get() as u64) {
            Some(bits) => Self(bits),
            // Unreachable, because the generation in the lower half is not zero.
            None => Self(NonZeroU64::MIN),
        }
    }

    /// The index, a small number that is reused after the object is destroyed.
    #[inline]
    pub const fn index(self) -> u32 {
        (self.0.get() >> 32) as u32
    }

    /// The generation, which distinguishes objects that successively had the same index.
    #[inline]
    pub const fn generation(self) -> NonZeroU32 {
        match NonZeroU32::new(self.generation_bits()) {
            Some(generation) => generation,
            // Unreachable, because a key is created from a nonzero generation.
            None => NonZeroU32::MIN,
        }
    }

    /// Returns index and generation as one number, with the index in the upper half. It is never 0.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0.get()
    }

    #[inline]
    pub(crate) const fn generation_bits(self) -> u32 {
        self.0.get() as u32
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("index", &self.index()).field("generation", &self.generation()).finish()
    }
}

/// The types of objects that have handles, each with a marker type in [`kind`] (D3D11:
/// `D3D11DDI_HANDLETYPE`).
#[doc(alias = "D3D11DDI_HANDLETYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleType {
    /// A buffer or a texture, whatever its usage and bind flags.
    Resource,
    /// A view through which shaders read a texture or buffer.
    ShaderResourceView,
    /// A view through which the output merger writes colours.
    RenderTargetView,
    /// A view through which the output merger tests and writes depth and stencil.
    DepthStencilView,
    /// A view through which shaders read and write a texture or buffer.
    UnorderedAccessView,
    /// A shader of any stage of the pipeline, including compute.
    Shader,
    /// An input layout, which maps elements of vertex buffers to the inputs of a vertex shader.
    ElementLayout,
    /// A blend state, which applies to all render targets.
    BlendState,
    /// A depth-stencil state, which configures the depth test and the stencil test.
    DepthStencilState,
    /// A rasterizer state for triangles, lines and points.
    RasterizerState,
    /// A sampler state for filtering and addressing.
    Sampler,
    /// A query of any type, including predicates and timestamps.
    Query,
}

impl HandleType {
    /// All types of objects that have handles.
    pub const ALL: &'static [Self] = &[
        Self::Resource,
        Self::ShaderResourceView,
        Self::RenderTargetView,
        Self::DepthStencilView,
        Self::UnorderedAccessView,
        Self::Shader,
        Self::ElementLayout,
        Self::BlendState,
        Self::DepthStencilState,
        Self::RasterizerState,
        Self::Sampler,
        Self::Query,
    ];
}

/// A marker type for handles to one type of object; see [`kind`].
pub trait HandleKind: 'static {
    /// The type of object, as a value of [`HandleType`].
    const TYPE: HandleType;
}

/// Marker types for handles: for example, [`Handle<kind::Resource>`](Handle) is the handle of a buffer or
/// texture.
pub mod kind {
    use super::{HandleKind, HandleType};

    macro_rules! kinds {
        ($($name:ident)*) => {$(
            #[doc = concat!("Marks handles of [`HandleType::", stringify!($name), "`](super::HandleType).")]
            #[derive(Copy, Clone, Debug)]
            pub enum $name {}
            impl HandleKind for $name {
                const TYPE: HandleType = HandleType::$name;
            }
        )*};
    }
    kinds!(Resource ShaderResourceView RenderTargetView DepthStencilView UnorderedAccessView Shader
        ElementLayout BlendState DepthStencilState RasterizerState Sampler Query);
}

/// The handle of an object of type `K` (D3D11: `D3D10DDI_HRESOURCE` and its counterparts for other objects).
#[doc(alias = "D3D10DDI_HRESOURCE")]
pub struct Handle<K> {
    key: Key,
    kind: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    /// Creates a handle from the key of an object, which must be of type `K`.
    #[inline]
    pub const fn new(key: Key) -> Self {
        Self { key, kind: PhantomData }
    }

    /// The untyped key of the handle.
    #[inline]
    pub const fn key(self) -> Key {
        self.key
    }
}

impl<K> Copy for Handle<K> {}

impl<K> Clone for Handle<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> PartialEq for Handle<K> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<K> Eq for Handle<K> {}

impl<K> Hash for Handle<K> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl<K> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = std::any::type_name::<K>().rsplit("::").next().unwrap_or_default();
        write!(f, "{kind}#{}.{}", self.key.index(), self.key.generation())
    }
}

/// The handle of a buffer or a texture, for copies and maps.
pub type ResourceHandle = Handle<kind::Resource>;
/// The handle of a shader-resource view, bound by [`crate::ContextFuncs::set_shader_resources`].
pub type ShaderResourceViewHandle = Handle<kind::ShaderResourceView>;
/// The handle of a render-target view, bound by [`crate::ContextFuncs::om_set_render_targets`].
pub type RenderTargetViewHandle = Handle<kind::RenderTargetView>;
/// The handle of a depth-stencil view, bound by [`crate::ContextFuncs::om_set_render_targets`].
pub type DepthStencilViewHandle = Handle<kind::DepthStencilView>;
/// The handle of an unordered-access view, bound by [`crate::ContextFuncs::set_unordered_access_views`].
pub type UnorderedAccessViewHandle = Handle<kind::UnorderedAccessView>;
/// The handle of a shader of any stage, bound by [`crate::ContextFuncs::set_shader`].
pub type ShaderHandle = Handle<kind::Shader>;
/// The handle of an input layout, bound by [`crate::ContextFuncs::ia_set_input_layout`].
pub type ElementLayoutHandle = Handle<kind::ElementLayout>;
/// The handle of a blend state, bound by [`crate::ContextFuncs::om_set_blend_state`].
pub type BlendStateHandle = Handle<kind::BlendState>;
/// The handle of a depth-stencil state, bound by [`crate::ContextFuncs::om_set_depth_stencil_state`].
pub type DepthStencilStateHandle = Handle<kind::DepthStencilState>;
/// The handle of a rasterizer state, bound by [`crate::ContextFuncs::rs_set_state`].
pub type RasterizerStateHandle = Handle<kind::RasterizerState>;
/// The handle of a sampler state, bound by [`crate::ContextFuncs::set_samplers`].
pub type SamplerHandle = Handle<kind::Sampler>;
/// The handle of a query, for [`crate::ContextFuncs::query_begin`] and [`crate::ContextFuncs::query_end`].
pub type QueryHandle = Handle<kind::Query>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_handle_is_as_small_as_a_handle() {
        assert_eq!(size_of::<ResourceHandle>(), 8);
        assert_eq!(size_of::<Option<ResourceHandle>>(), 8);
    }
}
