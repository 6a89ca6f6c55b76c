//! The verifier's memory tracking: allocations, their owners, and whether commands may still use them.

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
    /// The object that owns the memory, if it was allocated within a create entry.
    owner: Option<ObjectAddress>,
    destroyed: bool,
    /// Whether unsubmitted commands used the owner when it was destroyed.
    used: bool,
}

/// The allocations made so far within a create entry, on the thread that entered.
#[derive(Debug)]
struct CreateAllocations {
    device: usize,
    primary: bool,
    shared: bool,
    ids: Vec<u64>,
}

thread_local! {
    /// The create entries that this thread is in, innermost last.
    static CREATING: RefCell<Vec<CreateAllocations>> = const { RefCell::new(Vec::new()) };
    /// The number of calc entries that this thread is in.
    static CALCULATING: Cell<u32> = const { Cell::new(0) };
}

/// Marks this thread as being in a calc entry, until the guard is dropped.
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

/// Marks this thread as being in a create entry, until the guard is dropped.
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
    /// Memory that was deallocated while unsubmitted commands used it, which is a breach if these commands
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

    /// Returns the identifiers of an object's allocations, for [`Self::destroyed`], before the last object at
    /// an address is destroyed.
    pub(super) fn destroying(&mut self, object: ObjectAddress) -> Vec<u64> {
        let used = self.used.remove(&object);
        let of = self.live.iter_mut().filter(|(_, a)| a.owner == Some(object));
        of.map(|(id, allocated)| {
            // The address may soon be reused for another object, so the owner is removed from the record.
            *allocated = AllocationRecord { owner: None, used, ..*allocated };
            *id
        })
        .collect()
    }

    /// Marks memory as retirable, but only after the destroy entry has returned, because a flush on another
    /// thread that ran earlier could not deallocate the memory.
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

    /// Checks, when a submission is reported, that no memory was deallocated too early.
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

    /// Returns the allocations of destroyed objects that a flush must deallocate, and whether each is shared.
    pub(super) fn retirable(&self) -> Vec<(u64, bool)> {
        let destroyed = self.live.iter().filter(|(_, a)| a.destroyed && (a.shared || !a.used));
        destroyed.map(|(id, a)| (*id, a.shared)).collect()
    }

    /// Checks that a flush has deallocated all shared `retirable` memory. If the GPU was idle before the
    /// flush (`done`), all other `retirable` memory must also be deallocated.
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

    /// Returns the allocations of a primary that are not shared.
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
