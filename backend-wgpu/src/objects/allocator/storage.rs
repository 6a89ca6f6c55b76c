//! Storages: ranges of wgpu buffers with one owner each, in which the bytes of buffers are kept.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::chunk::Chunk;
use crate::services::cache_invalidation::CacheInvalidation;

/// A range of a wgpu buffer with one owner. It is a whole buffer, a part of a chunk (returned when this is
/// dropped), or an upload page.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) buffer: wgpu::Buffer,
    /// Identifies the wgpu buffer, and is the same for all storages of one chunk.
    pub(crate) buffer_id: u64,
    /// First byte in the buffer, which is a multiple of 256 in a chunk.
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) chunk: Option<Arc<Chunk>>,
    /// Is notified when the wgpu buffer is dropped, if bind groups may use the buffer and it has no other
    /// owner.
    pub(crate) invalidation: Option<Arc<CacheInvalidation>>,
    /// The storage may have been written to, so the next owner of the range must zero it.
    pub(crate) written: AtomicBool,
    /// The next submission zeroes the storage before anything else; see [`crate::objects::allocator`].
    pub(crate) zeroed_late: AtomicBool,
}

impl Storage {
    pub(crate) fn mark_written(&self) {
        if !self.written.load(Ordering::Relaxed) {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the storage may contain anything but zeros, now or at the next submission.
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
        // Other storages are dropped with their last owner. Writes to an upload page are not tracked here,
        // because they may wait for a submission longer than the page exists.
        if let Some(chunk) = self.chunk.take() {
            chunk.free(self.offset, self.size, self.is_dirty());
        }
        if let Some(invalidation) = &self.invalidation {
            invalidation.note(self.buffer_id);
        }
    }
}
