//! Copies between resources, recorded in call order relative to the draws.

use onze_ddi::{Box3d, Format, ResourceDesc, ResourceHandle, UnorderedAccessViewHandle};

use crate::{
    objects::{
        staging::Footprint,
        view::{BufferView, COUNTER_BYTES, View},
    },
    record::{
        command::Command,
        object_table::PageObject,
        page::{BufferPlace, CopyCommand, FillElement, TexturePlace},
        recorder::{
            NotRecorded, PageSink, PageWriter, RecordScope, Recorded,
            handle_state::{BUFFER, NOTED_READ, NOTED_WRITE, STAGING},
        },
    },
};

/// A texel's position in one subresource, with `slice` as the array slice.
#[derive(Copy, Clone, Debug)]
struct TexelOrigin {
    mip: u32,
    slice: u32,
    x: u32,
    y: u32,
    z: u32,
}

/// The source or destination of a copy: a texture or a staging texture.
#[derive(Copy, Clone, Debug)]
enum CopySide {
    Texture(TexturePlace),
    /// `place` is the start of the staging texture's wgpu buffer, and `at` is the subresource's footprint in
    /// it.
    Staging {
        place: BufferPlace,
        at: Footprint,
    },
}

impl<E: PageSink> RecordScope<'_, E> {
    pub(crate) fn resource_copy(&mut self, dst: ResourceHandle, src: ResourceHandle) -> Recorded<()> {
        match self.writer.resource(src)?.desc.clone() {
            ResourceDesc::Buffer(desc) => self.copy_bytes(dst, 0, src, 0..desc.byte_width),
            ResourceDesc::Texture(desc) => {
                let staged = self.writer.resource_state(dst)?.is(STAGING)
                    || self.writer.resource_state(src)?.is(STAGING);
                for mip in 0..desc.mip_levels {
                    let (width, height, depth) = desc.mip_extent(mip);
                    // One copy between textures covers all slices, but a copy to or from staging memory
                    // covers only one array slice.
                    let (calls, slices) =
                        if staged { (desc.array_size, depth) } else { (1, desc.array_size * depth) };
                    for slice in 0..calls {
                        let region = TexelOrigin { mip, slice, x: 0, y: 0, z: 0 };
                        self.copy_texels(dst, region, src, region, [width, height, slices])?;
                    }
                }
                Ok(())
            }
        }
    }

    pub(crate) fn resource_copy_region(
        &mut self,
        dst: ResourceHandle,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) -> Recorded<()> {
        match self.writer.resource(src)?.desc.clone() {
            ResourceDesc::Buffer(desc) => {
                let range = src_box.map_or(0..desc.byte_width, |b| b.left..b.right);
                self.copy_bytes(dst, dst_at[0], src, range)
            }
            ResourceDesc::Texture(desc) => {
                let (mip, slice) = desc.mip_and_slice(src_subresource);
                let (width, height, depth) = desc.mip_extent(mip);
                let part = src_box.unwrap_or(Box3d { back: depth, ..Box3d::rect(0, 0, width, height) });
                let from = TexelOrigin { mip, slice, x: part.left, y: part.top, z: part.front };
                let (mip, slice) = match &self.writer.resource(dst)?.desc {
                    ResourceDesc::Texture(desc) => desc.mip_and_slice(dst_subresource),
                    ResourceDesc::Buffer(_) => return Err(NotRecorded),
                };
                let to = TexelOrigin { mip, slice, x: dst_at[0], y: dst_at[1], z: dst_at[2] };
                let size = |end: u32, start: u32| end.saturating_sub(start);
                let extent =
                    [size(part.right, part.left), size(part.bottom, part.top), size(part.back, part.front)];
                self.copy_texels(dst, to, src, from, extent)
            }
        }
    }

    /// Writes one value to everything that a view shows. Texels and typed buffer views get the lowest bits of
    /// each component, while all other views are filled with the first component.
    pub(crate) fn clear_unordered_view(
        &mut self,
        view: UnorderedAccessViewHandle,
        values: [u32; 4],
    ) -> Recorded<()> {
        let Some(view) = self.writer.handles.object_as::<BufferView, _>(view) else {
            let format = self.writer.handles.object_as::<View, _>(view).ok_or(NotRecorded)?.desc.format;
            let view = self.writer.object(Some(view), PageObject::View);
            self.writer.copy(CopyCommand::FillTexture { element: FillElement::of(format, values), view });
            return Ok(());
        };
        let size = self.writer.resource_state(view.resource)?.size;
        let (first, most) = (view.desc.offset(), view.desc.size());
        let to = self.copy_target(view.resource, most == size)?;
        let dst = BufferPlace { object: to.object, offset: to.offset + u64::from(first) };
        let element = match view.desc.typed() {
            Some(format) => FillElement::of(format, values),
            None => FillElement::word(values[0]),
        };
        self.writer.copy(CopyCommand::Fill { element, dst, size: most.into() });
        Ok(())
    }

    pub(crate) fn set_structure_count(
        &mut self,
        view: UnorderedAccessViewHandle,
        count: u32,
    ) -> Recorded<()> {
        let dst = BufferPlace { object: self.writer.counter(view)?, offset: 0 };
        self.writer.copy(CopyCommand::Fill {
            element: FillElement::word(count),
            dst,
            size: COUNTER_BYTES.into(),
        });
        Ok(())
    }

    /// Sets the filled size of a buffer that stream output writes.
    pub(crate) fn set_filled_size(&mut self, target: ResourceHandle, size: u32) -> Recorded<()> {
        let dst = BufferPlace { object: self.writer.filled_size(target)?, offset: 0 };
        let size_bytes = size_of_val(&size) as u64;
        self.writer.copy(CopyCommand::Fill { element: FillElement::word(size), dst, size: size_bytes });
        Ok(())
    }

    /// Copies the hidden counter of a view into a buffer.
    pub(crate) fn copy_structure_count(
        &mut self,
        dst: ResourceHandle,
        offset: u32,
        view: UnorderedAccessViewHandle,
    ) -> Recorded<()> {
        let whole = offset == 0 && self.writer.resource_state(dst)?.size == COUNTER_BYTES;
        self.writer.mark_staging(dst, true);
        let to = self.copy_target(dst, whole)?;
        let src = BufferPlace { object: self.writer.counter(view)?, offset: 0 };
        let dst = BufferPlace { object: to.object, offset: to.offset + u64::from(offset) };
        self.writer.copy(CopyCommand::BufferToBuffer { src, dst, size: COUNTER_BYTES.into() });
        Ok(())
    }

    /// Averages the samples of a subresource into another subresource.
    pub(crate) fn resolve(
        &mut self,
        dst: ResourceHandle,
        dst_subresource: u32,
        src: ResourceHandle,
        src_subresource: u32,
        format: Format,
    ) -> Recorded<()> {
        let src = self.writer.subresource(src, src_subresource)?;
        let dst = self.writer.subresource(dst, dst_subresource)?;
        self.writer.copy(CopyCommand::Resolve { src, dst, format });
        Ok(())
    }

    fn copy_bytes(
        &mut self,
        dst: ResourceHandle,
        dst_at: u32,
        src: ResourceHandle,
        range: std::ops::Range<u32>,
    ) -> Recorded<()> {
        let size = range.end.checked_sub(range.start).filter(|size| *size > 0).ok_or(NotRecorded)?;
        // The source is looked up first, because `copy_target` may change the identity to the base storage if
        // source and destination are the same buffer.
        let from = self.writer.buffer(src, |_| ())?;
        let whole = dst_at == 0 && size == self.writer.resource_state(dst)?.size && dst != src;
        self.writer.mark_staging(src, false);
        self.writer.mark_staging(dst, true);
        let to = self.copy_target(dst, whole)?;
        self.writer.copy(CopyCommand::BufferToBuffer {
            src: BufferPlace { object: from.object, offset: u64::from(from.offset) + u64::from(range.start) },
            dst: BufferPlace { object: to.object, offset: to.offset + u64::from(dst_at) },
            size: size.into(),
        });
        Ok(())
    }

    fn copy_texels(
        &mut self,
        dst: ResourceHandle,
        to: TexelOrigin,
        src: ResourceHandle,
        from: TexelOrigin,
        extent: [u32; 3],
    ) -> Recorded<()> {
        let (format, dst_format) = (self.writer.format(src)?, self.writer.format(dst)?);
        let (src_side, dst_side) = (self.writer.side(src, from)?, self.writer.side(dst, to)?);
        self.writer.mark_staging(src, false);
        self.writer.mark_staging(dst, true);
        let extent = whole_blocks(format, extent);
        let has_other_rows = |side: &CopySide| match side {
            CopySide::Texture(_) => false,
            CopySide::Staging { at, .. } => at.rows != format.rows(extent[1]),
        };
        if extent[2] > 1 && (has_other_rows(&src_side) || has_other_rows(&dst_side)) {
            // A depth slice in staging memory has more rows than are copied, so each slice needs a separate
            // copy.
            for z in 0..extent[2] {
                let (to, from) = (TexelOrigin { z: to.z + z, ..to }, TexelOrigin { z: from.z + z, ..from });
                self.copy_texels(dst, to, src, from, [extent[0], extent[1], 1])?;
            }
            return Ok(());
        }
        match (src_side, dst_side) {
            (CopySide::Texture(src), CopySide::Texture(dst)) => {
                self.writer.copy(CopyCommand::TextureToTexture { src, dst, extent });
            }
            (CopySide::Texture(src), CopySide::Staging { place, at }) => {
                let dst = texel(place, at, dst_format, to);
                self.writer.copy(CopyCommand::TextureToBuffer {
                    src,
                    dst,
                    bytes_per_row: at.row_pitch,
                    extent,
                });
            }
            (CopySide::Staging { place, at }, CopySide::Texture(dst)) => {
                let src = texel(place, at, format, from);
                let (width, height) = dst_format.texels_of_blocks(format, (extent[0], extent[1]));
                let extent = [width, height, extent[2]];
                self.writer.copy(CopyCommand::BufferToTexture {
                    src,
                    bytes_per_row: at.row_pitch,
                    dst,
                    extent,
                });
            }
            (CopySide::Staging { place: a, at: from_at }, CopySide::Staging { place: b, at: to_at }) => {
                for z in 0..extent[2] {
                    let from = texel(a, from_at, format, TexelOrigin { z: from.z + z, ..from });
                    let to = texel(b, to_at, dst_format, TexelOrigin { z: to.z + z, ..to });
                    self.writer.copy_rows((from, from_at), (to, to_at), format, extent);
                }
            }
        }
        Ok(())
    }
}

impl<E: PageSink> PageWriter<'_, E> {
    /// Appends a copy, and lists it as unconditional if it must ignore the predicate.
    pub(crate) fn copy(&mut self, copy: CopyCommand) {
        let index = self.r.page.copies.len() as u32;
        if self.r.is_predicated() && (self.r.is_unconditional || matches!(copy, CopyCommand::ToBase { .. })) {
            self.r.page.unconditional.push(index);
        }
        self.r.page.copies.push(copy);
        self.work(Command::Copy(index));
    }

    /// Records that commands use a staging resource, and ignores other resources.
    pub(crate) fn mark_staging(&mut self, handle: ResourceHandle, written: bool) {
        let Ok(state) = self.resource_state(handle) else { return };
        if !state.is(STAGING) {
            return;
        }
        let noted = if written { NOTED_WRITE } else { NOTED_READ };
        let is_new = !state.is(noted);
        self.resource_state_mut(handle).into_iter().for_each(|state| state.flags |= noted);
        // A list records the use once, whereas the immediate context records it at every command, because a
        // new submission may have begun since the last command.
        if (is_new || E::IS_IMMEDIATE)
            && let Some(resource) = self.handles.object_as(handle)
        {
            self.r.end.use_staging(&resource, written);
        }
    }

    fn format(&self, handle: ResourceHandle) -> Recorded<Format> {
        match &self.resource(handle)?.desc {
            ResourceDesc::Texture(desc) => Ok(desc.format),
            ResourceDesc::Buffer(_) => Err(NotRecorded),
        }
    }

    fn subresource(&mut self, handle: ResourceHandle, subresource: u32) -> Recorded<TexturePlace> {
        let (mip, slice) = match &self.resource(handle)?.desc {
            ResourceDesc::Texture(desc) => desc.mip_and_slice(subresource),
            ResourceDesc::Buffer(_) => return Err(NotRecorded),
        };
        let object = self.texture(handle)?;
        Ok(TexturePlace { object, mip, origin: [0, 0, slice] })
    }

    fn side(&mut self, handle: ResourceHandle, region: TexelOrigin) -> Recorded<CopySide> {
        if self.resource_state(handle)?.is(BUFFER) {
            let (subresource, staging) = {
                let resource = self.resource(handle)?;
                let ResourceDesc::Texture(desc) = &resource.desc else {
                    return Err(NotRecorded);
                };
                (region.mip + region.slice * desc.mip_levels, resource.staging().ok_or(NotRecorded)?)
            };
            let at = staging.footprint(subresource).ok_or(NotRecorded)?;
            let buffer = self.buffer(handle, |_| ())?;
            return Ok(CopySide::Staging {
                place: BufferPlace { object: buffer.object, offset: buffer.offset.into() },
                at,
            });
        }
        let object = self.texture(handle)?;
        Ok(CopySide::Texture(TexturePlace {
            object,
            mip: region.mip,
            origin: [region.x, region.y, region.slice + region.z],
        }))
    }

    /// Copies a rectangle between two buffers. Uses one copy if both buffers have the same row pitch and
    /// whole rows are copied, and otherwise one copy per row.
    fn copy_rows(
        &mut self,
        src: (BufferPlace, Footprint),
        dst: (BufferPlace, Footprint),
        format: Format,
        extent: [u32; 3],
    ) {
        let (row, rows) = (u64::from(format.row_pitch(extent[0])), u64::from(format.rows(extent[1])));
        let (from_pitch, to_pitch) = (u64::from(src.1.row_pitch), u64::from(dst.1.row_pitch));
        if from_pitch == to_pitch && row >= u64::from(dst.1.row_bytes) && rows > 0 {
            // The bytes between the rows are padding and may be overwritten.
            let size = from_pitch * (rows - 1) + row;
            self.copy(CopyCommand::BufferToBuffer { src: src.0, dst: dst.0, size });
            return;
        }
        for n in 0..rows {
            self.copy(CopyCommand::BufferToBuffer {
                src: BufferPlace { offset: src.0.offset + n * from_pitch, ..src.0 },
                dst: BufferPlace { offset: dst.0.offset + n * to_pitch, ..dst.0 },
                size: row,
            });
        }
    }
}

/// Location of a texel in staging memory, where each row contains one row of blocks.
fn texel(place: BufferPlace, at: Footprint, format: Format, region: TexelOrigin) -> BufferPlace {
    let TexelOrigin { x, y, z, .. } = region;
    let (width, height) = format.block_size();
    let row = u64::from(y / height.max(1)) * u64::from(at.row_pitch);
    let column = u64::from(x / width.max(1)) * u64::from(format.bytes_per_block());
    let slice = u64::from(z) * u64::from(at.depth_pitch());
    BufferPlace { offset: place.offset + u64::from(at.offset) + slice + row + column, ..place }
}

/// Rounds an extent up to whole blocks, because a small mip level of a compressed texture may end inside a
/// block.
pub(super) fn whole_blocks(format: Format, extent: [u32; 3]) -> [u32; 3] {
    let (width, height) = format.block_size();
    [extent[0].next_multiple_of(width.max(1)), extent[1].next_multiple_of(height.max(1)), extent[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_of_a_compressed_texture_lie_in_rows_of_blocks() {
        let at = Footprint { offset: 1024, row_pitch: 256, row_bytes: 64, rows: 8, slices: 3 };
        let place = BufferPlace { object: 3, offset: 16 };
        let region = TexelOrigin { mip: 0, slice: 0, x: 8, y: 4, z: 2 };
        let found = texel(place, at, Format::BC1_UNORM, region);
        assert_eq!(found, BufferPlace { object: 3, offset: 16 + 1024 + 2 * 8 * 256 + 256 + 16 });
        assert_eq!(whole_blocks(Format::BC1_UNORM, [2, 1, 5]), [4, 4, 5]);
        assert_eq!(whole_blocks(Format::R8_UNORM, [2, 1, 5]), [2, 1, 5]);
    }
}
