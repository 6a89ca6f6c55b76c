//! Why the demo cannot go on, each in one sentence.

use std::path::PathBuf;

use thiserror::Error;

use onze_examples::model::ModelError;

/// A failure of the demo.
#[derive(Debug, Error)]
pub(crate) enum DemoError {
    /// A model could not be loaded.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The library refused a call.
    #[error(transparent)]
    Graphics(#[from] onze::Error),
    /// Only software adapters were found.
    #[error("no hardware adapter was found; leave out --adapter hardware to draw in software")]
    NoHardware,
    /// A file or folder could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The standard output cannot be written.
    #[error("cannot print: {0}")]
    Print(String),
    /// Raw wgpu failed.
    #[error("raw wgpu: {0}")]
    RawWgpu(String),
    /// Two modes drew different pictures.
    #[error("the pictures differ: {0}")]
    PicturesDiffer(String),
    /// The debug layer reported something.
    #[error("the debug layer reported: {0}")]
    Reported(String),
    /// Someone broke a rule of the driver interface.
    #[error("the verifier reported: {0}")]
    Breach(String),
    /// No window could be opened or kept.
    #[error("no window can be shown: {0}")]
    Window(String),
}

impl DemoError {
    /// A failure to write `path`.
    pub(crate) fn write(path: &std::path::Path, reason: impl ToString) -> Self {
        Self::Write { path: path.to_owned(), reason: reason.to_string() }
    }
}
