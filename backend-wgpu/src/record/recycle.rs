//! The memory of pages and object tables, used again and again.
//!
//! A context fills one, seals it into an `Arc` that an earlier one has left behind, and gets the memory of that
//! to go on with. Those of a list go home to the context that recorded it when nobody has them any more.

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;

use crate::record::upload::Returns;

/// What can be emptied and filled again.
pub(crate) trait Recycle: Default {
    /// Forgets everything but the memory.
    fn clear(&mut self);

    /// Of a list's: where its memory goes when it was submitted for the last time.
    fn home(&mut self) -> &mut Option<Arc<Returns>>;

    /// Where those wait that have come home.
    fn returned(returns: &Returns) -> &ArrayQueue<Arc<Self>>;
}

/// Sends something, emptied, to where it was recorded, if nobody else has it.
pub(crate) fn go_home<T: Recycle>(mut sealed: Arc<T>) {
    if let Some(inner) = Arc::get_mut(&mut sealed)
        && let Some(home) = inner.home().take()
    {
        inner.clear();
        // When enough are waiting, it is freed.
        drop(T::returned(&home).push(sealed));
    }
}

/// Emptied ones that a context keeps.
#[derive(Debug, Default)]
pub(crate) struct Spare<T>(Vec<Arc<T>>);

/// How many.
const MOST: usize = 64;

impl<T: Recycle> Spare<T> {
    /// Seals what is open, and empties it.
    pub(crate) fn seal(&mut self, open: &mut T, returns: &Returns) -> Arc<T> {
        let mut sealed = self.0.pop().or_else(|| T::returned(returns).pop()).unwrap_or_default();
        match Arc::get_mut(&mut sealed) {
            Some(spare) => std::mem::swap(spare, open),
            // A spare one has one owner; what is in the open one must not be lost in any case.
            None => sealed = Arc::new(std::mem::take(open)),
        }
        sealed
    }

    /// Takes one back, if nobody else has it any more.
    pub(crate) fn take_back(&mut self, mut sealed: Arc<T>) {
        if self.0.len() < MOST
            && let Some(inner) = Arc::get_mut(&mut sealed)
        {
            inner.clear();
            *inner.home() = None;
            self.0.push(sealed);
        }
    }

    /// Takes those that lists have given back.
    pub(crate) fn take_returned(&mut self, returns: &Returns) {
        while self.0.len() < MOST
            && let Some(sealed) = T::returned(returns).pop()
        {
            self.0.push(sealed);
        }
    }

    /// Gives the memory back to the system.
    pub(crate) fn trim(&mut self, returns: &Returns) {
        self.0.clear();
        while T::returned(returns).pop().is_some() {}
    }
}
