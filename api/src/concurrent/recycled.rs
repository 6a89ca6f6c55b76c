//! Shared values that are reused after their last user has dropped them.

use std::ops::Deref;

use crate::sync::{Arc, ArrayQueue};

/// Emptied values that wait for reuse: any thread can add a value, and the owner removes values.
#[derive(Debug)]
pub(crate) struct Recycled<T> {
    waiting: ArrayQueue<Arc<T>>,
}

impl<T> Recycled<T> {
    /// Creates a store that keeps at most `capacity` values.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { waiting: ArrayQueue::new(capacity) }
    }

    /// Returns a recycled or new value without other references.
    pub(crate) fn take(&self, new: impl Fn() -> Arc<T>) -> Arc<T> {
        let mut value = self.waiting.pop().unwrap_or_else(&new);
        if Arc::get_mut(&mut value).is_none() {
            // The thread that stored the value has not dropped its reference yet.
            value = new();
        }
        value
    }
}

/// Recycles a value that is about to be dropped. If `value` is the last reference, `empty` clears the value
/// and returns its store, or `None` if the store no longer exists.
pub(crate) fn recycle<T, H: Deref<Target = Recycled<T>>>(
    value: &mut Arc<T>,
    empty: impl FnOnce(&mut T) -> Option<H>,
) {
    if let Some(last) = Arc::get_mut(value)
        && let Some(home) = empty(last)
    {
        // If the store is full, the value is freed.
        drop(home.waiting.push(value.clone()));
    }
}
