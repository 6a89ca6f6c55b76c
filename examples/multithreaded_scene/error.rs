//! The demo's errors, each printed as one sentence on the standard error stream.

use std::path::PathBuf;

use thiserror::Error;

use onze_examples::model::ModelError;

#[derive(Debug, Error)]
pub(crate) enum DemoError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Graphics(#[from] onze::Error),
    #[error("no hardware adapter was found; leave out --adapter hardware to draw in software")]
    NoHardware,
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        path: PathBuf,
        /// The operating system's message, or the reason why the path cannot be used.
        reason: String,
    },
    #[error("cannot print: {0}")]
    Print(String),
    #[error("raw wgpu: {0}")]
    RawWgpu(String),
    /// Two modes drew different pictures, or raw wgpu's picture is visibly different.
    #[error("the pictures differ: {0}")]
    PicturesDiffer(String),
    /// The debug layer reported a warning or an error, which is a bug in this program or in the library.
    #[error("the debug layer reported: {0}")]
    Reported(String),
    /// The runtime or the driver broke a rule of the driver interface, which only `--verify` checks.
    #[error("the verifier reported: {0}")]
    Breach(String),
    #[error("no window can be shown: {0}")]
    Window(String),
}

impl DemoError {
    pub(crate) fn write(path: &std::path::Path, reason: impl ToString) -> Self {
        Self::Write { path: path.to_owned(), reason: reason.to_string() }
    }
}
