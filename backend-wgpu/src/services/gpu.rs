//! The GPU: the wgpu device and queue, the facts about the adapter, the policy, and error reports.

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
};

use crate::services::{
    cache_invalidation::CacheInvalidation,
    error_scope::catch,
    policy::{AdapterFacts, Policy},
    sizes::WINDOW,
};

/// What all rooms of the driver use of a device. Nothing here is written on the path of a draw.
pub(crate) struct Gpu {
    /// wgpu's device.
    pub(crate) device: wgpu::Device,
    /// wgpu's queue.
    pub(crate) queue: wgpu::Queue,
    /// wgpu's instance, for surfaces.
    pub(crate) instance: wgpu::Instance,
    /// wgpu's adapter, for the capabilities of formats and surfaces.
    pub(crate) adapter: wgpu::Adapter,
    /// wgpu's words about the adapter.
    pub(crate) info: wgpu::AdapterInfo,
    /// The features that the device was made with.
    pub(crate) features: wgpu::Features,
    /// The limits that the device was made with.
    pub(crate) limits: wgpu::Limits,
    /// What the adapter lacks of WebGPU's baseline.
    pub(crate) downlevel: wgpu::DownlevelCapabilities,
    /// The runtime's kernel callbacks.
    pub(crate) kernel: Arc<dyn KernelCallbacks>,
    /// The runtime's callbacks for the device.
    pub(crate) core: Arc<dyn DeviceCoreLayer>,
    /// What every pipeline is compiled with, once the application has given one.
    pub(crate) pipeline_cache: ArcSwapOption<wgpu::PipelineCache>,
    /// Destroyed objects that caches may know.
    pub(crate) invalidation: Arc<CacheInvalidation>,
    /// The tuned mechanisms.
    pub(crate) policy: Policy,
    /// The runtime's debug layer is on: it reports what it can find at a draw by itself.
    pub(crate) debug: bool,
    /// The device is gone: nothing is submitted any more.
    lost: AtomicBool,
}

/// What the policy asks of an adapter.
fn adapter_facts(device: &wgpu::Device, adapter: &wgpu::Adapter) -> AdapterFacts {
    let (info, flags) = (adapter.get_info(), adapter.get_downlevel_capabilities().flags);
    AdapterFacts {
        is_measured: info.device_type == wgpu::DeviceType::Cpu || info.backend == wgpu::Backend::Noop,
        has_windows: info.backend != wgpu::Backend::Gl
            && flags.contains(wgpu::DownlevelFlags::BASE_VERTEX)
            && device.limits().max_uniform_buffer_binding_size >= WINDOW.into(),
    }
}

/// Whether vertex shaders of an adapter can read vertex buffers by themselves, as storage buffers.
pub(crate) fn pulls_vertices(flags: wgpu::DownlevelFlags, limits: &wgpu::Limits) -> bool {
    flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) && limits.max_storage_buffers_per_shader_stage > 0
}

/// What a device with these features can do with a format.
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

/// wgpu's own words for what it did not expect.
fn as_bug(error: &wgpu::Error) -> CreateError {
    CreateError::Bug(DriverBug(format!("wgpu: {error}").into()))
}

impl Gpu {
    /// Joins what the adapter gave with what the runtime said.
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

    /// Whether vertex shaders can read vertex buffers by themselves.
    pub(crate) fn pulls_vertices(&self) -> bool {
        pulls_vertices(self.downlevel.flags, &self.limits)
    }

    /// Reports a mistake of this driver that harms nothing else.
    pub(crate) fn report_bug(&self, words: impl Into<Cow<'static, str>>) {
        let words = words.into();
        tracing::error!("driver bug: {words}");
        self.core.report_bug(DriverBug(words));
    }

    /// Removes the device; only the first reason counts.
    pub(crate) fn lose(&self, reason: impl Into<Cow<'static, str>>) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            let reason = reason.into();
            tracing::error!("the device is lost: {reason}");
            self.core.device_removed(reason);
        }
    }

    /// Whether the device is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// As [`is_lost`](Self::is_lost), of a device for which wgpu has an error. When an application has destroyed the
    /// device, wgpu refuses what comes then, and says why in a poll only.
    pub(crate) fn is_gone(&self) -> bool {
        if !self.is_lost() {
            // What the poll finds reaches the callback.
            drop(self.device.poll(wgpu::PollType::Poll));
        }
        self.is_lost()
    }

    /// An error if the device is gone.
    pub(crate) fn check_alive(&self) -> Result<(), CreateError> {
        if self.is_lost() { Err(CreateError::DeviceRemoved("the device is lost".into())) } else { Ok(()) }
    }

    /// Ticks of the GPU's clock in a second.
    pub(crate) fn timestamp_frequency(&self) -> u64 {
        let nanoseconds = f64::from(self.queue.get_timestamp_period());
        // An adapter that has no clock has no timestamps either.
        if nanoseconds > 0.0 { (1e9 / nanoseconds).round() as u64 } else { 1_000_000_000 }
    }

    /// Hears of wgpu's errors. wgpu holds the device weakly: else neither would ever go.
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
                // By the application, which has the device from `interop`.
                wgpu::DeviceLostReason::Destroyed => gpu.lose("its wgpu device was destroyed"),
                wgpu::DeviceLostReason::Unknown => gpu.lose(words),
            }
        });
    }

    /// An unexpected error: there is a bug here, or the GPU's memory is spent.
    fn uncaptured(&self, error: &wgpu::Error) {
        if let wgpu::Error::OutOfMemory { .. } = error {
            self.lose("the GPU's memory is spent");
        } else if !self.is_gone() {
            self.report_bug(format!("wgpu: {error}"));
            self.lose(format!("wgpu: {error}"));
        }
    }

    /// Calls wgpu in [error scopes](crate::services::error_scope) of its own.
    ///
    /// # Errors
    /// The GPU's memory is spent, the device is lost, or wgpu found a mistake of this driver's.
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

    /// As [`Gpu::guarded`], for what only wgpu can judge: its words go to the application.
    ///
    /// # Errors
    /// The GPU's memory is spent, the device is lost, or wgpu refuses.
    pub(crate) fn validated<T>(&self, f: impl FnOnce() -> T) -> Result<T, CreateError> {
        self.guarded(f).map_err(|error| match error {
            CreateError::Bug(DriverBug(words)) => CreateError::Application(words),
            CreateError::OutOfMemory | CreateError::DeviceRemoved(_) | CreateError::Application(_) => error,
        })
    }

    /// What this device can do with a format that it has.
    pub(crate) fn format_features(&self, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        format_features(&self.adapter, self.features, self.downlevel.flags, format)
    }

    /// What a shader reads of an aspect of a format.
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
