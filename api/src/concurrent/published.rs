//! A table that may be replaced at any time, until it is withdrawn for good.

use std::sync::Arc;

use crate::sync::{ArcSwap, AtomicU64, OnceLock, Ordering};

/// Where the table stands.
struct Place<T> {
    table: ArcSwap<T>,
    /// How often another one was stored: counted afterwards, so who has seen the count sees that table.
    stored: AtomicU64,
}

impl<T> Place<T> {
    fn store(&self, table: T) {
        self.table.store(Arc::new(table));
        self.stored.fetch_add(1, Ordering::Release);
    }
}

/// The table as one thread last saw it: a look at a number says whether it is still the same.
pub(crate) struct Reader<T> {
    place: Arc<Place<T>>,
    seen: u64,
    /// It always looks again.
    wary: bool,
    table: Arc<T>,
}

/// No table was stored so often.
const NEVER: u64 = u64::MAX;

impl<T> Reader<T> {
    /// From now on no table counts as unchanged.
    pub(crate) fn be_wary(&mut self) {
        (self.wary, self.seen) = (true, NEVER);
    }

    /// The table, if it is still the one that was last seen.
    #[inline]
    pub(crate) fn unchanged(&self) -> Option<&T> {
        (self.place.stored.load(Ordering::Acquire) == self.seen).then_some(&self.table)
    }

    /// The table that stands there now.
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
        self.seen = if self.wary { NEVER } else { stored };
        self.table = self.place.table.load_full();
    }
}

/// The table that calls go through. Any thread replaces or withdraws it.
pub(crate) struct Published<T> {
    place: Arc<Place<T>>,
    withdrawn: OnceLock<String>,
}

impl<T> Published<T> {
    /// With what stands there until the first table is published.
    pub(crate) fn new(nothing: T) -> Self {
        let place = Place { table: ArcSwap::from_pointee(nothing), stored: AtomicU64::new(0) };
        Self { place: Arc::new(place), withdrawn: OnceLock::new() }
    }

    /// For one thread that calls often.
    pub(crate) fn reader(&self) -> Reader<T> {
        // In this order: what is stored between the two is looked at again.
        let seen = self.place.stored.load(Ordering::Acquire);
        Reader { place: self.place.clone(), seen, wary: false, table: self.load() }
    }

    /// Replaces the table. Once it is withdrawn, `nothing` stands there when this returns.
    pub(crate) fn publish(&self, table: T, nothing: impl FnOnce() -> T) {
        if self.withdrawn.get().is_none() {
            self.place.store(table);
        }
        if self.withdrawn.get().is_some() {
            // Withdrawn meanwhile, perhaps before the new table was stored.
            self.place.store(nothing());
        }
    }

    /// Withdraws the table for good. True for the first caller, whose reason counts.
    pub(crate) fn withdraw(&self, reason: String, nothing: impl FnOnce() -> T) -> bool {
        let first = self.withdrawn.set(reason).is_ok();
        if first {
            self.place.store(nothing());
        }
        first
    }

    /// Why the table was withdrawn, if it was.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.withdrawn.get().map(String::as_str)
    }

    /// The table for a call that must not be lost; `None` once it is withdrawn.
    pub(crate) fn live(&self) -> Option<Arc<T>> {
        // In this order: what stands for a withdrawn table is stored after the reason. The other way
        // round, a withdrawal between the two steps would go unnoticed.
        let table = self.place.table.load_full();
        self.withdrawn.get().is_none().then_some(table)
    }

    /// The table, or what stands for it.
    pub(crate) fn load(&self) -> Arc<T> {
        self.place.table.load_full()
    }

    /// Lets go of the table at the very end, without a reason.
    pub(crate) fn clear(&self, nothing: T) {
        self.place.store(nothing);
    }
}
