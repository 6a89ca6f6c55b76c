//! Textures from images, DDS and KTX2 files, and PNG files from textures.
//!
//! The first bytes of a file determine its type; the name does not matter. Each file type has a module that
//! converts files to [`FileTexels`], and a crate feature, so that an application links only the readers that
//! it needs.

#[cfg(feature = "dds")]
mod dds;
#[cfg(feature = "image")]
mod image;
#[cfg(feature = "ktx2")]
mod ktx2;
#[cfg(feature = "image")]
mod png;
mod srgb;

use std::{borrow::Cow, ops::Range, path::Path};

use onze_ddi::{
    Format, MiscFlags, SubresourceData, Texture1dDesc, Texture2dDesc, Texture3dDesc, TextureShape,
};

use crate::{
    context::DeviceContext,
    objects::{Device, Texture1d, Texture2d, Texture3d},
    report::{Error, MessageId},
};

/// Options for creating a texture from a file (D3DX11: `D3DX11_IMAGE_LOAD_INFO`).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureFileDesc {
    /// Whether the texels are colours with the sRGB transfer function, so that shaders read linear values.
    /// `None` uses the setting of the file, or `true` for PNG and JPEG files, because these usually contain
    /// colours.
    ///
    /// Use `false` for normal maps, roughness, heights and other data that is not colours.
    pub srgb: Option<bool>,
    /// Whether the GPU generates the mip levels if the file is a PNG or JPEG file, or a KTX2 file that
    /// requests their generation. The default is `true`.
    pub generate_mips: bool,
}

impl Default for TextureFileDesc {
    fn default() -> Self {
        Self { srgb: None, generate_mips: true }
    }
}

impl TextureFileDesc {
    /// Returns options for data that is not colours, without the sRGB transfer function.
    pub fn linear() -> Self {
        Self { srgb: Some(false), ..Self::default() }
    }
}

/// The contents of a file, decoded into texels.
struct FileTexels<'a> {
    shape: TextureShape,
    format: Format,
    width: u32,
    /// Height of the texture in texels, or 1 for a 1D texture.
    height: u32,
    /// Depth of the texture in texels, or 1 except for 3D textures.
    depth: u32,
    /// Number of mip levels whose texels the file contains.
    mip_levels: u32,
    /// Number of array slices, six for a cube.
    slices: u32,
    is_cube: bool,
    /// True if the file requests that the loader generates the smaller mip levels.
    wants_mips: bool,
    bytes: Cow<'a, [u8]>,
    /// The ranges of the subresources in `bytes`, in the order of their indices.
    subresources: Vec<Range<usize>>,
}

/// Returns the size of a mip level in one dimension.
fn mip_side(side: u32, mip: u32) -> u32 {
    side.checked_shr(mip).unwrap_or(0).max(1)
}

impl FileTexels<'_> {
    /// Returns the width and height of a mip level.
    fn mip_size(&self, mip: u32) -> (u32, u32) {
        (mip_side(self.width, mip), mip_side(self.height, mip))
    }

    /// Returns the size of one array slice of a mip level, in bytes, including all depth slices of a 3D
    /// texture.
    #[cfg(any(feature = "dds", feature = "ktx2"))]
    fn mip_bytes(&self, mip: u32) -> usize {
        let (width, height) = self.mip_size(mip);
        let slice = (self.format.row_pitch(width) as usize).saturating_mul(self.format.rows(height) as usize);
        slice.saturating_mul(mip_side(self.depth, mip) as usize)
    }

    /// Returns `self` if the texture has the given shape, or an error otherwise.
    fn of_shape(self, shape: TextureShape) -> Result<Self, Error> {
        let call = match self.shape {
            TextureShape::D1 => "`create_texture_1d_from_file`",
            TextureShape::D2 => "`create_texture_from_file`",
            TextureShape::D3 => "`create_texture_3d_from_file`",
        };
        let name = |shape| match shape {
            TextureShape::D1 => "1D",
            TextureShape::D2 => "2D",
            TextureShape::D3 => "3D",
        };
        if self.shape == shape {
            return Ok(self);
        }
        let (found, wanted) = (name(self.shape), name(shape));
        Err(Error::InvalidArg(format!(
            "it contains a {found} texture, but the call creates a {wanted} texture: use {call}"
        )))
    }

    /// Returns the contents of all subresources, where `format` must have texels of the same size as the
    /// file's format.
    fn contents(&self, format: Format) -> Vec<SubresourceData<'_>> {
        (0..)
            .zip(&self.subresources)
            .map(|(index, range)| {
                let (width, height) = self.mip_size(index % self.mip_levels.max(1));
                let bytes = self.bytes.get(range.clone()).unwrap_or_default();
                SubresourceData::packed(bytes, format, width, height)
            })
            .collect()
    }
}

/// Maximum number of mip levels, and maximum number of slices. A file whose header exceeds these limits is
/// refused.
#[cfg(any(feature = "dds", feature = "ktx2"))]
const MOST: (u32, u32) = (15, 2048);

/// Fails if the number of mip levels or slices exceeds its maximum.
#[cfg(any(feature = "dds", feature = "ktx2"))]
fn check_counts(mip_levels: u32, slices: u64) -> Result<u32, Error> {
    let (most_mips, most_slices) = MOST;
    match u32::try_from(slices) {
        Ok(slices) if (1..=most_slices).contains(&slices) && mip_levels <= most_mips => Ok(slices),
        _ => Err(Error::InvalidArg(format!(
            "it has {mip_levels} mip levels and {slices} slices; a texture has at most {most_mips} and {most_slices}"
        ))),
    }
}

/// Reads a file, whose first bytes determine its type.
fn read<'a>(bytes: &'a [u8], desc: &TextureFileDesc) -> Result<FileTexels<'a>, Error> {
    let _ = desc;
    if bytes.starts_with(b"DDS ") {
        #[cfg(feature = "dds")]
        return dds::read(bytes);
        #[cfg(not(feature = "dds"))]
        return Err(missing("a DDS file", "dds"));
    }
    if bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n") {
        #[cfg(feature = "ktx2")]
        return ktx2::read(bytes);
        #[cfg(not(feature = "ktx2"))]
        return Err(missing("a KTX2 file", "ktx2"));
    }
    #[cfg(feature = "image")]
    return image::read(bytes, desc);
    #[cfg(not(feature = "image"))]
    Err(missing("no DDS or KTX2 file; for PNG and JPEG files", "image"))
}

/// Returns the error for a file type whose feature is disabled.
#[cfg(not(all(feature = "dds", feature = "ktx2", feature = "image")))]
fn missing(what: &str, feature: &str) -> Error {
    Error::Unsupported(format!("it is {what}: enable the feature `{feature}` of the crate `onze`"))
}

impl Device {
    /// Creates a texture from a PNG or JPEG file (feature `image`), a DDS file (feature `dds`) or a KTX2 file
    /// (feature `ktx2`). D3DX11: `D3DX11CreateTextureFromFile`; in Direct3D 11 itself, the application reads
    /// the file and calls `ID3D11Device::CreateTexture2D`.
    ///
    /// An image becomes a texture with the format `R8G8B8A8_UNORM_SRGB` and all mip levels, which the GPU
    /// generates in this context. A DDS or KTX2 file determines the format, mip levels, array slices or cube
    /// faces. The label of the texture is the label of the [device](Self::labelled) or, if there is none, the
    /// name of the file.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device, context: &mut onze::ImmediateContext) -> Result<(), onze::Error> {
    /// let crate_texture = device.create_texture_from_file(context, "assets/crate.png")?;
    /// context.ps_set_shader_resources(0, &crate_texture.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`] if the file does not exist; [`Error::Fail`] if the file cannot be read;
    /// [`Error::InvalidArg`] if the file is corrupt; [`Error::Unsupported`] for a format that the device or
    /// this crate does not support. Each error contains the path. Also returns the errors of
    /// [`create_texture_2d`](Self::create_texture_2d).
    #[doc(alias = "CreateTexture2D")]
    #[doc(alias = "D3DX11CreateTextureFromFile")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_from_file(
        &self,
        context: &mut DeviceContext,
        path: impl AsRef<Path>,
    ) -> Result<Texture2d, Error> {
        self.create_texture_from_file_with(context, path, &TextureFileDesc::default())
    }

    /// Works like [`create_texture_from_file`](Self::create_texture_from_file), but accepts options for sRGB
    /// and mip levels.
    ///
    /// ```no_run
    /// # use onze::TextureFileDesc;
    /// # fn f(device: &onze::Device, context: &mut onze::ImmediateContext) -> Result<(), onze::Error> {
    /// let linear = TextureFileDesc::linear();
    /// let normals = device.create_texture_from_file_with(context, "assets/crate_normals.png", &linear)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_from_file`](Self::create_texture_from_file).
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_from_file_with(
        &self,
        context: &mut DeviceContext,
        path: impl AsRef<Path>,
        desc: &TextureFileDesc,
    ) -> Result<Texture2d, Error> {
        self.with_file(path.as_ref(), MessageId::CreateTexture2dInvalid, |named, bytes| {
            named.create_texture_from_memory_with(context, bytes, desc)
        })
    }

    /// Calls `make` with a labelled device and the bytes of a file, whose name is the label unless the device
    /// has one.
    fn with_file<T>(
        &self,
        path: &Path,
        id: MessageId,
        make: impl FnOnce(&Self, &[u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::NotFound("there is no such file".to_owned()),
            _ => Error::Fail(format!("it cannot be read: {error}")),
        });
        let about = |error: Error| error.about(format_args!("texture file {}", path.display()));
        let bytes = self.core.reject(id, result.map_err(about))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let named = if self.new_name().is_empty() { self.labelled(&name) } else { self.clone() };
        make(&named, &bytes).map_err(about)
    }

    /// Returns the contents of a file and the format of the texture, or fails if the texture does not have
    /// the given shape.
    fn read_texels<'a>(
        &self,
        id: MessageId,
        shape: TextureShape,
        bytes: &'a [u8],
        desc: &TextureFileDesc,
    ) -> Result<(FileTexels<'a>, Format), Error> {
        let texels = self.core.reject(id, read(bytes, desc).and_then(|texels| texels.of_shape(shape)))?;
        let format = match desc.srgb {
            Some(wanted) => srgb::with(texels.format, wanted),
            None => texels.format,
        };
        Ok((texels, format))
    }

    /// Works like [`create_texture_from_file`](Self::create_texture_from_file), but reads the file from
    /// memory.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device, context: &mut onze::ImmediateContext, png: &[u8]) -> Result<(), onze::Error> {
    /// let texture = device.labelled("crate").create_texture_from_memory(context, png)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_from_file`](Self::create_texture_from_file).
    #[doc(alias = "D3DX11CreateTextureFromMemory")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_from_memory(
        &self,
        context: &mut DeviceContext,
        bytes: &[u8],
    ) -> Result<Texture2d, Error> {
        self.create_texture_from_memory_with(context, bytes, &TextureFileDesc::default())
    }

    /// Works like [`create_texture_from_file_with`](Self::create_texture_from_file_with), but reads the file
    /// from memory.
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_from_file`](Self::create_texture_from_file).
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_from_memory_with(
        &self,
        context: &mut DeviceContext,
        bytes: &[u8],
        desc: &TextureFileDesc,
    ) -> Result<Texture2d, Error> {
        let id = MessageId::CreateTexture2dInvalid;
        let (texels, format) = self.read_texels(id, TextureShape::D2, bytes, desc)?;
        let is_plain = texels.slices == 1 && !texels.is_cube && texels.mip_levels == 1;
        if desc.generate_mips && texels.wants_mips && is_plain && texels.mip_size(1) != texels.mip_size(0) {
            let first = texels.subresources.first().cloned().unwrap_or_default();
            let contents = texels.bytes.get(first).unwrap_or_default();
            return self.create_texture_2d_with_mips(context, format, texels.width, texels.height, contents);
        }
        let desc = Texture2dDesc {
            mip_levels: texels.mip_levels,
            array_size: texels.slices,
            misc_flags: if texels.is_cube { MiscFlags::TEXTURECUBE } else { MiscFlags::empty() },
            ..Texture2dDesc::new(format, texels.width, texels.height)
        };
        self.create_texture_2d(&desc, Some(&texels.contents(format)))
    }

    /// Creates a 1D texture or an array of 1D textures from a DDS or KTX2 file, which determines the format,
    /// mip levels and slices. For 2D textures, use
    /// [`create_texture_from_file_with`](Self::create_texture_from_file_with).
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_from_file`](Self::create_texture_from_file), and
    /// [`Error::InvalidArg`] for a file that contains a texture of another shape.
    #[doc(alias = "D3DX11CreateTextureFromFile")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_1d_from_file(
        &self,
        path: impl AsRef<Path>,
        desc: &TextureFileDesc,
    ) -> Result<Texture1d, Error> {
        self.with_file(path.as_ref(), MessageId::CreateTexture1dInvalid, |named, bytes| {
            named.create_texture_1d_from_memory(bytes, desc)
        })
    }

    /// Works like [`create_texture_1d_from_file`](Self::create_texture_1d_from_file), but reads the file from
    /// memory.
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
    #[doc(alias = "D3DX11CreateTextureFromMemory")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_1d_from_memory(
        &self,
        bytes: &[u8],
        desc: &TextureFileDesc,
    ) -> Result<Texture1d, Error> {
        let id = MessageId::CreateTexture1dInvalid;
        let (texels, format) = self.read_texels(id, TextureShape::D1, bytes, desc)?;
        let desc = Texture1dDesc {
            mip_levels: texels.mip_levels,
            array_size: texels.slices,
            ..Texture1dDesc::new(format, texels.width)
        };
        self.create_texture_1d(&desc, Some(&texels.contents(format)))
    }

    /// Creates a 3D texture, such as a colour lookup table, from a DDS or KTX2 file, which determines the
    /// format and mip levels. For 2D textures, use
    /// [`create_texture_from_file_with`](Self::create_texture_from_file_with).
    ///
    /// ```no_run
    /// # use onze::TextureFileDesc;
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// let grading = device.create_texture_3d_from_file("assets/grading.dds", &TextureFileDesc::linear())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
    #[doc(alias = "D3DX11CreateTextureFromFile")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_3d_from_file(
        &self,
        path: impl AsRef<Path>,
        desc: &TextureFileDesc,
    ) -> Result<Texture3d, Error> {
        self.with_file(path.as_ref(), MessageId::CreateTexture3dInvalid, |named, bytes| {
            named.create_texture_3d_from_memory(bytes, desc)
        })
    }

    /// Works like [`create_texture_3d_from_file`](Self::create_texture_3d_from_file), but reads the file from
    /// memory.
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
    #[doc(alias = "D3DX11CreateTextureFromMemory")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_3d_from_memory(
        &self,
        bytes: &[u8],
        desc: &TextureFileDesc,
    ) -> Result<Texture3d, Error> {
        let id = MessageId::CreateTexture3dInvalid;
        let (texels, format) = self.read_texels(id, TextureShape::D3, bytes, desc)?;
        let desc = Texture3dDesc {
            mip_levels: texels.mip_levels,
            ..Texture3dDesc::new(format, texels.width, texels.height, texels.depth)
        };
        self.create_texture_3d(&desc, Some(&texels.contents(format)))
    }
}
