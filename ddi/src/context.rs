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

pub use entries::{ContextFuncs, DeferredFuncs, ImmediateFuncs};

use crate::{
    callbacks::{CoreLayer, StateRefresh},
    device::{DriverObject, ObjectRef},
    handle::{HandleType, Key},
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
