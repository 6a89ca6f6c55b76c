//! Textures whose smaller mip levels the GPU generates.

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, Format, FormatSupport, MiscFlags, Texture2dDesc};

use super::DeviceContext;
use crate::{
    objects::{Device, Texture2d},
    report::{Error, MessageId},
};

impl Device {
    /// Creates a texture from texels, and generates its other mip levels on the GPU (D3D11:
    /// `ID3D11Device::CreateTexture2D` with `D3D11_RESOURCE_MISC_GENERATE_MIPS`, `UpdateSubresource` and
    /// `GenerateMips`).
    ///
    /// The texels are rows without padding, the top row first. If the context is deferred, the update and the
    /// mip generation are recorded, so the texture contains zeros until the command list is executed.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let texels = vec![0x80_u8; 64 * 64 * 4];
    /// let format = Format::R8G8B8A8_UNORM_SRGB;
    /// let bricks = device.create_texture_2d_with_mips(&mut context, format, 64, 64, &texels)?;
    /// assert_eq!(bricks.desc().mip_levels, 7);
    /// context.ps_set_shader_resources(0, &bricks.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the texels do not have the size of the texture, and for a context of another
    /// device; [`Error::Unsupported`] for a format that the device cannot filter and render to
    /// ([`FormatSupport::MIP_AUTOGEN`]). Also returns the errors of
    /// [`create_texture_2d`](Self::create_texture_2d).
    #[doc(alias = "CreateTexture2D")]
    #[doc(alias = "D3D11_RESOURCE_MISC_GENERATE_MIPS")]
    #[doc(alias = "UpdateSubresource")]
    #[doc(alias = "GenerateMips")]
    pub fn create_texture_2d_with_mips<T: NoUninit>(
        &self,
        context: &mut DeviceContext,
        format: Format,
        width: u32,
        height: u32,
        texels: &[T],
    ) -> Result<Texture2d, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(texels);
        let first = Texture2dDesc::new(format, width, height);
        self.check_texels(MessageId::CreateTexture2dInvalid, &first.clone().into(), bytes)?;
        self.core.reject(MessageId::CreateTexture2dInvalid, self.check_mips(context, format))?;
        let texture = self.create_texture_2d(
            &Texture2dDesc {
                bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
                misc_flags: MiscFlags::GENERATE_MIPS,
                ..first
            },
            None,
        )?;
        context.update_subresource(&texture, 0, None, bytes, format.row_pitch(width), 0);
        context.generate_mips(&texture.create_shader_resource_view()?);
        Ok(texture)
    }

    /// Checks that a context belongs to this device and that the mip levels of a format can be generated.
    fn check_mips(&self, context: &DeviceContext, format: Format) -> Result<(), Error> {
        if context.device() != *self {
            return Err(Error::InvalidArg("the context belongs to another device".to_owned()));
        }
        if !self.check_format_support(format).contains(FormatSupport::MIP_AUTOGEN) {
            return Err(Error::Unsupported(format!(
                "this device cannot generate mip levels of {format:?}: pass them to `create_texture_2d`"
            )));
        }
        Ok(())
    }
}
