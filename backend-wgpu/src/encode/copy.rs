//! Copies: splits the copies of Direct3D 11 into those that wgpu has.

use crate::{
    objects::texture::TextureMemory,
    record::page::{BufferPlace, Copy, TexturePlace},
    services::ids::unique_id,
};

use super::{
    Encoder,
    state::{BufferRange, Objects},
};

/// A place in a texture, with the texture.
#[derive(Copy, Clone)]
pub(super) struct Texels<'r> {
    pub(super) texture: &'r TextureMemory,
    pub(super) mip: u32,
    /// x, y, slice.
    pub(super) origin: [u32; 3],
}

impl<'r> Texels<'r> {
    pub(super) fn info(&self, aspect: wgpu::TextureAspect) -> wgpu::TexelCopyTextureInfo<'r> {
        let [x, y, z] = self.origin;
        wgpu::TexelCopyTextureInfo {
            texture: &self.texture.texture,
            mip_level: self.mip,
            origin: wgpu::Origin3d { x, y, z },
            aspect,
        }
    }

    fn is_depth(&self) -> bool {
        self.texture.format.is_depth_stencil_format()
    }

    /// Whether an extent at this place is less than whole slices of depth, of which wgpu copies no parts.
    fn is_part_of_depth(&self, [width, height, _]: [u32; 3]) -> bool {
        let is_whole = self.origin[..2] == [0, 0] && self.texture.mip_size(self.mip) == (width, height);
        self.is_depth() && !is_whole
    }
}

/// A place in a buffer that holds texels.
#[derive(Copy, Clone)]
pub(super) struct Rows<'b> {
    pub(super) buffer: &'b wgpu::Buffer,
    /// The buffer's number.
    pub(super) id: u64,
    pub(super) offset: u64,
    /// Bytes from one row of blocks to the next.
    pub(super) pitch: u32,
}

impl<'b> Rows<'b> {
    pub(super) fn info(&self, rows: u32) -> wgpu::TexelCopyBufferInfo<'b> {
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

/// An extent in whole blocks, as wgpu wants it at a small mip level's edge, and its rows of blocks.
fn blocks(format: wgpu::TextureFormat, [width, height, slices]: [u32; 3]) -> (wgpu::Extent3d, u32) {
    let (block_width, block_height) = format.block_dimensions();
    let extent = wgpu::Extent3d {
        width: width.next_multiple_of(block_width),
        height: height.next_multiple_of(block_height),
        depth_or_array_layers: slices,
    };
    (extent, extent.height / block_height)
}

/// Bytes of one texel (or block) in D3D11's memory: depth and stencil lie in one there.
pub(super) fn texel_bytes(format: wgpu::TextureFormat) -> u32 {
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 | wgpu::TextureFormat::Depth24Plus => 4,
        wgpu::TextureFormat::Depth32FloatStencil8 => 8,
        other => other.block_copy_size(Some(wgpu::TextureAspect::All)).unwrap_or(4),
    }
}

impl<'r> Encoder<'r> {
    pub(super) fn copy(&mut self, objects: &Objects<'r>, copy: &Copy) {
        match *copy {
            Copy::BufferToBuffer { src, dst, size } => self.copy_buffer(objects, src, dst, size),
            Copy::ToBase { from, base, size } => self.copy_buffer(objects, from, base, size),
            Copy::BufferToTexture { src, bytes_per_row, dst, extent } => {
                let Some((range, dst)) = buffer(objects, src).zip(self.texels(objects, dst)) else { return };
                let src =
                    Rows { buffer: range.buffer, id: range.id, offset: range.offset, pitch: bytes_per_row };
                self.buffer_to_texture(src, dst, extent);
            }
            Copy::TextureToBuffer { src, dst, bytes_per_row, extent } => {
                let Some((src, range)) = self.texels(objects, src).zip(buffer(objects, dst)) else { return };
                let dst =
                    Rows { buffer: range.buffer, id: range.id, offset: range.offset, pitch: bytes_per_row };
                self.texture_to_buffer(src, dst, extent);
                self.buffers_changed();
            }
            Copy::TextureToTexture { src, dst, extent } => {
                let Some((src, dst)) = self.texels(objects, src).zip(self.texels(objects, dst)) else {
                    return;
                };
                self.texture_to_texture(src, dst, extent);
            }
        }
    }

    /// Copies bytes, unless both are the same: a buffer may turn out to lie in its base storage already.
    fn copy_buffer(&mut self, objects: &Objects<'r>, src: BufferPlace, dst: BufferPlace, size: u64) {
        if let Some((src, dst)) = buffer(objects, src).zip(buffer(objects, dst))
            && (src.id, src.offset) != (dst.id, dst.offset)
        {
            let aligned =
                [src.offset, dst.offset, size].iter().all(|n| n.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT));
            if aligned && size > 0 && src.id != dst.id {
                let encoder = self.outside_to_copy(src.id, dst.id);
                encoder.copy_buffer_to_buffer(src.buffer, src.offset, dst.buffer, dst.offset, size);
            } else {
                self.copy_bytes((src.buffer, src.offset), (dst.buffer, dst.offset), size);
            }
            self.buffers_changed();
        }
    }

    /// The texture at a place, with no clear waiting for it.
    fn texels(&mut self, objects: &Objects<'r>, place: TexturePlace) -> Option<Texels<'r>> {
        let texture = objects.texture(place.object)?;
        self.flush_clears(texture.id, None);
        Some(Texels { texture, mip: place.mip, origin: place.origin })
    }

    fn buffer_to_texture(&mut self, src: Rows<'_>, dst: Texels<'r>, extent: [u32; 3]) {
        let (size, rows) = blocks(dst.texture.format, extent);
        match dst.texture.format {
            _ if dst.is_part_of_depth(extent) => self.write_part_of_depth(src, dst, extent),
            wgpu::TextureFormat::Depth16Unorm => {
                self.outside_to_copy(src.id, dst.texture.id).copy_buffer_to_texture(
                    src.info(rows),
                    dst.info(wgpu::TextureAspect::DepthOnly),
                    size,
                );
            }
            format if format.is_depth_stencil_format() => self.write_depth(src, dst, extent),
            _ => self.outside_to_copy(src.id, dst.texture.id).copy_buffer_to_texture(
                src.info(rows),
                dst.info(wgpu::TextureAspect::All),
                size,
            ),
        }
    }

    fn texture_to_buffer(&mut self, src: Texels<'r>, dst: Rows<'_>, extent: [u32; 3]) {
        let (size, rows) = blocks(src.texture.format, extent);
        match src.texture.format {
            _ if src.is_part_of_depth(extent) => self.read_part_of_depth(src, dst, extent),
            wgpu::TextureFormat::Depth16Unorm | wgpu::TextureFormat::Depth32Float => {
                self.outside_to_copy(src.texture.id, dst.id).copy_texture_to_buffer(
                    src.info(wgpu::TextureAspect::DepthOnly),
                    dst.info(rows),
                    size,
                );
            }
            format if format.is_depth_stencil_format() => self.read_depth(src, dst, extent),
            _ => self.outside_to_copy(src.texture.id, dst.id).copy_texture_to_buffer(
                src.info(wgpu::TextureAspect::All),
                dst.info(rows),
                size,
            ),
        }
    }

    fn texture_to_texture(&mut self, src: Texels<'r>, dst: Texels<'r>, extent: [u32; 3]) {
        let slices = extent[2];
        let same_texture = src.texture.id == dst.texture.id;
        let same_slices = src.origin[2] < dst.origin[2] + slices && dst.origin[2] < src.origin[2] + slices;
        if same_texture && src.mip == dst.mip && src.origin == dst.origin {
            return;
        }
        let alike = src.texture.format.remove_srgb_suffix() == dst.texture.format.remove_srgb_suffix();
        let is_part = src.is_part_of_depth(extent) || dst.is_part_of_depth(extent);
        if alike && !is_part && !(same_texture && src.mip == dst.mip && same_slices) {
            let (size, _) = blocks(src.texture.format, extent);
            self.outside_to_copy(src.texture.id, dst.texture.id).copy_texture_to_texture(
                src.info(wgpu::TextureAspect::All),
                dst.info(wgpu::TextureAspect::All),
                size,
            );
            return;
        }
        if src.texture.samples > 1 {
            let words = "a copy between multisampled textures of different formats is lost: wgpu has none";
            self.report(words);
            return;
        }
        // Formats of one family, or parts of one subresource, or of depth: through a buffer. Slice by
        // slice, as depth is copied like that anyway.
        let format = if src.is_depth() { dst.texture.format } else { src.texture.format };
        let (size, rows) = blocks(format, extent);
        let (block_width, _) = format.block_dimensions();
        let row = size.width / block_width * texel_bytes(format);
        let pitch = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let image = u64::from(pitch) * u64::from(rows);
        let between = self.temporary(image * u64::from(slices), wgpu::BufferUsages::empty());
        let rows = Rows { buffer: &between, id: unique_id(), offset: 0, pitch };
        self.texture_to_buffer(src, rows, extent);
        self.buffer_to_texture(rows, dst, extent);
    }
}

/// A place in a buffer; its size does not matter here.
fn buffer<'r>(objects: &Objects<'r>, place: BufferPlace) -> Option<BufferRange<'r>> {
    objects.buffer(place.object, place.offset, 0)
}
