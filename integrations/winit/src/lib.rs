//! Windows for Onze: a window with its device and swap chain, and a game loop.
//!
//! [`run`] opens a window, makes a device, a swap chain and, if wanted, a depth buffer for it, and calls the game once
//! per frame. It resizes what must be resized, waits for the display, rests while the window is hidden, and toggles
//! full screen at Alt+Enter, as DXGI does.
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
//! Everything is in reach: a [`Frame`] has the device, the immediate context, the views and the window, and
//! [`Game::event`] sees winit's events. A program that wants its own loop makes the window with winit, and the swap
//! chain with [`onze::ImmediateContext::create_swap_chain`]; `src/window.rs` here is how.
//!
//! [`Output`] is a monitor, with its modes; with it a window fills any of them, as with DXGI's swap chains.
//!
//! # The web
//!
//! The same program, built for `wasm32-unknown-unknown`, runs in a browser that has WebGPU:
//!
//! * **Canvas**: the page's `<canvas id="onze">` is the window; without one, a canvas is appended to the page's body.
//!   Its size is [`WindowDesc::width`] and [`WindowDesc::height`] in CSS pixels, unless the page's style sheet decides.
//! * **Return**: [`run`] returns before the game has begun. So what `main` does after it, happens before the game's
//!   first frame, and what the game needs must be moved into `init`.
//! * **Errors** of `run`, `init` and the game, and panics, are shown at the end of the page, in an element with the
//!   class `onze-error`, and in the console. So is that the browser has no WebGPU.
//! * **Statistics**: a page that has an element with the `id` `onze-statistics` sees there, twice a second, the frames
//!   in a second and what a frame was made of.
//! * **End**: after [`Frame::exit`] or [`WindowDesc::frames`] the canvas keeps the last picture.
//! * **Full screen** begins with the user's next click or key, as browsers demand.
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
// What differs between a desktop and a browser: two files of the same functions.
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

/// Whatever stops a game: its own errors, Onze's, or the window system's.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// As the standard library's, with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What [`run`] makes.
#[derive(Clone, Debug)]
pub struct WindowDesc {
    /// The window's title.
    pub title: String,
    /// Width in logical pixels: pixels of the display divided by its scale. A picture has this many pixels.
    pub width: u32,
    /// Height in logical pixels.
    pub height: u32,
    /// Begins in full screen, on the monitor where the window is.
    pub full_screen: bool,
    /// Alt+Enter toggles full screen. On by default. DXGI: without `DXGI_MWA_NO_ALT_ENTER`.
    pub alt_enter: bool,
    /// Refreshes of the display that a present waits for, 0 to 4. 1 by default; 2 to 4 act as 1 for now.
    pub sync_interval: u32,
    /// The format of a depth buffer in the window's size; `None`, the default, for none.
    pub depth: Option<Format>,
    /// Samples per texel of the targets that a frame draws into, as 4 for smooth edges; 1 by default. With more than one,
    /// [`Frame::target`] is a multisampled texture, and [`run`] averages its samples into the back buffer before each
    /// present. D3D11: `SampleDesc.Count`, which swap chains of the flip model refuse.
    pub samples: u32,
    /// How the device is made. The window is filled in.
    pub device: DeviceDesc,
    /// How the swap chain is made. The size is filled in.
    pub swap_chain: SwapChainDesc,
    /// Frames after which the loop ends, at least 1; `None`, the default, for no end.
    pub frames: Option<u32>,
    /// A file for a picture of the last frame: no window is opened, and the frames come at 60 per second of
    /// [`Frame::time`], as fast as they can be drawn. 1 frame if `frames` is `None`. A browser has no files: there
    /// [`run`] refuses it.
    #[cfg(feature = "args")]
    #[cfg_attr(docsrs, doc(cfg(feature = "args")))]
    pub picture: Option<std::path::PathBuf>,
}

impl WindowDesc {
    /// A window with a title and a size in logical pixels.
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

    /// The same with a depth buffer of 32 bits.
    pub fn with_depth(self) -> Self {
        Self { depth: Some(Format::D32_FLOAT), ..self }
    }

    /// The same with several samples per texel.
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

/// Opens a window and runs a game in it until the window is closed, the game ends or something fails.
///
/// `init` makes the game when the device is there: a closure that draws a frame, or a type that implements [`Game`].
/// Call this on the main thread, once in a process; some systems allow no other.
///
/// In a browser this returns at once, and the game begins when its device is there: [the web](crate#the-web).
///
/// # Errors
/// There is no display, no adapter that can present to it, or `init` or the game failed. In a browser only what is
/// known at once; all errors are shown in the page and in the console, too.
pub fn run<G: Game + 'static>(
    desc: WindowDesc,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G> + 'static,
) -> Result<()> {
    system::run(desc, init)
}

/// The programs in the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
