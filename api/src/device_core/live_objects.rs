//! The live objects of a device, for the debug layer's report. Without the debug layer, objects are not
//! listed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::ObjectShared;
use crate::concurrent::sharded::Sharded;

/// All live objects, in one list per shard of threads, which contains the objects that these threads have
/// created.
pub(crate) struct LiveObjects(Sharded<Mutex<ShardObjects>>);

/// The objects that the threads of one shard have created.
#[derive(Default)]
struct ShardObjects {
    objects: Vec<Weak<ObjectShared>>,
    /// List length at which destroyed objects are removed. The limit is then set to twice the remaining
    /// length, so each object is checked only a few times in total.
    most: usize,
}

/// Minimum list length at which destroyed objects are removed.
const FEW: usize = 64;

fn lock(made: &Mutex<ShardObjects>) -> MutexGuard<'_, ShardObjects> {
    made.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveObjects {
    pub(super) fn new() -> Self {
        Self(Sharded::new(Mutex::default))
    }

    /// Adds a new object, which stays in the list after its destruction, because destruction may happen
    /// during a draw and must not take the lock.
    pub(super) fn add(&self, object: &Arc<ObjectShared>) {
        let mut made = lock(self.0.here());
        if made.objects.len() >= made.most {
            made.objects.retain(|object| object.strong_count() > 0);
            made.most = FEW.max(2 * made.objects.len());
        }
        made.objects.push(Arc::downgrade(object));
    }

    pub(crate) fn all(&self) -> Vec<Arc<ObjectShared>> {
        let mut all: Vec<_> = self
            .0
            .iter()
            .flat_map(|made| lock(made).objects.iter().filter_map(Weak::upgrade).collect::<Vec<_>>())
            .collect();
        all.sort_unstable_by_key(|object| object.key);
        all
    }

    /// Holds the locks, so that a test sees which calls wait for them.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        self.0.iter().map(lock).collect::<Vec<_>>()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::prelude::*;

    #[test]
    fn destroyed_objects_leave_the_list() {
        let desc = DeviceDesc { driver_type: DriverType::Null, debug: true, ..DeviceDesc::default() };
        let (device, _immediate) = create_device(&desc).unwrap();
        let kept = device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        for _ in 0..1000 {
            drop(device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap());
        }
        let live = device.core.live.as_ref().unwrap();
        assert_eq!(live.all().len(), 1);
        let listed: usize = live.0.iter().map(|made| super::lock(made).objects.len()).sum();
        assert!(listed <= super::FEW, "{listed}");
        drop(kept);
        assert!(live.all().is_empty());
    }
}
