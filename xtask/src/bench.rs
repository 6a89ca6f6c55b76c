//! `cargo xtask bench`.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command::workspace_root;
use crate::demo::{asks_only_for_text, run_program};
use crate::error::Error;
use crate::gpu;

pub(crate) const BENCH: &str = "bench";

/// Builds the benchmark in release mode, runs it, and returns its exit code.
pub(crate) fn run(args: &[OsString]) -> Result<ExitCode, Error> {
    if !asks_only_for_text(args) {
        // The benchmark compares pictures only if there is an adapter, but it can measure without an adapter.
        gpu::install_missing_driver();
    }
    run_program(&workspace_root(), &["--release", "--bin", BENCH], args)
}
