//! Interop: the wgpu objects behind the driver's, for programs that mix both.
//!
//! A [`DriverObject`] is what the driver interface knows an object by; an application has that of its device
//! from `onze::Device::driver_object`. wgpu's objects are shared, not copied. Work that is submitted past the library is not ordered with what a context has recorded and
//! not flushed: flush first. What was handed out keeps the GPU's memory, but not the runtime's books.

use std::sync::{Arc, Weak, atomic::Ordering};

use onze_ddi::DriverObject;

use crate::{device::Device, resource::Resource, view::View};

/// What an application reaches a device by. It may keep it for as long as it likes, so this does not keep the
/// device.
pub(crate) struct DeviceObject(pub(crate) Weak<Device>);

/// The device of a device's object; `None` for other objects, and when the device is gone.
pub(crate) fn device(object: &DriverObject) -> Option<Arc<Device>> {
    object.downcast_ref::<DeviceObject>()?.0.upgrade()
}

/// The wgpu device and queue under a device, or that a resource was made with; `None` for other objects, also
/// those of another driver, and for a device that is gone.
pub fn device_and_queue(object: &DriverObject) -> Option<(wgpu::Device, wgpu::Queue)> {
    match object.downcast_ref::<Resource>() {
        Some(resource) => Some(resource.maker.wgpu.clone()),
        None => device(object).map(|device| (device.device.clone(), device.queue.clone())),
    }
}

/// The wgpu texture of a texture; `None` for buffers, staging resources and objects of another driver.
pub fn texture(resource: &DriverObject) -> Option<wgpu::Texture> {
    lend(resource.downcast_ref()?)
}

/// A texture that its last owner in the driver does not destroy.
fn lend(resource: &Resource) -> Option<wgpu::Texture> {
    let memory = resource.texture()?;
    memory.lent.store(true, Ordering::Relaxed);
    Some(memory.texture.clone())
}

/// The wgpu view of a view. Of a render-target or depth-stencil view of several slices it is the first
/// slice. `None` for other objects, also those of another driver.
pub fn texture_view(view: &DriverObject) -> Option<wgpu::TextureView> {
    let view = view.downcast_ref::<View>()?;
    lend(&view.resource)?;
    Some(view.texture_view.clone())
}
