//! Textures from files, pictures, DDS and KTX2, and PNG files from textures.
//!
//! A file is known by its first bytes, not by its name. Each kind has a file here that makes [`Texels`] of it, and a
//! feature of the crate, so that a program links only what it reads.

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

/// How a texture is made from a file. No D3D11 counterpart; D3DX11 had `D3DX11_IMAGE_LOAD_INFO`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextureFileDesc {
    /// Whether the texels are colours with the sRGB transfer function, so that shaders read linear values. `None`: as
    /// the file says, and for PNG and JPEG files, which hold colours, `true`.
    ///
    /// `false` is for normal maps, roughness, heights and other numbers.
    pub srgb: Option<bool>,
    /// Whether the GPU makes the mip levels of a file that cannot have its own: of PNG, JPEG, and of a KTX2 file that
    /// asks for it. `true` by default.
    pub generate_mips: bool,
}

impl Default for TextureFileDesc {
    fn default() -> Self {
        Self { srgb: None, generate_mips: true }
    }
}

impl TextureFileDesc {
    /// Numbers, not colours: without the sRGB transfer function.
    pub fn linear() -> Self {
        Self { srgb: Some(false), ..Self::default() }
    }
}

/// What a file holds.
struct Texels<'a> {
    shape: TextureShape,
    format: Format,
    width: u32,
    /// 1 of a 1D texture.
    height: u32,
    /// 1 but for 3D textures.
    depth: u32,
    /// Mip levels for which there are texels.
    mip_levels: u32,
    /// Slices; six for each cube.
    slices: u32,
    is_cube: bool,
    /// The file leaves the lower mip levels to the loader.
    wants_mips: bool,
    /// All texels.
    bytes: Cow<'a, [u8]>,
    /// Where the subresources are in `bytes`, in the order of their indices.
    subresources: Vec<Range<usize>>,
}

/// A side of a mip level.
fn mip_side(side: u32, mip: u32) -> u32 {
    side.checked_shr(mip).unwrap_or(0).max(1)
}

impl Texels<'_> {
    /// Width and height of a mip level.
    fn mip_size(&self, mip: u32) -> (u32, u32) {
        (mip_side(self.width, mip), mip_side(self.height, mip))
    }

    /// Bytes of one slice of a mip level; of a 3D texture of all its depth slices.
    #[cfg(any(feature = "dds", feature = "ktx2"))]
    fn mip_bytes(&self, mip: u32) -> usize {
        let (width, height) = self.mip_size(mip);
        let slice = (self.format.row_pitch(width) as usize).saturating_mul(self.format.rows(height) as usize);
        slice.saturating_mul(mip_side(self.depth, mip) as usize)
    }

    /// Itself, if it is a texture of this shape.
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
            "it holds a {found} texture, and a {wanted} texture is made of it: use {call}"
        )))
    }

    /// The contents of all subresources in a format with texels of the same size.
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

/// Most mip levels and slices that a texture can have: more in a header is nonsense.
#[cfg(any(feature = "dds", feature = "ktx2"))]
const MOST: (u32, u32) = (15, 2048);

/// An error for numbers of mip levels or slices that no texture has.
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

/// Reads a file by its first bytes.
fn read<'a>(bytes: &'a [u8], desc: &TextureFileDesc) -> Result<Texels<'a>, Error> {
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

/// The error for a file that the program was built without.
#[cfg(not(all(feature = "dds", feature = "ktx2", feature = "image")))]
fn missing(what: &str, feature: &str) -> Error {
    Error::Unsupported(format!("it is {what}: enable the feature `{feature}` of the crate `onze`"))
}

impl Device {
    /// Makes a texture from a file: PNG or JPEG with the feature `image`, DDS with `dds`, KTX2 with `ktx2`. Stands for
    /// `ID3D11Device::CreateTexture2D` with what the file holds; D3DX11 had `D3DX11CreateTextureFromFile`.
    ///
    /// A picture becomes `R8G8B8A8_UNORM_SRGB` with all mip levels, which the GPU makes in this context. A DDS or KTX2
    /// file gives its format, mip levels, array slices or cube faces. The texture has the label of the
    /// [device](Self::labelled), or the name of the file.
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
    /// With the path: [`Error::NotFound`] and [`Error::Fail`] when the file cannot be read, [`Error::InvalidArg`] when
    /// it is broken, [`Error::Unsupported`] for a format that the device or this crate lacks. As
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

    /// As [`create_texture_from_file`](Self::create_texture_from_file), with a choice of sRGB and mip levels.
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
    /// As [`create_texture_from_file`](Self::create_texture_from_file).
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

    /// Makes a texture of the bytes of a file, with its name.
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

    /// What a file holds, which is a texture of this shape, and its format.
    fn read_texels<'a>(
        &self,
        id: MessageId,
        shape: TextureShape,
        bytes: &'a [u8],
        desc: &TextureFileDesc,
    ) -> Result<(Texels<'a>, Format), Error> {
        let texels = self.core.reject(id, read(bytes, desc).and_then(|texels| texels.of_shape(shape)))?;
        let format = match desc.srgb {
            Some(wanted) => srgb::with(texels.format, wanted),
            None => texels.format,
        };
        Ok((texels, format))
    }

    /// As [`create_texture_from_file`](Self::create_texture_from_file), from the bytes of a file.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device, context: &mut onze::ImmediateContext, png: &[u8]) -> Result<(), onze::Error> {
    /// let texture = device.labelled("crate").create_texture_from_memory(context, png)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`create_texture_from_file`](Self::create_texture_from_file).
    #[doc(alias = "D3DX11CreateTextureFromMemory")]
    #[cfg_attr(docsrs, doc(cfg(any(feature = "image", feature = "dds", feature = "ktx2"))))]
    pub fn create_texture_from_memory(
        &self,
        context: &mut DeviceContext,
        bytes: &[u8],
    ) -> Result<Texture2d, Error> {
        self.create_texture_from_memory_with(context, bytes, &TextureFileDesc::default())
    }

    /// As [`create_texture_from_file_with`](Self::create_texture_from_file_with), from the bytes of a file.
    ///
    /// # Errors
    /// As [`create_texture_from_file`](Self::create_texture_from_file).
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

    /// Makes a 1D texture or array from a DDS or KTX2 file that holds one, with its format, mip levels and slices. As
    /// [`create_texture_from_file_with`](Self::create_texture_from_file_with), which makes 2D textures.
    ///
    /// # Errors
    /// As [`create_texture_from_file`](Self::create_texture_from_file); [`Error::InvalidArg`] for a file with a texture of
    /// another shape.
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

    /// As [`create_texture_1d_from_file`](Self::create_texture_1d_from_file), from the bytes of a file.
    ///
    /// # Errors
    /// As [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
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

    /// Makes a 3D texture from a DDS or KTX2 file that holds one, such as a table of colours, with its format and mip
    /// levels. As [`create_texture_from_file_with`](Self::create_texture_from_file_with), which makes 2D textures.
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
    /// As [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
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

    /// As [`create_texture_3d_from_file`](Self::create_texture_3d_from_file), from the bytes of a file.
    ///
    /// # Errors
    /// As [`create_texture_1d_from_file`](Self::create_texture_1d_from_file).
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
