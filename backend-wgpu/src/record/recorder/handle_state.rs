//! Handle state: the private bytes that a context stores in an object's handle.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{BindFlags, HandleSize, HandleType, ResourceDesc, Usage};

use crate::{
    objects::resource::Resource,
    record::{
        command::ObjectIndex,
        upload::{LARGEST_SLICE, UploadSlice},
    },
};

/// Handle state of an object that is not a resource: its index in the open object table.
#[derive(Copy, Clone, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ObjectState {
    /// Serial number of the object table in which `object` is valid, or 0 for none.
    pub(crate) serial: u32,
    pub(crate) object: ObjectIndex,
    padding: u16,
}

impl ObjectState {
    pub(crate) const fn new(serial: u32, object: ObjectIndex) -> Self {
        Self { serial, object, padding: 0 }
    }
}

/// Flag of a buffer that gets its own upload block when its contents are discarded.
pub(crate) const OWN_PAGE: u16 = 1;
pub(crate) const RENAMABLE: u16 = 2;
/// Flag of a resource that commands refer to as a wgpu buffer: a buffer or a staging resource.
pub(crate) const BUFFER: u16 = 4;
pub(crate) const STAGING: u16 = 8;

/// Flag of a staging resource that the recording has already noted as read.
pub(crate) const NOTED_READ: u16 = 16;
/// Flag of a staging resource that the recording has already noted as written.
pub(crate) const NOTED_WRITE: u16 = 32;

/// Handle state of a resource. `recording` is 0 in a new handle, so the first use in a recording initializes
/// the other fields.
#[derive(Copy, Clone, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ResourceState {
    /// Number of the recording in which the state is valid, or 0 for none.
    pub(crate) recording: u32,
    /// Serial number of the object table in which `object` is valid, or 0 for none.
    pub(crate) serial: u32,
    /// Index in that table of the texture or of the buffer's current identity.
    pub(crate) object: ObjectIndex,
    pub(crate) flags: u16,
    /// The identity's place in the recorder's identities, which are numbered from 1, so 0 means the base
    /// storage or, for an import, the identity that the resource has at execution.
    pub(crate) identity: u32,
    /// The index in the recording's imports plus 1, or 0 if the resource is not imported.
    pub(crate) import: u32,
    /// Offset of the identity in its wgpu buffer, or 0 for an import. The offset of a slice in an upload
    /// block is valid for the whole recording. Any other offset is valid only for the table with this
    /// `serial`.
    pub(crate) offset: u32,
    pub(crate) size: u32,
    /// Mask of the vertex-buffer slots where the buffer was bound. The bindings in this field and the four
    /// fields below may have changed since, so the actual bindings are checked before use.
    pub(crate) vertex_slots: u32,
    /// Mask of the constant-buffer slots where the buffer was bound, in any stage of `constant_stages`.
    pub(crate) constant_slots: u16,
    /// Stages in which the buffer was bound as a constant buffer, as
    /// [`stage_bit`](crate::record::command::stage_bit)s.
    pub(crate) constant_stages: u8,
    /// 1 if a view of the buffer was bound to a `t` slot, otherwise 0.
    pub(crate) views: u8,
    pub(crate) index_buffer: u16,
    /// Size of a slice for the buffer in bytes, or 0 if the buffer is too large for a slice.
    pub(crate) room: u16,
    /// The index, plus 1, of this context's upload block that contains the buffer's slice, or 0 if the
    /// buffer's identity is not a slice cut from a shared block.
    pub(crate) upload: u32,
    padding: u32,
}

impl ResourceState {
    /// Creates the initial state for a resource's first use in a recording, if slices have this alignment.
    pub(crate) fn new(resource: &Resource, recording: u32, alignment: u32) -> Self {
        let (flags, size) = match &resource.desc {
            ResourceDesc::Buffer(desc) => {
                let fetched = desc.bind_flags.intersects(BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER);
                let own = if fetched || desc.byte_width > LARGEST_SLICE { OWN_PAGE } else { 0 };
                (BUFFER | own, desc.byte_width)
            }
            ResourceDesc::Texture(_) => (0, 0),
        };
        let renamable = if resource.desc.is_renamable() { RENAMABLE } else { 0 };
        let staging = if resource.desc.usage() == Usage::Staging { STAGING | BUFFER } else { 0 };
        let room = if size <= LARGEST_SLICE { size.max(1).next_multiple_of(alignment) as u16 } else { 0 };
        Self { recording, flags: flags | renamable | staging, size, room, ..Self::default() }
    }

    /// Records the buffer's new slice in an upload block of this context.
    pub(crate) fn set_slice(&mut self, slice: UploadSlice) {
        self.offset = slice.offset;
        let is_cut = self.flags & (RENAMABLE | OWN_PAGE) == RENAMABLE && self.room != 0;
        self.upload = if is_cut { slice.block + 1 } else { 0 };
    }

    /// Returns whether the buffer's identity is a slice cut from a shared block of this context, in this
    /// recording.
    #[inline]
    pub(crate) const fn has_slice(&self, recording: u32) -> bool {
        self.recording == recording && self.upload != 0
    }

    pub(crate) const fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn may_be_bound(&self) -> bool {
        self.vertex_slots != 0 || self.constant_slots != 0 || self.index_buffer != 0 || self.views != 0
    }
}

/// Size of a handle's private data in bytes, the same in every context.
pub(crate) const fn private_size(kind: HandleType) -> usize {
    match kind {
        HandleType::Resource => size_of::<ResourceState>(),
        // Queries are looked up by handle and are not entered into a table.
        HandleType::Query => 0,
        HandleType::ShaderResourceView
        | HandleType::RenderTargetView
        | HandleType::DepthStencilView
        | HandleType::UnorderedAccessView
        | HandleType::Shader
        | HandleType::ElementLayout
        | HandleType::BlendState
        | HandleType::DepthStencilState
        | HandleType::RasterizerState
        | HandleType::Sampler => size_of::<ObjectState>(),
    }
}

/// Returns the private sizes of all handle types, for the runtime.
pub(crate) fn handle_sizes() -> &'static [HandleSize] {
    const fn size(kind: HandleType) -> HandleSize {
        HandleSize { kind, size: private_size(kind) }
    }
    const SIZES: [HandleSize; 12] = [
        size(HandleType::Resource),
        size(HandleType::ShaderResourceView),
        size(HandleType::RenderTargetView),
        size(HandleType::DepthStencilView),
        size(HandleType::UnorderedAccessView),
        size(HandleType::Shader),
        size(HandleType::ElementLayout),
        size(HandleType::BlendState),
        size(HandleType::DepthStencilState),
        size(HandleType::RasterizerState),
        size(HandleType::Sampler),
        size(HandleType::Query),
    ];
    &SIZES
}

#[cfg(test)]
mod tests {
    use onze_ddi::storage::{CACHE_LINE, RUNTIME_BYTES};

    use super::*;

    #[test]
    fn handle_state_fits_into_one_cache_line() {
        for kind in HandleType::ALL {
            assert!(RUNTIME_BYTES + private_size(*kind) <= CACHE_LINE, "{kind:?}");
        }
    }

    #[test]
    fn every_kind_of_handle_is_announced() {
        let announced: Vec<_> = handle_sizes().iter().map(|s| s.kind).collect();
        assert_eq!(announced, HandleType::ALL);
    }
}
