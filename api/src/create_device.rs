//! Device creation: chooses an adapter, an interface version and a feature level, and starts the driver
//! (D3D11: `D3D11CreateDevice`).

use std::sync::Arc;

use onze_ddi::{
    AdapterInfo, CreateDeviceArgs, DdiVersion, DeviceCoreLayer as _, DrawsByIndex, FeatureLevel,
    OpenAdapterArgs, RuntimeDevice, StoredGeometry, ThreadingCaps, Tuning, WindowHandle, negotiate, verifier,
};

pub use onze_ddi::CreateDeviceFlags;

use crate::{
    Adapter, Device, DriverType, Error, ImmediateContext,
    adapter::adapters_of,
    device_core::{
        Attachments, DeviceCore, NewDevice, RuntimeLink,
        kernel::{Kernel, Machine},
    },
    loader,
    report::{InfoQueue, MessageId},
};

/// Options for device creation (D3D11: the arguments of `D3D11CreateDevice`).
#[doc(alias = "D3D11CreateDevice")]
#[derive(Clone)]
pub struct DeviceDesc {
    /// The driver or the type of adapter to use if `adapter` is `None`, by default [`DriverType::Hardware`].
    pub driver_type: DriverType,
    /// The adapter to use, or `None`, the default, for the best adapter of the driver type.
    pub adapter: Option<Adapter>,
    /// Feature levels that the application accepts, best first, so that the device gets the first one that
    /// the adapter supports. An empty list, the default, means [`FeatureLevel::Core11`].
    pub feature_levels: Vec<FeatureLevel>,
    /// Enables the debug layer, which fills the [info queue](crate::InfoQueue), logs its messages and checks
    /// draws for mistakes that make the image wrong or black (D3D11: `D3D11_CREATE_DEVICE_DEBUG`). By default
    /// it is enabled in builds with debug assertions, such as a plain `cargo build`, and disabled in release
    /// builds.
    #[doc(alias = "D3D11_CREATE_DEVICE_DEBUG")]
    pub debug: bool,
    /// If true, the application promises that only one thread uses the device, so deferred contexts and
    /// worker threads are unavailable. The default is false (D3D11: `D3D11_CREATE_DEVICE_SINGLETHREADED`).
    #[doc(alias = "D3D11_CREATE_DEVICE_SINGLETHREADED")]
    pub single_threaded: bool,
    /// If true, the driver starts no threads. The default is false (D3D11:
    /// `D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS`).
    #[doc(alias = "D3D11_CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS")]
    pub prevent_internal_threading_optimizations: bool,
    /// If true, the verifier wraps the driver and checks both sides of the driver interface. The default is
    /// false.
    pub verify_driver: bool,
    /// The highest threading level of the driver that the runtime may use, by default
    /// [`ThreadingCaps::CommandLists`], the highest level. [`ThreadingCaps::FreeThreaded`] forces the runtime
    /// to use its software command lists, and [`ThreadingCaps::Serialized`] to enter the driver from one
    /// thread at a time.
    pub max_threading: ThreadingCaps,
    /// Number of encoding threads, at most 64; `None` lets the driver choose.
    /// [`Statistics::workers`](crate::Statistics::workers) returns the number that could be started. Up to
    /// the same number of additional threads compile pipelines while there are pipelines to compile. With 0,
    /// the thread that flushes encodes and compiles.
    pub workers: Option<u32>,
    /// Number of draws after which a command buffer is full; `None` uses the value that was measured to be
    /// the best. For draws without other commands between them, the limit is a small multiple of this number.
    pub page_draws: Option<u32>,
    /// Number of draws after which the collected command buffers go to an encoding thread and the current
    /// render pass is split. The number is rounded up to whole command buffers. `None` uses a value that
    /// suits the adapter. Draws of a list that is executed again add only a fraction to this count.
    pub run_draws: Option<u32>,
    /// Whether the driver may merge draws that differ only in their constant buffers, with bit-identical
    /// images either way.
    pub draws_by_index: DrawsByIndex,
    /// Whether the driver may store the vertices of geometry shaders in memory, instead of running the shaders
    /// again for each of these vertices.
    pub stored_geometry: StoredGeometry,
    /// Maximum bytes of stored vertices and tessellated patches of the draws that an encoding thread submits together, or
    /// `None`, the default, for a value that the driver chooses. Draws that need more run their shaders again. Patches are
    /// drawn in parts. An indirect draw has a single part, so patches that do not fit into a quarter of this are not drawn.
    pub geometry_memory: Option<u64>,
    /// Maximum GPU memory that resources may use, in bytes, or `None`, the default, for no limit.
    pub memory_budget: Option<u64>,
    /// A window that the adapter must be able to present to, or `None`, the default, to accept any adapter.
    pub window: Option<WindowHandle>,
    /// A name for error messages and graphics debuggers, not necessarily unique.
    pub label: onze_ddi::Label,
}

impl Default for DeviceDesc {
    fn default() -> Self {
        Self {
            driver_type: DriverType::default(),
            adapter: None,
            feature_levels: Vec::new(),
            debug: cfg!(debug_assertions),
            single_threaded: false,
            prevent_internal_threading_optimizations: false,
            verify_driver: false,
            max_threading: ThreadingCaps::CommandLists,
            workers: None,
            page_draws: None,
            run_draws: None,
            draws_by_index: DrawsByIndex::default(),
            stored_geometry: StoredGeometry::default(),
            geometry_memory: None,
            memory_budget: None,
            window: None,
            label: None,
        }
    }
}

impl std::fmt::Debug for DeviceDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceDesc")
            .field("driver_type", &self.driver_type)
            .field("adapter", &self.adapter)
            .field("feature_levels", &self.feature_levels)
            .field("debug", &self.debug)
            .finish_non_exhaustive()
    }
}

/// Creates a device and its immediate context (D3D11: `D3D11CreateDevice`).
///
/// Onze has no `GetImmediateContext`, so store the context beside the device and pass it as
/// `&mut DeviceContext`, and the compiler ensures that only one thread uses it at a time.
///
/// # Errors
/// [`Error::NotFound`] if no adapter is found; [`Error::Unsupported`] if the adapter has none of the feature
/// levels, or if the runtime and the driver have no version of the driver interface in common.
///
/// ```
/// use onze::prelude::*;
/// let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
/// let (device, mut immediate) = create_device(&desc)?;
/// immediate.flush();
/// # Ok::<(), onze::Error>(())
/// ```
#[doc(alias = "D3D11CreateDevice")]
#[cfg(not(target_arch = "wasm32"))]
pub fn create_device(desc: &DeviceDesc) -> Result<(Device, ImmediateContext), Error> {
    pollster::block_on(create_device_async(desc))
}

/// Asynchronous version of [`create_device`], for code that must not block (D3D11: `D3D11CreateDevice`).
///
/// # Errors
/// Returns the same errors as [`create_device`].
#[doc(alias = "D3D11CreateDevice")]
pub async fn create_device_async(desc: &DeviceDesc) -> Result<(Device, ImmediateContext), Error> {
    let (driver, index, info) = choose(desc).await?;
    let machine = Arc::new(Machine { memory_budget: desc.memory_budget });
    let args = OpenAdapterArgs { adapter: index, window: desc.window.clone(), callbacks: machine };
    let adapter = driver.open_adapter(args).await.map_err(|e| Error::Fail(e.to_string()))?;

    let version = choose_version(&supported_versions(&*adapter))?;
    let caps = adapter.pipeline_caps();
    let feature_level = grant(&desc.feature_levels, &caps.feature_levels)?;
    let threading = adapter.threading_caps().min(desc.max_threading);

    let link = Arc::new(RuntimeLink::new(InfoQueue::new(desc.debug)));
    if desc.adapter.is_none() && loader::is_fallback(&desc.driver_type, &info) {
        let text = format_args!(
            "DriverType::Hardware found only the adapter \"{}\"; install a GPU driver, or ask for \
             DriverType::Software to expect this",
            info.name
        );
        link.info.report(MessageId::SoftwareAdapter, text);
    }
    let kernel = Arc::new(Kernel::new(desc.memory_budget));
    let args = CreateDeviceArgs {
        interface: version.interface,
        version: version.build,
        runtime_device: runtime_device(),
        feature_level,
        flags: flags(desc),
        threading,
        tuning: Tuning {
            workers: desc.workers.map(|n| n.min(Tuning::MAX_WORKERS)),
            page_draws: desc.page_draws,
            run_draws: desc.run_draws,
            draws_by_index: desc.draws_by_index,
            stored_geometry: desc.stored_geometry,
            geometry_memory: desc.geometry_memory,
        },
        kernel: kernel.clone(),
        core: link.clone(),
        window: desc.window.clone(),
        label: desc.label.clone(),
    };
    let created = adapter.create_device(args).await.map_err(|e| match e {
        onze_ddi::CreateDeviceError::OutOfMemory => Error::OutOfMemory("the device could not be made".into()),
        other => Error::Fail(other.to_string()),
    })?;
    if let Err(error) = check_handle_sizes(&DeviceCore::handle_sizes(&*created.funcs)) {
        created.funcs.destroy_device(created.immediate);
        return Err(error);
    }
    link.publish_immediate_table(created.immediate_funcs);
    let core = DeviceCore::new(NewDevice {
        link,
        funcs: created.funcs,
        kernel,
        version,
        threading,
        feature_level,
        caps,
        adapter: info,
        flags: flags(desc),
        attachments: Attachments::named(desc.label.as_deref().unwrap_or_default()),
    });
    let immediate = ImmediateContext::new(&core, created.immediate);
    Ok((Device::from_core(&core), immediate))
}

/// Returns the driver and adapter that a descriptor selects.
async fn choose(desc: &DeviceDesc) -> Result<(Arc<dyn onze_ddi::Driver>, usize, AdapterInfo), Error> {
    let adapter = match &desc.adapter {
        Some(adapter) => adapter.clone(),
        None => {
            let driver = loader::driver(&desc.driver_type)?;
            let mut adapters = adapters_of(&driver).await;
            let infos: Vec<_> = adapters.iter().map(|a| a.info().clone()).collect();
            adapters.swap_remove(loader::pick(&desc.driver_type, &infos)?)
        }
    };
    let info = adapter.info().clone();
    let driver = if desc.verify_driver { verifier::verify(adapter.driver) } else { adapter.driver };
    Ok((driver, adapter.index, info))
}

/// Queries the driver first for the number of versions and then for the versions, as the contract requires.
fn supported_versions(adapter: &dyn onze_ddi::AdapterFuncs) -> Vec<DdiVersion> {
    let mut packed = vec![0; adapter.supported_versions(None)];
    let filled = adapter.supported_versions(Some(&mut packed));
    packed.truncate(filled);
    packed.into_iter().map(DdiVersion::from_packed).collect()
}

fn choose_version(driver: &[DdiVersion]) -> Result<DdiVersion, Error> {
    let list = |versions: &[DdiVersion]| {
        let words: Vec<_> = versions.iter().map(ToString::to_string).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    };
    negotiate(DdiVersion::ALL, driver).ok_or_else(|| {
        Error::Unsupported(format!(
            "runtime and driver share no version of the driver interface: the runtime speaks {}, the driver {}",
            list(DdiVersion::ALL),
            list(driver)
        ))
    })
}

/// Returns the first requested feature level that the adapter supports.
fn grant(asked: &[FeatureLevel], offered: &[FeatureLevel]) -> Result<FeatureLevel, Error> {
    let asked = if asked.is_empty() { &[FeatureLevel::Core11] } else { asked };
    asked.iter().copied().find(|level| offered.contains(level)).ok_or_else(|| {
        Error::Unsupported(format!(
            "the adapter grants {offered:?}, not {asked:?}; ask for FeatureLevel::Core11, which is Direct3D 11.0 \
             without the features that check_feature_support lists as missing"
        ))
    })
}

fn flags(desc: &DeviceDesc) -> CreateDeviceFlags {
    let mut flags = CreateDeviceFlags::empty();
    flags.set(CreateDeviceFlags::SINGLETHREADED, desc.single_threaded);
    flags.set(CreateDeviceFlags::DEBUG, desc.debug);
    flags.set(
        CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS,
        desc.prevent_internal_threading_optimizations,
    );
    flags
}

fn runtime_device() -> RuntimeDevice {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    RuntimeDevice(NEXT.fetch_add(1, Ordering::Relaxed))
}

fn check_handle_sizes(sizes: &[onze_ddi::HandleSize]) -> Result<(), Error> {
    match sizes.iter().find(|s| s.size > onze_ddi::storage::MAX_PRIVATE_BYTES) {
        Some(size) => Err(Error::Fail(format!(
            "the driver asks for {} private bytes for a {:?}; the maximum is {}",
            size.size,
            size.kind,
            onze_ddi::storage::MAX_PRIVATE_BYTES
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_level_that_the_adapter_has_is_granted() {
        let offered = [FeatureLevel::Core11];
        assert_eq!(grant(&[], &offered), Ok(FeatureLevel::Core11));
        assert_eq!(
            grant(&[FeatureLevel::Level11_0, FeatureLevel::Core11], &offered),
            Ok(FeatureLevel::Core11)
        );
        assert!(matches!(grant(&[FeatureLevel::Level11_0], &offered), Err(Error::Unsupported(_))));
    }

    #[test]
    fn without_a_common_interface_the_error_names_both_sides() {
        let alien = DdiVersion { interface: 12 << 16, build: 3 };
        let Err(Error::Unsupported(text)) = choose_version(&[alien]) else { panic!("must be refused") };
        assert!(text.contains("11.0") && text.contains("12.0 build 3"), "{text}");
    }
}
