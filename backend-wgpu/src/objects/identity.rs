//! Identities: the storage behind a buffer right now.
//!
//! A buffer has a *home*: the storage that it was created with, which the GPU may write. A renamable
//! buffer (dynamic, or constant) gets another identity whenever the application replaces its contents:
//! a slice of an upload page. The GPU never writes an upload slice, as a command list may replay it;
//! a copy into a renamed buffer brings it home first.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{objects::allocator::Chunk, services::gone::Gone};

/// A range of a wgpu buffer that somebody owns: the whole of a buffer, a part of a chunk (given back
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
    pub(crate) gone: Option<Arc<Gone>>,
    /// Something may be written to it: whoever has the range next must zero it.
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
        // Others go when nobody knows them: what writes to an upload page may wait for a submission longer than
        // the page is there.
        if let Some(chunk) = self.chunk.take() {
            chunk.free(self.offset, self.size, self.is_dirty());
        }
        if let Some(gone) = &self.gone {
            gone.note(self.buffer_id);
        }
    }
}

/// What a buffer's name means at one point of a timeline.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The storage.
    pub(crate) storage: Arc<Storage>,
    /// First byte in the storage's wgpu buffer (absolute, not relative to the storage).
    pub(crate) offset: u64,
    /// Bytes: the buffer's own size.
    pub(crate) size: u64,
}

impl Identity {
    /// The whole of a storage, `size` bytes of it.
    pub(crate) fn home(storage: &Arc<Storage>, size: u64) -> Self {
        Self { storage: storage.clone(), offset: storage.offset, size }
    }

    /// Whether both are the same bytes.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.storage.buffer_id == other.storage.buffer_id && self.offset == other.offset
    }
}
