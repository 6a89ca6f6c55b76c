//! Shaders that are recompiled whenever their file changes, if the option `--watch` is set.

use std::ops::Deref;

use onze_winit::WindowDesc;

/// Draws with built-in shaders, or with shaders from a file.
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Compile the shaders again whenever their file is saved
    #[arg(long)]
    watch: bool,
}

/// Objects created from a shader's source, and created again when a watched source changes.
#[derive(Debug)]
pub enum Watched<T> {
    /// Created once from the source embedded in the program, and used without the option `--watch`.
    Fixed(T),
    /// Created from the file in the source folder, and again after each change.
    #[cfg(not(target_arch = "wasm32"))]
    Live(onze_winit::HotReload<T>),
}

/// Parses the command line, and returns the window description and whether `--watch` is set.
#[cfg(not(target_arch = "wasm32"))]
pub fn with_args(desc: WindowDesc) -> (WindowDesc, bool) {
    let Options { window, watch } = clap::Parser::parse();
    (desc.with(window), watch)
}

/// Parses the options of a browser, which has no files to watch, so the flag is always false.
#[cfg(target_arch = "wasm32")]
pub fn with_args(desc: WindowDesc) -> (WindowDesc, bool) {
    (desc.with_args(), false)
}

impl<T> Watched<T> {
    /// Creates objects from the source in `file`, relative to `src/bin`, or from `text` if `watch` is false.
    ///
    /// # Errors
    /// Returns the error of `make`, or an error if the watched file cannot be read.
    pub fn new(
        watch: bool,
        file: &str,
        text: &str,
        mut make: impl FnMut(&str) -> onze_winit::Result<T> + 'static,
    ) -> onze_winit::Result<Self> {
        #[cfg(not(target_arch = "wasm32"))]
        if watch {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
            return Ok(Self::Live(onze_winit::HotReload::new(folder.join(file), make)?));
        }
        let _ = (watch, file);
        Ok(Self::Fixed(make(text)?))
    }

    /// Creates the objects again if the file has changed. Call this before each frame.
    pub fn update(&mut self, frame: &onze_winit::Frame<'_>) {
        let _ = frame;
        #[cfg(not(target_arch = "wasm32"))]
        if let Self::Live(live) = self {
            live.update(frame);
        }
    }
}

impl<T> Deref for Watched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Fixed(fixed) => fixed,
            #[cfg(not(target_arch = "wasm32"))]
            Self::Live(live) => live,
        }
    }
}
