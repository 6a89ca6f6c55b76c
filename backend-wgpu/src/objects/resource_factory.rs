//! Resource factories: the runtime's callbacks and the memory that a few threads share to create resources.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::KernelCallbacks;

use crate::{
    objects::allocator::{BufferAllocator, BufferCache, CACHES},
    services::sync::thread_number,
};

/// The state that a few threads share to create and drop resources without touching the memory of other
/// threads. A device has several factories, each aligned to a pair of cache lines because CPUs fetch them in
/// pairs and references are counted there.
#[repr(align(128))]
pub(crate) struct ResourceFactory {
    pub(super) kernel: Arc<dyn KernelCallbacks>,
    pub(super) cache: Arc<BufferCache>,
    /// Number of its resources that have a wgpu buffer or texture to themselves.
    pub(super) live: AtomicU64,
}

pub(crate) struct ResourceFactories([Arc<ResourceFactory>; CACHES]);

impl ResourceFactories {
    pub(crate) fn new(kernel: &Arc<dyn KernelCallbacks>, allocator: &BufferAllocator) -> Self {
        Self(std::array::from_fn(|thread| {
            Arc::new(ResourceFactory {
                kernel: kernel.clone(),
                cache: allocator.cache(thread),
                live: AtomicU64::new(0),
            })
        }))
    }

    /// Returns the number of resources that have a wgpu buffer or texture to themselves.
    pub(crate) fn live(&self) -> u64 {
        self.0.iter().map(|factory| factory.live.load(Ordering::Relaxed)).sum()
    }

    pub(super) fn here(&self) -> &Arc<ResourceFactory> {
        let [first, ..] = &self.0;
        self.0.get(thread_number() % CACHES).unwrap_or(first)
    }
}
