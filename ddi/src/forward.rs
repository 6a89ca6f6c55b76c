//! Traits for drivers that wrap another driver: every entry is forwarded unless the wrapper replaces it.
//!
//! Each table has a forwarding trait with the same entries, for example [`ForwardDevice`] for
//! [`DeviceFuncs`]. A wrapper implements the forwarding trait instead of the table, names the inner table in
//! [`inner`](ForwardDevice::inner), and writes only the entries that it changes. A blanket implementation
//! then provides the table. The traits are generated from the lists of entries, so a new entry is forwarded
//! by every wrapper without an edit.
//!
//! | table | forwarding trait |
//! | --- | --- |
//! | [`Driver`] | [`ForwardDriver`] |
//! | [`AdapterFuncs`] | [`ForwardAdapter`] |
//! | [`DeviceFuncs`] | [`ForwardDevice`] |
//! | [`ContextFuncs`] | [`ForwardContext`] |
//! | [`ImmediateFuncs`] | [`ForwardContext`] and [`ForwardImmediate`] |
//! | [`DeferredFuncs`] | [`ForwardContext`] and [`ForwardDeferred`] |
//!
//! Entries that are not replaced call the inner table through a hook, [`forward`](ForwardDevice::forward),
//! which a wrapper can replace to run code before and after them. Entries with a default implementation, such
//! as [`DeviceFuncs::destroy_unused`], are forwarded like all others, so the inner driver's implementation
//! runs and not the default one.
//!
//! Because a wrapper implements both traits, a method call on the wrapper is ambiguous where both are
//! imported. Name the trait in such a call, as in `ForwardDevice::destroy(self, kind, object)`. The traits
//! are therefore not re-exported at the crate root. The [`guide`] has a complete example.

use std::sync::Arc;

use crate::{
    adapter::{adapter_entries, driver_entries},
    context::entries::deferred_entries,
    device::device_entries,
    *,
};

/// Generates a forwarding trait and the blanket implementation of its table.
///
/// The input is a trait with its own items and the table's name, and then the table's entries, one row each.
/// The class of a row determines its first argument: none for `free`, a [`ClosingEntry`] for `closing`, and
/// an [`Entry`] for all other classes.
macro_rules! forwarding {
    (
        $(#[$doc:meta])*
        trait $forward:ident: [$($bound:tt)*] for $table:ident { $($item:item)* }
        $(
            $(#[$row_doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        $(#[$doc])*
        pub trait $forward: $($bound)* {
            $($item)*
            $(forwarding! { @method $class
                #[doc = concat!("Replaces [`", stringify!($table), "::", stringify!($name), "`].")]
                fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)?
            })*
        }

        impl<W: $forward> $table for W {
            $(forwarding! { @entry $class $forward fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)? })*
        }
    };

    (@method free $(#[$doc:meta])* fn $name:ident ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name(&self, $($arg: $type),*) $(-> $answer)? {
            self.forward(stringify!($name), |inner| inner.$name($($arg),*))
        }
    };
    (@method closing $(#[$doc:meta])* fn $name:ident ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        $(#[$doc])*
        fn $name(&self, cx: ClosingEntry<'_>, $($arg: $type),*) $(-> $answer)? {
            self.forward_closing(stringify!($name), cx, |inner, cx| inner.$name(cx, $($arg),*))
        }
    };
    (
        @method $class:ident $(#[$doc:meta])*
        fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?
    ) => {
        $(#[$doc])*
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)? {
            self.forward(stringify!($name), cx, |inner, cx| inner.$name(cx, $($arg),*))
        }
    };

    (@entry free $forward:ident fn $name:ident ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        fn $name(&self, $($arg: $type),*) $(-> $answer)? {
            <Self as $forward>::$name(self, $($arg),*)
        }
    };
    (@entry closing $forward:ident fn $name:ident ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        fn $name(&self, cx: ClosingEntry<'_>, $($arg: $type),*) $(-> $answer)? {
            <Self as $forward>::$name(self, cx, $($arg),*)
        }
    };
    (
        @entry $class:ident $forward:ident
        fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?
    ) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)? {
            <Self as $forward>::$name(self, cx, $($arg),*)
        }
    };
}

/// Converts the declarations of a trait, with or without a default implementation, to rows of the class
/// `free`, and passes them to [`forwarding`] after the tokens in the first brackets.
macro_rules! free_rows {
    (
        [$($trait:tt)*] [$($rows:tt)*]
        $(#[$doc:meta])* fn $name:ident(&self $(, $arg:ident: $type:ty)* $(,)?) $(-> $answer:ty)?;
        $($rest:tt)*
    ) => {
        free_rows! {
            [$($trait)*] [$($rows)* free $name($($arg: $type),*) $(-> $answer)?;] $($rest)*
        }
    };
    (
        [$($trait:tt)*] [$($rows:tt)*]
        $(#[$doc:meta])* fn $name:ident(&self $(, $arg:ident: $type:ty)* $(,)?) $(-> $answer:ty)? {
            $($body:tt)*
        }
        $($rest:tt)*
    ) => {
        free_rows! {
            [$($trait)*] [$($rows)* free $name($($arg: $type),*) $(-> $answer)?;] $($rest)*
        }
    };
    ([$($trait:tt)*] [$($rows:tt)*]) => { forwarding! { $($trait)* $($rows)* } };
}

/// Generates the forwarding trait of a table whose entries have no context.
macro_rules! free_forwarding {
    ($(#[$doc:meta])* trait $forward:ident for $table:ident; $($entries:tt)*) => {
        free_rows! {
            [
                $(#[$doc])*
                trait $forward: [Send + Sync] for $table {
                    /// The table to which entries are forwarded.
                    type Inner: $table + ?Sized;

                    /// Returns the table to which entries are forwarded.
                    fn inner(&self) -> &Self::Inner;

                    /// Runs an entry that the wrapper does not replace. `call` calls it on the inner table,
                    /// and the default implementation does nothing else.
                    fn forward<'a, R>(
                        &'a self,
                        entry: &'static str,
                        call: impl FnOnce(&'a Self::Inner) -> R,
                    ) -> R {
                        let _ = entry;
                        call(self.inner())
                    }
                }
            ]
            []
            $($entries)*
        }
    };
}

macro_rules! forward_driver {
    ($($entries:tt)*) => {
        free_forwarding! {
            /// Forwards the entries of [`Driver`] to an inner driver. A wrapper replaces at least
            /// [`open_adapter`](ForwardDriver::open_adapter), because the adapter would otherwise not be
            /// wrapped.
            trait ForwardDriver for Driver;
            $($entries)*
        }
    };
}
driver_entries!(forward_driver);

macro_rules! forward_adapter {
    ($($entries:tt)*) => {
        free_forwarding! {
            /// Forwards the entries of [`AdapterFuncs`] to an inner adapter. To wrap the tables of the
            /// device, a wrapper replaces [`create_device`](ForwardAdapter::create_device).
            trait ForwardAdapter for AdapterFuncs;
            $($entries)*
        }
    };
}
adapter_entries!(forward_adapter);

macro_rules! forward_device {
    ($($entries:tt)*) => {
        free_forwarding! {
            /// Forwards the entries of [`DeviceFuncs`] to an inner device. To wrap deferred contexts, a
            /// wrapper replaces both [`create_deferred_context`](ForwardDevice::create_deferred_context) and
            /// [`recycle_create_deferred_context`](ForwardDevice::recycle_create_deferred_context).
            ///
            /// A wrapper that replaces [`destroy`](ForwardDevice::destroy) usually also replaces
            /// [`destroy_unused`](ForwardDevice::destroy_unused), because the runtime may call either entry.
            trait ForwardDevice for DeviceFuncs;
            $($entries)*
        }
    };
}
device_entries!(forward_device);

macro_rules! forward_context {
    ($($rows:tt)*) => {
        forwarding! {
            /// Forwards the entries of [`ContextFuncs`] to an inner table. Its hooks also apply to
            /// [`ForwardImmediate`] and [`ForwardDeferred`].
            trait ForwardContext: [Send + Sync] for ContextFuncs {
                /// The table to which entries are forwarded.
                type Inner: ContextFuncs + ?Sized;

                /// Returns the table to which entries are forwarded.
                fn inner(&self) -> &Self::Inner;

                /// Runs an entry that the wrapper does not replace. `call` calls it on the inner table, and
                /// the default implementation does nothing else.
                fn forward<R>(
                    &self,
                    entry: &'static str,
                    cx: Entry<'_>,
                    call: impl FnOnce(&Self::Inner, Entry<'_>) -> R,
                ) -> R {
                    let _ = entry;
                    call(self.inner(), cx)
                }

                /// Runs an entry like [`forward`](ForwardContext::forward), for entries that receive a
                /// [`ClosingEntry`].
                fn forward_closing<R>(
                    &self,
                    entry: &'static str,
                    cx: ClosingEntry<'_>,
                    call: impl FnOnce(&Self::Inner, ClosingEntry<'_>) -> R,
                ) -> R {
                    let _ = entry;
                    call(self.inner(), cx)
                }
            }
            $($rows)*
        }
    };
}
context_entries!(forward_context);

macro_rules! forward_immediate {
    ($($rows:tt)*) => {
        forwarding! {
            /// Forwards the entries of [`ImmediateFuncs`] to the inner table of [`ForwardContext`].
            trait ForwardImmediate: [ForwardContext<Inner: ImmediateFuncs>] for ImmediateFuncs {}
            $($rows)*
        }
    };
}
immediate_entries!(forward_immediate);

macro_rules! forward_deferred {
    ($($rows:tt)*) => {
        forwarding! {
            /// Forwards the entries of [`DeferredFuncs`] to the inner table of [`ForwardContext`].
            trait ForwardDeferred: [ForwardContext<Inner: DeferredFuncs>] for DeferredFuncs {}
            $($rows)*
        }
    };
}
deferred_entries!(forward_deferred);
