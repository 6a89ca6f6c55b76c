//! Errors: an enum of Direct3D 11's HRESULTs, each with a reason.
//!
//! A reason is a sentence that gives the value found, the allowed values, and the label of the object. Calls
//! that return nothing in Direct3D 11 also return nothing here, but report their errors to the
//! [`InfoQueue`](crate::InfoQueue).

use onze_ddi::{
    ContextError, CreateDeviceError, CreateError, DriverBug, GetDataError, MapError, OpenAdapterError,
    PresentError, RecordError,
};

/// The error of a call (D3D11: the `HRESULT`, which [`hresult`](Self::hresult) returns).
///
/// The string in a variant is the reason, in plain English.
#[doc(alias = "HRESULT")]
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument breaks a rule of Direct3D 11 (`E_INVALIDARG`).
    #[error("{0}")]
    InvalidArg(String),
    /// The memory that the call needs is exhausted (`E_OUTOFMEMORY`).
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The call failed for a reason that no other variant describes (`E_FAIL`).
    #[error("{0}")]
    Fail(String),
    /// This version of the library does not implement the call for any adapter (`E_NOTIMPL`).
    #[error("not implemented: {0}")]
    NotImplemented(String),
    /// The call is valid in Direct3D 11, but this device lacks a feature that it needs
    /// (`DXGI_ERROR_UNSUPPORTED`). The reason names the feature.
    #[doc(alias = "DXGI_ERROR_UNSUPPORTED")]
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The call is not allowed on this object or in its current state (`DXGI_ERROR_INVALID_CALL`).
    #[doc(alias = "DXGI_ERROR_INVALID_CALL")]
    #[error("{0}")]
    InvalidCall(String),
    /// The requested item, such as an adapter or a file, does not exist (`DXGI_ERROR_NOT_FOUND`).
    #[doc(alias = "DXGI_ERROR_NOT_FOUND")]
    #[error("{0}")]
    NotFound(String),
    /// The result or the memory is not available yet, and the call does not wait for it
    /// (`DXGI_ERROR_WAS_STILL_DRAWING`).
    #[doc(alias = "DXGI_ERROR_WAS_STILL_DRAWING")]
    #[error("the GPU is still using the resource or the query; try again later")]
    WasStillDrawing,
    /// The device is lost and the application must create a new one (`DXGI_ERROR_DEVICE_REMOVED`).
    #[doc(alias = "DXGI_ERROR_DEVICE_REMOVED")]
    #[error("the device was removed: {0}")]
    DeviceRemoved(String),
    /// A deferred context maps a resource with `WriteNoOverwrite` that it has not yet mapped with
    /// `WriteDiscard` in the same recording (`D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD`).
    #[doc(alias = "D3D11_ERROR_DEFERRED_CONTEXT_MAP_WITHOUT_INITIAL_DISCARD")]
    #[error("{0}")]
    DeferredContextMapWithoutInitialDiscard(String),
    /// The device already has the maximum number of different state objects of one type
    /// (`D3D11_ERROR_TOO_MANY_UNIQUE_STATE_OBJECTS`).
    #[doc(alias = "D3D11_ERROR_TOO_MANY_UNIQUE_STATE_OBJECTS")]
    #[error("{0}")]
    TooManyUniqueStateObjects(String),
    /// The device already has the maximum number of different views
    /// (`D3D11_ERROR_TOO_MANY_UNIQUE_VIEW_OBJECTS`).
    #[doc(alias = "D3D11_ERROR_TOO_MANY_UNIQUE_VIEW_OBJECTS")]
    #[error("{0}")]
    TooManyUniqueViewObjects(String),
}

/// Prints the variant and the unescaped reason, because a `main` that returns an error prints it with
/// `Debug`, and a reason with several lines would be hard to read if it were escaped.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let variant = match self {
            Self::InvalidArg(_) => "InvalidArg",
            Self::OutOfMemory(_) => "OutOfMemory",
            Self::Fail(_) => "Fail",
            Self::NotImplemented(_) => "NotImplemented",
            Self::Unsupported(_) => "Unsupported",
            Self::InvalidCall(_) => "InvalidCall",
            Self::NotFound(_) => "NotFound",
            Self::WasStillDrawing => "WasStillDrawing",
            Self::DeviceRemoved(_) => "DeviceRemoved",
            Self::DeferredContextMapWithoutInitialDiscard(_) => "DeferredContextMapWithoutInitialDiscard",
            Self::TooManyUniqueStateObjects(_) => "TooManyUniqueStateObjects",
            Self::TooManyUniqueViewObjects(_) => "TooManyUniqueViewObjects",
        };
        write!(f, "{variant}: {self}")
    }
}

impl Error {
    /// The HRESULT that Direct3D 11 returns in the same situation.
    pub const fn hresult(&self) -> u32 {
        match self {
            Self::InvalidArg(_) => 0x8007_0057,
            Self::OutOfMemory(_) => 0x8007_000e,
            Self::Fail(_) => 0x8000_4005,
            Self::NotImplemented(_) => 0x8000_4001,
            Self::Unsupported(_) => 0x887a_0004,
            Self::InvalidCall(_) => 0x887a_0001,
            Self::NotFound(_) => 0x887a_0002,
            Self::WasStillDrawing => 0x887a_000a,
            Self::DeviceRemoved(_) => 0x887a_0005,
            Self::DeferredContextMapWithoutInitialDiscard(_) => 0x887c_0004,
            Self::TooManyUniqueStateObjects(_) => 0x887c_0001,
            Self::TooManyUniqueViewObjects(_) => 0x887c_0003,
        }
    }

    /// Prefixes the reason with the type and label of the object that the error is about.
    pub(crate) fn about(mut self, object: impl std::fmt::Display) -> Self {
        match &mut self {
            Self::InvalidArg(reason)
            | Self::OutOfMemory(reason)
            | Self::Fail(reason)
            | Self::NotImplemented(reason)
            | Self::Unsupported(reason)
            | Self::InvalidCall(reason)
            | Self::NotFound(reason)
            | Self::DeviceRemoved(reason)
            | Self::DeferredContextMapWithoutInitialDiscard(reason)
            | Self::TooManyUniqueStateObjects(reason)
            | Self::TooManyUniqueViewObjects(reason) => *reason = format!("{object}: {reason}"),
            Self::WasStillDrawing => {}
        }
        self
    }
}

/// An error that a driver's entry returns, which may mean that the device is lost.
pub(crate) trait DriverError: Into<Error> {
    /// Returns the cause if the error means that the device is lost, because the driver either reported the
    /// loss or broke its contract.
    fn fatal(&self) -> Option<Fatal<'_>>;
}

/// The cause of a lost device, as returned by [`DriverError::fatal`].
pub(crate) enum Fatal<'a> {
    Removed(&'a std::borrow::Cow<'static, str>),
    Bug(&'a DriverBug),
}

macro_rules! driver_errors {
    ($($error:ident { $($other:pat_param),* })*) => {$(
        impl DriverError for $error {
            fn fatal(&self) -> Option<Fatal<'_>> {
                match self {
                    Self::DeviceRemoved(reason) => Some(Fatal::Removed(reason)),
                    Self::Bug(bug) => Some(Fatal::Bug(bug)),
                    $($other)|+ => None,
                }
            }
        }
    )*};
}
driver_errors! {
    CreateError { Self::OutOfMemory, Self::Application(_) }
    RecordError { Self::OutOfMemory }
    MapError { Self::StillDrawing, Self::OutOfMemory }
    GetDataError { Self::StillDrawing }
    PresentError { Self::SurfaceLost(_), Self::OutOfMemory }
}

/// The reason for an [`Error::OutOfMemory`] if the driver's error has none.
const DRIVER_OUT_OF_MEMORY: &str = "the driver could not allocate";

impl From<DriverBug> for Error {
    /// Converts to [`Error::DeviceRemoved`], because a driver's breach of its contract removes the device.
    fn from(bug: DriverBug) -> Self {
        Self::DeviceRemoved(bug.to_string())
    }
}

impl From<CreateError> for Error {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::OutOfMemory => Self::OutOfMemory(DRIVER_OUT_OF_MEMORY.to_owned()),
            CreateError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            CreateError::Application(reason) => Self::InvalidArg(reason.into_owned()),
            CreateError::Bug(bug) => bug.into(),
        }
    }
}

impl From<ContextError> for Error {
    fn from(error: ContextError) -> Self {
        match error {
            ContextError::OutOfMemory => Self::OutOfMemory("the recording is lost".to_owned()),
            ContextError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            ContextError::Application(reason) => Self::InvalidArg(reason.into_owned()),
            ContextError::Bug(bug) => bug.into(),
        }
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::OutOfMemory => Self::OutOfMemory(DRIVER_OUT_OF_MEMORY.to_owned()),
            RecordError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            RecordError::Bug(bug) => bug.into(),
        }
    }
}

impl From<MapError> for Error {
    fn from(error: MapError) -> Self {
        match error {
            MapError::StillDrawing => Self::WasStillDrawing,
            MapError::OutOfMemory => Self::OutOfMemory(DRIVER_OUT_OF_MEMORY.to_owned()),
            MapError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            MapError::Bug(bug) => bug.into(),
        }
    }
}

impl From<GetDataError> for Error {
    fn from(error: GetDataError) -> Self {
        match error {
            GetDataError::StillDrawing => Self::WasStillDrawing,
            GetDataError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            GetDataError::Bug(bug) => bug.into(),
        }
    }
}

impl From<PresentError> for Error {
    fn from(error: PresentError) -> Self {
        match error {
            PresentError::SurfaceLost(_) => Self::Fail(error.to_string()),
            PresentError::OutOfMemory => Self::OutOfMemory(DRIVER_OUT_OF_MEMORY.to_owned()),
            PresentError::DeviceRemoved(reason) => Self::DeviceRemoved(reason.into_owned()),
            PresentError::Bug(bug) => bug.into(),
        }
    }
}

impl From<OpenAdapterError> for Error {
    fn from(error: OpenAdapterError) -> Self {
        Self::NotFound(error.to_string())
    }
}

impl From<CreateDeviceError> for Error {
    fn from(error: CreateDeviceError) -> Self {
        match error {
            CreateDeviceError::UnsupportedInterface(_) => Self::Unsupported(error.to_string()),
            CreateDeviceError::OutOfMemory => Self::OutOfMemory(DRIVER_OUT_OF_MEMORY.to_owned()),
            other => Self::Fail(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_the_hresult_of_direct3d() {
        let s = String::new;
        for (error, hresult) in [
            (Error::InvalidArg(s()), 0x8007_0057),
            (Error::OutOfMemory(s()), 0x8007_000e),
            (Error::Fail(s()), 0x8000_4005),
            (Error::NotImplemented(s()), 0x8000_4001),
            (Error::Unsupported(s()), 0x887a_0004),
            (Error::InvalidCall(s()), 0x887a_0001),
            (Error::NotFound(s()), 0x887a_0002),
            (Error::WasStillDrawing, 0x887a_000a),
            (Error::DeviceRemoved(s()), 0x887a_0005),
            (Error::DeferredContextMapWithoutInitialDiscard(s()), 0x887c_0004),
            (Error::TooManyUniqueStateObjects(s()), 0x887c_0001),
            (Error::TooManyUniqueViewObjects(s()), 0x887c_0003),
        ] {
            assert_eq!(error.hresult(), hresult, "{error:?}");
        }
    }

    #[test]
    fn a_driver_bug_becomes_device_removed() {
        let bug = || DriverBug("made up".into());
        for error in [
            Error::from(CreateError::Bug(bug())),
            Error::from(ContextError::Bug(bug())),
            Error::from(RecordError::Bug(bug())),
            Error::from(MapError::Bug(bug())),
            Error::from(GetDataError::Bug(bug())),
            Error::from(PresentError::Bug(bug())),
        ] {
            assert!(
                matches!(&error, Error::DeviceRemoved(reason) if reason.contains("made up")),
                "{error:?}"
            );
        }
    }

    #[test]
    fn driver_application_errors_become_invalid_arg() {
        assert_eq!(Error::from(CreateError::Application("bad".into())), Error::InvalidArg("bad".to_owned()));
        assert_eq!(Error::from(ContextError::Application("bad".into())), Error::InvalidArg("bad".to_owned()));
        assert_eq!(Error::from(MapError::StillDrawing), Error::WasStillDrawing);
        assert_eq!(Error::from(GetDataError::StillDrawing), Error::WasStillDrawing);
    }

    #[test]
    fn a_reason_of_several_lines_is_printed_unescaped() {
        let error = Error::InvalidArg("the shader \"a\" is wrong:\n  line 1".to_owned());
        assert_eq!(format!("{error:?}"), "InvalidArg: the shader \"a\" is wrong:\n  line 1");
    }

    #[test]
    fn an_error_names_the_object_that_it_is_about() {
        let error = Error::InvalidArg("the size is 0".to_owned()).about("buffer \"camera\"");
        assert_eq!(error.to_string(), "buffer \"camera\": the size is 0");
        assert_eq!(Error::WasStillDrawing.about("x"), Error::WasStillDrawing);
    }
}
