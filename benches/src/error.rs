//! Errors that end a benchmark, each with a message of one sentence.

use thiserror::Error;

/// A failure of a benchmark, which ends it.
#[derive(Debug, Error)]
pub enum Error {
    /// An error that Onze returned for a call of the benchmark.
    #[error(transparent)]
    Graphics(#[from] onze::Error),
    /// The wgpu side of the comparison failed.
    #[error("wgpu: {0}")]
    Wgpu(String),
    /// A recording thread ended, usually with a panic, before the measurement did.
    #[error("a recording thread stopped")]
    ThreadStopped,
    /// The two sides drew different pictures, so their times cannot be compared.
    #[error("the pictures differ: {0}")]
    PicturesDiffer(String),
    /// A variant draws the same picture as another variant, so its changes have no effect.
    #[error("the check is blind: {0}")]
    BlindCheck(String),
    /// Memory grew during the soak by more than the limit.
    #[error("memory grew: {0}")]
    MemoryGrew(String),
    /// The system does not report the memory use of the process.
    #[error("the system does not tell how much memory this process has")]
    MemoryUnknown,
    /// A file of results could not be read or written.
    #[error("cannot read or write {path}: {reason}")]
    File {
        /// The path of the file, or the name of a stream such as the standard output.
        path: String,
        /// The description that the operating system gives of the error.
        reason: String,
    },
    /// The plot of the figures could not be drawn or written to its file.
    #[error("the figures cannot be plotted: {0}")]
    Plot(String),
    /// The filter on the command line selects no row, because no row's name contains its text.
    #[error("no row's name contains `{0}`; names are such as immediate/v1, deferred-2/v0, replay/v3, map")]
    NothingToMeasure(String),
}
