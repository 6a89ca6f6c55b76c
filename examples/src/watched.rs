//! Shaders that are compiled again whenever their file changes, with the option `--watch`.

use std::ops::Deref;

use onze_winit::WindowDesc;

/// Draws with shaders that are in the program, or in a file.
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Compile the shaders again whenever their file is saved
    #[arg(long)]
    watch: bool,
}

/// Objects created from a shader's source, which is in the program or in a watched file.
#[derive(Debug)]
pub enum Watched<T> {
    /// Objects that were created once, from the source in the program.
    Fixed(T),
    /// Objects that are created from the file in the source folder each time that it changes.
    #[cfg(not(target_arch = "wasm32"))]
    Live(onze_winit::HotReload<T>),
}

/// Whether shaders follow their files, as the command line says, whose other options are for the window.
#[cfg(not(target_arch = "wasm32"))]
pub fn with_args(desc: WindowDesc) -> (WindowDesc, bool) {
    let Options { window, watch } = clap::Parser::parse();
    (desc.with(window), watch)
}

/// A browser has no files that a shader could follow.
#[cfg(target_arch = "wasm32")]
pub fn with_args(desc: WindowDesc) -> (WindowDesc, bool) {
    (desc.with_args(), false)
}

impl<T> Watched<T> {
    /// Makes objects from the text of `file`, a file of `src/bin`.
    ///
    /// # Errors
    /// As `make`, and if a watched file cannot be read.
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

    /// Creates the objects again if the file has changed, and should be called before each frame.
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
