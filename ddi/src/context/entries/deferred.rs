//! The entries of the deferred table, one row each, and the trait that a macro generates from them.

use super::immediate::immediate_funcs;
use crate::*;

/// Passes the entries of [`DeferredFuncs`] to a macro, one row each, with the classes of
/// [`immediate_entries!`](crate::immediate_entries).
macro_rules! deferred_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Opens a handle in this context, at its first use in a recording (D3D11: `pfnCreateResource` and
        /// its counterparts on the deferred table). A view's resource is opened before the view.
        ///
        /// The storage already contains the object, with zeroed private bytes of the requested size, but the
        /// handle is not yet open in this recording.
        ///
        /// # Errors
        /// Returns a [`RecordError`] if the handle cannot be opened. The runtime then removes the handle from
        /// the storage, and may or may not call [`DeferredFuncs::close`]. After [`RecordError::OutOfMemory`],
        /// the recording is also lost.
        #[doc(alias = "pfnCreateResource")]
        entry open<'a>(args: OpenArgs<'a>) -> Result<(), RecordError>;

        /// Closes a handle (D3D11: `pfnDestroyResource` and its counterparts on the deferred table). Views
        /// are closed before their resources.
        ///
        /// Called for all open handles when the recording was ended or abandoned, while no object is bound or
        /// mapped. The runtime removes the handle from the storage after the call. A list made from the
        /// recording may still use the object, which lives at least as long as the list.
        #[doc(alias = "pfnDestroyResource")]
        closing close(kind: HandleType, key: Key);

        /// Takes back a dead list that this context recorded (D3D11: `pfnRecycleCommandList`).
        ///
        /// The list has already released its objects ([`crate::DeviceFuncs::recycle_destroy_command_list`]).
        /// Here the driver may move the list's memory to the context for reuse.
        #[doc(alias = "pfnRecycleCommandList")]
        closing recycle_command_list(list: DriverList<Dead>) -> DriverList<Cached>;

        /// Ends the recording and returns it as a list that reuses the memory of a cached list, if there is
        /// one (D3D11: `pfnCreateCommandList`, `pfnRecycleCreateCommandList`).
        ///
        /// All maps, queries and groups are already ended, but during the call, the state callbacks still
        /// return the last bindings. Afterwards the runtime closes the handles, and the context is in its
        /// default state. The list can be executed any number of times, on any context of the device.
        ///
        /// # Errors
        /// Returns [`RecordError::OutOfMemory`] if there is not enough memory for the list, but the context
        /// stays usable. After any error, the driver has discarded the recording and dropped the cached list,
        /// and the runtime does not call [`DeferredFuncs::abandon_command_list`].
        #[doc(alias = "pfnCreateCommandList")]
        #[doc(alias = "pfnRecycleCreateCommandList")]
        entry create_command_list(
            cached: Option<DriverList<Cached>>
        ) -> Result<DriverList<Live>, RecordError>;

        /// Discards the recording, which may be empty (D3D11: `pfnAbandonCommandList`).
        ///
        /// Called when the recording is lost, when the application finishes it on a removed device, and
        /// before the context is destroyed. Afterwards the runtime closes the handles.
        #[doc(alias = "pfnAbandonCommandList")]
        closing abandon_command_list();
    } };
}
pub(crate) use deferred_entries;

macro_rules! deferred_funcs {
    (
        $(
            $(#[$doc:meta])*
            $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;
        )*
    ) => {
        /// The operations that only deferred contexts have, in a table that does not change.
        ///
        /// The rules of [`ContextFuncs`] apply, with these additions. A recording begins when the context is
        /// created, and the next one begins when the previous recording was ended or abandoned and all its
        /// handles are closed. If a recording runs out of memory, it is lost, and only
        /// [`DeferredFuncs::abandon_command_list`] and [`DeferredFuncs::close`] are then called for it. The
        /// entries are also called on a removed device, but its recordings are not executed.
        pub trait DeferredFuncs: ContextFuncs {
            $(immediate_funcs! { @$class $(#[$doc])*
                fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)?
            })*
        }
    };
}
deferred_entries!(deferred_funcs);
