//! Storages: ranges of wgpu buffers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::chunk::Chunk;
use crate::services::cache_invalidation::CacheInvalidation;

/// A range of a wgpu buffer with one owner: the whole of a buffer, a part of a chunk (given back
/// when this is dropped), or an upload page.
#[derive(Debug)]
pub(crate) struct Storage {
    /// The wgpu buffer, perhaps shared with others.
    pub(crate) buffer: wgpu::Buffer,
    /// Tells wgpu buffers apart: the same for all storages in one chunk.
    pub(crate) buffer_id: u64,
    /// First byte in the buffer; a multiple of 256 in a chunk.
    pub(crate) offset: u64,
    /// Usable bytes.
    pub(crate) size: u64,
    /// The chunk that the range goes back to.
    pub(crate) chunk: Option<Arc<Chunk>>,
    /// Hears that the wgpu buffer goes, if bind groups may be made of it and it is nobody else's.
    pub(crate) invalidation: Option<Arc<CacheInvalidation>>,
    /// Something may be written to it: the next owner of the range must zero it.
    pub(crate) written: AtomicBool,
    /// The next submission zeroes it before anything else; see [`crate::objects::allocator`].
    pub(crate) zeroed_late: AtomicBool,
}

impl Storage {
    /// Notes that commands write to it, or will.
    pub(crate) fn mark_written(&self) {
        if !self.written.load(Ordering::Relaxed) {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it may read as something else than zero, now or at the next submission.
    fn is_dirty(&mut self) -> bool {
        *self.written.get_mut() || *self.zeroed_late.get_mut()
    }

    /// For a new owner, who has it alone: whether it may hold what the last one wrote.
    pub(crate) fn renew(&mut self) -> bool {
        let dirty = self.is_dirty();
        (*self.written.get_mut(), *self.zeroed_late.get_mut()) = (false, false);
        dirty
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // Others go with their last owner: what writes to an upload page may wait for a submission longer than
        // the page is there.
        if let Some(chunk) = self.chunk.take() {
            chunk.free(self.offset, self.size, self.is_dirty());
        }
        if let Some(invalidation) = &self.invalidation {
            invalidation.note(self.buffer_id);
        }
    }
}
