//! The verifier's memory tracking: allocations, their owners, and the commands that may still use them.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
};

use super::{
    breach::{CheckResult, Rule, ensure},
    registry::ObjectAddress,
};
use crate::callbacks::{AllocateArgs, Allocation};

#[derive(Copy, Clone, Debug)]
struct AllocationRecord {
    size: u64,
    primary: bool,
    shared: bool,
    /// The object that the memory was allocated for, if a create entry allocated it.
    owner: Option<ObjectAddress>,
    destroyed: bool,
    /// Whether the owner is destroyed and unsubmitted commands used it at that time.
    used: bool,
}

/// The allocations that a create entry has made so far, on its thread.
#[derive(Debug)]
struct CreateAllocations {
    device: usize,
    primary: bool,
    shared: bool,
    ids: Vec<u64>,
}

thread_local! {
    /// The create entries that this thread is in, with the innermost last.
    static CREATING: RefCell<Vec<CreateAllocations>> = const { RefCell::new(Vec::new()) };
    /// The number of calc entries that this thread is in.
    static CALCULATING: Cell<u32> = const { Cell::new(0) };
}

/// Marks that this thread is in a calc entry, until it is dropped.
pub(super) struct CalcGuard(());

impl CalcGuard {
    pub(super) fn enter() -> Self {
        CALCULATING.set(CALCULATING.get() + 1);
        Self(())
    }

    pub(super) fn is_now() -> bool {
        CALCULATING.get() > 0
    }
}

impl Drop for CalcGuard {
    fn drop(&mut self) {
        CALCULATING.set(CALCULATING.get() - 1);
    }
}

/// Marks that this thread is in a create entry, until it is dropped.
pub(super) struct CreateGuard(());

impl CreateGuard {
    pub(super) fn enter(device: usize, primary: bool, shared: bool) -> Self {
        CREATING
            .with_borrow_mut(|all| all.push(CreateAllocations { device, primary, shared, ids: Vec::new() }));
        Self(())
    }

    pub(super) fn allocated(&self) -> Vec<u64> {
        CREATING.with_borrow_mut(|all| all.last_mut().map(|c| std::mem::take(&mut c.ids)).unwrap_or_default())
    }
}

impl Drop for CreateGuard {
    fn drop(&mut self) {
        CREATING.with_borrow_mut(|all| drop(all.pop()));
    }
}

/// The memory tracking of a device; see the [module](self).
#[derive(Debug, Default)]
pub(super) struct MemoryWatch {
    live: HashMap<u64, AllocationRecord>,
    used: HashSet<ObjectAddress>,
    /// Memory that was given back although unsubmitted commands use it, which is a breach if these commands
    /// are submitted later.
    early: Vec<u64>,
}

impl MemoryWatch {
    pub(super) fn allocated(
        &mut self,
        device: usize,
        allocation: &Allocation,
        args: AllocateArgs,
    ) -> [CheckResult; 2] {
        let AllocateArgs { size, primary, shared } = args;
        let entry = AllocationRecord { size, primary, shared, owner: None, destroyed: false, used: false };
        let id = allocation.id();
        let other = self.live.insert(id, entry);
        let apart = other.is_none() && allocation.size() == size;
        let within = CREATING.with_borrow_mut(|all| {
            let creating = all.last_mut().filter(|creating| creating.device == device)?;
            creating.ids.push(id);
            Some((creating.primary, creating.shared))
        });
        let right = within.is_some_and(|within| within == (primary, shared));
        [
            ensure(apart, Rule::AllocatedApart, || format!("{allocation:?} for {args:?}, beside {other:?}")),
            ensure(right || !(primary || shared), Rule::AllocateInCreate, || {
                format!("{args:?}, within a create entry of {within:?}")
            }),
        ]
    }

    pub(super) fn created(&mut self, owner: ObjectAddress, ids: Vec<u64>) {
        for id in ids {
            if let Some(allocated) = self.live.get_mut(&id) {
                allocated.owner = Some(owner);
            }
        }
    }

    pub(super) fn uses(&mut self, object: ObjectAddress) {
        self.used.insert(object);
    }

    /// Prepares, before the last object at an address is destroyed, the list of its memory for
    /// [`Self::destroyed`].
    pub(super) fn destroying(&mut self, object: ObjectAddress) -> Vec<u64> {
        let used = self.used.remove(&object);
        let of = self.live.iter_mut().filter(|(_, a)| a.owner == Some(object));
        of.map(|(id, allocated)| {
            // Another object may get the address soon, so the allocation forgets its owner.
            *allocated = AllocationRecord { owner: None, used, ..*allocated };
            *id
        })
        .collect()
    }

    /// Marks the memory as destroyed after the destroy entry, because a flush that ran earlier on another
    /// thread could not free it.
    pub(super) fn destroyed(&mut self, ids: &[u64]) {
        for id in ids {
            if let Some(allocated) = self.live.get_mut(id) {
                allocated.destroyed = true;
            }
        }
    }

    pub(super) fn deallocated(&mut self, allocation: &Allocation) -> [CheckResult; 2] {
        let id = allocation.id();
        let allocated = self.live.remove(&id);
        if let Some(AllocationRecord { owner, used, primary: false, .. }) = allocated
            && (used || owner.is_some_and(|owner| self.used.contains(&owner)))
        {
            self.early.push(id);
        }
        let size = allocated.map_or(allocation.size(), |allocated| allocated.size);
        [
            ensure(allocated.is_some(), Rule::DeallocateAllocated, || format!("{allocation:?}")),
            ensure(allocation.size() == size, Rule::DeallocateWhole, || {
                format!("{allocation:?}, of {size} bytes")
            }),
        ]
    }

    /// Checks memory given back early when a submission is announced.
    pub(super) fn rendered(&mut self) -> CheckResult {
        let early = std::mem::take(&mut self.early);
        self.nothing_waits();
        ensure(early.is_empty(), Rule::RenderBeforeDeallocate, || {
            format!("{early:?} were deallocated before")
        })
    }

    /// Clears all uses, because every recorded command was submitted or discarded.
    pub(super) fn nothing_waits(&mut self) {
        self.early.clear();
        self.used.clear();
        self.live.values_mut().for_each(|allocated| allocated.used = false);
    }

    /// Returns the memory of destroyed objects that no command waits for, and whether it is shared.
    pub(super) fn retirable(&self) -> Vec<(u64, bool)> {
        let destroyed = self.live.iter().filter(|(_, a)| a.destroyed && (a.shared || !a.used));
        destroyed.map(|(id, a)| (*id, a.shared)).collect()
    }

    /// Checks after a flush that memory was given back, where `done` says that the GPU was idle.
    pub(super) fn flushed(&mut self, retirable: &[(u64, bool)], done: bool) -> [CheckResult; 2] {
        self.nothing_waits();
        let left = |shared: bool| {
            let left = retirable.iter().filter(|(id, s)| *s == shared && self.live.contains_key(id));
            left.map(|(id, _)| *id).collect::<Vec<_>>()
        };
        let (plain, shared) = (left(false), left(true));
        [
            ensure(!done || plain.is_empty(), Rule::FlushRetires, || format!("left: {plain:?}")),
            ensure(shared.is_empty(), Rule::SharedByFlush, || format!("left: {shared:?}")),
        ]
    }

    /// Returns the memory of a primary that no other device shares.
    pub(super) fn of_primary(&self, object: ObjectAddress) -> Vec<u64> {
        let of = self.live.iter().filter(|(_, a)| a.owner == Some(object) && a.primary && !a.shared);
        of.map(|(id, _)| *id).collect()
    }

    pub(super) fn primary_destroyed(&self, ids: &[u64]) -> CheckResult {
        let left: Vec<_> = ids.iter().filter(|id| self.live.contains_key(id)).collect();
        ensure(left.is_empty(), Rule::PrimaryDeallocated, || format!("left: {left:?}"))
    }

    pub(super) fn all_deallocated(&self) -> CheckResult {
        let mut left: Vec<u64> = self.live.keys().copied().collect();
        left.sort_unstable();
        ensure(left.is_empty(), Rule::AllDeallocated, || format!("left: {left:?}"))
    }
}
