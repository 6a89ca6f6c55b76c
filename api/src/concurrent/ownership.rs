//! The owner of an object: one value for all clones that the application holds.

use std::sync::{Arc, PoisonError, TryLockError, Weak};

use crate::sync::Mutex;

/// Where an object finds its owner: one at a time, with none in between.
///
/// An owner holds its object. So the only reference to an object without an owner is exclusive: no other thread
/// can ask for an owner.
pub(crate) struct Ownership<O>(Mutex<Weak<O>>);

impl<O> Ownership<O> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// The owner; a new one if there is none (any more).
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

    /// How many hold the owner.
    #[allow(dead_code, reason = "the models have no need of it")]
    pub(crate) fn owners(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).strong_count()
    }

    /// As [`Self::is_owned`], without waiting. `None` while another thread asks for the owner.
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
