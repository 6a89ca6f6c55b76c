//! Descriptors of unordered-access views.

use bitflags::bitflags;
use onze_ddi::Format;

bitflags! {
    /// Selects how shaders read and write a buffer (D3D11: `D3D11_BUFFER_UAV_FLAG`, with the same values).
    ///
    /// | flags | HLSL | WGSL |
    /// | --- | --- | --- |
    /// | none, structured | `RWStructuredBuffer<T>` | `var<storage, read_write> b: array<T>` |
    /// | none, with a format | `RWBuffer<float4>` | `texture_storage_1d<rgba32float, write>` |
    /// | `RAW` | `RWByteAddressBuffer` | `var<storage, read_write> b: array<u32>` |
    /// | `APPEND` | `AppendStructuredBuffer<T>`, `ConsumeStructuredBuffer<T>` | an array and its counter |
    /// | `COUNTER` | `RWStructuredBuffer<T>` with `IncrementCounter` | an array and its counter |
    #[doc(alias = "D3D11_BUFFER_UAV_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct BufferUavFlags: u32 {
        /// Shaders access the buffer as untyped 4-byte words.
        const RAW = 1;
        /// The view of a structured buffer has a hidden counter, which shaders use to append and consume
        /// elements in undefined order. This flag cannot be combined with the other flags.
        ///
        /// In HLSL, `AppendStructuredBuffer` and `ConsumeStructuredBuffer` use the counter. A shader in WGSL
        /// declares the counter of `u{n}` as
        /// `@group(4) @binding(n) var<storage, read_write> count: atomic<u32>;`, so that `Append(x)` is
        /// `buffer[atomicAdd(&count, 1u)] = x`, and `Consume()` is `buffer[atomicSub(&count, 1u) - 1u]`.
        const APPEND = 2;
        /// The view of a structured buffer has a hidden counter, and the order of the elements is preserved.
        /// This flag cannot be combined with the other flags.
        ///
        /// In HLSL, `IncrementCounter` and `DecrementCounter` of a `RWStructuredBuffer` use the counter. A shader in
        /// WGSL declares it as for [`APPEND`](Self::APPEND): `IncrementCounter()` is `atomicAdd(&count, 1u)`, and
        /// `DecrementCounter()` is `atomicSub(&count, 1u) - 1u`.
        const COUNTER = 4;
    }
}

/// Selects the format and the part of a resource that shaders read and write (D3D11:
/// `D3D11_UNORDERED_ACCESS_VIEW_DESC`, `D3D11_UNORDERED_ACCESS_VIEW_DESC1`).
#[doc(alias = "D3D11_UNORDERED_ACCESS_VIEW_DESC")]
#[doc(alias = "D3D11_UNORDERED_ACCESS_VIEW_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct UnorderedAccessViewDesc {
    /// [`Format::UNKNOWN`] for a structured buffer, [`Format::R32_TYPELESS`] for a raw view, and the elements' format
    /// for a typed view.
    pub format: Format,
    /// Shape of the view and part of the resource, or `None` for a complete buffer or for all slices of a
    /// texture's mip 0.
    pub dimension: Option<UnorderedAccessViewDimension>,
    /// The plane (`PlaneSlice` in Direct3D 11.3), which must be 0 because no supported format has several
    /// planes.
    pub plane_slice: u32,
}

/// The part of a resource that shaders read and write (D3D11: `D3D11_UAV_DIMENSION` with the union of
/// `D3D11_UNORDERED_ACCESS_VIEW_DESC`).
#[doc(alias = "D3D11_UAV_DIMENSION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnorderedAccessViewDimension {
    /// Elements of a buffer that shaders read and write (D3D11: `D3D11_BUFFER_UAV`).
    #[doc(alias = "D3D11_BUFFER_UAV")]
    Buffer {
        /// Index of the first element in the view, for a raw view a multiple of 4.
        first_element: u32,
        /// Number of elements, or `u32::MAX` for all from the first one on, where an element of a raw view
        /// has 4 bytes.
        num_elements: u32,
        /// Flags of a raw view or of a view with a hidden counter, empty for all other views.
        flags: BufferUavFlags,
    },
    /// The first slice of a mip level of a 1D texture (D3D11: `D3D11_TEX1D_UAV`).
    #[doc(alias = "D3D11_TEX1D_UAV")]
    Texture1d {
        /// Index of the only mip level that shaders can access through the view.
        mip_slice: u32,
    },
    /// Several slices of a mip level of a 1D texture (D3D11: `D3D11_TEX1D_ARRAY_UAV`).
    #[doc(alias = "D3D11_TEX1D_ARRAY_UAV")]
    Texture1dArray {
        /// Index of the only mip level that shaders can access through the view.
        mip_slice: u32,
        /// Index of the view's first array slice, which shaders address as slice 0.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
    /// Depth slices of a mip level of a 3D texture (D3D11: `D3D11_TEX3D_UAV`).
    #[doc(alias = "D3D11_TEX3D_UAV")]
    Texture3d {
        /// Index of the only mip level that shaders can access through the view.
        mip_slice: u32,
        /// Index of the view's first depth slice, which shaders address as slice 0.
        first_w_slice: u32,
        /// Number of depth slices in the view, or `u32::MAX` for all from the first one on.
        w_size: u32,
    },
    /// The first slice of a mip level of a texture (D3D11: `D3D11_TEX2D_UAV`).
    #[doc(alias = "D3D11_TEX2D_UAV")]
    Texture2d {
        /// Index of the only mip level that shaders can access through the view.
        mip_slice: u32,
    },
    /// Several slices of a mip level (D3D11: `D3D11_TEX2D_ARRAY_UAV`).
    #[doc(alias = "D3D11_TEX2D_ARRAY_UAV")]
    Texture2dArray {
        /// Index of the only mip level that shaders can access through the view.
        mip_slice: u32,
        /// Index of the view's first array slice, which shaders address as slice 0.
        first_array_slice: u32,
        /// Number of array slices in the view, or `u32::MAX` for all from the first one on.
        array_size: u32,
    },
}

impl UnorderedAccessViewDesc {
    /// The first slice of a mip level, in a format of the texture's family or, with [`Format::UNKNOWN`], in
    /// the texture's own format. Shaders declare a `RWTexture2D` in HLSL, and a `texture_storage_2d` in WGSL.
    /// The format of the WGSL declaration only has to match the view's format in the type of its components.
    pub const fn texture_2d(format: Format, mip_slice: u32) -> Self {
        Self {
            format,
            dimension: Some(UnorderedAccessViewDimension::Texture2d { mip_slice }),
            plane_slice: 0,
        }
    }

    /// The first slice of a mip level of a 1D texture, for a shader that declares a `RWTexture1D` in HLSL or
    /// a `texture_storage_1d` in WGSL.
    pub const fn texture_1d(format: Format, mip_slice: u32) -> Self {
        let dimension = Some(UnorderedAccessViewDimension::Texture1d { mip_slice });
        Self { format, dimension, plane_slice: 0 }
    }

    /// `array_size` slices of a mip level of a 1D texture, starting at `first_array_slice`. Shaders declare a
    /// `RWTexture1DArray` in HLSL, and a `texture_storage_2d_array` of height 1 in WGSL.
    pub const fn texture_1d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            UnorderedAccessViewDimension::Texture1dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `w_size` depth slices of a mip level of a 3D texture, starting at `first_w_slice`, which has the index
    /// 0 in shaders. Shaders declare a `RWTexture3D` in HLSL, and a `texture_storage_3d` in WGSL.
    pub const fn texture_3d(format: Format, mip_slice: u32, first_w_slice: u32, w_size: u32) -> Self {
        let dimension = UnorderedAccessViewDimension::Texture3d { mip_slice, first_w_slice, w_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `array_size` slices of a mip level, starting at `first_array_slice`, for a shader that declares a
    /// `RWTexture2DArray` in HLSL or a `texture_storage_2d_array` in WGSL.
    pub const fn texture_2d_array(
        format: Format,
        mip_slice: u32,
        first_array_slice: u32,
        array_size: u32,
    ) -> Self {
        let dimension =
            UnorderedAccessViewDimension::Texture2dArray { mip_slice, first_array_slice, array_size };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `num_elements` elements of a structured buffer, starting at `first_element`.
    pub const fn buffer(first_element: u32, num_elements: u32) -> Self {
        let flags = BufferUavFlags::empty();
        let dimension = UnorderedAccessViewDimension::Buffer { first_element, num_elements, flags };
        Self { format: Format::UNKNOWN, dimension: Some(dimension), plane_slice: 0 }
    }

    /// Like [`buffer`](Self::buffer), with [`BufferUavFlags::COUNTER`] and thus a counter that belongs to the
    /// view and is initially 0.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let particles = device.create_buffer(&BufferDesc::structured(32, 1000, BindFlags::UNORDERED_ACCESS), None)?;
    /// let desc = UnorderedAccessViewDesc::counted_buffer(0, u32::MAX);
    /// let view = device.create_unordered_access_view(&particles, Some(&desc))?;
    /// context.cs_set_unordered_access_views_with_counts(0, &view, &[0]);
    /// # Ok(())
    /// # }
    /// ```
    pub const fn counted_buffer(first_element: u32, num_elements: u32) -> Self {
        let flags = BufferUavFlags::COUNTER;
        let dimension = UnorderedAccessViewDimension::Buffer { first_element, num_elements, flags };
        Self { format: Format::UNKNOWN, dimension: Some(dimension), plane_slice: 0 }
    }

    /// `num_elements` elements of a structured buffer, starting at `first_element`, with
    /// [`BufferUavFlags::APPEND`]. HLSL's `AppendStructuredBuffer` and `ConsumeStructuredBuffer` use the
    /// view's hidden counter, which is initially 0.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let free = device.create_buffer(&BufferDesc::structured(4, 1000, BindFlags::UNORDERED_ACCESS), None)?;
    /// let desc = UnorderedAccessViewDesc::append_buffer(0, u32::MAX);
    /// let view = device.create_unordered_access_view(&free, &desc)?;
    /// // Binds the view and empties the list. A count of `u32::MAX` keeps the list's elements.
    /// context.cs_set_unordered_access_views_with_counts(0, &view, &[0]);
    /// # Ok(())
    /// # }
    /// ```
    pub const fn append_buffer(first_element: u32, num_elements: u32) -> Self {
        let flags = BufferUavFlags::APPEND;
        let dimension = UnorderedAccessViewDimension::Buffer { first_element, num_elements, flags };
        Self { format: Format::UNKNOWN, dimension: Some(dimension), plane_slice: 0 }
    }

    /// A typed view of a buffer that is not structured: `num_elements` elements of a format, starting at
    /// `first_element`, with a maximum of 2^27 elements.
    ///
    /// Shaders declare a `RWBuffer` in HLSL, for example `RWBuffer<float4>`. In WGSL they declare a
    /// `texture_storage_1d`, whose format only has to match the view's format in the type of its components.
    /// The view's format needs `FormatSupport::BUFFER` and `FormatSupport::TYPED_UNORDERED_ACCESS_VIEW`.
    pub const fn typed_buffer(format: Format, first_element: u32, num_elements: u32) -> Self {
        let flags = BufferUavFlags::empty();
        let dimension = UnorderedAccessViewDimension::Buffer { first_element, num_elements, flags };
        Self { format, dimension: Some(dimension), plane_slice: 0 }
    }

    /// A raw view, in the format R32_TYPELESS: `num_words` 4-byte words of a buffer, starting at
    /// `first_word`, which must be a multiple of 4. The buffer needs
    /// [`MiscFlags::BUFFER_ALLOW_RAW_VIEWS`](onze_ddi::MiscFlags).
    ///
    /// Shaders declare a `RWByteAddressBuffer` in HLSL, and a `var<storage, read_write>` of `array<u32>` or
    /// `array<atomic<u32>>` in WGSL.
    pub const fn raw_buffer(first_word: u32, num_words: u32) -> Self {
        let dimension = UnorderedAccessViewDimension::Buffer {
            first_element: first_word,
            num_elements: num_words,
            flags: BufferUavFlags::RAW,
        };
        Self { format: Format::R32_TYPELESS, dimension: Some(dimension), plane_slice: 0 }
    }
}
