//! Interop: the wgpu objects behind the driver's, for programs that mix both.
//!
//! A [`DriverObject`] is what an application has from `onze::Device::driver_object`, and from the `driver_object` of
//! its textures and views. wgpu's objects are shared, not copied: what was handed out keeps the GPU's memory, but not
//! the runtime's books. Work that is submitted past the library is not ordered with what a context has recorded and
//! not flushed: flush first.
//!
//! ```
//! use onze_ddi::DriverObject;
//! use onze_wgpu::{interop, wgpu};
//!
//! /// Draws with wgpu what the library has drawn: `device` and `texture` are what `driver_object` of a device and of
//! /// a shader-resource view answer. All that was drawn into the texture is flushed.
//! fn show(device: &DriverObject, texture: &DriverObject) -> Option<wgpu::SubmissionIndex> {
//!     let (device, queue) = interop::device_and_queue(device)?;
//!     let texture = interop::texture_view(texture)?;
//!     let encoder = device.create_command_encoder(&Default::default());
//!     // A user interface, say.
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

/// What an application reaches an object by. It may keep it for as long as it likes, so this keeps neither the
/// device nor the object.
pub(crate) enum Lent {
    /// A device.
    Device(Weak<Device>),
    /// A texture.
    Texture(wgpu::Texture),
    /// A view of any kind.
    View(wgpu::TextureView),
}

/// What there is to show of an object; `None` for all but textures and views.
pub(crate) fn lend(object: &DriverObject) -> Option<Lent> {
    if let Some(resource) = object.downcast_ref::<Resource>() {
        return resource.texture().map(|memory| Lent::Texture(lend_texture(memory)));
    }
    let view = object.downcast_ref::<View>()?;
    lend_texture(&view.memory);
    Some(Lent::View(view.texture_view.clone()))
}

/// A texture that its last owner in the driver does not destroy.
fn lend_texture(memory: &TextureMemory) -> wgpu::Texture {
    memory.lent.store(true, Ordering::Relaxed);
    memory.texture.clone()
}

/// The device of a device's object; `None` for other objects, and when the device is gone.
pub(crate) fn device(object: &DriverObject) -> Option<Arc<Device>> {
    match object.downcast_ref()? {
        Lent::Device(device) => device.upgrade(),
        Lent::Texture(_) | Lent::View(_) => None,
    }
}

/// The wgpu device and queue under a device; `None` for other objects, also those of another driver, and for a
/// device that is gone.
pub fn device_and_queue(object: &DriverObject) -> Option<(wgpu::Device, wgpu::Queue)> {
    device(object).map(|device| (device.gpu.device.clone(), device.gpu.queue.clone()))
}

/// The wgpu texture of a texture; `None` for staging textures and other objects, also those of another driver.
///
/// Of a back buffer it is the texture that it was created with. From then on the swap chain shows that texture by a
/// copy, where it would show the window's own memory otherwise: so ask for it before the first frame is drawn. A swap
/// chain that rotates several back buffers exchanges their textures at each present, so this says nothing about a
/// picture there.
pub fn texture(texture: &DriverObject) -> Option<wgpu::Texture> {
    match texture.downcast_ref()? {
        Lent::Texture(texture) => Some(texture.clone()),
        Lent::Device(_) | Lent::View(_) => None,
    }
}

/// The wgpu view of a view. Of a render-target or depth-stencil view of several slices it is the first
/// slice. `None` for other objects, also those of another driver.
pub fn texture_view(view: &DriverObject) -> Option<wgpu::TextureView> {
    match view.downcast_ref()? {
        Lent::View(view) => Some(view.clone()),
        Lent::Device(_) | Lent::Texture(_) => None,
    }
}
