//! Identities: the memory that a name means right now.
//!
//! Two kinds of resources have more than one memory:
//!
//! * A buffer is created with its *base storage*, which the GPU may write. A renamable buffer (dynamic, or constant)
//!   gets another identity whenever the application replaces its contents: a slice of an upload page. The GPU never
//!   writes an upload slice, because a command list may replay it. A copy into a renamed buffer therefore copies the
//!   buffer to its base storage first.
//! * A back buffer is created with a texture. The back buffers of a swap chain exchange their textures after each
//!   present. The views of a back buffer follow: each has a wgpu view of every texture that it has meant.

use std::sync::Arc;

use crate::objects::{allocator::Storage, texture::TextureMemory, view::View};

/// What a name means at one point of a timeline.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    /// A buffer's bytes.
    Buffer(BufferIdentity),
    /// A back buffer's texture.
    Texture(Arc<TextureMemory>),
    /// Of a view of a back buffer, the view of the back buffer's texture.
    View(Arc<View>),
}

/// Where the bytes of a buffer are.
#[derive(Clone, Debug)]
pub(crate) struct BufferIdentity {
    /// The storage.
    pub(crate) storage: Arc<Storage>,
    /// First byte in the storage's wgpu buffer (absolute, not relative to the storage).
    pub(crate) offset: u64,
    /// Bytes: the buffer's own size.
    pub(crate) size: u64,
}

impl BufferIdentity {
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

impl Identity {
    /// A buffer's bytes.
    pub(crate) fn buffer(&self) -> Option<&BufferIdentity> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Texture(_) | Self::View(_) => None,
        }
    }

    /// A back buffer's texture.
    pub(crate) fn texture(&self) -> Option<&Arc<TextureMemory>> {
        match self {
            Self::Texture(memory) => Some(memory),
            Self::Buffer(_) | Self::View(_) => None,
        }
    }

    /// The view of a back buffer's texture.
    pub(crate) fn view(&self) -> Option<&View> {
        match self {
            Self::View(view) => Some(view),
            Self::Buffer(_) | Self::Texture(_) => None,
        }
    }

    /// Numbers that are equal for the same memory. They tell identities of one name apart.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        match self {
            Self::Buffer(buffer) => [buffer.storage.buffer_id, buffer.offset, buffer.size],
            Self::Texture(memory) => [memory.id, 0, 0],
            Self::View(view) => [view.id.get(), 0, 0],
        }
    }
}
