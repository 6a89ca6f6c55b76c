//! Interop: access to the driver's wgpu objects, for programs that use Onze and wgpu together.
//!
//! An application gets a [`DriverObject`] from `onze::Device::driver_object`, and from the `driver_object`
//! methods of its textures and views. The wgpu objects are shared and not copied, so a lent texture keeps its
//! GPU memory alive. The runtime, however, no longer counts that memory once its own object is dropped.
//! Before you submit your own wgpu work, flush the context, because wgpu work is not ordered with commands
//! that are recorded but not flushed.
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

/// An object that is lent to the application. It keeps neither the device nor the driver's own object alive,
/// because the application may keep it indefinitely.
pub(crate) enum LentObject {
    Device(Weak<Device>),
    Texture(wgpu::Texture),
    View(wgpu::TextureView),
}

/// Returns the wgpu object to lend for a driver object, or `None` if the object is neither a texture nor a
/// view of one.
pub(crate) fn lend(object: &DriverObject) -> Option<LentObject> {
    if let Some(resource) = object.downcast_ref::<Resource>() {
        return resource.texture().map(|memory| LentObject::Texture(lend_texture(memory)));
    }
    let view = object.downcast_ref::<View>()?;
    lend_texture(&view.memory);
    Some(LentObject::View(view.texture_view.clone()))
}

/// Marks a texture as lent, so that its last owner in the driver does not destroy it, and returns it.
fn lend_texture(memory: &TextureMemory) -> wgpu::Texture {
    memory.lent.store(true, Ordering::Relaxed);
    memory.texture.clone()
}

/// Returns the device of a lent device object, or `None` for other objects and if the device no longer
/// exists.
pub(crate) fn device(object: &DriverObject) -> Option<Arc<Device>> {
    match object.downcast_ref()? {
        LentObject::Device(device) => device.upgrade(),
        LentObject::Texture(_) | LentObject::View(_) => None,
    }
}

/// Returns the wgpu device and queue of a device, or `None` for all other objects, for objects of another
/// driver, and for a device that no longer exists.
pub fn device_and_queue(object: &DriverObject) -> Option<(wgpu::Device, wgpu::Queue)> {
    device(object).map(|device| (device.gpu.device.clone(), device.gpu.queue.clone()))
}

/// Returns the wgpu texture of a texture, or `None` for staging textures, for all other objects, and for
/// objects of another driver.
///
/// For a back buffer, the result is the texture that the back buffer was created with. After this call, the
/// swap chain renders into that texture and copies it to the window at each present, instead of rendering
/// directly into the window's memory. Therefore call this before the first frame is drawn. A swap chain with
/// several back buffers exchanges their textures at each present, so the result does not stay with one back
/// buffer.
pub fn texture(texture: &DriverObject) -> Option<wgpu::Texture> {
    match texture.downcast_ref()? {
        LentObject::Texture(texture) => Some(texture.clone()),
        LentObject::Device(_) | LentObject::View(_) => None,
    }
}

/// Returns the wgpu view of a texture view. For a render-target or depth-stencil view with several slices,
/// the result covers only the first slice. Returns `None` for all other objects, and for objects of another
/// driver.
pub fn texture_view(view: &DriverObject) -> Option<wgpu::TextureView> {
    match view.downcast_ref()? {
        LentObject::View(view) => Some(view.clone()),
        LentObject::Device(_) | LentObject::Texture(_) => None,
    }
}
