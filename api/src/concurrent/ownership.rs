//! The owner of an object: a value that all clones in the application share.

use std::sync::{Arc, PoisonError, TryLockError, Weak};

use crate::sync::Mutex;

/// A reference from an object to its owner. An object has at most one owner at a time.
///
/// An owner has a reference to its object, so if the only reference to an object does not belong to an owner,
/// that reference is exclusive, and no other thread can request an owner.
pub(crate) struct Ownership<O>(Mutex<Weak<O>>);

impl<O> Ownership<O> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// Returns the owner, or a new owner if none exists.
    pub(crate) fn owner(&self, make: impl FnOnce() -> O) -> Arc<O> {
        let mut owner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owner.upgrade().unwrap_or_else(|| {
            let new = Arc::new(make());
            *owner = Arc::downgrade(&new);
            new
        })
    }

    pub(crate) fn is_owned(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).strong_count() > 0
    }

    /// Returns the number of references to the owner, for the report of live objects.
    #[allow(dead_code, reason = "the models do not use it")]
    pub(crate) fn owners(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).strong_count()
    }

    /// Works like [`Self::is_owned`] without waiting, and returns `None` while another thread is requesting the owner.
    pub(crate) fn try_is_owned(&self) -> Option<bool> {
        match self.0.try_lock() {
            Ok(owner) => Some(owner.strong_count() > 0),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner().strong_count() > 0),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Holds the lock, so that a test sees which calls wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.0.lock()
    }
}
