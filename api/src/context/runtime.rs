//! The runtime's half of a context, which the driver's callbacks read and change.

use std::{
    any::Any,
    collections::VecDeque,
    ops::Range,
    sync::{Arc, atomic::Ordering},
};

use onze_ddi::*;

use super::{
    bound::Bound, chain::FittingChains, command_list::ListShared, dispatch::DispatchState,
    draw_state::DrawState, map::OwnedMap,
};
use crate::{
    device_core::{DeviceCore, HandleState, ObjectShared, OpenHandles, ParkedContext},
    report::MessageId,
};

/// Number of drains that together check all waiting objects, if nothing else is released.
const WAITING_PARTS: usize = 16;

/// Number of waiting objects that every drain checks.
const FEW_WAITING: usize = 32;

/// The kind of a context, with the state that only this kind has.
pub(crate) enum ContextKind {
    Immediate {
        /// Released objects that are still in use and that later drains check again, in this order.
        waiting: VecDeque<Arc<ObjectShared>>,
    },
    Deferred {
        /// The driver's table, or the table of the runtime's software command lists.
        funcs: Arc<dyn DeferredFuncs>,
        /// True if the runtime records, in which case handles have no private bytes.
        software: bool,
        /// The handles that this recording has opened, in the order of opening, so dependencies come first.
        opened: Vec<Key>,
        nested: Vec<Arc<ListShared>>,
    },
}

/// The runtime's half of a context; see the [module](self). The driver receives it as [`CoreLayer`] in every
/// entry.
pub(crate) struct RuntimeContext {
    pub(crate) kind: ContextKind,
    pub(crate) bound: Bound,
    /// The state to restore after the list that is currently executed.
    pub(crate) saved: Option<Arc<Bound>>,
    /// True if the recording ran out of memory, after which calls have no effect until the recording is
    /// finished.
    pub(crate) lost: bool,
    /// Makes the driver calls of a deferred context take the slow path, because the recording is lost or
    /// because only one thread at a time may enter the driver.
    pub(crate) slow_path: bool,
    pub(crate) draw: DrawState,
    pub(crate) dispatch: DispatchState,
    /// Chains of shaders, with their layouts, that are known to match.
    pub(crate) fitting: FittingChains,
    /// Maps whose tokens the application has, with their memory.
    pub(crate) owned_maps: Vec<OwnedMap>,
    pub(crate) open_events: u32,
    /// Number of handles that are open in this context, for the statistics.
    pub(crate) open_handles: Arc<OpenHandles>,
    pub(crate) begun: Vec<Key>,
    /// Declared last because it must be dropped last; see [`ObjectShared::device`].
    pub(crate) device: Arc<DeviceCore>,
}

impl RuntimeContext {
    pub(crate) fn new(device: &Arc<DeviceCore>, kind: ContextKind) -> Self {
        Self {
            device: device.clone(),
            kind,
            bound: Bound::default(),
            saved: None,
            lost: false,
            slow_path: device.serial.is_needed(),
            draw: DrawState::new(device.info().is_enabled()),
            dispatch: DispatchState::default(),
            fitting: FittingChains::default(),
            owned_maps: Vec::new(),
            open_events: 0,
            open_handles: device.open_handles.add(),
            begun: Vec::new(),
        }
    }

    /// Starts the next recording, even if the last one was lost.
    pub(crate) fn begin_recording(&mut self) {
        (self.lost, self.slow_path) = (false, self.device.serial.is_needed());
    }

    /// Destroys the released objects that nothing uses any more, on the immediate context only.
    ///
    /// An object is destroyed under the following conditions: the application has not retrieved it again with
    /// a getter, no other context has opened it, no list uses it, and this context neither maps it, nor binds
    /// it, nor will bind it again after a list. The immediate handle is closed last.
    ///
    /// Objects that were in use at the last call are probably still in use: most of them are resources that the
    /// application uses only through views. So if nothing else was released, only a part of them is checked.
    pub(crate) fn drain(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        let mut bound: Option<Vec<Key>> = None;
        let mut destroyed = false;
        loop {
            let ContextKind::Immediate { waiting } = &mut self.kind else { return };
            let mut candidates = Vec::new();
            while let Some(released) = self.device.pop_released() {
                candidates.push(released);
            }
            let is_quiet = candidates.is_empty() && !destroyed;
            let part = if is_quiet { FEW_WAITING.max(waiting.len() / WAITING_PARTS) } else { usize::MAX };
            candidates.extend(waiting.drain(..part.min(waiting.len())));
            // Removes duplicates, because if a getter returns a released object, it is released a second
            // time, and two entries would keep each other alive.
            candidates.sort_unstable_by_key(|object| object.key);
            candidates.dedup_by_key(|object| object.key);
            destroyed = false;
            for object in candidates {
                let users = 1 + usize::from(handles.contains(object.key));
                // Most candidates are resources that a view still uses, so this is checked first.
                let used = Arc::strong_count(&object) > users || {
                    // Does not wait for a thread that is accessing the owner, because this code may run during a
                    // draw.
                    let owned = object.try_is_owned();
                    if owned == Some(true) {
                        // A getter has returned the object, so it is released again when its new owner is
                        // dropped.
                        continue;
                    }
                    let bound = bound.get_or_insert_with(|| self.bound_keys());
                    let state = handles.runtime::<HandleState>(object.key);
                    owned.is_none()
                        || state.is_some_and(|state| state.mapped > 0)
                        || bound.contains(&object.key)
                        || !self.device.forget_state(&object, users)
                };
                if used {
                    if let ContextKind::Immediate { waiting } = &mut self.kind {
                        waiting.push_back(object);
                    }
                } else {
                    self.retire(private, handles, &object);
                    destroyed = true;
                }
            }
            // A destroyed view may have been the last user of its resource.
            if !destroyed {
                break;
            }
        }
        while let Some(swap_chain) = self.device.pop_released_swap_chain() {
            let table = self.device.link.table.load();
            let entry = Entry { private: &mut *private, handles: &mut *handles, core: self };
            table.0.destroy_swap_chain(entry, swap_chain);
        }
    }

    /// Returns the keys of all objects that are bound, or that will be bound again after the list that is
    /// currently executed.
    fn bound_keys(&self) -> Vec<Key> {
        let mut keys = self.bound.keys();
        keys.extend(self.saved.iter().flat_map(|saved| saved.keys()));
        keys
    }

    /// Closes an object's immediate handle, if it is open.
    pub(crate) fn close_handle(
        &mut self,
        private: &mut (dyn Any + Send),
        handles: &mut HandleStorage,
        object: &Arc<ObjectShared>,
    ) {
        if handles.contains(object.key) {
            let table = self.device.link.table.load();
            let entry = ClosingEntry { private, handles: &mut *handles, state: self };
            table.0.close(entry, object.kind, object.key);
            handles.close(object.key);
            self.open_handles.set(handles.open_handles());
            // The result of this query can no longer be requested.
            self.begun.retain(|query| *query != object.key);
        }
    }

    /// Closes the immediate handle of an unused object, and destroys the object at once if it is a primary.
    fn retire(
        &mut self,
        private: &mut (dyn Any + Send),
        handles: &mut HandleStorage,
        object: &Arc<ObjectShared>,
    ) {
        self.close_handle(private, handles, object);
        // After device removal, the context's table has no effect, so the device's own table destroys the
        // primary.
        if object.is_primary()
            && let Some(table) = self.device.link.table.live()
            && object.claim_destruction()
        {
            let entry = Entry { private, handles, core: self };
            table.0.destroy_primary(entry, object.driver().clone());
        }
    }

    /// Returns an error if the device was removed; callbacks return this result.
    fn check_removed(&self) -> Result<(), DeviceRemoved> {
        match self.device.removed_reason() {
            Some(reason) => Err(DeviceRemoved(reason.to_owned().into())),
            None => Ok(()),
        }
    }

    /// Returns the number of released objects that are still in use.
    pub(crate) fn waiting(&self) -> usize {
        match &self.kind {
            ContextKind::Immediate { waiting } => waiting.len(),
            ContextKind::Deferred { .. } => 0,
        }
    }
}

impl CoreLayer for RuntimeContext {
    fn set_error(&mut self, error: ContextError) {
        let info = self.device.info();
        match (error, &self.kind) {
            (ContextError::OutOfMemory, ContextKind::Deferred { .. }) => {
                (self.lost, self.slow_path) = (true, true);
                info.report(MessageId::RecordingOutOfMemory, "the driver is out of memory");
            }
            (ContextError::Application(reason), _) => info.report(MessageId::DriverApplicationError, reason),
            (ContextError::DeviceRemoved(reason), _) => self.device.link.device_removed(reason),
            (error @ (ContextError::OutOfMemory | ContextError::Bug(_)), _) => {
                let bug = DriverBug(error.to_string().into());
                self.device.link.report_bug(bug);
                self.device.link.device_removed(format!("its driver has a bug: {error}").into());
            }
        }
    }

    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        self.device.amortized_calls.fetch_add(1, Ordering::Relaxed);
        self.bound.trim();
        handles.trim();
        self.drain(private, handles);
    }

    fn render(&mut self, _args: RenderArgs) -> Result<Fence, DeviceRemoved> {
        if matches!(self.kind, ContextKind::Deferred { .. }) {
            let bug = DriverBug("render was called in an entry of a deferred context".into());
            self.set_error(bug.into());
        }
        self.check_removed()?;
        Ok(self.device.kernel.next_fence())
    }

    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved> {
        self.check_removed()?;
        self.device.presents.fetch_add(1, Ordering::Relaxed);
        self.device.presents_copied.fetch_add(args.copied.into(), Ordering::Relaxed);
        Ok(())
    }

    fn set_display_mode(&mut self, _mode: DisplayMode) -> Result<(), DeviceRemoved> {
        self.check_removed()
    }
}

/// The private data of the immediate context, after the context was dropped.
pub(crate) struct Parked(pub(crate) PrivateData);

impl ParkedContext for Parked {
    fn enter(&mut self, device: &Arc<DeviceCore>, call: Box<dyn FnOnce(Entry<'_>) + '_>) {
        let mut handles = HandleStorage::new();
        let mut core = RuntimeContext::new(device, ContextKind::Immediate { waiting: VecDeque::new() });
        call(Entry { private: &mut *self.0, handles: &mut handles, core: &mut core });
    }

    fn into_private(self: Box<Self>) -> PrivateData {
        self.0
    }
}

/// Implements the state callbacks for the context's half of the runtime, which returns its bindings.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $class:ident $name:ident -> $bound:ty;)*) => {
        impl StateRefresh for RuntimeContext { $(forwarded! { @$class $name -> $bound })* }
    };
    (@one $name:ident -> $bound:ty) => {
        fn $name(&self) -> $bound {
            self.bound.$name()
        }
    };
    (@slots $name:ident -> $bound:ty) => {
        fn $name(&self, slots: Option<Range<u32>>) -> &[$bound] {
            self.bound.$name(slots)
        }
    };
    (@stage $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage) -> $bound {
            self.bound.$name(stage)
        }
    };
    (@stage_slots $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[$bound] {
            self.bound.$name(stage, slots)
        }
    };
}
state_callbacks!(forwarded);
