//! The constant buffers that a draw's index selects, and the layout of the index.
//!
//! The plain form of a shader has one buffer in each `b` slot, bound at a dynamic offset, so each draw sets a
//! bind group. In the indexed form a slot is a *window*: an array of up to 256 buffers within the same
//! [`WINDOW`] bytes. A draw selects its buffer by its index, which wgpu passes to the vertex shader with
//! `first_instance`. The vertex shader passes the index on to the pixel shader. The index has a *field* of 8
//! bits for each slot that changes:
//!
//! | bits | value |
//! | --- | --- |
//! | 0 to 7 | number of the draw among the draws that were merged into one instanced draw |
//! | 8 to 15, 16 to 23, 24 to 31 | element of the window, for the first of the merged draws |
//!
//! From each of the merged draws to the next, a slot's element rises by the slot's *step*.

use crate::services::sizes::SMALLEST_ALIGNMENT;
pub(crate) use crate::services::sizes::WINDOW;

/// Maximum number of fields in an index.
pub(crate) const FIELDS: usize = 3;

/// Bits of a field, and bits of the number of a merged draw.
pub(crate) const FIELD_BITS: u32 = 8;

/// Returns the bytes between the starts of two elements, if a shader reads `needed` bytes of the slot.
pub(crate) const fn stride(needed: u32) -> u32 {
    let power = needed.next_power_of_two();
    if power < SMALLEST_ALIGNMENT { SMALLEST_ALIGNMENT } else { power }
}

/// Returns the bytes of a window whose elements have this stride: as many as a field can select, but at most
/// [`WINDOW`].
pub(crate) const fn window_bytes(stride: u32) -> u32 {
    if stride < WINDOW >> FIELD_BITS { stride << FIELD_BITS } else { WINDOW }
}

/// A slot whose buffer the index selects.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IndexedSlot {
    /// The `b` slot.
    pub(crate) slot: u32,
    /// Number of the slot's field in the index.
    pub(crate) field: u8,
    /// Increment of the element from one merged draw to the next.
    pub(crate) step: u8,
}

/// The indexed slots of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ByIndex {
    pub(crate) slots: Vec<IndexedSlot>,
    /// The location of the index in the pixel shader, if the pixel shader reads indexed slots.
    pub(crate) location: Option<u32>,
}
