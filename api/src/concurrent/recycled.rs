//! Shared values that are used again when their last user has let go.

use std::ops::Deref;

use crate::sync::{Arc, ArrayQueue};

/// Emptied values that wait to be used again. Any thread adds, the owner takes out.
#[derive(Debug)]
pub(crate) struct Recycled<T> {
    waiting: ArrayQueue<Arc<T>>,
}

impl<T> Recycled<T> {
    /// Keeps `capacity` values at most.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { waiting: ArrayQueue::new(capacity) }
    }

    /// A value without other references: a recycled one, or a new one.
    pub(crate) fn take(&self, new: impl Fn() -> Arc<T>) -> Arc<T> {
        let mut value = self.waiting.pop().unwrap_or_else(&new);
        if Arc::get_mut(&mut value).is_none() {
            // Whoever put it there has not let go of it yet.
            value = new();
        }
        value
    }
}

/// To be called before a user lets go of a value. If it is the last one, `empty` empties the value and
/// says where it belongs, if that still exists.
pub(crate) fn recycle<T, H: Deref<Target = Recycled<T>>>(
    value: &mut Arc<T>,
    empty: impl FnOnce(&mut T) -> Option<H>,
) {
    if let Some(last) = Arc::get_mut(value)
        && let Some(home) = empty(last)
    {
        // When enough are waiting, it is freed.
        drop(home.waiting.push(value.clone()));
    }
}
