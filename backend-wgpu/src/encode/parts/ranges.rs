//! Ranges of wgpu buffers in pipeline slots, and the numbers of these slots.

use onze_ddi::{Format, SlotClass};

use crate::{objects::allocator::Storage, services::ids::unique_id};

pub(crate) const CONSTANT_SLOTS: usize = SlotClass::ConstantBuffer.slots() as usize;

pub(crate) const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;

pub(crate) const UNORDERED_SLOTS: usize = SlotClass::UnorderedAccess.slots() as usize;

pub(crate) const VERTEX_SLOTS: usize = 32;

pub(crate) const TARGETS: usize = 8;

#[derive(Copy, Clone, Debug)]
pub(crate) struct BufferRange<'r> {
    pub(crate) buffer: &'r wgpu::Buffer,
    /// [`crate::objects::allocator::Storage::buffer_id`].
    pub(crate) id: u64,
    /// Offset of the first byte in the wgpu buffer.
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Returns the range of a whole buffer that no other command uses.
pub(crate) fn whole_buffer(buffer: &wgpu::Buffer) -> BufferRange<'_> {
    BufferRange { buffer, id: unique_id(), offset: 0, size: buffer.size() }
}

#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct VertexSlot<'r> {
    pub(crate) range: Option<BufferRange<'r>>,
    pub(crate) stride: u16,
}

impl VertexSlot<'_> {
    /// Returns the stride for the pipeline key, or [`EMPTY_SLOT`]. If nothing of the buffer remains after the
    /// offset, the stride is 0, so all vertices read zeros.
    pub(crate) fn key_stride(&self) -> u16 {
        match self.range {
            None => EMPTY_SLOT,
            Some(BufferRange { size: 0, .. }) => 0,
            Some(_) => self.stride,
        }
    }

    /// Returns whether wgpu can bind the range at its offset.
    pub(crate) fn is_aligned(&self) -> bool {
        self.range.is_none_or(|range| range.offset.is_multiple_of(wgpu::VERTEX_ALIGNMENT))
    }
}

#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct IndexSlot<'r> {
    pub(crate) range: Option<BufferRange<'r>>,
    pub(crate) wide: bool,
}

impl IndexSlot<'_> {
    /// Returns the size of an index, in bytes.
    pub(crate) fn width(&self) -> u64 {
        if self.wide { 4 } else { 2 }
    }

    /// Returns the number of indices, or `None` if no draw can use the buffer at its offset.
    pub(crate) fn aligned_len(&self) -> Option<u64> {
        let range = self.range.filter(|range| range.offset.is_multiple_of(self.width()))?;
        Some(range.size / self.width())
    }
}

/// The part of a buffer that a view covers.
#[derive(Copy, Clone, Debug)]
pub(crate) struct BufferPart<'r> {
    pub(crate) storage: &'r Storage,
    /// Offset of the first byte in the wgpu buffer, which may contain other buffers as well.
    pub(crate) offset: u32,
    pub(crate) size: u32,
    pub(crate) format: Option<Format>,
}

impl<'r> BufferPart<'r> {
    pub(crate) fn range(&self) -> BufferRange<'r> {
        let Self { storage, offset, size, .. } = *self;
        BufferRange {
            buffer: &storage.buffer,
            id: storage.buffer_id,
            offset: offset.into(),
            size: size.into(),
        }
    }
}

/// The stride of a slot without a buffer, which differs from all real strides because those are at most 2048.
pub(crate) const EMPTY_SLOT: u16 = u16::MAX;

pub(crate) type BufferOffset<'b> = (&'b wgpu::Buffer, u64);
