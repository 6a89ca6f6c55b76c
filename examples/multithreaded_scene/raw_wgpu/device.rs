//! The wgpu device and its queue, with the first error that wgpu reports about their use.

use std::sync::{Arc, Mutex, PoisonError};

use onze::{AdapterInfo, AdapterKind};

use crate::error::DemoError;

/// A wgpu device and its queue, whose first uncaptured error is kept for the end of the run.
#[derive(Debug)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// The first uncaptured error, because later ones usually follow from it.
    error: Arc<Mutex<Option<String>>>,
}

fn failed(error: impl ToString) -> DemoError {
    DemoError::RawWgpu(error.to_string())
}

impl Gpu {
    /// Creates a device on the adapter that the library draws with, so that the two pictures are comparable.
    pub(super) fn open(adapter: &AdapterInfo) -> Result<Self, DemoError> {
        let (device, queue) = pollster::block_on(open(adapter))?;
        let error = Arc::new(Mutex::new(None));
        let first = error.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.to_string());
        }));
        Ok(Self { device, queue, error })
    }

    /// An error if wgpu has reported one.
    pub(super) fn check(&self) -> Result<(), DemoError> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), |error| Err(failed(error)))
    }

    /// An empty command encoder.
    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Waits until everything that was submitted is done.
    pub(super) fn wait(&self) -> Result<(), DemoError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(drop).map_err(failed)
    }

    /// The texels of a texture of four bytes per texel.
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
        // A failure shows when the range is asked for.
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
    // A machine may be reached in two ways; the better one comes first in both lists.
    let is_same = |info: wgpu::AdapterInfo| {
        is_noop
            || (info.name == adapter.name && (info.vendor, info.device) == (adapter.vendor, adapter.device))
    };
    let Some(adapter) = found.into_iter().find(|found| is_same(found.get_info())) else {
        return Err(failed(format!("no adapter is called {}", adapter.name)));
    };
    // All that the adapter has, for large pictures, and for slots that are no larger than they must be. wgpu
    // panics if there are more bind groups than any backend but the one without a GPU has.
    let limits = adapter.limits();
    let max_bind_groups = limits.max_bind_groups.min(8);
    let desc = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits { max_bind_groups, ..limits },
        memory_hints: wgpu::MemoryHints::Performance,
        ..wgpu::DeviceDescriptor::default()
    };
    adapter.request_device(&desc).await.map_err(failed)
}
