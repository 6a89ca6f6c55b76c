//! The immediate context's table of a removed device, whose calls have no effect.
//!
//! D3D11: after device removal, calls fail silently, except for the few calls that report the removal.

use onze_ddi::*;

pub(crate) struct RemovedFuncs;

/// The result of an entry of a removed device.
trait RemovedResult {
    fn removed() -> Self;
}

impl RemovedResult for () {
    fn removed() {}
}

/// Returns false, because nothing was submitted.
impl RemovedResult for bool {
    fn removed() -> Self {
        false
    }
}

impl<T, E: From<DeviceRemoved>> RemovedResult for Result<T, E> {
    fn removed() -> Self {
        Err(DeviceRemoved("the device was removed before".into()).into())
    }
}

macro_rules! removed {
    ($($(#[$doc:meta])* $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        impl ContextFuncs for RemovedFuncs {
            $(removed! { @entry fn $name $(<$life>)? ($($type),*) $(-> $answer)? })*
        }
    };
    (@entry fn $name:ident $(<$life:lifetime>)? ($($type:ty),*) $(-> $answer:ty)?) => {
        fn $name $(<$life>)? (&self, _: Entry<'_>, $(_: $type),*) $(-> $answer)? {
            RemovedResult::removed()
        }
    };
    (@closing fn $name:ident($($type:ty),*)) => {
        fn $name(&self, _: ClosingEntry<'_>, $(_: $type),*) {}
    };
}
context_entries!(removed);

macro_rules! removed_immediate {
    ($($(#[$doc:meta])* $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        impl ImmediateFuncs for RemovedFuncs {
            $(removed! { @$class fn $name $(<$life>)? ($($type),*) $(-> $answer)? })*
        }
    };
}
immediate_entries!(removed_immediate);
