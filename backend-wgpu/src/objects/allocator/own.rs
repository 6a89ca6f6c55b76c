//! wgpu buffers with one owner, and their initial writes, which are sent to wgpu immediately.

use std::sync::{Arc, atomic::AtomicBool};

use onze_ddi::OutOfMemory;

use super::{chunk::make_buffer, storage::Storage};
use crate::services::{cache_invalidation::CacheInvalidation, ids::unique_id};

/// Size in bytes of the smallest wgpu buffer that [`own_storage`] creates.
const SMALLEST_BUFFER: u64 = 16;

const WORD: usize = wgpu::COPY_BUFFER_ALIGNMENT as usize;

/// Writes bytes to the start of a storage, which must have room for whole words, before the next submission.
pub(crate) fn write(queue: &wgpu::Queue, storage: &Storage, bytes: &[u8]) {
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

/// Creates a zeroed wgpu buffer as the storage of one owner, with `size` bytes rounded up to the next
/// multiple of 16. Returns [`OutOfMemory`] if memory is exhausted, and also if the size exceeds wgpu's limit
/// for buffers.
pub(crate) fn own_storage(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<Arc<Storage>, OutOfMemory> {
    make_storage(device, None, label, size, usage, false)
}

/// Like [`own_storage`], for storage that is bound before anything is written to it: the buffer is zeroed at
/// creation, because wgpu would otherwise check at each bind whether the buffer must be cleared first.
pub(crate) fn defined_storage(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<Arc<Storage>, OutOfMemory> {
    make_storage(device, None, label, size, usage, true)
}

/// Like [`own_storage`], or like [`defined_storage`] if `defined` is set, for storage that is bound in bind
/// groups, so that dropping the storage invalidates caches of bind groups.
///
/// # Errors
/// Returns the same error as [`own_storage`].
pub(crate) fn group_storage(
    device: &wgpu::Device,
    invalidation: &Arc<CacheInvalidation>,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    defined: bool,
) -> Result<Arc<Storage>, OutOfMemory> {
    make_storage(device, Some(invalidation), label, size, usage, defined)
}

fn make_storage(
    device: &wgpu::Device,
    invalidation: Option<&Arc<CacheInvalidation>>,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
    defined: bool,
) -> Result<Arc<Storage>, OutOfMemory> {
    let size = size.next_multiple_of(SMALLEST_BUFFER).max(SMALLEST_BUFFER);
    if size > device.limits().max_buffer_size {
        return Err(OutOfMemory);
    }
    let buffer = make_buffer(device, label, size, usage, defined)?;
    Ok(Arc::new(Storage {
        buffer,
        buffer_id: unique_id(),
        offset: 0,
        size,
        chunk: None,
        invalidation: invalidation.cloned(),
        written: AtomicBool::new(false),
        zeroed_late: AtomicBool::new(false),
    }))
}
