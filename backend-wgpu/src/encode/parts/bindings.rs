//! The bindings of all stages, as the commands of the page set them, with resolved objects. Setters write
//! here and mark the changes, and a draw or a dispatch reads the marks.

pub(crate) mod buffer_slots;
mod constants;
mod stages;

use onze_ddi::ShaderStage;

use crate::{
    encode::parts::{
        bindings::{
            buffer_slots::BufferSlots,
            stages::{StageState, StageStates},
        },
        groups::PendingGroups,
        pipeline_plan::{PipelinePlan, Shaders},
        ranges::{BufferPart, BufferRange, UNORDERED_SLOTS},
    },
    objects::{
        shader::{RESOURCE_GROUP, Shader},
        state::Sampler,
        view::View,
    },
};

/// The bindings that a draw or a dispatch has apart from those of its stages, and the changes of all its
/// bindings.
#[derive(Clone, Debug)]
pub(crate) struct PlanBindings<'r> {
    /// Buffers in `u` slots, which pixel and compute shaders can use.
    unordered: BufferSlots<'r>,
    /// Textures in those `u` slots that contain a texture instead of a buffer.
    unordered_textures: [Option<&'r View>; UNORDERED_SLOTS],
    counters: BufferSlots<'r>,
    /// Copies that the next draw or dispatch writes, and the ranges that receive their contents afterwards.
    copies_back: Vec<(BufferRange<'r>, wgpu::Buffer)>,
    /// Constant buffers or shaders have changed since the last draw or dispatch.
    constants_changed: bool,
    /// Resources, samplers, unordered-access views or shaders have changed since the last draw or dispatch.
    resources_changed: bool,
}

impl Default for PlanBindings<'_> {
    /// Returns empty bindings, with everything marked as changed.
    fn default() -> Self {
        Self {
            unordered: BufferSlots::default(),
            unordered_textures: [None; UNORDERED_SLOTS],
            counters: BufferSlots::default(),
            copies_back: Vec::new(),
            constants_changed: true,
            resources_changed: true,
        }
    }
}

impl<'r> PlanBindings<'r> {
    /// Returns the buffers in `u` slots.
    pub(crate) const fn unordered(&self) -> &BufferSlots<'r> {
        &self.unordered
    }

    /// Returns the texture in a `u` slot.
    pub(crate) fn unordered_texture(&self, slot: u32) -> Option<&'r View> {
        *self.unordered_textures.get(slot as usize)?
    }

    /// Returns the counters of the views in `u` slots.
    pub(crate) const fn counters(&self) -> &BufferSlots<'r> {
        &self.counters
    }

    /// Adds a copy that the next draw or dispatch writes, and the range that receives its contents
    /// afterwards.
    pub(crate) fn copy_back_later(&mut self, range: BufferRange<'r>, copy: wgpu::Buffer) {
        self.copies_back.push((range, copy));
    }

    pub(crate) fn take_copies_back(&mut self) -> Vec<(BufferRange<'r>, wgpu::Buffer)> {
        std::mem::take(&mut self.copies_back)
    }

    /// Makes the next draw or dispatch resolve its constant buffers.
    #[inline]
    pub(crate) const fn change_constants(&mut self) {
        self.constants_changed = true;
    }

    /// Makes the next draw or dispatch resolve its resources.
    #[inline]
    pub(crate) const fn change_resources(&mut self) {
        self.resources_changed = true;
    }

    /// Returns whether the next draw or dispatch must resolve its resources.
    #[inline]
    pub(crate) const fn has_changed_resources(&self) -> bool {
        self.resources_changed
    }

    /// Returns whether the constant buffers must be resolved, and considers that done.
    #[inline]
    pub(crate) const fn take_constants_changed(&mut self) -> bool {
        std::mem::replace(&mut self.constants_changed, false)
    }

    /// Returns whether the resources must be resolved, and considers that done.
    #[inline]
    pub(crate) const fn take_resources_changed(&mut self) -> bool {
        std::mem::replace(&mut self.resources_changed, false)
    }
}

/// All bindings, by stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings<'r> {
    stages: StageStates<'r>,
    draws: PlanBindings<'r>,
    dispatches: PlanBindings<'r>,
}

impl<'r> Bindings<'r> {
    /// Empties all slots and marks everything as changed. The stages are reset in place, because their arrays
    /// are large.
    pub(crate) fn reset(&mut self) {
        self.stages.reset();
        (self.draws, self.dispatches) = (PlanBindings::default(), PlanBindings::default());
    }

    /// Makes the next draw and the next dispatch resolve their resources.
    pub(crate) const fn change_resources(&mut self) {
        self.draws.change_resources();
        self.dispatches.change_resources();
    }

    /// Makes the next draw and the next dispatch resolve everything that is bound.
    pub(crate) const fn change_all(&mut self) {
        self.draws.change_constants();
        self.dispatches.change_constants();
        self.change_resources();
    }

    #[inline(always)]
    pub(crate) fn stage(&self, stage: ShaderStage) -> &StageState<'r> {
        &self.stages[stage]
    }

    /// Returns the bindings of a plan, or those of the plan that executes a stage.
    #[inline(always)]
    pub(crate) fn of(&self, plan: impl Into<PipelinePlan>) -> &PlanBindings<'r> {
        if plan.into().is_dispatch() { &self.dispatches } else { &self.draws }
    }

    #[inline(always)]
    pub(crate) fn of_mut(&mut self, plan: impl Into<PipelinePlan>) -> &mut PlanBindings<'r> {
        if plan.into().is_dispatch() { &mut self.dispatches } else { &mut self.draws }
    }

    #[inline]
    pub(crate) fn shader(&self, stage: ShaderStage) -> Option<&'r Shader> {
        self.stages[stage].shader
    }

    /// Returns the identifier of the shader of a stage, or 0 if there is none.
    #[inline]
    pub(crate) fn shader_id(&self, stage: ShaderStage) -> u64 {
        self.shader(stage).map_or(0, |shader| shader.id.get())
    }

    #[inline]
    pub(crate) fn shaders(&self, plan: PipelinePlan) -> Shaders<'r> {
        Shaders::new(plan, |stage| self.stages[stage].shader)
    }

    /// Binds a shader, and returns whether it differs from the previous one.
    #[inline]
    pub(crate) fn set_shader(&mut self, stage: ShaderStage, shader: Option<&'r Shader>) -> bool {
        let before = std::mem::replace(&mut self.stages[stage].shader, shader);
        if before.map(|s| s.id.get()) == shader.map(|s| s.id.get()) {
            return false;
        }
        if shader.is_none() && stage != ShaderStage::Pixel && stage != ShaderStage::Vertex {
            self.stages[stage].forget_groups();
        }
        // Constant buffers stay bound if both shaders declare them in the same way.
        let has_same_constants = match (before, shader) {
            (Some(old), Some(new)) => has_same_constants(old, new),
            (None, _) | (_, None) => false,
        };
        let changed = self.of_mut(stage);
        changed.constants_changed |= !has_same_constants;
        changed.resources_changed = true;
        true
    }

    /// Binds a texture to a `t` slot, or empties the slot.
    #[inline(always)]
    pub(crate) fn set_texture(&mut self, stage: ShaderStage, slot: u8, texture: Option<&'r View>) {
        let StageState { textures, buffers, .. } = &mut self.stages[stage];
        if let Some(place) = textures.get_mut(usize::from(slot)) {
            *place = texture;
            if !buffers.is_empty() {
                buffers.set(slot, None);
            }
            self.of_mut(stage).resources_changed = true;
        }
    }

    /// Binds a buffer to a `t` slot, or empties the slot.
    pub(crate) fn set_buffer(&mut self, stage: ShaderStage, slot: u8, buffer: Option<BufferPart<'r>>) {
        self.set_texture(stage, slot, None);
        self.stages[stage].buffers.set(slot, buffer);
    }

    /// Moves the buffer in a `t` slot to another range of the same wgpu buffer, at an offset that wgpu can
    /// bind. Returns `false` and changes nothing, if that takes more than another dynamic offset.
    #[inline]
    pub(crate) fn move_buffer(
        &mut self,
        groups: &mut PendingGroups,
        stage: ShaderStage,
        slot: u8,
        part: BufferPart<'r>,
    ) -> bool {
        if self.of(stage).resources_changed {
            return false;
        }
        let Some(at) = self.stages[stage].buffers.move_to(slot, part) else { return false };
        groups.move_offset(RESOURCE_GROUP, at, part.offset);
        true
    }

    /// Sets which `t` slots of a plan have a dynamic offset in the bind group that was made last, in the
    /// order of the offsets.
    pub(crate) fn set_dynamic_buffers(
        &mut self,
        plan: PipelinePlan,
        slots: impl Iterator<Item = (ShaderStage, u32)>,
    ) {
        plan.stages().iter().for_each(|stage| self.stages[*stage].buffers.forget_dynamic());
        for (at, (stage, slot)) in (0..).zip(slots) {
            self.stages[stage].buffers.set_dynamic(slot, at);
        }
    }

    pub(crate) fn set_sampler(&mut self, stage: ShaderStage, slot: u8, sampler: Option<&'r Sampler>) {
        if let Some(place) = self.stages[stage].samplers.get_mut(usize::from(slot)) {
            *place = sampler;
            self.of_mut(stage).resources_changed = true;
        }
    }

    /// Binds a part of a buffer to a `u` slot, with the view's counter.
    pub(crate) fn set_unordered(
        &mut self,
        stage: ShaderStage,
        slot: u8,
        part: Option<BufferPart<'r>>,
        counter: Option<BufferPart<'r>>,
    ) {
        let bindings = self.of_mut(stage);
        bindings.unordered.set(slot, part);
        bindings.counters.set(slot, counter);
        if let Some(place) = bindings.unordered_textures.get_mut(usize::from(slot)) {
            *place = None;
        }
        bindings.resources_changed = true;
    }

    pub(crate) fn set_unordered_texture(&mut self, stage: ShaderStage, slot: u8, texture: Option<&'r View>) {
        self.set_unordered(stage, slot, None, None);
        if let Some(place) = self.of_mut(stage).unordered_textures.get_mut(usize::from(slot)) {
            *place = texture;
        }
    }
}

/// Returns whether two shaders read the same bytes of the same constant buffers, so that they have the same
/// layout for them.
pub(crate) fn has_same_constants(a: &Shader, b: &Shader) -> bool {
    a.constant_keys == b.constant_keys
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
