//! The kernel callbacks: the runtime's books of memory and fences.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use onze_ddi::{
    AdapterCallbacks, AllocateArgs, Allocation, Fence, HardwareInfo, KernelCallbacks, OutOfMemory,
};

use crate::platform;

/// Answers what a driver asks about the machine.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) memory_budget: Option<u64>,
}

impl AdapterCallbacks for Machine {
    fn query_adapter_info(&self) -> HardwareInfo {
        HardwareInfo {
            processors: platform::processors(),
            threads: platform::HAS_THREADS,
            memory_budget: self.memory_budget,
        }
    }
}

/// One device's memory and fences.
#[derive(Debug, Default)]
pub(crate) struct Kernel {
    budget: Option<u64>,
    next: AtomicU64,
    bytes: AtomicU64,
    sizes: Mutex<HashMap<u64, u64>>,
    /// The last fence that was handed out.
    rendered: AtomicU64,
    signalled: AtomicU64,
}

impl Kernel {
    pub(crate) fn new(budget: Option<u64>) -> Self {
        Self { budget, ..Self::default() }
    }

    pub(crate) fn allocated_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn allocations(&self) -> u64 {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    pub(crate) fn submissions(&self) -> u64 {
        self.rendered.load(Ordering::Relaxed)
    }

    pub(crate) fn next_fence(&self) -> Fence {
        Fence(self.rendered.fetch_add(1, Ordering::AcqRel) + 1)
    }
}

impl KernelCallbacks for Kernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        let before = self.bytes.fetch_add(args.size, Ordering::Relaxed);
        if self.budget.is_some_and(|budget| before.saturating_add(args.size) > budget) {
            self.bytes.fetch_sub(args.size, Ordering::Relaxed);
            return Err(OutOfMemory);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).insert(id, args.size);
        Ok(Allocation::new(id))
    }

    fn deallocate(&self, allocation: Allocation) {
        let size = self.sizes.lock().unwrap_or_else(PoisonError::into_inner).remove(&allocation.id());
        self.bytes.fetch_sub(size.unwrap_or(0), Ordering::Relaxed);
    }

    fn signal(&self, fence: Fence) {
        self.signalled.fetch_max(fence.0, Ordering::AcqRel);
    }

    fn signalled(&self) -> Fence {
        Fence(self.signalled.load(Ordering::Acquire))
    }
}
