//! The context tables: all entries that operate on one context, which only one thread at a time enters.
//!
//! [`ContextFuncs`] contains the operations of every context. [`ImmediateFuncs`] and [`DeferredFuncs`] add
//! the operations that only an immediate or a deferred context has, so a deferred context, for example,
//! cannot be flushed.
//!
//! Every entry receives the context's state as an [`Entry`]. The tables themselves are called through `&self`
//! and contain no context state, so the immediate table can be replaced between two calls.
//!
//! ```
//! use onze_ddi::{ContextError, DriverBug, Entry};
//!
//! /// The driver's private data of a context: the recorded draws.
//! #[derive(Default)]
//! struct Recording {
//!     draws: Vec<(u32, u32)>,
//! }
//!
//! /// The driver's draw entry.
//! fn draw(cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
//!     match cx.private.downcast_mut::<Recording>() {
//!         Some(recording) => recording.draws.push((vertex_count, start_vertex)),
//!         None => cx.core.set_error(ContextError::Bug(DriverBug("another driver's context".into()))),
//!     }
//! }
//! ```

pub mod entries;

use std::any::Any;

pub use entries::{ContextFuncs, ImmediateFuncs};

use crate::{
    RecordError,
    callbacks::{CoreLayer, StateRefresh},
    device::{DriverObject, ObjectRef},
    handle::{HandleType, Key},
    recycle::{Cached, Dead, DriverList, Live},
    storage::HandleStorage,
};

/// The context's state, which the runtime lends to each entry, with fields as separate borrows so that a
/// driver can borrow its private data and a handle's data while it calls the runtime.
pub struct Entry<'a> {
    /// The driver's private data of the context, as returned at its creation.
    pub private: &'a mut (dyn Any + Send),
    /// The context's open handles with their private bytes.
    pub handles: &'a mut HandleStorage,
    /// The runtime's callbacks, which are lent until the entry returns.
    pub core: &'a mut dyn CoreLayer,
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

impl Entry<'_> {
    /// Reborrows the fields, so that the caller can pass them to another entry and use them again.
    pub fn reborrow(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut *self.handles, core: &mut *self.core }
    }
}

/// The context's state for an entry that only releases or takes back objects and cannot report errors. If the
/// driver detects a lost device in such an entry, it calls [`crate::DeviceCoreLayer::device_removed`].
pub struct ClosingEntry<'a> {
    /// The driver's private data of the context, as in [`Entry::private`].
    pub private: &'a mut (dyn Any + Send),
    /// The context's handles, as in [`Entry::handles`].
    pub handles: &'a mut HandleStorage,
    /// The current bindings of the context.
    pub state: &'a dyn StateRefresh,
}

impl std::fmt::Debug for ClosingEntry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosingEntry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

bitflags::bitflags! {
    /// The aspects that `clear_depth_stencil_view` clears (D3D11: `D3D11_CLEAR_FLAG`, with its values).
    #[doc(alias = "D3D11_CLEAR_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ClearFlags: u32 {
        /// The depth plane of the view, set to the depth that the call passes.
        const DEPTH = 1;
        /// The stencil plane of the view, set to the stencil value that the call passes.
        const STENCIL = 2;
    }

    /// Options of a flush (D3D11: `D3D11_1_DDI_FLUSH_FLAGS`).
    #[doc(alias = "D3D11_1_DDI_FLUSH_FLAGS")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct FlushFlags: u32 {
        /// Submits only if there are commands, but retires destroyed objects in any case.
        const UNLESS_NO_COMMANDS = 1;
        /// Gives back as much unused memory as the driver decides.
        const TRIM_MEMORY = 2;
    }
}

/// The dependency of an object, as a handle of the context that opens the object.
#[derive(Copy, Clone, Debug)]
pub enum Dependency<'a> {
    /// The object depends on nothing, because it is not a view.
    None,
    /// The view's resource, with its handle in this context.
    Resource(ObjectRef<'a, crate::kind::Resource>),
}

/// The object that a deferred context opens (D3D11: the arguments of a create entry of the deferred table,
/// among which only the dependency and the immediate handle are valid).
#[derive(Copy, Clone, Debug)]
pub struct OpenArgs<'a> {
    /// The type of the object's handle.
    pub kind: HandleType,
    /// The handle's value, which is the same as in the immediate context.
    pub key: Key,
    /// The read-only half that creation returned.
    pub object: &'a DriverObject,
    /// The object's dependency, whose handle is already open in this context.
    pub dependency: Dependency<'a>,
}

/// The operations that only deferred contexts have, in a table that does not change.
///
/// The rules of [`ContextFuncs`] apply, with these additions. The first recording begins when the context is
/// created, and each further recording begins after the previous recording was ended or abandoned and all its
/// handles were closed. If a recording runs out of memory, it is lost, and only
/// [`DeferredFuncs::abandon_command_list`] and [`DeferredFuncs::close`] are then called for it. The entries
/// are also called on a removed device, but recordings of such a device are not executed.
pub trait DeferredFuncs: ContextFuncs {
    /// Opens a handle in this context, at its first use in a recording (D3D11: `pfnCreateResource` and its
    /// counterparts on the deferred table), with a view's resource opened before the view.
    ///
    /// The storage already contains the object, with zeroed private bytes of the requested size, but the
    /// handle is not yet open in this recording.
    ///
    /// # Errors
    /// Returns a [`RecordError`] if the handle cannot be opened. The runtime then removes the handle from the
    /// storage, and may or may not call [`DeferredFuncs::close`]. After [`RecordError::OutOfMemory`], the
    /// recording is also lost.
    #[doc(alias = "pfnCreateResource")]
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError>;
    /// Closes a handle (D3D11: `pfnDestroyResource` and its counterparts on the deferred table), with views
    /// closed before their resources.
    ///
    /// Called for all open handles after the recording was ended or abandoned, when no object is bound or
    /// mapped any more. The runtime removes the handle from the storage after the call. A list made from the
    /// recording may still use the object, which lives at least as long as the list.
    #[doc(alias = "pfnDestroyResource")]
    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key);

    /// Takes back a dead list that this context recorded (D3D11: `pfnRecycleCommandList`).
    ///
    /// The list has already released its objects ([`crate::DeviceFuncs::recycle_destroy_command_list`]), so
    /// in this entry the driver may move the list's memory to the context for reuse.
    #[doc(alias = "pfnRecycleCommandList")]
    fn recycle_command_list(&self, cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached>;

    /// Ends the recording and returns it as a list that reuses the memory of a cached list, if there is one
    /// (D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`).
    ///
    /// All maps, queries and groups are already ended, but during the call, the state callbacks still return
    /// the bindings at the end of the recording. After the call, the runtime closes the handles, and the
    /// context is in its default state. The list can be executed any number of times, on any context of the
    /// device.
    ///
    /// # Errors
    /// Returns [`RecordError::OutOfMemory`] if there is not enough memory for the list, but the context stays
    /// usable. After any error, the driver has discarded the recording and dropped the cached list, and the
    /// runtime does not call [`DeferredFuncs::abandon_command_list`].
    #[doc(alias = "pfnCreateCommandList")]
    #[doc(alias = "pfnRecycleCreateCommandList")]
    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError>;
    /// Discards the recording, which may be empty (D3D11: `pfnAbandonCommandList`).
    ///
    /// Called when the recording is lost, when the application finishes it on a removed device, and before
    /// the context is destroyed. After the call, the runtime closes the handles.
    #[doc(alias = "pfnAbandonCommandList")]
    fn abandon_command_list(&self, cx: ClosingEntry<'_>);
}
