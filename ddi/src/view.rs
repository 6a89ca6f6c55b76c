//! Views: which part of a resource is seen, and how. The runtime has resolved every default.

use crate::Format;

/// The shape that a view gives its texture. D3D11: `D3D11_SRV_DIMENSION`, `D3D11_RTV_DIMENSION`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViewDimension {
    /// One slice.
    Texture2d,
    /// Several slices.
    Texture2dArray,
    /// One slice of several samples.
    Texture2dMs,
    /// Several slices of several samples.
    Texture2dMsArray,
    /// Six slices as a cube.
    TextureCube,
    /// Several cubes.
    TextureCubeArray,
}

/// The subresources of a texture that a view sees.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubresourceRange {
    /// First mip level.
    pub first_mip: u32,
    /// Number of mip levels; 1 for output views.
    pub mips: u32,
    /// First slice.
    pub first_slice: u32,
    /// Number of slices.
    pub slices: u32,
}

impl SubresourceRange {
    /// Whether both ranges have a subresource in common.
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.first_mip < other.first_mip + other.mips
            && other.first_mip < self.first_mip + self.mips
            && self.first_slice < other.first_slice + other.slices
            && other.first_slice < self.first_slice + self.slices
    }
}

bitflags::bitflags! {
    /// What a depth-stencil view leaves unwritten. D3D11: `D3D11_DSV_FLAG`, with its values.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct DsvFlags: u32 {
        /// Depth is only read.
        const READ_ONLY_DEPTH = 1;
        /// Stencil is only read.
        const READ_ONLY_STENCIL = 2;
    }
}

/// A view with all its defaults resolved; `K` of the handle says of which kind it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ViewDesc {
    /// The format that the texels are read or written in; never typeless.
    pub format: Format,
    /// The shape.
    pub dimension: ViewDimension,
    /// The part.
    pub range: SubresourceRange,
    /// Depth-stencil views only.
    pub flags: DsvFlags,
}
