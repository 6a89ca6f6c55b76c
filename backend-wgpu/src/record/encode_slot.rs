//! The slot of a page in which the encoder keeps the page's bundles.

use std::{
    any::Any,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// Data of a type that only the encoder knows, attached to a page to make the next encoding cheaper.
#[derive(Debug, Default)]
pub(crate) struct EncodeSlot {
    contents: OnceLock<Box<dyn Any + Send + Sync>>,
    is_replayed: AtomicBool,
}

impl EncodeSlot {
    /// The contents, created by the first call, or `None` if the first call created a value of another type.
    pub(crate) fn get_or_init<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.contents.get_or_init(|| Box::new(T::default())).downcast_ref()
    }

    /// Whether the page's draws were in bundles when it was last encoded.
    pub(crate) fn is_replayed(&self) -> bool {
        // Only the length of runs depends on the result, so no ordering is needed.
        self.is_replayed.load(Ordering::Relaxed)
    }

    pub(crate) fn set_replayed(&self, is_replayed: bool) {
        self.is_replayed.store(is_replayed, Ordering::Relaxed);
    }
}
