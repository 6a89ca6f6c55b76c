//! One scene, recorded in three modes: by the immediate context alone, by one deferred context per pass, and
//! by several deferred contexts per pass. Each deferred context has its own thread.
//!
//! The scene is a typical use of deferred contexts: a shadow map, a mirrored pass limited by stencil, and the
//! main pass. Each of thousands of objects writes its constants by `Map(WRITE_DISCARD)`. All modes must draw
//! bit-identical pictures, and a table compares their costs. Start reading in `gpu/record.rs`, because its
//! functions record into both kinds of contexts. For comparison, `raw_wgpu` draws the same frame with wgpu
//! alone.

mod args;
mod constants;
mod error;
mod gpu;
mod headless;
mod picture;
mod plan;
mod print;
mod progress;
mod raw_wgpu;
mod report;
mod scene;
mod shaders;
mod window;

use std::process::ExitCode;

use args::{Args, Stop};
use error::DemoError;
use onze::ddi::verifier::breaches;
use onze_examples::model::Model;
use print::{print, print_error};
use scene::Scene;

fn main() -> ExitCode {
    let args = match Args::parse_line(std::env::args_os()) {
        Ok(args) => args,
        Err(Stop::Text(text)) => return exit_code(print(&text)),
        Err(Stop::Error(sentence)) => {
            print_error(&format!("error: {sentence}"));
            return ExitCode::from(2);
        }
    };
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "error".into()),
        )
        .with_writer(std::io::stderr)
        .init();
    exit_code(run(&args))
}

fn exit_code(result: Result<(), DemoError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), DemoError> {
    let models = args.models.iter().map(|path| Model::load(path)).collect::<Result<Vec<_>, _>>()?;
    let scene = Scene::new(args.objects, &models);
    let shown = if args.window { window::run(args, scene) } else { headless::run(args, &scene) };
    shown?;
    // All devices have been dropped by now, so the verifier has also checked their destruction. Without
    // `--verify`, nothing was checked and the list is empty.
    breaches().first().map_or(Ok(()), |breach| Err(DemoError::Breach(breach.to_string())))
}
