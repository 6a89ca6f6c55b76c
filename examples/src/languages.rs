//! Programs with their shaders in two languages: WGSL, and with the option `--hlsl` HLSL.

use onze::prelude::*;
use onze_winit::WindowDesc;

/// Draws with shaders of one of two languages.
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// Make the shaders from HLSL instead of WGSL
    #[arg(long)]
    hlsl: bool,
}

/// The same shaders in both languages, and which of the two is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Shaders {
    wgsl: &'static str,
    hlsl: &'static str,
    is_hlsl: bool,
}

impl Shaders {
    /// As the command line says, whose other options are for the window. A browser has none, and WGSL.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn with_args(desc: WindowDesc, wgsl: &'static str, hlsl: &'static str) -> (WindowDesc, Self) {
        let Options { window, hlsl: is_hlsl } = clap::Parser::parse();
        (desc.with(window), Self { wgsl, hlsl, is_hlsl })
    }

    /// As the command line says, whose other options are for the window. A browser has none, and WGSL.
    #[cfg(target_arch = "wasm32")]
    pub fn with_args(desc: WindowDesc, wgsl: &'static str, hlsl: &'static str) -> (WindowDesc, Self) {
        (desc.with_args(), Self { wgsl, hlsl, is_hlsl: false })
    }

    /// The shader of a name.
    pub fn entry(self, name: &'static str) -> ShaderSource<'static> {
        // What a browser never asks for need not be loaded there.
        match self.is_hlsl && cfg!(not(target_arch = "wasm32")) {
            true => ShaderSource::hlsl(self.hlsl, name),
            false => ShaderSource::wgsl(self.wgsl, name),
        }
    }
}
