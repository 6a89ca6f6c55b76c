//! Error types: each kind of entry has a type with exactly the errors that it may return.
//!
//! If the type cannot express an error, the driver reports it as a [`DriverBug`], and the runtime then logs
//! the error as the driver's mistake and removes the device. Entries without a `Result` report errors through
//! [`CoreLayer::set_error`](crate::CoreLayer::set_error). This callback belongs to the context that was
//! entered, so an error of one context does not affect another context.
//!
//! ```
//! use onze_ddi::{CreateError, DeviceRemoved, MapError};
//!
//! // A map may report that the GPU is still busy, but a create entry may not.
//! let answers = [MapError::StillDrawing, MapError::OutOfMemory];
//! assert_eq!(answers.len(), 2);
//! let removed = DeviceRemoved("the cable was pulled".into());
//! assert_eq!(removed.0, "the cable was pulled");
//! let _ = CreateError::OutOfMemory;
//! ```

use std::borrow::Cow;

/// An error that the contract does not allow a driver to return. The runtime removes the device after such an
/// error, unless the driver reported it with
/// [`DeviceCoreLayer::report_bug`](crate::DeviceCoreLayer::report_bug).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the driver returned an undocumented error: {0}")]
pub struct DriverBug(pub Cow<'static, str>);

/// The device is removed (D3DDDIERR_DEVICEREMOVED). This is the only error of callbacks that report a
/// submission or a present.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device was removed: {0}")]
pub struct DeviceRemoved(pub Cow<'static, str>);

/// Errors that entries of a context may report if they return no `Result`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// The recording of a deferred context ran out of memory and is lost: E_OUTOFMEMORY.
    #[error("the recording ran out of memory")]
    OutOfMemory,
    /// A mistake of the application that the runtime could not detect (D3DDDIERR_APPLICATIONERROR). The call
    /// is ignored, and the debug layer reports the mistake to the application.
    #[error("{0}")]
    Application(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// Errors of an entry that creates an object, after which the object does not exist and is not destroyed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// The driver is out of memory or the memory budget is exhausted: E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// A mistake of the application (D3DDDIERR_APPLICATIONERROR). The application receives E_INVALIDARG with
    /// the reason.
    #[error("{0}")]
    Application(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// Errors of entries that only record: entries that open handles, map without waiting, or end a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The driver is out of memory: E_OUTOFMEMORY, in which case a deferred context's recording is lost.
    #[error("out of memory")]
    OutOfMemory,
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// Errors of a map that may wait for the GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The map would have to wait, but `do_not_wait` is set or blocking is not allowed:
    /// DXGI_DDI_ERR_WASSTILLDRAWING.
    #[error("the resource is still in use")]
    StillDrawing,
    /// The driver is out of memory: E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// Errors of `query_get_data`, which never waits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GetDataError {
    /// The result is not yet known: DXGI_DDI_ERR_WASSTILLDRAWING.
    #[error("the query is still pending")]
    StillDrawing,
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// Errors of entries that create, resize or present a swap chain, which do not include an occluded or
/// outdated window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresentError {
    /// The window or surface no longer exists, or this adapter cannot present to it.
    #[error("the window cannot be presented to: {0}")]
    SurfaceLost(Cow<'static, str>),
    /// The driver is out of memory: E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Any other error, which is a bug of the driver and removes the device.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

macro_rules! from_context_error {
    ($($error:ident)*) => {$(
        /// Converts the error of a failed submission into an error of the entry that submitted, or into a bug
        /// if the entry may not return that error.
        impl From<ContextError> for $error {
            fn from(error: ContextError) -> Self {
                match error {
                    ContextError::DeviceRemoved(reason) => Self::DeviceRemoved(reason),
                    ContextError::Bug(bug) => Self::Bug(bug),
                    other => Self::Bug(DriverBug(other.to_string().into())),
                }
            }
        }
    )*};
}
from_context_error!(CreateError MapError GetDataError PresentError);

macro_rules! from_device_removed {
    ($($error:ident)*) => {$(
        impl From<DeviceRemoved> for $error {
            fn from(removed: DeviceRemoved) -> Self {
                Self::DeviceRemoved(removed.0)
            }
        }
    )*};
}
from_device_removed!(ContextError CreateError RecordError MapError GetDataError PresentError);

macro_rules! from_record_error {
    ($($error:ident)*) => {$(
        /// Converts a recording error into the error of an entry that allows more errors.
        impl From<RecordError> for $error {
            fn from(error: RecordError) -> Self {
                match error {
                    RecordError::OutOfMemory => Self::OutOfMemory,
                    RecordError::DeviceRemoved(reason) => Self::DeviceRemoved(reason),
                    RecordError::Bug(bug) => Self::Bug(bug),
                }
            }
        }
    )*};
}
from_record_error!(ContextError MapError);
