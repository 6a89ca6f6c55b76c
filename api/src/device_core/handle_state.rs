//! Handle states: the runtime's data for an object's handle in one context.
//!
//! Every context stores 16 bytes for each object that it has opened, beside the driver's private bytes and on
//! cache lines that no other context accesses. Binds and maps read these bytes instead of the object.

use bytemuck::{Pod, Zeroable};

/// The state of an object's handle in one context, stored before the driver's private bytes.
///
/// Setters and maps read it instead of the object itself, whose memory other threads share.
#[derive(Copy, Clone, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HandleState {
    /// The object's [`ObjectFlags`]. In addition, [`ObjectFlags::QUERY_ENDED`] and [`ObjectFlags::PREDICATE`]
    /// may be set here.
    pub(crate) flags: u32,
    /// Size of a buffer in bytes, or 0 for other objects.
    pub(crate) byte_width: u32,
    /// 1 if the resource was mapped with `WriteDiscard` since the handle was opened, which on a deferred
    /// context happens in each recording.
    pub(crate) discarded: u32,
    /// Number of subresources that are mapped in this context.
    pub(crate) mapped: u32,
}

impl HandleState {
    /// Records that the current recording has ended this query.
    pub(crate) fn set_query_ended(&mut self) {
        self.flags |= ObjectFlags::QUERY_ENDED.bits();
    }

    /// Records that this query is a predicate of the current recording.
    pub(crate) fn set_predicate(&mut self) {
        self.flags |= ObjectFlags::PREDICATE.bits();
    }

    /// Returns whether this query is a predicate of the current recording.
    pub(crate) const fn is_predicate(&self) -> bool {
        self.flags & ObjectFlags::PREDICATE.bits() != 0
    }

    pub(crate) const fn is_query_ended(&self) -> bool {
        self.flags & ObjectFlags::QUERY_ENDED.bits() != 0
    }
}

bitflags::bitflags! {
    /// Properties of an object that setters check, with the bind flags in the low byte.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub(crate) struct ObjectFlags: u32 {
        const VERTEX_BUFFER = 0x1;
        const INDEX_BUFFER = 0x2;
        const CONSTANT_BUFFER = 0x4;
        const SHADER_RESOURCE = 0x8;
        const STREAM_OUTPUT = 0x10;
        const RENDER_TARGET = 0x20;
        const DEPTH_STENCIL = 0x40;
        const UNORDERED_ACCESS = 0x80;
        /// The object is a view of a resource that can be bound as an output and in another slot at the same
        /// time.
        const HAZARDOUS = 0x100;
        /// The object is a resource that the driver can rename, or a back buffer.
        const RENAMABLE = 0x400;
        /// The object is a buffer that can be mapped with `WriteDiscard`.
        const DYNAMIC_BUFFER = 0x800;
        /// The object is a constant buffer that `update_subresource` replaces as a whole.
        const UPDATED_WHOLE = 0x1000;
        /// The object is a dynamic buffer that can be discarded through the context's
        /// [upload page](onze_ddi::upload_page).
        const REPLACED = 0x2000;
        /// The recording has ended this query (set only in handle states).
        const QUERY_ENDED = 0x4000;
        /// This query is a predicate of the recording (set only in handle states).
        const PREDICATE = 0x8000;
        const _ = !0;
    }
}

/// The initial contents of a handle's private bytes.
#[derive(Debug)]
pub(crate) enum PrivateBytes {
    /// At most `FEW` bytes, which fit into one cache line together with the runtime's bytes and should
    /// suffice for most drivers.
    Few([u8; FEW], usize),
    Many(Box<[u8]>),
}

const FEW: usize = onze_ddi::storage::CACHE_LINE - onze_ddi::storage::RUNTIME_BYTES;

impl PrivateBytes {
    pub(crate) fn zeroed(size: usize) -> Self {
        if size <= FEW { Self::Few([0; FEW], size) } else { Self::Many(vec![0; size].into_boxed_slice()) }
    }
}

impl std::ops::Deref for PrivateBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Few(bytes, size) => bytes.get(..*size).unwrap_or_default(),
            Self::Many(bytes) => bytes,
        }
    }
}

impl std::ops::DerefMut for PrivateBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Few(bytes, size) => bytes.get_mut(..*size).unwrap_or_default(),
            Self::Many(bytes) => bytes,
        }
    }
}
