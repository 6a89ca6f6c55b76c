//! Transfers of texels to and from the application's memory without a map (D3D11.3: `WriteToSubresource`,
//! `ReadFromSubresource`).

use bytemuck::Pod;
use onze_ddi::{Box3d, MapType, ResourceDesc, TextureDesc};

use super::ImmediateContext;
use crate::{
    objects::Resource,
    report::{Error, MessageId},
    validate,
};

impl ImmediateContext {
    /// Writes texels into a default-usage texture at this point of the command stream (D3D11.3:
    /// `ID3D11Device3::WriteToSubresource`).
    ///
    /// The call works like [`update_subresource`](crate::DeviceContext::update_subresource), but returns
    /// errors instead of reporting them. It does not wait, and the texture does not have to be mapped.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for data of the wrong size, for a texture with another usage, and for a texture
    /// of another device; [`Error::InvalidCall`] for a mapped texture; [`Error::DeviceRemoved`] if the device
    /// was removed.
    #[doc(alias = "WriteToSubresource")]
    pub fn write_to_subresource<T: Pod>(
        &mut self,
        dst: &impl Resource,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: &[T],
        row_pitch: u32,
        depth_pitch: u32,
    ) -> Result<(), Error> {
        self.check_read(dst)?;
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let name = dst.owner().shared.name();
        let desc = dst.resource_desc();
        let checked = check_texture(&desc).and_then(|_| {
            validate::update_subresource(&desc, subresource, dst_box, bytes.len(), row_pitch, depth_pitch)
        });
        let checked = checked.map_err(|reason| Error::InvalidArg(format!("{name}: {reason}")));
        self.core.device.reject(MessageId::UpdateSubresourceInvalid, checked)?;
        self.update_subresource(dst, subresource, dst_box, data, row_pitch, depth_pitch);
        Ok(())
    }

    /// Waits for the GPU and reads texels of a texture into memory (D3D11.3:
    /// `ID3D11Device3::ReadFromSubresource`). `dst_row_pitch` is the distance between rows of texels or
    /// blocks, and `dst_depth_pitch` the distance between depth slices, both in bytes.
    ///
    /// The texture does not have to be mapped. An empty box reads nothing, and the bytes between two rows
    /// stay unchanged. The depth pitch is used only if the box has several depth slices.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a subresource or a box out of range, for memory that is too short, and for a
    /// texture of another device; [`Error::Unsupported`] for formats that cannot be read back, and in a
    /// browser, because calls cannot block there; [`Error::InvalidCall`] for a mapped texture;
    /// [`Error::DeviceRemoved`]; [`Error::OutOfMemory`].
    #[doc(alias = "ReadFromSubresource")]
    pub fn read_from_subresource<T: Pod>(
        &mut self,
        dst: &mut [T],
        dst_row_pitch: u32,
        dst_depth_pitch: u32,
        src: &impl Resource,
        subresource: u32,
        src_box: Option<Box3d>,
    ) -> Result<(), Error> {
        super::immediate::check_waits()?;
        self.check_read(src)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(dst);
        let (resource_desc, name) = (src.resource_desc(), src.owner().shared.name());
        let part = check_texture(&resource_desc).and_then(|desc| {
            let pitches = (dst_row_pitch, dst_depth_pitch);
            let part = validate::read_subresource(desc, subresource, src_box, bytes.len(), pitches)?;
            Ok(part.map(|part| (desc, part)))
        });
        let part = part.map_err(|reason| Error::InvalidArg(format!("{name}: {reason}")));
        let Some((desc, part)) = self.core.device.reject(MessageId::MapInvalid, part)? else { return Ok(()) };
        let staging = self.copy_of_texture(src, desc, subresource)?;
        let mapped = self.map(&staging, subresource, MapType::Read)?;
        let (block_width, block_height) = desc.format.block_size();
        let row = desc.format.row_pitch(part.right - part.left) as usize;
        let left = desc.format.row_pitch(part.left / block_width * block_width) as usize;
        let (pitch, depth_pitch) = (mapped.row_pitch() as usize, mapped.depth_pitch() as usize);
        let rows = desc.format.rows(part.bottom - part.top) as usize;
        for (z, y) in (0..(part.back - part.front) as usize).flat_map(|z| (0..rows).map(move |y| (z, y))) {
            let slice = (part.front as usize + z) * depth_pitch;
            let from = slice + ((part.top / block_height) as usize + y) * pitch + left;
            let to = z * dst_depth_pitch as usize + y * dst_row_pitch as usize;
            let texels = mapped.get(from..from + row).unwrap_or_default();
            if let Some(memory) = bytes.get_mut(to..to + texels.len()) {
                memory.copy_from_slice(texels);
            }
        }
        Ok(())
    }
}

/// Returns the descriptor of a texture, and refuses buffers, because other calls read and update them.
fn check_texture(desc: &ResourceDesc) -> Result<&TextureDesc, String> {
    match desc {
        ResourceDesc::Texture(desc) => Ok(desc),
        ResourceDesc::Buffer(_) => {
            Err("it is a buffer; use `read_buffer`, or `update_subresource`".to_owned())
        }
    }
}
