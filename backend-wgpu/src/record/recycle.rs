//! Recycling, which reuses the memory of pages, object tables and lists.
//!
//! A context fills an item, seals it into the `Arc` of an earlier item, and continues with the memory of the
//! earlier one. The memory of a list is returned to the context that recorded it, through a [`RecycleQueue`],
//! after its last use.

use crate::services::sizes::SPARE_PAGES;

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;

/// A container that can be emptied and filled again.
pub(crate) trait Recycle: Default {
    /// Maximum number of returned items that wait for their context; further ones are freed.
    const RETURNED: usize;

    fn clear(&mut self);

    /// The queue that gets the memory of a list's item after its last submission.
    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>>;
}

/// Empty items without other owners that were returned, and that their context takes without a lock.
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

/// Empties an item and returns it to the context that recorded it, if it has no other owner.
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

    /// Seals the open item and replaces it by an empty one.
    pub(crate) fn seal(&mut self, open: &mut T) -> Arc<T> {
        let mut sealed = self.kept.pop().or_else(|| self.returned.take()).unwrap_or_default();
        match Arc::get_mut(&mut sealed) {
            Some(spare) => std::mem::swap(spare, open),
            // A spare item always has one owner, but the contents of the open item must not be lost in any
            // case.
            None => sealed = Arc::new(std::mem::take(open)),
        }
        sealed
    }

    /// Takes an item back for reuse if it has no other owner and not too many are kept.
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
