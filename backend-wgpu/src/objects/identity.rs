//! Identities: the memory that a name currently refers to.
//!
//! Two kinds of resources have more than one memory:
//!
//! * A buffer is created with its *base storage*, which the GPU may write. A renamable buffer (dynamic, or
//!   constant) gets another identity, a slice of an upload page, whenever the application replaces its
//!   contents. The GPU never writes an upload slice, because a command list may replay it. A copy into a
//!   renamed buffer therefore copies the buffer to its base storage first.
//! * A back buffer is created with a texture, and the back buffers of a swap chain exchange their textures
//!   after each present. The views of a back buffer follow, so each has a wgpu view of every texture that it
//!   has referred to.

use std::sync::Arc;

use crate::objects::{allocator::Storage, texture::TextureMemory, view::View};

/// The memory that a name refers to at one point of a timeline.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    Buffer(BufferIdentity),
    Texture(Arc<TextureMemory>),
    /// The view of a back buffer's current texture, for a view of that back buffer.
    View(Arc<View>),
}

#[derive(Clone, Debug)]
pub(crate) struct BufferIdentity {
    pub(crate) storage: Arc<Storage>,
    /// First byte in the storage's wgpu buffer (absolute, not relative to the storage).
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl BufferIdentity {
    pub(crate) fn base(storage: &Arc<Storage>, size: u64) -> Self {
        Self { storage: storage.clone(), offset: storage.offset, size }
    }

    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.storage.buffer_id == other.storage.buffer_id && self.offset == other.offset
    }
}

impl Identity {
    /// Returns the location of a buffer's bytes, or `None` for other identities.
    pub(crate) fn buffer(&self) -> Option<&BufferIdentity> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Texture(_) | Self::View(_) => None,
        }
    }

    pub(crate) fn texture(&self) -> Option<&Arc<TextureMemory>> {
        match self {
            Self::Texture(memory) => Some(memory),
            Self::Buffer(_) | Self::View(_) => None,
        }
    }

    /// Returns the view of a back buffer's texture, or `None` for other identities.
    pub(crate) fn view(&self) -> Option<&View> {
        match self {
            Self::View(view) => Some(view),
            Self::Buffer(_) | Self::Texture(_) => None,
        }
    }

    /// Returns numbers that are equal for the same memory, for comparing identities of one name.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        match self {
            Self::Buffer(buffer) => [buffer.storage.buffer_id, buffer.offset, buffer.size],
            Self::Texture(memory) => [memory.id, 0, 0],
            Self::View(view) => [view.id.get(), 0, 0],
        }
    }
}
