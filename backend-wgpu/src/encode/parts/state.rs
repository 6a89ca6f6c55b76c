//! The bound state, as the commands of the page set it, with resolved objects. Setters write here and mark
//! the changes, and a draw or a dispatch reads the marks.

use onze_ddi::{PrimitiveTopology, Rect, Viewport};

use crate::{
    encode::parts::{
        layouts::Shaders,
        ranges::{
            BufferPart, BufferRange, CONSTANT_SLOTS, IndexSlot, SAMPLER_SLOTS, TARGETS, UNORDERED_SLOTS,
            VERTEX_SLOTS, VertexSlot,
        },
        windows::ConstantSlot,
    },
    objects::{
        shader::{RESOURCE_SLOTS, Shader},
        stage::LANES,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        view::View,
    },
};

#[derive(Debug)]
pub(crate) struct BoundBuffer<'r> {
    slot: u32,
    part: BufferPart<'r>,
    /// Index of the buffer's dynamic offset in the bind group that was made last, if that group contains the
    /// buffer itself. The index is not valid while [`Bindings::resources_dirty`] is set.
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
    /// The effect of a new buffer in each slot, which is not valid while [`Bindings::constants_dirty`] is
    /// set.
    pub(crate) constant_slots: [ConstantSlot; CONSTANT_SLOTS],
    pub(crate) textures: [Option<&'r View>; RESOURCE_SLOTS],
    /// Buffers in those `t` slots that contain a buffer instead of a texture.
    pub(crate) buffers: BufferSlots<'r>,
    pub(crate) samplers: [Option<&'r Sampler>; SAMPLER_SLOTS],
}

impl Default for StageState<'_> {
    fn default() -> Self {
        Self {
            shader: None,
            constants: [None; CONSTANT_SLOTS],
            constant_slots: [ConstantSlot::Unknown; CONSTANT_SLOTS],
            textures: [None; RESOURCE_SLOTS],
            buffers: BufferSlots::default(),
            samplers: [None; SAMPLER_SLOTS],
        }
    }
}

/// The bindings of render pipelines or of compute pipelines.
#[derive(Debug)]
pub(crate) struct Bindings<'r> {
    pub(crate) stages: [StageState<'r>; LANES],
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

impl Default for Bindings<'_> {
    /// Returns empty bindings, with everything marked as changed.
    fn default() -> Self {
        Self {
            stages: Default::default(),
            unordered: BufferSlots::default(),
            unordered_textures: [None; UNORDERED_SLOTS],
            counters: BufferSlots::default(),
            copies_back: Vec::new(),
            constants_dirty: true,
            resources_dirty: true,
        }
    }
}

impl<'r> Bindings<'r> {
    pub(crate) fn shaders(&self) -> Shaders<'r> {
        self.stages.each_ref().map(|stage| stage.shader)
    }

    /// Binds a shader, and returns whether it differs from the previous one.
    pub(crate) fn set_shader(&mut self, lane: usize, shader: Option<&'r Shader>) -> bool {
        let stage = &mut self.stages[lane];
        let before = std::mem::replace(&mut stage.shader, shader);
        if before.map(|s| s.id.get()) == shader.map(|s| s.id.get()) {
            return false;
        }
        // Constant buffers stay bound if both shaders declare them in the same way.
        self.constants_dirty |= match (before, shader) {
            (Some(old), Some(new)) => !has_same_constants(old, new),
            (None, _) | (_, None) => true,
        };
        self.resources_dirty = true;
        true
    }

    /// Binds a texture to a `t` slot, or empties the slot.
    #[inline]
    pub(crate) fn set_texture(&mut self, lane: usize, slot: u8, texture: Option<&'r View>) {
        let StageState { textures, buffers, .. } = &mut self.stages[lane];
        if let Some(place) = textures.get_mut(usize::from(slot)) {
            *place = texture;
            if !buffers.0.is_empty() {
                buffers.set(slot, None);
            }
            self.resources_dirty = true;
        }
    }

    /// Binds a buffer to a `t` slot, or empties the slot.
    pub(crate) fn set_buffer(&mut self, lane: usize, slot: u8, buffer: Option<BufferPart<'r>>) {
        self.set_texture(lane, slot, None);
        self.stages[lane].buffers.set(slot, buffer);
    }

    pub(crate) fn set_sampler(&mut self, lane: usize, slot: u8, sampler: Option<&'r Sampler>) {
        if let Some(place) = self.stages[lane].samplers.get_mut(usize::from(slot)) {
            *place = sampler;
            self.resources_dirty = true;
        }
    }

    /// Binds a part of a buffer to a `u` slot, with the view's counter.
    pub(crate) fn set_unordered(
        &mut self,
        slot: u8,
        part: Option<BufferPart<'r>>,
        counter: Option<BufferPart<'r>>,
    ) {
        self.unordered.set(slot, part);
        self.counters.set(slot, counter);
        if let Some(place) = self.unordered_textures.get_mut(usize::from(slot)) {
            *place = None;
        }
        self.resources_dirty = true;
    }

    pub(crate) fn set_unordered_texture(&mut self, slot: u8, texture: Option<&'r View>) {
        self.set_unordered(slot, None, None);
        if let Some(place) = self.unordered_textures.get_mut(usize::from(slot)) {
            *place = texture;
        }
    }
}

#[derive(Debug)]
pub(crate) struct DrawState<'r> {
    pub(crate) bindings: Bindings<'r>,
    pub(crate) layout: Option<&'r ElementLayout>,
    pub(crate) vertex: [VertexSlot<'r>; VERTEX_SLOTS],
    pub(crate) index: IndexSlot<'r>,
    pub(crate) topology: PrimitiveTopology,
    pub(crate) rasterizer: Option<&'r RasterizerState>,
    pub(crate) blend: Option<&'r BlendState>,
    pub(crate) blend_factor: [f32; 4],
    pub(crate) sample_mask: u32,
    pub(crate) depth_stencil: Option<&'r DepthStencilState>,
    pub(crate) stencil_ref: u8,
    pub(crate) viewport: Option<Viewport>,
    pub(crate) scissor: Option<Rect>,
    pub(crate) color_targets: [Option<&'r View>; TARGETS],
    pub(crate) depth_target: Option<&'r View>,
    pub(crate) pipeline_dirty: bool,
    /// A part of the pipeline key other than shaders and state objects has changed.
    pub(crate) setting_dirty: bool,
    /// Vertex buffers, or the elements that are read from them, have changed.
    pub(crate) vertex_dirty: bool,
    /// The vertex shader of the next draw pulls its elements, even if wgpu could fetch them.
    pub(crate) pulls_vertices: bool,
    /// The pipeline depends on the vertex slots that share a wgpu buffer.
    pub(crate) pull_follows_buffers: bool,
    pub(crate) targets_dirty: bool,
    /// The viewport, the scissor, its enable state or the size of the targets has changed.
    pub(crate) area_dirty: bool,
}

impl Default for DrawState<'_> {
    /// Returns Direct3D 11's default state, with everything marked as changed.
    fn default() -> Self {
        Self {
            bindings: Bindings::default(),
            layout: None,
            vertex: Default::default(),
            index: IndexSlot::default(),
            topology: PrimitiveTopology::Undefined,
            rasterizer: None,
            blend: None,
            blend_factor: [1.0; 4],
            sample_mask: u32::MAX,
            depth_stencil: None,
            stencil_ref: 0,
            viewport: None,
            scissor: None,
            color_targets: [None; TARGETS],
            depth_target: None,
            pipeline_dirty: true,
            setting_dirty: true,
            vertex_dirty: true,
            pulls_vertices: false,
            pull_follows_buffers: false,
            targets_dirty: true,
            area_dirty: true,
        }
    }
}

impl<'r> DrawState<'r> {
    /// Marks a change of the pipeline key other than shaders and state objects.
    pub(crate) fn dirty_setting(&mut self) {
        self.pipeline_dirty = true;
        self.setting_dirty = true;
    }

    pub(crate) fn set_shader(&mut self, lane: usize, shader: Option<&'r Shader>) {
        self.pipeline_dirty |= self.bindings.set_shader(lane, shader);
    }

    pub(crate) fn set_vertex_buffer(&mut self, slot: u8, new: VertexSlot<'r>) {
        if let Some(old) = self.vertex.get_mut(usize::from(slot)) {
            // The pipeline depends on whether a slot is empty, because it then reads one vertex repeatedly,
            // and on whether the slot's vertices are pulled.
            if old.key_stride() != new.key_stride()
                || old.is_aligned() != new.is_aligned()
                || self.pull_follows_buffers
            {
                (self.pipeline_dirty, self.setting_dirty) = (true, true);
            }
            self.vertex_dirty = true;
            *old = new;
        }
    }

    pub(crate) fn set_targets(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) {
        self.color_targets = color;
        self.depth_target = depth;
        self.targets_dirty = true;
    }
}

/// Returns whether two shaders read the same bytes of the same constant buffers, so that they have the same
/// layout for them.
pub(crate) fn has_same_constants(a: &Shader, b: &Shader) -> bool {
    a.constant_keys == b.constant_keys
}
