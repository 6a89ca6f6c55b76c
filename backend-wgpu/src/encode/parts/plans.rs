//! Plans of draws by index, and the paths that a draw can take.

use onze_ddi::{PerStage, ShaderStage};

use crate::{
    encode::parts::windows::put,
    objects::shader::{ByIndex, IndexedSlot},
};

/// The path of a draw, which also gives the reason if the draw is not made by index.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DrawPath {
    /// The draw uses the primary layout, because its constants do not change between draws or this is not
    /// known yet.
    #[default]
    Alone,
    ByIndex,
    Instanced,
    PerInstanceData,
    /// The pixel shader of the draw writes through views.
    Writes,
    Indirect,
    /// More constant-buffer slots change than an index has fields.
    TooManySlots,
    /// The shaders have no free location to pass the index to the pixel shader.
    NoLocation,
    /// No window contains the draw's constants as an element.
    NoWindow,
    /// The policy of the device switches draws by index off, or a pipeline was refused.
    SwitchedOff,
}

pub(crate) const WAYS: usize = DrawPath::SwitchedOff as usize + 1;

impl DrawPath {
    /// Returns a message for the debug layer about how the application can enable draws by index.
    pub(crate) const fn hint(self) -> Option<&'static str> {
        match self {
            Self::Alone | Self::ByIndex | Self::Instanced | Self::Indirect | Self::SwitchedOff => None,
            Self::PerInstanceData => Some(
                "draws that differ in their constants are not made by index, as they read a vertex buffer by instance",
            ),
            Self::Writes => Some(
                "draws that differ in their constants are not made by index, as the pixel shader writes through \
                 unordered-access views",
            ),
            Self::TooManySlots => Some(
                "draws that differ in their constants are not made by index, as more than three constant buffers change; \
                 put what changes together into fewer buffers",
            ),
            Self::NoLocation => Some(
                "draws that differ in their constants are not made by index, as the shaders use all registers between \
                 them; pack what the vertex shader gives",
            ),
            Self::NoWindow => Some(
                "draws that differ in their constants are not made by index, as a constant buffer is shorter than the \
                 shader's, or a large one has offsets that are no multiples of its size in the shader",
            ),
        }
    }
}

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
