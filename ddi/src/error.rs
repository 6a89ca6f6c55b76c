//! Errors: what each kind of entry may answer, as a type.
//!
//! An entry can say only what its error type allows. What a driver cannot express that way, it says
//! with [`DriverBug`]: the runtime logs it as the driver's mistake and removes the device. Entries that
//! return nothing report through [`CoreLayer::set_error`](crate::CoreLayer::set_error), which belongs
//! to the context that was entered, so that an error of a deferred context never reaches another one.
//!
//! ```
//! use onze_ddi::{CreateError, DeviceRemoved, MapError};
//!
//! // A map can answer that the GPU is not done; a creation cannot.
//! let answers = [MapError::StillDrawing, MapError::OutOfMemory];
//! assert_eq!(answers.len(), 2);
//! let removed = DeviceRemoved("the cable was pulled".into());
//! assert_eq!(removed.0, "the cable was pulled");
//! let _ = CreateError::OutOfMemory;
//! ```

use std::borrow::Cow;

/// Something that the contract does not allow a driver to answer. It removes the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the driver answered with an undocumented error: {0}")]
pub struct DriverBug(pub Cow<'static, str>);

/// The device is removed: D3DDDIERR_DEVICEREMOVED. All that a callback may answer that announces something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device was removed: {0}")]
pub struct DeviceRemoved(pub Cow<'static, str>);

/// What an entry of a context that returns nothing may report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// The device is lost: D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Deferred contexts only: the recording has no memory left and is lost. E_OUTOFMEMORY.
    #[error("the recording ran out of memory")]
    OutOfMemory,
    /// The application did what the runtime could not catch: D3DDDIERR_APPLICATIONERROR. The call is
    /// ignored and the debug layer blames the application.
    #[error("{0}")]
    Application(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// What an entry that creates or opens may answer. The object does not exist then, and its destroy
/// entry is never called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// D3DDDIERR_APPLICATIONERROR: E_INVALIDARG to the application, with the reason.
    #[error("{0}")]
    Application(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// What entries may answer that only record: those that open, that map without waiting, and that end a
/// recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// E_OUTOFMEMORY; on a deferred context the recording is lost.
    #[error("out of memory")]
    OutOfMemory,
    /// D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// What a map that may wait may answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The map would have to wait and was told not to: DXGI_DDI_ERR_WASSTILLDRAWING.
    #[error("the resource is still in use")]
    StillDrawing,
    /// E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// What `query_get_data` may answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GetDataError {
    /// Not known yet: DXGI_DDI_ERR_WASSTILLDRAWING.
    #[error("the query is still pending")]
    StillDrawing,
    /// D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

/// What presenting and resizing may answer. An occluded or outdated window is no error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresentError {
    /// The window or surface is gone for good, or cannot be drawn to by this adapter.
    #[error("the window cannot be presented to: {0}")]
    SurfaceLost(Cow<'static, str>),
    /// E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
    /// D3DDDIERR_DEVICEREMOVED.
    #[error("the device was removed: {0}")]
    DeviceRemoved(Cow<'static, str>),
    /// Anything else.
    #[error(transparent)]
    Bug(#[from] DriverBug),
}

macro_rules! from_context_error {
    ($($error:ident)*) => {$(
        /// What a submission that failed is for the entry that made it; what the entry may not answer is a
        /// bug.
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
        /// What cannot be recorded, where more may happen.
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
