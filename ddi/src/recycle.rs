//! Recycling of lists and deferred contexts, with type parameters that distinguish live, dead and cached
//! objects.
//!
//! Lists and deferred contexts own memory that can be reused, so they pass through these stages:
//!
//! ```text
//!          create                recycle_destroy          recycle              create, recycle_create
//! nothing ────────▶ [`Live`] ────────────────▶ [`Dead`] ─────────▶ [`Cached`] ────────────────▶ Live
//! ```
//!
//! A list can be executed while it is live. Any thread may make a list dead, so that the objects that the
//! list uses are released but its memory is kept. When the context that recorded the list is entered next, it
//! takes the list back without a lock, and keeps it until it creates a list from a later recording. Deferred
//! contexts are recycled in the same way between the application and the device. At each stage, a list or
//! context can be ended permanently ([`Ended`]).
//!
//! With these types, code that executes a dead list, ends a list twice, or skips a stage does not compile. A
//! runtime could still change the stage itself without calling the driver's entry, but the verifier detects
//! this.
//!
//! ```compile_fail,E0308
//! # use onze_ddi::{ContextFuncs, DriverList, Entry, recycle::Dead};
//! fn execute(table: &dyn ContextFuncs, cx: Entry<'_>, list: &DriverList<Dead>) {
//!     table.command_list_execute(cx, list);
//! }
//! ```
//!
//! ```compile_fail,E0382
//! # use onze_ddi::{DeviceFuncs, DriverList, recycle::Live};
//! fn twice(device: &dyn DeviceFuncs, list: DriverList<Live>) {
//!     device.recycle_destroy_command_list(list);
//!     device.recycle_destroy_command_list(list);
//! }
//! ```
//!
//! The counterparts in D3D11 are `pfnRecycleDestroyCommandList`, `pfnRecycleCommandList`,
//! `pfnRecycleCreateCommandList` and `pfnRecycleCreateDeferredContext`.

use std::{any::Any, fmt, marker::PhantomData};

use crate::device::{DriverObject, PrivateData};

mod sealed {
    pub trait Sealed {}
}

/// A stage of a recycled list or context, for use as a type parameter.
pub trait Stage: sealed::Sealed + 'static {
    /// The name of the stage as text.
    const NAME: &'static str;
}

macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl Stage for $name {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}
stages! {
    /// In use: a list can be executed, and a context can record.
    Live
    /// Released by its user, but its memory is kept for the next user.
    Dead
    /// Taken back by its next user, but not yet used again.
    Cached
    /// Ended at any stage, and about to be destroyed permanently.
    Ended
}

macro_rules! recycled {
    ($name:ident, $inner:ty, $($doc:literal)*) => {
        $(#[doc = $doc])*
        pub struct $name<S> {
            inner: $inner,
            stage: PhantomData<fn() -> S>,
        }

        impl<S> $name<S> {
            const fn at(inner: $inner) -> Self {
                Self { inner, stage: PhantomData }
            }
        }

        impl $name<Live> {
            /// Wraps an object that the driver has just created.
            pub const fn new(inner: $inner) -> Self {
                Self::at(inner)
            }

            /// First step: marks the object as released by its user. The driver calls this in its entry.
            pub fn die(self) -> $name<Dead> {
                $name::at(self.inner)
            }
        }

        impl $name<Dead> {
            /// Second step: marks the object as taken back. The driver calls this in its entry.
            pub fn cache(self) -> $name<Cached> {
                $name::at(self.inner)
            }
        }

        impl $name<Cached> {
            /// Third step: marks the object as in use again. The driver calls this in its entry.
            pub fn revive(self) -> $name<Live> {
                $name::at(self.inner)
            }
        }

        impl<S: Stage> $name<S> {
            /// Ends the object at any stage, so that it can be destroyed.
            pub fn end(self) -> $name<Ended> {
                $name::at(self.inner)
            }

            /// Returns the driver's object without its stage.
            pub fn into_inner(self) -> $inner {
                self.inner
            }
        }

        impl<S: Stage> fmt::Debug for $name<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(concat!(stringify!($name))).field("stage", &S::NAME).finish_non_exhaustive()
            }
        }
    };
}

recycled!(
    DriverList,
    DriverObject,
    "A driver's command list at a stage of its life; see the [module](self)."
);
recycled!(
    DriverContext,
    PrivateData,
    "The private data of a deferred context at a stage of its life; see the [module](self)."
    ""
    "While it is alive, the runtime lends it to each entry ([`Entry::private`](crate::Entry::private))."
);

impl<S: Stage> DriverList<S> {
    /// The list's read-only half, which the driver may keep, for example in another list that executes this
    /// list.
    pub fn object(&self) -> &DriverObject {
        &self.inner
    }

    /// The list's read-only half for modification, for a driver that reuses the list's memory.
    pub fn object_mut(&mut self) -> &mut DriverObject {
        &mut self.inner
    }
}

impl<S: Stage> DriverContext<S> {
    /// The private data of the deferred context.
    pub fn private(&self) -> &(dyn Any + Send) {
        &*self.inner
    }

    /// The private data of the deferred context, for modification.
    pub fn private_mut(&mut self) -> &mut (dyn Any + Send) {
        &mut *self.inner
    }
}
