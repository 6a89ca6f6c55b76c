//! Windows: ranges of 64 KiB in which the index of a draw selects its constants.

use crate::{
    encode::parts::ranges::BufferRange,
    objects::shader::{FIELD_BITS, IndexedSlot, stride},
    services::sizes::WINDOW,
};

/// What another constant buffer in a slot means for the bind group that was made last.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) enum ConstantSlot {
    /// It must be looked for anew.
    Unknown,
    /// The shader does not read the slot.
    Unread,
    /// If it lies in the same wgpu buffer and has the bytes that are needed, another dynamic offset.
    Dynamic { id: u64, needed: u64, at: u8 },
    /// If the window has it as an element, another index; else, if it is in the same wgpu buffer, another window.
    Indexed(WindowBinding),
    /// As [`ConstantSlot::Dynamic`], if it has the same bytes: the shader reads all of them.
    OpenDynamic { id: u64, needed: u64, at: u8 },
    /// As [`ConstantSlot::Indexed`], if it has the same bytes.
    OpenIndexed(WindowBinding),
}

/// How a window is bound to a slot.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct WindowBinding {
    pub(in crate::encode) window: WindowSlot,
    pub(in crate::encode) indexed: IndexedSlot,
    /// The number of its dynamic offset.
    pub(in crate::encode) at: u8,
    /// The slot of the other stage has the same field.
    pub(in crate::encode) shared: bool,
}

impl ConstantSlot {
    /// The window in the slot.
    pub(in crate::encode) fn window(&mut self) -> Option<&mut WindowBinding> {
        match self {
            Self::Indexed(binding) | Self::OpenIndexed(binding) => Some(binding),
            Self::Unknown | Self::Unread | Self::Dynamic { .. } | Self::OpenDynamic { .. } => None,
        }
    }
}

/// A value in its field of an index.
pub(in crate::encode) const fn put(field: u8, value: u32) -> u32 {
    value << (FIELD_BITS * (field as u32 + 1))
}

/// A slot that is bound as a window.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct WindowSlot {
    /// The wgpu buffer.
    pub(in crate::encode) id: u64,
    /// Bytes that the shader reads.
    pub(in crate::encode) needed: u64,
    /// Where the window begins.
    pub(in crate::encode) base: u64,
    stride: u64,
    field: u8,
}

impl WindowSlot {
    /// The window of a buffer; `None` if no window has it as an element.
    pub(in crate::encode) fn new(needed: u64, slot: IndexedSlot, range: &BufferRange<'_>) -> Option<Self> {
        let window = u64::from(WINDOW);
        let stride = u64::from(stride(u32::try_from(needed).ok()?));
        let (offset, end) = (range.offset, range.buffer.size());
        let is_whole = range.size >= needed && offset.is_multiple_of(256) && end >= window;
        if !is_whole {
            return None;
        }
        let start = offset / window * window;
        let mut base = start + (offset - start) % stride;
        base = base.checked_sub((base + window).saturating_sub(end).next_multiple_of(stride))?;
        let this = Self { id: range.id, needed, base, stride, field: slot.field };
        this.place(range).map(|_| this)
    }

    /// The window of another buffer for the same slot.
    pub(in crate::encode) fn moved(&self, range: &BufferRange<'_>) -> Option<Self> {
        let slot = IndexedSlot { slot: 0, field: self.field, step: 0 };
        Self::new(self.needed, slot, range)
    }

    /// The index of a buffer in its field; `None` if the window does not have it as an element.
    #[inline]
    pub(in crate::encode) fn place(&self, range: &BufferRange<'_>) -> Option<u32> {
        let from = range.offset.wrapping_sub(self.base);
        let is_in = range.id == self.id
            && range.size >= self.needed
            && from <= u64::from(WINDOW) - self.stride
            && from & (self.stride - 1) == 0;
        is_in.then(|| put(self.field, (from >> self.stride.trailing_zeros()) as u32))
    }

    /// The bits of an index that are not this slot's.
    #[inline]
    pub(in crate::encode) const fn others(&self) -> u32 {
        !put(self.field, (1 << FIELD_BITS) - 1)
    }
}
