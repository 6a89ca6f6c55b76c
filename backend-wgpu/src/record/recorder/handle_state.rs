//! Handle state: the private bytes that a context keeps in an object's handle.

use bytemuck::{Pod, Zeroable};
use onze_ddi::{BindFlags, HandleSize, HandleType, ResourceDesc, Usage};

use crate::{
    objects::resource::Resource,
    record::{
        command::ObjectIndex,
        upload::{LARGEST_SLICE, SLICE_ALIGNMENT, Slice},
    },
};

/// Of anything but a resource: its place in the open object table.
#[derive(Copy, Clone, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ObjectState {
    /// The object table in which `object` is valid; 0 for none.
    pub(crate) serial: u32,
    /// Index into it.
    pub(crate) object: ObjectIndex,
    padding: u16,
}

impl ObjectState {
    /// At a place in a table.
    pub(crate) const fn new(serial: u32, object: ObjectIndex) -> Self {
        Self { serial, object, padding: 0 }
    }
}

/// The buffer gets a page of its own at a discard.
pub(crate) const OWN_PAGE: u16 = 1;
/// The buffer can be renamed.
pub(crate) const RENAMABLE: u16 = 2;
/// Commands name a wgpu buffer: a buffer or staging memory.
pub(crate) const BUFFER: u16 = 4;
/// Staging memory.
pub(crate) const STAGING: u16 = 8;

/// The recording has noted that it reads the staging memory.
pub(crate) const NOTED_READ: u16 = 16;
/// The recording has noted that it writes the staging memory.
pub(crate) const NOTED_WRITE: u16 = 32;

/// Of a resource. `recording` is zero in a new handle, so what the other fields say is made at the
/// first use in a recording.
#[derive(Copy, Clone, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ResourceState {
    /// The recording in which all of this is valid; 0 for none.
    pub(crate) recording: u32,
    /// The object table in which `object` is valid; 0 for none.
    pub(crate) serial: u32,
    /// Index into it: of the current identity of a buffer, or of a texture.
    pub(crate) object: ObjectIndex,
    /// [`OWN_PAGE`] and its kin.
    pub(crate) flags: u16,
    /// Where the identity is: 0 for the base storage (of an import: whatever it is at execution), or one more
    /// than a place in the recorder's identities.
    pub(crate) identity: u32,
    /// One more than the place among the recording's imports; 0 if it is not imported.
    pub(crate) import: u32,
    /// First byte of the identity in its wgpu buffer; 0 of an import. Of a slice in an upload page it is valid in the
    /// whole recording, of anything else with the table of `serial`.
    pub(crate) offset: u32,
    /// Bytes of a buffer.
    pub(crate) size: u32,
    /// Vertex-buffer slots in which it was bound. Like the two below it may say too much: what is
    /// really bound is asked before it matters.
    pub(crate) vertex_slots: u32,
    /// Constant-buffer slots in which it was bound, of any stage of `constant_stages`.
    pub(crate) constant_slots: u16,
    /// Stages in which it was bound as a constant buffer: [`stage_bit`](crate::record::command::stage_bit)s.
    pub(crate) constant_stages: u8,
    /// Whether a view of it was bound to a `t` slot.
    pub(crate) views: u8,
    /// Whether it was bound as the index buffer.
    pub(crate) index_buffer: u16,
    /// Bytes that a slice for the buffer takes, in units of [`SLICE_ALIGNMENT`]; 0 if they are too many.
    pub(crate) units: u16,
    /// One more than the upload page of this context in which it has a slice; 0 of all that is not renamed by cutting
    /// another slice.
    pub(crate) upload: u32,
    padding: u32,
}

impl ResourceState {
    /// What a recording knows of a resource that it has not used yet.
    pub(crate) fn new(resource: &Resource, recording: u32) -> Self {
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
        let units = if size <= LARGEST_SLICE { size.max(1).div_ceil(SLICE_ALIGNMENT) as u16 } else { 0 };
        Self { recording, flags: flags | renamable | staging, size, units, ..Self::default() }
    }

    /// Notes that the buffer lies in an upload page of this context, from a byte on.
    pub(crate) fn set_slice(&mut self, slice: Slice) {
        self.offset = slice.offset;
        let is_cut = self.flags & (RENAMABLE | OWN_PAGE) == RENAMABLE && self.units != 0;
        self.upload = if is_cut { slice.page + 1 } else { 0 };
    }

    /// Whether a flag is set.
    pub(crate) const fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether it may be bound anywhere.
    pub(crate) fn may_be_bound(&self) -> bool {
        self.vertex_slots != 0 || self.constant_slots != 0 || self.index_buffer != 0 || self.views != 0
    }
}

/// Private bytes of a handle, the same in every context.
pub(crate) const fn private_size(kind: HandleType) -> usize {
    match kind {
        HandleType::Resource => size_of::<ResourceState>(),
        // Queries are looked up, never entered into a table.
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

/// All of them, for the runtime's question.
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
