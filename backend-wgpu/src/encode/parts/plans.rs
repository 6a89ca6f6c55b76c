//! Plans of draws by index.

use onze_ddi::{PerStage, ShaderStage};

use crate::{
    encode::parts::windows::put,
    objects::shader::{ByIndex, IndexedSlot},
};

/// The slots of a layout that the draw's index selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ByIndexPlan {
    pub(crate) stages: PerStage<ByIndex>,
}

impl ByIndexPlan {
    pub(crate) fn stage(&self, stage: ShaderStage) -> Option<ByIndex> {
        let stage = &self.stages[stage];
        let is_first_form = stage.slots.is_empty() && self.location().is_none();
        (!is_first_form).then(|| stage.clone())
    }

    fn location(&self) -> Option<u32> {
        self.stages[ShaderStage::Pixel].location
    }

    /// Returns how the index selects an element for a slot.
    pub(crate) fn slot(&self, stage: ShaderStage, slot: usize) -> Option<IndexedSlot> {
        self.stages[stage].slots.iter().find(|indexed| indexed.slot as usize == slot).copied()
    }

    /// Returns the difference between the indices of two consecutive draws that can be merged.
    pub(crate) fn delta(&self) -> u32 {
        let slots = self.stages.iter().flat_map(|(_, by_index)| &by_index.slots);
        slots.fold(0, |delta, slot| delta | put(slot.field, slot.step.into()))
    }
}
