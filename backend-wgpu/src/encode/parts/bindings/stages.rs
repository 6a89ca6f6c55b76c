//! The bindings of each stage.

use std::ops::{Index, IndexMut};

use onze_ddi::ShaderStage;

use crate::{
    encode::parts::{
        bindings::buffer_slots::BufferSlots,
        ranges::{BufferRange, CONSTANT_SLOTS, SAMPLER_SLOTS},
        windows::ConstantSlot,
    },
    objects::{
        shader::{RESOURCE_SLOTS, Shader},
        state::Sampler,
        view::View,
    },
};

#[derive(Clone, Debug)]
pub(crate) struct StageState<'r> {
    pub(super) shader: Option<&'r Shader>,
    pub(super) constants: [Option<BufferRange<'r>>; CONSTANT_SLOTS],
    /// The effect of a new buffer in each slot, which is not valid while
    /// [`PlanBindings::has_changed_constants`](super::PlanBindings::has_changed_constants) returns `true`.
    pub(super) constant_slots: [ConstantSlot; CONSTANT_SLOTS],
    pub(super) textures: [Option<&'r View>; RESOURCE_SLOTS],
    /// Buffers in those `t` slots that contain a buffer instead of a texture.
    pub(super) buffers: BufferSlots<'r>,
    pub(super) samplers: [Option<&'r Sampler>; SAMPLER_SLOTS],
}

impl Default for StageState<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<'r> StageState<'r> {
    #[inline]
    pub(crate) const fn shader(&self) -> Option<&'r Shader> {
        self.shader
    }

    #[inline]
    pub(crate) fn constants(&self, slot: usize) -> Option<BufferRange<'r>> {
        *self.constants.get(slot)?
    }

    #[inline]
    pub(crate) fn texture(&self, slot: u32) -> Option<&'r View> {
        *self.textures.get(slot as usize)?
    }

    /// Returns the buffers in those `t` slots that contain a buffer instead of a texture.
    #[inline]
    pub(crate) const fn buffers(&self) -> &BufferSlots<'r> {
        &self.buffers
    }

    #[inline]
    pub(crate) fn sampler(&self, slot: u32) -> Option<&'r Sampler> {
        *self.samplers.get(slot as usize)?
    }
}

impl StageState<'_> {
    const EMPTY: Self = Self {
        shader: None,
        constants: [None; CONSTANT_SLOTS],
        constant_slots: [ConstantSlot::Unknown; CONSTANT_SLOTS],
        textures: [None; RESOURCE_SLOTS],
        buffers: BufferSlots::EMPTY,
        samplers: [None; SAMPLER_SLOTS],
    };

    /// Notes that the bind groups of the next draws do not contain the slots of the stage.
    pub(super) fn forget_groups(&mut self) {
        self.constant_slots.fill(ConstantSlot::Unread);
        self.buffers.forget_dynamic();
    }

    fn reset(&mut self) {
        let Self { shader, constants, constant_slots, textures, buffers, samplers } = self;
        *shader = None;
        constants.fill(None);
        constant_slots.fill(ConstantSlot::Unknown);
        textures.fill(None);
        buffers.clear();
        samplers.fill(None);
    }
}

/// The state of each stage. Those of the rare stages are allocated when something is bound to one of them,
/// because an encoder is made for each run and must be small.
#[derive(Clone, Debug, Default)]
pub(super) struct StageStates<'r> {
    vertex: StageState<'r>,
    pixel: StageState<'r>,
    compute: StageState<'r>,
    rare: Option<Box<RareStages<'r>>>,
}

#[derive(Clone, Debug, Default)]
struct RareStages<'r> {
    hull: StageState<'r>,
    domain: StageState<'r>,
    geometry: StageState<'r>,
}

impl StageStates<'_> {
    pub(super) fn reset(&mut self) {
        let Self { vertex, pixel, compute, rare } = self;
        [vertex, pixel, compute].into_iter().for_each(StageState::reset);
        *rare = None;
    }
}

impl<'r> Index<ShaderStage> for StageStates<'r> {
    type Output = StageState<'r>;

    #[inline(always)]
    fn index(&self, stage: ShaderStage) -> &StageState<'r> {
        static EMPTY: StageState<'static> = StageState::EMPTY;
        let rare = self.rare.as_ref();
        match stage {
            ShaderStage::Vertex => &self.vertex,
            ShaderStage::Pixel => &self.pixel,
            ShaderStage::Compute => &self.compute,
            ShaderStage::Hull => rare.map_or(&EMPTY, |rare| &rare.hull),
            ShaderStage::Domain => rare.map_or(&EMPTY, |rare| &rare.domain),
            ShaderStage::Geometry => rare.map_or(&EMPTY, |rare| &rare.geometry),
        }
    }
}

impl<'r> IndexMut<ShaderStage> for StageStates<'r> {
    #[inline(always)]
    fn index_mut(&mut self, stage: ShaderStage) -> &mut StageState<'r> {
        match stage {
            ShaderStage::Vertex => &mut self.vertex,
            ShaderStage::Pixel => &mut self.pixel,
            ShaderStage::Compute => &mut self.compute,
            ShaderStage::Hull => &mut self.rare.get_or_insert_default().hull,
            ShaderStage::Domain => &mut self.rare.get_or_insert_default().domain,
            ShaderStage::Geometry => &mut self.rare.get_or_insert_default().geometry,
        }
    }
}
