//! Values of which there is one for each key, as long as anybody holds it.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, PoisonError, TryLockError, Weak},
};

use crate::sync::Mutex;

/// Finds the one value of a key. It does not keep values: their users do.
pub(crate) struct Unique<K, V> {
    values: Mutex<HashMap<K, Weak<V>>>,
}

impl<K: Eq + Hash, V> Unique<K, V> {
    pub(crate) fn new() -> Self {
        Self { values: Mutex::new(HashMap::new()) }
    }

    /// The value of a key, as `found` gives it, or the one that `create` makes when there is none.
    /// `create` sees the other values.
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

    /// Before a value is given up that only its last `users` hold: true if no key finds it any more.
    /// False when one has just found it, or may.
    pub(crate) fn forget(&self, key: &K, value: &Arc<V>, users: usize) -> bool {
        // Who creates may wait for the driver, in which the caller is: no waiting here.
        let mut values = match self.values.try_lock() {
            Ok(values) => values,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        // Counted under the lock, where nobody finds it.
        let found = Arc::strong_count(value) > users;
        if !found && values.get(key).is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(value))) {
            values.remove(key);
        }
        !found
    }
}
