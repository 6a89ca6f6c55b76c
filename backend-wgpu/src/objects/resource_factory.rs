//! Resource factories: the runtime's callbacks, and memory that a few threads share for creating resources.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use onze_ddi::KernelCallbacks;

use crate::{
    objects::allocator::{BufferAllocator, BufferCache, CACHES},
    services::sync::thread_number,
};

/// The state that a few threads share for creating and dropping resources, so that they do not touch the
/// memory of other threads. Each of a device's several factories is aligned to two cache lines, because CPUs
/// fetch lines in pairs, and the `Arc` counts its references there.
#[repr(align(128))]
pub(crate) struct ResourceFactory {
    pub(super) kernel: Arc<dyn KernelCallbacks>,
    pub(super) cache: Arc<BufferCache>,
    /// Number of resources from this factory that have a separate wgpu buffer or texture.
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

    /// Returns the number of resources that have a separate wgpu buffer or texture.
    pub(crate) fn live(&self) -> u64 {
        self.0.iter().map(|factory| factory.live.load(Ordering::Relaxed)).sum()
    }

    pub(super) fn here(&self) -> &Arc<ResourceFactory> {
        let [first, ..] = &self.0;
        self.0.get(thread_number() % CACHES).unwrap_or(first)
    }
}
