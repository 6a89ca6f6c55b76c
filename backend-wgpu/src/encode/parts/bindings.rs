//! The bindings of all stages, as the commands of the page set them, with resolved objects. Setters write
//! here and mark the changes, and a draw or a dispatch reads the marks.

use std::ops::{Index, IndexMut};

use onze_ddi::ShaderStage;

use crate::{
    encode::parts::{
        pipeline_plan::{PipelinePlan, Shaders},
        ranges::{BufferPart, BufferRange, CONSTANT_SLOTS, SAMPLER_SLOTS, UNORDERED_SLOTS},
        windows::ConstantSlot,
    },
    objects::{
        shader::{RESOURCE_SLOTS, Shader},
        state::Sampler,
        view::View,
    },
};

#[derive(Debug)]
pub(crate) struct BoundBuffer<'r> {
    slot: u32,
    part: BufferPart<'r>,
    /// Index of the buffer's dynamic offset in the bind group that was made last, if that group contains the
    /// buffer itself. The index is not valid while [`PlanBindings::resources_dirty`] is set.
    dynamic: Option<u8>,
}

/// The buffers in slots of one class, without the empty slots, because few slots contain a buffer.
#[derive(Debug, Default)]
pub(crate) struct BufferSlots<'r>(Vec<BoundBuffer<'r>>);

impl<'r> BufferSlots<'r> {
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

    fn set(&mut self, slot: u8, part: Option<BufferPart<'r>>) {
        let slot = u32::from(slot);
        self.0.retain(|bound| bound.slot != slot);
        self.0.extend(part.map(|part| BoundBuffer { slot, part, dynamic: None }));
    }

    pub(crate) fn forget_dynamic(&mut self) {
        self.0.iter_mut().for_each(|bound| bound.dynamic = None);
    }

    pub(crate) fn set_dynamic(&mut self, slot: u32, at: u8) {
        let bound = self.0.iter_mut().find(|bound| bound.slot == slot);
        bound.into_iter().for_each(|bound| bound.dynamic = Some(at));
    }

    /// Replaces the part in a slot by another part of the same wgpu buffer, if only the dynamic offset
    /// changes. Returns the index of that offset.
    #[inline]
    pub(crate) fn move_to(&mut self, slot: u8, part: BufferPart<'r>) -> Option<u8> {
        let bound = self.0.iter_mut().find(|bound| bound.slot == u32::from(slot))?;
        let is_alike = bound.part.storage.buffer_id == part.storage.buffer_id
            && bound.part.size == part.size
            && part.format.is_none();
        let at = bound.dynamic.filter(|_| is_alike)?;
        bound.part = part;
        Some(at)
    }
}

#[derive(Debug)]
pub(crate) struct StageState<'r> {
    pub(crate) shader: Option<&'r Shader>,
    pub(crate) constants: [Option<BufferRange<'r>>; CONSTANT_SLOTS],
    /// The effect of a new buffer in each slot, which is not valid while
    /// [`PlanBindings::constants_dirty`] is set.
    pub(crate) constant_slots: [ConstantSlot; CONSTANT_SLOTS],
    pub(crate) textures: [Option<&'r View>; RESOURCE_SLOTS],
    /// Buffers in those `t` slots that contain a buffer instead of a texture.
    pub(crate) buffers: BufferSlots<'r>,
    pub(crate) samplers: [Option<&'r Sampler>; SAMPLER_SLOTS],
}

impl Default for StageState<'_> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl StageState<'_> {
    const EMPTY: Self = Self {
        shader: None,
        constants: [None; CONSTANT_SLOTS],
        constant_slots: [ConstantSlot::Unknown; CONSTANT_SLOTS],
        textures: [None; RESOURCE_SLOTS],
        buffers: BufferSlots(Vec::new()),
        samplers: [None; SAMPLER_SLOTS],
    };

    fn reset(&mut self) {
        let Self { shader, constants, constant_slots, textures, buffers, samplers } = self;
        *shader = None;
        constants.fill(None);
        constant_slots.fill(ConstantSlot::Unknown);
        textures.fill(None);
        buffers.0.clear();
        samplers.fill(None);
    }
}

/// The state of each stage. Those of the rare stages are allocated when something is bound to one of them,
/// because an encoder is made for each run and must be small.
#[derive(Debug, Default)]
pub(crate) struct StageStates<'r> {
    vertex: StageState<'r>,
    pixel: StageState<'r>,
    compute: StageState<'r>,
    rare: Option<Box<RareStages<'r>>>,
}

#[derive(Debug, Default)]
struct RareStages<'r> {
    hull: StageState<'r>,
    domain: StageState<'r>,
    geometry: StageState<'r>,
}

impl StageStates<'_> {
    fn reset(&mut self) {
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

/// The bindings that a draw or a dispatch has apart from those of its stages, and the changes of all its
/// bindings.
#[derive(Debug)]
pub(crate) struct PlanBindings<'r> {
    /// Buffers in `u` slots, which pixel and compute shaders can use.
    pub(crate) unordered: BufferSlots<'r>,
    /// Textures in those `u` slots that contain a texture instead of a buffer.
    pub(crate) unordered_textures: [Option<&'r View>; UNORDERED_SLOTS],
    pub(crate) counters: BufferSlots<'r>,
    /// Copies that the next draw or dispatch writes, and the ranges that receive their contents afterwards.
    pub(crate) copies_back: Vec<(BufferRange<'r>, wgpu::Buffer)>,
    /// Constant buffers or shaders have changed since the last draw or dispatch.
    pub(crate) constants_dirty: bool,
    /// Resources, samplers, unordered-access views or shaders have changed since the last draw or dispatch.
    pub(crate) resources_dirty: bool,
}

impl Default for PlanBindings<'_> {
    /// Returns empty bindings, with everything marked as changed.
    fn default() -> Self {
        Self {
            unordered: BufferSlots::default(),
            unordered_textures: [None; UNORDERED_SLOTS],
            counters: BufferSlots::default(),
            copies_back: Vec::new(),
            constants_dirty: true,
            resources_dirty: true,
        }
    }
}

/// All bindings, by stage.
#[derive(Debug, Default)]
pub(crate) struct Bindings<'r> {
    pub(crate) stages: StageStates<'r>,
    pub(crate) draws: PlanBindings<'r>,
    pub(crate) dispatches: PlanBindings<'r>,
}

impl<'r> Bindings<'r> {
    /// Empties all slots and marks everything as changed. The stages are reset in place, because their arrays
    /// are large.
    pub(crate) fn reset(&mut self) {
        self.stages.reset();
        (self.draws, self.dispatches) = (PlanBindings::default(), PlanBindings::default());
    }

    /// Returns the bindings of a plan, or those of the plan that executes a stage.
    #[inline(always)]
    pub(crate) fn of(&self, plan: impl Into<PipelinePlan>) -> &PlanBindings<'r> {
        match plan.into() {
            PipelinePlan::Draw => &self.draws,
            PipelinePlan::Dispatch => &self.dispatches,
        }
    }

    #[inline(always)]
    pub(crate) fn of_mut(&mut self, plan: impl Into<PipelinePlan>) -> &mut PlanBindings<'r> {
        match plan.into() {
            PipelinePlan::Draw => &mut self.draws,
            PipelinePlan::Dispatch => &mut self.dispatches,
        }
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
        // Constant buffers stay bound if both shaders declare them in the same way.
        let has_same_constants = match (before, shader) {
            (Some(old), Some(new)) => has_same_constants(old, new),
            (None, _) | (_, None) => false,
        };
        let changed = self.of_mut(stage);
        changed.constants_dirty |= !has_same_constants;
        changed.resources_dirty = true;
        true
    }

    /// Binds a texture to a `t` slot, or empties the slot.
    #[inline]
    pub(crate) fn set_texture(&mut self, stage: ShaderStage, slot: u8, texture: Option<&'r View>) {
        let StageState { textures, buffers, .. } = &mut self.stages[stage];
        if let Some(place) = textures.get_mut(usize::from(slot)) {
            *place = texture;
            if !buffers.0.is_empty() {
                buffers.set(slot, None);
            }
            self.of_mut(stage).resources_dirty = true;
        }
    }

    /// Binds a buffer to a `t` slot, or empties the slot.
    pub(crate) fn set_buffer(&mut self, stage: ShaderStage, slot: u8, buffer: Option<BufferPart<'r>>) {
        self.set_texture(stage, slot, None);
        self.stages[stage].buffers.set(slot, buffer);
    }

    pub(crate) fn set_sampler(&mut self, stage: ShaderStage, slot: u8, sampler: Option<&'r Sampler>) {
        if let Some(place) = self.stages[stage].samplers.get_mut(usize::from(slot)) {
            *place = sampler;
            self.of_mut(stage).resources_dirty = true;
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
        bindings.resources_dirty = true;
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
