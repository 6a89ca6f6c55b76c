//! Recycling: lists and deferred contexts are alive, dead or cached, and their type says which.
//!
//! Both cost memory that the next of their kind needs again. So they come in stages:
//!
//! ```text
//!          create                recycle_destroy          recycle              create, recycle_create
//! nothing ────────▶ [`Live`] ────────────────▶ [`Dead`] ─────────▶ [`Cached`] ────────────────▶ Live
//! ```
//!
//! A list is recorded, and executed while it is alive. Any thread lets it die: it lets go of what it uses
//! and keeps its memory. The context that recorded it takes it back when it is entered next, without a
//! lock; then it waits there until a recording becomes a list again. A deferred context goes the same way
//! between its application and the device. At each stage it can be ended for good ([`Ended`]).
//!
//! The types make it impossible to execute a list that is not alive, to end one twice, or to leave out a
//! stage, unless one calls the steps without the driver's entries; the verifier sees that.
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
//! D3D11: `pfnRecycleDestroyCommandList`, `pfnRecycleCommandList`, `pfnRecycleCreateCommandList`,
//! `pfnRecycleCreateDeferredContext`.

use std::{any::Any, fmt, marker::PhantomData};

use crate::device::{DriverObject, PrivateData};

mod sealed {
    pub trait Sealed {}
}

/// A stage of what is recycled.
pub trait Stage: sealed::Sealed + 'static {
    /// Its name.
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
    /// In use.
    Live
    /// Let go of by its user, with the memory that it has.
    Dead
    /// Taken back by whoever uses it next.
    Cached
    /// At any stage, to be ended for good.
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
            /// One that the driver has just made.
            pub const fn new(inner: $inner) -> Self {
                Self::at(inner)
            }

            /// The first step, for the driver in its entry: the user has let go of it.
            pub fn die(self) -> $name<Dead> {
                $name::at(self.inner)
            }
        }

        impl $name<Dead> {
            /// The second step, for the driver in its entry: it was taken back.
            pub fn cache(self) -> $name<Cached> {
                $name::at(self.inner)
            }
        }

        impl $name<Cached> {
            /// The third step, for the driver in its entry: it is used again.
            pub fn revive(self) -> $name<Live> {
                $name::at(self.inner)
            }
        }

        impl<S: Stage> $name<S> {
            /// To be destroyed, whatever its stage.
            pub fn end(self) -> $name<Ended> {
                $name::at(self.inner)
            }

            /// What the driver has made.
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
    /// The read-only half, which the driver may keep: a list that executes another one does.
    pub fn object(&self) -> &DriverObject {
        &self.inner
    }

    /// The same, for a driver that takes it apart.
    pub fn object_mut(&mut self) -> &mut DriverObject {
        &mut self.inner
    }
}

impl<S: Stage> DriverContext<S> {
    /// The private data.
    pub fn private(&self) -> &(dyn Any + Send) {
        &*self.inner
    }

    /// The same, to change it.
    pub fn private_mut(&mut self) -> &mut (dyn Any + Send) {
        &mut *self.inner
    }
}
