//! Copies: splits the copies of Direct3D 11 into those that wgpu has.

use crate::{
    encode::{
        emulate_hooks::{
            ByteCopies, DepthCopies, Fills, MemberCopies, Resolves, SampleCopies, TexelRepacking,
        },
        encoder::Encoder,
        parts::{
            accesses::{AccessKind, AccessRange},
            locations::{TexelRows, TextureLocation, texel_bytes},
            page_objects::PageObjects,
            prologue::CommandPlace,
            ranges::BufferRange,
        },
    },
    objects::family::{Member, Members},
    record::page::{BufferPlace, CopyCommand, TexturePlace},
};

/// Rounds an extent up to whole blocks, as wgpu requires at the edges of small mip levels. Also returns the
/// number of block rows in a slice.
fn blocks(format: wgpu::TextureFormat, [width, height, slices]: [u32; 3]) -> (wgpu::Extent3d, u32) {
    let (block_width, block_height) = format.block_dimensions();
    let extent = wgpu::Extent3d {
        width: width.next_multiple_of(block_width),
        height: height.next_multiple_of(block_height),
        depth_or_array_layers: slices,
    };
    (extent, extent.height / block_height)
}

impl<'r> Encoder<'r> {
    pub(super) fn copy(&mut self, objects: &PageObjects<'r>, copy: &CopyCommand) {
        match *copy {
            CopyCommand::Fill { element, dst, size } => {
                if let Some(range) = objects.buffer(dst.object, dst.offset, size) {
                    self.fill_buffer(&range, element);
                }
            }
            CopyCommand::FillTexture { element, view } => {
                if let Some(view) = objects.view(view) {
                    self.fill_texture(view, element);
                }
            }
            CopyCommand::BufferToBuffer { src, dst, size } => self.copy_buffer(objects, src, dst, size),
            CopyCommand::ToBase { from, base, size } => self.copy_buffer(objects, from, base, size),
            CopyCommand::BufferToTexture { src, bytes_per_row, dst, extent } => {
                let Some((range, dst)) = buffer(objects, src).zip(texels(objects, dst)) else { return };
                self.buffer_to_texture(TexelRows::new(&range, bytes_per_row), dst, extent);
            }
            CopyCommand::TextureToBuffer { src, dst, bytes_per_row, extent } => {
                let Some((src, range)) = texels(objects, src).zip(buffer(objects, dst)) else { return };
                self.texture_to_buffer(src, TexelRows::new(&range, bytes_per_row), extent);
                self.buffers_changed();
            }
            CopyCommand::Resolve { src, dst, format } => {
                let Some((src, dst)) = texels(objects, src).zip(texels(objects, dst)) else { return };
                self.resolve(src, dst, format);
            }
            CopyCommand::TextureToTexture { src, dst, extent } => {
                let Some((src, dst)) = texels(objects, src).zip(texels(objects, dst)) else { return };
                self.texture_to_texture(src, dst, extent);
            }
        }
    }

    /// Copies bytes, unless source and destination are the same, because a buffer may already be in its base
    /// storage.
    fn copy_buffer(&mut self, objects: &PageObjects<'r>, src: BufferPlace, dst: BufferPlace, size: u64) {
        if let Some((src, dst)) = buffer(objects, src).zip(buffer(objects, dst))
            && (src.id, src.offset) != (dst.id, dst.offset)
        {
            let aligned =
                [src.offset, dst.offset, size].iter().all(|n| n.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT));
            let parts =
                (AccessRange::bytes(src.id, src.offset, size), AccessRange::bytes(dst.id, dst.offset, size));
            if aligned && size > 0 && src.id != dst.id {
                let encoder = self.encoder_to_copy(parts.0, parts.1);
                encoder.copy_buffer_to_buffer(src.buffer, src.offset, dst.buffer, dst.offset, size);
            } else {
                self.reads(parts.0);
                self.writes(parts.1);
                let place = CommandPlace::Run;
                self.copy_bytes(place, (src.buffer, src.offset), (dst.buffer, dst.offset), size);
            }
            self.buffers_changed();
        }
    }

    /// Declares a copy between two ranges, and returns its wgpu encoder.
    fn encoder_to_copy(&mut self, src: AccessRange, dst: AccessRange) -> &mut wgpu::CommandEncoder {
        let place = self.place(&[src], &[dst]);
        self.encoder_at(place)
    }

    /// Declares a copy of `slices` slices, which uses the primary member if the texture has several.
    fn copies_texels(&mut self, texels: &TextureLocation<'r>, slices: u32, access: AccessKind) {
        if texels.texture.has_shadows() {
            // A pending clear precedes the copy, so it must change the members first.
            self.flush_clears(&texels.part(slices));
            let range = texels.range(slices);
            self.use_member(texels.texture, Member::PRIMARY, &range, access, Members::default());
        }
    }

    pub(super) fn buffer_to_texture(
        &mut self,
        src: TexelRows<'_>,
        dst: TextureLocation<'r>,
        extent: [u32; 3],
    ) {
        let (size, rows) = blocks(dst.texture.format, extent);
        let (from, to) = (src.part(rows, extent[2]), dst.part(extent[2]));
        self.copies_texels(&dst, extent[2], AccessKind::Write);
        if self.repacks(dst, src, extent, AccessKind::Write) {
            return;
        }
        let format = dst.texture.format;
        let aspect = match format {
            wgpu::TextureFormat::Depth16Unorm => wgpu::TextureAspect::DepthOnly,
            _ => wgpu::TextureAspect::All,
        };
        let is_part = dst.is_part_of_depth(extent);
        if is_part || (dst.is_depth() && format != wgpu::TextureFormat::Depth16Unorm) {
            self.reads(from);
            self.writes(to);
            if is_part {
                self.write_part_of_depth(src, dst, extent);
            } else {
                self.write_depth(src, dst, extent);
            }
            return;
        }
        self.encoder_to_copy(from, to).copy_buffer_to_texture(src.info(rows), dst.info(aspect), size);
    }

    pub(super) fn texture_to_buffer(
        &mut self,
        src: TextureLocation<'r>,
        dst: TexelRows<'_>,
        extent: [u32; 3],
    ) {
        let (size, rows) = blocks(src.texture.format, extent);
        let (from, to) = (src.part(extent[2]), dst.part(rows, extent[2]));
        self.copies_texels(&src, extent[2], AccessKind::Read);
        if self.repacks(src, dst, extent, AccessKind::Read) {
            return;
        }
        let (is_copied, aspect) = match src.texture.format {
            wgpu::TextureFormat::Depth16Unorm | wgpu::TextureFormat::Depth32Float => {
                (true, wgpu::TextureAspect::DepthOnly)
            }
            format => (!format.is_depth_stencil_format(), wgpu::TextureAspect::All),
        };
        let is_part = src.is_part_of_depth(extent);
        if is_part || !is_copied {
            self.reads(from);
            self.writes(to);
            if is_part {
                self.read_part_of_depth(src, dst, extent);
            } else {
                self.read_depth(src, dst, extent);
            }
            return;
        }
        self.encoder_to_copy(from, to).copy_texture_to_buffer(src.info(aspect), dst.info(rows), size);
    }

    fn texture_to_texture(
        &mut self,
        src: TextureLocation<'r>,
        dst: TextureLocation<'r>,
        mut extent: [u32; 3],
    ) {
        if src.texture.packing.is_some_and(|packing| packing.block() > 1) {
            // To wgpu these textures have no blocks, so a mip level can be narrower than a block.
            let left =
                |texels: &TextureLocation<'_>| texels.texture.mip_size(texels.mip).0 - texels.origin[0];
            extent[0] = extent[0].min(left(&src)).min(left(&dst));
        }
        let slices = extent[2];
        let same_texture = src.texture.id == dst.texture.id;
        // wgpu does not distinguish the depth slices of a mip level, so it refuses copies between them.
        let same_slices = src.texture.depth.is_some()
            || src.origin[2] < dst.origin[2] + slices && dst.origin[2] < src.origin[2] + slices;
        if same_texture && src.mip == dst.mip && src.origin == dst.origin {
            return;
        }
        let is_sampled = src.texture.samples > 1;
        if is_sampled
            && src.texture.format == dst.texture.format
            && (src.is_part(extent) || dst.is_part(extent))
        {
            return self.copy_samples(src, dst, extent);
        }
        let alike = src.texture.format.remove_srgb_suffix() == dst.texture.format.remove_srgb_suffix();
        let is_part = src.is_part_of_depth(extent) || dst.is_part_of_depth(extent);
        if alike && !is_part && !(same_texture && src.mip == dst.mip && same_slices) {
            let (size, _) = blocks(src.texture.format, extent);
            self.copies_texels(&src, slices, AccessKind::Read);
            self.copies_texels(&dst, slices, AccessKind::Write);
            self.encoder_to_copy(src.part(slices), dst.part(slices)).copy_texture_to_texture(
                src.info(wgpu::TextureAspect::All),
                dst.info(wgpu::TextureAspect::All),
                size,
            );
            return;
        }
        if is_sampled {
            let words = "a copy between multisampled textures of different formats is lost: wgpu has none";
            self.report(words);
            return;
        }
        // All other copies go through a buffer: between formats of a family, between blocks and texels,
        // within one subresource, and of parts of depth-stencil textures.
        let format = if src.is_depth() { dst.texture.format } else { src.texture.format };
        let (size, rows) = blocks(format, extent);
        let (block_width, _) = format.block_dimensions();
        let row = size.width / block_width * texel_bytes(format);
        let pitch = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let image = u64::from(pitch) * u64::from(rows);
        let between = self.temporary(image * u64::from(slices), wgpu::BufferUsages::empty());
        let rows = TexelRows { buffer: &between, id: 0, offset: 0, pitch };
        self.texture_to_buffer(src, rows, extent);
        self.buffer_to_texture(rows, dst, texels_of_blocks(dst.texture.format, src.texture.format, extent));
    }
}

/// Converts an extent in texels of format `of` to the texels of `format` in the same number of blocks.
fn texels_of_blocks(
    format: wgpu::TextureFormat,
    of: wgpu::TextureFormat,
    [width, height, slices]: [u32; 3],
) -> [u32; 3] {
    let (blocks, from) = (format.block_dimensions(), of.block_dimensions());
    if blocks == from {
        return [width, height, slices];
    }
    [width.div_ceil(from.0) * blocks.0, height.div_ceil(from.1) * blocks.1, slices]
}

fn texels<'r>(objects: &PageObjects<'r>, place: TexturePlace) -> Option<TextureLocation<'r>> {
    let texture = objects.texture(place.object)?;
    Some(TextureLocation { texture, mip: place.mip, origin: place.origin })
}

/// Returns the start of a copy in a buffer, as a range of size 0 because the copy has its own size.
fn buffer<'r>(objects: &PageObjects<'r>, place: BufferPlace) -> Option<BufferRange<'r>> {
    objects.buffer(place.object, place.offset, 0)
}
