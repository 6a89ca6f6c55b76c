//! The context tables: all entries that operate on one context, entered by one thread at a time.
//!
//! [`ContextFuncs`] contains the operations of every context, while [`ImmediateFuncs`] and [`DeferredFuncs`]
//! add those of only one kind, so a deferred context cannot be asked to read back or to flush.
//!
//! Every entry gets the context's state as an [`Entry`], while the tables themselves are `&self` and hold no
//! context state, so that the immediate table can be replaced between two calls.
//!
//! ```
//! use onze_ddi::{ContextError, DriverBug, Entry};
//!
//! /// The driver's private data of a context: its draws.
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

/// The arguments that every entry of a context gets from the runtime. The parts are separate borrows, so that
/// a driver can hold its own state and a handle's data while it calls back.
pub struct Entry<'a> {
    /// The driver's private data of the context, as returned at its creation.
    pub private: &'a mut (dyn Any + Send),
    /// The context's handles, with the private bytes of each open one.
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
    /// Reborrows the entry for a shorter time, to pass it on to another entry.
    pub fn reborrow(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut *self.handles, core: &mut *self.core }
    }
}

/// The arguments of an entry that only releases or takes back objects and has nothing to report, except that
/// a driver that finds the device lost there reports it to [`crate::DeviceCoreLayer::device_removed`].
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

    /// How to flush (D3D11: `D3D11_1_DDI_FLUSH_FLAGS`).
    #[doc(alias = "D3D11_1_DDI_FLUSH_FLAGS")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct FlushFlags: u32 {
        /// Submits only if there are commands, but retires destroyed objects in any case.
        const UNLESS_NO_COMMANDS = 1;
        /// Gives back unused memory, as much as the driver likes.
        const TRIM_MEMORY = 2;
    }
}

/// The dependency of an object, as a handle of the context that opens the object.
#[derive(Copy, Clone, Debug)]
pub enum Dependency<'a> {
    /// The object depends on nothing, because it is not a view.
    None,
    /// The resource that a view shows, with its handle in this context.
    Resource(ObjectRef<'a, crate::kind::Resource>),
}

/// The object that a deferred context opens (D3D11: the arguments of a create entry of the deferred table,
/// where only the dependency and the immediate handle are valid).
#[derive(Copy, Clone, Debug)]
pub struct OpenArgs<'a> {
    /// The kind of the object and of its handle.
    pub kind: HandleType,
    /// The handle's value, which is the same as in the immediate context and whose private bytes are zeroed.
    pub key: Key,
    /// The read-only half that creation returned.
    pub object: &'a DriverObject,
    /// The object's dependency, which is open in this context.
    pub dependency: Dependency<'a>,
}

/// The operations of deferred contexts alone, in a table that never changes.
///
/// The rules of [`ContextFuncs`] apply, with these additions. A recording begins when the context is created,
/// and again when the last recording was ended or abandoned and all its handles are closed. A recording that
/// has run out of memory is lost, and only [`DeferredFuncs::abandon_command_list`] and
/// [`DeferredFuncs::close`] are called for it. Contexts of a removed device are called as before, but their
/// recordings will never be executed.
pub trait DeferredFuncs: ContextFuncs {
    /// Opens a handle in this context, at its first use in a recording, dependencies first (D3D11:
    /// `pfnCreateResource` and its counterparts on the deferred table).
    ///
    /// The storage already contains the object, with zeroed private bytes of the requested size, but the
    /// handle is not yet open in this recording.
    ///
    /// # Errors
    /// The handle is then not open, so the runtime removes it from the storage and may or may not call
    /// [`DeferredFuncs::close`], and [`RecordError::OutOfMemory`] also loses the recording.
    #[doc(alias = "pfnCreateResource")]
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError>;
    /// Closes a handle, dependants first (D3D11: `pfnDestroyResource` and its counterparts, deferred table).
    ///
    /// Called for all open handles when the recording was ended or abandoned, with nothing bound or mapped,
    /// and the handle leaves the storage right afterwards. A list made from the recording keeps using the
    /// object, which lives as long as the list.
    #[doc(alias = "pfnDestroyResource")]
    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key);

    /// Takes back a dead list that this context recorded (D3D11: `pfnRecycleCommandList`).
    ///
    /// The list has already released its objects ([`crate::DeviceFuncs::recycle_destroy_command_list`]), and
    /// here its memory may be moved to the context for reuse.
    #[doc(alias = "pfnRecycleCommandList")]
    fn recycle_command_list(&self, cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached>;

    /// Ends the recording and returns it as a list that reuses the memory of a cached list, if there is one
    /// (D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`).
    ///
    /// All maps and groups are ended, and while this runs, the state callbacks still show the last bindings,
    /// and afterwards the runtime closes the handles, so that the context is in its default state. The list
    /// can be executed any number of times, on any context of the device.
    ///
    /// # Errors
    /// [`RecordError::OutOfMemory`] loses the recording, but the context stays usable. Whatever the error,
    /// the driver has discarded the recording and is not asked to abandon it, and the cached list is gone.
    #[doc(alias = "pfnCreateCommandList")]
    #[doc(alias = "pfnRecycleCreateCommandList")]
    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError>;
    /// Discards the recording, which may be empty (D3D11: `pfnAbandonCommandList`).
    ///
    /// Called when the recording is lost, when it would be finished on a removed device, and before the
    /// context is destroyed, and followed by closing the handles.
    #[doc(alias = "pfnAbandonCommandList")]
    fn abandon_command_list(&self, cx: ClosingEntry<'_>);
}
