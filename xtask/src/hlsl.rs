//! `cargo xtask hlsl`.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command::workspace_root;
use crate::demo::{asks_only_for_text, run_program};
use crate::error::Error;
use crate::gpu;

const RUNNER: &str = "onze-hlsl-conformance";

/// Builds the runner of the HLSL test suites, runs it, and returns its exit code.
pub(crate) fn run(args: &[OsString]) -> Result<ExitCode, Error> {
    if !asks_only_for_text(args) {
        gpu::ensure_adapter()?;
    }
    run_program(&workspace_root(), &["--package", RUNNER, "--features", "run"], args)
}
