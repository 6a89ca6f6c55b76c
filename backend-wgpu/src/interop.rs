//! Interop: the wgpu objects behind the driver's, for programs that mix both.
//!
//! A [`DriverObject`] is what the driver interface knows an object by. wgpu's objects are shared, not
//! copied. Work that is submitted past the library is not ordered with what a context has recorded and
//! not flushed: flush first. What was handed out keeps the GPU's memory, but not the runtime's books.

use std::sync::atomic::Ordering;

use onze_ddi::DriverObject;

use crate::{resource::Resource, view::View};

/// The wgpu device and queue that a resource was made with; `None` for other objects, also those of
/// another driver.
pub fn device_and_queue(resource: &DriverObject) -> Option<(wgpu::Device, wgpu::Queue)> {
    Some(resource.downcast_ref::<Resource>()?.maker.wgpu.clone())
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
