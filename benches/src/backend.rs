//! The backend of the benchmark. Onze and raw wgpu use the same backend, except that the null driver has no
//! wgpu side.

use onze::{AdapterInfo, Device, DeviceDesc, DriverType, ImmediateContext, create_device};

use crate::error::Error;
use crate::wgpu_side::INDEXED_TEXTURES;
use crate::workload::TEXTURES;

/// The backend that receives the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// wgpu's no-op backend: the cost of Onze and of wgpu without a GPU.
    Noop,
    /// The best adapter of the machine.
    Default,
    /// Onze's null driver: the cost of the API and its runtime, without wgpu.
    Null,
}

impl Backend {
    /// Returns the name, as in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Noop => "noop",
            Self::Default => "default",
            Self::Null => "null",
        }
    }

    /// Creates Onze's device without the debug layer. `workers` is the number of encoding threads, or `None`
    /// for the driver's default.
    ///
    /// # Errors
    /// Returns an error if the system has no adapter for this backend.
    pub fn onze_device(self, workers: Option<u32>) -> Result<(Device, ImmediateContext), Error> {
        self.onze_device_with(DeviceDesc { workers, ..DeviceDesc::default() })
    }

    /// Creates Onze's device from a descriptor, with this backend's driver and without the debug layer.
    ///
    /// # Errors
    /// Returns the same errors as [`Backend::onze_device`].
    pub fn onze_device_with(self, desc: DeviceDesc) -> Result<(Device, ImmediateContext), Error> {
        let driver_type = match self {
            Self::Noop => DriverType::Custom(onze_wgpu::noop_driver()),
            Self::Default => DriverType::Hardware,
            Self::Null => DriverType::Null,
        };
        Ok(create_device(&DeviceDesc { driver_type, debug: false, ..desc })?)
    }

    /// Creates wgpu's device on Onze's adapter. Returns `None` for the null driver.
    ///
    /// # Errors
    /// Returns an error if wgpu does not find the adapter or cannot open it.
    pub fn wgpu_device(self, adapter: &AdapterInfo) -> Result<Option<(wgpu::Device, wgpu::Queue)>, Error> {
        let backends = match self {
            Self::Noop => wgpu::Backends::NOOP,
            Self::Default => wgpu::Backends::all() - wgpu::Backends::NOOP,
            Self::Null => return Ok(None),
        };
        pollster::block_on(open(backends, adapter)).map(Some)
    }
}

async fn open(backends: wgpu::Backends, adapter: &AdapterInfo) -> Result<(wgpu::Device, wgpu::Queue), Error> {
    let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
    desc.backends = backends;
    desc.backend_options.noop.enable = backends == wgpu::Backends::NOOP;
    // By default, the noop backend reports no alignment. No GPU does that, and wgpu's validation of indirect
    // calls panics without an alignment. The value is usual on desktop GPUs.
    desc.backend_options.noop.limits = Some(wgpu::Limits {
        min_uniform_buffer_offset_alignment: 64,
        min_storage_buffer_offset_alignment: 64,
        ..wgpu::Limits::unlimited()
    });
    let found = wgpu::Instance::new(desc).enumerate_adapters(backends).await;
    // A GPU may be listed once per graphics API. The preferred API comes first in wgpu's list and in Onze's
    // list.
    let is_same = |info: wgpu::AdapterInfo| {
        backends == wgpu::Backends::NOOP
            || (info.name == adapter.name && (info.vendor, info.device) == (adapter.vendor, adapter.device))
    };
    let Some(adapter) = found.into_iter().find(|found| is_same(found.get_info())) else {
        return Err(Error::Wgpu(format!("no adapter is called {}", adapter.name)));
    };
    let limits = adapter.limits();
    let wanted = INDEXED_TEXTURES | wgpu::Features::INDIRECT_FIRST_INSTANCE;
    let desc = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wanted,
        // A well-written program asks for the smallest steps between constants.
        required_limits: wgpu::Limits {
            min_uniform_buffer_offset_alignment: limits.min_uniform_buffer_offset_alignment,
            min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment,
            max_binding_array_elements_per_shader_stage: limits
                .max_binding_array_elements_per_shader_stage
                .min(TEXTURES as u32),
            ..wgpu::Limits::default().or_worse_values_from(&limits)
        },
        memory_hints: wgpu::MemoryHints::Performance,
        ..wgpu::DeviceDescriptor::default()
    };
    adapter.request_device(&desc).await.map_err(|error| Error::Wgpu(error.to_string()))
}
