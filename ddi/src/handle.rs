//! Context-local handles: what the runtime calls an object when it talks to a driver.
//!
//! A handle is a generational key. Its value is the runtime's to choose, and the same value is used
//! in every context; what it refers to is context-local: each context has a
//! [`HandleStorage`](crate::HandleStorage) of its own, in which the handle must first be opened. A
//! handle whose object is gone, or that is not open in a context, is caught there, not followed.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use onze_ddi::{Key, ResourceHandle};
//!
//! let generation = |n| NonZeroU32::new(n).expect("not zero");
//! let old = ResourceHandle::new(Key::new(7, generation(1)));
//! // The index is used again when the object is gone: the generation tells the two apart.
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

/// The untyped value of a [`Handle`].
///
/// One number, so that keys, and optional ones, are compared at once: the index above the generation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(NonZeroU64);

impl Key {
    /// Makes a key; the runtime does, when it creates an object.
    #[inline]
    pub const fn new(index: u32, generation: NonZeroU32) -> Self {
        match NonZeroU64::new((index as u64) << 32 | generation.get() as u64) {
            Some(bits) => Self(bits),
            // The generation is not zero.
            None => Self(NonZeroU64::MIN),
        }
    }

    /// A dense number: small, and used again after the object is destroyed.
    #[inline]
    pub const fn index(self) -> u32 {
        (self.0.get() >> 32) as u32
    }

    /// Tells apart the objects that had the same index one after the other.
    #[inline]
    pub const fn generation(self) -> NonZeroU32 {
        match NonZeroU32::new(self.generation_bits()) {
            Some(generation) => generation,
            // A key is made of one that is not zero.
            None => NonZeroU32::MIN,
        }
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

/// The kinds of objects that have handles. D3D11: `D3D11DDI_HANDLETYPE`.
#[doc(alias = "D3D11DDI_HANDLETYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleType {
    /// A buffer or a texture.
    Resource,
    /// A shader-resource view.
    ShaderResourceView,
    /// A render-target view.
    RenderTargetView,
    /// A depth-stencil view.
    DepthStencilView,
    /// An unordered-access view.
    UnorderedAccessView,
    /// A shader of any stage.
    Shader,
    /// An input layout.
    ElementLayout,
    /// A blend state.
    BlendState,
    /// A depth-stencil state.
    DepthStencilState,
    /// A rasterizer state.
    RasterizerState,
    /// A sampler state.
    Sampler,
    /// A query.
    Query,
}

impl HandleType {
    /// Every kind.
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

/// A kind of object at the type level; see [`kind`].
pub trait HandleKind: 'static {
    /// The same kind as a value.
    const TYPE: HandleType;
}

/// The kinds as types: [`Handle<kind::Resource>`](Handle) is the handle of a buffer or texture.
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

/// The handle of an object of kind `K`. D3D11: `D3D10DDI_HRESOURCE` and its kin.
#[doc(alias = "D3D10DDI_HRESOURCE")]
pub struct Handle<K> {
    key: Key,
    kind: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    /// Gives a key its kind.
    #[inline]
    pub const fn new(key: Key) -> Self {
        Self { key, kind: PhantomData }
    }

    /// The untyped value.
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

/// A buffer or a texture.
pub type ResourceHandle = Handle<kind::Resource>;
/// A shader-resource view.
pub type ShaderResourceViewHandle = Handle<kind::ShaderResourceView>;
/// A render-target view.
pub type RenderTargetViewHandle = Handle<kind::RenderTargetView>;
/// A depth-stencil view.
pub type DepthStencilViewHandle = Handle<kind::DepthStencilView>;
/// An unordered-access view.
pub type UnorderedAccessViewHandle = Handle<kind::UnorderedAccessView>;
/// A shader of any stage.
pub type ShaderHandle = Handle<kind::Shader>;
/// An input layout.
pub type ElementLayoutHandle = Handle<kind::ElementLayout>;
/// A blend state.
pub type BlendStateHandle = Handle<kind::BlendState>;
/// A depth-stencil state.
pub type DepthStencilStateHandle = Handle<kind::DepthStencilState>;
/// A rasterizer state.
pub type RasterizerStateHandle = Handle<kind::RasterizerState>;
/// A sampler state.
pub type SamplerHandle = Handle<kind::Sampler>;
/// A query.
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
