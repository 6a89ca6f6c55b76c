//! Presenting: the DXGI side of the interface.

use std::sync::Arc;

use raw_window_handle::{HasDisplayHandle, HasWindowHandle};

use crate::{Format, resource::Label};

/// Anything that a swap chain can present to.
pub trait Window: HasWindowHandle + HasDisplayHandle + Send + Sync {}

impl<T: HasWindowHandle + HasDisplayHandle + Send + Sync + ?Sized> Window for T {}

/// A window that is kept alive as long as something presents to it.
pub type WindowHandle = Arc<dyn Window>;

/// What a swap chain is made from. D3D11: `DXGI_SWAP_CHAIN_DESC1` with `D3D11DDIARG_CREATERESOURCE`'s
/// primary description.
#[derive(Clone)]
pub struct CreateSwapChainArgs {
    /// Where to present.
    pub window: WindowHandle,
    /// Width of a back buffer in pixels.
    pub width: u32,
    /// Height of a back buffer in pixels.
    pub height: u32,
    /// Format of the back buffers.
    pub format: Format,
    /// How many back buffers there will be, 1 to 16. D3D11: `BufferCount`.
    ///
    /// With more than one their identities rotate after each present
    /// ([`rotate_resource_identities`](crate::ImmediateFuncs::rotate_resource_identities)).
    pub buffer_count: u32,
    /// A name for people.
    pub label: Label,
}

impl std::fmt::Debug for CreateSwapChainArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateSwapChainArgs")
            .field("width", &self.width)
            .field("height", &self.height)
            .field("format", &self.format)
            .field("buffer_count", &self.buffer_count)
            .finish_non_exhaustive()
    }
}

/// What became of a present.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PresentStatus {
    /// The picture is on its way to the window.
    Presented,
    /// Nobody can see the window; nothing was shown. D3D11: `DXGI_STATUS_OCCLUDED`.
    Occluded,
}
