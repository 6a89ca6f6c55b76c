//! A table that may be replaced at any time, until it is withdrawn for good.

use std::sync::Arc;

use crate::sync::{ArcSwap, OnceLock};

/// The table that calls go through. Any thread replaces or withdraws it.
pub(crate) struct Published<T> {
    table: Arc<ArcSwap<T>>,
    withdrawn: OnceLock<String>,
}

impl<T> Published<T> {
    /// With what stands there until the first table is published.
    pub(crate) fn new(nothing: T) -> Self {
        Self { table: Arc::new(ArcSwap::from_pointee(nothing)), withdrawn: OnceLock::new() }
    }

    /// The place itself, for a cache.
    pub(crate) fn place(&self) -> &Arc<ArcSwap<T>> {
        &self.table
    }

    /// Replaces the table. Once it is withdrawn, `nothing` stands there when this returns.
    pub(crate) fn publish(&self, table: T, nothing: impl FnOnce() -> T) {
        if self.withdrawn.get().is_none() {
            self.table.store(Arc::new(table));
        }
        if self.withdrawn.get().is_some() {
            // Withdrawn meanwhile, perhaps before the new table was stored.
            self.table.store(Arc::new(nothing()));
        }
    }

    /// Withdraws the table for good. True for the first caller, whose reason counts.
    pub(crate) fn withdraw(&self, reason: String, nothing: impl FnOnce() -> T) -> bool {
        let first = self.withdrawn.set(reason).is_ok();
        if first {
            self.table.store(Arc::new(nothing()));
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
        let table = self.table.load_full();
        self.withdrawn.get().is_none().then_some(table)
    }

    /// The table, or what stands for it.
    pub(crate) fn load(&self) -> Arc<T> {
        self.table.load_full()
    }

    /// Lets go of the table at the very end, without a reason.
    pub(crate) fn clear(&self, nothing: T) {
        self.table.store(Arc::new(nothing));
    }
}
