//! Views, with all defaults resolved. A view determines which subresources or elements of a resource are
//! accessible, and how they are interpreted.
//!
//! ```
//! use onze_ddi::{BufferViewDesc, Format};
//!
//! // Two ranges of a structured buffer with elements of 16 bytes.
//! let part = |first_element, elements| BufferViewDesc {
//!     format: Format::UNKNOWN,
//!     stride: 16,
//!     first_element,
//!     elements,
//!     raw: false,
//!     counter: false, append: false,
//! };
//! let (first, second) = (part(0, 8), part(8, 8));
//! assert_eq!((second.offset(), second.size()), (128, 128));
//! assert!(!first.overlaps(&second));
//! ```

use std::ops::Range;

use crate::Format;

/// The shape in which a view presents its texture (D3D11: `D3D11_SRV_DIMENSION`, `D3D11_RTV_DIMENSION`).
#[doc(alias = "D3D11_SRV_DIMENSION")]
#[doc(alias = "D3D11_RTV_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewDimension {
    /// One slice of a 1D texture or 1D texture array.
    Texture1d,
    /// Slices of a 1D texture, as an array.
    Texture1dArray,
    /// One slice of a 2D texture or 2D texture array.
    Texture2d,
    /// Slices of a 2D texture, as an array.
    Texture2dArray,
    /// One slice of a multisampled 2D texture.
    Texture2dMs,
    /// Slices of a multisampled 2D texture, as an array.
    Texture2dMsArray,
    /// Six slices of a 2D texture as the faces of a cube.
    TextureCube,
    /// Slices of a 2D texture as an array of cubes, with six slices per cube.
    TextureCubeArray,
    /// Depth slices of a 3D texture, as determined by the view's range.
    Texture3d,
}

/// The subresources of a texture that a view contains, as ranges of mip levels, slices and depth slices.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubresourceRange {
    /// First mip level in the view.
    pub first_mip: u32,
    /// Number of mip levels in the view; 1 for output views.
    pub mips: u32,
    /// First slice in the view.
    pub first_slice: u32,
    /// Number of slices in the view.
    pub slices: u32,
    /// First depth slice of the first mip level; 0 except for output views of 3D textures (D3D11:
    /// `FirstWSlice`).
    #[doc(alias = "FirstWSlice")]
    pub first_w: u32,
    /// Number of depth slices of the first mip level; 1 except for views of 3D textures (D3D11: `WSize`).
    #[doc(alias = "WSize")]
    pub w_size: u32,
}

impl SubresourceRange {
    /// The first mip level of the first slice, and its first depth slice.
    pub const FIRST: Self = Self { first_mip: 0, mips: 1, first_slice: 0, slices: 1, first_w: 0, w_size: 1 };

    /// Returns the view's slices. For a view of a 3D texture, returns the depth slices of its first mip
    /// level, which are the z coordinates that a copy uses.
    pub const fn layers(&self) -> Range<u32> {
        // A texture has either several slices or several depth slices, and the other range is 0..1.
        let first = self.first_slice + self.first_w;
        first..first + self.slices + self.w_size - 1
    }

    /// Whether the two ranges have common texels, with depth slices compared on the assumption that both
    /// ranges have the same first mip level.
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.first_mip < other.first_mip + other.mips
            && other.first_mip < self.first_mip + self.mips
            && self.first_slice < other.first_slice + other.slices
            && other.first_slice < self.first_slice + self.slices
            && self.first_w < other.first_w + other.w_size
            && other.first_w < self.first_w + self.w_size
    }
}

bitflags::bitflags! {
    /// The planes that a depth-stencil view does not write (D3D11: `D3D11_DSV_FLAG`, with its values).
    #[doc(alias = "D3D11_DSV_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct DsvFlags: u32 {
        /// Depth is read-only through the view, so draws do not write it.
        const READ_ONLY_DEPTH = 1;
        /// Stencil is read-only through the view, so draws do not write it.
        const READ_ONLY_STENCIL = 2;
    }
}

/// The description of a view, with all defaults resolved. The type of the view's handle distinguishes
/// shader-resource views, render-target views, depth-stencil views and unordered-access views.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewDesc {
    /// A view of a texture, for shaders or for the output merger.
    Texture(TextureViewDesc),
    /// A typed, structured or raw view of a buffer.
    Buffer(BufferViewDesc),
}

impl ViewDesc {
    /// Returns the texture view, or `None` if the view is of a buffer.
    pub const fn texture(&self) -> Option<&TextureViewDesc> {
        match self {
            Self::Texture(desc) => Some(desc),
            Self::Buffer(_) => None,
        }
    }

    /// Returns the buffer view, or `None` if the view is of a texture.
    pub const fn buffer(&self) -> Option<&BufferViewDesc> {
        match self {
            Self::Buffer(desc) => Some(desc),
            Self::Texture(_) => None,
        }
    }

    /// Whether two views of the same resource have common texels or bytes.
    pub const fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Texture(a), Self::Texture(b)) => a.range.overlaps(&b.range),
            (Self::Buffer(a), Self::Buffer(b)) => a.overlaps(b),
            // Both views are of the same resource, so this case does not occur.
            _ => false,
        }
    }
}

/// The description of a texture view: a range of subresources, and the format and shape in which they are
/// accessed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureViewDesc {
    /// The format in which the texels are read or written; never typeless.
    pub format: Format,
    /// The shape in which the view presents the texture.
    pub dimension: ViewDimension,
    /// The subresources of the texture that the view contains.
    pub range: SubresourceRange,
    /// The planes that a depth-stencil view does not write.
    pub flags: DsvFlags,
}

/// A view of a range of a buffer's elements (D3D11: `D3D11_BUFFER_SRV`, `D3D11_BUFFER_UAV`).
#[doc(alias = "D3D11_BUFFER_SRV")]
#[doc(alias = "D3D11_BUFFER_UAV")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferViewDesc {
    /// The format of the elements of a typed view, [`Format::UNKNOWN`] for a structured buffer, or
    /// [`Format::R32_TYPELESS`] for a raw view.
    pub format: Format,
    /// Bytes per element: `structure_byte_stride` for a structured buffer, 4 for a raw view, or the size of a
    /// typed view's format.
    pub stride: u32,
    /// Index of the first element in the view, counted in elements of `stride` bytes.
    pub first_element: u32,
    /// Number of elements in the view, at least 1, all within the buffer.
    pub elements: u32,
    /// Whether shaders access 4-byte words through the view instead of structs (D3D11:
    /// `D3D11_BUFFEREX_SRV_FLAG_RAW`, `D3D11_BUFFER_UAV_FLAG_RAW`).
    #[doc(alias = "D3D11_BUFFEREX_SRV_FLAG_RAW")]
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_RAW")]
    pub raw: bool,
    /// Whether an unordered-access view of a structured buffer has its own hidden counter (D3D11:
    /// `D3D11_BUFFER_UAV_FLAG_COUNTER`). Views with `append` also have a counter, which is 0 when the view is
    /// created.
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_COUNTER")]
    pub counter: bool,
    /// Whether shaders append and consume elements with the counter (D3D11: `D3D11_BUFFER_UAV_FLAG_APPEND`).
    /// With this flag, the order of the elements does not matter, so a driver may ignore the flag.
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_APPEND")]
    pub append: bool,
}

impl BufferViewDesc {
    /// Returns the format of the elements if the view is typed, as for HLSL's `Buffer<float4>`.
    pub const fn typed(&self) -> Option<Format> {
        match self.format {
            Format::UNKNOWN | Format::R32_TYPELESS => None,
            format => Some(format),
        }
    }

    /// Offset in bytes of the view's first element from the start of the buffer.
    pub const fn offset(&self) -> u32 {
        self.first_element * self.stride
    }

    /// Number of bytes in the view, starting at [`offset`](Self::offset).
    pub const fn size(&self) -> u32 {
        self.elements * self.stride
    }

    /// Whether two views of the same buffer have common bytes.
    pub const fn overlaps(&self, other: &Self) -> bool {
        self.offset() < other.offset() + other.size() && other.offset() < self.offset() + self.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_a_buffer_overlap_by_bytes() {
        let view = |stride, first_element, elements| BufferViewDesc {
            format: Format::UNKNOWN,
            stride,
            first_element,
            elements,
            raw: false,
            counter: false,
            append: false,
        };
        assert!(view(16, 1, 2).overlaps(&view(4, 7, 2)));
        assert!(!view(16, 1, 2).overlaps(&view(4, 0, 4)));
        assert!(!view(16, 1, 2).overlaps(&view(4, 12, 1)));
    }

    #[test]
    fn views_of_a_3d_texture_overlap_by_depth_slices() {
        let range = |first_mip, first_w, w_size| SubresourceRange {
            first_mip,
            first_w,
            w_size,
            ..SubresourceRange::FIRST
        };
        assert!(range(0, 1, 2).overlaps(&range(0, 2, 1)) && range(0, 2, 1).overlaps(&range(0, 0, 4)));
        assert!(!range(0, 1, 2).overlaps(&range(0, 3, 1)) && !range(0, 1, 2).overlaps(&range(1, 1, 2)));
        assert_eq!(range(0, 3, 2).layers(), 3..5);
        let slices = SubresourceRange { first_slice: 2, slices: 4, ..SubresourceRange::FIRST };
        assert_eq!(slices.layers(), 2..6);
    }
}
