//! Presenting: the DXGI side of the interface.
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

/// Anything that a swap chain can present to.
pub trait Window: HasWindowHandle + HasDisplayHandle + Send + Sync {}

impl<T: HasWindowHandle + HasDisplayHandle + Send + Sync + ?Sized> Window for T {}

/// A window that is kept alive as long as something presents to it.
pub type WindowHandle = Arc<dyn Window>;

/// What a swap chain is made from. D3D11: `DXGI_SWAP_CHAIN_DESC1` with `D3D11DDIARG_CREATERESOURCE`'s
/// primary description.
#[doc(alias = "DXGI_SWAP_CHAIN_DESC1")]
#[doc(alias = "D3D11DDIARG_CREATERESOURCE")]
#[derive(Clone)]
pub struct CreateSwapChainArgs {
    /// Where to present.
    pub window: WindowHandle,
    /// Width of a back buffer in pixels.
    pub width: u32,
    /// Height of a back buffer in pixels.
    pub height: u32,
    /// Format of the back buffers; [`Format::UNKNOWN`] for the window's own, which the driver chooses.
    pub format: Format,
    /// How the back buffers may be bound: as render targets, and as shader resources if the application asked for
    /// it. Copies read and write any back buffer. DXGI: `BufferUsage`.
    #[doc(alias = "BufferUsage")]
    pub bind_flags: BindFlags,
    /// How many back buffers there will be, 1 to 16. D3D11: `BufferCount`.
    ///
    /// With more than one their identities rotate after each present
    /// ([`rotate_resource_identities`](crate::ImmediateFuncs::rotate_resource_identities)).
    #[doc(alias = "BufferCount")]
    pub buffer_count: u32,
    /// What becomes of the contents of a back buffer that is presented.
    pub swap_effect: SwapEffect,
    /// Frames that may wait for the display, 1 to 16. DXGI: `IDXGISwapChain2::SetMaximumFrameLatency`.
    #[doc(alias = "SetMaximumFrameLatency")]
    pub maximum_frame_latency: u32,
    /// A name for people.
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
            .finish_non_exhaustive()
    }
}

/// What a driver made of [`CreateSwapChainArgs`].
#[derive(Clone, Debug)]
pub struct CreatedSwapChain {
    /// The presenting half.
    pub object: DriverObject,
    /// The format of the back buffers: what was asked for, or the one that was chosen.
    pub format: Format,
}

/// What becomes of a back buffer at a present. D3D11: `DXGI_SWAP_EFFECT`, with its values.
#[doc(alias = "DXGI_SWAP_EFFECT")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SwapEffect {
    /// The contents are undefined after a present, and the back buffer stays bound.
    /// D3D11: `DXGI_SWAP_EFFECT_DISCARD`.
    #[doc(alias = "DXGI_SWAP_EFFECT_DISCARD")]
    Discard = 0,
    /// One back buffer keeps its contents, several rotate; what is bound stays bound.
    /// D3D11: `DXGI_SWAP_EFFECT_SEQUENTIAL`.
    #[doc(alias = "DXGI_SWAP_EFFECT_SEQUENTIAL")]
    Sequential = 1,
    /// The back buffers rotate, and a present unbinds them. D3D11: `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`.
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL")]
    FlipSequential = 3,
    /// The contents are undefined after a present, which unbinds the back buffer: so it can be the window's own
    /// memory, and nothing is copied. D3D11: `DXGI_SWAP_EFFECT_FLIP_DISCARD`.
    #[doc(alias = "DXGI_SWAP_EFFECT_FLIP_DISCARD")]
    #[default]
    FlipDiscard = 4,
}

impl SwapEffect {
    /// Whether a present keeps what the back buffers have: one keeps its contents, several rotate.
    pub const fn keeps_contents(self) -> bool {
        matches!(self, Self::Sequential | Self::FlipSequential)
    }

    /// Whether a present unbinds the back buffers. DXGI: the flip model.
    pub const fn is_flip(self) -> bool {
        matches!(self, Self::FlipSequential | Self::FlipDiscard)
    }
}

/// What became of a present.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PresentStatus {
    /// The picture is on its way to the window.
    Presented,
    /// Nothing was shown: the window is hidden, or its surface was busy or out of date. Try again later.
    /// D3D11: `DXGI_STATUS_OCCLUDED`.
    #[doc(alias = "DXGI_STATUS_OCCLUDED")]
    Occluded,
}
