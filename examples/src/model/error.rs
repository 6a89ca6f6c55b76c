//! Errors of the glTF loader, whose messages name the file or image.

use std::path::PathBuf;

use thiserror::Error;

/// The reason why a model could not be loaded, with a message that is meant for the user.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The model's file, or a file that it refers to, could not be read.
    #[error("cannot read {what} {}: {source}", path.display())]
    Read {
        /// The role of the file in the message: "model", "buffer" or "image".
        what: &'static str,
        /// Path of the file that could not be read.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The file is not a valid glTF or GLB file, for example because it is truncated or contains an invalid
    /// index.
    #[error("{} is not a valid glTF file: {reason}", path.display())]
    Malformed {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
        /// The problem, and its location in the file if that is known.
        reason: String,
    },
    /// The file requires an extension that the loader does not support, so the model would look wrong.
    #[error("{} requires the glTF extension {extension}, which is not supported", path.display())]
    UnsupportedExtension {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
        /// Name of the extension, as the file lists it in `extensionsRequired`.
        extension: String,
    },
    /// An image is not a PNG or JPEG, is damaged, or exceeds the maximum size of a texture.
    #[error("cannot decode image {image}: {reason}")]
    Image {
        /// Path of the image's file, or the image's index in the model if it is embedded.
        image: String,
        /// The decoder's error, or a description of the invalid size.
        reason: String,
    },
    /// No node of the scene has a mesh with triangles, so there is nothing to draw.
    #[error("{} has no triangles to draw", path.display())]
    Empty {
        /// Path of the model's file, as it was given to the loader.
        path: PathBuf,
    },
}
