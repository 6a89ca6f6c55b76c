//! The heart of a device: the driver's tables, the object index, the released objects and the books.
//!
//! It lives as long as any device clone, context, list or object, and destroys the driver's device when
//! the last of them goes, on whatever thread that is.

use std::{
    borrow::Cow,
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, TryLockError, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

use arc_swap::ArcSwap;
use crossbeam_queue::SegQueue;
use onze_ddi::{
    DdiVersion, DeviceCoreLayer, DeviceFuncs, DriverBug, DriverObject, Entry, FeatureLevel, HandleStorage,
    HandleType, ImmediateFuncs, Key, ObjectDesc, PipelineCaps, PrivateData, ThreadingCaps,
};

use crate::{
    Error,
    context::runtime::{ContextKind, RuntimeContext},
    error::{DriverError, Fatal},
    kernel::Kernel,
    message::{InfoQueue, MessageId},
    object::{NewObject, ObjectData, ObjectShared, Owner},
    removed::RemovedFuncs,
    serial::SerialLock,
    state_object::StateKey,
};

/// The immediate context's table, behind one pointer so that it can be swapped.
pub(crate) struct ImmediateTable(pub(crate) Box<dyn ImmediateFuncs>);

/// What the driver can reach of its device: never the device itself, or neither would end.
pub(crate) struct RuntimeLink {
    pub(crate) table: Arc<ArcSwap<ImmediateTable>>,
    pub(crate) removed: OnceLock<String>,
    pub(crate) info: InfoQueue,
}

impl RuntimeLink {
    pub(crate) fn new(info: InfoQueue) -> Self {
        let table = Arc::new(ArcSwap::from_pointee(ImmediateTable(Box::new(RemovedFuncs))));
        Self { table, removed: OnceLock::new(), info }
    }
}

impl DeviceCoreLayer for RuntimeLink {
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>) {
        if self.removed.get().is_none() {
            self.table.store(Arc::new(ImmediateTable(table)));
        }
        if self.removed.get().is_some() {
            // The device was removed meanwhile: that is for good.
            self.table.store(Arc::new(ImmediateTable(Box::new(RemovedFuncs))));
        }
    }

    fn device_removed(&self, reason: Cow<'static, str>) {
        if self.removed.set(reason.clone().into_owned()).is_ok() {
            self.table.store(Arc::new(ImmediateTable(Box::new(RemovedFuncs))));
            tracing::error!("the device was removed: {reason}");
            self.info.report(MessageId::DeviceRemoved, &reason);
        }
    }

    fn report_bug(&self, bug: DriverBug) {
        tracing::error!("{bug}");
        self.info.report(MessageId::DriverBug, &bug);
    }

    fn report_unsupported(&self, what: Cow<'static, str>) {
        if self.info.is_enabled() {
            self.info.report(MessageId::DrawUnsupported, &what);
        } else {
            // Something is missing in the picture: worth a word also without the debug layer.
            tracing::warn!("{what}");
        }
    }
}

/// See the [module](self).
pub(crate) struct DeviceCore {
    pub(crate) link: Arc<RuntimeLink>,
    /// The driver's table; `None` only between construction and the driver's answer.
    funcs: Arc<dyn DeviceFuncs>,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) serial: SerialLock,
    pub(crate) version: DdiVersion,
    /// What the driver is entered with: its caps, perhaps masked.
    pub(crate) threading: ThreadingCaps,
    pub(crate) feature_level: FeatureLevel,
    pub(crate) caps: PipelineCaps,
    pub(crate) adapter: onze_ddi::AdapterInfo,
    pub(crate) single_threaded: bool,
    /// The private data of the immediate context, once that is gone.
    pub(crate) parked_immediate: Mutex<Option<PrivateData>>,
    pub(crate) immediate_alive: AtomicBool,
    released: SegQueue<Arc<ObjectShared>>,
    /// Swap chains that the application has dropped: destroyed in the immediate context's domain.
    released_swap_chains: SegQueue<DriverObject>,
    next_index: AtomicU32,
    free_indices: SegQueue<u32>,
    states: Mutex<HashMap<StateKey, Weak<ObjectShared>>>,
    pub(crate) live_objects: AtomicU64,
    pub(crate) amortized_calls: AtomicU64,
    pub(crate) presents: AtomicU64,
}

/// What a device is made of, when its driver has made its part.
pub(crate) struct NewDevice {
    pub(crate) link: Arc<RuntimeLink>,
    pub(crate) funcs: Arc<dyn DeviceFuncs>,
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) version: DdiVersion,
    pub(crate) threading: ThreadingCaps,
    pub(crate) feature_level: FeatureLevel,
    pub(crate) caps: PipelineCaps,
    pub(crate) adapter: onze_ddi::AdapterInfo,
    pub(crate) single_threaded: bool,
}

impl DeviceCore {
    pub(crate) fn new(new: NewDevice) -> Arc<Self> {
        Arc::new(Self {
            link: new.link,
            funcs: new.funcs,
            kernel: new.kernel,
            serial: SerialLock::new(new.threading == ThreadingCaps::Serialized),
            version: new.version,
            threading: new.threading,
            feature_level: new.feature_level,
            caps: new.caps,
            adapter: new.adapter,
            single_threaded: new.single_threaded,
            parked_immediate: Mutex::new(None),
            immediate_alive: AtomicBool::new(true),
            released: SegQueue::new(),
            released_swap_chains: SegQueue::new(),
            next_index: AtomicU32::new(0),
            free_indices: SegQueue::new(),
            states: Mutex::default(),
            live_objects: AtomicU64::new(0),
            amortized_calls: AtomicU64::new(0),
            presents: AtomicU64::new(0),
        })
    }

    pub(crate) fn funcs(&self) -> &Arc<dyn DeviceFuncs> {
        &self.funcs
    }

    pub(crate) fn info(&self) -> &InfoQueue {
        &self.link.info
    }

    /// Why the device was removed, if it was.
    pub(crate) fn removed_reason(&self) -> Option<&str> {
        self.link.removed.get().map(String::as_str)
    }

    /// An error if the device was removed.
    pub(crate) fn check_removed(&self) -> Result<(), Error> {
        self.removed_reason().map_or(Ok(()), |reason| Err(Error::DeviceRemoved(reason.to_owned())))
    }

    /// Reports a rejected creation and passes its error on.
    pub(crate) fn reject<T>(&self, id: MessageId, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| self.info().report(id, error))
    }

    /// What a driver's error is for the application. What the contract does not allow a driver to answer
    /// removes the device.
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

    /// Creates an object: asks the driver for the size of its immediate handle, then for the object.
    pub(crate) fn create_object(
        self: &Arc<Self>,
        desc: &ObjectDesc<'_>,
        data: ObjectData,
        label: &str,
        depends_on: Option<Arc<ObjectShared>>,
    ) -> Result<Arc<Owner>, Error> {
        self.check_removed()?;
        let mut immediate = vec![0; self.funcs.calc_private_size(desc)].into_boxed_slice();
        let key = self.new_key();
        let created = {
            let _serial = self.serial.enter();
            self.funcs.create(key, desc, &mut immediate)
        };
        match created {
            Ok(driver) => {
                let kind = desc.kind();
                let label = label.to_owned();
                let primary = false;
                Ok(self.adopt(NewObject { key, kind, driver, immediate, data, label, depends_on, primary }))
            }
            Err(error) => {
                self.free_index(key);
                Err(self.driver_error(error))
            }
        }
    }

    /// Makes the runtime's half of an object that the driver has made.
    pub(crate) fn adopt(self: &Arc<Self>, new: NewObject) -> Arc<Owner> {
        ObjectShared::new(self, new).owner()
    }

    /// The one object of a state, made by `create` if there is none. D3D11 promises that equal
    /// descriptors give the same object, also one that only a binding or a list keeps.
    pub(crate) fn unique_state(
        self: &Arc<Self>,
        key: StateKey,
        create: impl FnOnce() -> Result<Arc<Owner>, Error>,
    ) -> Result<Arc<Owner>, Error> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = states.get(&key).and_then(Weak::upgrade) {
            return Ok(shared.owner());
        }
        if states.len() >= MAX_STATES {
            states.retain(|_, shared| shared.strong_count() > 0);
        }
        if states.len() >= MAX_STATES && owned_states(&states, &key) >= MAX_STATES {
            return Err(Error::TooManyUniqueStateObjects(format!(
                "a device has at most {MAX_STATES} different state objects of a kind; drop some"
            )));
        }
        let owner = create()?;
        states.insert(key, Arc::downgrade(&owner.shared));
        Ok(owner)
    }

    /// Before an object is destroyed that only its last `users` hold: true if no descriptor finds it any
    /// more. False when one has just found it, or may.
    pub(crate) fn forget_state(&self, object: &Arc<ObjectShared>, users: usize) -> bool {
        let Some(key) = StateKey::of(&object.data) else { return true };
        // Who creates a state may wait for the driver, in which the caller is: no waiting here.
        let mut states = match self.states.try_lock() {
            Ok(states) => states,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let found = Arc::strong_count(object) > users;
        if !found && states.get(&key).is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(object))) {
            states.remove(&key);
        }
        !found
    }

    /// A key that no object has had: dense indices are used again, generations never (until 2^32).
    pub(crate) fn new_key(&self) -> Key {
        // Generations are unique over all devices, so that an object of another device is never
        // mistaken for one of this device.
        static GENERATION: AtomicU32 = AtomicU32::new(1);
        let generation = loop {
            if let Some(generation) = NonZeroU32::new(GENERATION.fetch_add(1, Ordering::Relaxed)) {
                break generation;
            }
        };
        let index = self.free_indices.pop();
        Key::new(index.unwrap_or_else(|| self.next_index.fetch_add(1, Ordering::Relaxed)), generation)
    }

    pub(crate) fn free_index(&self, key: Key) {
        self.free_indices.push(key.index());
    }

    /// The application has dropped its last clone.
    pub(crate) fn release(self: &Arc<Self>, shared: &Arc<ObjectShared>) {
        if self.immediate_alive.load(Ordering::SeqCst) {
            self.released.push(shared.clone());
            // The immediate context may have gone between the test and the push; then nobody else
            // empties the queue.
            if !self.immediate_alive.load(Ordering::SeqCst) {
                self.drop_released();
            }
        }
    }

    /// The application has dropped a swap chain.
    pub(crate) fn release_swap_chain(self: &Arc<Self>, swap_chain: DriverObject) {
        self.released_swap_chains.push(swap_chain);
        if !self.immediate_alive.load(Ordering::SeqCst) {
            self.drop_released();
        }
    }

    /// The next swap chain that the application has dropped.
    pub(crate) fn pop_released_swap_chain(&self) -> Option<DriverObject> {
        self.released_swap_chains.pop()
    }

    /// The next object that the application has released.
    pub(crate) fn pop_released(&self) -> Option<Arc<ObjectShared>> {
        self.released.pop()
    }

    /// Objects that wait in the queue.
    pub(crate) fn released(&self) -> usize {
        self.released.len()
    }

    /// Drops what is in the queue: for when there is no immediate context any more.
    pub(crate) fn drop_released(self: &Arc<Self>) {
        while self.released.pop().is_some() {}
        while let Some(swap_chain) = self.released_swap_chains.pop() {
            self.enter_parked(|f, cx| f.destroy_swap_chain(cx, swap_chain));
        }
    }

    /// Destroys a back buffer that has outlived the immediate context.
    pub(crate) fn destroy_primary(self: &Arc<Self>, primary: DriverObject) {
        self.enter_parked(|f, cx| f.destroy_primary(cx, primary));
    }

    /// Enters the immediate context's domain when the context is gone: what belongs there is destroyed
    /// there. Nothing is open then.
    fn enter_parked(self: &Arc<Self>, call: impl FnOnce(&dyn ImmediateFuncs, Entry<'_>)) {
        let _serial = self.serial.enter();
        let mut parked = self.parked_immediate.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(private) = parked.as_mut() else { return };
        let mut handles = HandleStorage::new();
        let mut core = RuntimeContext::new(self, ContextKind::Immediate { waiting: Vec::new() });
        let table = self.link.table.load_full();
        call(&*table.0, Entry { private: &mut **private, handles: &mut handles, core: &mut core });
    }

    /// Asks twice for the sizes of deferred handles, as the contract has it, to tune handle storage.
    pub(crate) fn handle_sizes(funcs: &dyn DeviceFuncs) -> Vec<onze_ddi::HandleSize> {
        let count = funcs.check_deferred_context_handle_sizes(None);
        let mut sizes = vec![onze_ddi::HandleSize { kind: HandleType::Resource, size: 0 }; count];
        let filled = funcs.check_deferred_context_handle_sizes(Some(&mut sizes));
        sizes.truncate(filled);
        sizes
    }

    /// The driver's half of a list is no longer needed.
    pub(crate) fn destroy_command_list(&self, list: DriverObject) {
        let _serial = self.serial.enter();
        self.funcs.destroy_command_list(list);
    }
}

/// D3D11: `D3D11_REQ_BLEND_OBJECT_COUNT_PER_DEVICE` and its kin.
const MAX_STATES: usize = 4096;

/// States of the kind of a key that the application holds. Others go with what keeps them.
fn owned_states(states: &HashMap<StateKey, Weak<ObjectShared>>, key: &StateKey) -> usize {
    let same_kind = |k: &StateKey| std::mem::discriminant(k) == std::mem::discriminant(key);
    let owned = |shared: &Weak<ObjectShared>| shared.upgrade().is_some_and(|shared| shared.is_owned());
    states.iter().filter(|(k, shared)| same_kind(k) && owned(shared)).count()
}

impl Drop for DeviceCore {
    fn drop(&mut self) {
        let immediate = self.parked_immediate.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(immediate) = immediate {
            self.funcs.destroy_device(immediate);
        }
        // The link holds the driver's table, which holds the driver's device, which holds the link.
        self.link.table.store(Arc::new(ImmediateTable(Box::new(RemovedFuncs))));
    }
}

#[cfg(test)]
mod tests {
    use onze_ddi::{CreateError, GetDataError, MapError, PresentError};

    use super::*;
    use crate::{DeviceDesc, DriverType, create_device};

    /// What a driver's error makes of a device.
    fn after(error: impl DriverError) -> (Error, bool) {
        let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, _immediate) = create_device(&desc).expect("the null driver always works");
        let error = device.core.driver_error(error);
        (error, device.get_device_removed_reason().is_err())
    }

    #[test]
    fn whichever_entry_a_driver_bug_comes_from_it_removes_the_device() {
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
