//! The programs of the book's chapter "Start" with HLSL shaders. The argument selects the step:
//! `start_hlsl start_02_triangle`.
//!
//! `build.rs` generates each step from the WGSL program and the `.hlsl` file of the same name. In a browser,
//! this program does nothing, because there is no command line to select a step.

#[cfg(not(target_arch = "wasm32"))]
mod steps {
    include!(concat!(env!("OUT_DIR"), "/start_hlsl.rs"));

    /// Draws a step of the chapter "Start" with its shader in HLSL.
    #[derive(clap::Parser)]
    struct Options {
        /// The name of the step's program
        step: String,
        #[command(flatten)]
        window: onze_winit::WindowArgs,
    }

    pub(super) fn main() -> onze_winit::Result<()> {
        let Options { step, window } = clap::Parser::parse();
        run(&step, window)
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> onze_winit::Result<()> {
    steps::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
