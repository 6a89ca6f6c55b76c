//! The slot of a page where the encoder keeps the page's bundles.

use std::{
    any::Any,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// A slot of a page in which the encoder keeps what makes the next encoding cheaper. Only the encoder knows its type.
#[derive(Debug, Default)]
pub(crate) struct EncodeSlot {
    contents: OnceLock<Box<dyn Any + Send + Sync>>,
    is_replayed: AtomicBool,
}

impl EncodeSlot {
    /// The contents, which are made by the first call. `None` if that was with another type.
    pub(crate) fn get_or_init<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.contents.get_or_init(|| Box::new(T::default())).downcast_ref()
    }

    /// Whether the page's draws were in bundles when it was encoded last.
    pub(crate) fn is_replayed(&self) -> bool {
        // Nothing but the length of runs depends on it.
        self.is_replayed.load(Ordering::Relaxed)
    }

    /// Notes whether the page's draws are in bundles.
    pub(crate) fn set_replayed(&self, is_replayed: bool) {
        self.is_replayed.store(is_replayed, Ordering::Relaxed);
    }
}
