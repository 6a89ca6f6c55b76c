//! Installation of Rust toolchain components that a minimal installation lacks.

use std::process::Command;

use crate::command::{self, cargo};
use crate::error::Error;

/// The cargo commands that the test steps use, and the components that contain them.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

/// Ensures that rustfmt and clippy are available, and installs missing components with rustup.
pub(crate) fn ensure_components() -> Result<(), Error> {
    for &(tool, component) in COMPONENTS {
        if command::succeeds(cargo().args([tool, "--version"])) {
            continue;
        }
        if !command::succeeds(Command::new("rustup").arg("--version")) {
            return Err(Error::Component { tool, component });
        }
        println!("set-up: cargo {tool} is missing; installing the toolchain component {component}");
        command::run(Command::new("rustup").args(["component", "add", component]))?;
        println!("set-up: installed {component}");
    }
    Ok(())
}
