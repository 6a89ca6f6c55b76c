//! Resource factories: the runtime's callbacks and the memory that a few threads share to create resources.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::KernelCallbacks;

use crate::{
    objects::allocator::{BufferAllocator, CACHES, Cache},
    services::sync::thread_number,
};

/// What the resources of a few threads share, so that making and dropping them touches no memory of other
/// threads: there are several of it in a device, each on cache lines of its own (which processors fetch in
/// pairs), as its users are counted there.
#[repr(align(128))]
pub(crate) struct ResourceFactory {
    pub(super) kernel: Arc<dyn KernelCallbacks>,
    pub(super) cache: Arc<Cache>,
    /// Of its resources, those that have a wgpu buffer or texture to themselves.
    pub(super) live: AtomicU64,
}

/// All of a device's.
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

    /// How many resources have a wgpu buffer or texture to themselves.
    pub(crate) fn live(&self) -> u64 {
        self.0.iter().map(|factory| factory.live.load(Ordering::Relaxed)).sum()
    }

    /// The calling thread's.
    pub(super) fn here(&self) -> &Arc<ResourceFactory> {
        let [first, ..] = &self.0;
        self.0.get(thread_number() % CACHES).unwrap_or(first)
    }
}
