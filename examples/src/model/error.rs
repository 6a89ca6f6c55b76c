//! Reasons why a glTF file could not be loaded, each a sentence that names the file.

use std::path::PathBuf;

use thiserror::Error;

/// The reason why a model could not be loaded, as a sentence for the user.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file could not be read, either the model itself or one that it refers to.
    #[error("cannot read {what} {}: {source}", path.display())]
    Read {
        /// The role of the file in the message: "model", "buffer" or "image".
        what: &'static str,
        /// Path of the file that could not be read, which is the model or one that it refers to.
        path: PathBuf,
        /// The operating system's error, for example that the file does not exist.
        source: std::io::Error,
    },
    /// The file is neither JSON nor binary glTF, or ends too early.
    #[error("{} is not a valid glTF file: {reason}", path.display())]
    Malformed {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
        /// The problem with the file, and where in the file it is if that is known.
        reason: String,
    },
    /// The file requires an extension that the loader does not know, so the model would look wrong.
    #[error("{} requires the glTF extension {extension}, which is not supported", path.display())]
    UnsupportedExtension {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
        /// Name of the extension, as the file lists it in `extensionsRequired`.
        extension: String,
    },
    /// An image is not a PNG or JPEG, is damaged, or exceeds the size of a texture.
    #[error("cannot decode image {image}: {reason}")]
    Image {
        /// Path of the image's file, or its index in the model's file if it is embedded.
        image: String,
        /// The decoder's error, or the size that is out of range.
        reason: String,
    },
    /// No node of the scene shows a mesh with triangles, so nothing could be drawn.
    #[error("{} has no triangles to draw", path.display())]
    Empty {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
    },
}
