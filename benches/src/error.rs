//! Errors that end a benchmark. Each message is a single sentence.

use thiserror::Error;

/// A failure that ends the benchmark.
#[derive(Debug, Error)]
pub enum Error {
    /// Onze returned an error.
    #[error(transparent)]
    Graphics(#[from] onze::Error),
    /// The wgpu side of the benchmark failed.
    #[error("wgpu: {0}")]
    Wgpu(String),
    /// A recording thread ended before the measurement was complete, usually because of a panic.
    #[error("a recording thread stopped")]
    ThreadStopped,
    /// Onze and wgpu drew different pictures, so their times cannot be compared.
    #[error("the pictures differ: {0}")]
    PicturesDiffer(String),
    /// A variant draws nothing, or the pictures of two variants match or differ against expectation. The
    /// picture check is then unreliable.
    #[error("the picture check is unreliable: {0}")]
    BlindCheck(String),
    /// Memory grew by more than the limit during the soak.
    #[error("memory grew: {0}")]
    MemoryGrew(String),
    /// The system does not report the memory use of the process.
    #[error("the system does not report this process's memory use")]
    MemoryUnknown,
    /// A result file could not be read or written.
    #[error("cannot read or write {path}: {reason}")]
    File {
        /// Path of the file, or a description of a stream such as the standard output.
        path: String,
        /// The operating system's error message, or another reason.
        reason: String,
    },
    /// The plot of the figures could not be drawn or written to its file.
    #[error("the figures cannot be plotted: {0}")]
    Plot(String),
    /// Instructions could not be counted.
    #[error("instructions were not counted: {0}")]
    NotCounted(String),
    /// The filter on the command line selects nothing, because no row or call has a name that contains the
    /// filter's text.
    #[error("no name contains `{0}`; examples of names: immediate/v1, deferred-2/v0, replay/v3, map")]
    NothingToMeasure(String),
}
