//! Texture arrays and cubes, created from the texels of their array slices.

use bytemuck::NoUninit;
use onze_ddi::{Format, MiscFlags, SubresourceData, Texture1dDesc, Texture2dDesc, TextureDesc};

use super::{Device, Texture1d, Texture2d};
use crate::{
    report::{Error, MessageId},
    validate,
};

impl Device {
    /// Creates a default-usage 2D texture array with one mip level from the texels of its slices (D3D11:
    /// `ID3D11Device::CreateTexture2D` with `D3D11_BIND_SHADER_RESOURCE` and an array size).
    ///
    /// Each item contains the texels of a slice, in the order of
    /// [`create_texture_2d_with`](Self::create_texture_2d_with). All slices have the same size. As in
    /// Direct3D, the default view of an array of two or more slices is a `Texture2DArray` in HLSL, and the
    /// default view of a single slice is a `Texture2D`.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let grass = vec![[40_u8, 120, 30, 255]; 64 * 64];
    /// let stone = vec![[90_u8, 90, 95, 255]; 64 * 64];
    /// let ground = device.create_texture_2d_array_with(Format::R8G8B8A8_UNORM_SRGB, 64, 64, &[grass, stone])?;
    /// context.ps_set_shader_resources(0, &ground.create_shader_resource_view()?);
    /// assert_eq!(ground.desc().array_size, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for an empty list of slices, and for a slice whose texels do not have the size
    /// of the texture. Also returns the errors of [`create_texture_2d`](Self::create_texture_2d).
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateTexture2D")]
    pub fn create_texture_2d_array_with<T: NoUninit>(
        &self,
        format: Format,
        width: u32,
        height: u32,
        slices: &[impl AsRef<[T]>],
    ) -> Result<Texture2d, Error> {
        let desc = Texture2dDesc {
            mip_levels: 1,
            array_size: u32::try_from(slices.len()).unwrap_or(u32::MAX),
            ..Texture2dDesc::new(format, width, height)
        };
        let contents = self.slices_of(MessageId::CreateTexture2dInvalid, &desc.clone().into(), slices)?;
        self.create_texture_2d(&desc, Some(&contents))
    }

    /// Creates a default-usage cube, or an array of cubes, with one mip level from the texels of its faces
    /// (D3D11: `ID3D11Device::CreateTexture2D` with `D3D11_RESOURCE_MISC_TEXTURECUBE`).
    ///
    /// The faces of a cube are +X, -X, +Y, -Y, +Z and -Z, each of `size` by `size` texels. The default view
    /// of six faces is a `TextureCube` in HLSL, and the default view of 12 or more faces is a
    /// `TextureCubeArray`.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let (side, top, bottom) = ([[90_u8, 130, 200, 255]], [[40, 80, 180, 255]], [[60, 50, 40, 255]]);
    /// let faces = [side, side, top, bottom, side, side];
    /// let sky = device.create_texture_cube_with(Format::R8G8B8A8_UNORM_SRGB, 1, &faces)?;
    /// context.ps_set_shader_resources(0, &sky.create_shader_resource_view()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a number of faces that is not a multiple of 6, and for a face whose texels
    /// do not have the size of the texture. Also returns the errors of
    /// [`create_texture_2d`](Self::create_texture_2d).
    #[doc(alias = "D3D11_RESOURCE_MISC_TEXTURECUBE")]
    #[doc(alias = "CreateTexture2D")]
    pub fn create_texture_cube_with<T: NoUninit>(
        &self,
        format: Format,
        size: u32,
        faces: &[impl AsRef<[T]>],
    ) -> Result<Texture2d, Error> {
        let id = MessageId::CreateTexture2dInvalid;
        let count = faces.len();
        if count == 0 || !count.is_multiple_of(6) {
            let name = validate::named("texture", self.new_name());
            let text = format!("{name}: a cube has 6 faces, found {count}; pass +X, -X, +Y, -Y, +Z and -Z");
            return self.core.reject(id, Err(Error::InvalidArg(text)));
        }
        let desc = Texture2dDesc {
            mip_levels: 1,
            array_size: u32::try_from(count).unwrap_or(u32::MAX),
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::new(format, size, size)
        };
        let contents = self.slices_of(id, &desc.clone().into(), faces)?;
        self.create_texture_2d(&desc, Some(&contents))
    }

    /// Creates a default-usage 1D texture array with one mip level from the texels of its slices (D3D11:
    /// `ID3D11Device::CreateTexture1D` with `D3D11_BIND_SHADER_RESOURCE` and an array size).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let (fire, ice) = ([[255_u8, 80, 0, 255], [60, 0, 0, 255]], [[200, 240, 255, 255], [0, 40, 90, 255]]);
    /// let ramps = device.create_texture_1d_array_with(Format::R8G8B8A8_UNORM_SRGB, 2, &[fire, ice])?;
    /// assert_eq!(ramps.desc().array_size, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_texture_2d_array_with`](Self::create_texture_2d_array_with) and
    /// [`create_texture_1d`](Self::create_texture_1d).
    #[doc(alias = "D3D11_BIND_SHADER_RESOURCE")]
    #[doc(alias = "CreateTexture1D")]
    pub fn create_texture_1d_array_with<T: NoUninit>(
        &self,
        format: Format,
        width: u32,
        slices: &[impl AsRef<[T]>],
    ) -> Result<Texture1d, Error> {
        let desc = Texture1dDesc {
            mip_levels: 1,
            array_size: u32::try_from(slices.len()).unwrap_or(u32::MAX),
            ..Texture1dDesc::new(format, width)
        };
        let contents = self.slices_of(MessageId::CreateTexture1dInvalid, &desc.clone().into(), slices)?;
        self.create_texture_1d(&desc, Some(&contents))
    }

    /// Returns the contents of the array slices, or fails if a slice does not have the size of the texture's
    /// only mip level.
    fn slices_of<'a, T: NoUninit>(
        &self,
        id: MessageId,
        desc: &TextureDesc,
        slices: &'a [impl AsRef<[T]>],
    ) -> Result<Vec<SubresourceData<'a>>, Error> {
        let needed = desc.mip_bytes(0);
        let checked = slices.iter().enumerate().map(|(index, slice)| {
            let bytes: &[u8] = bytemuck::cast_slice(slice.as_ref());
            if bytes.len() as u64 == needed {
                return Ok(SubresourceData::packed(bytes, desc.format, desc.width, desc.height));
            }
            let (name, found) = (validate::named("texture", self.new_name()), bytes.len());
            let size = validate::size_words(desc, 0);
            Err(Error::InvalidArg(format!(
                "{name}, slice {index}: {size} texels of {:?} have {needed} bytes, found {found}",
                desc.format
            )))
        });
        self.core.reject(id, checked.collect())
    }
}
