//! Starting other programs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::Error;

/// The folder of the workspace.
///
/// Cargo names the crate's folder at run time; what was true at build time serves a binary that is
/// started without cargo.
pub(crate) fn workspace_root() -> PathBuf {
    let built_at = || PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let krate = env::var_os("CARGO_MANIFEST_DIR").map_or_else(built_at, PathBuf::from);
    krate.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The cargo that runs this program, so that every step uses one toolchain.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    // Outside of a desktop's session there is no such folder, and Mesa prints an error about that each
    // time a program looks for adapters. An empty one will do.
    let folder = workspace_root().join("target").join("runtime");
    if cfg!(target_os = "linux")
        && env::var_os("XDG_RUNTIME_DIR").is_none()
        && std::fs::create_dir_all(&folder).is_ok()
    {
        cargo.env("XDG_RUNTIME_DIR", folder);
    }
    cargo
}

/// The command as one would type it, for messages.
pub(crate) fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs the command with this program's input and output, and waits for it.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Error> {
    let status = command.status();
    status.map_err(|source| Error::Start { command: describe(command), source })
}

/// Runs the command as [`status`] does; an exit status other than success is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let status = status(command)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: describe(command), status: status.to_string() })
}

/// Whether the command can be started and succeeds; it reads and prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// What the command prints, if it can be started and succeeds.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether `PATH` has a file of that name.
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
