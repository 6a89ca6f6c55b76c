//! Storage of entry arguments in a list, and their conversion back to arguments at replay.

use onze_ddi::*;

/// An argument of an entry that a recorded call stores.
pub(super) trait Own {
    /// The argument's type without borrowed data.
    type Owned: Send + Sync + 'static;

    fn own(self) -> Self::Owned;
}

/// A stored argument that converts back to an argument of an entry.
pub(super) trait Lend<'a, T> {
    fn lend(&'a self) -> T;
}

/// Implements [`Own`] and [`Lend`] for argument types that borrow nothing.
macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Own for $type {
            type Owned = Self;

            fn own(self) -> Self {
                self
            }
        }

        impl Lend<'_, $type> for $type {
            fn lend(&self) -> $type {
                *self
            }
        }
    )*};
}
plain! {
    u8 u32 i32 f32 [f32; 4] [u32; 3] [u32; 4]
    ShaderStage PrimitiveTopology ClearFlags Option<Box3d> Format
    IndexBufferBinding BlendBinding DepthStencilBinding PredicationBinding
    ResourceHandle ShaderResourceViewHandle UnorderedAccessViewHandle RenderTargetViewHandle DepthStencilViewHandle
    QueryHandle
    Option<ElementLayoutHandle> Option<ShaderHandle> Option<RasterizerStateHandle>
}

impl<T: Copy + Send + Sync + 'static> Own for &[T] {
    type Owned = Box<[T]>;

    fn own(self) -> Box<[T]> {
        self.into()
    }
}

impl<'a, T> Lend<'a, &'a [T]> for Box<[T]> {
    fn lend(&'a self) -> &'a [T] {
        self
    }
}

impl Own for &str {
    type Owned = Box<str>;

    fn own(self) -> Box<str> {
        self.into()
    }
}

impl<'a> Lend<'a, &'a str> for Box<str> {
    fn lend(&'a self) -> &'a str {
        self
    }
}

pub(super) struct OwnedTargets {
    color: Box<[Option<RenderTargetViewHandle>]>,
    depth_stencil: Option<DepthStencilViewHandle>,
}

impl Own for TargetsBinding<'_> {
    type Owned = OwnedTargets;

    fn own(self) -> OwnedTargets {
        OwnedTargets { color: self.color.into(), depth_stencil: self.depth_stencil }
    }
}

impl<'a> Lend<'a, TargetsBinding<'a>> for OwnedTargets {
    fn lend(&'a self) -> TargetsBinding<'a> {
        TargetsBinding { color: &self.color, depth_stencil: self.depth_stencil }
    }
}

pub(super) struct OwnedData {
    bytes: Box<[u8]>,
    row_pitch: u32,
    depth_pitch: u32,
}

impl Own for SubresourceData<'_> {
    type Owned = OwnedData;

    fn own(self) -> OwnedData {
        OwnedData { bytes: self.bytes.into(), row_pitch: self.row_pitch, depth_pitch: self.depth_pitch }
    }
}

impl<'a> Lend<'a, SubresourceData<'a>> for OwnedData {
    fn lend(&'a self) -> SubresourceData<'a> {
        SubresourceData { bytes: &self.bytes, row_pitch: self.row_pitch, depth_pitch: self.depth_pitch }
    }
}
