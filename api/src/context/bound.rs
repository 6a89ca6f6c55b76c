//! What is bound in a context: the runtime's shadow, from which setters leave early, getters answer and
//! drivers refresh their state.

use std::ops::Range;

use onze_ddi::{
    BlendBinding, ConstantBufferBinding, DepthStencilBinding, DepthStencilViewHandle, ElementLayoutHandle,
    IndexBufferBinding, Key, PrimitiveTopology, RasterizerStateHandle, Rect, RenderTargetViewHandle,
    SamplerHandle, ShaderHandle, ShaderResourceViewHandle, ShaderStage, VertexBufferBinding, Viewport,
};

/// D3D11: `D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT`.
pub(crate) const CONSTANT_BUFFER_SLOTS: usize = 14;
/// D3D11: `D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT`.
pub(crate) const SHADER_RESOURCE_SLOTS: usize = 128;
/// D3D11: `D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT`.
pub(crate) const SAMPLER_SLOTS: usize = 16;
/// D3D11: `D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT`.
pub(crate) const VERTEX_BUFFER_SLOTS: usize = 32;
/// D3D11: `D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT`.
pub(crate) const RENDER_TARGET_SLOTS: usize = 8;
/// D3D11: `D3D11_VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE`.
pub(crate) const VIEWPORT_SLOTS: usize = 16;

/// Slots of one kind, and how many of them may be in use: the high-water mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SlotArray<T, const N: usize> {
    slots: [T; N],
    high: usize,
}

impl<T: Copy + PartialEq + Default, const N: usize> SlotArray<T, N> {
    fn new() -> Self {
        Self { slots: [T::default(); N], high: 0 }
    }

    /// The slots up to the high-water mark, or a range.
    pub(crate) fn get(&self, range: Option<Range<u32>>) -> &[T] {
        match range {
            None => &self.slots[..self.high],
            Some(range) => {
                let end = (range.end as usize).min(N);
                &self.slots[(range.start as usize).min(end)..end]
            }
        }
    }

    #[inline]
    pub(crate) fn at(&self, slot: usize) -> T {
        self.slots.get(slot).copied().unwrap_or_default()
    }

    /// Whether a slot has this value; false out of range.
    #[inline]
    pub(crate) fn holds(&self, slot: usize, value: T) -> bool {
        self.slots.get(slot).is_some_and(|held| *held == value)
    }

    /// Stores into one slot; true if that changed it. Out of range changes nothing.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, value: T) -> bool {
        match self.slots.get_mut(slot) {
            Some(old) if *old != value => {
                *old = value;
                self.high = self.high.max(slot + 1);
                true
            }
            _ => false,
        }
    }

    /// Lowers the high-water mark to what is in use.
    pub(crate) fn trim(&mut self) {
        while self.high > 0 && self.slots[self.high - 1] == T::default() {
            self.high -= 1;
        }
    }

    /// A copy of some slots, to hand to a driver while the rest is lent to it.
    pub(crate) fn copy(&self, range: Range<usize>) -> [T; N] {
        let mut copy = [T::default(); N];
        copy[..range.len()].copy_from_slice(&self.slots[range]);
        copy
    }

    pub(crate) fn high(&self) -> usize {
        self.high
    }
}

/// What one shader stage has bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageBindings {
    pub(crate) shader: Option<ShaderHandle>,
    pub(crate) constant_buffers: SlotArray<ConstantBufferBinding, CONSTANT_BUFFER_SLOTS>,
    pub(crate) resources: SlotArray<Option<ShaderResourceViewHandle>, SHADER_RESOURCE_SLOTS>,
    pub(crate) samplers: SlotArray<Option<SamplerHandle>, SAMPLER_SLOTS>,
}

impl Default for StageBindings {
    fn default() -> Self {
        Self {
            shader: None,
            constant_buffers: SlotArray::new(),
            resources: SlotArray::new(),
            samplers: SlotArray::new(),
        }
    }
}

/// All that is bound in a context. The default is D3D11's default state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) input_layout: Option<ElementLayoutHandle>,
    pub(crate) vertex_buffers: SlotArray<VertexBufferBinding, VERTEX_BUFFER_SLOTS>,
    pub(crate) index_buffer: IndexBufferBinding,
    pub(crate) topology: PrimitiveTopology,
    pub(crate) stages: [StageBindings; ShaderStage::COUNT],
    pub(crate) rasterizer: Option<RasterizerStateHandle>,
    pub(crate) viewports: Vec<Viewport>,
    pub(crate) scissor_rects: Vec<Rect>,
    pub(crate) blend: BlendBinding,
    pub(crate) depth_stencil: DepthStencilBinding,
    pub(crate) render_targets: SlotArray<Option<RenderTargetViewHandle>, RENDER_TARGET_SLOTS>,
    pub(crate) depth_stencil_view: Option<DepthStencilViewHandle>,
}

impl Default for Bound {
    fn default() -> Self {
        Self::with(Vec::with_capacity(VIEWPORT_SLOTS), Vec::with_capacity(VIEWPORT_SLOTS))
    }
}

impl Bound {
    /// The default, with memory for what has no fixed number.
    fn with(viewports: Vec<Viewport>, scissor_rects: Vec<Rect>) -> Self {
        Self {
            input_layout: None,
            vertex_buffers: SlotArray::new(),
            index_buffer: IndexBufferBinding::default(),
            topology: PrimitiveTopology::Undefined,
            stages: Default::default(),
            rasterizer: None,
            viewports,
            scissor_rects,
            blend: BlendBinding::default(),
            depth_stencil: DepthStencilBinding::default(),
            render_targets: SlotArray::new(),
            depth_stencil_view: None,
        }
    }

    /// Goes back to the default, without an allocation.
    pub(crate) fn reset(&mut self) {
        let mut viewports = std::mem::take(&mut self.viewports);
        let mut scissor_rects = std::mem::take(&mut self.scissor_rects);
        viewports.clear();
        scissor_rects.clear();
        *self = Self::with(viewports, scissor_rects);
    }

    #[inline]
    pub(crate) fn stage(&self, stage: ShaderStage) -> &StageBindings {
        &self.stages[stage.index()]
    }

    #[inline]
    pub(crate) fn stage_mut(&mut self, stage: ShaderStage) -> &mut StageBindings {
        &mut self.stages[stage.index()]
    }

    /// Lowers every high-water mark to what is in use.
    pub(crate) fn trim(&mut self) {
        self.vertex_buffers.trim();
        self.render_targets.trim();
        for stage in &mut self.stages {
            stage.constant_buffers.trim();
            stage.resources.trim();
            stage.samplers.trim();
        }
    }

    /// The key of everything that is bound; a key may come more than once.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        keys.extend(self.input_layout.map(|h| h.key()));
        keys.extend(self.vertex_buffers.get(None).iter().filter_map(|b| b.buffer).map(|h| h.key()));
        keys.extend(self.index_buffer.buffer.map(|h| h.key()));
        for stage in &self.stages {
            keys.extend(stage.shader.map(|h| h.key()));
            keys.extend(stage.constant_buffers.get(None).iter().filter_map(|b| b.buffer).map(|h| h.key()));
            keys.extend(stage.resources.get(None).iter().flatten().map(|h| h.key()));
            keys.extend(stage.samplers.get(None).iter().flatten().map(|h| h.key()));
        }
        keys.extend(self.rasterizer.map(|h| h.key()));
        keys.extend(self.blend.state.map(|h| h.key()));
        keys.extend(self.depth_stencil.state.map(|h| h.key()));
        keys.extend(self.render_targets.get(None).iter().flatten().map(|h| h.key()));
        keys.extend(self.depth_stencil_view.map(|h| h.key()));
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_grows_with_use_and_falls_only_by_trimming() {
        let mut slots: SlotArray<u8, 8> = SlotArray::new();
        assert!(slots.set(5, 1) && !slots.set(5, 1));
        assert!(slots.set(5, 0));
        assert_eq!(slots.get(None).len(), 6);
        slots.trim();
        assert_eq!(slots.get(None).len(), 0);
        assert!(!slots.set(8, 1), "out of range changes nothing");
    }
}
