//! Opening an adapter, and creating a device with the versions and capabilities that the runtime and the
//! driver agreed on.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! /// Returns the names of the adapters that a driver lists.
//! async fn names(driver: &dyn Driver) -> Vec<String> {
//!     driver.adapters().await.into_iter().map(|adapter| adapter.name).collect()
//! }
//! ```

use std::{borrow::Cow, future::Future, pin::Pin, sync::Arc};

use bitflags::bitflags;

use crate::{
    callbacks::{AdapterCallbacks, DeviceCoreLayer, KernelCallbacks},
    caps::{AdapterInfo, FeatureLevel, PipelineCaps, ThreadingCaps},
    context::ImmediateFuncs,
    device::{DeviceFuncs, PrivateData},
    swap_chain::WindowHandle,
};

/// A boxed future that a driver returns, because opening an adapter is asynchronous on the web.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Passes the entries of [`Driver`] to a macro, as the declarations of a trait.
macro_rules! driver_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// The driver's short name, such as `"wgpu"`, which does not change.
        fn name(&self) -> &str;

        /// Lists the adapters that the driver can open, best first, or returns an empty list if the driver
        /// finds no suitable hardware.
        ///
        /// Called each time that an application lists adapters or lets the runtime choose one.
        /// [`OpenAdapterArgs::adapter`] is an index into this list, so the order stays the same unless the
        /// machine's hardware changes.
        fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>>;

        /// Opens one of the adapters that [`Driver::adapters`] lists (D3D11: `OpenAdapter10_2`).
        ///
        /// Called once for each device, before any other call for that device. Both here and later, the
        /// driver may call [`AdapterCallbacks::query_adapter_info`].
        ///
        /// # Errors
        /// Returns an [`OpenAdapterError`] if the adapter has become unavailable or cannot present to the
        /// window.
        #[doc(alias = "OpenAdapter10_2")]
        fn open_adapter(
            &self,
            args: OpenAdapterArgs,
        ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>>;
    } };
}
pub(crate) use driver_entries;

macro_rules! driver_trait {
    ($($entries:tt)*) => {
        /// A driver, which lists and opens adapters (D3D11: the driver's DLL with its entry point).
        ///
        /// The application or the runtime's loader creates the driver, and several devices may share it. Any
        /// number of threads may call its entries at the same time. The calling thread polls the futures, and
        /// the runtime blocks until they are ready, except on the web, where blocking is not allowed.
        pub trait Driver: Send + Sync {
            $($entries)*
        }
    };
}
driver_entries!(driver_trait);

/// The arguments of [`Driver::open_adapter`] (D3D11: `D3D10DDIARG_OPENADAPTER`).
#[doc(alias = "D3D10DDIARG_OPENADAPTER")]
#[derive(Clone)]
pub struct OpenAdapterArgs {
    /// Index into the list that [`Driver::adapters`] returned.
    pub adapter: usize,
    /// The window that the adapter must be able to present to, if any.
    pub window: Option<WindowHandle>,
    /// The runtime's callbacks for the adapter.
    pub callbacks: Arc<dyn AdapterCallbacks>,
}

impl std::fmt::Debug for OpenAdapterArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAdapterArgs").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}

/// The reason why an adapter could not be opened, as text for the application.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the adapter cannot be opened: {0}")]
pub struct OpenAdapterError(pub Cow<'static, str>);

bitflags! {
    /// How an application will use a device (D3D11: the flags of `D3D11_CREATE_DEVICE_FLAG` that concern a
    /// driver).
    #[doc(alias = "D3D11_CREATE_DEVICE_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CreateDeviceFlags: u32 {
        /// Only one thread uses the device, so deferred contexts do not exist and the driver starts no threads.
        const SINGLETHREADED = 0x1;
        /// The driver starts no threads, although several threads may use the device (D3D11:
        /// `D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS`).
        #[doc(alias = "D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS")]
        const PREVENT_INTERNAL_THREADING_OPTIMIZATIONS = 0x8;
        /// Enables object names and debug messages, and makes the runtime report pixel shader outputs whose
        /// type differs from the type of their target.
        const DEBUG = 0x2;
    }
}

/// Settings for a driver's internal behaviour, although a driver may ignore settings that do not apply to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Number of encoding threads, at most [`Tuning::MAX_WORKERS`]. With `None`, the driver chooses a number
    /// for the machine, and with 0, it starts no threads of any kind.
    pub workers: Option<u32>,
    /// Number of draws that fill a command buffer, or `None` for the driver's default, which was chosen by
    /// measurement.
    pub page_draws: Option<u32>,
    /// Number of draws after which command buffers are passed to an encoding thread, or `None` to let the
    /// driver choose a number for the adapter.
    pub run_draws: Option<u32>,
    /// Whether draws that differ only in their constant buffers may be merged.
    pub draws_by_index: DrawsByIndex,
    /// Whether the vertices of geometry shaders are stored in memory.
    pub stored_geometry: StoredGeometry,
    /// Maximum bytes of stored vertices of the draws that an encoding thread submits together, or `None` for the
    /// driver's default.
    pub geometry_memory: Option<u64>,
}

/// Whether the vertices that a geometry shader appends are stored in GPU memory before they are drawn, by drivers
/// whose graphics API has no geometry shaders. Otherwise the shaders run again for each of these vertices. The
/// results are the same, except that the GPU's compiler may round positions differently.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum StoredGeometry {
    /// Stores the vertices of draws for which this is probably faster, because their shaders are expensive.
    #[default]
    Automatic,
    /// Never stores vertices, so draws need no memory.
    Off,
    /// Stores vertices wherever possible: for tests and comparisons.
    Always,
}

/// Whether draws that differ only in their constant buffers are drawn *by index*. The driver then binds the
/// constants of many draws at once, and each draw selects its constants with an index. Consecutive draws, between
/// which nothing else is bound, become one command of the graphics API if the adapter can do that. The resulting
/// images are bit-identical with and without this optimisation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DrawsByIndex {
    /// Draws by index on adapter types for which this was faster in measurements.
    #[default]
    Automatic,
    /// Never draws by index, so each draw binds its constants and is a command of its own.
    Off,
    /// Draws by index wherever possible, but draws still bind their constants until the driver has compiled
    /// the required pipelines in idle time.
    On,
    /// Draws by index wherever possible, starting with the first draw: for tests and comparisons, because
    /// draws may then wait for the compiler.
    Always,
}

impl Tuning {
    /// Maximum number of encoding threads that a runtime requests.
    pub const MAX_WORKERS: u32 = 64;
}

/// The runtime's handle of a device, for the driver's log.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeDevice(pub u64);

/// The arguments of [`AdapterFuncs::create_device`] (D3D11: `D3D10DDIARG_CREATEDEVICE`).
#[doc(alias = "D3D10DDIARG_CREATEDEVICE")]
#[derive(Clone)]
pub struct CreateDeviceArgs {
    /// The interface that the runtime and the driver use ([`crate::DdiVersion::interface`]).
    pub interface: u32,
    /// The build of this interface that was chosen with it ([`crate::DdiVersion::build`]).
    pub version: u16,
    /// The device's handle in the runtime, for the driver's log.
    pub runtime_device: RuntimeDevice,
    /// The feature level that the runtime chose from [`PipelineCaps::feature_levels`].
    pub feature_level: FeatureLevel,
    /// How the application will use the device, for example whether from one thread or with debug messages.
    pub flags: CreateDeviceFlags,
    /// The concurrency that the runtime will use, at most as much as [`AdapterFuncs::threading_caps`]
    /// returned.
    pub threading: ThreadingCaps,
    /// Settings for the driver's internal behaviour, which the driver may ignore.
    pub tuning: Tuning,
    /// The kernel's callbacks for this device, for memory and fences.
    pub kernel: Arc<dyn KernelCallbacks>,
    /// The core layer's callbacks for this device, which the driver may keep.
    pub core: Arc<dyn DeviceCoreLayer>,
    /// The first window that the device will present to, if known.
    pub window: Option<WindowHandle>,
    /// A name for log messages and debuggers, if the application gave one.
    pub label: crate::Label,
}

impl std::fmt::Debug for CreateDeviceArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateDeviceArgs")
            .field("interface", &self.interface)
            .field("version", &self.version)
            .field("feature_level", &self.feature_level)
            .field("flags", &self.flags)
            .field("threading", &self.threading)
            .field("tuning", &self.tuning)
            .finish_non_exhaustive()
    }
}

/// A device as its driver returns it, with its tables and the private data of the immediate context.
pub struct CreatedDevice {
    /// The device table, which does not change during the device's life.
    pub funcs: Arc<dyn DeviceFuncs>,
    /// The first table of the immediate context, which the driver may replace later.
    pub immediate_funcs: Box<dyn ImmediateFuncs>,
    /// The immediate context's private data, which the runtime passes to each entry.
    pub immediate: PrivateData,
}

impl std::fmt::Debug for CreatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedDevice").finish_non_exhaustive()
    }
}

/// The reason why a device could not be created, as text for the application.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateDeviceError {
    /// The driver does not support the interface with this number.
    #[error("the driver does not support interface {0:#x}")]
    UnsupportedInterface(u32),
    /// The adapter cannot support the device, for the given reason.
    #[error("the adapter cannot support the device: {0}")]
    Adapter(Cow<'static, str>),
    /// The driver ran out of memory: E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
}

/// Passes the entries of [`AdapterFuncs`] to a macro, as the declarations of a trait.
macro_rules! adapter_entries {
    ($($callback:tt)+) => { $($callback)+! {
        /// Lists the packed versions ([`crate::DdiVersion::packed`]) that the driver supports, in any order.
        ///
        /// Called twice (D3D11: `pfnGetSupportedVersions`): first with `None` to get the count, and then with
        /// a slice of that length for the driver to fill. Both calls must return the same count.
        #[doc(alias = "pfnGetSupportedVersions")]
        fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize;

        /// Returns the concurrency that the driver supports (D3D11: `pfnGetCaps` with
        /// `D3D11DDICAPS_THREADING`). Called before a device is created.
        #[doc(alias = "pfnGetCaps")]
        #[doc(alias = "D3D11DDICAPS_THREADING")]
        fn threading_caps(&self) -> ThreadingCaps;

        /// Returns the adapter's drawing capabilities (D3D11: `pfnGetCaps` with
        /// `D3D11DDICAPS_3DPIPELINESUPPORT`).
        #[doc(alias = "pfnGetCaps")]
        #[doc(alias = "D3D11DDICAPS_3DPIPELINESUPPORT")]
        fn pipeline_caps(&self) -> PipelineCaps;

        /// Creates a device and its immediate context, which is in its default state (D3D11:
        /// `pfnCreateDevice`).
        ///
        /// The driver has listed the interface, and the build is not newer than the listed build.
        /// [`AdapterFuncs::pipeline_caps`] contains the feature level, and [`AdapterFuncs::threading_caps`]
        /// supports the threading. The driver may already use the callbacks during this call. However, the
        /// runtime publishes the first immediate table itself, which replaces any table that the driver
        /// publishes before this call returns.
        ///
        /// # Errors
        /// Returns a [`CreateDeviceError`] if the device cannot be created, in which case the runtime does
        /// not call [`DeviceFuncs::destroy_device`].
        #[doc(alias = "pfnCreateDevice")]
        fn create_device(
            &self,
            args: CreateDeviceArgs,
        ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>>;
    } };
}
pub(crate) use adapter_entries;

macro_rules! adapter_funcs {
    ($($entries:tt)*) => {
        /// The adapter table (D3D11: `D3D10_2DDI_ADAPTERFUNCS`; dropping it corresponds to
        /// `pfnCloseAdapter`).
        ///
        /// The thread that creates a device queries the versions and capabilities, and then calls
        /// [`AdapterFuncs::create_device`]. A query must return the same result every time. The runtime drops
        /// the table as soon as the device exists, so the device must keep the data that it needs from the
        /// adapter.
        #[doc(alias = "D3D10_2DDI_ADAPTERFUNCS")]
        pub trait AdapterFuncs: Send + Sync {
            $($entries)*
        }
    };
}
adapter_entries!(adapter_funcs);
