//! Ranges of wgpu buffers in pipeline slots, and the numbers of these slots.

use onze_ddi::{Format, SlotClass};

use crate::objects::allocator::Storage;

pub(in crate::encode) const CONSTANT_SLOTS: usize = SlotClass::ConstantBuffer.slots() as usize;

pub(in crate::encode) const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;

pub(in crate::encode) const UNORDERED_SLOTS: usize = SlotClass::UnorderedAccess.slots() as usize;

pub(in crate::encode) const VERTEX_SLOTS: usize = 32;

pub(in crate::encode) const TARGETS: usize = 8;

#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct BufferRange<'r> {
    pub(in crate::encode) buffer: &'r wgpu::Buffer,
    /// [`crate::objects::allocator::Storage::buffer_id`].
    pub(in crate::encode) id: u64,
    /// Offset of the first byte in the wgpu buffer.
    pub(in crate::encode) offset: u64,
    pub(in crate::encode) size: u64,
}

#[derive(Copy, Clone, Debug, Default)]
pub(in crate::encode) struct VertexSlot<'r> {
    pub(in crate::encode) range: Option<BufferRange<'r>>,
    pub(in crate::encode) stride: u16,
}

impl VertexSlot<'_> {
    /// Returns the stride for the pipeline key, or [`EMPTY_SLOT`]. If nothing of the buffer remains after the
    /// offset, the stride is 0, so all vertices read zeros.
    pub(in crate::encode) fn key_stride(&self) -> u16 {
        match self.range {
            None => EMPTY_SLOT,
            Some(BufferRange { size: 0, .. }) => 0,
            Some(_) => self.stride,
        }
    }

    /// Returns whether wgpu can bind the range at its offset.
    pub(in crate::encode) fn is_aligned(&self) -> bool {
        self.range.is_none_or(|range| range.offset.is_multiple_of(wgpu::VERTEX_ALIGNMENT))
    }
}

#[derive(Copy, Clone, Debug, Default)]
pub(in crate::encode) struct IndexSlot<'r> {
    pub(in crate::encode) range: Option<BufferRange<'r>>,
    pub(in crate::encode) wide: bool,
}

impl IndexSlot<'_> {
    /// Returns the size of an index, in bytes.
    pub(in crate::encode) fn width(&self) -> u64 {
        if self.wide { 4 } else { 2 }
    }
}

/// The part of a buffer that a view covers.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct BufferPart<'r> {
    pub(in crate::encode) storage: &'r Storage,
    /// Offset of the first byte in the wgpu buffer, which may contain other buffers as well.
    pub(in crate::encode) offset: u32,
    pub(in crate::encode) size: u32,
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

/// The stride of a slot without a buffer, which differs from all real strides because those are at most 2048.
pub(in crate::encode) const EMPTY_SLOT: u16 = u16::MAX;

pub(in crate::encode) type BufferOffset<'b> = (&'b wgpu::Buffer, u64);
