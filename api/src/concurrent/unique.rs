//! Shared values, at most one per key, that exist as long as there are references to them.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, PoisonError, TryLockError, Weak},
};

use crate::sync::Mutex;

/// A map from keys to shared values, which the map does not keep alive.
pub(crate) struct Unique<K, V> {
    values: Mutex<HashMap<K, Weak<V>>>,
}

impl<K: Eq + Hash, V> Unique<K, V> {
    pub(crate) fn new() -> Self {
        Self { values: Mutex::new(HashMap::new()) }
    }

    /// Returns the result of `found` for a key's value. If no value exists, `create` creates one, with access
    /// to the other values.
    pub(crate) fn find_or_create<O, E>(
        &self,
        key: K,
        found: impl FnOnce(&Arc<V>) -> O,
        create: impl FnOnce(&mut HashMap<K, Weak<V>>) -> Result<(Arc<V>, O), E>,
    ) -> Result<O, E> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = values.get(&key).and_then(Weak::upgrade) {
            return Ok(found(&value));
        }
        let (value, answer) = create(&mut values)?;
        values.insert(key, Arc::downgrade(&value));
        Ok(answer)
    }

    /// Removes the key of a value before its last `users` references are dropped. Returns true if the value
    /// can no longer be found, and false if another thread has just found it or may still find it.
    pub(crate) fn forget(&self, key: &K, value: &Arc<V>, users: usize) -> bool {
        // This call must not wait for the lock, because the caller is inside the driver. A thread that
        // creates a value has the lock and may be waiting for the driver.
        let mut values = match self.values.try_lock() {
            Ok(values) => values,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        // The references are counted under the lock, so that no thread can find the value during the check.
        let found = Arc::strong_count(value) > users;
        if !found && values.get(key).is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(value))) {
            values.remove(key);
        }
        !found
    }
}
