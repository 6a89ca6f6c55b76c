//! `cargo xtask demo`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use crate::command::{self, cargo, workspace_root};
use crate::error::Error;
use crate::{display, gpu};

/// The demo's program, a binary of the examples crate.
pub(crate) const DEMO: &str = "multithreaded_scene";

/// Sets the machine up and runs the demo; gives the demo's exit code.
pub(crate) fn run(args: &[OsString]) -> Result<ExitCode, Error> {
    if !asks_only_for_text(args) {
        gpu::ensure_adapter()?;
        if args.iter().any(|arg| arg == "--window") {
            // The system may open the window in another way (Wayland), so this need not succeed.
            if let Err(error) = display::ensure_window_libraries() {
                println!("set-up: {error}");
            }
        }
    }
    // The folder stays the user's own: paths among the options are relative to it.
    run_program(&workspace_root(), &["--bin", DEMO], args)
}

/// Whether a program will print a text and draw nothing, so that it needs no adapter.
pub(crate) fn asks_only_for_text(args: &[OsString]) -> bool {
    args.iter().any(|arg| {
        [OsStr::new("--help"), OsStr::new("-h"), OsStr::new("--version")].contains(&arg.as_os_str())
    })
}

/// Builds and runs a program of the workspace, which `choice` names; gives its exit code.
pub(crate) fn run_program(root: &Path, choice: &[&str], args: &[OsString]) -> Result<ExitCode, Error> {
    let status = command::status(cargo().args(cargo_args(root, choice, args)))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Cargo's arguments to run a program with the given ones.
fn cargo_args(root: &Path, choice: &[&str], args: &[OsString]) -> Vec<OsString> {
    // Without `--package`, features are those of the whole workspace, as in `cargo test
    // --workspace`: what one of the project's commands has built serves the other.
    let mut all: Vec<OsString> = vec!["run".into(), "--manifest-path".into()];
    all.push(root.join("Cargo.toml").into());
    all.extend(choice.iter().chain(&["--"]).map(OsString::from));
    all.extend_from_slice(args);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_gets_its_arguments_unchanged() {
        let args = ["--model", "a b.glb", "--help", "--", "-x"].map(OsString::from);
        let all = cargo_args(Path::new("root"), &["--bin", DEMO], &args);
        let manifest = Path::new("root").join("Cargo.toml");
        assert_eq!(all[..2], ["run", "--manifest-path"]);
        assert_eq!(all[2], manifest);
        assert_eq!(all[3..6], ["--bin", "multithreaded_scene", "--"]);
        assert_eq!(all[6..], args);
    }

    #[test]
    fn a_question_for_help_needs_no_adapter() {
        let asks = |args: &[&str]| asks_only_for_text(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(asks(&["--frames", "2", "--help"]));
        assert!(asks(&["-h"]));
        assert!(asks(&["--version"]));
        assert!(!asks(&["--frames", "2", "--helper"]));
        assert!(!asks(&[]));
    }
}
