//! The state that all objects of a device share.

use std::sync::Arc;

use onze_ddi::OutOfMemory;

use crate::{
    objects::{allocator::BufferAllocator, null_objects::NullObjects, resource_factory::ResourceFactories},
    services::{error_scope::catch, gpu::Gpu},
};

pub(crate) struct DeviceObjects {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) nulls: NullObjects,
    pub(crate) allocator: BufferAllocator,
    pub(crate) factories: ResourceFactories,
}

impl DeviceObjects {
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
