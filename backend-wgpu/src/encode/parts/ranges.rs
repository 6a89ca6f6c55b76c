//! Ranges of wgpu buffers in the slots of the pipeline.

use onze_ddi::{Format, SlotClass};

use crate::objects::allocator::Storage;

/// Constant-buffer slots of a stage.
pub(in crate::encode) const CONSTANT_SLOTS: usize = SlotClass::ConstantBuffer.slots() as usize;

/// Sampler slots of a stage.
pub(in crate::encode) const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;

/// Slots of unordered-access views.
pub(in crate::encode) const UNORDERED_SLOTS: usize = SlotClass::UnorderedAccess.slots() as usize;

/// Vertex-buffer slots.
pub(in crate::encode) const VERTEX_SLOTS: usize = 32;

/// Colour targets.
pub(in crate::encode) const TARGETS: usize = 8;

/// A part of a wgpu buffer.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct BufferRange<'r> {
    pub(in crate::encode) buffer: &'r wgpu::Buffer,
    /// [`crate::objects::allocator::Storage::buffer_id`].
    pub(in crate::encode) id: u64,
    /// First byte in the wgpu buffer.
    pub(in crate::encode) offset: u64,
    /// Bytes.
    pub(in crate::encode) size: u64,
}

/// Vertex buffer in a slot.
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::encode) struct VertexSlot<'r> {
    pub(in crate::encode) range: Option<BufferRange<'r>>,
    pub(in crate::encode) stride: u16,
}

impl VertexSlot<'_> {
    /// What a pipeline's key has of it: the stride, or that the slot is empty. A buffer of which nothing is left behind the
    /// offset gives zeros without end.
    pub(in crate::encode) fn key_stride(&self) -> u16 {
        match self.range {
            None => EMPTY_SLOT,
            Some(BufferRange { size: 0, .. }) => 0,
            Some(_) => self.stride,
        }
    }

    /// Whether wgpu can bind it.
    pub(in crate::encode) fn is_aligned(&self) -> bool {
        self.range.is_none_or(|range| range.offset.is_multiple_of(wgpu::VERTEX_ALIGNMENT))
    }
}

/// Index buffer.
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::encode) struct IndexSlot<'r> {
    pub(in crate::encode) range: Option<BufferRange<'r>>,
    pub(in crate::encode) wide: bool,
}

impl IndexSlot<'_> {
    /// Bytes of an index.
    pub(in crate::encode) fn width(&self) -> u64 {
        if self.wide { 4 } else { 2 }
    }
}

/// A part of a buffer that a view sees.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct BufferPart<'r> {
    pub(in crate::encode) storage: &'r Storage,
    /// First byte in the wgpu buffer.
    pub(in crate::encode) offset: u32,
    /// Bytes.
    pub(in crate::encode) size: u32,
    /// Of the elements of a typed view.
    pub(in crate::encode) format: Option<Format>,
}

impl<'r> BufferPart<'r> {
    pub(in crate::encode) fn range(&self) -> BufferRange<'r> {
        let Self { storage, offset, size, .. } = *self;
        BufferRange {
            buffer: &storage.buffer,
            id: storage.buffer_id,
            offset: offset.into(),
            size: size.into(),
        }
    }
}

/// In place of a stride: nothing is bound to the slot. Real strides are at most 2048.
pub(in crate::encode) const EMPTY_SLOT: u16 = u16::MAX;

/// A place in a wgpu buffer.
pub(in crate::encode) type BufferOffset<'b> = (&'b wgpu::Buffer, u64);
