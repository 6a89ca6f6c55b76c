//! The whole state at once: cleared, or set to what it was.

use onze_ddi::ShaderStage;

use super::{
    DeviceContext,
    bound::{Bound, RENDER_TARGET_SLOTS},
};

impl DeviceContext {
    /// Unbinds everything and sets every state to its default. D3D11: `ClearState`.
    pub fn clear_state(&mut self) {
        self.apply_state(&Bound::default());
    }

    /// Sets all that differs from `target`. What it holds must be open.
    pub(crate) fn apply_state(&mut self, target: &Bound) {
        let high = |a: usize, b: usize| a.max(b);
        // Outputs go first when they are unbound, inputs first when they are bound: neither matters to
        // hazards, as a state that is applied has none.
        let color: Vec<_> = (0..RENDER_TARGET_SLOTS).map(|i| target.render_targets.at(i)).collect();
        self.bind_render_targets(&color, target.depth_stencil_view);
        self.bind_input_layout(target.input_layout);
        let count = high(self.core.rt.bound.vertex_buffers.high(), target.vertex_buffers.high());
        self.bind_vertex_buffers(0, (0..count).map(|i| target.vertex_buffers.at(i)));
        self.bind_index_buffer(target.index_buffer);
        self.ia_set_primitive_topology(target.topology);
        for stage in ShaderStage::ALL {
            let from = self.core.rt.bound.stage(stage);
            let to = target.stage(stage);
            let buffers = high(from.constant_buffers.high(), to.constant_buffers.high());
            let resources = high(from.resources.high(), to.resources.high());
            let samplers = high(from.samplers.high(), to.samplers.high());
            self.bind_shader(stage, to.shader);
            self.bind_constant_buffers(stage, 0, (0..buffers).map(|i| to.constant_buffers.at(i)));
            self.bind_shader_resources(stage, 0, (0..resources).map(|i| to.resources.at(i)));
            self.bind_samplers(stage, 0, (0..samplers).map(|i| to.samplers.at(i)));
        }
        self.bind_rasterizer_state(target.rasterizer);
        self.bind_viewports(&target.viewports);
        self.bind_scissor_rects(&target.scissor_rects);
        self.bind_blend(target.blend);
        self.bind_depth_stencil(target.depth_stencil);
        self.core.rt.bound.trim();
    }
}
