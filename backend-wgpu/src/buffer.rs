//! Buffers that the GPU reads.

use std::sync::Arc;

use onze_ddi::{BindFlags, BufferDesc, CreateError, OutOfMemory, SubresourceData};

use crate::{allocator, device::Device, identity::Storage};

/// wgpu copies whole words.
const WORD: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// What wgpu must know of a buffer's future. Every buffer can be copied.
fn usages(bind_flags: BindFlags) -> wgpu::BufferUsages {
    let mut usages = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    usages.set(wgpu::BufferUsages::VERTEX, bind_flags.contains(BindFlags::VERTEX_BUFFER));
    usages.set(wgpu::BufferUsages::INDEX, bind_flags.contains(BindFlags::INDEX_BUFFER));
    usages
}

/// Makes a buffer's home, with its contents if they are given, else zero.
///
/// # Errors
/// The memory is spent.
pub(crate) fn create(
    device: &Device,
    desc: &BufferDesc,
    initial_data: &[SubresourceData<'_>],
) -> Result<Arc<Storage>, CreateError> {
    device
        .guarded(|| {
            let size = u64::from(desc.byte_width);
            let storage = if desc.bind_flags.contains(BindFlags::CONSTANT_BUFFER) {
                device.allocator.allocate(size)
            } else {
                let label = desc.label.as_deref().unwrap_or("unnamed buffer");
                let usages = usages(desc.bind_flags);
                // wgpu clears what was never written when it is bound, in whole words only: it panics at
                // an index buffer that starts or ends between them. So nothing is left to clear.
                let bound = usages.intersects(wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::INDEX);
                if bound && initial_data.is_empty() {
                    allocator::defined_storage(&device.device, label, size, usages)
                } else {
                    allocator::own_storage(&device.device, label, size, usages)
                }
            }?;
            if let Some(bytes) =
                initial_data.first().and_then(|data| data.bytes.get(..desc.byte_width as usize))
            {
                upload(&device.queue, &storage, bytes);
            }
            Ok::<_, OutOfMemory>(storage)
        })?
        .map_err(|OutOfMemory| CreateError::OutOfMemory)
}

/// Writes a storage from its start, before the next submission. The storage has room for whole words.
fn upload(queue: &wgpu::Queue, storage: &Storage, bytes: &[u8]) {
    let whole = bytes.len() & !(WORD - 1);
    let (words, rest) = bytes.split_at(whole);
    if !words.is_empty() {
        queue.write_buffer(&storage.buffer, storage.offset, words);
    }
    if !rest.is_empty() {
        let mut word = [0; WORD];
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        queue.write_buffer(&storage.buffer, storage.offset + whole as u64, &word);
    }
}
