//! Functions that start other programs, with messages and errors that contain the command lines.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::Error;

/// Returns the folder of the workspace, which cargo passes at run time, or the folder where the binary was
/// built if it is started without cargo.
pub(crate) fn workspace_root() -> PathBuf {
    let built_at = || PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let krate = env::var_os("CARGO_MANIFEST_DIR").map_or_else(built_at, PathBuf::from);
    krate.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Returns the cargo that runs this program, so that all steps use the same toolchain.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    // Without a desktop session the runtime folder does not exist. Mesa then prints an error each time that a
    // program enumerates adapters, so this sets an empty folder.
    let folder = workspace_root().join("target").join("runtime");
    if cfg!(target_os = "linux")
        && env::var_os("XDG_RUNTIME_DIR").is_none()
        && std::fs::create_dir_all(&folder).is_ok()
    {
        cargo.env("XDG_RUNTIME_DIR", folder);
    }
    cargo
}

pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs the command with this program's input and output, and waits until it ends.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Error> {
    let status = command.status();
    status.map_err(|source| Error::Start { command: describe(command), source })
}

/// Like [`status`], but returns an error unless the command exits successfully.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = status(command)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: describe(command), status: status.to_string() })
}

/// Whether the command can be started and succeeds, without input and with its output ignored.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn is_on_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        let manifest = std::fs::read_to_string(workspace_root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }

    #[test]
    fn a_command_is_described_as_typed() {
        let mut command = Command::new(Path::new("toolchain").join("cargo"));
        command.args(["fmt", "--all"]);
        assert_eq!(describe(&command), "cargo fmt --all");
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = run(&mut Command::new("no-such-program-of-onze")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("cannot start `no-such-program-of-onze`: "), "{text}");
        assert!(!succeeds(&mut Command::new("no-such-program-of-onze")));
    }

    #[test]
    fn a_failing_command_is_an_error() {
        let error = run(cargo().arg("--no-such-option").stderr(Stdio::null())).unwrap_err();
        assert!(error.to_string().starts_with("`cargo --no-such-option` failed ("), "{error}");
        assert!(output(cargo().arg("--version")).unwrap().starts_with("cargo "));
    }
}
