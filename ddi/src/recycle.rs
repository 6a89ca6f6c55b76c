//! Recycling of lists and deferred contexts, whose types say whether they are live, dead or cached.
//!
//! Lists and deferred contexts own memory that their successors need again, so they pass through stages:
//!
//! ```text
//!          create                recycle_destroy          recycle              create, recycle_create
//! nothing ────────▶ [`Live`] ────────────────▶ [`Dead`] ─────────▶ [`Cached`] ────────────────▶ Live
//! ```
//!
//! A list is recorded, and it is executed while it is live. Any thread may let it die, which releases the
//! objects that it uses and keeps its memory. The context that recorded the list takes it back, without a
//! lock, when it is entered next, and keeps it until a recording becomes a list again. A deferred context
//! takes the same path between its application and the device. At each stage it can be ended for good
//! ([`Ended`]).
//!
//! The types make it impossible to execute a list that is not live, to end a list twice, or to leave out a
//! stage. Only a runtime that calls the steps without the driver's entries could do so, which the verifier
//! detects.
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

/// A stage of a recycled list or context, as a type parameter.
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
    /// In use, so a list can be executed and a context can record.
    Live
    /// Released by its user, but keeping its memory for the next one.
    Dead
    /// Taken back by its next user, which has not used it yet.
    Cached
    /// Ended at any stage, to be destroyed for good.
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

            /// First step, called by the driver in its entry: the user has released the object.
            pub fn die(self) -> $name<Dead> {
                $name::at(self.inner)
            }
        }

        impl $name<Dead> {
            /// Second step, called by the driver in its entry: the object was taken back.
            pub fn cache(self) -> $name<Cached> {
                $name::at(self.inner)
            }
        }

        impl $name<Cached> {
            /// Third step, called by the driver in its entry: the object is used again.
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
    /// The read-only half, which the driver may keep, for example in a list that executes this one.
    pub fn object(&self) -> &DriverObject {
        &self.inner
    }

    /// The read-only half, for a driver that takes the list apart.
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
