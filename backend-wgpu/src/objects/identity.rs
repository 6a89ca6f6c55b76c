//! Identities: the storage behind a buffer right now.
//!
//! A buffer is created with its *base storage*, which the GPU may write. A renamable buffer (dynamic, or
//! constant) gets another identity whenever the application replaces its contents: a slice of an upload
//! page. The GPU never writes an upload slice, because a command list may replay it. A copy into a renamed
//! buffer therefore copies the buffer to its base storage first.

use std::sync::Arc;

use crate::objects::allocator::Storage;

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
    pub(crate) fn base(storage: &Arc<Storage>, size: u64) -> Self {
        Self { storage: storage.clone(), offset: storage.offset, size }
    }

    /// Whether both are the same bytes.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.storage.buffer_id == other.storage.buffer_id && self.offset == other.offset
    }
}
