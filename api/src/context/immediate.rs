//! The immediate context, which submits commands for execution (D3D11: the immediate `ID3D11DeviceContext`).

use std::{
    collections::VecDeque,
    ops::{Deref, DerefMut},
    sync::{Arc, PoisonError},
};

use bytemuck::Pod;
use onze_ddi::{
    BufferDesc, CpuAccessFlags, FlushFlags, Format, HandleStorage, MapType, PrivateData, TextureDesc,
};

use super::{
    ContextCore, ContextTable, DeviceContext,
    bound::Bound,
    map::MappedSubresource,
    runtime::{ContextKind, Parked},
};
use crate::{
    device_core::{
        DeviceCore,
        platform::{CAN_WAIT, turn},
    },
    objects::{Buffer, Resource, Texture1d, Texture2d, Texture3d},
    report::Error,
};

/// The context that submits commands to the GPU (D3D11: the result of `ID3D11Device::GetImmediateContext`).
/// Only this context can flush and read back.
///
/// This type dereferences to [`DeviceContext`], which has the recording calls. It is `Send` but not `Sync`,
/// so any thread can use it, but only one at a time. Each device has one immediate context, which is created
/// with the device. When you port D3D11 code that calls `GetImmediateContext` in many functions, store the
/// context beside the device and pass it to these functions.
#[doc(alias = "GetImmediateContext")]
#[derive(Debug)]
pub struct ImmediateContext {
    context: Box<DeviceContext>,
}

impl ImmediateContext {
    pub(crate) fn new(device: &Arc<DeviceCore>, private: PrivateData) -> Self {
        let kind = ContextKind::Immediate { waiting: VecDeque::new() };
        let half = (private, HandleStorage::new());
        Self {
            context: DeviceContext::boxed(ContextCore::new(
                device,
                ContextTable::immediate(device),
                half,
                kind,
            )),
        }
    }

    /// Submits the recorded commands, and destroys dropped objects that nothing uses any more (D3D11:
    /// `Flush`). The call waits only if the GPU lags by many submissions.
    ///
    /// An object that was dropped while a context, a list or another object used it may be destroyed as late as about 16
    /// flushes after its last use, if more than 32 such objects are waiting and the program drops nothing else.
    #[doc(alias = "Flush")]
    pub fn flush(&mut self) {
        self.flush_with(FlushFlags::UNLESS_NO_COMMANDS);
    }

    /// Flushes, and frees all memory that is kept for reuse: memory of dropped objects, and the driver's
    /// upload memory. The next frames are slightly slower, so call it only when a level ends or the
    /// application goes into the background. D3D11: `IDXGIDevice3::Trim`, which is a method of the device.
    /// Here it is a method of the immediate context, because trimming submits commands.
    ///
    /// Without this call, memory that is kept for reuse is freed within a few hundred submissions, except for
    /// a small amount of each kind. Memory that the GPU still uses is freed once the GPU has finished. A
    /// deferred context keeps its memory until it is dropped.
    #[doc(alias = "Trim")]
    pub fn trim(&mut self) {
        self.core.device.trim();
        self.flush_with(FlushFlags::UNLESS_NO_COMMANDS | FlushFlags::TRIM_MEMORY);
    }

    pub(super) fn flush_with(&mut self, flags: FlushFlags) {
        self.sweep_owned_maps();
        self.drain_released();
        self.core.with_immediate(|f, cx| f.flush(cx.entry(), flags));
        self.drain_released();
    }

    /// Returns the number of objects that the application has dropped but that are not destroyed yet.
    pub fn waiting_for_destruction(&self) -> usize {
        self.core.rt.waiting() + self.core.device.released()
    }

    pub(crate) fn drain_released(&mut self) {
        let ContextCore { device, private, handles, rt, .. } = &mut self.context.core;
        let _serial = device.serial.enter();
        rt.drain(&mut **private, handles);
    }

    /// Waits for the GPU and returns the contents of a buffer as values, omitting remaining bytes that do not
    /// fill a value.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in a browser, because calls cannot block there (use
    /// [`read_buffer_async`](Self::read_buffer_async) instead); [`Error::InvalidArg`] for a buffer of another
    /// device; [`Error::InvalidCall`] for a mapped buffer; [`Error::DeviceRemoved`]; [`Error::OutOfMemory`].
    pub fn read_buffer<T: Pod>(&mut self, buffer: &Buffer) -> Result<Vec<T>, Error> {
        check_waits()?;
        let staging = self.copy_of_buffer(buffer)?;
        Ok(values(&self.map(&staging, 0, MapType::Read)?))
    }

    /// Asynchronous version of [`read_buffer`](Self::read_buffer), which also works in a browser without
    /// blocking it, although the first poll of the future blocks on other platforms.
    ///
    /// The context stays borrowed until the GPU has finished. An application that needs the context in the
    /// meantime can copy to a staging buffer, and map the staging buffer with
    /// [`MapFlags::DO_NOT_WAIT`](crate::MapFlags::DO_NOT_WAIT) in later frames.
    ///
    /// # Errors
    /// Returns the same errors as [`read_buffer`](Self::read_buffer), except for [`Error::Unsupported`] in a
    /// browser.
    pub async fn read_buffer_async<T: Pod>(&mut self, buffer: &Buffer) -> Result<Vec<T>, Error> {
        let staging = self.copy_of_buffer(buffer)?;
        self.ready(&staging, 0).await?;
        Ok(values(&self.map(&staging, 0, MapType::Read)?))
    }

    /// Waits for the GPU and returns the texels of a subresource of a 1D texture, without padding.
    ///
    /// # Errors
    /// Returns the same errors as [`read_buffer`](Self::read_buffer).
    pub fn read_texture_1d(&mut self, texture: &Texture1d, subresource: u32) -> Result<Vec<u8>, Error> {
        check_waits()?;
        self.read_texels(texture, texture.texture(), subresource)
    }

    /// Asynchronous version of [`read_texture_1d`](Self::read_texture_1d), which also works in a browser,
    /// like [`read_buffer_async`](Self::read_buffer_async).
    ///
    /// # Errors
    /// Returns the same errors as [`read_texture_1d`](Self::read_texture_1d), except for
    /// [`Error::Unsupported`] in a browser.
    pub async fn read_texture_1d_async(
        &mut self,
        texture: &Texture1d,
        subresource: u32,
    ) -> Result<Vec<u8>, Error> {
        self.read_texels_async(texture, texture.texture(), subresource).await
    }

    /// Waits for the GPU and returns the texels of a subresource as rows of texels or blocks, without
    /// padding.
    ///
    /// # Errors
    /// Returns the same errors as [`read_buffer`](Self::read_buffer).
    pub fn read_texture_2d(&mut self, texture: &Texture2d, subresource: u32) -> Result<Vec<u8>, Error> {
        check_waits()?;
        self.read_texels(texture, texture.texture(), subresource)
    }

    /// Asynchronous version of [`read_texture_2d`](Self::read_texture_2d), which also works in a browser,
    /// like [`read_buffer_async`](Self::read_buffer_async).
    ///
    /// # Errors
    /// Returns the same errors as [`read_texture_2d`](Self::read_texture_2d), except for
    /// [`Error::Unsupported`] in a browser.
    pub async fn read_texture_2d_async(
        &mut self,
        texture: &Texture2d,
        subresource: u32,
    ) -> Result<Vec<u8>, Error> {
        self.read_texels_async(texture, texture.texture(), subresource).await
    }

    /// Waits for the GPU and returns the texels of a mip level of a 3D texture, each depth slice as rows of
    /// texels or blocks without padding.
    ///
    /// # Errors
    /// Returns the same errors as [`read_buffer`](Self::read_buffer).
    pub fn read_texture_3d(&mut self, texture: &Texture3d, mip_slice: u32) -> Result<Vec<u8>, Error> {
        check_waits()?;
        self.read_texels(texture, texture.texture(), mip_slice)
    }

    /// Asynchronous version of [`read_texture_3d`](Self::read_texture_3d), which also works in a browser,
    /// like [`read_buffer_async`](Self::read_buffer_async).
    ///
    /// # Errors
    /// Returns the same errors as [`read_texture_3d`](Self::read_texture_3d), except for
    /// [`Error::Unsupported`] in a browser.
    pub async fn read_texture_3d_async(
        &mut self,
        texture: &Texture3d,
        mip_slice: u32,
    ) -> Result<Vec<u8>, Error> {
        self.read_texels_async(texture, texture.texture(), mip_slice).await
    }

    fn read_texels(
        &mut self,
        texture: &impl Resource,
        desc: &TextureDesc,
        subresource: u32,
    ) -> Result<Vec<u8>, Error> {
        let staging = self.copy_of_texture(texture, desc, subresource)?;
        Ok(texels(&self.map(&staging, subresource, MapType::Read)?, desc, subresource))
    }

    async fn read_texels_async(
        &mut self,
        texture: &impl Resource,
        desc: &TextureDesc,
        subresource: u32,
    ) -> Result<Vec<u8>, Error> {
        let staging = self.copy_of_texture(texture, desc, subresource)?;
        self.ready(&staging, subresource).await?;
        Ok(texels(&self.map(&staging, subresource, MapType::Read)?, desc, subresource))
    }

    /// Waits until a staging resource can be mapped, on platforms where calls cannot block.
    async fn ready(&mut self, staging: &impl Resource, subresource: u32) -> Result<(), Error> {
        if CAN_WAIT {
            return Ok(());
        }
        self.flush();
        while let Err(error) = self.map(staging, subresource, MapType::Read).map(drop) {
            if error != Error::WasStillDrawing {
                return Err(error);
            }
            turn().await;
        }
        Ok(())
    }

    /// Creates a staging buffer with the contents of another buffer.
    fn copy_of_buffer(&mut self, buffer: &Buffer) -> Result<Buffer, Error> {
        self.check_read(buffer)?;
        let desc = BufferDesc::staging(buffer.desc().byte_width, CpuAccessFlags::READ);
        let staging = self.device().create_buffer(&desc, None)?;
        self.copy_to_read(&staging, buffer);
        Ok(staging)
    }

    /// Copies without predication, so that the predicate does not skip the copy.
    fn copy_to_read(&mut self, dst: &impl Resource, src: &impl Resource) {
        let predication = self.core.rt.bound.predication;
        // Keeps the predicate alive while it is unbound, because there may be no other reference.
        let _kept = predication.predicate.and_then(|handle| self.core.shared_arc(handle.key()));
        self.bind_predication(onze_ddi::PredicationBinding::default());
        self.copy_resource(dst, src);
        self.bind_predication(predication);
    }

    /// Creates a staging texture with the contents of a texture, or fails if the texture does not have the
    /// given subresource.
    pub(super) fn copy_of_texture<T: Resource>(
        &mut self,
        texture: &T,
        desc: &TextureDesc,
        subresource: u32,
    ) -> Result<T, Error> {
        self.check_read(texture)?;
        if subresource >= desc.subresources() {
            let count = desc.subresources();
            return Err(Error::InvalidArg(format!("subresource {subresource} is not below {count}")));
        }
        if desc.sample_count > 1 {
            let (name, count) = (texture.owner().shared.name(), desc.sample_count);
            return Err(Error::InvalidArg(format!(
                "{name} has {count} samples for each texel; read the texture that it is resolved into"
            )));
        }
        // Copies all subresources, because regions of a depth texture cannot be copied. The CPU maps a depth
        // texture as a colour format with the same bits.
        let format = match desc.format {
            Format::D32_FLOAT => Format::R32_FLOAT,
            Format::D16_UNORM => Format::R16_UNORM,
            depth if depth.is_depth_stencil() => depth.family(),
            color => color,
        };
        let staging = TextureDesc {
            format,
            usage: onze_ddi::Usage::Staging,
            bind_flags: onze_ddi::BindFlags::empty(),
            cpu_access_flags: CpuAccessFlags::READ,
            misc_flags: onze_ddi::MiscFlags::empty(),
            ..desc.clone()
        };
        let staging: T = self.device().create_texture_shaped(staging)?;
        self.copy_to_read(&staging, texture);
        Ok(staging)
    }

    /// Fails with the reason if `copy_resource` would skip the copy.
    pub(super) fn check_read(&mut self, resource: &impl Resource) -> Result<(), Error> {
        self.core.device.check_removed()?;
        self.device().own(&resource.owner().shared)?;
        if self.is_mapped(resource.key()) {
            return Err(Error::InvalidCall(format!("{} is mapped", resource.owner().shared.name())));
        }
        Ok(())
    }
}

/// Fails on platforms where calls cannot block, such as browsers.
pub(super) fn check_waits() -> Result<(), Error> {
    if CAN_WAIT {
        return Ok(());
    }
    let words = "calls cannot wait for the GPU in a browser: await the method's asynchronous form, or copy to a \
                 staging resource, and map it with MapFlags::DO_NOT_WAIT in a later frame";
    Err(Error::Unsupported(words.to_owned()))
}

/// Converts bytes to values, omitting remaining bytes that do not fill a value.
fn values<T: Pod>(bytes: &[u8]) -> Vec<T> {
    if size_of::<T>() == 0 {
        return Vec::new();
    }
    let whole = bytes.len() - bytes.len() % size_of::<T>();
    let mut values = vec![T::zeroed(); whole / size_of::<T>()];
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(&bytes[..whole]);
    values
}

/// Returns the texels of a mapped subresource without row padding.
fn texels(mapped: &MappedSubresource<'_>, desc: &TextureDesc, subresource: u32) -> Vec<u8> {
    let (width, height, depth) = desc.mip_extent(desc.mip_and_slice(subresource).0);
    let (row, rows) = (desc.format.row_pitch(width) as usize, desc.format.rows(height) as usize);
    let (row_pitch, depth_pitch) = (mapped.row_pitch() as usize, mapped.depth_pitch() as usize);
    let mut texels = Vec::with_capacity(row * rows * depth as usize);
    for z in 0..depth as usize {
        for y in 0..rows {
            let at = z * depth_pitch + y * row_pitch;
            texels.extend_from_slice(mapped.get(at..at + row).unwrap_or_default());
        }
    }
    texels
}

impl Deref for ImmediateContext {
    type Target = DeviceContext;

    fn deref(&self) -> &DeviceContext {
        &self.context
    }
}

impl DerefMut for ImmediateContext {
    fn deref_mut(&mut self) -> &mut DeviceContext {
        &mut self.context
    }
}

impl Drop for ImmediateContext {
    fn drop(&mut self) {
        self.context.finish_all_maps();
        self.context.clear_state();
        self.flush();
        let device = self.core.device.clone();
        let core = &mut self.context.core;
        core.rt.bound = Bound::default();
        let _serial = device.serial.enter();
        let mut open: Vec<_> = core.handles.keys().filter_map(|key| core.shared_arc(key)).collect();
        // Closes dependants before the objects that they depend on.
        open.sort_by_key(|object| object.depends_on.is_none());
        for object in &open {
            core.rt.close_handle(&mut *core.private, &mut core.handles, object);
        }
        let private = std::mem::replace(&mut core.private, Box::new(()));
        *device.parked_immediate.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Box::new(Parked(private)));
        // From here on, an object is destroyed as soon as it is dropped, and objects that were dropped
        // earlier are in the queue.
        device.close_released();
    }
}
