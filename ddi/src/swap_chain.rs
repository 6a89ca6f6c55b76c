//! Presenting: swap chains, colour spaces and the result of a present, as in DXGI.
//!
//! ```
//! use onze_ddi::SwapEffect;
//!
//! assert!(SwapEffect::FlipDiscard.is_flip() && !SwapEffect::FlipDiscard.keeps_contents());
//! assert!(SwapEffect::Sequential.keeps_contents());
//! ```

use std::sync::Arc;

use raw_window_handle::{HasDisplayHandle, HasWindowHandle};

use crate::{BindFlags, DriverObject, Format, resource::Label};

/// A window that a swap chain can present to, with the platform handles that a driver needs.
pub trait Window: HasWindowHandle + HasDisplayHandle + Send + Sync {}

impl<T: HasWindowHandle + HasDisplayHandle + Send + Sync + ?Sized> Window for T {}

/// A reference to a window, which keeps the window alive as long as a swap chain presents to it.
pub type WindowHandle = Arc<dyn Window>;

/// The description of a swap chain (D3D11: `DXGI_SWAP_CHAIN_DESC1` with `D3D11DDIARG_CREATERESOURCE`'s
/// primary description).
#[doc(alias = "DXGI_SWAP_CHAIN_DESC1")]
#[doc(alias = "D3D11DDIARG_CREATERESOURCE")]
#[derive(Clone)]
pub struct CreateSwapChainArgs {
    /// The window that the swap chain presents to.
    pub window: WindowHandle,
    /// Width of each back buffer in pixels.
    pub width: u32,
    /// Height of each back buffer in pixels.
    pub height: u32,
    /// Format of the back buffers, or [`Format::UNKNOWN`] to let the driver choose the window's own format.
    pub format: Format,
    /// The uses for which the back buffers may be bound (DXGI: `BufferUsage`): render targets and, if the
    /// application requested this, shader resources. Copies may read and write any back buffer.
    #[doc(alias = "BufferUsage")]
    pub bind_flags: BindFlags,
    /// Number of back buffers, 1 to 16 (D3D11: `BufferCount`).
    ///
    /// If there are several back buffers, their identities rotate after each present
    /// ([`rotate_resource_identities`](crate::ImmediateFuncs::rotate_resource_identities)).
    #[doc(alias = "BufferCount")]
    pub buffer_count: u32,
    /// The effect of a present on the back buffer's contents.
    pub swap_effect: SwapEffect,
    /// Number of frames that may wait for the display, 1 to 16 (DXGI:
    /// `IDXGISwapChain2::SetMaximumFrameLatency`).
    #[doc(alias = "SetMaximumFrameLatency")]
    pub maximum_frame_latency: u32,
    /// How the window's colours are blended with its background.
    pub alpha_mode: AlphaMode,
    /// A name for messages and graphics debuggers, if the application gave one.
    pub label: Label,
}

impl std::fmt::Debug for CreateSwapChainArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateSwapChainArgs")
            .field("width", &self.width)
            .field("height", &self.height)
            .field("format", &self.format)
            .field("bind_flags", &self.bind_flags)
            .field("buffer_count", &self.buffer_count)
            .field("swap_effect", &self.swap_effect)
            .field("alpha_mode", &self.alpha_mode)
            .finish_non_exhaustive()
    }
}

/// A swap chain as its driver returns it, without back buffers.
#[derive(Clone, Debug)]
pub struct CreatedSwapChain {
    /// The driver's swap chain, which later entries receive.
    pub object: DriverObject,
    /// The format of the back buffers: the requested format, or the driver's choice for [`Format::UNKNOWN`].
    pub format: Format,
    /// The colour spaces that the window supports, at least one, starting with the initial colour space.
    pub color_spaces: Vec<ColorSpace>,
}

/// How a window uses the alpha of its back buffer (D3D11: `DXGI_ALPHA_MODE`, with its values).
#[doc(alias = "DXGI_ALPHA_MODE")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum AlphaMode {
    /// The system's default: if possible, the window is opaque (D3D11: `DXGI_ALPHA_MODE_UNSPECIFIED`).
    #[doc(alias = "DXGI_ALPHA_MODE_UNSPECIFIED")]
    #[default]
    Unspecified = 0,
    /// The window is blended with its background, and its colours are already multiplied by alpha (D3D11:
    /// `DXGI_ALPHA_MODE_PREMULTIPLIED`).
    #[doc(alias = "DXGI_ALPHA_MODE_PREMULTIPLIED")]
    Premultiplied = 1,
    /// The window is blended with its background, and the blend multiplies the window's colours by alpha
    /// (D3D11: `DXGI_ALPHA_MODE_STRAIGHT`).
    #[doc(alias = "DXGI_ALPHA_MODE_STRAIGHT")]
    Straight = 2,
    /// The window is opaque, whatever the alpha of its pixels (D3D11: `DXGI_ALPHA_MODE_IGNORE`).
    #[doc(alias = "DXGI_ALPHA_MODE_IGNORE")]
    Ignore = 3,
}

/// How a back buffer's values are interpreted as colours (D3D11: `DXGI_COLOR_SPACE_TYPE`, with its values),
/// limited to those that wgpu also supports.
///
/// Shaders must write values that are already encoded for the colour space, because only `SRGB` formats
/// encode values automatically.
#[doc(alias = "DXGI_COLOR_SPACE_TYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ColorSpace {
    /// sRGB: the primaries of BT.709, with values from 0 to 1 in the sRGB encoding (D3D11:
    /// `DXGI_COLOR_SPACE_RGB_FULL_G22_NONE_P709`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G22_NONE_P709")]
    RgbFullG22NoneP709 = 0,
    /// scRGB: the primaries of BT.709 with linear values. The value 1 is the white of sRGB, and larger values
    /// are brighter (D3D11: `DXGI_COLOR_SPACE_RGB_FULL_G10_NONE_P709`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G10_NONE_P709")]
    RgbFullG10NoneP709 = 1,
    /// HDR10: the primaries of BT.2020 with the PQ encoding of SMPTE ST 2084 (D3D11:
    /// `DXGI_COLOR_SPACE_RGB_FULL_G2084_NONE_P2020`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G2084_NONE_P2020")]
    RgbFullG2084NoneP2020 = 12,
}

impl ColorSpace {
    /// All colour spaces that a swap chain may have.
    pub const ALL: [Self; 3] =
        [Self::RgbFullG22NoneP709, Self::RgbFullG10NoneP709, Self::RgbFullG2084NoneP2020];

    /// The initial colour space of a format: scRGB for `R16G16B16A16_FLOAT`, and otherwise sRGB.
    pub fn of_format(format: Format) -> Self {
        match format {
            Format::R16G16B16A16_FLOAT => Self::RgbFullG10NoneP709,
            _ => Self::RgbFullG22NoneP709,
        }
    }
}

/// How a present affects the contents and bindings of back buffers (D3D11: `DXGI_SWAP_EFFECT`, with its
/// values).
#[doc(alias = "DXGI_SWAP_EFFECT")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SwapEffect {
    /// The contents are undefined after a present, and the back buffer stays bound (D3D11:
    /// `DXGI_SWAP_EFFECT_DISCARD`).
    #[doc(alias = "DXGI_SWAP_EFFECT_DISCARD")]
    Discard = 0,
    /// The back buffers stay bound. A single back buffer keeps its contents, while several back buffers
    /// rotate (D3D11: `DXGI_SWAP_EFFECT_SEQUENTIAL`).
    #[doc(alias = "DXGI_SWAP_EFFECT_SEQUENTIAL")]
    Sequential = 1,
    /// The back buffers rotate, and a present unbinds them (D3D11: `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`).
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL")]
    FlipSequential = 3,
    /// The contents are undefined after a present, and the present unbinds the back buffer (D3D11:
    /// `DXGI_SWAP_EFFECT_FLIP_DISCARD`). This default allows the back buffer to be the window's own memory,
    /// which avoids a copy.
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_DISCARD")]
    #[default]
    FlipDiscard = 4,
}

impl SwapEffect {
    /// Whether a present keeps the back buffers' contents: a single back buffer keeps them in place, and
    /// several back buffers keep them by rotation.
    pub const fn keeps_contents(self) -> bool {
        matches!(self, Self::Sequential | Self::FlipSequential)
    }

    /// Whether a present unbinds the back buffers (DXGI: the flip model).
    pub const fn is_flip(self) -> bool {
        matches!(self, Self::FlipSequential | Self::FlipDiscard)
    }
}

/// The result of a present that did not fail.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PresentStatus {
    /// The image was submitted for display in the window.
    Presented,
    /// No image was shown, because the window is hidden or its surface was busy or outdated (D3D11:
    /// `DXGI_STATUS_OCCLUDED`), and the application should try again later.
    #[doc(alias = "DXGI_STATUS_OCCLUDED")]
    Occluded,
}
