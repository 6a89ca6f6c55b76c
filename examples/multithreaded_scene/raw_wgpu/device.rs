//! The wgpu device, and the first error that wgpu reported.

use std::sync::{Arc, Mutex, PoisonError};

use onze::{AdapterInfo, AdapterKind};

use crate::error::DemoError;

#[derive(Debug)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// The first error that wgpu reported, which [`Gpu::check`] returns.
    error: Arc<Mutex<Option<String>>>,
}

fn failed(error: impl ToString) -> DemoError {
    DemoError::RawWgpu(error.to_string())
}

impl Gpu {
    pub(super) fn open(adapter: &AdapterInfo) -> Result<Self, DemoError> {
        let (device, queue) = pollster::block_on(open(adapter))?;
        let error = Arc::new(Mutex::new(None));
        let first = error.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.to_string());
        }));
        Ok(Self { device, queue, error })
    }

    pub(super) fn check(&self) -> Result<(), DemoError> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), |error| Err(failed(error)))
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    pub(super) fn wait(&self) -> Result<(), DemoError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(drop).map_err(failed)
    }

    /// Reads back a texture with four bytes per texel, and removes the padding of its rows.
    pub(super) fn read(&self, texture: &wgpu::Texture) -> Result<Vec<u8>, DemoError> {
        let row = texture.width() * 4;
        let padded_row = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read back"),
            size: u64::from(padded_row) * u64::from(texture.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_row), rows_per_image: None };
        let mut encoder = self.encoder();
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            texture.size(),
        );
        self.queue.submit([encoder.finish()]);
        // `get_mapped_range` also returns an error of the mapping, so the callback can ignore it.
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        self.wait()?;
        self.check()?;
        let padded = buffer.get_mapped_range(..).map_err(failed)?;
        let rows = padded.chunks_exact(padded_row as usize);
        Ok(rows.flat_map(|bytes| bytes.iter().take(row as usize)).copied().collect())
    }
}

async fn open(adapter: &AdapterInfo) -> Result<(wgpu::Device, wgpu::Queue), DemoError> {
    let is_noop = adapter.kind == AdapterKind::Null;
    let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
    desc.backends = if is_noop { wgpu::Backends::NOOP } else { wgpu::Backends::all() - wgpu::Backends::NOOP };
    desc.backend_options.noop.enable = is_noop;
    let backends = desc.backends;
    let found = wgpu::Instance::new(desc).enumerate_adapters(backends).await;
    // Several backends may offer the same GPU, but both lists of adapters begin with the preferred backend.
    let is_same = |info: wgpu::AdapterInfo| {
        is_noop
            || (info.name == adapter.name && (info.vendor, info.device) == (adapter.vendor, adapter.device))
    };
    let Some(adapter) = found.into_iter().find(|found| is_same(found.get_info())) else {
        return Err(failed(format!("no adapter is called {}", adapter.name)));
    };
    // Request the adapter's limits, because large pictures need them and because they allow the smallest
    // slots. Cap the number of bind groups, because wgpu panics above 8, and only the noop backend reports
    // more.
    let limits = adapter.limits();
    let max_bind_groups = limits.max_bind_groups.min(8);
    let desc = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits { max_bind_groups, ..limits },
        memory_hints: wgpu::MemoryHints::Performance,
        ..wgpu::DeviceDescriptor::default()
    };
    adapter.request_device(&desc).await.map_err(failed)
}
