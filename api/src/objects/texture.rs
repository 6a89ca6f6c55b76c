//! Textures of all shapes (D3D11: `ID3D11Texture1D`, `ID3D11Texture2D`, `ID3D11Texture3D`).

use std::sync::{Arc, LazyLock};

use bytemuck::NoUninit;
use onze_ddi::{
    Format, ObjectDesc, ResourceDesc, SubresourceData, Texture1dDesc, Texture2dDesc, Texture3dDesc,
    TextureDesc, TextureLayout, TextureShape,
};

use super::{Device, Resource, object, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, Owner},
    report::{Error, MessageId},
    validate,
};

object! {
    /// A 1D texture, or an array of 1D textures (D3D11: `ID3D11Texture1D`).
    #[doc(alias = "ID3D11Texture1D")]
    Texture1d
}
object! {
    /// A 2D texture, an array of 2D textures, or a cube (D3D11: `ID3D11Texture2D`).
    #[doc(alias = "ID3D11Texture2D")]
    Texture2d
}
object! {
    /// A 3D texture, which consists of depth slices (D3D11: `ID3D11Texture3D`).
    #[doc(alias = "ID3D11Texture3D")]
    Texture3d
}

/// Defines the calls that textures of all shapes share.
macro_rules! texture {
    ($desc:ident $object:ident $d3d11:literal) => {
        impl $object {
            #[doc = concat!("Returns the descriptor, whose `mip_levels` is never 0. D3D11: `", $d3d11, "::GetDesc`.")]
            #[doc(alias = "GetDesc")]
            pub fn desc(&self) -> $desc {
                self.texture().into()
            }

            /// Returns the descriptor in the form that the driver receives.
            pub(crate) fn texture(&self) -> &TextureDesc {
                static NONE: LazyLock<TextureDesc> = LazyLock::new(|| $desc::default().into());
                match self.owner.shared.resource_desc() {
                    Some(ResourceDesc::Texture(desc)) => desc,
                    Some(ResourceDesc::Buffer(_)) | None => &NONE,
                }
            }
        }

        impl Resource for $object {
            fn resource_desc(&self) -> ResourceDesc {
                self.owner.shared.renamed(ResourceDesc::Texture(self.texture().clone()))
            }
        }
    };
}
texture!(Texture1dDesc Texture1d "ID3D11Texture1D");
texture!(Texture2dDesc Texture2d "ID3D11Texture2D");
texture!(Texture3dDesc Texture3d "ID3D11Texture3D");

/// Defines the subresource index of textures with array slices.
macro_rules! subresource {
    ($($object:ident)*) => {$(
        impl $object {
            /// Returns the index of a subresource: `mip_slice + array_slice * mip_levels` (D3D11:
            /// `D3D11CalcSubresource`).
            ///
            /// The arguments are not checked here, because the calls with a subresource argument check the
            /// index.
            #[doc(alias = "D3D11CalcSubresource")]
            pub fn subresource(&self, mip_slice: u32, array_slice: u32) -> u32 {
                mip_slice.saturating_add(array_slice.saturating_mul(self.texture().mip_levels))
            }
        }
    )*};
}
subresource!(Texture1d Texture2d);

impl Device {
    /// Creates a 1D texture or an array of 1D textures with the given contents (D3D11:
    /// `ID3D11Device::CreateTexture1D`).
    ///
    /// `contents` has one item for each subresource, in the order of the subresource indices, or is `None`
    /// for a texture that is initially zero. HLSL shaders declare the texture as a `Texture1D` or
    /// `Texture1DArray`, and WGSL shaders declare it as a `texture_1d`, or, for arrays, as a
    /// `texture_2d_array` of height 1.
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_2d`](Self::create_texture_2d), and [`Error::Unsupported`]
    /// without [`Features::TEXTURE_1D_3D`](onze_ddi::Features).
    #[doc(alias = "CreateTexture1D")]
    pub fn create_texture_1d(
        &self,
        desc: &Texture1dDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Texture1d, Error> {
        let id = MessageId::CreateTexture1dInvalid;
        Ok(Texture1d::from_shared(&self.create_texture(id, desc.clone().into(), contents)?.shared))
    }

    /// Creates a 2D texture with the given contents (D3D11: `ID3D11Device::CreateTexture2D`,
    /// `ID3D11Device3::CreateTexture2D1`).
    ///
    /// `contents` has one item for each subresource, in the order of the subresource indices, or is `None`
    /// for a texture that is initially zero.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the format, usage, bind flags and size cannot be combined, or if the contents
    /// are too short; [`Error::Unsupported`] if the adapter lacks a feature (the error names the feature);
    /// [`Error::OutOfMemory`] if there is not enough memory.
    #[doc(alias = "CreateTexture2D")]
    #[doc(alias = "CreateTexture2D1")]
    pub fn create_texture_2d(
        &self,
        desc: &Texture2dDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Texture2d, Error> {
        let id = MessageId::CreateTexture2dInvalid;
        self.check_texture_layout(id, desc.texture_layout, &desc.label)?;
        Ok(Texture2d::from_shared(&self.create_texture(id, desc.clone().into(), contents)?.shared))
    }

    /// Creates a 3D texture with the given contents (D3D11: `ID3D11Device::CreateTexture3D`,
    /// `ID3D11Device3::CreateTexture3D1`).
    ///
    /// `contents` has one item for each mip level, with the depth slices at a distance of `depth_pitch`
    /// bytes. With `None`, the texture is initially zero.
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_2d`](Self::create_texture_2d), and [`Error::Unsupported`]
    /// without [`Features::TEXTURE_1D_3D`](onze_ddi::Features).
    #[doc(alias = "CreateTexture3D")]
    #[doc(alias = "CreateTexture3D1")]
    pub fn create_texture_3d(
        &self,
        desc: &Texture3dDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Texture3d, Error> {
        let id = MessageId::CreateTexture3dInvalid;
        self.check_texture_layout(id, desc.texture_layout, &desc.label)?;
        Ok(Texture3d::from_shared(&self.create_texture(id, desc.clone().into(), contents)?.shared))
    }

    fn check_texture_layout(
        &self,
        id: MessageId,
        layout: TextureLayout,
        label: &onze_ddi::Label,
    ) -> Result<(), Error> {
        let name = || validate::named("texture", label.as_deref().unwrap_or_default());
        self.core.reject(id, validate::texture_layout(layout).map_err(|error| error.about(name())))
    }

    /// Creates a texture, where `T` must be the object type for the descriptor's shape.
    pub(crate) fn create_texture_shaped<T: Resource>(&self, desc: TextureDesc) -> Result<T, Error> {
        let id = match desc.shape {
            TextureShape::D1 => MessageId::CreateTexture1dInvalid,
            TextureShape::D2 => MessageId::CreateTexture2dInvalid,
            TextureShape::D3 => MessageId::CreateTexture3dInvalid,
        };
        Ok(T::from_shared(&self.create_texture(id, desc, None)?.shared))
    }

    fn create_texture(
        &self,
        id: MessageId,
        mut desc: TextureDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Arc<Owner>, Error> {
        let core = &self.core;
        if let Some(label) = self.missing_label(&desc.label) {
            desc.label = label;
        }
        let support = self.check_format_support(desc.format);
        let check_contents = |desc: &TextureDesc| {
            let mut contents = contents.unwrap_or_default().iter().enumerate();
            contents.try_for_each(|(index, data)| validate::subresource_data(desc, index as u32, data))
        };
        let checked = match validate::texture(&desc, contents.map(<[_]>::len), &core.caps, support) {
            // The contents are checked even if a feature is missing, so that mistakes in the contents are
            // reported first.
            Err(Error::Unsupported(what)) => check_contents(&desc).and(Err(Error::Unsupported(what))),
            Ok(()) => check_contents(&desc),
            Err(error) => Err(error),
        };
        let checked = checked.and_then(|()| {
            let label = desc.label.clone().unwrap_or_default();
            let (format, samples) = (desc.format, desc.sample_count);
            if samples > 1 {
                let levels = self.check_multisample_quality_levels(format, samples);
                let checked = validate::sample_levels(format, samples, levels);
                checked.map_err(|e| e.about(validate::named("texture", &label)))?;
            }
            let desc = ResourceDesc::Texture(desc);
            let args = ObjectDesc::Resource { desc: &desc, initial_data: contents.unwrap_or_default() };
            self.here().create_object(&args, ObjectData::Resource(desc.clone()), &label, None)
        });
        let texture = core.reject(id, checked)?;
        if contents.is_some() {
            texture.shared.set_written();
        }
        Ok(texture)
    }

    /// Creates a default-usage 2D texture with one mip level from texels (D3D11:
    /// `ID3D11Device::CreateTexture2D` with `D3D11_BIND_SHADER_RESOURCE`).
    ///
    /// `texels` contains the rows of texels or blocks without padding, the top row first. For a texture with
    /// mip levels, use [`create_texture_2d_with_mips`](Self::create_texture_2d_with_mips).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let texels = [[255_u8, 0, 0, 255], [0, 255, 0, 255]]; // two texels
    /// let texture = device.create_texture_2d_with(Format::R8G8B8A8_UNORM_SRGB, 2, 1, &texels)?;
    /// context.ps_set_shader_resources(0, &texture.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the texels do not have the size of the texture. Also returns the errors of
    /// [`create_texture_2d`](Self::create_texture_2d).
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateTexture2D")]
    pub fn create_texture_2d_with<T: NoUninit>(
        &self,
        format: Format,
        width: u32,
        height: u32,
        texels: &[T],
    ) -> Result<Texture2d, Error> {
        let bytes = bytemuck::cast_slice(texels);
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, width, height) };
        self.check_texels(MessageId::CreateTexture2dInvalid, &desc.clone().into(), bytes)?;
        let data = SubresourceData::packed(bytes, format, width, height);
        self.create_texture_2d(&desc, Some(&[data]))
    }

    /// Creates a default-usage 1D texture with one mip level from texels (D3D11:
    /// `ID3D11Device::CreateTexture1D` with `D3D11_BIND_SHADER_RESOURCE`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let ramp = [[0_u8, 0, 64, 255], [255, 128, 0, 255], [255, 255, 255, 255]]; // from cold to hot
    /// let texture = device.create_texture_1d_with(Format::R8G8B8A8_UNORM_SRGB, 3, &ramp)?;
    /// context.ps_set_shader_resources(0, &texture.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the texels do not have the size of the texture. Also returns the errors of
    /// [`create_texture_1d`](Self::create_texture_1d).
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateTexture1D")]
    pub fn create_texture_1d_with<T: NoUninit>(
        &self,
        format: Format,
        width: u32,
        texels: &[T],
    ) -> Result<Texture1d, Error> {
        let bytes = bytemuck::cast_slice(texels);
        let desc = Texture1dDesc { mip_levels: 1, ..Texture1dDesc::new(format, width) };
        self.check_texels(MessageId::CreateTexture1dInvalid, &desc.clone().into(), bytes)?;
        let data = SubresourceData::packed(bytes, format, width, 1);
        self.create_texture_1d(&desc, Some(&[data]))
    }

    /// Creates a default-usage 3D texture with one mip level from texels (D3D11:
    /// `ID3D11Device::CreateTexture3D` with `D3D11_BIND_SHADER_RESOURCE`).
    ///
    /// `texels` contains the depth slices, the front slice first, and each slice consists of rows of texels
    /// or blocks without padding, the top row first.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// // A table with 16 shades per component, which maps each colour to itself.
    /// let shade = |at: usize| (at % 16 * 17) as u8;
    /// let table: Vec<_> = (0..16 * 16 * 16).map(|at| [shade(at), shade(at / 16), shade(at / 256), 255]).collect();
    /// let texture = device.create_texture_3d_with(Format::R8G8B8A8_UNORM, 16, 16, 16, &table)?;
    /// context.ps_set_shader_resources(0, &texture.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the texels do not have the size of the texture. Also returns the errors of
    /// [`create_texture_3d`](Self::create_texture_3d).
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateTexture3D")]
    pub fn create_texture_3d_with<T: NoUninit>(
        &self,
        format: Format,
        width: u32,
        height: u32,
        depth: u32,
        texels: &[T],
    ) -> Result<Texture3d, Error> {
        let bytes = bytemuck::cast_slice(texels);
        let desc = Texture3dDesc { mip_levels: 1, ..Texture3dDesc::new(format, width, height, depth) };
        self.check_texels(MessageId::CreateTexture3dInvalid, &desc.clone().into(), bytes)?;
        self.create_texture_3d(&desc, Some(&[SubresourceData::packed(bytes, format, width, height)]))
    }

    /// Fails if the texels do not have the size of the texture's first mip level.
    pub(crate) fn check_texels(&self, id: MessageId, desc: &TextureDesc, bytes: &[u8]) -> Result<(), Error> {
        let needed = desc.mip_bytes(0);
        let result = if bytes.len() as u64 == needed {
            Ok(())
        } else {
            let (found, name) = (bytes.len(), self.new_name());
            let texture = if name.is_empty() { "texture".to_owned() } else { format!("texture \"{name}\"") };
            let size = validate::size_words(desc, 0);
            Err(Error::InvalidArg(format!(
                "{texture}: {size} texels of {:?} have {needed} bytes, found {found}",
                desc.format
            )))
        };
        self.core.reject(id, result)
    }
}
