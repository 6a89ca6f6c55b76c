//! Bindings: the arguments of the setters, and the values that the state callbacks return.
//!
//! ```
//! use onze_ddi::Viewport;
//!
//! let viewport = Viewport::sized(640.0, 480.0);
//! assert_eq!((viewport.min_depth, viewport.max_depth), (0.0, 1.0));
//! ```

use crate::{
    Format,
    handle::{
        BlendStateHandle, DepthStencilStateHandle, DepthStencilViewHandle, QueryHandle,
        RenderTargetViewHandle, ResourceHandle,
    },
};

/// The region of the targets that primitives are drawn to (D3D11: `D3D11_VIEWPORT`).
#[doc(alias = "D3D11_VIEWPORT")]
#[derive(Copy, Clone, Debug, PartialEq, Default)]
pub struct Viewport {
    /// Left edge of the region in pixels, which may be a fraction.
    pub top_left_x: f32,
    /// Top edge of the region in pixels, which may be a fraction.
    pub top_left_y: f32,
    /// Width of the region in pixels, which may be a fraction.
    pub width: f32,
    /// Height of the region in pixels, which may be a fraction.
    pub height: f32,
    /// Depth that the near plane is mapped to, 0 to 1.
    pub min_depth: f32,
    /// Depth that the far plane is mapped to, 0 to 1.
    pub max_depth: f32,
}

impl Viewport {
    /// Returns a viewport at the top left corner, with the full depth range from 0 to 1.
    pub const fn sized(width: f32, height: f32) -> Self {
        Self { top_left_x: 0.0, top_left_y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 }
    }
}

/// A rectangle in pixels, with exclusive right and bottom edges (D3D11: `D3D11_RECT`).
#[doc(alias = "D3D11_RECT")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    /// Left edge of the rectangle: its first column of pixels.
    pub left: i32,
    /// Top edge of the rectangle: its first row of pixels.
    pub top: i32,
    /// Right edge of the rectangle: the column after its last column of pixels.
    pub right: i32,
    /// Bottom edge of the rectangle: the row after its last row of pixels.
    pub bottom: i32,
}

/// A vertex buffer bound to a slot of the input assembler, with its stride and offset.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct VertexBufferBinding {
    /// The buffer, or `None` for an empty slot.
    pub buffer: Option<ResourceHandle>,
    /// Bytes from one vertex to the next, at most 2048.
    pub stride: u32,
    /// Bytes from the start of the buffer to the first vertex.
    pub offset: u32,
}

/// The index buffer that is bound to the input assembler, with its format and offset.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct IndexBufferBinding {
    /// The buffer that indexed draws read, or `None` if none is bound.
    pub buffer: Option<ResourceHandle>,
    /// The format of an index: `R16_UINT` or `R32_UINT`.
    pub format: Format,
    /// Bytes from the start of the buffer to the first index.
    pub offset: u32,
}

/// A constant buffer bound to a slot, with the range that the shader can access, in constants of 16 bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ConstantBufferBinding {
    /// The buffer, or `None` for an empty slot.
    pub buffer: Option<ResourceHandle>,
    /// Index of the first constant, a multiple of 16 (0 in interface 11.0).
    pub first_constant: u32,
    /// Number of constants, a multiple of 16 and at most 4096 (4096 in interface 11.0). The range may extend
    /// beyond the buffer, and constants beyond the buffer read as 0.
    pub num_constants: u32,
}

impl ConstantBufferBinding {
    /// Maximum number of constants that a shader can access in one buffer (D3D11:
    /// `D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT`).
    #[doc(alias = "D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT")]
    pub const MAX_CONSTANTS: u32 = 4096;

    /// Returns a binding of a buffer from its start, with the maximum number of constants.
    #[inline]
    pub const fn whole(buffer: Option<ResourceHandle>) -> Self {
        Self { buffer, first_constant: 0, num_constants: Self::MAX_CONSTANTS }
    }
}

impl Default for ConstantBufferBinding {
    fn default() -> Self {
        Self::whole(None)
    }
}

/// The bound blend state, with its blend factor and sample mask.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct BlendBinding {
    /// The state, or `None` for the default state without blending.
    pub state: Option<BlendStateHandle>,
    /// The constant colour for factors such as `Blend::BlendFactor`.
    pub factor: [f32; 4],
    /// Mask of the samples that may be written, with one bit for each sample.
    pub sample_mask: u32,
}

impl Default for BlendBinding {
    fn default() -> Self {
        Self { state: None, factor: [1.0; 4], sample_mask: u32::MAX }
    }
}

/// The bound depth-stencil state, with its stencil reference.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DepthStencilBinding {
    /// The state, or `None` for the default state with a depth test.
    pub state: Option<DepthStencilStateHandle>,
    /// Reference value of the stencil test, for front and back faces.
    pub stencil_ref: u8,
}

/// The bound predicate and the value that its result is compared with (D3D11: the arguments of
/// `SetPredication`).
#[doc(alias = "SetPredication")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct PredicationBinding {
    /// The query, or `None` if commands are not predicated.
    pub predicate: Option<QueryHandle>,
    /// The result of the query for which commands are skipped.
    pub value: bool,
}

/// The bound targets of the output merger.
#[derive(Copy, Clone, Debug, PartialEq, Default)]
pub struct TargetsBinding<'a> {
    /// The colour targets by slot, at most eight, with `None` for empty slots.
    pub color: &'a [Option<RenderTargetViewHandle>],
    /// The depth-stencil target, or `None` if none is bound.
    pub depth_stencil: Option<DepthStencilViewHandle>,
}
