//! The buffers in the slots of one class.

use crate::encode::parts::ranges::BufferPart;

#[derive(Clone, Debug)]
struct BoundBuffer<'r> {
    slot: u32,
    part: BufferPart<'r>,
    /// Index of the buffer's dynamic offset in the bind group that was made last, if that group contains the buffer
    /// itself. The index is not valid while
    /// [`PlanBindings::has_changed_resources`](super::PlanBindings::has_changed_resources) returns `true`.
    dynamic: Option<u8>,
}

/// The buffers in slots of one class, without the empty slots, because few slots contain a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct BufferSlots<'r>(Vec<BoundBuffer<'r>>);

impl<'r> BufferSlots<'r> {
    pub(super) const EMPTY: Self = Self(Vec::new());

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn get(&self, slot: u32) -> Option<BufferPart<'r>> {
        self.0.iter().find(|bound| bound.slot == slot).map(|bound| bound.part)
    }

    /// Returns whether a slot contains a part of a wgpu buffer.
    pub(crate) fn has(&self, buffer: u64) -> bool {
        self.ids().any(|id| id == buffer)
    }

    /// Returns the identifiers of the wgpu buffers in the slots.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|bound| bound.part.storage.buffer_id)
    }

    pub(super) fn set(&mut self, slot: u8, part: Option<BufferPart<'r>>) {
        let slot = u32::from(slot);
        self.0.retain(|bound| bound.slot != slot);
        self.0.extend(part.map(|part| BoundBuffer { slot, part, dynamic: None }));
    }

    pub(super) fn forget_dynamic(&mut self) {
        self.0.iter_mut().for_each(|bound| bound.dynamic = None);
    }

    pub(super) fn set_dynamic(&mut self, slot: u32, at: u8) {
        let bound = self.0.iter_mut().find(|bound| bound.slot == slot);
        bound.into_iter().for_each(|bound| bound.dynamic = Some(at));
    }

    /// Replaces the part in a slot by another part of the same wgpu buffer, if only the dynamic offset
    /// changes. Returns the index of that offset.
    #[inline]
    pub(super) fn move_to(&mut self, slot: u8, part: BufferPart<'r>) -> Option<u8> {
        let bound = self.0.iter_mut().find(|bound| bound.slot == u32::from(slot))?;
        let is_alike = bound.part.storage.buffer_id == part.storage.buffer_id
            && bound.part.size == part.size
            && part.format.is_none();
        let at = bound.dynamic.filter(|_| is_alike)?;
        bound.part = part;
        Some(at)
    }
}
