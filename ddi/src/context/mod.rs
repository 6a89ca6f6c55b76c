//! The context tables: everything that is called on one context, by one thread at a time.
//!
//! [`ContextFuncs`] has what every context can do. [`ImmediateFuncs`] and [`DeferredFuncs`] add what
//! only one of the two kinds can: so a deferred context cannot be asked to read back or to flush.
//!
//! Every entry gets an [`Entry`]: the context's state. The tables themselves are `&self` and hold
//! nothing of a context's, so that the immediate one may be replaced between two calls.
//!
//! ```
//! use onze_ddi::{ContextError, DriverBug, Entry};
//!
//! /// What a driver keeps of a context: its draws.
//! #[derive(Default)]
//! struct Recording {
//!     draws: Vec<(u32, u32)>,
//! }
//!
//! /// What such a driver's entry for a draw does.
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

/// What the runtime hands to every entry of a context. The parts are borrowed apart, so that a driver
/// can hold its own state and a handle's data while it calls back.
pub struct Entry<'a> {
    /// The driver's private data of the context, as it returned it at creation.
    pub private: &'a mut (dyn Any + Send),
    /// The context's handles.
    pub handles: &'a mut HandleStorage,
    /// The runtime's callbacks.
    pub core: &'a mut dyn CoreLayer,
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

impl Entry<'_> {
    /// The same entry for a shorter time: to pass it on to another entry.
    pub fn reborrow(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut *self.handles, core: &mut *self.core }
    }
}

/// What the runtime hands to an entry that only lets go, or takes back: it has nothing to report. A device
/// that is found lost there is told to [`crate::DeviceCoreLayer::device_removed`].
pub struct ClosingEntry<'a> {
    /// As [`Entry::private`].
    pub private: &'a mut (dyn Any + Send),
    /// As [`Entry::handles`].
    pub handles: &'a mut HandleStorage,
    /// What is bound.
    pub state: &'a dyn StateRefresh,
}

impl std::fmt::Debug for ClosingEntry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosingEntry").field("handles", &self.handles).finish_non_exhaustive()
    }
}

bitflags::bitflags! {
    /// What `clear_depth_stencil_view` clears. D3D11: `D3D11_CLEAR_FLAG`, with its values.
    #[doc(alias = "D3D11_CLEAR_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ClearFlags: u32 {
        /// Depth.
        const DEPTH = 1;
        /// Stencil.
        const STENCIL = 2;
    }

    /// How to flush. D3D11: `D3D11_1_DDI_FLUSH_FLAGS`.
    #[doc(alias = "D3D11_1_DDI_FLUSH_FLAGS")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct FlushFlags: u32 {
        /// Submit only if there are commands. Destroyed objects are retired all the same.
        const UNLESS_NO_COMMANDS = 1;
        /// Give back memory that nothing uses.
        const TRIM_MEMORY = 2;
    }
}

/// What an object depends on, with the handles of the context that opens it.
#[derive(Copy, Clone, Debug)]
pub enum Dependency<'a> {
    /// Nothing.
    None,
    /// A view's resource.
    Resource(ObjectRef<'a, crate::kind::Resource>),
}

/// An object that a deferred context opens. D3D11: the arguments of a create entry of the deferred
/// table, in which only the dependency and the immediate handle are valid.
#[derive(Copy, Clone, Debug)]
pub struct OpenArgs<'a> {
    /// The kind.
    pub kind: HandleType,
    /// The handle's value, the same as in the immediate context. Its private bytes are zeroed.
    pub key: Key,
    /// The read-only half that creation returned.
    pub object: &'a DriverObject,
    /// What it depends on; open in this context.
    pub dependency: Dependency<'a>,
}

/// What only a deferred context can do. Its table never changes.
///
/// As [`ContextFuncs`], and besides: a recording begins when the context is made, and again when the last
/// one was ended or abandoned and all its handles are closed. One that has run out of memory is lost: of
/// it only [`DeferredFuncs::abandon_command_list`] and [`DeferredFuncs::close`] are called. Contexts of a
/// removed device are called as before; nothing that they record will be executed.
pub trait DeferredFuncs: ContextFuncs {
    /// Opens a handle in this context, at its first use in a recording, dependencies first.
    /// D3D11: `pfnCreateResource` and its kin on the deferred table.
    ///
    /// The object stands in the storage already, with the private bytes that were asked for, zeroed.
    /// It is not open in this recording yet.
    ///
    /// # Errors
    /// The handle is not open then: the runtime takes it out of the storage, and may call
    /// [`DeferredFuncs::close`] or not. [`RecordError::OutOfMemory`] loses the recording.
    #[doc(alias = "pfnCreateResource")]
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError>;
    /// Closes a handle, dependants first. D3D11: `pfnDestroyResource` and its kin on the deferred table.
    ///
    /// Called for all that is open when the recording was ended or abandoned. Nothing is bound or mapped;
    /// the handle leaves the storage right after. A list that was made goes on using the object, which
    /// lives as long as the list.
    #[doc(alias = "pfnDestroyResource")]
    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key);

    /// Takes back a dead list that this context has recorded. D3D11: `pfnRecycleCommandList`.
    ///
    /// It has let go of its objects already ([`crate::DeviceFuncs::recycle_destroy_command_list`]); here its
    /// memory may be moved to where the context needs it.
    #[doc(alias = "pfnRecycleCommandList")]
    fn recycle_command_list(&self, cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached>;

    /// Ends the recording and returns it as a list, with the memory of a cached one if there is one.
    /// D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`.
    ///
    /// All maps and groups are ended. While it runs, the state callbacks still show what is bound; the
    /// runtime closes the handles afterwards. The context is in its default state then. The list can be
    /// executed any number of times, on any context of the device.
    ///
    /// # Errors
    /// [`RecordError::OutOfMemory`]: the recording is lost, the context is good. Whatever the error, the
    /// driver has thrown the recording away, and is not told to abandon it; the cached list is gone.
    #[doc(alias = "pfnCreateCommandList")]
    #[doc(alias = "pfnRecycleCreateCommandList")]
    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError>;
    /// Throws the recording away, of which there may be nothing. D3D11: `pfnAbandonCommandList`.
    ///
    /// Called when the recording is lost, when it would be finished on a removed device, and before the
    /// context is destroyed. The handles are closed afterwards.
    #[doc(alias = "pfnAbandonCommandList")]
    fn abandon_command_list(&self, cx: ClosingEntry<'_>);
}
