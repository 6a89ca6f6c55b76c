//! A Rust toolchain for WebAssembly: the target's standard library and a linker.
//!
//! rustup provides both, but Debian's `rustc` may lack both. If the standard library is missing, cargo builds
//! it with the program, from the source in Debian's package. If the linker is missing, LLVM's linker is
//! installed from a package.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::TARGET;
use crate::command::{self, is_on_path, output};
use crate::error::Error;
use crate::packages::install;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Toolchain {
    /// Whether cargo also builds the standard library.
    builds_std: bool,
    linker: Option<String>,
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

fn folder_of(print: &str) -> Option<PathBuf> {
    let text = output(rustc().args(["--print", print, "--target", TARGET]))?;
    Some(PathBuf::from(text.trim()))
}

fn has_std(folder: &Path) -> bool {
    let is_std = |name: &str| name.starts_with("libstd-") && name.ends_with(".rlib");
    folder
        .read_dir()
        .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_str().is_some_and(is_std)))
}

fn field<'a>(version: &'a str, name: &str) -> Option<&'a str> {
    version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

impl Toolchain {
    pub(super) fn ensure() -> Result<Self, Error> {
        let has_std = || folder_of("target-libdir").is_some_and(|folder| has_std(&folder));
        if !has_std() && command::succeeds(Command::new("rustup").arg("--version")) {
            println!("set-up: the standard library for {TARGET} is missing; installing it with rustup");
            command::run(Command::new("rustup").args(["target", "add", TARGET]))?;
            println!("set-up: installed the target {TARGET}");
        }
        let builds_std = !has_std();
        if builds_std {
            ensure_source()?;
        }
        Ok(Self { builds_std, linker: ensure_linker()? })
    }

    pub(super) fn apply(&self, cargo: &mut Command) {
        if self.builds_std {
            // The compiler of a Linux distribution accepts unstable features only with this variable.
            cargo.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
        }
        if let Some(linker) = &self.linker {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
    }
}

/// Installs the source of the standard library that matches the compiler's version.
fn ensure_source() -> Result<(), Error> {
    let has_source =
        folder_of("sysroot").is_some_and(|root| root.join("lib/rustlib/src/rust/library/std").is_dir());
    if has_source {
        return Ok(());
    }
    // Debian has newer compilers for its browsers in packages with other names.
    let is_web = output(Command::new("dpkg-query").args(["-W", "-f", "${Status}", "rustc-web"]))
        .is_some_and(|status| status.ends_with(" installed"));
    let package = if is_web { "rust-web-src" } else { "rust-src" };
    install("the standard library's source is missing, to build it for a browser", &[package])
}

/// Returns the linker to set: `None` if the toolchain has a linker, otherwise LLVM's linker in the compiler's
/// version.
fn ensure_linker() -> Result<Option<String>, Error> {
    let version = output(rustc().arg("-vV")).unwrap_or_default();
    let host = field(&version, "host").unwrap_or_default();
    let own = folder_of("sysroot").map(|root| root.join("lib/rustlib").join(host).join("bin/rust-lld"));
    if own.is_some_and(|own| own.exists() || own.with_extension("exe").exists()) {
        return Ok(None);
    }
    let major = field(&version, "LLVM version").and_then(|llvm| llvm.split('.').next()).unwrap_or_default();
    let linker = format!("wasm-ld-{major}");
    if !is_on_path(&linker) {
        install("the linker for WebAssembly is missing", &[&format!("lld-{major}")])?;
    }
    Ok(Some(linker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_compilers_version_are_found() {
        let version =
            "rustc 1.96.0 (ac68faa20 2026-05-25)\nhost: x86_64-unknown-linux-gnu\nLLVM version: 22.1.8\n";
        assert_eq!(field(version, "host"), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(field(version, "LLVM version"), Some("22.1.8"));
        assert_eq!(field(version, "LLVM"), None);
    }

    #[test]
    fn building_the_standard_library_enables_unstable_features() {
        let mut plain = Command::new("cargo");
        Toolchain::default().apply(&mut plain);
        assert_eq!((plain.get_args().count(), plain.get_envs().count()), (0, 0));
        let mut debian = Command::new("cargo");
        Toolchain { builds_std: true, linker: Some("wasm-ld-22".to_owned()) }.apply(&mut debian);
        assert_eq!(debian.get_args().collect::<Vec<_>>(), ["-Z", "build-std=std,panic_abort"]);
        assert_eq!(debian.get_envs().count(), 2);
    }
}
