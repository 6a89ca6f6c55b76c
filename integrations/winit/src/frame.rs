//! The interface between a game and the loop: the game's set-up and its frames.

use std::sync::Arc;

use onze::{DepthStencilView, Device, DeviceContext, Format, ImmediateContext, RenderTargetView, Viewport};
use winit::{
    event::WindowEvent,
    window::{Fullscreen, Window},
};
use winit_input_helper::WinitInputHelper;

use crate::Result;

/// A game that draws the frames of a window. Every `FnMut(&mut Frame<'_>) -> Result<()>` implements this
/// trait, so a closure is enough for most programs.
pub trait Game {
    /// Draws a frame into [`Frame::target`], which is presented after this method returns.
    ///
    /// # Errors
    /// If this method returns an error, the loop ends and [`run`](crate::run) returns that error.
    fn frame(&mut self, frame: &mut Frame<'_>) -> Result<()>;

    /// Handles a window event before [`Frame::input`] does, for example text input, touch, dropped files or
    /// events for a user interface.
    fn event(&mut self, event: &WindowEvent) {
        let _ = event;
    }
}

impl<F: FnMut(&mut Frame<'_>) -> Result<()>> Game for F {
    fn frame(&mut self, frame: &mut Frame<'_>) -> Result<()> {
        self(frame)
    }
}

/// The data for creating a game: the device, its context, the window and the format of the targets.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The device that draws into the window.
    pub device: &'a Device,
    /// The device's immediate context, for example to upload textures before the first frame.
    pub context: &'a mut ImmediateContext,
    /// The format of the targets, which is the format of the swap chain.
    pub format: Format,
    /// Width of the first frame in pixels.
    pub width: u32,
    /// Height of the first frame in pixels.
    pub height: u32,
    /// The window, or `None` if the frames are drawn into a picture file.
    pub window: Option<&'a Arc<Window>>,
}

/// A frame to draw, with the objects and the input for it.
pub struct Frame<'a> {
    /// The device that draws into the window.
    pub device: &'a Device,
    /// The device's immediate context. A present unbinds all views of the back buffer, as
    /// [`onze::SwapEffect`] describes, and leaves all other state bound.
    pub context: &'a mut ImmediateContext,
    /// The render-target view to draw into. It may be a different view in every frame, and shows the back
    /// buffer, or a multisampled texture that is resolved into the back buffer after the frame
    /// ([`WindowDesc::samples`](crate::WindowDesc::samples)).
    pub target: &'a RenderTargetView,
    /// The view of the depth buffer, or `None` if [`WindowDesc::depth`](crate::WindowDesc::depth) is `None`.
    pub depth: Option<&'a DepthStencilView>,
    /// Width of the targets in pixels.
    pub width: u32,
    /// Height of the targets in pixels.
    pub height: u32,
    /// Time since the first frame, in seconds.
    pub time: f32,
    /// Time since the previous frame in seconds, or 0 for the first frame.
    pub delta: f32,
    /// The state of keys, mouse buttons, wheel and cursor, and its changes since the previous frame.
    pub input: &'a WinitInputHelper,
    /// The window, or `None` if the frames are drawn into a picture file.
    pub window: Option<&'a Arc<Window>>,
    #[cfg_attr(
        target_arch = "wasm32",
        allow(dead_code, reason = "for hot reload, which browsers do not have")
    )]
    pub(crate) title: &'a str,
    pub(crate) ends: bool,
}

impl std::fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("width", &self.width)
            .field("height", &self.height)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl Frame<'_> {
    /// Clears the targets, binds them, and sets a viewport that covers them, for draws that are recorded on
    /// the returned context.
    ///
    /// The returned context borrows the frame, so read `time`, `input` and other fields before the call. The
    /// D3D11 equivalent is `ClearRenderTargetView`, `ClearDepthStencilView` to 1, `OMSetRenderTargets` and
    /// `RSSetViewports`.
    pub fn begin(&mut self, color: [f32; 4]) -> &mut DeviceContext {
        self.context.clear_render_target_view(self.target, color);
        if let Some(depth) = self.depth {
            self.context.clear_depth_stencil(depth);
        }
        self.context.om_set_render_targets(self.target, self.depth);
        self.context.rs_set_viewports(Viewport::sized(self.width as f32, self.height as f32));
        self.context
    }

    /// Returns the targets' width divided by their height, for a projection matrix.
    pub fn aspect_ratio(&self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }

    /// Changes the window's title, for example to show the frame rate or an error.
    pub fn set_title(&self, title: &str) {
        if let Some(window) = self.window {
            window.set_title(title);
        }
    }

    /// Ends the loop after this frame, which is still presented.
    pub fn exit(&mut self) {
        self.ends = true;
    }

    /// Returns whether the window fills its monitor, either without a border or in an exclusive mode.
    pub fn is_full_screen(&self) -> bool {
        self.window.is_some_and(|window| window.fullscreen().is_some())
    }

    /// Makes the window fill its monitor without a border, or restores it (DXGI:
    /// `IDXGISwapChain::SetFullscreenState`).
    #[doc(alias = "SetFullscreenState")]
    pub fn set_full_screen(&mut self, full_screen: bool) {
        if let Some(window) = self.window {
            window.set_fullscreen(full_screen.then_some(Fullscreen::Borderless(None)));
        }
    }
}
