//! Adapters: the GPUs that wgpu finds, except those that cannot support the Direct3D 11 model.

use std::sync::{Arc, Mutex, PoisonError};

use onze_ddi::{
    AdapterCallbacks, AdapterFuncs, AdapterInfo, AdapterKind, BoxFuture, CreateDeviceArgs, CreateDeviceError,
    CreatedDevice, DdiVersion, Driver, FeatureLevel, Features, OpenAdapterArgs, OpenAdapterError,
    OutOfMemory, PipelineCaps, ThreadingCaps,
};

use crate::{
    context,
    device::Device,
    device_table::DeviceTable,
    objects::state::max_vertex_buffers,
    record::upload::LARGEST_SLICE,
    services::{
        adapter_kind::kind_of,
        gpu::{format_features, has_indirect_draws, pulls_vertices},
        names::joined,
        platform::CAN_WAIT,
    },
};

/// All backends that render, in two groups. The second group, OpenGL, is loaded only if the first group has
/// no suitable adapter, because OpenGL lists the same GPUs again under other names.
pub(crate) const REAL: &[wgpu::Backends] = &[wgpu::Backends::PRIMARY, wgpu::Backends::GL];

/// wgpu's no-op backend, which executes nothing.
pub(crate) const NOOP: &[wgpu::Backends] = &[wgpu::Backends::NOOP];

/// Returns the driver for the system's GPUs, listing only adapters that have the features which the driver
/// requires.
pub fn driver() -> Arc<dyn Driver> {
    Arc::new(WgpuDriver::new("wgpu", REAL))
}

/// Returns the driver on wgpu's no-op backend, for measuring the CPU cost of this library and wgpu without a
/// GPU driver. Data that is read back is either zero or the uploaded data.
pub fn noop_driver() -> Arc<dyn Driver> {
    Arc::new(WgpuDriver::new("wgpu-noop", NOOP))
}

struct WgpuDriver {
    name: &'static str,
    groups: &'static [wgpu::Backends],
    /// The most recently listed adapters, into which `open_adapter` receives an index.
    listed: Mutex<Vec<FoundAdapter>>,
}

#[derive(Clone)]
struct FoundAdapter {
    instance: wgpu::Instance,
    adapter: wgpu::Adapter,
    info: wgpu::AdapterInfo,
}

/// Minimum number of storage buffers per shader stage for supporting structured buffers, equal to WebGPU's
/// default limit.
const STORAGE_BUFFERS: u32 = 8;

/// Direct3D 11's maximum number of vertex buffers, and of elements in an input layout.
const VERTEX_SLOTS: u32 = 32;

/// Optional wgpu features for the Direct3D 11 model and for the pipeline cache, each of them requested only
/// if the adapter has it.
const WANTED: wgpu::Features = wgpu::Features::DEPTH_CLIP_CONTROL
    .union(wgpu::Features::POLYGON_MODE_LINE)
    .union(wgpu::Features::CONSERVATIVE_RASTERIZATION)
    .union(wgpu::Features::FLOAT32_FILTERABLE)
    .union(wgpu::Features::FLOAT32_BLENDABLE)
    .union(wgpu::Features::DUAL_SOURCE_BLENDING)
    .union(wgpu::Features::SHADER_EARLY_DEPTH_TEST)
    .union(wgpu::Features::CLIP_DISTANCES)
    .union(wgpu::Features::PRIMITIVE_INDEX)
    .union(wgpu::Features::TEXTURE_COMPRESSION_BC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_BC_SLICED_3D)
    .union(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER)
    .union(wgpu::Features::DEPTH32FLOAT_STENCIL8)
    .union(wgpu::Features::TEXTURE_FORMAT_16BIT_NORM)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
    .union(wgpu::Features::RG11B10UFLOAT_RENDERABLE)
    .union(wgpu::Features::MULTISAMPLE_ARRAY)
    .union(wgpu::Features::PIPELINE_CACHE)
    .union(wgpu::Features::INDIRECT_FIRST_INSTANCE)
    .union(wgpu::Features::BGRA8UNORM_STORAGE)
    .union(wgpu::Features::TEXTURE_ATOMIC)
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES)
    .union(wgpu::Features::PIPELINE_STATISTICS_QUERY);

/// Required downlevel flags, without which an adapter is not listed.
const NEEDED_FLAGS: wgpu::DownlevelFlags = wgpu::DownlevelFlags::BASE_VERTEX
    .union(wgpu::DownlevelFlags::INDEPENDENT_BLEND)
    .union(wgpu::DownlevelFlags::FULL_DRAW_INDEX_UINT32)
    .union(wgpu::DownlevelFlags::COMPARISON_SAMPLERS);

impl WgpuDriver {
    fn new(name: &'static str, groups: &'static [wgpu::Backends]) -> Self {
        Self { name, groups, listed: Mutex::default() }
    }

    async fn list(&self) -> Vec<FoundAdapter> {
        let mut listed = Vec::new();
        for backends in self.groups {
            listed = list_group(*backends).await;
            if !listed.is_empty() {
                break;
            }
        }
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&listed);
        listed
    }

    async fn open(&self, args: OpenAdapterArgs) -> Result<Arc<dyn AdapterFuncs>, OpenAdapterError> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let listed = if listed.is_empty() { self.list().await } else { listed };
        let Some(found) = listed.get(args.adapter).cloned() else {
            let words = format!("there is no adapter {} among {}", args.adapter, listed.len());
            return Err(OpenAdapterError(words.into()));
        };
        if let Some(window) = args.window {
            let surface = found.instance.create_surface(window).map_err(|error| {
                OpenAdapterError(format!("the window cannot be presented to: {error}").into())
            })?;
            if !found.adapter.is_surface_supported(&surface) {
                return Err(OpenAdapterError("the adapter cannot present to the window".into()));
            }
        }
        Ok(Arc::new(WgpuAdapter { found, callbacks: args.callbacks }))
    }
}

/// Returns the suitable adapters of a group of backends, best first, with each GPU listed only on its best
/// backend.
async fn list_group(backends: wgpu::Backends) -> Vec<FoundAdapter> {
    let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
    desc.backends = backends;
    desc.backend_options.noop.enable = backends == wgpu::Backends::NOOP;
    // By default, the no-op backend reports no alignment, without which wgpu's validation of indirect draws
    // panics. The value is usual on desktop GPUs.
    desc.backend_options.noop.limits = Some(wgpu::Limits {
        min_uniform_buffer_offset_alignment: 64,
        min_storage_buffer_offset_alignment: 64,
        ..wgpu::Limits::unlimited()
    });
    let instance = wgpu::Instance::new(desc);
    let mut listed = Vec::new();
    for adapter in instance.enumerate_adapters(backends).await {
        let info = adapter.get_info();
        match unfit(&adapter) {
            Some(why) => tracing::info!("adapter {:?} is left out: {why}", info.name),
            None => listed.push(FoundAdapter { instance: instance.clone(), adapter, info }),
        }
    }
    let infos: Vec<_> = listed.iter().map(|found| found.info.clone()).collect();
    listed.retain(|found| !is_double(&found.info, &infos));
    // The sort is stable, so adapters of one kind keep the system's order.
    listed.sort_by_key(|found| rank(kind_of(&found.info)));
    listed
}

impl Driver for WgpuDriver {
    fn name(&self) -> &str {
        self.name
    }

    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>> {
        Box::pin(async {
            let found = self.list().await;
            // The order does not change while the machine has the same adapters, so an index serves as the
            // LUID.
            found.iter().zip(1..).map(|(found, luid)| describe(&found.info, luid)).collect()
        })
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(self.open(args))
    }
}

/// Sort key of an adapter kind, lowest for the best kind.
const fn rank(kind: AdapterKind) -> u8 {
    match kind {
        AdapterKind::Discrete => 0,
        AdapterKind::Integrated => 1,
        AdapterKind::Virtual => 2,
        AdapterKind::Software => 4,
        AdapterKind::Null => 5,
        // OpenGL does not report the kind, and later versions of the interface may have more kinds.
        _ => 3,
    }
}

/// Rank of a backend among the backends that list the same GPU, lowest for the best backend.
const fn backend_rank(backend: wgpu::Backend) -> u8 {
    match backend {
        wgpu::Backend::Vulkan | wgpu::Backend::Metal | wgpu::Backend::BrowserWebGpu => 0,
        wgpu::Backend::Dx12 => 1,
        wgpu::Backend::Gl => 2,
        wgpu::Backend::Noop => 3,
    }
}

/// Whether another entry of the list is the same GPU on a better backend. Two GPUs of one model on one
/// backend are both kept.
fn is_double(info: &wgpu::AdapterInfo, all: &[wgpu::AdapterInfo]) -> bool {
    all.iter().any(|other| {
        let is_same = (other.vendor, other.device) == (info.vendor, info.device);
        is_same && backend_rank(other.backend) < backend_rank(info.backend)
    })
}

fn describe(info: &wgpu::AdapterInfo, luid: u64) -> AdapterInfo {
    let backend = match info.backend {
        wgpu::Backend::Noop => "no GPU",
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "Direct3D 12",
        wgpu::Backend::Gl => "OpenGL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
    };
    let name = if info.name.is_empty() { backend.to_owned() } else { info.name.clone() };
    AdapterInfo {
        name,
        kind: kind_of(info),
        driver: format!("wgpu, {backend}"),
        vendor: info.vendor,
        device: info.device,
        luid,
    }
}

/// Returns the reason why an adapter cannot support the model at all, or `None` if it can.
fn unfit(adapter: &wgpu::Adapter) -> Option<String> {
    let missing = NEEDED_FLAGS - adapter.get_downlevel_capabilities().flags;
    if !missing.is_empty() {
        return Some(format!("it lacks {}", joined(missing.iter_names())));
    }
    let limits = adapter.limits();
    let needs = [
        ("bind groups", limits.max_bind_groups.into(), 4),
        ("texels of width", limits.max_texture_dimension_2d.into(), 8192),
        ("slices", limits.max_texture_array_layers.into(), 256),
        ("bytes of constants", limits.max_uniform_buffer_binding_size, 64 * 1024),
        ("vertex elements", limits.max_vertex_attributes.into(), 16),
        ("vertex buffers", max_vertex_buffers(&limits).into(), 8),
        ("render targets", limits.max_color_attachments.into(), 8),
    ];
    if let Some((what, has, least)) = needs.into_iter().find(|(_, has, least)| has < least) {
        return Some(format!("it has {has} {what} of {least}"));
    }
    (limits.min_uniform_buffer_offset_alignment > 256)
        .then(|| "constant buffers start at coarser steps".into())
}

/// Returns the features that a device is created with: all features of [`WANTED`] that the adapter has.
fn features_of(adapter: &wgpu::Adapter) -> wgpu::Features {
    let features = adapter.features() & WANTED;
    // The no-op backend claims to support everything but reports no capabilities when a format is queried.
    if adapter.get_info().backend == wgpu::Backend::Noop {
        features - wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
    } else {
        features
    }
}

/// Returns the limits that a device is created with: the adapter's limits, except that the numbers of targets
/// and bind groups are at most 8. Only the no-op backend reports more, and wgpu then panics when it creates a
/// render bundle or a pipeline with an automatic layout.
fn limits_of(adapter: &wgpu::Adapter) -> wgpu::Limits {
    let limits = adapter.limits();
    wgpu::Limits {
        max_color_attachments: limits.max_color_attachments.min(8),
        max_bind_groups: limits.max_bind_groups.min(8),
        ..limits
    }
}

/// Creates a device with the adapter's limits and some of its features.
async fn request_device(
    adapter: &wgpu::Adapter,
    features: wgpu::Features,
    label: Option<&str>,
) -> Result<(wgpu::Device, wgpu::Queue), CreateDeviceError> {
    adapter
        .request_device(&wgpu::DeviceDescriptor {
            label,
            required_features: features,
            required_limits: limits_of(adapter),
            memory_hints: wgpu::MemoryHints::Performance,
            ..wgpu::DeviceDescriptor::default()
        })
        .await
        .map_err(|error| CreateDeviceError::Adapter(error.to_string().into()))
}

/// Creates a device without contexts and without the `missing` features for the tests of this crate, or returns `None` if
/// the machine lacks an adapter.
#[cfg(test)]
pub(crate) fn bare_device(
    groups: &'static [wgpu::Backends],
    args: &CreateDeviceArgs,
    hardware: &onze_ddi::HardwareInfo,
    missing: wgpu::Features,
) -> Option<Arc<Device>> {
    let found = pollster::block_on(WgpuDriver::new("test", groups).list()).into_iter().next()?;
    let features = features_of(&found.adapter) - missing;
    let made = pollster::block_on(request_device(&found.adapter, features, None)).ok()?;
    Device::new(&found.instance, &found.adapter, made, args, hardware).ok()
}

struct WgpuAdapter {
    found: FoundAdapter,
    callbacks: Arc<dyn AdapterCallbacks>,
}

impl WgpuAdapter {
    async fn create(&self, args: CreateDeviceArgs) -> Result<CreatedDevice, CreateDeviceError> {
        if !DdiVersion::ALL.iter().any(|version| version.interface == args.interface) {
            return Err(CreateDeviceError::UnsupportedInterface(args.interface));
        }
        let features = features_of(&self.found.adapter);
        let made = request_device(&self.found.adapter, features, args.label.as_deref()).await?;
        let hardware = self.callbacks.query_adapter_info();
        let device = Device::new(&self.found.instance, &self.found.adapter, made, &args, &hardware)
            .map_err(|OutOfMemory| CreateDeviceError::OutOfMemory)?;
        tracing::info!(
            "device {} ({}) on {:?} ({:?}): interface {:#x}, build {}, {:?}, {:?}, {:?}; {} workers, {} draws per page",
            args.runtime_device.0,
            args.label.as_deref().unwrap_or("unnamed"),
            device.gpu.info.name,
            device.gpu.info.backend,
            args.interface,
            args.version,
            args.feature_level,
            args.threading,
            args.flags,
            device.submission.workers,
            device.gpu.policy.page_draws
        );
        let (immediate_funcs, immediate) = context::create_immediate(&device.submission);
        Ok(CreatedDevice { funcs: Arc::new(DeviceTable(device)), immediate_funcs, immediate })
    }
}

impl AdapterFuncs for WgpuAdapter {
    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize {
        if let Some(versions) = versions {
            for (to, from) in versions.iter_mut().zip(DdiVersion::ALL) {
                *to = from.packed();
            }
        }
        DdiVersion::ALL.len()
    }

    fn threading_caps(&self) -> ThreadingCaps {
        ThreadingCaps::CommandLists
    }

    fn pipeline_caps(&self) -> PipelineCaps {
        let limits = self.found.adapter.limits();
        let flags = self.found.adapter.get_downlevel_capabilities().flags;
        // If shaders can pull vertices, wgpu's limits for vertex buffers and attributes do not apply.
        let (buffers, elements) = match pulls_vertices(flags, &limits) {
            true => (VERTEX_SLOTS, VERTEX_SLOTS),
            false => (max_vertex_buffers(&limits), limits.max_vertex_attributes.min(VERTEX_SLOTS)),
        };
        PipelineCaps {
            // Level 11_0 and the lower feature levels of D3D11 require geometry shaders, which wgpu lacks.
            feature_levels: vec![FeatureLevel::Core11],
            features: features(&self.found.adapter),
            max_texture_2d: limits.max_texture_dimension_2d,
            max_texture_3d: limits.max_texture_dimension_3d,
            max_array_slices: limits.max_texture_array_layers,
            max_buffer: limits.max_buffer_size,
            max_constant_buffer_view: limits.max_uniform_buffer_binding_size.min(64 * 1024) as u32,
            max_vertex_buffers: buffers,
            max_input_elements: elements,
            max_render_targets: limits.max_color_attachments.min(8),
            // Data up to this size is always copied to a shared upload block.
            max_replaced_buffer: LARGEST_SLICE,
        }
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        Box::pin(self.create(args))
    }
}

/// Returns the optional features of Direct3D 11 that an adapter supports.
fn features(adapter: &wgpu::Adapter) -> Features {
    let has = features_of(adapter);
    // These features work on every adapter, because shaders emulate what wgpu lacks.
    let mut features = Features::BORDER_ADDRESS
        | Features::BORDER_COLOR
        | Features::MIRROR_ONCE
        | Features::MIN_MAX_FILTERS
        | Features::TEXTURE_1D_3D;
    for (feature, needs) in [
        (Features::DEPTH_CLIP_DISABLE, wgpu::Features::DEPTH_CLIP_CONTROL),
        (Features::WIREFRAME, wgpu::Features::POLYGON_MODE_LINE),
        (Features::CONSERVATIVE_RASTERIZATION, wgpu::Features::CONSERVATIVE_RASTERIZATION),
        (Features::DUAL_SOURCE_BLEND, wgpu::Features::DUAL_SOURCE_BLENDING),
        (Features::FLOAT32_FILTER, wgpu::Features::FLOAT32_FILTERABLE),
        (Features::BC_TEXTURES, wgpu::Features::TEXTURE_COMPRESSION_BC),
        (Features::EARLY_DEPTH_STENCIL, wgpu::Features::SHADER_EARLY_DEPTH_TEST),
        (Features::CLIP_DISTANCES, wgpu::Features::CLIP_DISTANCES),
        (Features::PRIMITIVE_ID, wgpu::Features::PRIMITIVE_INDEX),
        (Features::TIMESTAMPS, wgpu::Features::TIMESTAMP_QUERY),
        (Features::PIPELINE_STATISTICS, wgpu::Features::PIPELINE_STATISTICS_QUERY),
    ] {
        features.set(feature, has.contains(needs));
    }
    let flags = adapter.get_downlevel_capabilities().flags;
    let usual = format_features(adapter, has, flags, wgpu::TextureFormat::Rgba8Unorm).flags;
    let samples = wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X4
        .union(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE);
    features.set(Features::MULTISAMPLING, usual.contains(samples));
    features.set(Features::CUBE_ARRAYS, flags.contains(wgpu::DownlevelFlags::CUBE_ARRAY_TEXTURES));
    features.set(Features::INSTANCE_STEP_RATE, pulls_vertices(flags, &adapter.limits()));
    let has_storage = has_storage(flags, &adapter.limits());
    let buffers =
        Features::STRUCTURED_BUFFERS | Features::RAW_BUFFERS | Features::BUFFER_VIEWS | Features::COUNTERS;
    features.set(Features::COMPUTE | buffers, has_storage);
    // A geometry shader runs in the vertex stage, which reads the vertices from storage buffers.
    // Stream output reads them in compute shaders.
    let of_primitives = Features::GEOMETRY_SHADERS | Features::MULTIPLE_VIEWPORTS | Features::STREAM_OUTPUT;
    features.set(of_primitives, has_storage);
    // A compute shader adds up the sample counters, so occlusion counts need storage buffers.
    features.set(Features::OCCLUSION_COUNTS, has_storage);
    let writable = flags.contains(wgpu::DownlevelFlags::FRAGMENT_WRITABLE_STORAGE);
    features.set(Features::UNORDERED_ACCESS, has_storage && writable);
    // A predicate waits for the query's result, so the platform must be able to wait.
    features.set(Features::PREDICATION, CAN_WAIT);
    features.set(Features::INDIRECT_DRAWS, has_storage && has_indirect_draws(has, flags));
    // The numbers of the corners of patches are in buffers.
    features.set(Features::TESSELLATION, features.contains(of_primitives | Features::INDIRECT_DRAWS));
    features
}

/// Whether shaders of all stages on an adapter can read storage buffers, as many as structured buffers and stream output
/// need.
pub(crate) fn has_storage(flags: wgpu::DownlevelFlags, limits: &wgpu::Limits) -> bool {
    let needed = wgpu::DownlevelFlags::COMPUTE_SHADERS | wgpu::DownlevelFlags::VERTEX_STORAGE;
    flags.contains(needed) && limits.max_storage_buffers_per_shader_stage >= STORAGE_BUFFERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, device: u32, backend: wgpu::Backend) -> wgpu::AdapterInfo {
        let mut info = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, backend);
        name.clone_into(&mut info.name);
        info.device = device;
        info
    }

    #[test]
    fn a_machine_is_listed_once_and_two_of_one_make_are_two() {
        let all = [
            info("a", 1, wgpu::Backend::Vulkan),
            info("a again", 1, wgpu::Backend::Vulkan),
            info("a as dx", 1, wgpu::Backend::Dx12),
            info("b", 2, wgpu::Backend::Dx12),
        ];
        let left: Vec<_> = all.iter().filter(|i| !is_double(i, &all)).map(|i| i.name.as_str()).collect();
        assert_eq!(left, ["a", "a again", "b"]);
    }

    #[test]
    fn kinds_are_ranked_best_first() {
        let mut kinds = [
            AdapterKind::Software,
            AdapterKind::Other,
            AdapterKind::Virtual,
            AdapterKind::Discrete,
            AdapterKind::Integrated,
        ];
        kinds.sort_by_key(|kind| rank(*kind));
        assert_eq!(kinds[..3], [AdapterKind::Discrete, AdapterKind::Integrated, AdapterKind::Virtual]);
        assert_eq!(kinds[4], AdapterKind::Software);
    }

    struct Machine;

    impl AdapterCallbacks for Machine {
        fn query_adapter_info(&self) -> onze_ddi::HardwareInfo {
            onze_ddi::HardwareInfo { processors: 1, threads: false, memory_budget: None }
        }
    }

    fn open(driver: &Arc<dyn Driver>, adapter: usize) -> Result<Arc<dyn AdapterFuncs>, OpenAdapterError> {
        let args = OpenAdapterArgs { adapter, window: None, callbacks: Arc::new(Machine) };
        pollster::block_on(driver.open_adapter(args))
    }

    #[test]
    fn the_driver_that_does_nothing_always_has_one_adapter() {
        let driver = noop_driver();
        let adapters = pollster::block_on(driver.adapters());
        assert_eq!((adapters.len(), adapters.first().map(|a| a.kind)), (1, Some(AdapterKind::Null)));
        assert!(open(&driver, 0).is_ok());
        assert!(open(&driver, 1).is_err_and(|error| error.to_string().contains("no adapter 1")));
    }

    #[test]
    fn an_adapter_says_its_versions_and_caps() {
        let driver = noop_driver();
        let Ok(adapter) = open(&driver, 0) else { unreachable!("it opened above") };
        assert_eq!(adapter.supported_versions(None), DdiVersion::ALL.len());
        let mut versions = [0; 2];
        adapter.supported_versions(Some(&mut versions));
        assert_eq!(versions, [DdiVersion::V11_0.packed(), DdiVersion::V11_1.packed()]);
        let caps = adapter.pipeline_caps();
        assert_eq!((caps.max_constant_buffer_view, caps.max_render_targets), (64 * 1024, 8));
        assert!(!caps.features.contains(Features::LOGIC_OPS));
        assert!(caps.features.contains(Features::BORDER_ADDRESS | Features::MIRROR_ONCE));
    }
}
