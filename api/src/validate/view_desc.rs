//! Descriptors of the four kinds of views, which select a format and a part of a resource.
//!
//! As in Direct3D 11, a count of `u32::MAX` selects all remaining elements, mip levels or slices, and
//! [`Format::UNKNOWN`] selects the resource's format. Unlike in Direct3D 11, the dimension may be `None`: the
//! view then has the same shape as a view that is created without a descriptor.

mod shader_resource;
mod unordered_access;

use onze_ddi::{DsvFlags, Format};

pub use shader_resource::{BufferExSrvFlags, ShaderResourceViewDesc, ShaderResourceViewDimension};
pub use unordered_access::{BufferUavFlags, UnorderedAccessViewDesc, UnorderedAccessViewDimension};

/// Selects the format and the part of a resource that draws write (D3D11: `D3D11_RENDER_TARGET_VIEW_DESC`,
/// `D3D11_RENDER_TARGET_VIEW_DESC1`).
#[doc(alias = "D3D11_RENDER_TARGET_VIEW_DESC")]
#[doc(alias = "D3D11_RENDER_TARGET_VIEW_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct RenderTargetViewDesc {
    /// The format in which draws write the resource, or [`Format::UNKNOWN`] for the resource's own format.
    pub format: Format,
    /// Shape of the view and part of the resource, or `None` for all slices of mip 0.
    pub dimension: Option<RenderTargetViewDimension>,
    /// The plane (`PlaneSlice` in Direct3D 11.3), which must be 0 because no supported format has several
    /// planes.
    pub plane_slice: u32,
}

/// The shape of a view and the part of the resource that draws write (D3D11: `D3D11_RTV_DIMENSION` with the
/// union of `D3D11_RENDER_TARGET_VIEW_DESC`).
#[doc(alias = "D3D11_RTV_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RenderTargetViewDimension {
    /// The first slice of a mip level of a 1D texture (D3D11: `D3D11_TEX1D_RTV`).
    #[doc(alias = "D3D11_TEX1D_RTV")]
    Texture1d {
        /// Index of the only mip level that draws and clears can write through the view.
        mip_slice: u32,
    },
    /// Several slices of a mip level of a 1D texture (D3D11: `D3D11_TEX1D_ARRAY_RTV`).
    #[doc(alias = "D3D11_TEX1D_ARRAY_RTV")]
    Texture1dArray {
        /// Index of the only mip level that draws and clears can write through the view.
        mip_slice: u32,
        /// Index of the texture's first array slice in the view.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// Depth slices of a mip level of a 3D texture (D3D11: `D3D11_TEX3D_RTV`).
    #[doc(alias = "D3D11_TEX3D_RTV")]
    Texture3d {
        /// Index of the only mip level that draws and clears can write through the view.
        mip_slice: u32,
        /// Index of the first depth slice in the view, the slice that draws write to.
        first_w_slice: u32,
        /// Number of depth slices in the view, or `u32::MAX` for all from the first one on.
        w_size: u32,
    },
    /// The first slice of a mip level (D3D11: `D3D11_TEX2D_RTV`).
    #[doc(alias = "D3D11_TEX2D_RTV")]
    Texture2d {
        /// Index of the only mip level that draws and clears can write through the view.
        mip_slice: u32,
    },
    /// Several slices of a mip level (D3D11: `D3D11_TEX2D_ARRAY_RTV`).
    #[doc(alias = "D3D11_TEX2D_ARRAY_RTV")]
    Texture2dArray {
        /// Index of the only mip level that draws and clears can write through the view.
        mip_slice: u32,
        /// Index of the texture's first array slice in the view.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// The first slice of a multisampled texture (D3D11: `D3D11_TEX2DMS_RTV`).
    #[doc(alias = "D3D11_TEX2DMS_RTV")]
    Texture2dMs,
    /// Several slices of a multisampled texture (D3D11: `D3D11_TEX2DMS_ARRAY_RTV`).
    #[doc(alias = "D3D11_TEX2DMS_ARRAY_RTV")]
    Texture2dMsArray {
        /// Index of the texture's first array slice in the view.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
}

impl RenderTargetViewDesc {
    /// All slices of mip 0, written in this format, which must belong to the resource's family.
    pub const fn format(format: Format) -> Self {
        Self { format, dimension: None, plane_slice: 0 }
    }

    /// The first slice of a mip level of a 1D texture, in a format of the texture's family.
    pub const fn texture_1d(format: Format, mip_slice: u32) -> Self {
        let dimension = Some(RenderTargetViewDimension::Texture1d { mip_slice });
        Self { format, dimension, plane_slice: 0 }
    }

    /// `array_size` slices of a mip level of a 1D texture, starting at `first_array_slice`.
    pub const fn texture_1d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            RenderTargetViewDimension::Texture1dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `w_size` depth slices of a mip level of a 3D texture, starting at `first_w_slice`, where draws write
    /// the first slice and clears write all slices.
    pub const fn texture_3d(format: Format, mip_slice: u32, first_w_slice: u32, w_size: u32) -> Self {
        let dimension = RenderTargetViewDimension::Texture3d { mip_slice, first_w_slice, w_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// The first slice of a mip level, in a format of the texture's family or, with [`Format::UNKNOWN`], in
    /// the texture's own format.
    pub const fn texture_2d(format: Format, mip_slice: u32) -> Self {
        Self { format, dimension: Some(RenderTargetViewDimension::Texture2d { mip_slice }), plane_slice: 0 }
    }

    /// `array_size` slices of a mip level, starting at `first_array_slice`.
    pub const fn texture_2d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            RenderTargetViewDimension::Texture2dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }
}

/// Selects the format and the part of a resource that depth and stencil tests use (D3D11:
/// `D3D11_DEPTH_STENCIL_VIEW_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCIL_VIEW_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct DepthStencilViewDesc {
    /// The depth format in which the view reads and writes, or [`Format::UNKNOWN`] for the resource's format.
    pub format: Format,
    /// Shape of the view and part of the resource, or `None` for all slices of mip 0.
    pub dimension: Option<DepthStencilViewDimension>,
    /// The planes (depth, stencil or both) that are read-only, so that shaders can read them at the same
    /// time.
    pub flags: DsvFlags,
}

/// The shape of a view and the part of a depth texture (D3D11: `D3D11_DSV_DIMENSION` with the union of
/// `D3D11_DEPTH_STENCIL_VIEW_DESC`). The shapes of render targets are valid, except 3D textures.
#[doc(alias = "D3D11_DSV_DIMENSION")]
pub type DepthStencilViewDimension = RenderTargetViewDimension;

impl DepthStencilViewDesc {
    /// All slices of mip 0, in a depth format of the resource's family.
    pub const fn format(format: Format) -> Self {
        Self { format, dimension: None, flags: DsvFlags::empty() }
    }

    /// The first slice of a mip level of a 1D texture, in a format of the texture's family.
    pub const fn texture_1d(format: Format, mip_slice: u32) -> Self {
        let dimension = Some(DepthStencilViewDimension::Texture1d { mip_slice });
        Self { format, dimension, flags: DsvFlags::empty() }
    }

    /// `array_size` slices of a mip level of a 1D texture, starting at `first_array_slice`.
    pub const fn texture_1d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            DepthStencilViewDimension::Texture1dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), flags: DsvFlags::empty() }
    }

    /// The first slice of a mip level, in a format of the texture's family or, with [`Format::UNKNOWN`], in
    /// the texture's own format.
    pub const fn texture_2d(format: Format, mip_slice: u32) -> Self {
        let dimension = Some(DepthStencilViewDimension::Texture2d { mip_slice });
        Self { format, dimension, flags: DsvFlags::empty() }
    }

    /// `array_size` slices of a mip level, starting at `first_array_slice`.
    pub const fn texture_2d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            DepthStencilViewDimension::Texture2dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), flags: DsvFlags::empty() }
    }

    /// Makes these planes read-only, which allows shaders to read them at the same time.
    pub const fn read_only(mut self, flags: DsvFlags) -> Self {
        self.flags = self.flags.union(flags);
        self
    }
}
