//! The kernel callbacks: the runtime's books of memory and fences.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
};

use crossbeam_queue::SegQueue;
use onze_ddi::{
    AdapterCallbacks, AllocateArgs, Allocation, Fence, HardwareInfo, KernelCallbacks, OutOfMemory,
};

use crate::{concurrent::budget::Budget, platform};

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
    budget: Budget,
    next: AtomicU64,
    sizes: Mutex<HashMap<u64, u64>>,
    /// Given back, and not yet struck off: a driver gives memory back on the path of a draw, where
    /// nobody waits for who has locked the sizes. Whoever asks for a sum settles first.
    given_back: SegQueue<u64>,
    /// The last fence that was handed out.
    rendered: AtomicU64,
    signalled: AtomicU64,
}

impl Kernel {
    pub(crate) fn new(budget: Option<u64>) -> Self {
        Self { budget: Budget::new(budget), ..Self::default() }
    }

    pub(crate) fn allocated_bytes(&self) -> u64 {
        drop(self.settled());
        self.budget.used()
    }

    pub(crate) fn allocations(&self) -> u64 {
        self.settled().len() as u64
    }

    /// The sizes of all that is allocated.
    fn settled(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        self.settle(&mut sizes);
        sizes
    }

    /// Strikes off what was given back.
    fn settle(&self, sizes: &mut HashMap<u64, u64>) {
        while let Some(id) = self.given_back.pop() {
            self.budget.give(sizes.remove(&id).unwrap_or(0));
        }
    }

    /// Holds the lock, to show who waits for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.sizes.lock()
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
        let mut sizes = self.settled();
        if !self.budget.take(args.size) {
            return Err(OutOfMemory);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        sizes.insert(id, args.size);
        Ok(Allocation::new(id))
    }

    fn deallocate(&self, allocation: Allocation) {
        self.given_back.push(allocation.id());
        match self.sizes.try_lock() {
            Ok(mut sizes) => self.settle(&mut sizes),
            Err(TryLockError::Poisoned(poisoned)) => self.settle(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    fn signal(&self, fence: Fence) {
        self.signalled.fetch_max(fence.0, Ordering::AcqRel);
    }

    fn signalled(&self) -> Fence {
        Fence(self.signalled.load(Ordering::Acquire))
    }
}
