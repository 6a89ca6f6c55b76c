//! The runtime's copy of a context's bindings. Setters use it to skip redundant calls, getters return its
//! contents, and drivers read it to refresh their state.

use std::ops::Range;

use onze_ddi::*;

use crate::validate::VIEWPORT_SLOTS;

const CONSTANT_BUFFER_SLOTS: usize = SlotClass::ConstantBuffer.slots() as usize;
const SHADER_RESOURCE_SLOTS: usize = SlotClass::ShaderResource.slots() as usize;
const SAMPLER_SLOTS: usize = SlotClass::Sampler.slots() as usize;
/// Number of `u` slots of a stage (D3D11: `D3D11_PS_CS_UAV_REGISTER_COUNT`).
pub(crate) const UNORDERED_ACCESS_SLOTS: usize = SlotClass::UnorderedAccess.slots() as usize;
/// Number of vertex buffer slots of a context (D3D11: `D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT`).
pub(crate) const VERTEX_BUFFER_SLOTS: usize = 32;
/// Number of colour targets that can be bound at once (D3D11: `D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT`).
pub(crate) const RENDER_TARGET_SLOTS: usize = 8;

/// Number of slots that [`SlotStore::few`] copies at most.
const FEW: usize = 8;

/// Slots of one class, with a high-water mark that no slot in use exceeds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SlotArray<T, const N: usize> {
    slots: [T; N],
    high: usize,
}

impl<T: Copy + PartialEq + Default, const N: usize> SlotArray<T, N> {
    fn new() -> Self {
        Self { slots: [T::default(); N], high: 0 }
    }

    /// Returns the slots in a range, or the slots up to the high-water mark if the range is `None`.
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

    /// Returns whether a slot has this value, or false if the slot is out of range.
    #[inline]
    pub(crate) fn holds(&self, slot: usize, value: T) -> bool {
        self.slots.get(slot).is_some_and(|held| *held == value)
    }

    /// Stores a value in one slot and returns whether the slot changed, or false if the slot is out of range.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, value: T) -> bool {
        let changes = self.slots.get(slot).is_some_and(|held| *held != value);
        if changes {
            self.put(slot, value);
        }
        changes
    }

    /// Stores a value in one slot without a comparison, or does nothing if the slot is out of range.
    #[inline]
    pub(crate) fn put(&mut self, slot: usize, value: T) {
        if let Some(held) = self.slots.get_mut(slot) {
            *held = value;
            self.high = self.high.max(slot + 1);
        }
    }

    /// Lowers the high-water mark to the last slot in use.
    pub(crate) fn trim(&mut self) {
        while self.high > 0 && self.slots[self.high - 1] == T::default() {
            self.high -= 1;
        }
    }

    /// Returns a copy of the slots in `range`, for a driver call that borrows the context.
    pub(crate) fn copy(&self, range: Range<usize>) -> [T; N] {
        let mut copy = [T::default(); N];
        copy[..range.len()].copy_from_slice(&self.slots[range]);
        copy
    }

    pub(crate) fn high(&self) -> usize {
        self.high
    }
}

/// One stage's slots of one class, independent of the number of slots.
pub(crate) trait SlotStore<T>: Clone {
    fn get(&self, range: Option<Range<u32>>) -> &[T];
    fn at(&self, slot: usize) -> T;
    fn set(&mut self, slot: usize, value: T) -> bool;
    fn high(&self) -> usize;

    /// Returns a copy of the slots from `first` to `end` and of some after them, or `None` if there are too many for
    /// a small copy.
    #[inline]
    fn few(&self, first: usize, end: usize) -> Option<[T; FEW]> {
        (end - first <= FEW).then(|| std::array::from_fn(|i| self.at(first + i)))
    }

    /// Stores values in consecutive slots, and returns the first changed slot and the slot after the last
    /// changed one, or `None` if no slot changed.
    #[inline]
    fn store(&mut self, start: usize, values: impl Iterator<Item = T>) -> Option<(usize, usize)> {
        let mut changed = None;
        for (slot, value) in (start..).zip(values) {
            if self.set(slot, value) {
                changed = Some((changed.map_or(slot, |(first, _)| first), slot + 1));
            }
        }
        changed
    }
}

impl<T: Copy + PartialEq + Default, const N: usize> SlotStore<T> for SlotArray<T, N> {
    #[inline]
    fn get(&self, range: Option<Range<u32>>) -> &[T] {
        self.get(range)
    }
    #[inline]
    fn at(&self, slot: usize) -> T {
        self.at(slot)
    }
    #[inline]
    fn set(&mut self, slot: usize, value: T) -> bool {
        self.set(slot, value)
    }
    #[inline]
    fn high(&self) -> usize {
        self.high()
    }
}

/// A class of slots that each stage has, with access to its storage in [`StageBindings`].
pub(crate) trait BoundSlots: StageSlots {
    type Store: SlotStore<Self::Binding>;
    fn of(stage: &StageBindings) -> &Self::Store;
    fn of_mut(stage: &mut StageBindings) -> &mut Self::Store;
}

macro_rules! bound_slots {
    ($($class:ident $field:ident $slots:ident;)*) => {$(
        impl BoundSlots for $class {
            type Store = SlotArray<Self::Binding, $slots>;
            #[inline]
            fn of(stage: &StageBindings) -> &Self::Store {
                &stage.$field
            }
            #[inline]
            fn of_mut(stage: &mut StageBindings) -> &mut Self::Store {
                &mut stage.$field
            }
        }
    )*};
}
bound_slots! {
    ConstantBuffers constant_buffers CONSTANT_BUFFER_SLOTS;
    ShaderResources shader_resources SHADER_RESOURCE_SLOTS;
    Samplers samplers SAMPLER_SLOTS;
    UnorderedAccessViews unordered_access_views UNORDERED_ACCESS_SLOTS;
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageBindings {
    pub(crate) shader: Option<ShaderHandle>,
    pub(crate) constant_buffers: SlotArray<ConstantBufferBinding, CONSTANT_BUFFER_SLOTS>,
    pub(crate) shader_resources: SlotArray<Option<ShaderResourceViewHandle>, SHADER_RESOURCE_SLOTS>,
    pub(crate) samplers: SlotArray<Option<SamplerHandle>, SAMPLER_SLOTS>,
    /// The unordered-access views of the pixel stage are bound together with the render targets.
    pub(crate) unordered_access_views: SlotArray<Option<UnorderedAccessViewHandle>, UNORDERED_ACCESS_SLOTS>,
}

impl Default for StageBindings {
    fn default() -> Self {
        Self {
            shader: None,
            constant_buffers: SlotArray::new(),
            shader_resources: SlotArray::new(),
            samplers: SlotArray::new(),
            unordered_access_views: SlotArray::new(),
        }
    }
}

/// All bindings of a context, with D3D11's default state as the default value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) input_layout: Option<ElementLayoutHandle>,
    pub(crate) vertex_buffers: SlotArray<VertexBufferBinding, VERTEX_BUFFER_SLOTS>,
    pub(crate) index_buffer: IndexBufferBinding,
    pub(crate) primitive_topology: PrimitiveTopology,
    pub(crate) stages: PerStage<StageBindings>,
    /// True if the application explicitly set the pixel shader to `None`.
    pub(crate) no_pixel_shader_is_meant: bool,
    /// The back buffer that was last presented, if the present unbound it and left no colour target bound.
    /// Reset to `None` when the application binds targets.
    pub(crate) unbound_by_present: Option<Key>,
    pub(crate) rasterizer_state: Option<RasterizerStateHandle>,
    pub(crate) viewports: Vec<Viewport>,
    pub(crate) scissor_rects: Vec<Rect>,
    pub(crate) blend_state: BlendBinding,
    pub(crate) depth_stencil_state: DepthStencilBinding,
    pub(crate) predication: PredicationBinding,
    pub(crate) render_targets: SlotArray<Option<RenderTargetViewHandle>, RENDER_TARGET_SLOTS>,
    pub(crate) depth_stencil_view: Option<DepthStencilViewHandle>,
    pub(crate) stream_targets: SlotArray<Option<ResourceHandle>, STREAM_OUTPUT_SLOTS>,
}

impl Default for Bound {
    fn default() -> Self {
        Self::with(Vec::with_capacity(VIEWPORT_SLOTS), Vec::with_capacity(VIEWPORT_SLOTS))
    }
}

impl Bound {
    /// Returns the default bindings, and reuses the allocations of `viewports` and `scissor_rects`.
    fn with(viewports: Vec<Viewport>, scissor_rects: Vec<Rect>) -> Self {
        Self {
            input_layout: None,
            vertex_buffers: SlotArray::new(),
            index_buffer: IndexBufferBinding::default(),
            primitive_topology: PrimitiveTopology::Undefined,
            stages: PerStage::default(),
            no_pixel_shader_is_meant: false,
            unbound_by_present: None,
            rasterizer_state: None,
            viewports,
            scissor_rects,
            blend_state: BlendBinding::default(),
            depth_stencil_state: DepthStencilBinding::default(),
            predication: PredicationBinding::default(),
            render_targets: SlotArray::new(),
            depth_stencil_view: None,
            stream_targets: SlotArray::new(),
        }
    }

    /// Resets all bindings to the default without allocating.
    pub(crate) fn reset(&mut self) {
        let mut viewports = std::mem::take(&mut self.viewports);
        let mut scissor_rects = std::mem::take(&mut self.scissor_rects);
        viewports.clear();
        scissor_rects.clear();
        *self = Self::with(viewports, scissor_rects);
    }

    /// Lowers every high-water mark to the last slot in use.
    pub(crate) fn trim(&mut self) {
        self.vertex_buffers.trim();
        self.render_targets.trim();
        self.stream_targets.trim();
        for (_, stage) in self.stages.iter_mut() {
            stage.constant_buffers.trim();
            stage.shader_resources.trim();
            stage.samplers.trim();
            stage.unordered_access_views.trim();
        }
    }

    /// Returns the keys of all bound objects, possibly with duplicates.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        self.for_each_bound(&mut |key| keys.push(key));
        keys
    }
}

/// Implements the state callbacks, each by returning the field with the same name.
macro_rules! shown {
    ($($(#[$doc:meta])* $class:ident $name:ident -> $bound:ty;)*) => {
        impl StateRefresh for Bound { $(shown! { @$class $name -> $bound })* }
    };
    (@one render_targets -> $bound:ty) => {
        fn render_targets(&self) -> $bound {
            let color = self.render_targets.get(None);
            TargetsBinding { color, depth_stencil: self.depth_stencil_view }
        }
    };
    (@one stream_targets -> $bound:ty) => {
        fn stream_targets(&self) -> $bound {
            self.stream_targets.get(None)
        }
    };
    (@one viewports -> $bound:ty) => {
        fn viewports(&self) -> $bound {
            &self.viewports
        }
    };
    (@one scissor_rects -> $bound:ty) => {
        fn scissor_rects(&self) -> $bound {
            &self.scissor_rects
        }
    };
    (@one $name:ident -> $bound:ty) => {
        fn $name(&self) -> $bound {
            self.$name
        }
    };
    (@slots $name:ident -> $bound:ty) => {
        fn $name(&self, slots: Option<Range<u32>>) -> &[$bound] {
            self.$name.get(slots)
        }
    };
    (@stage $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage) -> $bound {
            self.stages[stage].$name
        }
    };
    (@stage_slots $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[$bound] {
            self.stages[stage].$name.get(slots)
        }
    };
}
state_callbacks!(shown);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trim_lowers_the_high_water_mark() {
        let mut slots: SlotArray<u8, 8> = SlotArray::new();
        assert!(slots.set(5, 1) && !slots.set(5, 1));
        assert!(slots.set(5, 0));
        assert_eq!(slots.get(None).len(), 6);
        slots.trim();
        assert_eq!(slots.get(None).len(), 0);
        assert!(!slots.set(8, 1), "out of range changes nothing");
    }
}
