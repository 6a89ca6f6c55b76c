//! Finds and decodes a model's images, each a separate file, part of the model's file, or a data URI.

use std::path::{Path, PathBuf};

use gltf::buffer::Source;

use super::accessor::Data;
use super::error::ModelError;
use crate::content::Image;

/// Maximum width and height of a texture, the limit of Direct3D 11.
const MAX_EXTENT: u32 = 16384;

enum Location {
    Inline(Vec<u8>),
    File(PathBuf),
}

fn locate(uri: &str, base: &Path) -> Result<Location, String> {
    if uri.starts_with("data:") {
        return gltf::buffer::Data::from_source(Source::Uri(uri), None)
            .map(|data| Location::Inline(data.0))
            .map_err(|error| format!("a data URI cannot be decoded: {error}"));
    }
    if let Some((scheme, _)) = uri.split_once("://") {
        return Err(format!("a URI of the scheme {scheme} is not supported"));
    }
    let decoded = percent_decode(uri).ok_or_else(|| format!("the URI {uri} is not UTF-8"))?;
    Ok(Location::File(base.join(decoded)))
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escape = (byte == b'%')
            .then(|| std::str::from_utf8(tail.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escape {
            Some(value) => {
                bytes.push(value);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reads the bytes of `uri`, relative to the folder of `model`, calling the file `what` in error messages.
pub(super) fn read_uri(uri: &str, model: &Path, what: &'static str) -> Result<Vec<u8>, ModelError> {
    let base = model.parent().unwrap_or(Path::new("."));
    let location =
        locate(uri, base).map_err(|reason| ModelError::Malformed { path: model.to_owned(), reason })?;
    match location {
        Location::Inline(bytes) => Ok(bytes),
        Location::File(path) => {
            std::fs::read(&path).map_err(|source| ModelError::Read { what, path, source })
        }
    }
}

pub(super) fn load_images(data: &Data<'_>, model: &Path) -> Result<Vec<Image>, ModelError> {
    (0..data.root.images.len()).map(|number| load_image(data, number, model)).collect()
}

fn load_image(data: &Data<'_>, number: usize, model: &Path) -> Result<Image, ModelError> {
    let image = &data.root.images[number];
    let malformed = |reason| ModelError::Malformed { path: model.to_owned(), reason };
    let inside = || format!("{number} of {}", model.display());
    let (bytes, name) = match (&image.uri, image.buffer_view) {
        (Some(uri), _) => {
            let name = if uri.starts_with("data:") {
                inside()
            } else {
                let base = model.parent().unwrap_or(Path::new("."));
                base.join(uri).display().to_string()
            };
            (read_uri(uri, model, "image")?, name)
        }
        (None, Some(view)) => (data.view(view).map_err(malformed)?.to_vec(), inside()),
        (None, None) => return Err(malformed(format!("image {number} has no source"))),
    };
    decode(&bytes, name)
}

fn decode(bytes: &[u8], name: String) -> Result<Image, ModelError> {
    // Detect the format from the content, because many files state the wrong type.
    let decoded = image::load_from_memory(bytes)
        .map_err(|error| ModelError::Image { image: name.clone(), reason: error.to_string() })?;
    let (width, height) = (decoded.width(), decoded.height());
    if width.max(height) > MAX_EXTENT || width.min(height) == 0 {
        return Err(ModelError::Image {
            image: name,
            reason: format!("{width}x{height} pixels are not within 1..={MAX_EXTENT}"),
        });
    }
    Ok(Image { name, width, height, pixels: decoded.into_rgba8().into_raw() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_in_uris_are_decoded_and_others_stay() {
        for (uri, expected) in [
            ("plain.png", Some("plain.png")),
            ("with%20space.png", Some("with space.png")),
            ("100%.png", Some("100%.png")),
            ("%zz%4", Some("%zz%4")),
            ("%C3%A4", Some("ä")),
            ("%FF", None),
        ] {
            assert_eq!(percent_decode(uri).as_deref(), expected, "{uri}");
        }
    }
}
