//! Runs commands that need optional features of this crate.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::command::workspace_root;
use crate::demo::run_program;
use crate::error::Error;

/// Builds this crate with a feature, runs the same command in that build, and returns its exit code.
pub(crate) fn run(feature: &str) -> Result<ExitCode, Error> {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    run_program(&workspace_root(), &["--quiet", "--package", "xtask", "--features", feature], &words)
}
