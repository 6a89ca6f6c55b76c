//! Descriptors of shader-resource views.

use bitflags::bitflags;
use onze_ddi::Format;

bitflags! {
    /// Selects how shaders read a buffer (D3D11: `D3D11_BUFFEREX_SRV_FLAG`, with the same values).
    ///
    /// | flags | HLSL | WGSL |
    /// | --- | --- | --- |
    /// | none, structured | `StructuredBuffer<T>` | `var<storage, read> b: array<T>` |
    /// | none, with a format | `Buffer<float4>` | `texture_1d<f32>` |
    /// | `RAW` | `ByteAddressBuffer` | `var<storage, read> b: array<u32>` |
    #[doc(alias = "D3D11_BUFFEREX_SRV_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct BufferExSrvFlags: u32 {
        /// Shaders access the buffer as untyped 4-byte words.
        const RAW = 1;
    }
}

/// Selects the format and the part of a resource that shaders read (D3D11: `D3D11_SHADER_RESOURCE_VIEW_DESC`,
/// `D3D11_SHADER_RESOURCE_VIEW_DESC1`).
#[doc(alias = "D3D11_SHADER_RESOURCE_VIEW_DESC")]
#[doc(alias = "D3D11_SHADER_RESOURCE_VIEW_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ShaderResourceViewDesc {
    /// The format in which shaders read the resource, or [`Format::UNKNOWN`] for the resource's own format.
    pub format: Format,
    /// Shape of the view and part of the resource, or `None` for the complete resource in its own shape.
    pub dimension: Option<ShaderResourceViewDimension>,
    /// The plane (`PlaneSlice` in Direct3D 11.3), which must be 0 because no supported format has several
    /// planes.
    pub plane_slice: u32,
}

/// The shape of a view and the part of the resource that shaders read (D3D11: `D3D11_SRV_DIMENSION` with the
/// union of `D3D11_SHADER_RESOURCE_VIEW_DESC`).
#[doc(alias = "D3D11_SRV_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShaderResourceViewDimension {
    /// Elements of a structured buffer, or of the view's format (D3D11: `D3D11_BUFFER_SRV`).
    #[doc(alias = "D3D11_BUFFER_SRV")]
    Buffer {
        /// Index of the view's first element, which shaders address as element 0.
        first_element: u32,
        /// Number of elements in the view, or `u32::MAX` for all from the first one on.
        num_elements: u32,
    },
    /// Elements of a buffer, with flags (D3D11: `D3D11_BUFFEREX_SRV`).
    #[doc(alias = "D3D11_BUFFEREX_SRV")]
    BufferEx {
        /// Index of the first element in the view, for a raw view a multiple of 4.
        first_element: u32,
        /// Number of elements, or `u32::MAX` for all from the first one on, where an element of a raw view
        /// has 4 bytes.
        num_elements: u32,
        /// [`RAW`](BufferExSrvFlags::RAW) for a raw view, whose elements are 4-byte words, and empty for all
        /// other views.
        flags: BufferExSrvFlags,
    },
    /// The first slice of a 1D texture (D3D11: `D3D11_TEX1D_SRV`).
    #[doc(alias = "D3D11_TEX1D_SRV")]
    Texture1d {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
    },
    /// Several slices of a 1D texture (D3D11: `D3D11_TEX1D_ARRAY_SRV`).
    #[doc(alias = "D3D11_TEX1D_ARRAY_SRV")]
    Texture1dArray {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
        /// Index of the view's first array slice, which shaders address as slice 0.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// The first slice of a 2D texture with one sample per texel (D3D11: `D3D11_TEX2D_SRV`).
    #[doc(alias = "D3D11_TEX2D_SRV")]
    Texture2d {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
    },
    /// Several slices of a 2D texture with one sample per texel (D3D11: `D3D11_TEX2D_ARRAY_SRV`).
    #[doc(alias = "D3D11_TEX2D_ARRAY_SRV")]
    Texture2dArray {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
        /// Index of the view's first array slice, which shaders address as slice 0.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// The first slice of a multisampled texture (D3D11: `D3D11_TEX2DMS_SRV`).
    #[doc(alias = "D3D11_TEX2DMS_SRV")]
    Texture2dMs,
    /// Several slices of a multisampled texture (D3D11: `D3D11_TEX2DMS_ARRAY_SRV`).
    #[doc(alias = "D3D11_TEX2DMS_ARRAY_SRV")]
    Texture2dMsArray {
        /// Index of the view's first array slice, which shaders address as slice 0.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// Mip levels of a 3D texture with all depth slices (D3D11: `D3D11_TEX3D_SRV`).
    #[doc(alias = "D3D11_TEX3D_SRV")]
    Texture3d {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
    },
    /// The first six slices as a cube (D3D11: `D3D11_TEXCUBE_SRV`).
    #[doc(alias = "D3D11_TEXCUBE_SRV")]
    TextureCube {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
    },
    /// Several cubes, of six slices each, as a cube array (D3D11: `D3D11_TEXCUBE_ARRAY_SRV`).
    #[doc(alias = "D3D11_TEXCUBE_ARRAY_SRV")]
    TextureCubeArray {
        /// Index of the view's most detailed mip level, which shaders address as mip 0.
        most_detailed_mip: u32,
        /// Number of mip levels in the view, or `u32::MAX` for all from the first one on.
        mip_levels: u32,
        /// Index of the array slice with the first face of the first cube.
        first_2d_array_face: u32,
        /// Number of cubes (of six array slices each), or `u32::MAX` for all from the first one on.
        num_cubes: u32,
    },
}

impl ShaderResourceViewDesc {
    /// The complete resource, read in this format, which must belong to the resource's family.
    pub const fn format(format: Format) -> Self {
        Self { format, dimension: None, plane_slice: 0 }
    }

    /// `mip_levels` mip levels of the first slice of a 1D texture, starting at `most_detailed_mip`, for a
    /// shader that declares a `Texture1D` in HLSL or a `texture_1d` in WGSL.
    pub const fn texture_1d(format: Format, most_detailed_mip: u32, mip_levels: u32) -> Self {
        let dimension = ShaderResourceViewDimension::Texture1d { most_detailed_mip, mip_levels };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// All mip levels of `array_size` slices of a 1D texture, starting at `first_array_slice`. Shaders
    /// declare a `Texture1DArray` in HLSL, but WGSL has no 1D arrays, so shaders in WGSL declare a
    /// `texture_2d_array`, whose height is 1.
    pub const fn texture_1d_array(format: Format, first_array_slice: u32, array_size: u32) -> Self {
        let dimension = ShaderResourceViewDimension::Texture1dArray {
            most_detailed_mip: 0,
            mip_levels: u32::MAX,
            first_array_slice,
            array_size,
        };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `mip_levels` mip levels of a 3D texture, starting at `most_detailed_mip`, for a shader that declares a
    /// `Texture3D` in HLSL or a `texture_3d` in WGSL.
    pub const fn texture_3d(format: Format, most_detailed_mip: u32, mip_levels: u32) -> Self {
        let dimension = ShaderResourceViewDimension::Texture3d { most_detailed_mip, mip_levels };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// A part of the resource, in the resource's own format.
    pub const fn dimension(dimension: ShaderResourceViewDimension) -> Self {
        Self { format: Format::UNKNOWN, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `num_elements` elements of a structured buffer, starting at `first_element`.
    pub const fn buffer(first_element: u32, num_elements: u32) -> Self {
        Self::dimension(ShaderResourceViewDimension::Buffer { first_element, num_elements })
    }

    /// A typed view of a buffer that is not structured: `num_elements` elements of a format, starting at
    /// `first_element`, with a maximum of 2^27 elements.
    ///
    /// Shaders declare a `Buffer` in HLSL, for example `Buffer<float4>`. In WGSL they declare a `texture_1d`
    /// of `f32`, `i32` or `u32`, and read it with `textureLoad`. The format needs `FormatSupport::BUFFER`.
    pub const fn typed_buffer(format: Format, first_element: u32, num_elements: u32) -> Self {
        Self {
            format,
            dimension: Some(ShaderResourceViewDimension::Buffer { first_element, num_elements }),
            plane_slice: 0,
        }
    }

    /// A raw view, in the format R32_TYPELESS: `num_words` 4-byte words of a buffer, starting at
    /// `first_word`, which must be a multiple of 4. The buffer needs
    /// [`MiscFlags::BUFFER_ALLOW_RAW_VIEWS`](onze_ddi::MiscFlags).
    ///
    /// Shaders declare a `ByteAddressBuffer` in HLSL, and a `var<storage, read>` of `array<u32>` in WGSL.
    pub const fn raw_buffer(first_word: u32, num_words: u32) -> Self {
        let dimension = ShaderResourceViewDimension::BufferEx {
            first_element: first_word,
            num_elements: num_words,
            flags: BufferExSrvFlags::RAW,
        };
        Self { format: Format::R32_TYPELESS, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `mip_levels` mip levels of the first slice, starting at `most_detailed_mip`.
    pub const fn texture_2d(format: Format, most_detailed_mip: u32, mip_levels: u32) -> Self {
        let dimension = ShaderResourceViewDimension::Texture2d { most_detailed_mip, mip_levels };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// All mip levels of `array_size` slices, starting at `first_array_slice`.
    pub const fn texture_2d_array(format: Format, first_array_slice: u32, array_size: u32) -> Self {
        let dimension = ShaderResourceViewDimension::Texture2dArray {
            most_detailed_mip: 0,
            mip_levels: u32::MAX,
            first_array_slice,
            array_size,
        };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }
}
