//! Textures. D3D11: `ID3D11Texture2D`.

use bytemuck::NoUninit;
use onze_ddi::{Format, ObjectDesc, ResourceDesc, SubresourceData, Texture2dDesc, TextureDesc};

use super::{Device, Resource, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    validate,
};

object! {
    /// A 2D texture, an array of them or a cube. D3D11: `ID3D11Texture2D`.
    #[doc(alias = "ID3D11Texture2D")]
    Texture2d
}

impl Texture2d {
    /// What the texture was made from; `mip_levels` is never 0. D3D11: `ID3D11Texture2D::GetDesc`.
    #[doc(alias = "GetDesc")]
    pub fn desc(&self) -> Texture2dDesc {
        self.texture().into()
    }

    /// The same as the driver sees it.
    pub(crate) fn texture(&self) -> &TextureDesc {
        static NONE: std::sync::LazyLock<TextureDesc> =
            std::sync::LazyLock::new(|| Texture2dDesc::default().into());
        match self.owner.shared.resource_desc() {
            Some(ResourceDesc::Texture(desc)) => desc,
            Some(ResourceDesc::Buffer(_)) | None => &NONE,
        }
    }

    /// The index of a subresource: `mip_slice + array_slice * mip_levels`. D3D11: `D3D11CalcSubresource`.
    ///
    /// What the texture does not have is not checked here: the call that takes the index does.
    #[doc(alias = "D3D11CalcSubresource")]
    pub fn subresource(&self, mip_slice: u32, array_slice: u32) -> u32 {
        mip_slice.saturating_add(array_slice.saturating_mul(self.texture().mip_levels))
    }
}

impl Resource for Texture2d {
    fn resource_desc(&self) -> ResourceDesc {
        self.owner.shared.renamed(ResourceDesc::Texture(self.texture().clone()))
    }
}

impl Device {
    /// Makes a 2D texture, with the contents of all its subresources unless `None`.
    /// D3D11: `ID3D11Device::CreateTexture2D`.
    ///
    /// Contents are given for every subresource, in the order of their indices. Without them the
    /// texture reads as zeros.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for what the rules of formats, usage, bind flags and sizes forbid, and for
    /// contents that are too short; [`Error::Unsupported`] names what the adapter lacks;
    /// [`Error::OutOfMemory`].
    #[doc(alias = "CreateTexture2D")]
    pub fn create_texture_2d(
        &self,
        desc: &Texture2dDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Texture2d, Error> {
        let core = &self.core;
        let named = self.missing_label(&desc.label).map(|label| Texture2dDesc { label, ..desc.clone() });
        let desc = named.as_ref().unwrap_or(desc);
        let label = desc.label.as_deref().unwrap_or("");
        let support = self.check_format_support(desc.format);
        let check_contents = |desc: &TextureDesc| {
            let mut contents = contents.unwrap_or_default().iter().enumerate();
            contents.try_for_each(|(index, data)| validate::subresource_data(desc, index as u32, data))
        };
        let checked = match validate::texture_2d(desc, contents.map(<[_]>::len), &core.caps, support) {
            Ok(desc) => check_contents(&desc).map(|()| desc),
            // A missing feature hides no mistake in the contents.
            Err(Error::Unsupported(what)) => {
                check_contents(&desc.clone().into()).and(Err(Error::Unsupported(what)))
            }
            Err(error) => Err(error),
        };
        let checked = checked.and_then(|desc| {
            let (format, samples) = (desc.format, desc.sample_count);
            if samples > 1 {
                let levels = self.check_multisample_quality_levels(format, samples);
                let checked = validate::sample_levels(format, samples, levels);
                checked.map_err(|e| e.about(validate::named("texture", label)))?;
            }
            let desc = ResourceDesc::Texture(desc);
            let args = ObjectDesc::Resource { desc: &desc, initial_data: contents.unwrap_or_default() };
            self.here().create_object(&args, ObjectData::Resource(desc.clone()), label, None)
        });
        let texture = core.reject(MessageId::CreateTexture2dInvalid, checked)?;
        if contents.is_some() {
            texture.shared.set_written();
        }
        Ok(Texture2d::from_shared(&texture.shared))
    }

    /// Makes a default-usage texture of one mip level that holds texels. Stands for `ID3D11Device::CreateTexture2D` with
    /// `D3D11_BIND_SHADER_RESOURCE`.
    ///
    /// The texels are rows (of blocks), the top row first, without padding. With mip levels:
    /// [`create_texture_2d_with_mips`](Self::create_texture_2d_with_mips).
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
    /// [`Error::InvalidArg`] for texels of another size than the texture's; as
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
        self.check_texels(format, width, height, bytes)?;
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, width, height) };
        let data = SubresourceData { bytes, row_pitch: format.row_pitch(width), depth_pitch: 0 };
        self.create_texture_2d(&desc, Some(&[data]))
    }

    /// An error unless texels have the size of a texture.
    pub(crate) fn check_texels(
        &self,
        format: Format,
        width: u32,
        height: u32,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let needed = u64::from(format.row_pitch(width)) * u64::from(format.rows(height));
        let result = if bytes.len() as u64 == needed {
            Ok(())
        } else {
            let (found, name) = (bytes.len(), self.new_name());
            let texture = if name.is_empty() { "texture".to_owned() } else { format!("texture \"{name}\"") };
            Err(Error::InvalidArg(format!(
                "{texture}: {width} x {height} texels of {format:?} have {needed} bytes, found {found}"
            )))
        };
        self.core.reject(MessageId::CreateTexture2dInvalid, result)
    }
}
