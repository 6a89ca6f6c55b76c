//! A table that can be replaced at any time, until it is withdrawn permanently.

use std::sync::Arc;

use crate::sync::{ArcSwap, AtomicU64, OnceLock, Ordering};

/// The storage of the table, shared by all readers.
struct TableStorage<T> {
    table: ArcSwap<T>,
    /// Number of stores, incremented after each store so that a thread that sees the new number also sees the
    /// new table.
    stored: AtomicU64,
}

impl<T> TableStorage<T> {
    fn store(&self, table: T) {
        self.table.store(Arc::new(table));
        self.stored.fetch_add(1, Ordering::Release);
    }
}

/// The table that one thread last loaded, with the number of stores at that time, which the thread compares
/// with the current number to detect a newer table.
pub(crate) struct Reader<T> {
    place: Arc<TableStorage<T>>,
    seen: u64,
    /// If true, the table always counts as changed, so that every call takes the slow path.
    fast_path_disabled: bool,
    table: Arc<T>,
}

/// A number of stores that is not reached in practice.
const NEVER: u64 = u64::MAX;

impl<T> Reader<T> {
    /// Makes the table always count as changed, so that every later call takes the slow path.
    pub(crate) fn disable_fast_path(&mut self) {
        (self.fast_path_disabled, self.seen) = (true, NEVER);
    }

    /// Returns the table if it is the newest table and the fast path is enabled.
    #[inline]
    pub(crate) fn unchanged(&self) -> Option<&T> {
        (self.place.stored.load(Ordering::Acquire) == self.seen).then_some(&self.table)
    }

    #[inline]
    pub(crate) fn get(&mut self) -> &T {
        let stored = self.place.stored.load(Ordering::Acquire);
        if stored != self.seen {
            self.look(stored);
        }
        &self.table
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, stored: u64) {
        self.seen = if self.fast_path_disabled { NEVER } else { stored };
        self.table = self.place.table.load_full();
    }
}

/// The current table, which any thread can replace or withdraw.
pub(crate) struct Published<T> {
    place: Arc<TableStorage<T>>,
    withdrawn: OnceLock<String>,
}

impl<T> Published<T> {
    /// Creates the storage with `nothing` as its table until the first table is published.
    pub(crate) fn new(nothing: T) -> Self {
        let place = TableStorage { table: ArcSwap::from_pointee(nothing), stored: AtomicU64::new(0) };
        Self { place: Arc::new(place), withdrawn: OnceLock::new() }
    }

    /// Creates a reader for a thread that makes frequent calls.
    pub(crate) fn reader(&self) -> Reader<T> {
        // The order matters: if a table is stored between the two loads, `seen` is too old, and the first
        // call loads the table again.
        let seen = self.place.stored.load(Ordering::Acquire);
        Reader { place: self.place.clone(), seen, fast_path_disabled: false, table: self.load() }
    }

    /// Replaces the table, except that after a withdrawal the storage contains `nothing` instead.
    pub(crate) fn publish(&self, table: T, nothing: impl FnOnce() -> T) {
        if self.withdrawn.get().is_none() {
            self.place.store(table);
        }
        if self.withdrawn.get().is_some() {
            // Another thread has withdrawn the table in the meantime, perhaps before the new table was
            // stored.
            self.place.store(nothing());
        }
    }

    /// Withdraws the table permanently. The first call stores its reason and returns true, and later calls
    /// return false.
    pub(crate) fn withdraw(&self, reason: String, nothing: impl FnOnce() -> T) -> bool {
        let first = self.withdrawn.set(reason).is_ok();
        if first {
            self.place.store(nothing());
        }
        first
    }

    /// Returns the reason for the withdrawal if the table was withdrawn.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.withdrawn.get().map(String::as_str)
    }

    /// Returns the table for a call that must not be lost, or `None` after the withdrawal.
    pub(crate) fn live(&self) -> Option<Arc<T>> {
        // The order matters, because a withdrawal stores the reason before it stores `nothing`. If the reason
        // were loaded first, a withdrawal between the two loads would go unnoticed.
        let table = self.place.table.load_full();
        self.withdrawn.get().is_none().then_some(table)
    }

    /// Returns the published table, or `nothing` after the withdrawal.
    pub(crate) fn load(&self) -> Arc<T> {
        self.place.table.load_full()
    }

    /// Replaces the table when the device is dropped, without storing a reason.
    pub(crate) fn clear(&self, nothing: T) {
        self.place.store(nothing);
    }
}
