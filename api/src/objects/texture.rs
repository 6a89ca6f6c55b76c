//! Textures. D3D11: `ID3D11Texture2D`.

use onze_ddi::{ObjectDesc, ResourceDesc, SubresourceData, Texture2dDesc};

use super::{Device, Resource, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    validate,
};

object! {
    /// A 2D texture, an array of them or a cube. D3D11: `ID3D11Texture2D`.
    Texture2d
}

impl Texture2d {
    /// What the texture was made from; `mip_levels` is never 0. D3D11: `ID3D11Texture2D::GetDesc`.
    pub fn desc(&self) -> &Texture2dDesc {
        static NONE: std::sync::LazyLock<Texture2dDesc> = std::sync::LazyLock::new(Texture2dDesc::default);
        match self.owner.shared.resource_desc() {
            Some(ResourceDesc::Texture2d(desc)) => desc,
            Some(ResourceDesc::Buffer(_)) | None => &NONE,
        }
    }

    /// The index of a subresource: `mip_slice + array_slice * mip_levels`. D3D11: `D3D11CalcSubresource`.
    ///
    /// What the texture does not have is not checked here: the call that takes the index does.
    pub fn subresource(&self, mip_slice: u32, array_slice: u32) -> u32 {
        mip_slice.saturating_add(array_slice.saturating_mul(self.desc().mip_levels))
    }
}

impl Resource for Texture2d {
    fn resource_desc(&self) -> ResourceDesc {
        ResourceDesc::Texture2d(self.desc().clone())
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
    pub fn create_texture_2d(
        &self,
        desc: &Texture2dDesc,
        contents: Option<&[SubresourceData<'_>]>,
    ) -> Result<Texture2d, Error> {
        let core = &self.core;
        let label = desc.label.as_deref().unwrap_or("");
        let support = self.check_format_support(desc.format);
        let checked =
            validate::texture_2d(desc, contents.map(<[_]>::len), &core.caps, support).and_then(|desc| {
                for (index, data) in contents.unwrap_or_default().iter().enumerate() {
                    validate::subresource_data(&desc, index as u32, data)?;
                }
                let desc = ResourceDesc::Texture2d(desc);
                let args = ObjectDesc::Resource { desc: &desc, initial_data: contents.unwrap_or_default() };
                self.here().create_object(&args, ObjectData::Resource(desc.clone()), label, None)
            });
        Ok(Texture2d::from_shared(&core.reject(MessageId::CreateTexture2dInvalid, checked)?.shared))
    }
}
