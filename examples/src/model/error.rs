//! Reasons why a glTF file could not be loaded, each as one sentence that names the file.

use std::path::PathBuf;

use thiserror::Error;

/// A failure to load a model.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file could not be read.
    #[error("cannot read {what} {}: {source}", path.display())]
    Read {
        /// The role of the file: "model", "buffer" or "image".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is neither JSON nor binary glTF, or ends too early.
    #[error("{} is not a valid glTF file: {reason}", path.display())]
    Malformed {
        /// The model's file.
        path: PathBuf,
        /// The problem with the file.
        reason: String,
    },
    /// The file requires an extension that the loader does not know.
    #[error("{} requires the glTF extension {extension}, which is not supported", path.display())]
    UnsupportedExtension {
        /// The model's file.
        path: PathBuf,
        /// The extension's name.
        extension: String,
    },
    /// An image is not a PNG or JPEG, or is damaged.
    #[error("cannot decode image {image}: {reason}")]
    Image {
        /// The image's file, or its place in the model's file.
        image: String,
        /// The decoder's error.
        reason: String,
    },
    /// The file has no triangle.
    #[error("{} has no triangles to draw", path.display())]
    Empty {
        /// The model's file.
        path: PathBuf,
    },
}
