//! Additions of D3D11.1: copies and updates with flags, and updates of regions of constant buffers.

use bytemuck::Pod;
use onze_ddi::{BindFlags, Box3d, Handle, ResourceDesc, Usage};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Resource, sealed::Sealed as _},
    report::{Error, MessageId},
    validate,
};

bitflags::bitflags! {
    /// Promises of the application about the destination of a copy or update (D3D11.1: `D3D11_COPY_FLAGS`,
    /// with its values).
    ///
    /// At most one flag can be set. Copies and updates are executed in order regardless of the flag. Contents
    /// that a flag makes undefined may be zero.
    #[doc(alias = "D3D11_COPY_FLAGS")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CopyFlags: u32 {
        /// The GPU does not use the destination region (`D3D11_COPY_NO_OVERWRITE`).
        #[doc(alias = "D3D11_COPY_NO_OVERWRITE")]
        const NO_OVERWRITE = 1;
        /// The contents outside the destination region become undefined (`D3D11_COPY_DISCARD`).
        #[doc(alias = "D3D11_COPY_DISCARD")]
        const DISCARD = 2;
    }
}

impl DeviceContext {
    /// Works like [`copy_subresource_region`](Self::copy_subresource_region), but accepts flags (D3D11.1:
    /// `CopySubresourceRegion1`).
    ///
    /// A call with both flags or with unknown flags is skipped and reported as
    /// [`MessageId::CopySubresourceRegionInvalid`].
    #[doc(alias = "CopySubresourceRegion1")]
    #[allow(clippy::too_many_arguments, reason = "these are Direct3D's")]
    pub fn copy_subresource_region1(
        &mut self,
        dst: &impl Resource,
        dst_subresource: u32,
        at: [u32; 3],
        src: &impl Resource,
        src_subresource: u32,
        src_box: Option<Box3d>,
        flags: CopyFlags,
    ) {
        match check_flags(flags) {
            Ok(()) => self.copy_subresource_region(dst, dst_subresource, at, src, src_subresource, src_box),
            Err(reason) => {
                let name = dst.owner().shared.name();
                let text = format_args!("{name}: {reason}");
                self.report_about(MessageId::CopySubresourceRegionInvalid, dst.key(), text);
            }
        }
    }

    /// Works like [`update_subresource`](Self::update_subresource), but accepts flags and can update regions
    /// of constant buffers (D3D11.1: `UpdateSubresource1`).
    ///
    /// In a constant buffer, the region must begin and end at a multiple of 16 bytes. The rest of the buffer
    /// keeps its contents or, with [`CopyFlags::DISCARD`], becomes zero, which is cheaper. A call with both
    /// flags or with unknown flags is skipped and reported as [`MessageId::UpdateSubresourceInvalid`].
    ///
    /// ```
    /// # use onze::{CopyFlags, prelude::*};
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let lights = device.create_buffer(&BufferDesc::new(256, BindFlags::CONSTANT_BUFFER), None)?;
    /// // The third light; each light has 16 bytes.
    /// let part = Box3d::bytes(32..48);
    /// context.update_subresource1(&lights, 0, Some(part), &[1.0_f32, 0.5, 0.0, 1.0], 0, 0, CopyFlags::empty());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "UpdateSubresource1")]
    #[allow(clippy::too_many_arguments, reason = "these are Direct3D's")]
    pub fn update_subresource1<T: Pod>(
        &mut self,
        dst: &impl Resource,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: &[T],
        row_pitch: u32,
        depth_pitch: u32,
        flags: CopyFlags,
    ) {
        let shared = &dst.owner().shared;
        let part = dst_box.filter(|_| {
            let is_constant = |desc: &ResourceDesc| {
                desc.usage() == Usage::Default && desc.bind_flags().contains(BindFlags::CONSTANT_BUFFER)
            };
            shared.resource_desc().is_some_and(is_constant)
        });
        let result = match (check_flags(flags), part) {
            (Err(reason), _) => Err(reason),
            (Ok(()), Some(part)) => {
                self.update_constants(dst, subresource, part, bytemuck::cast_slice(data), flags)
            }
            (Ok(()), None) => {
                self.update_subresource(dst, subresource, dst_box, data, row_pitch, depth_pitch);
                Ok(())
            }
        };
        if let Err(reason) = result {
            let text = format_args!("{}: {reason}", shared.name());
            self.report_about(MessageId::UpdateSubresourceInvalid, shared.key, text);
        }
    }

    /// Writes a region of a constant buffer, although drivers can only update it as a whole.
    fn update_constants(
        &mut self,
        dst: &impl Resource,
        subresource: u32,
        part: Box3d,
        bytes: &[u8],
        flags: CopyFlags,
    ) -> Result<(), String> {
        if self.handle_state_for(dst, ObjectUse::of(Call::UpdateSubresource)).is_err() {
            return Ok(());
        }
        let shared = &dst.owner().shared;
        let Some(ResourceDesc::Buffer(desc)) = shared.resource_desc() else { return Ok(()) };
        let Some(range) = validate::update_constants(desc, subresource, part, bytes.len())? else {
            return Ok(());
        };
        let bytes = &bytes[..range.len()];
        if flags.contains(CopyFlags::DISCARD) || range.len() == desc.byte_width as usize {
            let mut whole = vec![0; desc.byte_width as usize];
            whole[range].copy_from_slice(bytes);
            self.update_subresource(dst, 0, None, &whole, 0, 0);
            return Ok(());
        }
        let source = self.device().create_buffer_with(BindFlags::VERTEX_BUFFER, bytes);
        let source = source.map_err(|error: Error| error.to_string())?;
        if self.handle_state(&source).is_err() {
            return Ok(());
        }
        let (to, from) = (Handle::new(shared.key), Handle::new(source.key()));
        let (at, size) = ([range.start as u32, 0, 0], Box3d::bytes(0..range.len() as u32));
        self.core.with(move |f, cx| f.resource_copy_region(cx.entry(), to, 0, at, from, 0, Some(size)));
        Ok(())
    }
}

fn check_flags(flags: CopyFlags) -> Result<(), String> {
    match flags.bits() {
        0..=2 => Ok(()),
        3 => Err("CopyFlags::NO_OVERWRITE and DISCARD exclude each other; pass one of them".to_owned()),
        bits => Err(format!(
            "the flags {bits:#x} have unknown bits; pass CopyFlags::NO_OVERWRITE, DISCARD or none"
        )),
    }
}
