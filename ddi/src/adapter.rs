//! Opening an adapter, and creating a device on it with the versions and capabilities that both sides agreed
//! on.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! /// The names of the adapters that a driver finds.
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

/// A boxed future that a driver returns, because opening is asynchronous on the web.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A driver (D3D11: the DLL with its one entry point), which lists and opens adapters.
///
/// The application or the runtime's loader creates the driver, and all devices that it opens may share it.
/// Entries come from any thread, and from several threads at once. The calling thread polls the futures, and
/// the runtime waits for them, except on the web, where nothing may block.
pub trait Driver: Send + Sync {
    /// The driver's short name, such as `"wgpu"`, which never changes.
    fn name(&self) -> &str;

    /// Lists the adapters that the driver can open, best first, or none if it finds no suitable hardware.
    ///
    /// Called each time that an application lists adapters or leaves the choice to the runtime. The order stays the
    /// same as long as the machine does, because [`OpenAdapterArgs::adapter`] is an index into this list.
    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>>;

    /// Opens one of the adapters that [`Driver::adapters`] lists (D3D11: `OpenAdapter10_2`).
    ///
    /// Called once for each device, before any other call for that device, and the driver may call
    /// [`AdapterCallbacks::query_adapter_info`] here and later.
    ///
    /// # Errors
    /// The adapter has disappeared, or it cannot present to the window.
    #[doc(alias = "OpenAdapter10_2")]
    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>>;
}

/// The arguments of [`Driver::open_adapter`] (D3D11: `D3D10DDIARG_OPENADAPTER`).
#[doc(alias = "D3D10DDIARG_OPENADAPTER")]
#[derive(Clone)]
pub struct OpenAdapterArgs {
    /// Index into the list that [`Driver::adapters`] returned.
    pub adapter: usize,
    /// A window that the adapter must be able to present to.
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
    /// How a device is to be used (D3D11: the part of `D3D11_CREATE_DEVICE_FLAG` that a driver sees).
    #[doc(alias = "D3D11_CREATE_DEVICE_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CreateDeviceFlags: u32 {
        /// Only one thread uses the device, so deferred contexts do not exist and the driver starts no threads.
        const SINGLETHREADED = 0x1;
        /// The driver starts no threads, although several may use the device (D3D11:
        /// `D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS`).
        #[doc(alias = "D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS")]
        const PREVENT_INTERNAL_THREADING_OPTIMIZATIONS = 0x8;
        /// The application wants names and messages, and the runtime then also reports pixel shader outputs
        /// whose type differs from that of their target.
        const DEBUG = 0x2;
    }
}

/// Requests for a driver's internal behaviour, which a driver ignores if they do not apply to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Number of encoding threads, at most [`Tuning::MAX_WORKERS`], where `None` lets the driver choose for
    /// the machine, and 0 forbids threads of any kind.
    pub workers: Option<u32>,
    /// Number of draws that fill a command buffer, or `None` for the default, which was chosen by
    /// measurement.
    pub page_draws: Option<u32>,
    /// Number of draws after which command buffers are handed to an encoding thread, or `None` if the driver
    /// chooses for the adapter.
    pub run_draws: Option<u32>,
    /// Whether draws that differ only in their constant buffers may be merged.
    pub draws_by_index: DrawsByIndex,
}

/// Whether draws that differ only in their constant buffers are made *by index*, with the same images to the
/// last bit. The driver then binds the constants of many draws at once, and each draw selects its own by
/// index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DrawsByIndex {
    /// Used where it was measured to be faster on this kind of adapter.
    #[default]
    Automatic,
    /// Never used, so each draw binds its constants.
    Off,
    /// Used wherever possible, although the first such draws bind their constants until the driver has compiled the
    /// pipelines in idle time.
    On,
    /// Used wherever possible, from the first draw on, for tests and comparisons, because draws may then wait
    /// for the compiler.
    Always,
}

impl Tuning {
    /// Maximum number of encoding threads that a runtime requests.
    pub const MAX_WORKERS: u32 = 64;
}

/// The runtime's handle of a device, which a driver quotes in its log.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeDevice(pub u64);

/// The arguments of [`AdapterFuncs::create_device`] (D3D11: `D3D10DDIARG_CREATEDEVICE`).
#[doc(alias = "D3D10DDIARG_CREATEDEVICE")]
#[derive(Clone)]
pub struct CreateDeviceArgs {
    /// The interface that runtime and driver use ([`crate::DdiVersion::interface`]).
    pub interface: u32,
    /// The runtime's build of this interface ([`crate::DdiVersion::build`]).
    pub version: u16,
    /// The device's handle in the runtime, for the driver's log.
    pub runtime_device: RuntimeDevice,
    /// The feature level that the runtime chose among the offered ones.
    pub feature_level: FeatureLevel,
    /// How the application will use the device: from how many threads, and whether to debug.
    pub flags: CreateDeviceFlags,
    /// How the driver will be entered, at most as it announced.
    pub threading: ThreadingCaps,
    /// Requests for the driver's internal behaviour, which the driver may ignore.
    pub tuning: Tuning,
    /// The kernel's callbacks for this device, for memory and fences.
    pub kernel: Arc<dyn KernelCallbacks>,
    /// The core layer's callbacks for this device, which the driver may keep.
    pub core: Arc<dyn DeviceCoreLayer>,
    /// DXGI: the window that the device will present to first, if known.
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

/// A device as returned by its driver, with its tables and the state of the immediate context.
pub struct CreatedDevice {
    /// The device table, which never changes during the device's life.
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

/// The reason why a device could not be created, for the application.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateDeviceError {
    /// The driver does not support the interface of this number.
    #[error("the driver does not support interface {0:#x}")]
    UnsupportedInterface(u32),
    /// The adapter cannot support the device, for the given reason.
    #[error("the adapter cannot support the device: {0}")]
    Adapter(Cow<'static, str>),
    /// The driver ran out of memory: E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
}

/// The adapter table (D3D11: `D3D10_2DDI_ADAPTERFUNCS`), whose drop is D3D11's `pfnCloseAdapter`.
///
/// The thread that creates a device calls the entries in sequence: versions, caps, then
/// [`AdapterFuncs::create_device`]. The runtime drops the table as soon as the device exists, so the device
/// must keep everything that it needs from the adapter, and each query returns the same answer every time.
#[doc(alias = "D3D10_2DDI_ADAPTERFUNCS")]
pub trait AdapterFuncs: Send + Sync {
    /// Lists the packed versions ([`crate::DdiVersion::packed`]) that the driver supports, in any order.
    ///
    /// Called twice: with `None` for the count, then with that many elements to fill, and returns the same
    /// count both times (D3D11: `pfnGetSupportedVersions`).
    #[doc(alias = "pfnGetSupportedVersions")]
    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize;

    /// The concurrency that the driver supports, which the runtime asks for before it creates a device
    /// (D3D11: `pfnGetCaps`, `D3D11DDICAPS_THREADING`).
    #[doc(alias = "pfnGetCaps")]
    #[doc(alias = "D3D11DDICAPS_THREADING")]
    fn threading_caps(&self) -> ThreadingCaps;

    /// The adapter's drawing capabilities (D3D11: `pfnGetCaps`, `D3D11DDICAPS_3DPIPELINESUPPORT`).
    #[doc(alias = "pfnGetCaps")]
    #[doc(alias = "D3D11DDICAPS_3DPIPELINESUPPORT")]
    fn pipeline_caps(&self) -> PipelineCaps;

    /// Creates a device and its immediate context, which is in its default state (D3D11: `pfnCreateDevice`).
    ///
    /// The interface is a listed one, and the build is not newer than the listed build.
    /// [`AdapterFuncs::pipeline_caps`] offers the feature level, and [`AdapterFuncs::threading_caps`]
    /// announced at least the threading. The driver may call the callbacks meanwhile, but any table that it
    /// publishes before this returns is replaced by the first immediate table, which the runtime publishes
    /// itself.
    ///
    /// # Errors
    /// A device that could not be created does not exist, so [`DeviceFuncs::destroy_device`] is never called for it.
    #[doc(alias = "pfnCreateDevice")]
    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>>;
}
