//! Storages: ranges of wgpu buffers that contain the bytes of D3D11 buffers, each with one owner.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::chunk::Chunk;
use crate::services::cache_invalidation::CacheInvalidation;

/// A range of a wgpu buffer with one owner: a whole buffer, an upload block, or a range of a chunk, which
/// returns to the chunk when the storage is dropped.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) buffer: wgpu::Buffer,
    /// Identifies the wgpu buffer, so all storages of one chunk have the same value.
    pub(crate) buffer_id: u64,
    /// First byte in the buffer, a multiple of 256 if the buffer is a chunk.
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) chunk: Option<Arc<Chunk>>,
    /// Notified when the wgpu buffer is dropped, and set only if bind groups may use the buffer and the
    /// buffer has no other owner.
    pub(crate) invalidation: Option<Arc<CacheInvalidation>>,
    /// Whether the storage may have been written to, so that the range must be zeroed for its next owner.
    pub(crate) written: AtomicBool,
    /// Whether the next submission zeroes the storage first; see [`crate::objects::allocator`].
    pub(crate) zeroed_late: AtomicBool,
}

impl Storage {
    pub(crate) fn mark_written(&self) {
        if !self.written.load(Ordering::Relaxed) {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the storage may contain bytes other than zero, either now or at the next submission.
    fn is_dirty(&mut self) -> bool {
        *self.written.get_mut() || *self.zeroed_late.get_mut()
    }

    /// Resets the flags for a new, exclusive owner, and returns whether the storage may contain the previous
    /// owner's data.
    pub(crate) fn renew(&mut self) -> bool {
        let dirty = self.is_dirty();
        (*self.written.get_mut(), *self.zeroed_late.get_mut()) = (false, false);
        dirty
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // A storage outside of chunks is dropped with its last owner. Writes to an upload block are not
        // tracked here, because they may be pending when the block no longer exists.
        if let Some(chunk) = self.chunk.take() {
            chunk.free(self.offset, self.size, self.is_dirty());
        }
        if let Some(invalidation) = &self.invalidation {
            invalidation.note(self.buffer_id);
        }
    }
}
