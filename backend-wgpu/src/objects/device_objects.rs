//! The state that all objects of a device share.

use std::sync::Arc;

use onze_ddi::OutOfMemory;

use crate::{
    objects::{allocator::BufferAllocator, null_objects::NullObjects, resource_factory::ResourceFactories},
    services::{error_scope::catch, gpu::Gpu},
};

/// Shared state of a device's objects.
pub(crate) struct DeviceObjects {
    pub(crate) gpu: Arc<Gpu>,
    /// Objects that are bound to empty slots.
    pub(crate) nulls: NullObjects,
    /// Storage of constant buffers.
    pub(crate) allocator: BufferAllocator,
    /// Shared state of resources, for groups of threads.
    pub(crate) factories: ResourceFactories,
}

impl DeviceObjects {
    /// Creates the null objects and leaves everything else empty.
    ///
    /// # Errors The GPU is out of memory.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Arc<Self>, OutOfMemory> {
        let make_nulls = || NullObjects::new(&gpu.device, &gpu.downlevel);
        let (nulls, [None]) = catch(&gpu.device, [wgpu::ErrorFilter::OutOfMemory], make_nulls) else {
            return Err(OutOfMemory);
        };
        let allocator = BufferAllocator::new(&gpu.device, &gpu.queue, &gpu.invalidation);
        let factories = ResourceFactories::new(&gpu.kernel, &allocator);
        Ok(Arc::new(Self { gpu: gpu.clone(), nulls: nulls?, allocator, factories }))
    }
}
