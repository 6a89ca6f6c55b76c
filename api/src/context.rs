//! Contexts, which record commands: [`DeviceContext`] and its two thin wrappers.
//!
//! [`ImmediateContext`](crate::ImmediateContext) and [`DeferredContext`](crate::DeferredContext) both
//! dereference to [`DeviceContext`], which has all shared calls, so a function with a parameter of type
//! `&mut DeviceContext` can record into both types of contexts.
//!
//! A call checks its arguments against the handle states in the context's own storage, and returns early if
//! nothing changes. Otherwise it stores the change in the shadow state ([`bound`]) and calls the driver's
//! table with handles. This path takes no lock and changes no reference count, except at the first use of an
//! object in a context, because it opens a handle.

mod annotation;
mod bound;
mod chain;
mod clear;
mod command_list;
mod context_state;
mod copy;
mod deferred;
mod dispatch;
mod draw;
mod draw_checks;
mod draw_state;
mod fence;
mod gpu_timer;
mod hazard;
mod immediate;
mod indirect;
mod input_assembler;
mod lists;
mod map;
mod min_lod;
mod mips;
mod object_use;
mod output_merger;
mod output_view;
mod partial;
mod predication;
mod query;
mod rasterizer;
mod resolve;
mod runtime;
mod shader_stage;
mod shared_context;
mod skipped;
mod software_list;
mod state;
mod stream_output;
mod targets;
mod transfer;
mod unordered_access;
mod update;

use std::{any::Any, marker::PhantomData, sync::Arc};

use onze_ddi::{
    ContextFuncs, DeferredFuncs, Dependency, Entry, Handle, HandleStorage, ImmediateFuncs, Key, ObjectRef,
    OpenArgs, PrivateData,
};

pub use command_list::CommandList;
pub use context_state::DeviceContextState;
pub use deferred::DeferredContext;
pub use fence::Fence;
pub use gpu_timer::{GpuTime, GpuTimer};
pub use immediate::ImmediateContext;
pub use input_assembler::{VertexBufferBinding, VertexBuffers};
pub use map::{MapFlags, MapTarget, MapToken, MappedSubresource, MappedSubresources};
pub use output_view::OutputView;
pub use partial::CopyFlags;
pub use rasterizer::OneOrMany;
pub use shader_stage::ConstantRange;
pub use shared_context::{ContextGuard, SharedContext};
pub use stream_output::{StreamOutputBinding, StreamTargets};
pub use update::{Contents, Updatable};

use crate::{
    concurrent::published::Reader,
    device_core::{Attachments, DeviceCore, HandleState, ImmediateTable, ObjectShared, attachments},
    objects::{Device, Object, ObjectOwner},
    report::{MessageId, Subject},
};
use map::{OpenMap, Replacement};
use object_use::{Call, ObjectUse};
use runtime::{ContextKind, RuntimeContext};
use skipped::Skipped;

/// The driver's functions that a context calls, by the context's type.
pub(crate) enum ContextTable {
    /// The immediate context's table, which may be replaced at any time.
    Immediate(Reader<ImmediateTable>),
    Deferred(Arc<dyn DeferredFuncs>),
}

/// The fields of a context, separate so that a driver call can borrow several of them.
pub(crate) struct ContextCore {
    pub(crate) table: ContextTable,
    pub(crate) private: PrivateData,
    pub(crate) handles: HandleStorage,
    /// The map of a guard on the replacement path.
    replacement: Replacement,
    /// The map of a guard on the general path.
    guard_map: Option<OpenMap>,
    pub(crate) rt: RuntimeContext,
    attachments: Attachments,
    /// Declared last because it must be dropped last; see [`ObjectShared::device`].
    pub(crate) device: Arc<DeviceCore>,
}

impl ContextTable {
    /// Returns the immediate context's table, whose fast path is enabled if any thread may enter the driver
    /// and the device was not removed.
    pub(crate) fn immediate(device: &DeviceCore) -> Self {
        let mut reader = device.link.table.reader();
        if device.serial.is_needed() || device.removed_reason().is_some() {
            reader.disable_fast_path();
        }
        Self::Immediate(reader)
    }

    /// Returns whether calls take the fast path. `slow_path` applies only to deferred contexts.
    #[inline]
    pub(crate) fn is_fast_path(&self, slow_path: bool) -> bool {
        match self {
            Self::Immediate(reader) => reader.unchanged().is_some(),
            Self::Deferred(_) => !slow_path,
        }
    }
}

/// Returns the newest table. If the device was removed, its table was replaced, and the fast path is
/// disabled.
fn newest<'a>(reader: &'a mut Reader<ImmediateTable>, device: &DeviceCore) -> &'a dyn ImmediateFuncs {
    reader.get();
    if device.removed_reason().is_some() {
        reader.disable_fast_path();
    }
    &*reader.get().0
}

/// The fields of an [`Entry`], which is assembled only at the driver call, because a complete entry would
/// first be stored on the stack.
pub(crate) struct EntryParts<'a> {
    private: &'a mut (dyn Any + Send),
    handles: &'a mut HandleStorage,
    rt: &'a mut RuntimeContext,
}

impl<'a> EntryParts<'a> {
    #[inline(always)]
    pub(crate) fn entry(self) -> Entry<'a> {
        Entry { private: self.private, handles: self.handles, core: self.rt }
    }
}

impl ContextCore {
    pub(crate) fn new(
        device: &Arc<DeviceCore>,
        table: ContextTable,
        half: (PrivateData, HandleStorage),
        kind: ContextKind,
    ) -> Self {
        let (private, handles) = half;
        Self {
            table,
            private,
            handles,
            replacement: Replacement::default(),
            guard_map: None,
            rt: RuntimeContext::new(device, kind),
            attachments: Attachments::default(),
            device: device.clone(),
        }
    }

    /// Calls the driver, or returns `None` without a call if the recording is lost.
    #[inline]
    pub(crate) fn with<R>(&mut self, call: impl FnOnce(&dyn ContextFuncs, EntryParts<'_>) -> R) -> Option<R> {
        let Self { table, private, handles, rt, .. } = self;
        let funcs: &dyn ContextFuncs = match table {
            ContextTable::Immediate(reader) => match reader.unchanged() {
                Some(table) => &*table.0,
                None => return self.enter_slow_path(call),
            },
            ContextTable::Deferred(_) if rt.slow_path => return self.enter_slow_path(call),
            ContextTable::Deferred(funcs) => &**funcs,
        };
        Some(call(funcs, EntryParts { private: &mut **private, handles, rt }))
    }

    /// The slow path, for lost recordings, for drivers that only one thread at a time may enter, and after
    /// the table was replaced.
    #[cold]
    #[inline(never)]
    fn enter_slow_path<R>(&mut self, call: impl FnOnce(&dyn ContextFuncs, EntryParts<'_>) -> R) -> Option<R> {
        if self.rt.lost {
            return None;
        }
        let Self { device, table, private, handles, rt, .. } = self;
        let _serial = device.serial.enter();
        let funcs: &dyn ContextFuncs = match table {
            ContextTable::Immediate(reader) => newest(reader, device),
            ContextTable::Deferred(funcs) => &**funcs,
        };
        Some(call(funcs, EntryParts { private: &mut **private, handles, rt }))
    }

    /// Calls a driver function that only the immediate context has, or returns `None` on a deferred context.
    pub(crate) fn with_immediate<R>(
        &mut self,
        call: impl FnOnce(&dyn ImmediateFuncs, EntryParts<'_>) -> R,
    ) -> Option<R> {
        let Self { device, table, private, handles, rt, .. } = self;
        let _serial = device.serial.enter();
        let ContextTable::Immediate(reader) = table else { return None };
        let funcs = newest(reader, device);
        Some(call(funcs, EntryParts { private: &mut **private, handles, rt }))
    }

    /// Opens the handles on which an object depends, and then the object's handle, or reports the reason and
    /// returns false if this fails.
    pub(crate) fn ensure_open(&mut self, shared: &Arc<ObjectShared>) -> bool {
        if self.handles.contains(shared.key) {
            return true;
        }
        if let Some(dependency) = &shared.depends_on
            && !self.ensure_open(dependency)
        {
            return false;
        }
        let opened = match &self.rt.kind {
            ContextKind::Immediate { .. } => self.open_immediate(shared),
            ContextKind::Deferred { funcs, software, .. } => {
                let funcs = funcs.clone();
                let private = if *software { 0 } else { shared.deferred_size };
                self.open_deferred(&*funcs, private, shared)
            }
        };
        self.rt.open_handles.set(self.handles.open_handles());
        opened
    }

    /// Opens an immediate handle. The driver initialised the handle's bytes when the object was created, and
    /// they move into the context when the context first uses the object.
    fn open_immediate(&mut self, shared: &Arc<ObjectShared>) -> bool {
        let bytes = &shared.immediate;
        shared.set_used();
        let opened = self.handles.open(shared.key, bytes.len(), shared.driver().clone(), shared.clone());
        if let Some(private) = self.handles.private_bytes_mut(shared.key) {
            private.copy_from_slice(bytes);
        }
        self.set_handle_state(shared);
        opened
    }

    fn open_deferred(
        &mut self,
        funcs: &dyn DeferredFuncs,
        private: usize,
        shared: &Arc<ObjectShared>,
    ) -> bool {
        shared.set_used();
        if self.rt.lost || !self.handles.open(shared.key, private, shared.driver().clone(), shared.clone()) {
            return false;
        }
        self.set_handle_state(shared);
        let dependency = match &shared.depends_on {
            Some(d) => Dependency::Resource(ObjectRef { handle: Handle::new(d.key), object: d.driver() }),
            None => Dependency::None,
        };
        let args = OpenArgs { kind: shared.kind, key: shared.key, object: shared.driver(), dependency };
        let Self { device, private, handles, rt, .. } = self;
        let _serial = device.serial.enter();
        let result = funcs.open(Entry { private: &mut **private, handles, core: rt }, args);
        match result {
            Ok(()) => {
                if let ContextKind::Deferred { opened, .. } = &mut rt.kind {
                    opened.push(shared.key);
                }
                true
            }
            Err(error) => {
                handles.close(shared.key);
                onze_ddi::CoreLayer::set_error(rt, error.into());
                false
            }
        }
    }

    fn set_handle_state(&mut self, shared: &ObjectShared) {
        if let Some(state) = self.handles.runtime_mut::<HandleState>(shared.key) {
            *state = shared.handle_state();
        }
    }

    /// Returns the shared data of an object that is open in this context.
    pub(crate) fn shared(&self, key: Key) -> Option<&ObjectShared> {
        self.handles.runtime_object(key)?.downcast_ref()
    }

    /// Works like [`ContextCore::shared`], but returns a counted reference.
    pub(crate) fn shared_arc(&self, key: Key) -> Option<Arc<ObjectShared>> {
        self.handles.runtime_object(key)?.clone().downcast().ok()
    }

    /// Returns the application object of a handle that is open in this context, for getters.
    pub(crate) fn object<T: Object>(&self, key: Option<Key>) -> Option<T> {
        self.shared_arc(key?).map(|shared| T::from_shared(&shared))
    }
}

/// A type without values that makes [`DeviceContext`] unsized, so that two contexts cannot be swapped.
#[derive(Debug)]
#[doc(hidden)]
pub enum Unsized {}

/// The compiler error for a context that is shared by several threads contains this trait's name, which
/// states the rule. Direct3D 11 has the same rule. A thread that records needs its own deferred context, or a
/// `&mut` borrow of a context.
pub(crate) trait AContextIsUsedByOneThreadAtATime {}

/// Records commands, with the calls that immediate and deferred contexts share (D3D11:
/// `ID3D11DeviceContext`).
///
/// If an argument is invalid or belongs to another device, a call that returns nothing is skipped and
/// reported to the [info queue](crate::Device::info_queue).
///
/// A function that borrows two contexts cannot swap them:
///
/// ```compile_fail,E0277
/// fn swap(a: &mut onze::DeviceContext, b: &mut onze::DeviceContext) {
///     std::mem::swap(a, b);
/// }
/// ```
#[doc(alias = "ID3D11DeviceContext")]
pub struct DeviceContext<Tail: ?Sized = [Unsized]> {
    _one_thread: PhantomData<dyn AContextIsUsedByOneThreadAtATime + Send>,
    pub(crate) core: ContextCore,
    _tail: Tail,
}

impl<Tail: ?Sized> std::fmt::Debug for DeviceContext<Tail> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceContext").field("handles", &self.core.handles).finish_non_exhaustive()
    }
}

attachments!(DeviceContext);

impl DeviceContext {
    pub(crate) fn boxed(core: ContextCore) -> Box<Self> {
        let sized: Box<DeviceContext<[Unsized; 0]>> =
            Box::new(DeviceContext { _one_thread: PhantomData, core, _tail: [] });
        sized
    }

    /// Returns the device that the context belongs to (D3D11: `ID3D11DeviceChild::GetDevice`).
    #[doc(alias = "GetDevice")]
    pub fn device(&self) -> Device {
        Device::from_core(&self.core.device)
    }

    /// Returns whether this is a deferred context, which records into a command list (D3D11:
    /// `ID3D11DeviceContext::GetType`).
    #[doc(alias = "GetType")]
    pub fn is_deferred(&self) -> bool {
        matches!(self.core.rt.kind, ContextKind::Deferred { .. })
    }

    fn attachments(&self) -> &Attachments {
        &self.core.attachments
    }

    fn current_label(&self) -> String {
        self.core.attachments.name()
    }

    /// Reports a call with a message that names no object.
    pub(crate) fn report(&self, id: MessageId, details: impl std::fmt::Display) {
        self.core.device.info().report(id, details);
    }

    /// Reports a call with a message that names the objects with the given keys.
    pub(crate) fn report_about(
        &self,
        id: MessageId,
        objects: impl std::hash::Hash,
        details: impl std::fmt::Display,
    ) {
        self.core.device.info().report_about(id, Subject::of(objects), details);
    }

    /// Returns the state of an object's handle, and opens the handle if necessary. If the object belongs to
    /// another device or cannot be opened, reports the reason and returns [`Skipped`].
    #[inline]
    pub(crate) fn handle_state<T: Object>(&mut self, object: &T) -> Result<HandleState, Skipped> {
        self.handle_state_for(object, ObjectUse::of(Call::Present))
    }

    /// Returns whether an object can be bound, which is true for `None` and for objects whose handle is open
    /// or can be opened. A failure is reported.
    #[inline]
    pub(crate) fn is_known<T: Object>(&mut self, object: Option<&T>) -> bool {
        self.is_known_for(object, ObjectUse::of(Call::Present))
    }

    /// Works like [`Self::handle_state`], where `used` identifies the call in the message.
    #[inline(always)]
    pub(crate) fn handle_state_for<T: Object>(
        &mut self,
        object: &T,
        used: ObjectUse,
    ) -> Result<HandleState, Skipped> {
        self.handle_state_of(object.key(), object.owner(), used)
    }

    /// Works like [`Self::is_known`], where `used` identifies the call in the message.
    #[inline(always)]
    pub(crate) fn is_known_for<T: Object>(&mut self, object: Option<&T>, used: ObjectUse) -> bool {
        object.is_none_or(|object| self.handle_state_for(object, used).is_ok())
    }

    /// Works like [`Self::handle_state_for`], with the object's key and owner.
    #[inline(always)]
    pub(crate) fn handle_state_of(
        &mut self,
        key: Key,
        owner: &ObjectOwner,
        used: ObjectUse,
    ) -> Result<HandleState, Skipped> {
        match self.core.handles.runtime::<HandleState>(key) {
            Some(state) => Ok(*state),
            None => self.open_now(owner, used),
        }
    }

    #[cold]
    fn open_now(&mut self, owner: &ObjectOwner, used: ObjectUse) -> Result<HandleState, Skipped> {
        let shared = &owner.shared;
        if !shared.is_of(&self.core.device) {
            let text = format_args!("{used} was given {}, which belongs to another device", shared.name());
            self.report_about(MessageId::ForeignObject, shared.key, text);
            return Err(Skipped);
        }
        if !self.core.ensure_open(shared) {
            return Err(Skipped);
        }
        self.core.handles.runtime::<HandleState>(shared.key).copied().ok_or(Skipped)
    }
}
