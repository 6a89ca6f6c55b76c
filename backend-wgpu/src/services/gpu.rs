//! The GPU: the wgpu device and queue, adapter information, the policy, and error reports.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use onze_ddi::{
    CreateDeviceArgs, CreateDeviceFlags, CreateError, DeviceCoreLayer, DriverBug, KernelCallbacks,
    upload_page::LARGEST_SLICE_ALIGNMENT,
};

use crate::services::{
    cache_invalidation::CacheInvalidation,
    error_scope::catch,
    policy::{AdapterFacts, Policy},
    sizes::{SMALLEST_ALIGNMENT, WINDOW},
};

/// The device state that all layers of the driver use and that is not written while draws are recorded or
/// encoded.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) instance: wgpu::Instance,
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) info: wgpu::AdapterInfo,
    pub(crate) features: wgpu::Features,
    pub(crate) limits: wgpu::Limits,
    /// Capabilities that an adapter below WebGPU's baseline may lack.
    pub(crate) downlevel: wgpu::DownlevelCapabilities,
    pub(crate) kernel: Arc<dyn KernelCallbacks>,
    pub(crate) core: Arc<dyn DeviceCoreLayer>,
    /// The cache for compiling all pipelines, if the application has provided one.
    pub(crate) pipeline_cache: ArcSwapOption<wgpu::PipelineCache>,
    pub(crate) invalidation: Arc<CacheInvalidation>,
    pub(crate) policy: Policy,
    /// Whether the runtime's debug layer is on, in which case the runtime itself reports errors that it can
    /// detect at a draw.
    pub(crate) debug: bool,
    /// Whether the device is lost, so that nothing more is submitted.
    lost: AtomicBool,
}

fn adapter_facts(device: &wgpu::Device, adapter: &wgpu::Adapter) -> AdapterFacts {
    let (info, flags) = (adapter.get_info(), adapter.get_downlevel_capabilities().flags);
    AdapterFacts {
        is_measured: info.device_type == wgpu::DeviceType::Cpu || info.backend == wgpu::Backend::Noop,
        has_indirect: has_indirect_draws(device.features(), flags),
        has_windows: info.backend != wgpu::Backend::Gl
            && flags.contains(wgpu::DownlevelFlags::BASE_VERTEX)
            && device.limits().max_uniform_buffer_binding_size >= WINDOW.into(),
    }
}

/// Whether draws with arguments in a buffer honour their first instance.
pub(crate) fn has_indirect_draws(features: wgpu::Features, flags: wgpu::DownlevelFlags) -> bool {
    features.contains(wgpu::Features::INDIRECT_FIRST_INSTANCE)
        && flags.contains(wgpu::DownlevelFlags::INDIRECT_EXECUTION)
}

/// Whether vertex shaders on an adapter can read vertex buffers as storage buffers.
pub(crate) fn pulls_vertices(flags: wgpu::DownlevelFlags, limits: &wgpu::Limits) -> bool {
    flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) && limits.max_storage_buffers_per_shader_stage > 0
}

/// Capabilities of a format on a device with these features, empty if the device lacks the format.
pub(crate) fn format_features(
    adapter: &wgpu::Adapter,
    features: wgpu::Features,
    downlevel: wgpu::DownlevelFlags,
    format: wgpu::TextureFormat,
) -> wgpu::TextureFormatFeatures {
    if !features.contains(format.required_features()) {
        return wgpu::TextureFormatFeatures {
            allowed_usages: wgpu::TextureUsages::empty(),
            flags: wgpu::TextureFormatFeatureFlags::empty(),
        };
    }
    let adapter_decides = features.contains(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
        || !downlevel.contains(wgpu::DownlevelFlags::WEBGPU_TEXTURE_FORMAT_SUPPORT);
    if adapter_decides {
        adapter.get_texture_format_features(format)
    } else {
        format.guaranteed_format_features(features)
    }
}

fn as_bug(error: &wgpu::Error) -> CreateError {
    CreateError::Bug(DriverBug(format!("wgpu: {error}").into()))
}

impl Gpu {
    /// Creates the driver's device data from wgpu's device and the runtime's arguments, and registers the
    /// error callbacks.
    pub(crate) fn new(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        (device, queue): (wgpu::Device, wgpu::Queue),
        args: &CreateDeviceArgs,
    ) -> Arc<Self> {
        let policy = Policy::new(&args.tuning, &adapter_facts(&device, adapter));
        let this = Arc::new(Self {
            info: adapter.get_info(),
            features: device.features(),
            limits: device.limits(),
            downlevel: adapter.get_downlevel_capabilities(),
            device,
            queue,
            instance: instance.clone(),
            adapter: adapter.clone(),
            kernel: args.kernel.clone(),
            core: args.core.clone(),
            pipeline_cache: ArcSwapOption::empty(),
            invalidation: Arc::default(),
            policy,
            debug: args.flags.contains(CreateDeviceFlags::DEBUG),
            lost: AtomicBool::new(false),
        });
        this.listen();
        this
    }

    /// Alignment, in bytes, of the constant buffers and structured buffers that share an upload block: a power
    /// of two.
    pub(crate) fn slice_alignment(&self) -> u32 {
        let wgpu::Limits {
            min_uniform_buffer_offset_alignment: uniform,
            min_storage_buffer_offset_alignment: storage,
            ..
        } = self.limits;
        uniform.max(storage).clamp(SMALLEST_ALIGNMENT, LARGEST_SLICE_ALIGNMENT)
    }

    /// Whether the indices of an indirect draw may begin at an offset of their wgpu buffer. llvmpipe (seen with
    /// Mesa 22.3) ignores the offset.
    pub(crate) fn reads_indirect_indices_at(&self, offset: u64) -> bool {
        offset == 0 || !self.info.name.starts_with("llvmpipe")
    }

    pub(crate) fn pulls_vertices(&self) -> bool {
        pulls_vertices(self.downlevel.flags, &self.limits)
    }

    /// Reports a bug of this driver that does not remove the device.
    pub(crate) fn report_bug(&self, words: impl Into<Cow<'static, str>>) {
        let words = words.into();
        tracing::error!("driver bug: {words}");
        self.core.report_bug(DriverBug(words));
    }

    /// Removes the device and reports the reason to the runtime, unless the device has already been removed.
    pub(crate) fn lose(&self, reason: impl Into<Cow<'static, str>>) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            let reason = reason.into();
            tracing::error!("the device is lost: {reason}");
            self.core.device_removed(reason);
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Like [`is_lost`](Self::is_lost), but for a call after wgpu has returned an error. If the application
    /// has destroyed the wgpu device, wgpu rejects later calls and reports the reason only during a poll.
    pub(crate) fn is_gone(&self) -> bool {
        if !self.is_lost() {
            // The poll calls the device-lost callback, which sets `lost`.
            drop(self.device.poll(wgpu::PollType::Poll));
        }
        self.is_lost()
    }

    pub(crate) fn check_alive(&self) -> Result<(), CreateError> {
        if self.is_lost() { Err(CreateError::DeviceRemoved("the device is lost".into())) } else { Ok(()) }
    }

    /// Frequency of the GPU's clock in ticks per second, or an arbitrary value if the adapter lacks
    /// timestamps.
    pub(crate) fn timestamp_frequency(&self) -> u64 {
        let nanoseconds = f64::from(self.queue.get_timestamp_period());
        if nanoseconds > 0.0 { (1e9 / nanoseconds).round() as u64 } else { 1_000_000_000 }
    }

    /// Registers callbacks for wgpu's errors, with weak references to the device, because a strong reference
    /// would be a cycle that keeps the device alive.
    fn listen(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| match weak.upgrade() {
            Some(gpu) => gpu.uncaptured(&error),
            None => tracing::error!("wgpu: {error}"),
        }));
        let weak = Arc::downgrade(self);
        self.device.set_device_lost_callback(move |reason, words| {
            let Some(gpu) = weak.upgrade() else { return };
            match reason {
                // The application can destroy the device, because `interop` gives it access.
                wgpu::DeviceLostReason::Destroyed => gpu.lose("its wgpu device was destroyed"),
                wgpu::DeviceLostReason::Unknown => gpu.lose(words),
            }
        });
    }

    /// Handles an unexpected error, which is either a bug in this driver or an allocation failure.
    fn uncaptured(&self, error: &wgpu::Error) {
        if let wgpu::Error::OutOfMemory { .. } = error {
            self.lose("the GPU is out of memory");
        } else if !self.is_gone() {
            self.report_bug(format!("wgpu: {error}"));
            self.lose(format!("wgpu: {error}"));
        }
    }

    /// Runs wgpu calls in separate [error scopes](crate::services::error_scope).
    ///
    /// # Errors
    /// Returns an error if the GPU is out of memory, if the device is lost, or if wgpu detects a bug of this
    /// driver.
    pub(crate) fn guarded<T>(&self, f: impl FnOnce() -> T) -> Result<T, CreateError> {
        let kinds = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
        match catch(&self.device, kinds, f) {
            (value, [None, None]) => Ok(value),
            (_, [Some(_), _]) => Err(CreateError::OutOfMemory),
            (_, [None, Some(_)]) if self.is_gone() => {
                Err(CreateError::DeviceRemoved("the device is lost".into()))
            }
            (_, [None, Some(error)]) => Err(as_bug(&error)),
        }
    }

    /// Like [`Gpu::guarded`], but for input that only wgpu can validate, so wgpu's message is returned as an
    /// application error.
    ///
    /// # Errors
    /// Returns an error if the GPU is out of memory, if the device is lost, or if wgpu rejects the call.
    pub(crate) fn validated<T>(&self, f: impl FnOnce() -> T) -> Result<T, CreateError> {
        self.guarded(f).map_err(|error| match error {
            CreateError::Bug(DriverBug(words)) => CreateError::Application(words),
            CreateError::OutOfMemory | CreateError::DeviceRemoved(_) | CreateError::Application(_) => error,
        })
    }

    pub(crate) fn format_features(&self, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        format_features(&self.adapter, self.features, self.downlevel.flags, format)
    }

    /// The sample type that a shader must declare to read an aspect of a format.
    pub(crate) fn sample_type(
        &self,
        format: wgpu::TextureFormat,
        aspect: wgpu::TextureAspect,
    ) -> wgpu::TextureSampleType {
        format
            .sample_type(Some(aspect), Some(self.features))
            .unwrap_or(wgpu::TextureSampleType::Float { filterable: false })
    }
}
