//! The bound state as the page's commands set it, with the objects resolved.
//!
//! Setters write here and mark the changes; a draw reads the marks.

use std::sync::Arc;

use onze_ddi::{Format, PrimitiveTopology, Rect, SlotClass, Viewport};

use crate::{
    objects::{
        allocator::Storage,
        identity::Identity,
        shader::{IndexedSlot, RESOURCE_SLOTS, Shader},
        stage::LANES,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        texture::TextureMemory,
        view::View,
    },
    record::{
        command::{ObjectIndex, ViewFormat},
        object_table::{ObjectTable, PageObject},
        run_page::RunPage,
    },
};

use super::{fast::by_index::WindowSlot, layout::Shaders, pipeline::EMPTY_SLOT};

/// Constant-buffer slots of a stage.
pub(super) const CONSTANT_SLOTS: usize = SlotClass::ConstantBuffer.slots() as usize;
/// Sampler slots of a stage.
pub(super) const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;
/// Slots of unordered-access views.
pub(super) const UNORDERED_SLOTS: usize = SlotClass::UnorderedAccess.slots() as usize;
/// Vertex-buffer slots.
pub(super) const VERTEX_SLOTS: usize = 32;
/// Colour targets.
pub(super) const TARGETS: usize = 8;

/// A part of a wgpu buffer.
#[derive(Copy, Clone, Debug)]
pub(super) struct BufferRange<'r> {
    pub(super) buffer: &'r wgpu::Buffer,
    /// [`crate::objects::allocator::Storage::buffer_id`].
    pub(super) id: u64,
    /// First byte in the wgpu buffer.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) size: u64,
}

/// Vertex buffer in a slot.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct VertexSlot<'r> {
    pub(super) range: Option<BufferRange<'r>>,
    pub(super) stride: u16,
}

impl VertexSlot<'_> {
    /// What a pipeline's key has of it: the stride, or that the slot is empty. A buffer of which nothing is left behind the
    /// offset gives zeros without end.
    pub(super) fn key_stride(&self) -> u16 {
        match self.range {
            None => EMPTY_SLOT,
            Some(BufferRange { size: 0, .. }) => 0,
            Some(_) => self.stride,
        }
    }

    /// Whether wgpu can bind it.
    fn is_aligned(&self) -> bool {
        self.range.is_none_or(|range| range.offset.is_multiple_of(wgpu::VERTEX_ALIGNMENT))
    }
}

/// Index buffer.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct IndexSlot<'r> {
    pub(super) range: Option<BufferRange<'r>>,
    pub(super) wide: bool,
}

impl IndexSlot<'_> {
    /// Bytes of an index.
    pub(super) fn width(&self) -> u64 {
        if self.wide { 4 } else { 2 }
    }
}

/// What another constant buffer in a slot means for the bind group that was made last.
#[derive(Copy, Clone, Debug)]
pub(super) enum ConstantSlot {
    /// It must be looked for anew.
    Unknown,
    /// The shader does not read the slot.
    Unread,
    /// If it lies in the same wgpu buffer and has the bytes that are needed, another dynamic offset.
    Dynamic { id: u64, needed: u64, at: u8 },
    /// If the window has it as an element, another index; else, if it is in the same wgpu buffer, another window.
    Indexed(WindowBinding),
    /// As [`ConstantSlot::Dynamic`], if it has the same bytes: the shader reads all of them.
    OpenDynamic { id: u64, needed: u64, at: u8 },
    /// As [`ConstantSlot::Indexed`], if it has the same bytes.
    OpenIndexed(WindowBinding),
}

/// How a window is bound to a slot.
#[derive(Copy, Clone, Debug)]
pub(super) struct WindowBinding {
    pub(super) window: WindowSlot,
    pub(super) indexed: IndexedSlot,
    /// The number of its dynamic offset.
    pub(super) at: u8,
    /// The slot of the other stage has the same field.
    pub(super) shared: bool,
}

impl ConstantSlot {
    /// The window in the slot.
    pub(super) fn window(&mut self) -> Option<&mut WindowBinding> {
        match self {
            Self::Indexed(binding) | Self::OpenIndexed(binding) => Some(binding),
            Self::Unknown | Self::Unread | Self::Dynamic { .. } | Self::OpenDynamic { .. } => None,
        }
    }
}

/// A part of a buffer that a view sees.
#[derive(Copy, Clone, Debug)]
pub(super) struct BufferPart<'r> {
    pub(super) storage: &'r Storage,
    /// First byte in the wgpu buffer.
    pub(super) offset: u32,
    /// Bytes.
    pub(super) size: u32,
    /// Of the elements of a typed view.
    pub(super) format: Option<Format>,
}

impl<'r> BufferPart<'r> {
    pub(super) fn range(&self) -> BufferRange<'r> {
        let Self { storage, offset, size, .. } = *self;
        BufferRange {
            buffer: &storage.buffer,
            id: storage.buffer_id,
            offset: offset.into(),
            size: size.into(),
        }
    }
}

/// A buffer in a slot.
#[derive(Debug)]
struct BoundBuffer<'r> {
    slot: u32,
    part: BufferPart<'r>,
    /// Which of the dynamic offsets of the bind group that was made last is its own, if that group has it as it is.
    /// Nothing is known while [`Bindings::resources_dirty`] is set.
    dynamic: Option<u8>,
}

/// The buffers in slots of one class. Few slots have one, so the others take no room.
#[derive(Debug, Default)]
pub(super) struct BufferSlots<'r>(Vec<BoundBuffer<'r>>);

impl<'r> BufferSlots<'r> {
    pub(super) fn get(&self, slot: u32) -> Option<BufferPart<'r>> {
        self.0.iter().find(|bound| bound.slot == slot).map(|bound| bound.part)
    }

    /// Whether a part of a wgpu buffer is in a slot.
    pub(super) fn has(&self, buffer: u64) -> bool {
        self.ids().any(|id| id == buffer)
    }

    /// The wgpu buffers in the slots.
    pub(super) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|bound| bound.part.storage.buffer_id)
    }

    fn set(&mut self, slot: u8, part: Option<BufferPart<'r>>) {
        let slot = u32::from(slot);
        self.0.retain(|bound| bound.slot != slot);
        self.0.extend(part.map(|part| BoundBuffer { slot, part, dynamic: None }));
    }

    /// Nothing is known of dynamic offsets.
    pub(super) fn forget_dynamic(&mut self) {
        self.0.iter_mut().for_each(|bound| bound.dynamic = None);
    }

    /// Which of the dynamic offsets is that of a slot.
    pub(super) fn set_dynamic(&mut self, slot: u32, at: u8) {
        let bound = self.0.iter_mut().find(|bound| bound.slot == slot);
        bound.into_iter().for_each(|bound| bound.dynamic = Some(at));
    }

    /// Puts another part of the same wgpu buffer into a slot, if that is only another dynamic offset, and says which.
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

/// What one stage sees.
#[derive(Debug)]
pub(super) struct StageState<'r> {
    pub(super) shader: Option<&'r Shader>,
    pub(super) constants: [Option<BufferRange<'r>>; CONSTANT_SLOTS],
    /// True unless [`Bindings::constants_dirty`] is.
    pub(super) constant_slots: [ConstantSlot; CONSTANT_SLOTS],
    /// Textures in `t` slots.
    pub(super) textures: [Option<&'r View>; RESOURCE_SLOTS],
    /// Buffers in `t` slots, of which no texture is in the same.
    pub(super) buffers: BufferSlots<'r>,
    pub(super) samplers: [Option<&'r Sampler>; SAMPLER_SLOTS],
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

/// What the shaders of one kind of pipeline see: of draws, or of dispatches.
#[derive(Debug)]
pub(super) struct Bindings<'r> {
    /// By lane.
    pub(super) stages: [StageState<'r>; LANES],
    /// The `u` slots, which pixel and compute shaders have.
    pub(super) unordered: BufferSlots<'r>,
    /// Textures in `u` slots, of which no buffer is in the same.
    pub(super) unordered_textures: [Option<&'r View>; UNORDERED_SLOTS],
    /// The counters of the views in the `u` slots.
    pub(super) counters: BufferSlots<'r>,
    /// What the next draw or dispatch writes to copies, and belongs into these parts of buffers.
    pub(super) copies_back: Vec<(BufferRange<'r>, wgpu::Buffer)>,
    /// Constant buffers, or shaders, changed since the last draw or dispatch.
    pub(super) constants_dirty: bool,
    /// Resources, samplers or unordered-access views, or shaders, changed since then.
    pub(super) resources_dirty: bool,
}

impl Default for Bindings<'_> {
    /// Nothing is bound, and everything is marked as changed.
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
    /// By lane.
    pub(super) fn shaders(&self) -> Shaders<'r> {
        self.stages.each_ref().map(|stage| stage.shader)
    }

    /// Binds a shader; true if it is another one.
    pub(super) fn set_shader(&mut self, lane: usize, shader: Option<&'r Shader>) -> bool {
        let stage = &mut self.stages[lane];
        let before = std::mem::replace(&mut stage.shader, shader);
        if before.map(|s| s.id.get()) == shader.map(|s| s.id.get()) {
            return false;
        }
        // Constant buffers that both declare alike stay as they are bound.
        self.constants_dirty |= match (before, shader) {
            (Some(old), Some(new)) => !has_same_constants(old, new),
            (None, _) | (_, None) => true,
        };
        self.resources_dirty = true;
        true
    }

    /// Binds a texture to a `t` slot, or nothing.
    #[inline]
    pub(super) fn set_texture(&mut self, lane: usize, slot: u8, texture: Option<&'r View>) {
        let StageState { textures, buffers, .. } = &mut self.stages[lane];
        if let Some(place) = textures.get_mut(usize::from(slot)) {
            *place = texture;
            if !buffers.0.is_empty() {
                buffers.set(slot, None);
            }
            self.resources_dirty = true;
        }
    }

    /// Binds a buffer to a `t` slot, or nothing.
    pub(super) fn set_buffer(&mut self, lane: usize, slot: u8, buffer: Option<BufferPart<'r>>) {
        self.set_texture(lane, slot, None);
        self.stages[lane].buffers.set(slot, buffer);
    }

    pub(super) fn set_sampler(&mut self, lane: usize, slot: u8, sampler: Option<&'r Sampler>) {
        if let Some(place) = self.stages[lane].samplers.get_mut(usize::from(slot)) {
            *place = sampler;
            self.resources_dirty = true;
        }
    }

    /// Binds a part of a buffer to a `u` slot, with the view's counter.
    pub(super) fn set_unordered(
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

    /// Binds a texture to a `u` slot.
    pub(super) fn set_unordered_texture(&mut self, slot: u8, texture: Option<&'r View>) {
        self.set_unordered(slot, None, None);
        if let Some(place) = self.unordered_textures.get_mut(usize::from(slot)) {
            *place = texture;
        }
    }
}

/// Everything that is bound for draws.
#[derive(Debug)]
pub(super) struct DrawState<'r> {
    pub(super) bindings: Bindings<'r>,
    pub(super) layout: Option<&'r ElementLayout>,
    pub(super) vertex: [VertexSlot<'r>; VERTEX_SLOTS],
    pub(super) index: IndexSlot<'r>,
    pub(super) topology: PrimitiveTopology,
    pub(super) rasterizer: Option<&'r RasterizerState>,
    pub(super) blend: Option<&'r BlendState>,
    pub(super) blend_factor: [f32; 4],
    pub(super) sample_mask: u32,
    pub(super) depth_stencil: Option<&'r DepthStencilState>,
    pub(super) stencil_ref: u8,
    pub(super) viewport: Option<Viewport>,
    pub(super) scissor: Option<Rect>,
    pub(super) color_targets: [Option<&'r View>; TARGETS],
    pub(super) depth_target: Option<&'r View>,
    /// Something of the pipeline's key changed.
    pub(super) pipeline_dirty: bool,
    /// It is not a shader or a state object.
    pub(super) setting_dirty: bool,
    /// Vertex buffers, or what is read of them, changed.
    pub(super) vertex_dirty: bool,
    /// The vertex shader of the next draw pulls its elements, even if wgpu could read them.
    pub(super) pulls_vertices: bool,
    /// Which of the bound vertex buffers are the same wgpu buffer is in the pipeline.
    pub(super) pull_follows_buffers: bool,
    /// Targets changed.
    pub(super) targets_dirty: bool,
    /// Viewport, scissor or whether it counts, or the targets' size changed.
    pub(super) area_dirty: bool,
}

impl Default for DrawState<'_> {
    /// D3D11's default state, with everything marked as changed.
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
    /// Something of the pipeline's key that is not a shader or a state object changed.
    pub(super) fn dirty_setting(&mut self) {
        self.pipeline_dirty = true;
        self.setting_dirty = true;
    }

    pub(super) fn set_shader(&mut self, lane: usize, shader: Option<&'r Shader>) {
        self.pipeline_dirty |= self.bindings.set_shader(lane, shader);
    }

    pub(super) fn set_vertex_buffer(&mut self, slot: u8, new: VertexSlot<'r>) {
        if let Some(old) = self.vertex.get_mut(usize::from(slot)) {
            // Whether a slot is empty is in the pipeline: it then reads one vertex over and over. So is whether its vertices
            // are pulled.
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

    pub(super) fn set_targets(&mut self, color: [Option<&'r View>; TARGETS], depth: Option<&'r View>) {
        self.color_targets = color;
        self.depth_target = depth;
        self.targets_dirty = true;
    }
}

/// Whether two shaders read the same bytes of the same slots, for which they have one layout.
fn has_same_constants(a: &Shader, b: &Shader) -> bool {
    a.constant_keys == b.constant_keys
}

/// A page's objects, as commands name them.
#[derive(Copy, Clone, Debug)]
pub(super) struct PageObjects<'r> {
    table: &'r ObjectTable,
    imports: &'r [Identity],
}

impl<'r> PageObjects<'r> {
    pub(super) fn new(page: &'r RunPage) -> Self {
        Self { table: &page.objects, imports: &page.imports }
    }

    #[inline]
    fn get(&self, object: ObjectIndex) -> Option<&'r PageObject> {
        self.table.get(object)
    }

    fn import(&self, import: u32) -> Option<&'r Identity> {
        self.imports.get(import as usize)
    }

    /// The storage of a buffer, and a byte of it: `offset` is absolute for storage, relative for an import.
    #[inline(always)]
    fn storage(&self, object: ObjectIndex, offset: u64) -> Option<(&'r Storage, u64)> {
        match self.get(object)? {
            PageObject::Buffer(storage) => Some((storage, offset)),
            PageObject::Import(import) => {
                let identity = self.import(*import)?.buffer()?;
                Some((&identity.storage, identity.offset + offset))
            }
            PageObject::Resource(_)
            | PageObject::Texture(_)
            | PageObject::View(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }

    /// A part of a buffer that a view sees; `offset` as for [`PageObjects::storage`], the format as in the command.
    pub(super) fn part(
        &self,
        object: ObjectIndex,
        offset: u32,
        size: u32,
        format: ViewFormat,
    ) -> Option<BufferPart<'r>> {
        let (storage, offset) = self.storage(object, offset.into())?;
        Some(BufferPart { storage, offset: u32::try_from(offset).ok()?, size, format: format.get() })
    }

    /// A part of a buffer; `offset` as for [`PageObjects::storage`].
    pub(super) fn buffer(&self, object: ObjectIndex, offset: u64, size: u64) -> Option<BufferRange<'r>> {
        let (storage, offset) = self.storage(object, offset)?;
        Some(BufferRange { buffer: &storage.buffer, id: storage.buffer_id, offset, size })
    }

    /// A view of a texture.
    pub(super) fn view(&self, object: ObjectIndex) -> Option<&'r View> {
        match self.get(object)? {
            PageObject::View(view) => Some(view),
            PageObject::Import(import) => self.import(*import)?.view(),
            PageObject::Buffer(_)
            | PageObject::Resource(_)
            | PageObject::Texture(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }

    /// A texture as the source or destination of a copy.
    pub(super) fn texture(&self, object: ObjectIndex) -> Option<&'r Arc<TextureMemory>> {
        match self.get(object)? {
            PageObject::Resource(resource) => resource.texture(),
            PageObject::Texture(memory) => Some(memory),
            PageObject::Import(import) => self.import(*import)?.texture(),
            PageObject::Buffer(_)
            | PageObject::View(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }
}

/// One accessor for each kind of object that has one meaning: `None` for an empty slot. All kinds are named, so that a
/// new one is not forgotten.
macro_rules! accessors {
    ($kinds:tt $($name:ident: $variant:ident => $type:ty;)*) => {
        impl<'r> PageObjects<'r> {
            $(accessors! { @one $kinds $name: $variant => $type })*
        }
    };
    (@one [$($kind:ident)*] $name:ident: $variant:ident => $type:ty) => {
        pub(super) fn $name(&self, object: ObjectIndex) -> Option<&'r $type> {
            match self.get(object)? {
                PageObject::$variant(object) => Some(object),
                #[allow(unreachable_patterns, reason = "the kind itself is among all of them")]
                $(PageObject::$kind(_))|* => None,
            }
        }
    };
}

accessors! {
    [Buffer Import Resource Texture View Shader ElementLayout BlendState DepthStencilState RasterizerState Sampler]
    shader: Shader => Shader;
    element_layout: ElementLayout => ElementLayout;
    blend_state: BlendState => BlendState;
    depth_stencil_state: DepthStencilState => DepthStencilState;
    rasterizer_state: RasterizerState => RasterizerState;
    sampler: Sampler => Sampler;
}
