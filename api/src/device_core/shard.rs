//! Sharded references to the device core, so that threads do not contend for one reference count.
//!
//! Every object keeps its device's core alive. With a single reference count, threads that create and drop
//! objects would contend for its cache line, so several references to the core exist, each with a separate
//! count. An object clones the reference of the thread that creates it.

use std::{ops::Deref, sync::Arc};

use onze_ddi::ObjectDesc;

use super::{Attachments, DeviceCore, NewObject, ObjectData, ObjectShared, Owner, PrivateBytes};
use crate::{concurrent::sharded::Sharded, report::Error};

/// One reference, aligned so that its count is on separate cache lines, because CPUs fetch cache lines in
/// pairs.
#[repr(align(128))]
pub(crate) struct CoreShard(Arc<DeviceCore>);

impl Deref for CoreShard {
    type Target = Arc<DeviceCore>;

    fn deref(&self) -> &Arc<DeviceCore> {
        &self.0
    }
}

/// All references to a core, owned by the application's devices. The core refers to them only weakly, because
/// a reference cycle would keep the core alive.
pub(crate) struct CoreShards(Sharded<Arc<CoreShard>>);

impl CoreShards {
    pub(crate) fn new(core: &Arc<DeviceCore>) -> Self {
        Self(Sharded::new(|| Arc::new(CoreShard(core.clone()))))
    }

    pub(crate) fn here(&self) -> &Arc<CoreShard> {
        self.0.here()
    }
}

impl CoreShard {
    /// Creates an object: queries the size of its immediate handle, and then lets the driver create the
    /// object.
    pub(crate) fn create_object(
        self: &Arc<Self>,
        desc: &ObjectDesc<'_>,
        data: ObjectData,
        label: &str,
        depends_on: Option<Arc<ObjectShared>>,
    ) -> Result<Arc<Owner>, Error> {
        self.check_removed()?;
        let mut immediate = PrivateBytes::zeroed(self.funcs().calc_private_size(desc));
        let key = self.new_key();
        let created = {
            let _serial = self.serial.enter();
            self.funcs().create(key, desc, &mut immediate)
        };
        match created {
            Ok(driver) => {
                let kind = desc.kind();
                let attachments = Attachments::named(label);
                let primary = false;
                let new = NewObject { key, kind, driver, immediate, data, attachments, depends_on, primary };
                Ok(self.adopt(new))
            }
            Err(error) => {
                self.free_index(key);
                Err(self.driver_error(error))
            }
        }
    }

    /// Creates the runtime's half of an object that the driver has created.
    pub(crate) fn adopt(self: &Arc<Self>, new: NewObject) -> Arc<Owner> {
        ObjectShared::new(self, new).owner()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::{collections::HashSet, thread};

    use crate::{objects::sealed::Sealed as _, prelude::*};

    fn device() -> (Device, ImmediateContext) {
        create_device(&DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() }).unwrap()
    }

    fn constants(device: &Device) -> Buffer {
        device.create_buffer(&BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER), None).unwrap()
    }

    #[test]
    fn the_core_ends_with_the_last_object_of_its_devices() {
        let (device, immediate) = device();
        let (core, buffer) = (std::sync::Arc::downgrade(&device.core), constants(&device));
        drop((device, immediate));
        let again = buffer.device();
        let other = constants(&again);
        assert_eq!(again, other.device());
        assert_eq!(again.statistics().live_objects, 2);
        drop((again, buffer));
        assert!(core.strong_count() > 0, "one object is left");
        // Drops the object on a thread that has not created any object.
        thread::scope(|scope| drop(scope.spawn(move || drop(other))));
        assert_eq!(core.strong_count(), 0);
    }

    #[test]
    fn keys_are_unique_and_dense_across_threads() {
        const AT_ONCE: usize = 100;
        let (device, _immediate) = device();
        let mut generations = HashSet::new();
        let mut highest = 0;
        for _ in 0..50 {
            let made: Vec<_> = (0..AT_ONCE).map(|_| constants(&device)).collect();
            let indices: HashSet<_> = made.iter().map(|buffer| buffer.key().index()).collect();
            assert_eq!(indices.len(), AT_ONCE);
            assert!(made.iter().all(|buffer| generations.insert(buffer.key().generation())));
            highest = indices.into_iter().max().unwrap().max(highest);
            thread::scope(|scope| drop(scope.spawn(move || drop(made))));
        }
        // Each shard keeps at most a third of the indices, and there are at most sixteen shards.
        assert!(highest < 20 * AT_ONCE as u32, "{highest}");
    }
}
