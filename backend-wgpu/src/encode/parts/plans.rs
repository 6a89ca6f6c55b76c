//! Plans of draws by index, and the paths that a draw can take.

use crate::{
    encode::parts::windows::put,
    objects::{
        shader::{ByIndex, IndexedSlot},
        stage::{LANES, PIXEL},
    },
};

/// How a draw is made, and why not by index.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DrawPath {
    /// In the first form: its constants do not change from draw to draw, or that is not known yet.
    #[default]
    Alone,
    /// By index.
    ByIndex,
    /// It has several instances, or none.
    Instanced,
    /// It reads a per-instance vertex buffer.
    PerInstanceData,
    /// Its pixel shader writes through views.
    Writes,
    /// Its arguments lie in a buffer.
    Indirect,
    /// More slots change than an index has fields.
    TooManySlots,
    /// The shaders have no location left to hand the index to the pixel shader.
    NoLocation,
    /// Its constants lie where no window has them.
    NoWindow,
    /// The device does not want it, or the adapter cannot.
    SwitchedOff,
}

/// Ways of draws.
pub(crate) const WAYS: usize = DrawPath::SwitchedOff as usize + 1;

impl DrawPath {
    /// What an application can do about it, for the debug layer.
    pub(in crate::encode) const fn hint(self) -> Option<&'static str> {
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

/// Which slots of a layout are chosen by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::encode) struct ByIndexPlan {
    /// By lane.
    pub(in crate::encode) stages: [ByIndex; LANES],
}

impl ByIndexPlan {
    pub(in crate::encode) fn stage(&self, lane: usize) -> Option<ByIndex> {
        let stage = self.stages.get(lane)?;
        let is_first_form = stage.slots.is_empty() && self.location().is_none();
        (!is_first_form).then(|| stage.clone())
    }

    fn location(&self) -> Option<u32> {
        self.stages[PIXEL].location
    }

    /// How a slot is chosen.
    pub(in crate::encode) fn slot(&self, lane: usize, slot: usize) -> Option<IndexedSlot> {
        self.stages.get(lane)?.slots.iter().find(|indexed| indexed.slot as usize == slot).copied()
    }

    /// From a draw to the next that is merged with it, the index rises by this.
    pub(in crate::encode) fn delta(&self) -> u32 {
        let slots = self.stages.iter().flat_map(|stage| &stage.slots);
        slots.fold(0, |delta, slot| delta | put(slot.field, slot.step.into()))
    }
}
