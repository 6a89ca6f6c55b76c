//! Recycling: reuses the memory of pages, object tables and lists.
//!
//! A context fills one, seals it into an `Arc` from an earlier one, and continues with the memory of the earlier one.
//! The memory of a list is sent back to the context that recorded it, through a [`RecycleQueue`], after its last use.

use crate::services::sizes::SPARE_PAGES;

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;

/// What can be emptied and filled again.
pub(crate) trait Recycle: Default {
    /// How many that were sent back wait for their context; more are freed.
    const RETURNED: usize;

    /// Forgets everything but the memory.
    fn clear(&mut self);

    /// Of a list's: where its memory goes when it was submitted for the last time.
    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>>;
}

/// Emptied ones that were sent back, without other owners. Their context takes them without a lock.
#[derive(Debug)]
pub(crate) struct RecycleQueue<T>(ArrayQueue<Arc<T>>);

impl<T: Recycle> Default for RecycleQueue<T> {
    fn default() -> Self {
        Self(ArrayQueue::new(T::RETURNED))
    }
}

impl<T> RecycleQueue<T> {
    /// Puts an empty one there.
    pub(crate) fn put(&self, empty: Arc<T>) {
        // When enough are waiting, it is freed.
        drop(self.0.push(empty));
    }

    /// Takes an empty one.
    pub(crate) fn take(&self) -> Option<Arc<T>> {
        self.0.pop()
    }
}

/// Sends something, emptied, to where it was recorded, if it has no other owner.
pub(crate) fn send_back<T: Recycle>(mut sealed: Arc<T>) {
    if let Some(inner) = Arc::get_mut(&mut sealed)
        && let Some(recycle_to) = inner.recycle_to().take()
    {
        inner.clear();
        recycle_to.put(sealed);
    }
}

/// Emptied ones that a context keeps.
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
    /// Where lists return theirs to.
    pub(crate) fn returned(&self) -> &Arc<RecycleQueue<T>> {
        &self.returned
    }

    /// Seals what is open, and empties it.
    pub(crate) fn seal(&mut self, open: &mut T) -> Arc<T> {
        let mut sealed = self.kept.pop().or_else(|| self.returned.take()).unwrap_or_default();
        match Arc::get_mut(&mut sealed) {
            Some(spare) => std::mem::swap(spare, open),
            // A spare one has one owner; what is in the open one must not be lost in any case.
            None => sealed = Arc::new(std::mem::take(open)),
        }
        sealed
    }

    /// Takes one back, if it has no other owner any more.
    pub(crate) fn take_back(&mut self, mut sealed: Arc<T>) {
        if self.kept.len() < SPARE_PAGES
            && let Some(inner) = Arc::get_mut(&mut sealed)
        {
            inner.clear();
            *inner.recycle_to() = None;
            self.kept.push(sealed);
        }
    }

    /// Takes those that lists have given back.
    pub(crate) fn take_returned(&mut self) {
        while self.kept.len() < SPARE_PAGES
            && let Some(sealed) = self.returned.take()
        {
            self.kept.push(sealed);
        }
    }

    /// Gives the memory back to the system.
    pub(crate) fn trim(&mut self) {
        self.kept.clear();
        while self.returned.take().is_some() {}
    }
}
