//! The index of a draw by index, whose fields select the elements of its constant buffers.

use crate::encode::parts::{merging::MergePlan, ranges::BufferRange, windows::WindowSlot};

/// The index of the next draw.
#[derive(Debug, Default)]
pub(crate) struct DrawIndex {
    /// Draws use the layout by index (see [`by_index`](crate::encode::fast::by_index)).
    is_used: bool,
    value: u32,
    /// The required difference from the previous draw's index if the two draws are merged.
    delta: u32,
    /// Bit n: two slots share field n of the index but have different buffers.
    split: u8,
}

impl DrawIndex {
    #[inline]
    pub(crate) const fn is_used(&self) -> bool {
        self.is_used
    }

    pub(crate) const fn set_used(&mut self, is_used: bool) {
        self.is_used = is_used;
    }

    /// Begins an index whose fields are all 0, for draws that can be merged if their indices differ by
    /// `delta`.
    pub(crate) const fn begin(&mut self, delta: u32) {
        (self.value, self.delta, self.split) = (0, delta, 0);
    }

    #[inline]
    pub(crate) const fn value(&self) -> u32 {
        self.value
    }

    /// Selects the range of a buffer as the element of a window. Returns `false` and changes nothing, if the
    /// range is not an element of the window.
    #[inline(always)]
    pub(crate) fn select(&mut self, window: &WindowSlot, range: &BufferRange<'_>) -> bool {
        range.id == window.id && self.select_at(window, range.offset, range.size)
    }

    /// Like [`select`](Self::select), for a range of the window's buffer.
    #[inline(always)]
    pub(crate) fn select_at(&mut self, window: &WindowSlot, offset: u64, size: u64) -> bool {
        let Some(element) = window.element(offset, size) else { return false };
        self.value = self.value & window.others() | element;
        true
    }

    /// Sets whether two slots that share a field have different buffers.
    #[inline]
    pub(crate) fn set_split(&mut self, field: u8, is_split: bool) {
        self.split = self.split & !(1 << field) | u8::from(is_split) << field;
    }

    /// Returns whether two slots that share a field have different buffers, so that no index selects both.
    #[inline]
    pub(crate) const fn is_split(&self) -> bool {
        self.split != 0
    }

    /// Returns the index of the next draw and the difference that merging requires.
    #[inline]
    pub(crate) const fn merging(&self) -> MergePlan {
        MergePlan { index: self.value, delta: self.delta }
    }
}
