//! Identities: the memory that a D3D11 resource or view currently refers to.
//!
//! Two types of resources can refer to different memory over time:
//!
//! * A buffer is created with its *base storage*, which the GPU may write. A renamable buffer (a dynamic or
//!   constant buffer) gets another identity, a slice of an upload block, whenever the application replaces
//!   its contents. The GPU does not write upload slices, because a command list may replay them. For this
//!   reason, a copy into a renamed buffer first copies the buffer to its base storage.
//! * A back buffer is created with a texture, and the back buffers of a swap chain exchange their textures
//!   after each present. The views of a back buffer follow, so each view has a wgpu view of every texture
//!   that the back buffer has referred to.

use std::sync::Arc;

use crate::objects::{allocator::Storage, texture::TextureMemory, view::View};

/// The memory that a resource or view refers to at one point in the sequence of commands.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    Buffer(BufferIdentity),
    Texture(Arc<TextureMemory>),
    /// For a view of a back buffer: the view of the texture to which the back buffer currently refers.
    View(Arc<View>),
}

#[derive(Clone, Debug)]
pub(crate) struct BufferIdentity {
    pub(crate) storage: Arc<Storage>,
    /// First byte, counted from the start of the wgpu buffer and not from the start of the storage.
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
    /// Returns the location of a buffer's bytes, or `None` if this is not the identity of a buffer.
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

    /// Returns the view of a back buffer's texture, or `None` if this is not the identity of a view.
    pub(crate) fn view(&self) -> Option<&View> {
        match self {
            Self::View(view) => Some(view),
            Self::Buffer(_) | Self::Texture(_) => None,
        }
    }

    /// Returns numbers that are equal for the same memory, for comparing two identities of one resource or
    /// view.
    pub(crate) fn numbers(&self) -> [u64; 3] {
        match self {
            Self::Buffer(buffer) => [buffer.storage.buffer_id, buffer.offset, buffer.size],
            Self::Texture(memory) => [memory.id, 0, 0],
            Self::View(view) => [view.id.get(), 0, 0],
        }
    }
}
