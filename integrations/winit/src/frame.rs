//! What a game sees: at its start and in each frame.

use std::sync::Arc;

use onze::{DepthStencilView, Device, DeviceContext, Format, ImmediateContext, RenderTargetView, Viewport};
use winit::{
    event::WindowEvent,
    window::{Fullscreen, Window},
};
use winit_input_helper::WinitInputHelper;

use crate::Result;

/// What draws the frames. Every `FnMut(&mut Frame<'_>) -> Result<()>` is one.
pub trait Game {
    /// Draws a frame into [`Frame::target`]. It is presented afterwards.
    ///
    /// # Errors
    /// An error ends the loop, and [`run`](crate::run) returns it.
    fn frame(&mut self, frame: &mut Frame<'_>) -> Result<()>;

    /// Sees an event of the window before [`Frame::input`] does: for text, touch, dropped files, user interfaces.
    fn event(&mut self, event: &WindowEvent) {
        let _ = event;
    }
}

impl<F: FnMut(&mut Frame<'_>) -> Result<()>> Game for F {
    fn frame(&mut self, frame: &mut Frame<'_>) -> Result<()> {
        self(frame)
    }
}

/// What a game is made with.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The device.
    pub device: &'a Device,
    /// Its immediate context.
    pub context: &'a mut ImmediateContext,
    /// The format of the targets: that of the swap chain.
    pub format: Format,
    /// Width of the first frame in pixels.
    pub width: u32,
    /// Height of the first frame in pixels.
    pub height: u32,
    /// The window; `None` for a picture.
    pub window: Option<&'a Arc<Window>>,
}

/// A frame that is to be drawn.
pub struct Frame<'a> {
    /// The device.
    pub device: &'a Device,
    /// Its immediate context. A present unbinds what sees the back buffer, as [`onze::SwapEffect`] says; all else stays.
    pub context: &'a mut ImmediateContext,
    /// The view to draw into, in each frame perhaps another one: of the back buffer, or of a multisampled texture that is
    /// resolved into it after the frame ([`WindowDesc::samples`](crate::WindowDesc::samples)).
    pub target: &'a RenderTargetView,
    /// The depth buffer, if [`WindowDesc::depth`](crate::WindowDesc::depth) asked for one.
    pub depth: Option<&'a DepthStencilView>,
    /// Width of the targets in pixels.
    pub width: u32,
    /// Height of the targets in pixels.
    pub height: u32,
    /// Seconds from the first frame to this one.
    pub time: f32,
    /// Seconds from the last frame to this one; 0 for the first.
    pub delta: f32,
    /// Keys, mouse buttons, wheel and cursor: what is held, and what has changed since the last frame.
    pub input: &'a WinitInputHelper,
    /// The window; `None` for a picture.
    pub window: Option<&'a Arc<Window>>,
    /// The window's title, as [`WindowDesc::title`](crate::WindowDesc::title) has it.
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
    /// Clears the targets, binds them, and sets a viewport of their size. The context records the rest.
    ///
    /// While the context is in use, the frame is borrowed: read `time`, `input` and the rest before.
    ///
    /// Stands for `ClearRenderTargetView`, `ClearDepthStencilView` to 1, `OMSetRenderTargets` and `RSSetViewports`.
    pub fn begin(&mut self, color: [f32; 4]) -> &mut DeviceContext {
        self.context.clear_render_target_view(self.target, color);
        if let Some(depth) = self.depth {
            self.context.clear_depth_stencil(depth);
        }
        self.context.om_set_render_targets(self.target, self.depth);
        self.context.rs_set_viewports(Viewport::sized(self.width as f32, self.height as f32));
        self.context
    }

    /// Width over height of the targets.
    pub fn aspect_ratio(&self) -> f32 {
        self.width as f32 / self.height.max(1) as f32
    }

    /// Changes the window's title, as for the frame rate or an error.
    pub fn set_title(&self, title: &str) {
        if let Some(window) = self.window {
            window.set_title(title);
        }
    }

    /// Ends the loop after this frame.
    pub fn exit(&mut self) {
        self.ends = true;
    }

    /// Whether the window fills its monitor.
    pub fn is_full_screen(&self) -> bool {
        self.window.is_some_and(|window| window.fullscreen().is_some())
    }

    /// Fills the monitor with the window, without a border, or ends that. DXGI: `IDXGISwapChain::SetFullscreenState`.
    #[doc(alias = "SetFullscreenState")]
    pub fn set_full_screen(&mut self, full_screen: bool) {
        if let Some(window) = self.window {
            window.set_fullscreen(full_screen.then_some(Fullscreen::Borderless(None)));
        }
    }
}
