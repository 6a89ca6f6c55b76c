//! Constant buffers of draws that share a dispatch: copies of them, one after the other.
//!
//! A dispatch has one set of bindings, but each of its draws has its own constants. So these are copied into a storage
//! buffer for each slot, and each thread loads those of its draw.

use crate::encode::parts::{layouts::ConstantBinding, ranges::BufferRange};

/// Maximum bytes of all constant buffers of a draw that are copied, because each thread loads all of them.
pub(crate) const MOST_GATHERED: u64 = 1024;

/// A constant buffer that is copied.
#[derive(Clone, Debug)]
pub(crate) struct GatheredRange {
    pub(crate) buffer: wgpu::Buffer,
    id: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl GatheredRange {
    pub(crate) fn new(range: &BufferRange<'_>, constants: &ConstantBinding) -> Self {
        let size =
            range.size.min(constants.needed) / wgpu::COPY_BUFFER_ALIGNMENT * wgpu::COPY_BUFFER_ALIGNMENT;
        Self { buffer: range.buffer.clone(), id: range.id, offset: range.offset, size }
    }
}

impl PartialEq for GatheredRange {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.offset, self.size) == (other.id, other.offset, other.size)
    }
}

/// The constant buffers of a draw, or `None` for empty slots, whose constants are 0.
pub(crate) type ConstantSet = Vec<Option<GatheredRange>>;

/// The constants of all draws of a dispatch.
#[derive(Debug, Default)]
pub(crate) struct ConstantSets(Vec<ConstantSet>);

impl ConstantSets {
    /// Adds the constants of the next draw, unless they are those of the last one, and returns their number.
    pub(crate) fn add(&mut self, set: ConstantSet) -> u32 {
        if self.0.last() != Some(&set) {
            self.0.push(set);
        }
        self.last()
    }

    /// Returns the number of the last constants.
    pub(crate) const fn last(&self) -> u32 {
        self.0.len() as u32 - 1
    }

    pub(crate) fn sets(&self) -> &[ConstantSet] {
        &self.0
    }
}
