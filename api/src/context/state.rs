//! Clearing and restoring of a context's complete state.

use onze_ddi::{ConstantBuffers, Samplers, ShaderResources, ShaderStage, UnorderedAccessViews};

use super::{
    DeviceContext,
    bound::{Bound, BoundSlots, RENDER_TARGET_SLOTS, SlotStore, StageBindings},
};

impl DeviceContext {
    /// Unbinds everything and sets every state to its default (D3D11: `ClearState`).
    #[doc(alias = "ClearState")]
    pub fn clear_state(&mut self) {
        self.apply_state(&Bound::default());
    }

    /// Sets all bindings and states that differ from `target`, whose objects must be open.
    pub(crate) fn apply_state(&mut self, target: &Bound) {
        let high = |a: usize, b: usize| a.max(b);
        // Outputs and inputs can be bound in any order, because the bindings of a saved state do not
        // conflict.
        let color: Vec<_> = (0..RENDER_TARGET_SLOTS).map(|i| target.render_targets.at(i)).collect();
        self.bind_render_targets(&color, target.depth_stencil_view);
        self.bind_stream_targets(target.stream_targets.get(None));
        self.bind_input_layout(target.input_layout);
        let count = high(self.core.rt.bound.vertex_buffers.high(), target.vertex_buffers.high());
        self.bind_vertex_buffers(0, (0..count).map(|i| target.vertex_buffers.at(i)));
        self.bind_index_buffer(target.index_buffer);
        self.ia_set_primitive_topology(target.primitive_topology);
        for stage in ShaderStage::ALL {
            let to = &target.stages[stage];
            self.bind_shader(stage, to.shader);
            self.apply_slots::<ConstantBuffers>(stage, to);
            self.apply_slots::<ShaderResources>(stage, to);
            self.apply_slots::<Samplers>(stage, to);
            self.apply_slots::<UnorderedAccessViews>(stage, to);
        }
        self.bind_rasterizer_state(target.rasterizer_state);
        self.bind_viewports(&target.viewports);
        self.bind_scissor_rects(&target.scissor_rects);
        self.bind_blend(target.blend_state);
        self.bind_depth_stencil(target.depth_stencil_state);
        self.bind_predication(target.predication);
        self.core.rt.bound.no_pixel_shader_is_meant = target.no_pixel_shader_is_meant;
        self.core.rt.bound.unbound_by_present = target.unbound_by_present;
        self.core.rt.bound.trim();
    }

    fn apply_slots<C: BoundSlots>(&mut self, stage: ShaderStage, target: &StageBindings) {
        let (from, to) = (C::of(&self.core.rt.bound.stages[stage]), C::of(target));
        let slots = from.high().max(to.high());
        self.bind_slots::<C>(stage, 0, (0..slots).map(|i| to.at(i)));
    }
}
