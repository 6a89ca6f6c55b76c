//! Command-line selection of the shader language: WGSL by default, and HLSL with the option `--hlsl`.

use onze::prelude::*;
use onze_winit::WindowDesc;

/// Draws with WGSL or HLSL shaders
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Use the HLSL shaders instead of the WGSL shaders
    #[arg(long)]
    hlsl: bool,
}

/// The same shaders in both languages, with the language that the command line selects.
#[derive(Clone, Copy, Debug)]
pub struct Shaders {
    wgsl: &'static str,
    hlsl: &'static str,
    is_hlsl: bool,
}

impl Shaders {
    /// Parses the command line, and returns the window description and the shaders in the selected language.
    /// A browser always uses WGSL.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn with_args(desc: WindowDesc, wgsl: &'static str, hlsl: &'static str) -> (WindowDesc, Self) {
        let Options { window, hlsl: is_hlsl } = clap::Parser::parse();
        (desc.with(window), Self { wgsl, hlsl, is_hlsl })
    }

    /// Parses the command line, and returns the window description and the shaders in the selected language.
    /// A browser always uses WGSL.
    #[cfg(target_arch = "wasm32")]
    pub fn with_args(desc: WindowDesc, wgsl: &'static str, hlsl: &'static str) -> (WindowDesc, Self) {
        (desc.with_args(), Self { wgsl, hlsl, is_hlsl: false })
    }

    /// Returns the source for an entry point in the selected language.
    pub fn entry(self, name: &'static str) -> ShaderSource<'static> {
        // A browser never uses HLSL, so the compiler need not be part of its download.
        match self.is_hlsl && cfg!(not(target_arch = "wasm32")) {
            true => ShaderSource::hlsl(self.hlsl, name),
            false => ShaderSource::wgsl(self.wgsl, name),
        }
    }
}
