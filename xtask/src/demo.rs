//! `cargo xtask demo`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use crate::command::{self, cargo, workspace_root};
use crate::error::Error;
use crate::{display, gpu};

pub(crate) const DEMO: &str = "multithreaded_scene";

/// Sets the machine up, runs the demo, and returns its exit code.
pub(crate) fn run(args: &[OsString]) -> Result<ExitCode, Error> {
    if !asks_only_for_text(args) {
        gpu::ensure_adapter()?;
        if args.iter().any(|arg| arg == "--window") {
            // A failure is not an error here, because the system may be able to open the window through
            // Wayland.
            if let Err(error) = display::ensure_window_libraries() {
                println!("set-up: {error}");
            }
        }
    }
    // The working folder stays the user's folder, because paths in the options are relative to it.
    run_program(&workspace_root(), &["--bin", DEMO], args)
}

/// Whether the program would only print text, so that it needs no adapter.
pub(crate) fn asks_only_for_text(args: &[OsString]) -> bool {
    args.iter().any(|arg| {
        [OsStr::new("--help"), OsStr::new("-h"), OsStr::new("--version")].contains(&arg.as_os_str())
    })
}

/// Builds and runs the program of the workspace that the cargo arguments in `choice` select, and returns its
/// exit code.
pub(crate) fn run_program(root: &Path, choice: &[&str], args: &[OsString]) -> Result<ExitCode, Error> {
    let status = command::status(cargo().args(cargo_args(root, choice, args)))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn cargo_args(root: &Path, choice: &[&str], args: &[OsString]) -> Vec<OsString> {
    // Without `--package`, the features are those of the whole workspace, as in `cargo test --workspace`, so
    // that the commands of this crate can reuse each other's build results.
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
    fn help_and_version_need_no_adapter() {
        let asks = |args: &[&str]| asks_only_for_text(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(asks(&["--frames", "2", "--help"]));
        assert!(asks(&["-h"]));
        assert!(asks(&["--version"]));
        assert!(!asks(&["--frames", "2", "--helper"]));
        assert!(!asks(&[]));
    }
}
