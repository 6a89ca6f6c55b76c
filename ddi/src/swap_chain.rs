//! Presenting: the DXGI side of the interface, with swap chains, their colours and the outcome of a present.
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

/// A window that a swap chain can present to, with the handles that its system needs.
pub trait Window: HasWindowHandle + HasDisplayHandle + Send + Sync {}

impl<T: HasWindowHandle + HasDisplayHandle + Send + Sync + ?Sized> Window for T {}

/// A window that is kept alive as long as something presents to it.
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
    /// The uses that the back buffers may be bound for: as render targets, and as shader resources if the
    /// application asked for it (DXGI: `BufferUsage`), while copies may read and write any back buffer.
    #[doc(alias = "BufferUsage")]
    pub bind_flags: BindFlags,
    /// Number of back buffers, 1 to 16 (D3D11: `BufferCount`).
    ///
    /// If there is more than one, their identities rotate after each present
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

/// A swap chain as created by its driver, without back buffers.
#[derive(Clone, Debug)]
pub struct CreatedSwapChain {
    /// The presenting half, which later entries receive.
    pub object: DriverObject,
    /// The format of the back buffers, which is the requested one or the driver's choice.
    pub format: Format,
    /// The colour spaces that the window supports, at least one, starting with the initial one.
    pub color_spaces: Vec<ColorSpace>,
}

/// The meaning of a back buffer's alpha for the window (D3D11: `DXGI_ALPHA_MODE`, with its values).
#[doc(alias = "DXGI_ALPHA_MODE")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum AlphaMode {
    /// The system's default, in which the window is opaque if possible (D3D11:
    /// `DXGI_ALPHA_MODE_UNSPECIFIED`).
    #[doc(alias = "DXGI_ALPHA_MODE_UNSPECIFIED")]
    #[default]
    Unspecified = 0,
    /// The window is blended with its background, and its colours are already multiplied by alpha (D3D11:
    /// `DXGI_ALPHA_MODE_PREMULTIPLIED`).
    #[doc(alias = "DXGI_ALPHA_MODE_PREMULTIPLIED")]
    Premultiplied = 1,
    /// The window is blended with its background, which multiplies its colours by alpha (D3D11:
    /// `DXGI_ALPHA_MODE_STRAIGHT`).
    #[doc(alias = "DXGI_ALPHA_MODE_STRAIGHT")]
    Straight = 2,
    /// The window is opaque, whatever the alpha (D3D11: `DXGI_ALPHA_MODE_IGNORE`).
    #[doc(alias = "DXGI_ALPHA_MODE_IGNORE")]
    Ignore = 3,
}

/// The meaning of a back buffer's values as colours (D3D11: `DXGI_COLOR_SPACE_TYPE`, with its values, except
/// those without a name in wgpu).
///
/// Shaders write values in this colour space, because only formats with `SRGB` encode automatically.
#[doc(alias = "DXGI_COLOR_SPACE_TYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ColorSpace {
    /// sRGB: the primaries of BT.709, values from 0 to 1 with sRGB's encoding (D3D11:
    /// `DXGI_COLOR_SPACE_RGB_FULL_G22_NONE_P709`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G22_NONE_P709")]
    RgbFullG22NoneP709 = 0,
    /// scRGB: the primaries of BT.709, linear, where 1 is the white of sRGB and larger values are brighter
    /// (D3D11: `DXGI_COLOR_SPACE_RGB_FULL_G10_NONE_P709`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G10_NONE_P709")]
    RgbFullG10NoneP709 = 1,
    /// HDR10: the primaries of BT.2020, with the encoding PQ of SMPTE ST 2084 (D3D11:
    /// `DXGI_COLOR_SPACE_RGB_FULL_G2084_NONE_P2020`).
    #[doc(alias = "DXGI_COLOR_SPACE_RGB_FULL_G2084_NONE_P2020")]
    RgbFullG2084NoneP2020 = 12,
}

impl ColorSpace {
    /// All colour spaces that a swap chain may have.
    pub const ALL: [Self; 3] =
        [Self::RgbFullG22NoneP709, Self::RgbFullG10NoneP709, Self::RgbFullG2084NoneP2020];

    /// The initial colour space of a format: scRGB for floats, otherwise sRGB.
    pub fn of_format(format: Format) -> Self {
        match format {
            Format::R16G16B16A16_FLOAT => Self::RgbFullG10NoneP709,
            _ => Self::RgbFullG22NoneP709,
        }
    }
}

/// The effect of a present on a back buffer (D3D11: `DXGI_SWAP_EFFECT`, with its values).
#[doc(alias = "DXGI_SWAP_EFFECT")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SwapEffect {
    /// The contents are undefined after a present, and the back buffer stays bound (D3D11:
    /// `DXGI_SWAP_EFFECT_DISCARD`).
    #[doc(alias = "DXGI_SWAP_EFFECT_DISCARD")]
    Discard = 0,
    /// Bindings stay, and a single back buffer keeps its contents while several rotate (D3D11:
    /// `DXGI_SWAP_EFFECT_SEQUENTIAL`).
    #[doc(alias = "DXGI_SWAP_EFFECT_SEQUENTIAL")]
    Sequential = 1,
    /// The back buffers rotate, and a present unbinds them (D3D11: `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`).
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL")]
    FlipSequential = 3,
    /// The contents are undefined after a present, which unbinds the back buffer (D3D11:
    /// `DXGI_SWAP_EFFECT_FLIP_DISCARD`), so that it can be the window's own memory and nothing is copied.
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_DISCARD")]
    #[default]
    FlipDiscard = 4,
}

impl SwapEffect {
    /// Whether a present keeps the back buffers' contents, either in a single one or by rotating several.
    pub const fn keeps_contents(self) -> bool {
        matches!(self, Self::Sequential | Self::FlipSequential)
    }

    /// Whether a present unbinds the back buffers (DXGI: the flip model).
    pub const fn is_flip(self) -> bool {
        matches!(self, Self::FlipSequential | Self::FlipDiscard)
    }
}

/// The outcome of a present that did not fail.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PresentStatus {
    /// The image is on its way to the window.
    Presented,
    /// Nothing was shown, because the window is hidden or its surface was busy or outdated, so the
    /// application tries again later (D3D11: `DXGI_STATUS_OCCLUDED`).
    #[doc(alias = "DXGI_STATUS_OCCLUDED")]
    Occluded,
}
