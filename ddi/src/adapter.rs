//! From a driver to a device: opening an adapter, and creating a device on it.
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

/// A future that a driver returns, boxed. Opening is asynchronous because it is so on the web.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A driver. D3D11: the DLL, with its one entry.
///
/// An application or the runtime's loader makes it; all devices that it opens may share it. Its entries
/// come from any thread, also from several at once. The futures are polled by the thread that called:
/// the runtime waits for them, except on the web, where nothing may block.
pub trait Driver: Send + Sync {
    /// A short name: `"wgpu"`. Always the same.
    fn name(&self) -> &str;

    /// The adapters that the driver can open, best first; none where there is no hardware for it.
    ///
    /// Asked each time that an application lists adapters or leaves the choice to the runtime. The
    /// order stays the same as long as the machine does: [`OpenAdapterArgs::adapter`] counts in it.
    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>>;

    /// Opens one of the adapters. D3D11: `OpenAdapter10_2`.
    ///
    /// Called once for each device, before anything else that is about it. The driver may ask
    /// [`AdapterCallbacks::query_adapter_info`] here and later.
    ///
    /// # Errors
    /// There is no such adapter any more, or it cannot present to the window.
    #[doc(alias = "OpenAdapter10_2")]
    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>>;
}

/// D3D11: `D3D10DDIARG_OPENADAPTER`.
#[doc(alias = "D3D10DDIARG_OPENADAPTER")]
#[derive(Clone)]
pub struct OpenAdapterArgs {
    /// Index into [`Driver::adapters`].
    pub adapter: usize,
    /// A window that the adapter must be able to present to.
    pub window: Option<WindowHandle>,
    /// The runtime's callbacks.
    pub callbacks: Arc<dyn AdapterCallbacks>,
}

impl std::fmt::Debug for OpenAdapterArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAdapterArgs").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}

/// Why an adapter could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the adapter cannot be opened: {0}")]
pub struct OpenAdapterError(pub Cow<'static, str>);

bitflags! {
    /// How a device is to be used. D3D11: `D3D11_CREATE_DEVICE_FLAG` as far as the driver sees it.
    #[doc(alias = "D3D11_CREATE_DEVICE_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CreateDeviceFlags: u32 {
        /// One thread uses the device: there are no deferred contexts, and the driver starts no threads.
        const SINGLETHREADED = 0x1;
        /// The driver starts no threads. D3D11: `D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS`.
        #[doc(alias = "D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS")]
        const PREVENT_INTERNAL_THREADING_OPTIMIZATIONS = 0x8;
        /// The application wants names and messages. The runtime reports outputs of another type than their target.
        const DEBUG = 0x2;
    }
}

/// Wishes for a driver's inner workings; each may be ignored by a driver that has no such thing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Threads that encode, [`Tuning::MAX_WORKERS`] at most; `None` for what suits the machine, 0 for none, of any
    /// kind.
    pub workers: Option<u32>,
    /// Draws after which a command buffer counts as full; `None` for what was found best.
    pub page_draws: Option<u32>,
    /// Draws after which command buffers are handed to a thread that encodes; `None` for what suits the adapter.
    pub run_draws: Option<u32>,
    /// Whether draws that differ in their constant buffers only may be made as one.
    pub draws_by_index: DrawsByIndex,
}

/// Whether draws that differ in their constant buffers only are made *by index*: the driver then binds the constants of many
/// draws at once, and each draw chooses its own. The pictures are the same to the last bit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DrawsByIndex {
    /// Where it was measured to be faster, on this kind of adapter.
    #[default]
    Automatic,
    /// Never: each draw binds its constants.
    Off,
    /// Wherever it is possible. The first such draws still bind their constants, until the driver has compiled what it
    /// needs, when nothing else is to be done.
    On,
    /// Wherever it is possible, from the first draw on. Draws may then wait for the compiler: for tests and comparisons.
    Always,
}

impl Tuning {
    /// No runtime asks for more threads.
    pub const MAX_WORKERS: u32 = 64;
}

/// The runtime's handle of a device: a driver quotes it in its log.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuntimeDevice(pub u64);

/// D3D11: `D3D10DDIARG_CREATEDEVICE`.
#[doc(alias = "D3D10DDIARG_CREATEDEVICE")]
#[derive(Clone)]
pub struct CreateDeviceArgs {
    /// The interface that runtime and driver speak; see [`crate::DdiVersion`].
    pub interface: u32,
    /// The build of the runtime's side of it.
    pub version: u16,
    /// The runtime's handle of the device.
    pub runtime_device: RuntimeDevice,
    /// The level that the runtime chose.
    pub feature_level: FeatureLevel,
    /// How the device is to be used.
    pub flags: CreateDeviceFlags,
    /// How the driver will be entered: at most what it announced.
    pub threading: ThreadingCaps,
    /// Wishes.
    pub tuning: Tuning,
    /// Kernel callbacks.
    pub kernel: Arc<dyn KernelCallbacks>,
    /// The core layer's callbacks for the device; its handle is implied.
    pub core: Arc<dyn DeviceCoreLayer>,
    /// DXGI: the window that the device will present to first, if it is known.
    pub window: Option<WindowHandle>,
    /// A name for people.
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

/// A device as its driver made it.
pub struct CreatedDevice {
    /// The device table, fixed for the device's life.
    pub funcs: Arc<dyn DeviceFuncs>,
    /// The first table of the immediate context.
    pub immediate_funcs: Box<dyn ImmediateFuncs>,
    /// The immediate context's private data.
    pub immediate: PrivateData,
}

impl std::fmt::Debug for CreatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedDevice").finish_non_exhaustive()
    }
}

/// Why a device could not be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateDeviceError {
    /// The driver does not speak the interface.
    #[error("the driver does not speak interface {0:#x}")]
    UnsupportedInterface(u32),
    /// The adapter cannot do it.
    #[error("the adapter cannot make the device: {0}")]
    Adapter(Cow<'static, str>),
    /// E_OUTOFMEMORY.
    #[error("out of memory")]
    OutOfMemory,
}

/// The adapter table. D3D11: `D3D10_2DDI_ADAPTERFUNCS`. Dropping it is `pfnCloseAdapter`.
///
/// The thread that makes a device calls it, one entry after the other: versions, caps, then
/// [`AdapterFuncs::create_device`]. The runtime drops it as soon as the device exists, so the device
/// keeps what it needs of it. What is asked gets the same answer each time.
#[doc(alias = "D3D10_2DDI_ADAPTERFUNCS")]
pub trait AdapterFuncs: Send + Sync {
    /// Lists the packed versions ([`crate::DdiVersion::packed`]) that the driver speaks, in any order.
    ///
    /// Asked twice: with `None` for how many, then with that many to fill. Returns the same number both
    /// times. D3D11: `pfnGetSupportedVersions`.
    #[doc(alias = "pfnGetSupportedVersions")]
    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize;

    /// How many threads may enter. Asked before a device is created. D3D11: `pfnGetCaps`,
    /// `D3D11DDICAPS_THREADING`.
    #[doc(alias = "pfnGetCaps")]
    #[doc(alias = "D3D11DDICAPS_THREADING")]
    fn threading_caps(&self) -> ThreadingCaps;

    /// What the adapter draws. D3D11: `pfnGetCaps`, `D3D11DDICAPS_3DPIPELINESUPPORT`.
    #[doc(alias = "pfnGetCaps")]
    #[doc(alias = "D3D11DDICAPS_3DPIPELINESUPPORT")]
    fn pipeline_caps(&self) -> PipelineCaps;

    /// Creates a device and its immediate context, which is in its default state.
    /// D3D11: `pfnCreateDevice`.
    ///
    /// The interface is one that was listed, the build no newer than that, the feature level one that
    /// [`AdapterFuncs::pipeline_caps`] offers, the threading at most what
    /// [`AdapterFuncs::threading_caps`] announced. The runtime publishes the first immediate table itself,
    /// and so replaces any that the driver publishes before this returns. Callbacks may be called
    /// meanwhile.
    ///
    /// # Errors
    /// The device does not exist then, and [`DeviceFuncs::destroy_device`] is never called.
    #[doc(alias = "pfnCreateDevice")]
    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>>;
}
