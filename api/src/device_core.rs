//! The device core: the driver's tables, object indices, released objects, unique states and counters.
//!
//! Every device clone, context, list and object keeps the core alive. When the last of them is dropped, on
//! any thread, the driver's device is destroyed. Objects ([`object`]) and their handle states
//! ([`handle_state`]) are in this room, because the core and its objects refer to each other.

mod attachments;
mod handle_state;
pub(crate) mod kernel;
mod link;
mod live_objects;
mod number;
mod object;
mod open_handles;
mod parked;
pub(crate) mod platform;
mod removal;
mod removed;
mod shard;
mod state_key;

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, AtomicU64},
    },
};

use crossbeam_queue::ArrayQueue;
use onze_ddi::{
    CreateDeferredContextArgs, CreateDeviceFlags, CreatedDeferredContext, DdiVersion, Dead,
    DeviceCoreLayer as _, DeviceFuncs, DriverContext, DriverObject, Entry, FeatureLevel, HandleStorage,
    HandleType, Key, Live, PipelineCaps, ThreadingCaps,
};

pub use self::{attachments::Guid, removal::DeviceRemovedEvent};
pub(crate) use self::{
    attachments::{Attachments, attachments},
    handle_state::{HandleState, ObjectFlags, PrivateBytes},
    link::{ImmediateTable, RuntimeLink},
    live_objects::LiveObjects,
    object::{FedSemantic, InputLayoutData, NewObject, ObjectData, ObjectShared, Owner},
    open_handles::OpenHandles,
    parked::ParkedContext,
    shard::{CoreShard, CoreShards},
    state_key::StateKey,
};

use self::{kernel::Kernel, number::unique_number, open_handles::AllOpenHandles};
use crate::{
    concurrent::{
        indices::Indices, ownership::Ownership, release_queue::ReleaseQueue, serial::SerialLock,
        sharded::ShardedSum, unique::Unique,
    },
    report::{DriverError, Error, Fatal, InfoQueue, MessageId},
};

pub(crate) struct DeviceCore {
    pub(crate) link: Arc<RuntimeLink>,
    funcs: Arc<dyn DeviceFuncs>,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) serial: SerialLock,
    pub(crate) version: DdiVersion,
    /// The driver's threading level, or a lower level that the application has requested.
    pub(crate) threading: ThreadingCaps,
    pub(crate) feature_level: FeatureLevel,
    pub(crate) caps: PipelineCaps,
    pub(crate) adapter: onze_ddi::AdapterInfo,
    pub(crate) flags: CreateDeviceFlags,
    pub(crate) attachments: Attachments,
    /// The immediate context's half of the driver, after the context was dropped.
    pub(crate) parked_immediate: Mutex<Option<Box<dyn ParkedContext>>>,
    /// Emptied deferred contexts that the application has dropped, added and removed by any thread.
    dead_contexts: ArrayQueue<(DriverContext<Dead>, HandleStorage)>,
    /// Objects that the application has dropped, in a queue that closes when the immediate context is
    /// dropped.
    released: ReleaseQueue<Arc<ObjectShared>>,
    /// Swap chains that the application has dropped, to be destroyed in the immediate context's domain.
    released_swap_chains: ReleaseQueue<DriverObject>,
    /// The owner of the sharded references to this core, shared by all of the application's devices.
    pub(crate) shards: Ownership<CoreShards>,
    indices: Indices,
    states: Unique<StateKey, ObjectShared>,
    pub(crate) live_objects: ShardedSum,
    /// The list of live objects, which exists only with the debug layer.
    pub(crate) live: Option<LiveObjects>,
    pub(crate) open_handles: AllOpenHandles,
    pub(crate) amortized_calls: AtomicU64,
    pub(crate) exception_mode: AtomicU32,
    pub(crate) presents: AtomicU64,
    pub(crate) presents_copied: AtomicU64,
}

/// The arguments of [`DeviceCore::new`]: the components of a device, including the driver's device.
pub(crate) struct NewDevice {
    pub(crate) link: Arc<RuntimeLink>,
    pub(crate) funcs: Arc<dyn DeviceFuncs>,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) version: DdiVersion,
    pub(crate) threading: ThreadingCaps,
    pub(crate) feature_level: FeatureLevel,
    pub(crate) caps: PipelineCaps,
    pub(crate) adapter: onze_ddi::AdapterInfo,
    pub(crate) flags: CreateDeviceFlags,
    pub(crate) attachments: Attachments,
}

impl DeviceCore {
    pub(crate) fn new(new: NewDevice) -> Arc<Self> {
        let live = new.link.info.is_enabled().then(LiveObjects::new);
        Arc::new(Self {
            live,
            link: new.link,
            funcs: new.funcs,
            kernel: new.kernel,
            serial: SerialLock::new(new.threading == ThreadingCaps::Serialized),
            version: new.version,
            threading: new.threading,
            feature_level: new.feature_level,
            caps: new.caps,
            adapter: new.adapter,
            flags: new.flags,
            attachments: new.attachments,
            parked_immediate: Mutex::new(None),
            dead_contexts: ArrayQueue::new(DEAD_CONTEXTS),
            released: ReleaseQueue::new(),
            released_swap_chains: ReleaseQueue::new(),
            shards: Ownership::new(),
            indices: Indices::new(),
            states: Unique::new(),
            live_objects: ShardedSum::default(),
            open_handles: AllOpenHandles::default(),
            amortized_calls: AtomicU64::new(0),
            exception_mode: AtomicU32::new(0),
            presents: AtomicU64::new(0),
            presents_copied: AtomicU64::new(0),
        })
    }

    /// Returns the shards that the application's devices share, or new shards if no device exists.
    pub(crate) fn shards(self: &Arc<Self>) -> Arc<CoreShards> {
        self.shards.owner(|| CoreShards::new(self))
    }

    pub(crate) fn funcs(&self) -> &Arc<dyn DeviceFuncs> {
        &self.funcs
    }

    pub(crate) fn info(&self) -> &InfoQueue {
        &self.link.info
    }

    /// Returns the reason for the removal if the device was removed.
    pub(crate) fn removed_reason(&self) -> Option<&str> {
        self.link.table.reason()
    }

    pub(crate) fn check_removed(&self) -> Result<(), Error> {
        self.removed_reason().map_or(Ok(()), |reason| Err(Error::DeviceRemoved(reason.to_owned())))
    }

    /// Reports the error of a call, and returns the result unchanged.
    pub(crate) fn reject<T>(&self, id: MessageId, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| self.info().report_returned(id, error))
    }

    /// Converts a driver's error to an error for the application, and removes the device if the contract does
    /// not allow the error.
    pub(crate) fn driver_error(&self, error: impl DriverError) -> Error {
        match error.fatal() {
            Some(Fatal::Removed(reason)) => self.link.device_removed(reason.clone()),
            Some(Fatal::Bug(bug)) => {
                self.link.report_bug(bug.clone());
                self.link.device_removed(bug.to_string().into());
            }
            None => {}
        }
        error.into()
    }

    /// Returns the unique object for a state, which `create` creates if it does not exist. D3D11 promises
    /// that equal descriptors return the same object, even if only a binding or a list keeps the object
    /// alive.
    pub(crate) fn unique_state(
        self: &Arc<Self>,
        key: StateKey,
        create: impl FnOnce() -> Result<Arc<Owner>, Error>,
    ) -> Result<Arc<Owner>, Error> {
        self.states.find_or_create(key, ObjectShared::owner, |states| {
            if states.len() >= MAX_STATES {
                states.retain(|_, shared| shared.strong_count() > 0);
            }
            if states.len() >= MAX_STATES && owned_states(states, &key) >= MAX_STATES {
                return Err(Error::TooManyUniqueStateObjects(format!(
                    "a device has at most {MAX_STATES} different state objects of each kind; drop some"
                )));
            }
            let owner = create()?;
            Ok((owner.shared.clone(), owner))
        })
    }

    /// Removes the key of a state object before its last `users` references are dropped. Returns true if the
    /// object can no longer be found by its descriptor, and false if another thread has just found it or may
    /// still find it.
    pub(crate) fn forget_state(&self, object: &Arc<ObjectShared>, users: usize) -> bool {
        StateKey::of(&object.data).is_none_or(|key| self.states.forget(&key, object, users))
    }

    /// Returns a key that no object has had, whose dense index may be reused but whose generation is not
    /// reused before 2^32 keys.
    pub(crate) fn new_key(&self) -> Key {
        // Generations are unique across all devices, so that an object of another device is not mistaken for
        // an object of this device.
        let generation = loop {
            if let Some(generation) = NonZeroU32::new(unique_number() as u32) {
                break generation;
            }
        };
        Key::new(self.indices.take(), generation)
    }

    pub(crate) fn free_index(&self, key: Key) {
        self.indices.give(key.index());
    }

    /// Handles an object whose last clone the application has dropped.
    pub(crate) fn release(self: &Arc<Self>, shared: &Arc<ObjectShared>) {
        // An object without other references is destroyed at once, while its memory is in the cache. Contexts
        // that have opened it, lists and views would have a reference. There are three exceptions: another
        // thread may still find a state object by its descriptor, a primary must be destroyed by the
        // immediate context, and entering a serial driver may wait.
        let unused = Arc::strong_count(shared) == 1 && StateKey::of(&shared.data).is_none();
        if unused && !shared.is_primary() && self.threading != ThreadingCaps::Serialized {
            return;
        }
        // If the immediate context no longer exists, the object is destroyed when its last reference is
        // dropped.
        if !self.released.is_closed() && self.released.push(shared.clone()) {
            self.drop_released();
        }
    }

    /// Handles a swap chain that the application has dropped.
    pub(crate) fn release_swap_chain(self: &Arc<Self>, swap_chain: DriverObject) {
        if self.released_swap_chains.push(swap_chain) {
            self.drop_released();
        }
    }

    /// Returns the next swap chain that the application has dropped.
    pub(crate) fn pop_released_swap_chain(&self) -> Option<DriverObject> {
        self.released_swap_chains.pop()
    }

    /// Returns the next object that the application has released.
    pub(crate) fn pop_released(&self) -> Option<Arc<ObjectShared>> {
        self.released.pop()
    }

    /// Returns the number of dropped objects that wait in the queue.
    pub(crate) fn released(&self) -> usize {
        self.released.len()
    }

    /// Closes and empties the queues when the immediate context is dropped, after which an object is
    /// destroyed when its last reference is dropped.
    pub(crate) fn close_released(self: &Arc<Self>) {
        self.released.close();
        self.released_swap_chains.close();
        self.drop_released();
    }

    /// Drops the contents of the queues after the immediate context was dropped.
    fn drop_released(self: &Arc<Self>) {
        while self.released.pop().is_some() {}
        while let Some(swap_chain) = self.released_swap_chains.pop() {
            self.enter_parked(|cx| self.link.table.load().0.destroy_swap_chain(cx, swap_chain));
        }
    }

    /// Destroys a back buffer that has outlived the immediate context or the device's removal.
    pub(crate) fn destroy_primary(self: &Arc<Self>, kind: HandleType, primary: DriverObject) {
        let mut left = Some(primary);
        self.enter_parked(|cx| {
            if let Some(table) = self.link.table.live()
                && let Some(primary) = left.take()
            {
                table.0.destroy_primary(cx, primary);
            }
        });
        // After device removal, the context's table has no effect, so the device's own table destroys the
        // primary.
        if let Some(primary) = left {
            let _serial = self.serial.enter();
            self.funcs.destroy(kind, primary);
        }
    }

    /// Enters the immediate context's half of the driver after the context was dropped, in order to destroy
    /// objects of the context's domain.
    fn enter_parked(self: &Arc<Self>, call: impl FnOnce(Entry<'_>)) {
        let _serial = self.serial.enter();
        let mut parked = self.parked_immediate.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parked) = parked.as_mut() {
            parked.enter(self, Box::new(call));
        }
    }

    /// Queries the sizes of deferred handles, for the handle storage. As the contract requires, the first
    /// call returns the number of sizes and the second call returns the sizes.
    pub(crate) fn handle_sizes(funcs: &dyn DeviceFuncs) -> Vec<onze_ddi::HandleSize> {
        let count = funcs.check_deferred_context_handle_sizes(None);
        let mut sizes = vec![onze_ddi::HandleSize { kind: HandleType::Resource, size: 0 }; count];
        let filled = funcs.check_deferred_context_handle_sizes(Some(&mut sizes));
        sizes.truncate(filled);
        sizes
    }

    /// Returns a deferred context of the driver and a handle storage, both either recycled or new.
    pub(crate) fn create_deferred_context(&self) -> Result<(CreatedDeferredContext, HandleStorage), Error> {
        let args = CreateDeferredContextArgs::default();
        let _serial = self.serial.enter();
        let (created, handles) = match self.dead_contexts.pop() {
            Some((dead, handles)) => {
                let cached = self.funcs.recycle_deferred_context(dead);
                (self.funcs.recycle_create_deferred_context(cached, &args), handles)
            }
            None => (self.funcs.create_deferred_context(&args), HandleStorage::new()),
        };
        Ok((created.map_err(|error| self.driver_error(error))?, handles))
    }

    /// Stores the driver's half and the handle storage of a deferred context for reuse, or destroys them if
    /// the store is full.
    pub(crate) fn recycle_deferred_context(&self, context: DriverContext<Live>, handles: HandleStorage) {
        let _serial = self.serial.enter();
        let dead = self.funcs.recycle_destroy_deferred_context(context);
        if let Err((dead, _)) = self.dead_contexts.push((dead, handles)) {
            self.funcs.destroy_deferred_context(dead.end());
        }
    }

    /// Destroys the stored halves of deferred contexts.
    pub(crate) fn trim(&self) {
        let _serial = self.serial.enter();
        while let Some((dead, _)) = self.dead_contexts.pop() {
            self.funcs.destroy_deferred_context(dead.end());
        }
    }
}

/// Maximum number of deferred contexts that are kept for reuse.
const DEAD_CONTEXTS: usize = 8;

/// Maximum number of different state objects of one type (D3D11: `D3D11_REQ_BLEND_OBJECT_COUNT_PER_DEVICE`
/// and related constants).
const MAX_STATES: usize = 4096;

/// Counts the state objects of a key's type that the application owns. Other state objects do not count,
/// because they are destroyed with the contexts and lists that keep them alive.
fn owned_states(states: &HashMap<StateKey, Weak<ObjectShared>>, key: &StateKey) -> usize {
    let same_kind = |k: &StateKey| std::mem::discriminant(k) == std::mem::discriminant(key);
    let owned = |shared: &Weak<ObjectShared>| shared.upgrade().is_some_and(|shared| shared.is_owned());
    states.iter().filter(|(k, shared)| same_kind(k) && owned(shared)).count()
}

impl Drop for DeviceCore {
    fn drop(&mut self) {
        self.trim();
        let immediate = self.parked_immediate.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(immediate) = immediate {
            self.funcs.destroy_device(immediate.into_private());
        }
        // Breaks a reference cycle: the link refers to the driver's table, the table to the driver's device,
        // and the device to the link.
        self.link.table.clear(ImmediateTable::nothing());
    }
}

#[cfg(test)]
mod tests {
    use onze_ddi::{CreateError, DriverBug, GetDataError, MapError, PresentError};

    use super::*;
    use crate::{DeviceDesc, DriverType, create_device};

    /// Returns the application's error for a driver's error, and whether the error removed the device.
    fn after(error: impl DriverError) -> (Error, bool) {
        let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, _immediate) = create_device(&desc).expect("the null driver always works");
        device.info_queue().set_mute_debug_output(true);
        let error = device.core.driver_error(error);
        (error, device.get_device_removed_reason().is_err())
    }

    #[test]
    fn a_driver_bug_in_any_entry_removes_the_device() {
        let bug = || DriverBug("made up".into());
        for (error, removed) in [
            after(CreateError::Bug(bug())),
            after(MapError::Bug(bug())),
            after(GetDataError::Bug(bug())),
            after(PresentError::Bug(bug())),
            after(PresentError::DeviceRemoved("gone".into())),
            after(GetDataError::DeviceRemoved("gone".into())),
        ] {
            assert!(matches!(error, Error::DeviceRemoved(_)) && removed, "{error:?}");
        }
        for (error, removed) in [
            after(MapError::StillDrawing),
            after(MapError::OutOfMemory),
            after(CreateError::Application("bad".into())),
            after(PresentError::SurfaceLost("closed".into())),
        ] {
            assert!(!matches!(error, Error::DeviceRemoved(_)) && !removed, "{error:?}");
        }
    }
}
