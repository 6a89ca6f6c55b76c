//! `cargo xtask web` of a build without the feature: builds this crate with it, and runs the same command there.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::WebArgs;
use crate::command::workspace_root;
use crate::demo::run_program;
use crate::error::Error;

/// Runs the command again; gives its exit code.
pub(crate) fn run(_args: &WebArgs) -> Result<ExitCode, Error> {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    run_program(&workspace_root(), &["--quiet", "--package", "xtask", "--features", "web"], &words)
}
