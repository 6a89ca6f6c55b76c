//! A game loop for Onze, with a window, a device and a swap chain.
//!
//! [`run`] opens a window and creates a device, a swap chain and optionally a depth buffer for it. It then
//! calls the game once per frame. It resizes the targets with the window, waits for the display, pauses while
//! the window is hidden, and toggles full screen when Alt+Enter is pressed, as DXGI does.
//!
//! ```no_run
//! use onze::prelude::*;
//! use onze_winit::{Frame, WindowDesc};
//!
//! const SHADER: &str = "
//!     @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
//!         return vec4f(f32(i32(i) - 1), f32(i == 1) * 2.0 - 1.0, 0.0, 1.5);
//!     }
//!     @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0, 0.4, 0.1, 1.0); }";
//!
//! fn main() -> onze_winit::Result<()> {
//!     onze_winit::run(WindowDesc::new("Triangle", 640, 480), |setup| {
//!         let vs = setup.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
//!         let ps = setup.device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
//!         Ok(move |frame: &mut Frame<'_>| {
//!             let context = frame.begin([0.02, 0.02, 0.04, 1.0]);
//!             context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
//!             context.vs_set_shader(&vs);
//!             context.ps_set_shader(&ps);
//!             context.draw(3, 0);
//!             Ok(())
//!         })
//!     })
//! }
//! ```
//!
//! A game has full access to Onze and winit: a [`Frame`] has the device, the immediate context, the views and
//! the window, and [`Game::event`] receives winit's events. A program that needs its own loop creates the
//! window with winit and the swap chain with [`onze::ImmediateContext::create_swap_chain`], as this crate's
//! `src/window.rs` does.
//!
//! [`Output`] represents a monitor and lists its modes, and a window can fill any monitor, as with DXGI's
//! swap chains.
//!
//! # The web
//!
//! The same program, built for `wasm32-unknown-unknown`, runs in a browser that has WebGPU:
//!
//! * **Canvas**: the web page's `<canvas id="onze">` is the window. If the web page has no such canvas, a new
//!   one is added at the end of its body. The canvas's size is [`WindowDesc::width`] by
//!   [`WindowDesc::height`] in CSS pixels, unless the style sheet sets it.
//! * **Return**: [`run`] returns before the game has begun. Code after `run` in `main` is therefore executed
//!   before the game's first frame, and `init` must own everything that the game needs.
//! * **Errors** from `run`, `init` and the game, and panics, are shown in the console and at the end of the
//!   web page, in an element with the class `onze-error`. A missing WebGPU implementation is also reported
//!   this way.
//! * **Statistics**: an element with the `id` `onze-statistics` shows the frames per second and the average
//!   work per frame, updated twice a second.
//! * **End**: after [`Frame::exit`], or after the last of [`WindowDesc::frames`] frames, the canvas keeps the
//!   last picture.
//! * **Full screen** begins with the user's next click or key, because browsers require it.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(missing_docs)]

#[cfg(all(feature = "args", not(target_arch = "wasm32")))]
mod args;
mod frame;
mod output;
#[cfg(all(feature = "args", not(target_arch = "wasm32")))]
mod picture;
#[cfg(not(target_arch = "wasm32"))]
mod reload;
#[cfg(feature = "args")]
mod size;
// Desktops and browsers differ only in these two files, which define the same functions.
#[cfg_attr(target_arch = "wasm32", path = "web.rs")]
#[cfg_attr(not(target_arch = "wasm32"), path = "desktop.rs")]
mod system;
mod targets;
mod window;

use onze::{DeviceDesc, Format, SwapChainDesc};

#[cfg(all(feature = "args", not(target_arch = "wasm32")))]
pub use args::WindowArgs;
pub use frame::{Frame, Game, Setup};
pub use output::{
    FullScreenDesc, ModeDesc, Output, OutputDesc, full_screen_desc, full_screen_state, resize_target,
};
#[cfg(not(target_arch = "wasm32"))]
pub use reload::{HotReload, ReloadStatus};
pub use winit;
pub use winit_input_helper::WinitInputHelper;

/// Any error that ends a game, whether it comes from the game itself, from Onze or from the window system.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The standard library's `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Describes the window, device and swap chain that [`run`] creates.
#[derive(Clone, Debug)]
pub struct WindowDesc {
    /// Title of the window.
    pub title: String,
    /// Width in logical pixels, that is, in display pixels divided by the display's scale factor. A picture
    /// file is this many pixels wide.
    pub width: u32,
    /// Height in logical pixels, or in pixels for a picture file.
    pub height: u32,
    /// Whether the window starts in full screen, on the monitor where it opens.
    pub full_screen: bool,
    /// Whether Alt+Enter toggles full screen, `true` by default (DXGI: no `DXGI_MWA_NO_ALT_ENTER`).
    pub alt_enter: bool,
    /// Number of display refreshes that a present waits for, from 0 to 4 (default: 1; values 2 to 4 act as
    /// 1).
    pub sync_interval: u32,
    /// The format of a depth buffer of the window's size, or `None` (the default) for no depth buffer.
    pub depth: Option<Format>,
    /// Samples per texel of the render target and the depth buffer, for example 4 for smooth edges (default:
    /// 1). With more than one sample, [`Frame::target`] is a multisampled texture, and [`run`] averages its
    /// samples into the back buffer before each present. D3D11's equivalent is `SampleDesc.Count`, but swap
    /// chains of the flip model accept only a count of 1.
    pub samples: u32,
    /// Parameters of the device, except that [`run`] sets the `window` field.
    pub device: DeviceDesc,
    /// Parameters of the swap chain, except that [`run`] sets the size.
    pub swap_chain: SwapChainDesc,
    /// Number of frames after which the loop ends, at least 1, or `None` (the default) for no limit.
    pub frames: Option<u32>,
    /// The PNG file to write the last frame into. If this is set, no window is opened, and frames are drawn
    /// as fast as possible while [`Frame::time`] advances by 1/60 second per frame. If `frames` is `None`,
    /// one frame is drawn. In a browser, [`run`] returns an error if this is set, because browsers have no
    /// files.
    #[cfg(feature = "args")]
    #[cfg_attr(docsrs, doc(cfg(feature = "args")))]
    pub picture: Option<std::path::PathBuf>,
}

impl WindowDesc {
    /// Describes a window with a title and a size in logical pixels.
    pub fn new(title: impl Into<String>, width: u32, height: u32) -> Self {
        Self {
            title: title.into(),
            width,
            height,
            full_screen: false,
            alt_enter: true,
            sync_interval: 1,
            depth: None,
            samples: 1,
            device: DeviceDesc::default(),
            swap_chain: SwapChainDesc::default(),
            frames: None,
            #[cfg(feature = "args")]
            picture: None,
        }
    }

    /// Adds a 32-bit depth buffer in the format `D32_FLOAT`.
    pub fn with_depth(self) -> Self {
        Self { depth: Some(Format::D32_FLOAT), ..self }
    }

    /// Sets the number of samples per texel.
    ///
    /// ```
    /// use onze_winit::WindowDesc;
    ///
    /// let desc = WindowDesc::new("Smooth edges", 640, 480).with_depth().with_samples(4);
    /// assert_eq!(desc.samples, 4);
    /// ```
    pub fn with_samples(self, samples: u32) -> Self {
        Self { samples, ..self }
    }
}

/// Opens a window and runs a game in it until the window is closed, the game exits or an error occurs.
///
/// `init` creates the game when the device is available, and the game is a closure that draws a frame, or a
/// type that implements [`Game`]. Call this function on the main thread and only once per process, because
/// some window systems require that.
///
/// In a browser, it returns immediately, and the game begins when its device is available, as [the
/// web](crate#the-web) explains.
///
/// # Errors
/// Returns an error if no display is available, if no adapter can present to it, or if `init` or the game
/// fails. In a browser, it returns only the errors that occur before the loop starts, but the web page and
/// the console show all errors.
pub fn run<G: Game + 'static>(
    desc: WindowDesc,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G> + 'static,
) -> Result<()> {
    system::run(desc, init)
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
