//! Copies between resources, and updates from memory.

use bytemuck::Pod;
use onze_ddi::{Box3d, Handle, ResourceDesc, ResourceHandle, SubresourceData};

use super::{
    DeviceContext, Skipped,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::{HandleState, ObjectFlags, ObjectShared},
    objects::{Buffer, Resource, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
    validate,
};

impl DeviceContext {
    /// Copies all subresources of a resource to another resource (D3D11: `CopyResource`).
    ///
    /// Both resources must have the same type and size, and the same number of mip levels, array slices and
    /// samples. Their formats must belong to the same typeless family, and the destination must not be
    /// immutable. Otherwise the call is skipped and reported as [`MessageId::CopyResourceInvalid`].
    #[doc(alias = "CopyResource")]
    pub fn copy_resource(&mut self, dst: &impl Resource, src: &impl Resource) {
        let id = MessageId::CopyResourceInvalid;
        let Ok((dst, src)) = self.copy_pair(id, dst, src) else { return };
        let (Some(to), Some(from)) = (self.resource_desc(dst), self.resource_desc(src)) else { return };
        let result = if dst == src {
            Err("both are the same resource; copy into another one".to_owned())
        } else {
            Ok(())
        };
        match result.and_then(|()| validate::copy_resource(to, from)) {
            Ok(()) => {
                self.core.with(move |f, cx| f.resource_copy(cx.entry(), dst, src));
            }
            Err(reason) => {
                let (to, from) = (self.name_of(Some(dst.key())), self.name_of(Some(src.key())));
                self.report_about(id, [src.key(), dst.key()], format_args!("from {from} to {to}: {reason}"));
            }
        }
    }

    /// Copies a region of a subresource (D3D11: `CopySubresourceRegion`).
    ///
    /// `at` is the position (x, y, z) in the destination, and `src_box` is the region of the source, or
    /// `None` for the whole subresource. Both are in bytes for buffers and in texels for textures. An empty
    /// box copies nothing. If source and destination are not compatible, the call is skipped and reported as
    /// [`MessageId::CopySubresourceRegionInvalid`], whereas D3D11 leaves the result undefined.
    #[doc(alias = "CopySubresourceRegion")]
    pub fn copy_subresource_region(
        &mut self,
        dst: &impl Resource,
        dst_subresource: u32,
        at: [u32; 3],
        src: &impl Resource,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) {
        let id = MessageId::CopySubresourceRegionInvalid;
        let Ok((dst, src)) = self.copy_pair(id, dst, src) else { return };
        let (Some(to), Some(from)) = (self.resource_desc(dst), self.resource_desc(src)) else { return };
        let same = dst == src && dst_subresource == src_subresource;
        match validate::copy_region(to, dst_subresource, at, from, src_subresource, src_box, same) {
            Ok(None) => {}
            Ok(Some(src_box)) => {
                self.core.with(move |f, cx| {
                    f.resource_copy_region(
                        cx.entry(),
                        dst,
                        dst_subresource,
                        at,
                        src,
                        src_subresource,
                        Some(src_box),
                    );
                });
            }
            Err(reason) => {
                let (to, from) = (self.name_of(Some(dst.key())), self.name_of(Some(src.key())));
                self.report_about(id, [src.key(), dst.key()], format_args!("from {from} to {to}: {reason}"));
            }
        }
    }

    /// Copies the hidden counter of a view, a `u32`, to a buffer at `aligned_byte_offset` bytes (D3D11:
    /// `CopyStructureCount`).
    ///
    /// The copied value is the counter's value at this point of the command stream. The destination can be
    /// any buffer that copies may write to, such as a buffer of indirect arguments, a constant buffer, or a
    /// staging buffer for reading back. The view must have a counter
    /// ([`BufferUavFlags`](crate::BufferUavFlags)), the offset must be a multiple of 4, the 4 bytes must be
    /// within the buffer, and the buffer must not be mapped. Otherwise the call is skipped and reported as
    /// [`MessageId::CopyStructureCountInvalid`].
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let particles = device.create_buffer(&BufferDesc::structured(32, 1000, BindFlags::UNORDERED_ACCESS), None)?;
    /// let desc = UnorderedAccessViewDesc::counted_buffer(0, u32::MAX);
    /// let view = device.create_unordered_access_view(&particles, Some(&desc))?;
    /// // Four vertices for each particle that shaders have appended.
    /// let arguments = DrawInstancedIndirectArgs { vertex_count_per_instance: 4, ..Default::default() };
    /// let bytes = bytemuck::bytes_of(&arguments);
    /// let buffer = device.create_buffer(&BufferDesc::indirect(16, BindFlags::empty()), Some(bytes))?;
    /// context.copy_structure_count(&buffer, 4, &view);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CopyStructureCount")]
    pub fn copy_structure_count(
        &mut self,
        dst: &Buffer,
        aligned_byte_offset: u32,
        src: &UnorderedAccessView,
    ) {
        let id = MessageId::CopyStructureCountInvalid;
        let used = ObjectUse::of(Call::CopyStructureCount);
        if self.handle_state_for(dst, used.as_destination()).is_err()
            || self.handle_state_for(src, used.as_source()).is_err()
        {
            return;
        }
        let Some(view) = src.desc() else { return };
        let (to, name) = (dst.desc(), dst.owner().shared.name());
        if self.is_mapped(dst.key()) {
            self.report_about(id, dst.key(), format_args!("{name} is mapped; unmap it first"));
        } else if let Err(reason) = validate::copy_structure_count(to, aligned_byte_offset, view) {
            let text = format_args!("from {} to {name}: {reason}", src.owner().shared.name());
            self.report_about(id, [src.key(), dst.key()], text);
        } else {
            self.note_contents(dst.key());
            let (dst, src) = (Handle::new(dst.key()), Handle::new(src.key()));
            self.core.with(move |f, cx| f.copy_structure_count(cx.entry(), dst, aligned_byte_offset, src));
        }
    }

    /// Writes data into a default-usage resource at this point of the command stream (D3D11:
    /// `UpdateSubresource`).
    ///
    /// `dst_box` is in bytes for buffers and in texels for textures; `None` means the whole subresource. A
    /// constant buffer must be written as a whole. The pitches are in bytes. `row_pitch` is the distance
    /// between rows of texels or blocks, and is ignored for buffers. `depth_pitch` is the distance between
    /// depth slices, and is used only for 3D textures. The data is read before the call returns. If the data
    /// does not have the right size, the call is skipped and reported as
    /// [`MessageId::UpdateSubresourceInvalid`].
    #[doc(alias = "UpdateSubresource")]
    #[inline]
    pub fn update_subresource<T: Pod>(
        &mut self,
        dst: &impl Resource,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: &[T],
        row_pitch: u32,
        depth_pitch: u32,
    ) {
        let data = SubresourceData { bytes: bytemuck::cast_slice(data), row_pitch, depth_pitch };
        let is_whole = subresource == 0 && dst_box.is_none();
        if !(is_whole && self.update_whole(Handle::new(dst.key()), &data)) {
            self.update_part(dst, subresource, dst_box, data);
        }
    }

    /// Fast path: updates a whole constant buffer while no map token is open, reading only the handle's state
    /// and not the buffer. Returns false, without any effect, if the slow path is needed.
    #[inline(never)]
    fn update_whole(&mut self, dst: ResourceHandle, data: &SubresourceData<'_>) -> bool {
        let Some(state) = self.core.handles.runtime::<HandleState>(dst.key()) else { return false };
        if state.flags & ObjectFlags::UPDATED_WHOLE.bits() == 0
            || data.bytes.len() < state.byte_width as usize
            || !self.core.rt.owned_maps.is_empty()
        {
            return false;
        }
        self.core.with(move |f, cx| f.resource_update_subresource(cx.entry(), dst, 0, None, *data));
        true
    }

    #[inline(never)]
    fn update_part(
        &mut self,
        dst: &impl Resource,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) {
        let SubresourceData { bytes, row_pitch, depth_pitch } = data;
        if self.handle_state_for(dst, ObjectUse::of(Call::UpdateSubresource)).is_err() {
            return;
        }
        let handle: ResourceHandle = Handle::new(dst.key());
        // The buffer is now open in this context, so the fast path may apply even if this is its first
        // update.
        if !(subresource == 0 && dst_box.is_none() && self.update_whole(handle, &data)) {
            self.update_any(handle, subresource, dst_box, bytes, (row_pitch, depth_pitch));
        }
    }

    fn enter_update(
        &mut self,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        bytes: &[u8],
        (row_pitch, depth_pitch): (u32, u32),
    ) {
        let data = SubresourceData { bytes, row_pitch, depth_pitch };
        self.core
            .with(move |f, cx| f.resource_update_subresource(cx.entry(), dst, subresource, dst_box, data));
    }

    fn update_any(
        &mut self,
        handle: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        bytes: &[u8],
        (row_pitch, depth_pitch): (u32, u32),
    ) {
        let id = MessageId::UpdateSubresourceInvalid;
        let mapped = self.is_mapped(handle.key());
        let Some(desc) = self.resource_desc(handle) else { return };
        if mapped {
            let text = format_args!("{} is mapped; unmap it first", self.name_of(Some(handle.key())));
            self.report_about(id, handle.key(), text);
            return;
        }
        match validate::update_subresource(desc, subresource, dst_box, bytes.len(), row_pitch, depth_pitch) {
            Ok(None) => {}
            Ok(Some(region)) => {
                let whole = matches!(desc, ResourceDesc::Buffer(d) if region.left == 0 && region.right == d.byte_width);
                let apart = rows_apart(desc, region, bytes, (row_pitch, depth_pitch));
                if let Some((_, (row, _))) = apart {
                    self.report_overlap(handle, row, row_pitch);
                }
                let region = (!whole).then_some(region);
                let (bytes, pitches) = apart
                    .as_ref()
                    .map_or((bytes, (row_pitch, depth_pitch)), |(bytes, pitches)| (&bytes[..], *pitches));
                self.enter_update(handle, subresource, region, bytes, pitches);
            }
            Err(reason) => {
                let text = format_args!("{}: {reason}", self.name_of(Some(handle.key())));
                self.report_about(id, handle.key(), text);
            }
        }
    }

    #[cold]
    fn report_overlap(&self, handle: ResourceHandle, row: u32, row_pitch: u32) {
        let name = self.name_of(Some(handle.key()));
        let text = format_args!("{name}: a row has {row} bytes, and the row pitch is {row_pitch}");
        self.report_about(MessageId::UpdateSubresourceRowsOverlap, handle.key(), text);
    }

    /// Opens both resources of a copy. A resource that is mapped or cannot be opened is reported.
    fn copy_pair(
        &mut self,
        id: MessageId,
        dst: &impl Resource,
        src: &impl Resource,
    ) -> Result<(ResourceHandle, ResourceHandle), Skipped> {
        let used = match id {
            MessageId::CopyResourceInvalid => ObjectUse::of(Call::CopyResource),
            _ => ObjectUse::of(Call::CopySubresourceRegion),
        };
        self.handle_state_for(dst, used.as_destination())?;
        self.handle_state_for(src, used.as_source())?;
        let (dst, src) = (Handle::new(dst.key()), Handle::new(src.key()));
        for handle in [dst, src] {
            if self.is_mapped(handle.key()) {
                let name = self.core.shared(handle.key()).map(ObjectShared::name).unwrap_or_default();
                self.report_about(id, handle.key(), format_args!("{name} is mapped; unmap it first"));
                return Err(Skipped);
            }
        }
        self.note_contents(dst.key());
        Ok((dst, src))
    }

    fn resource_desc(&self, handle: ResourceHandle) -> Option<&ResourceDesc> {
        self.core.shared(handle.key())?.resource_desc()
    }
}

/// Copies rows that overlap in memory, and returns separate rows with their pitches, or `None` if the rows do
/// not overlap. Direct3D 11 accepts overlapping rows, but drivers of this interface do not.
fn rows_apart(
    desc: &ResourceDesc,
    region: Box3d,
    bytes: &[u8],
    (row_pitch, depth_pitch): (u32, u32),
) -> Option<(Vec<u8>, (u32, u32))> {
    let ResourceDesc::Texture(texture) = desc else { return None };
    let row = texture.format.row_pitch(region.right - region.left);
    let rows = texture.format.rows(region.bottom - region.top);
    if row_pitch >= row || rows < 2 {
        return None;
    }
    let at = |z: u32, y: u32| z as usize * depth_pitch as usize + y as usize * row_pitch as usize;
    let starts = (0..region.back - region.front).flat_map(|z| (0..rows).map(move |y| at(z, y)));
    let apart = starts.flat_map(|at| bytes.get(at..at + row as usize).unwrap_or_default());
    Some((apart.copied().collect(), (row, row.saturating_mul(rows))))
}
