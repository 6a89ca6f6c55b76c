//! Views: the visible part of a resource and its interpretation, with every default resolved by the runtime.
//!
//! ```
//! use onze_ddi::{BufferViewDesc, Format};
//!
//! // Two parts of a structured buffer: elements of 16 bytes.
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

/// The shape that a view gives its texture (D3D11: `D3D11_SRV_DIMENSION`, `D3D11_RTV_DIMENSION`).
#[doc(alias = "D3D11_SRV_DIMENSION")]
#[doc(alias = "D3D11_RTV_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewDimension {
    /// One slice of a 1D texture, which need not be an array.
    Texture1d,
    /// Several slices of a 1D texture, seen as an array.
    Texture1dArray,
    /// One slice of a 2D texture, which need not be an array.
    Texture2d,
    /// Several slices of a 2D texture, seen as an array.
    Texture2dArray,
    /// One slice of a multisampled 2D texture.
    Texture2dMs,
    /// Several slices of a multisampled 2D texture, seen as an array.
    Texture2dMsArray,
    /// Six slices of a 2D texture as the faces of a cube.
    TextureCube,
    /// Several cubes, each of six slices of a 2D texture.
    TextureCubeArray,
    /// Depth slices of a 3D texture, as many as the view's range says.
    Texture3d,
}

/// The subresources of a texture that a view sees, as ranges of mip levels, slices and depth slices.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SubresourceRange {
    /// First mip level that the view sees.
    pub first_mip: u32,
    /// Number of mip levels, which is 1 for output views.
    pub mips: u32,
    /// First slice that the view sees.
    pub first_slice: u32,
    /// Number of slices that the view sees.
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

    /// The view's slices, or for a view of a 3D texture, the depth slices of its first mip level, which are
    /// the z coordinates of a copy.
    pub const fn layers(&self) -> Range<u32> {
        // Every texture uses only slices or only depth slices; the other range is 0..1.
        let first = self.first_slice + self.first_w;
        first..first + self.slices + self.w_size - 1
    }

    /// Whether both ranges share texels, which for 3D textures are depth slices of one mip level.
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

/// A view with all defaults resolved, whose kind is given by the type `K` of its handle.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewDesc {
    /// A view of a texture, for shaders or as a target.
    Texture(TextureViewDesc),
    /// A view of a buffer, typed, structured or raw.
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

    /// Whether both views, of one resource, see a common part of it.
    pub const fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Texture(a), Self::Texture(b)) => a.range.overlaps(&b.range),
            (Self::Buffer(a), Self::Buffer(b)) => a.overlaps(b),
            // A resource is either a texture or a buffer, so the views have the same kind.
            _ => false,
        }
    }
}

/// A view of a texture: the format and shape that it gives a range of subresources.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureViewDesc {
    /// The format in which the texels are read or written; never typeless.
    pub format: Format,
    /// The shape that the view gives the texture.
    pub dimension: ViewDimension,
    /// The subresources that the view sees, within those of its texture.
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
    /// Bytes per element: the buffer's `structure_byte_stride`, 4 for a raw view, or the size of a typed view's format.
    pub stride: u32,
    /// The number of the first visible element, counted in elements of `stride` bytes.
    pub first_element: u32,
    /// Number of elements that the view sees, not 0, all within the buffer.
    pub elements: u32,
    /// Whether the view shows raw bytes instead of structures (D3D11: `D3D11_BUFFEREX_SRV_FLAG_RAW`,
    /// `D3D11_BUFFER_UAV_FLAG_RAW`).
    #[doc(alias = "D3D11_BUFFEREX_SRV_FLAG_RAW")]
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_RAW")]
    pub raw: bool,
    /// Whether an unordered-access view of structures has its own hidden counter, which is 0 when the view is
    /// created (D3D11: `D3D11_BUFFER_UAV_FLAG_COUNTER`), also true for views that append.
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_COUNTER")]
    pub counter: bool,
    /// Whether shaders append through the counter, so that the order of the elements does not matter, which a
    /// driver can ignore (D3D11: `D3D11_BUFFER_UAV_FLAG_APPEND`).
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG_APPEND")]
    pub append: bool,
}

impl BufferViewDesc {
    /// Returns the format of the elements of a typed view, such as that of HLSL's `Buffer<float4>`.
    pub const fn typed(&self) -> Option<Format> {
        match self.format {
            Format::UNKNOWN | Format::R32_TYPELESS => None,
            format => Some(format),
        }
    }

    /// Offset of the first visible byte in the buffer, in bytes.
    pub const fn offset(&self) -> u32 {
        self.first_element * self.stride
    }

    /// Number of visible bytes, from [`offset`](Self::offset) on.
    pub const fn size(&self) -> u32 {
        self.elements * self.stride
    }

    /// Whether both views, of one buffer, see a common byte.
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
