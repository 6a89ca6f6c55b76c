//! Windows: ranges of up to 64 KiB in which the index of a draw selects its constants.

use onze_ddi::upload_page::LARGEST_SLICE_ALIGNMENT;

use crate::{
    encode::parts::ranges::BufferRange,
    objects::shader::{FIELD_BITS, IndexedSlot, stride, window_bytes},
    services::sizes::SMALLEST_ALIGNMENT,
};

/// The effect of a new constant buffer in a slot on the bind group that was made last.
#[derive(Copy, Clone, Debug)]
pub(crate) enum ConstantSlot {
    /// The bind group must be looked up again.
    Unknown,
    /// Nothing changes, because the shader does not read the slot.
    Unread,
    /// Only the dynamic offset changes, if the new range is in the same wgpu buffer and contains the needed
    /// bytes.
    Dynamic { id: u64, needed: u64, at: u8 },
    /// Only the index changes, if the new range is an element of the window. Otherwise the window moves, if
    /// the new range is in the same wgpu buffer.
    Indexed(WindowBinding),
    /// Like [`ConstantSlot::Dynamic`], but the range must have exactly the needed size, because the shader
    /// reads all bound bytes.
    OpenDynamic { id: u64, needed: u64, at: u8 },
    /// Like [`ConstantSlot::Indexed`], but the range must have exactly the needed size.
    OpenIndexed(WindowBinding),
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct WindowBinding {
    pub(crate) window: WindowSlot,
    pub(crate) indexed: IndexedSlot,
    pub(crate) at: u8,
    /// The same slot of the other stage uses the same field.
    pub(crate) shared: bool,
}

impl ConstantSlot {
    pub(crate) fn window(&mut self) -> Option<&mut WindowBinding> {
        match self {
            Self::Indexed(binding) | Self::OpenIndexed(binding) => Some(binding),
            Self::Unknown | Self::Unread | Self::Dynamic { .. } | Self::OpenDynamic { .. } => None,
        }
    }
}

/// Places a value in its field of an index.
pub(crate) const fn put(field: u8, value: u32) -> u32 {
    value << (FIELD_BITS * (field as u32 + 1))
}

/// The position of a window and its field of the index.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct WindowSlot {
    pub(crate) id: u64,
    pub(crate) needed: u64,
    pub(crate) base: u64,
    stride: u64,
    /// Offset of the last element in the window.
    last: u64,
    field: u8,
}

impl WindowSlot {
    /// Returns a window that contains the range as an element, or `None` if there is none.
    pub(crate) fn new(needed: u64, slot: IndexedSlot, range: &BufferRange<'_>) -> Option<Self> {
        let stride = stride(u32::try_from(needed).ok()?);
        let (window, stride) = (u64::from(window_bytes(stride)), u64::from(stride));
        let (offset, end) = (range.offset, range.buffer.size());
        let is_whole = range.size >= needed && end >= window;
        if !is_whole || !offset.is_multiple_of(SMALLEST_ALIGNMENT.into()) {
            return None;
        }
        let start = offset / window * window;
        let mut base = start + (offset - start) % stride;
        let step = stride.max(LARGEST_SLICE_ALIGNMENT.into());
        base = base.checked_sub((base + window).saturating_sub(end).next_multiple_of(step))?;
        let this = Self { id: range.id, needed, base, stride, last: window - stride, field: slot.field };
        this.element(offset, range.size).map(|_| this)
    }

    /// Returns whether another slot selects the same element with the same field.
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        let place = |slot: &Self| (slot.id, slot.base, slot.stride, slot.field);
        place(self) == place(other)
    }

    /// Returns the window for another stage that also selects its elements and that reads `needed` bytes.
    pub(crate) fn for_readers_of(self, needed: u64) -> Self {
        Self { needed: self.needed.max(needed), ..self }
    }

    /// Returns a window of the same slot for another range.
    pub(crate) fn moved(&self, range: &BufferRange<'_>) -> Option<Self> {
        let slot = IndexedSlot { slot: 0, field: self.field, step: 0 };
        Self::new(self.needed, slot, range)
    }

    /// Returns the index of a range of the window's buffer, placed in its field, or `None` if the range is not
    /// an element of the window.
    #[inline(always)]
    pub(crate) fn element(&self, offset: u64, size: u64) -> Option<u32> {
        let from = offset.wrapping_sub(self.base);
        let is_in = size >= self.needed && from <= self.last && from & (self.stride - 1) == 0;
        is_in.then(|| put(self.field, (from >> self.stride.trailing_zeros()) as u32))
    }

    /// Returns a mask of the index bits outside this slot's field.
    #[inline]
    pub(crate) const fn others(&self) -> u32 {
        !put(self.field, (1 << FIELD_BITS) - 1)
    }
}
