//! Image files: PNG, JPEG, and other formats that the application enables in the crate `image`.

use std::{borrow::Cow, io::Cursor};

use onze_ddi::{Format, TextureShape};

use super::{FileTexels, TextureFileDesc};
use crate::report::Error;

/// Decodes an image in any supported file format into texels of four bytes.
pub(super) fn read<'a>(bytes: &[u8], desc: &TextureFileDesc) -> Result<FileTexels<'a>, Error> {
    let reader = ::image::ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let reader = reader.map_err(|error| Error::InvalidArg(error.to_string()))?;
    if reader.format().is_none() {
        let cure = "it is neither PNG, JPEG, DDS nor KTX2 by its first bytes: convert it to one of them";
        return Err(Error::InvalidArg(cure.to_owned()));
    }
    let picture = reader.decode().map_err(refusal)?.into_rgba8();
    let (width, height) = picture.dimensions();
    let bytes = picture.into_raw();
    Ok(FileTexels {
        shape: TextureShape::D2,
        depth: 1,
        format: match desc.srgb {
            Some(false) => Format::R8G8B8A8_UNORM,
            None | Some(true) => Format::R8G8B8A8_UNORM_SRGB,
        },
        width,
        height,
        mip_levels: 1,
        slices: 1,
        is_cube: false,
        wants_mips: true,
        #[allow(clippy::single_range_in_vec_init, reason = "the one subresource")]
        subresources: vec![0..bytes.len()],
        bytes: Cow::Owned(bytes),
    })
}

fn refusal(error: ::image::ImageError) -> Error {
    match error {
        ::image::ImageError::Unsupported(error) => Error::Unsupported(format!(
            "{error}: convert it to PNG, or enable the feature of the crate `image` for it"
        )),
        ::image::ImageError::Limits(error) => Error::OutOfMemory(error.to_string()),
        other => Error::InvalidArg(format!("it is broken: {other}")),
    }
}
