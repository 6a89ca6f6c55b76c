//! The constant-buffer slots that a stretch has bound.

use crate::{
    encode::parts::{bindings::Bindings, page_objects::PageObjects, windows::WindowSlot},
    record::command::ObjectIndex,
};

/// The stages, the slot and the object of a command that binds a constant buffer, in one word for fast comparisons.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundObject(u32);

impl BoundObject {
    #[inline(always)]
    pub(crate) const fn new(stages: u8, slot: u8, object: ObjectIndex) -> Self {
        Self((object as u32) << 16 | (slot as u32) << 8 | stages as u32)
    }

    const fn stages(self) -> u8 {
        self.0 as u8
    }

    const fn slot(self) -> u8 {
        (self.0 >> 8) as u8
    }

    const fn object(self) -> ObjectIndex {
        (self.0 >> 16) as ObjectIndex
    }
}

/// A slot that the stretch has bound.
#[derive(Copy, Clone, Debug)]
pub(crate) struct StretchSlot {
    /// The part of the commands that select an element of the window.
    bound: BoundObject,
    /// Offset of the object in its wgpu buffer.
    pub(crate) start: u64,
    pub(crate) window: WindowSlot,
    /// Index of the command that bound the slot last, or [`NOT_BOUND`].
    pub(crate) last: usize,
}

/// The slot is known, but no command of the stretch has bound it yet.
const NOT_BOUND: usize = usize::MAX;

/// The slots that a stretch has bound. Most draws change few of them.
#[derive(Debug, Default)]
pub(crate) struct StretchSlots(Vec<StretchSlot>);

impl StretchSlots {
    /// Forgets all slots, but keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns a slot, which is bound for some stages to an object, or `None` if a buffer in it changes more than
    /// the index.
    #[inline(always)]
    pub(crate) fn get(
        &mut self,
        bindings: &Bindings<'_>,
        objects: &PageObjects<'_>,
        bound: BoundObject,
    ) -> Option<&mut StretchSlot> {
        let at = match self.0.iter().position(|known| known.bound == bound) {
            Some(at) => at,
            None => self.add(bindings, objects, bound)?,
        };
        self.0.get_mut(at)
    }

    /// Adds a slot that the stretch has not bound yet, or replaces the object in it.
    #[inline(never)]
    fn add(
        &mut self,
        bindings: &Bindings<'_>,
        objects: &PageObjects<'_>,
        bound: BoundObject,
    ) -> Option<usize> {
        let window = bindings.window(bound.stages(), bound.slot().into())?;
        let whole = objects.buffer(bound.object(), 0, 0)?;
        if whole.id != window.id {
            return None;
        }
        let known = StretchSlot { bound, start: whole.offset, window, last: NOT_BOUND };
        let overlaps =
            |other: BoundObject| other.slot() == bound.slot() && other.stages() & bound.stages() != 0;
        let same = self.0.iter().position(|other| overlaps(other.bound));
        match same {
            None => {
                self.0.push(known);
                Some(self.0.len() - 1)
            }
            Some(at) => {
                // If the slot was bound for other stages, the order of the commands would matter.
                let place = self.0.get_mut(at).filter(|place| place.bound.stages() == bound.stages())?;
                *place = known;
                Some(at)
            }
        }
    }

    /// Returns the index of the command that has bound each slot last. It is out of bounds if there is none.
    pub(crate) fn last_commands(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|slot| slot.last)
    }
}
