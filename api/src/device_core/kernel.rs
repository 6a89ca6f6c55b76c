//! The kernel callbacks, which count GPU memory and track fences.

use std::sync::atomic::{AtomicU64, Ordering};

use onze_ddi::{
    AdapterCallbacks, AllocateArgs, Allocation, Fence, HardwareInfo, KernelCallbacks, OutOfMemory,
};

use super::{number::unique_number, platform};
use crate::concurrent::{budget::Budget, sharded::ShardedSum};

/// The callbacks for the driver's queries about the machine.
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

/// The memory and fences that the driver of one device has requested.
///
/// Allocations are counted but not listed, because each allocation stores its size.
#[derive(Debug)]
pub(crate) struct Kernel {
    budget: Budget,
    allocations: ShardedSum,
    rendered: AtomicU64,
    signalled: AtomicU64,
}

impl Kernel {
    pub(crate) fn new(budget: Option<u64>) -> Self {
        Self {
            budget: Budget::new(budget),
            allocations: ShardedSum::default(),
            rendered: AtomicU64::new(0),
            signalled: AtomicU64::new(0),
        }
    }

    pub(crate) fn allocated_bytes(&self) -> u64 {
        self.budget.used()
    }

    pub(crate) fn allocations(&self) -> u64 {
        self.allocations.get()
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
        if !self.budget.take(args.size) {
            return Err(OutOfMemory);
        }
        self.allocations.add(1);
        Ok(Allocation::new(unique_number(), args.size))
    }

    fn deallocate(&self, allocation: Allocation) {
        self.budget.give(allocation.size());
        self.allocations.sub(1);
    }

    fn signal(&self, fence: Fence) {
        self.signalled.fetch_max(fence.0, Ordering::AcqRel);
    }

    fn signalled(&self) -> Fence {
        Fence(self.signalled.load(Ordering::Acquire))
    }
}
