//! The setters, called by the runtime when the state changes, to write the new state to the page.

use onze_ddi::{
    BlendBinding, ConstantBufferBinding, DepthStencilBinding, ElementLayoutHandle, Format,
    IndexBufferBinding, PrimitiveTopology, RasterizerStateHandle, Rect, ResourceHandle, STREAM_OUTPUT_SLOTS,
    SamplerHandle, ShaderHandle, ShaderResourceViewHandle, ShaderStage, TargetsBinding,
    UnorderedAccessViewHandle, VertexBufferBinding, Viewport,
};

use crate::objects::{resource::Resource, view::BufferView};
use crate::record::{
    command::{Bind, Command, NO_OBJECT, ObjectIndex, SideRange, ViewFormat, stage_bit},
    object_table::PageObject,
    page::{BlendFactor, BoundStreamTarget, BoundTargets},
    recorder::{
        CONSTANT_SLOTS, PageSink, PageWriter,
        objects::{BufferObject, SeenObject},
    },
};

pub(super) fn vertex_buffer(
    slot: u32,
    binding: &VertexBufferBinding,
    found: Option<BufferObject>,
) -> Command {
    let (mut object, mut offset, size) = part(found, binding.offset, u32::MAX);
    // If the offset is at or after the buffer's end, the slot is still bound, which differs from an empty
    // slot.
    if let Some(buffer) = found.filter(|_| size == 0) {
        (object, offset) = (buffer.object, buffer.offset);
    }
    Command::SetVertexBuffer { slot: slot as u8, object, stride: binding.stride as u16, offset, size }
}

pub(super) fn index_buffer(binding: IndexBufferBinding, found: Option<BufferObject>) -> Command {
    let (object, offset, size) = part(found, binding.offset, u32::MAX);
    Command::SetIndexBuffer { wide: binding.format == Format::R32_UINT, object, offset, size }
}

/// Contents of a constant-buffer slot, without the buffer's location, because that may change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct BoundConstants {
    /// The buffer, or `None` if the slot is empty or the shader sees no byte of the buffer.
    pub(super) buffer: Option<ResourceHandle>,
    /// First byte of the buffer that the shader sees.
    first: u32,
    /// Number of bytes that the shader sees, clamped to the buffer, and above 0 if there is a buffer.
    size: u32,
}

impl BoundConstants {
    pub(super) const NONE: Self = Self { buffer: None, first: 0, size: 0 };

    #[inline]
    fn new(binding: &ConstantBufferBinding, size: u32) -> Self {
        let first = binding.first_constant.saturating_mul(16);
        let size = size.saturating_sub(first).min(binding.num_constants.saturating_mul(16));
        if size == 0 { Self::NONE } else { Self { buffer: binding.buffer, first, size } }
    }

    /// Returns the command that binds the slot, given the buffer's current location.
    #[inline]
    pub(super) fn command(&self, stages: u8, slot: u32, object: ObjectIndex, offset: u32) -> Command {
        let (offset, size) = (offset + self.first, self.size);
        Command::SetConstantBuffer { stages, slot: slot as u8, object, offset, size }
    }
}

#[derive(Copy, Clone, Debug)]
pub(super) struct BoundView {
    pub(super) buffer: ResourceHandle,
    stage: ShaderStage,
    slot: u8,
    format: ViewFormat,
    /// First byte of the buffer that the view shows.
    first: u32,
    size: u32,
}

impl BoundView {
    /// Returns the command that binds the view, given the buffer's current location.
    pub(super) fn command(&self, found: Option<BufferObject>) -> Command {
        let Self { stage, slot, format, first, size, .. } = *self;
        let (object, offset, size) = part(found, first, size);
        Command::SetResourceBuffer { stage, slot, format, object, offset, size }
    }
}

/// A range of at most `most` bytes of a buffer, starting at `first`, or `NO_OBJECT` if it is empty.
#[inline]
fn part(buffer: Option<BufferObject>, first: u32, most: u32) -> (ObjectIndex, u32, u32) {
    match buffer.map(|b| (b, b.size.saturating_sub(first).min(most))) {
        Some((buffer, size)) if size > 0 => (buffer.object, buffer.offset + first, size),
        _ => (NO_OBJECT, 0, 0),
    }
}

impl<E: PageSink> PageWriter<'_, E> {
    pub(crate) fn set_input_layout(&mut self, layout: Option<ElementLayoutHandle>) {
        let object = self.object(layout, PageObject::ElementLayout);
        self.bind(Bind::InputLayout(object));
    }

    pub(crate) fn set_vertex_buffers(&mut self, start: u32, buffers: &[VertexBufferBinding]) {
        for (slot, binding) in (start..).zip(buffers) {
            let found = binding
                .buffer
                .and_then(|buffer| self.buffer(buffer, |state| state.vertex_slots |= 1 << slot).ok());
            self.push(vertex_buffer(slot, binding, found));
        }
    }

    pub(crate) fn set_index_buffer(&mut self, binding: IndexBufferBinding) {
        let found =
            binding.buffer.and_then(|buffer| self.buffer(buffer, |state| state.index_buffer = 1).ok());
        self.push(index_buffer(binding, found));
    }

    pub(crate) fn set_topology(&mut self, topology: PrimitiveTopology) {
        self.bind(Bind::Topology(topology));
    }

    #[inline(always)]
    pub(crate) fn set_shader(&mut self, stage: ShaderStage, shader: Option<ShaderHandle>) {
        let object = self.object(shader, PageObject::Shader);
        self.bind(Bind::Shader { stage, object });
    }

    #[inline(always)]
    pub(crate) fn set_constant_buffers(
        &mut self,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        // Most calls bind a single slot, so only that path is inlined.
        match buffers {
            [binding] => self.set_constant_buffer(stage, start, binding),
            _ => self.again().set_all_constant_buffers(stage, start, buffers),
        }
    }

    #[inline(never)]
    fn set_all_constant_buffers(
        &mut self,
        stage: ShaderStage,
        start: u32,
        buffers: &[ConstantBufferBinding],
    ) {
        for (slot, binding) in (start..).zip(buffers) {
            self.set_constant_buffer(stage, slot, binding);
        }
    }

    #[inline(always)]
    fn set_constant_buffer(&mut self, stage: ShaderStage, slot: u32, binding: &ConstantBufferBinding) {
        if slot as usize >= CONSTANT_SLOTS {
            return self.again().bug("a constant buffer was bound to a slot that does not exist");
        }
        let bit = 1 << slot;
        let found = binding.buffer.and_then(|buffer| {
            self.buffer(buffer, |state| {
                state.constant_slots |= bit;
                state.constant_stages |= stage_bit(stage);
            })
            .ok()
        });
        let bound = found.map_or(BoundConstants::NONE, |found| BoundConstants::new(binding, found.size));
        let command = match found {
            Some(found) if bound.size != 0 => {
                bound.command(stage_bit(stage), slot, found.object, found.offset)
            }
            _ => BoundConstants::NONE.command(stage_bit(stage), slot, NO_OBJECT, 0),
        };
        self.r.constants[stage.index()][slot as usize % CONSTANT_SLOTS] = bound;
        self.push(command);
    }

    #[inline(always)]
    pub(crate) fn set_shader_resources(
        &mut self,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        // Most calls bind a single slot, so only that path is inlined.
        match views {
            [view] => self.set_shader_resource(stage, start, *view),
            _ => self.again().set_all_shader_resources(stage, start, views),
        }
    }

    #[inline(never)]
    fn set_all_shader_resources(
        &mut self,
        stage: ShaderStage,
        start: u32,
        views: &[Option<ShaderResourceViewHandle>],
    ) {
        for (slot, view) in (start..).zip(views) {
            self.set_shader_resource(stage, slot, *view);
        }
    }

    #[inline(always)]
    fn set_shader_resource(&mut self, stage: ShaderStage, slot: u32, view: Option<ShaderResourceViewHandle>) {
        if !self.r.views.is_empty() {
            self.again().forget_resource_buffer(stage, slot);
        }
        match self.view(view) {
            SeenObject::Texture(object) => {
                self.bind(Bind::ShaderResource { stage, slot: slot as u8, object });
            }
            SeenObject::Buffer(view) => self.again().set_resource_buffer(stage, slot, &view),
        }
    }

    /// Removes a `t` slot from the bound buffer views, before the slot is overwritten.
    #[inline(never)]
    fn forget_resource_buffer(&mut self, stage: ShaderStage, slot: u32) {
        self.r.views.retain(|bound| (bound.stage, u32::from(bound.slot)) != (stage, slot));
    }

    /// Binds a view of a buffer to a `t` slot, at the buffer's current location.
    #[inline(never)]
    fn set_resource_buffer(&mut self, stage: ShaderStage, slot: u32, view: &BufferView) {
        let found = self.buffer(view.resource, |state| state.views = 1);
        let bound = BoundView {
            buffer: view.resource,
            stage,
            slot: slot as u8,
            format: ViewFormat::new(view.desc.typed()),
            first: view.desc.offset(),
            size: view.desc.size(),
        };
        self.r.views.push(bound);
        self.push(bound.command(found.ok()));
    }

    /// Binds views to `u` slots without changing their counters. A buffer that the GPU writes has only its
    /// base storage as identity.
    pub(crate) fn set_unordered_access_views(
        &mut self,
        stage: ShaderStage,
        start: u32,
        views: &[Option<UnorderedAccessViewHandle>],
    ) {
        for (slot, view) in (start..).zip(views) {
            if let Some(handle) = *view
                && self.handles.object_as::<BufferView, _>(handle).is_none()
            {
                let object = self.object(Some(handle), PageObject::View);
                self.push(Command::SetUnorderedTexture { stage, slot: slot as u8, object });
                continue;
            }
            let counter = view.and_then(|view| self.counter(view).ok()).unwrap_or(NO_OBJECT);
            let view = view.and_then(|view| self.handles.object_as::<BufferView, _>(view));
            let found = view.as_ref().and_then(|view| {
                if let Some(storage) = self.resource(view.resource).ok().and_then(Resource::base_storage) {
                    storage.mark_written();
                }
                self.buffer(view.resource, |_| ()).ok()
            });
            let (first, most) = view.as_ref().map_or((0, 0), |view| (view.desc.offset(), view.desc.size()));
            let (object, offset, size) = part(found, first, most);
            let format = ViewFormat::new(view.and_then(|view| view.desc.typed()));
            let slot = slot as u8;
            self.push(Command::SetUnorderedBuffer { stage, slot, format, object, counter, offset, size });
        }
    }

    #[inline]
    pub(crate) fn set_samplers(
        &mut self,
        stage: ShaderStage,
        start: u32,
        samplers: &[Option<SamplerHandle>],
    ) {
        for (slot, sampler) in (start..).zip(samplers) {
            let object = self.object(*sampler, PageObject::Sampler);
            self.bind(Bind::Sampler { stage, slot: slot as u8, object });
        }
    }

    #[inline(always)]
    pub(crate) fn set_rasterizer_state(&mut self, state: Option<RasterizerStateHandle>) {
        let object = self.object(state, PageObject::RasterizerState);
        self.bind(Bind::RasterizerState(object));
    }

    /// Records all viewports, although draws use the first: wgpu has one viewport, and no shader can select
    /// another one yet.
    pub(crate) fn set_viewports(&mut self, viewports: &[Viewport]) {
        let range = SideRange::append(&mut self.r.page.viewports, viewports);
        self.push(Command::SetViewports(range));
    }

    pub(crate) fn set_scissor_rects(&mut self, rects: &[Rect]) {
        let range = SideRange::append(&mut self.r.page.rects, rects);
        self.push(Command::SetScissorRects(range));
    }

    #[inline(always)]
    pub(crate) fn set_blend(&mut self, blend: BlendBinding) {
        let state = self.object(blend.state, PageObject::BlendState);
        self.bind(Bind::BlendState(state));
        let BlendBinding { factor, sample_mask, .. } = blend;
        let factor = BlendFactor { factor, sample_mask };
        let factors = &mut self.r.page.blend_factors;
        // A page begins with the default factor and mask, so only changes are written.
        if factor != factors.last().copied().unwrap_or_default() {
            let index = factors.len() as u32;
            factors.push(factor);
            self.push(Command::SetBlendFactor(index));
        }
    }

    pub(crate) fn set_depth_stencil(&mut self, binding: DepthStencilBinding) {
        let object = self.object(binding.state, PageObject::DepthStencilState);
        self.bind(Bind::DepthStencilState { stencil_ref: binding.stencil_ref, object });
    }

    /// Records the buffers of stream output, in each slot. Their filled sizes stay as they are.
    pub(crate) fn set_stream_targets(&mut self, targets: &[Option<ResourceHandle>]) {
        let mut bound = [BoundStreamTarget::NONE; STREAM_OUTPUT_SLOTS];
        for (place, target) in bound.iter_mut().zip(targets) {
            let Some(target) = *target else { continue };
            if let Ok(filled) = self.filled_size(target)
                && let Ok(BufferObject { object, offset, size }) = self.buffer(target, |_| {})
            {
                *place = BoundStreamTarget { object, filled, offset, size };
            }
        }
        let index = self.r.page.stream_targets.len() as u32;
        self.r.page.stream_targets.push(bound);
        self.push(Command::SetStreamTargets(index));
    }

    pub(crate) fn set_targets(&mut self, targets: TargetsBinding<'_>) {
        let mut color = [NO_OBJECT; 8];
        for (place, view) in color.iter_mut().zip(targets.color) {
            *place = self.object(*view, PageObject::View);
        }
        let depth_stencil = self.object(targets.depth_stencil, PageObject::View);
        let index = self.r.page.targets.len() as u32;
        self.r.page.targets.push(BoundTargets { color, depth_stencil });
        self.push(Command::SetTargets(index));
    }
}
