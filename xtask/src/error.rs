//! Errors of the commands, each with a message of one sentence that includes the fix.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot start `{command}`: {source}")]
    Start { command: String, source: io::Error },

    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },

    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: String },

    #[error("the step `{step}` failed: {reason}; the steps after it did not run")]
    Step { step: String, reason: String },

    #[error(
        "{missing}, and packages cannot be installed from here because {reason}; install \
         {packages} (the names in Debian and Ubuntu; other systems have similar ones) and run this again"
    )]
    Packages { missing: &'static str, reason: String, packages: String },

    #[error(
        "no GPU adapter was found although {packages} are installed; `vulkaninfo --summary` shows \
         what the Vulkan loader finds and why it skips a driver"
    )]
    NoAdapter { packages: String },

    #[error(
        "no GPU adapter was found: install or update the graphics driver of this machine and run \
         this again"
    )]
    NoAdapterHere,

    #[error("Xvfb offered no display within {seconds} s{detail}")]
    Xvfb { seconds: u64, detail: String },

    #[cfg(feature = "web")]
    #[error("{0}")]
    Web(String),

    #[cfg(feature = "book")]
    #[error("{0}")]
    Book(String),

    #[error(
        "`cargo {tool}` does not work and there is no rustup to install it; install the toolchain \
         component {component}"
    )]
    Component { tool: &'static str, component: &'static str },
}
