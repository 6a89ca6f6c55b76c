//! Interop: access to the driver's wgpu objects, for programs that use both libraries.
//!
//! An application gets a [`DriverObject`] from `onze::Device::driver_object`, and from the `driver_object` of
//! its textures and views. The wgpu objects are shared and not copied, so a borrowed texture keeps its GPU
//! memory alive, although the runtime no longer counts that memory once its own object is gone. Flush a
//! context before submitting wgpu work of your own, because such work is not ordered with recorded commands
//! that are not flushed.
//!
//! ```
//! use onze_ddi::DriverObject;
//! use onze_wgpu::{interop, wgpu};
//!
//! /// Draws with wgpu on top of the library's output. `device` and `texture` are the results of
//! /// `driver_object` on a device and on a shader-resource view. All draws into the texture are flushed.
//! fn show(device: &DriverObject, texture: &DriverObject) -> Option<wgpu::SubmissionIndex> {
//!     let (device, queue) = interop::device_and_queue(device)?;
//!     let texture = interop::texture_view(texture)?;
//!     let encoder = device.create_command_encoder(&Default::default());
//!     // A user interface, for example.
//! #   drop(texture);
//!     Some(queue.submit([encoder.finish()]))
//! }
//! ```

use std::sync::{Arc, Weak, atomic::Ordering};

use onze_ddi::DriverObject;

use crate::{
    device::Device,
    objects::{resource::Resource, texture::TextureMemory, view::View},
};

/// An application's handle for an object, which holds neither the device nor the object because the
/// application may keep it indefinitely.
pub(crate) enum LentObject {
    Device(Weak<Device>),
    Texture(wgpu::Texture),
    View(wgpu::TextureView),
}

/// Returns the wgpu object to lend for a driver object, or `None` if the object is neither a texture nor a
/// view.
pub(crate) fn lend(object: &DriverObject) -> Option<LentObject> {
    if let Some(resource) = object.downcast_ref::<Resource>() {
        return resource.texture().map(|memory| LentObject::Texture(lend_texture(memory)));
    }
    let view = object.downcast_ref::<View>()?;
    lend_texture(&view.memory);
    Some(LentObject::View(view.texture_view.clone()))
}

/// Returns a texture that its last owner in the driver will not destroy.
fn lend_texture(memory: &TextureMemory) -> wgpu::Texture {
    memory.lent.store(true, Ordering::Relaxed);
    memory.texture.clone()
}

/// Returns the device of a device's driver object, or `None` for other objects and after the device is gone.
pub(crate) fn device(object: &DriverObject) -> Option<Arc<Device>> {
    match object.downcast_ref()? {
        LentObject::Device(device) => device.upgrade(),
        LentObject::Texture(_) | LentObject::View(_) => None,
    }
}

/// Returns the wgpu device and queue of a device. Returns `None` for other objects, including those of
/// another driver, and for a device that no longer exists.
pub fn device_and_queue(object: &DriverObject) -> Option<(wgpu::Device, wgpu::Queue)> {
    device(object).map(|device| (device.gpu.device.clone(), device.gpu.queue.clone()))
}

/// Returns the wgpu texture of a texture, or `None` for staging textures and other objects, including those
/// of another driver.
///
/// For a back buffer the result is the texture that the back buffer was created with. From then on, the swap
/// chain presents that texture by a copy instead of rendering directly into the window's memory, so call this
/// before the first frame is drawn. A swap chain with several back buffers exchanges their textures at each
/// present, so the result does not identify a particular frame there.
pub fn texture(texture: &DriverObject) -> Option<wgpu::Texture> {
    match texture.downcast_ref()? {
        LentObject::Texture(texture) => Some(texture.clone()),
        LentObject::Device(_) | LentObject::View(_) => None,
    }
}

/// Returns the wgpu view of a view, which is the first slice for a render-target or depth-stencil view of
/// several slices. Returns `None` for other objects, including those of another driver.
pub fn texture_view(view: &DriverObject) -> Option<wgpu::TextureView> {
    match view.downcast_ref()? {
        LentObject::View(view) => Some(view.clone()),
        LentObject::Device(_) | LentObject::Texture(_) => None,
    }
}
