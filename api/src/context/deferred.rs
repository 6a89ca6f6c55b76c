//! Deferred contexts, which record command lists on any thread.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use onze_ddi::{
    ClosingEntry, CreateDeviceFlags, DeferredFuncs, DriverContext, Entry, HandleStorage, HandleType,
    PrivateData, RecordError, ThreadingCaps,
};

use super::{
    ContextCore, ContextTable, DeviceContext,
    bound::Bound,
    command_list::{CommandList, ListShared, Recorded, RecycledLists},
    runtime::ContextKind,
    software_list::{SoftwareFuncs, SoftwareList, SoftwareRecording},
};
use crate::{
    device_core::{DeviceCore, HandleState, ObjectFlags, ObjectShared},
    objects::Device,
    report::{Error, MessageId},
};

/// Records commands into lists (D3D11: a deferred `ID3D11DeviceContext`).
///
/// A deferred context starts in the default state and inherits no bindings. This type dereferences to
/// [`DeviceContext`], which has the recording calls. It is `Send` but not `Sync`, so any thread can use it,
/// but only one at a time.
#[doc(alias = "ID3D11DeviceContext")]
#[derive(Debug)]
pub struct DeferredContext {
    context: Box<DeviceContext>,
    /// Objects and lists that the last recording uses, until they move into its list.
    used: RecordingUses,
    recycled: Arc<RecycledLists>,
}

/// Maximum number of lists that a context keeps for reuse.
const RECYCLED: usize = 8;

/// Objects and lists that a recording has used, which the finished list keeps alive.
#[derive(Debug, Default)]
struct RecordingUses {
    objects: Vec<Arc<ObjectShared>>,
    nested: Vec<Arc<ListShared>>,
    ended: Vec<Arc<ObjectShared>>,
    /// Queries whose results affect commands of the recording.
    predicates: Vec<Arc<ObjectShared>>,
}

impl RecordingUses {
    fn clear(&mut self) {
        self.nested.clear();
        self.ended.clear();
        self.predicates.clear();
        self.objects.clear();
    }
}

impl DeferredContext {
    pub(crate) fn new(device: &Arc<DeviceCore>) -> Result<Self, Error> {
        device.check_removed()?;
        if device.flags.contains(CreateDeviceFlags::SINGLETHREADED) {
            let error = Error::InvalidCall(
                "a device with `DeviceDesc::single_threaded` has no deferred contexts; leave it false"
                    .to_owned(),
            );
            return device.reject(MessageId::CreateDeferredContextInvalid, Err(error));
        }
        let software = device.threading != ThreadingCaps::CommandLists;
        let (funcs, private, handles) = if software {
            let funcs: Arc<dyn DeferredFuncs> = Arc::new(SoftwareFuncs);
            (funcs, Box::new(SoftwareRecording::default()) as PrivateData, HandleStorage::new())
        } else {
            let (created, handles) = device.create_deferred_context()?;
            (created.funcs, created.private.into_inner(), handles)
        };
        let kind =
            ContextKind::Deferred { funcs: funcs.clone(), software, opened: Vec::new(), nested: Vec::new() };
        Ok(Self {
            context: DeviceContext::boxed(ContextCore::new(
                device,
                ContextTable::Deferred(funcs),
                (private, handles),
                kind,
            )),
            used: RecordingUses::default(),
            recycled: Arc::new(RecycledLists::new(RECYCLED)),
        })
    }

    /// Ends the recording, returns it as a list, and starts the next recording (D3D11: `FinishCommandList`).
    ///
    /// The next recording starts with the current bindings if `restore_deferred_context_state` is true, or
    /// with the default state if it is false. Open maps and open queries are ended, and open queries are also
    /// reported as [`MessageId::FinishCommandListOpenQuery`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the recording ran out of memory (the recording is lost, but the context can
    /// be used again); [`Error::DeviceRemoved`] if the device was removed.
    #[doc(alias = "FinishCommandList")]
    pub fn finish_command_list(
        &mut self,
        restore_deferred_context_state: bool,
    ) -> Result<CommandList, Error> {
        self.context.finish_all_maps();
        self.context.end_open_queries();
        while self.context.core.rt.open_events > 0 {
            self.context.end_event();
        }
        let saved = restore_deferred_context_state.then(|| self.context.core.rt.bound.clone());
        let removed = self.context.core.device.check_removed();
        let recorded = match removed {
            Ok(()) => self.close_recording(),
            Err(error) => {
                self.abandon();
                Err(error)
            }
        };
        self.close_handles();
        let list = recorded.map(|(shared, recorded)| self.list(shared, recorded));
        self.used.clear();
        if let Some(saved) = saved {
            self.reopen(&saved, list.as_ref().ok());
        }
        list
    }

    /// Ends the recording and returns it as a list, so that the next recording starts with the default state
    /// (D3D11: `FinishCommandList(FALSE)`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut immediate) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let mut deferred = device.create_deferred_context()?;
    /// deferred.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    /// // ... more state, draws, then:
    /// let list = deferred.finish()?;
    /// immediate.execute(&list);
    /// assert_eq!(deferred.ia_get_primitive_topology(), PrimitiveTopology::Undefined);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`finish_command_list`](Self::finish_command_list).
    #[doc(alias = "FinishCommandList")]
    pub fn finish(&mut self) -> Result<CommandList, Error> {
        self.finish_command_list(false)
    }

    /// Returns the list of a finished recording, with the objects that it uses.
    fn list(&mut self, mut shared: Arc<ListShared>, recorded: Recorded) -> CommandList {
        if let Some(list) = Arc::get_mut(&mut shared) {
            let RecordingUses { objects, nested, ended, predicates } = &mut self.used;
            list.recorded = Some(recorded);
            list.objects.append(objects);
            // This context opened the objects of inner lists, so `list.objects` contains them.
            let renamable = list.objects.iter().filter(|o| o.flags.contains(ObjectFlags::RENAMABLE));
            list.renamable.extend(renamable.cloned());
            // The same list may be executed many times, and several inner lists may execute it.
            list.queries.append(ended);
            list.queries.extend(nested.iter().flat_map(|inner| inner.queries.iter().cloned()));
            list.queries.sort_unstable_by_key(|query| query.key);
            list.queries.dedup_by_key(|query| query.key);
            list.predicates.append(predicates);
            list.predicates.extend(nested.iter().flat_map(|inner| inner.predicates.iter().cloned()));
            list.predicates.sort_unstable_by_key(|query| query.key);
            list.predicates.dedup_by_key(|query| query.key);
            nested.sort_unstable_by_key(Arc::as_ptr);
            nested.dedup_by_key(|inner| Arc::as_ptr(inner));
            list.nested.append(nested);
        }
        CommandList { shared }
    }

    /// Ends the driver's or the runtime's recording, and returns it with a new or recycled list.
    fn close_recording(&mut self) -> Result<(Arc<ListShared>, Recorded), Error> {
        if self.context.core.rt.lost {
            self.abandon();
            return Err(Error::OutOfMemory("the recording ran out of memory and is lost".to_owned()));
        }
        let ContextKind::Deferred { funcs, software, .. } = &self.context.core.rt.kind else {
            return Err(Error::InvalidCall("not a deferred context".to_owned()));
        };
        let (funcs, software) = (funcs.clone(), *software);
        let new = || Arc::new(ListShared::new(&self.context.core.device, &self.recycled));
        let mut shared = self.recycled.take(new);
        let dead = Arc::get_mut(&mut shared).and_then(|list| list.dead.take());
        let cached = dead.map(|dead| self.close(|cx| funcs.recycle_command_list(cx, dead)));
        match self.enter(|cx| funcs.create_command_list(cx, cached)) {
            Ok(list) if software => match list.into_inner().downcast() {
                Ok(list) => Ok((shared, Recorded::Software(SoftwareList::clone(&list)))),
                Err(_) => Err(Error::Fail("the recording is of an unknown kind".to_owned())),
            },
            Ok(list) => Ok((shared, Recorded::Driver(list))),
            Err(RecordError::OutOfMemory) => {
                Err(Error::OutOfMemory("the driver could not keep the recording".to_owned()))
            }
            Err(error) => {
                onze_ddi::CoreLayer::set_error(&mut self.context.core.rt, error.clone().into());
                Err(error.into())
            }
        }
    }

    fn abandon(&mut self) {
        if let ContextKind::Deferred { funcs, .. } = &self.context.core.rt.kind {
            let funcs = funcs.clone();
            self.context.core.handles.uploads.clear_slices();
            self.close(|cx| funcs.abandon_command_list(cx));
        }
    }

    fn close<R>(&mut self, call: impl FnOnce(ClosingEntry<'_>) -> R) -> R {
        let ContextCore { device, private, handles, rt, .. } = &mut self.context.core;
        let _serial = device.serial.enter();
        call(ClosingEntry { private: &mut **private, handles, state: rt })
    }

    fn enter<R>(&mut self, call: impl FnOnce(Entry<'_>) -> R) -> R {
        let ContextCore { device, private, handles, rt, .. } = &mut self.context.core;
        let _serial = device.serial.enter();
        call(Entry { private: &mut **private, handles, core: rt })
    }

    /// Closes every handle, dependants first, and resets the per-recording state.
    fn close_handles(&mut self) {
        let Self { context, used, .. } = self;
        let ContextCore { device, private, handles, rt, .. } = &mut context.core;
        rt.bound.reset();
        rt.state_changed();
        rt.begin_recording();
        let ContextKind::Deferred { funcs, opened, nested, .. } = &mut rt.kind else { return };
        let (funcs, mut opened) = (funcs.clone(), std::mem::take(opened));
        used.nested.append(nested);
        for key in opened.drain(..).rev() {
            let Some(object) = handles.runtime_object(key).and_then(|o| o.clone().downcast().ok()) else {
                continue;
            };
            let object: Arc<ObjectShared> = object;
            let state = handles.runtime::<HandleState>(key).copied().unwrap_or_default();
            {
                let _serial = device.serial.enter();
                let entry = ClosingEntry { private: &mut **private, handles: &mut *handles, state: &*rt };
                funcs.close(entry, object.kind, key);
            }
            handles.close(key);
            if object.kind == HandleType::Query && state.is_query_ended() {
                used.ended.push(object.clone());
            }
            if object.kind == HandleType::Query && state.is_predicate() {
                used.predicates.push(object.clone());
            }
            used.objects.push(object);
        }
        rt.open_handles.set(handles.open_handles());
        used.objects.reverse();
        // The next recording reuses the map's allocation.
        if let ContextKind::Deferred { opened: empty, .. } = &mut rt.kind {
            *empty = opened;
        }
    }

    /// Starts the next recording with saved bindings: opens the bound objects and then binds them.
    fn reopen(&mut self, saved: &Bound, list: Option<&CommandList>) {
        let Some(list) = list else { return };
        let keys = saved.keys();
        for object in list.shared.objects.iter().filter(|o| keys.contains(&o.key)) {
            self.context.core.ensure_open(object);
        }
        self.context.apply_state(saved);
    }
}

impl Device {
    /// Creates a context that records command lists and can be used on any thread (D3D11:
    /// `ID3D11Device::CreateDeferredContext`).
    ///
    /// # Errors
    /// [`Error::InvalidCall`] on a single-threaded device; [`Error::DeviceRemoved`] if the device was
    /// removed.
    #[doc(alias = "CreateDeferredContext")]
    pub fn create_deferred_context(&self) -> Result<DeferredContext, Error> {
        DeferredContext::new(&self.core)
    }
}

impl Deref for DeferredContext {
    type Target = DeviceContext;

    fn deref(&self) -> &DeviceContext {
        &self.context
    }
}

impl DerefMut for DeferredContext {
    fn deref_mut(&mut self) -> &mut DeviceContext {
        &mut self.context
    }
}

impl Drop for DeferredContext {
    fn drop(&mut self) {
        self.context.finish_all_maps();
        self.abandon();
        self.close_handles();
        self.used.clear();
        let core = &mut self.context.core;
        if let ContextKind::Deferred { software: false, .. } = core.rt.kind {
            let private = std::mem::replace(&mut core.private, Box::new(()));
            let handles = std::mem::take(&mut core.handles);
            core.device.recycle_deferred_context(DriverContext::new(private), handles);
        }
    }
}
