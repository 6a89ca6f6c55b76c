//! Locations of texels in a texture or in rows of a buffer.

use std::sync::Arc;

use onze_ddi::SubresourceRange;

use crate::{
    encode::parts::{accesses::AccessRange, ranges::BufferRange},
    objects::texture::TextureMemory,
};

#[derive(Copy, Clone)]
pub(crate) struct TextureLocation<'r> {
    pub(crate) texture: &'r Arc<TextureMemory>,
    pub(crate) mip: u32,
    /// x, y, slice.
    pub(crate) origin: [u32; 3],
}

impl<'r> TextureLocation<'r> {
    pub(crate) fn info(&self, aspect: wgpu::TextureAspect) -> wgpu::TexelCopyTextureInfo<'r> {
        let [x, y, z] = self.origin;
        wgpu::TexelCopyTextureInfo {
            texture: &self.texture.texture,
            mip_level: self.mip,
            origin: wgpu::Origin3d { x, y, z },
            aspect,
        }
    }

    /// Returns the subresources of `slices` slices from this location on.
    pub(crate) fn range(&self, slices: u32) -> SubresourceRange {
        SubresourceRange {
            first_mip: self.mip,
            first_slice: self.origin[2],
            slices,
            ..SubresourceRange::FIRST
        }
    }

    /// Returns the range that a copy of `slices` slices uses.
    pub(crate) fn part(&self, slices: u32) -> AccessRange {
        AccessRange::subresources(self.texture.id, &self.range(slices))
    }

    pub(crate) fn is_depth(&self) -> bool {
        self.texture.format.is_depth_stencil_format()
    }

    /// Returns whether an extent at this location covers only a part of each slice.
    pub(crate) fn is_part(&self, [width, height, _]: [u32; 3]) -> bool {
        self.origin[..2] != [0, 0] || self.texture.mip_size(self.mip) != (width, height)
    }

    /// Returns whether an extent at this location covers only a part of each slice of a depth-stencil
    /// texture, which wgpu cannot copy.
    pub(crate) fn is_part_of_depth(&self, extent: [u32; 3]) -> bool {
        self.is_depth() && self.is_part(extent)
    }
}

#[derive(Copy, Clone)]
pub(crate) struct TexelRows<'b> {
    pub(crate) buffer: &'b wgpu::Buffer,
    /// The identifier of the buffer, or 0 for a temporary buffer of one copy.
    pub(crate) id: u64,
    pub(crate) offset: u64,
    /// Bytes from one row of blocks to the next.
    pub(crate) pitch: u32,
}

impl<'b> TexelRows<'b> {
    pub(crate) fn new(range: &BufferRange<'b>, pitch: u32) -> Self {
        Self { buffer: range.buffer, id: range.id, offset: range.offset, pitch }
    }

    /// Returns the range that a copy of `rows` rows of blocks in each slice uses.
    pub(crate) fn part(&self, rows: u32, slices: u32) -> AccessRange {
        AccessRange::bytes(self.id, self.offset, u64::from(self.pitch) * u64::from(rows) * u64::from(slices))
    }

    pub(crate) fn info(&self, rows: u32) -> wgpu::TexelCopyBufferInfo<'b> {
        wgpu::TexelCopyBufferInfo {
            buffer: self.buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: self.offset,
                bytes_per_row: Some(self.pitch),
                rows_per_image: Some(rows),
            },
        }
    }
}

/// Returns the bytes of one texel or block in Direct3D 11's memory layout, in which depth and stencil share a
/// texel.
pub(crate) fn texel_bytes(format: wgpu::TextureFormat) -> u32 {
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 | wgpu::TextureFormat::Depth24Plus => 4,
        wgpu::TextureFormat::Depth32FloatStencil8 => 8,
        other => other.block_copy_size(Some(wgpu::TextureAspect::All)).unwrap_or(4),
    }
}
