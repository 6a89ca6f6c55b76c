//! Recycling: the memory of pages, object tables and lists is reused.
//!
//! To seal an item, a context swaps its contents with the empty contents of an earlier item's `Arc`, and
//! continues with the earlier item's memory. After the last use of a list, its memory returns through a
//! [`RecycleQueue`] to the context that recorded it.

use crate::services::sizes::SPARE_PAGES;

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;

/// A container that can be emptied and refilled.
pub(crate) trait Recycle: Default {
    /// Maximum number of returned items that wait for their context, beyond which items are freed.
    const RETURNED: usize;

    fn clear(&mut self);

    /// The queue that receives the memory of a list's item after the item's last submission.
    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>>;
}

/// Empty items that were returned, have no other owner, and are taken by their context without a lock.
#[derive(Debug)]
pub(crate) struct RecycleQueue<T>(ArrayQueue<Arc<T>>);

impl<T: Recycle> Default for RecycleQueue<T> {
    fn default() -> Self {
        Self(ArrayQueue::new(T::RETURNED))
    }
}

impl<T> RecycleQueue<T> {
    pub(crate) fn put(&self, empty: Arc<T>) {
        drop(self.0.push(empty));
    }

    pub(crate) fn take(&self) -> Option<Arc<T>> {
        self.0.pop()
    }
}

/// Empties an item and returns it to the context that recorded it, or drops it if it has another owner.
pub(crate) fn send_back<T: Recycle>(mut sealed: Arc<T>) {
    if let Some(inner) = Arc::get_mut(&mut sealed)
        && let Some(recycle_to) = inner.recycle_to().take()
    {
        inner.clear();
        recycle_to.put(sealed);
    }
}

#[derive(Debug)]
pub(crate) struct Spare<T> {
    kept: Vec<Arc<T>>,
    returned: Arc<RecycleQueue<T>>,
}

impl<T: Recycle> Default for Spare<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), returned: Arc::default() }
    }
}

impl<T: Recycle> Spare<T> {
    pub(crate) fn returned(&self) -> &Arc<RecycleQueue<T>> {
        &self.returned
    }

    /// Seals the open item and replaces it with an empty item.
    pub(crate) fn seal(&mut self, open: &mut T) -> Arc<T> {
        let mut sealed = self.kept.pop().or_else(|| self.returned.take()).unwrap_or_default();
        match Arc::get_mut(&mut sealed) {
            Some(spare) => std::mem::swap(spare, open),
            // A spare item has only one owner, but even if it had another, the contents of the open item must
            // not be lost.
            None => sealed = Arc::new(std::mem::take(open)),
        }
        sealed
    }

    /// Takes an item back for reuse, unless it has another owner or [`SPARE_PAGES`] items are already kept.
    pub(crate) fn take_back(&mut self, mut sealed: Arc<T>) {
        if self.kept.len() < SPARE_PAGES
            && let Some(inner) = Arc::get_mut(&mut sealed)
        {
            inner.clear();
            *inner.recycle_to() = None;
            self.kept.push(sealed);
        }
    }

    pub(crate) fn take_returned(&mut self) {
        while self.kept.len() < SPARE_PAGES
            && let Some(sealed) = self.returned.take()
        {
            self.kept.push(sealed);
        }
    }

    pub(crate) fn trim(&mut self) {
        self.kept.clear();
        while self.returned.take().is_some() {}
    }
}
