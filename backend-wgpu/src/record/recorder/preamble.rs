//! The preamble, which sets the state at the start of a page so that the page can be encoded without the
//! pages before it.
//!
//! Encoding starts from the default state, so the preamble contains only the differences from it, read from
//! the runtime's state callbacks and written with the same code as the setters.

use onze_ddi::{BlendBinding, DepthStencilBinding, PrimitiveTopology, ShaderStage};

use crate::record::recorder::{PageSink, RecordScope};

impl<E: PageSink> RecordScope<'_, E> {
    /// Writes every current binding that differs from the default state.
    pub(crate) fn preamble(&mut self) {
        let Self { writer, core } = self;
        let targets = core.render_targets();
        if targets.depth_stencil.is_some() || targets.color.iter().any(Option::is_some) {
            writer.set_targets(targets);
        }
        if core.stream_targets().iter().any(Option::is_some) {
            writer.set_stream_targets(core.stream_targets());
        }
        if let Some(layout) = core.input_layout() {
            writer.set_input_layout(Some(layout));
        }
        writer.set_vertex_buffers(0, core.vertex_buffers(None));
        let indices = core.index_buffer();
        if indices.buffer.is_some() {
            writer.set_index_buffer(indices);
        }
        if core.primitive_topology() != PrimitiveTopology::default() {
            writer.set_topology(core.primitive_topology());
        }
        for stage in ShaderStage::ALL {
            if let Some(shader) = core.shader(stage) {
                writer.set_shader(stage, Some(shader));
            }
            writer.set_constant_buffers(stage, 0, core.constant_buffers(stage, None));
            writer.set_shader_resources(stage, 0, core.shader_resources(stage, None));
            writer.set_samplers(stage, 0, core.samplers(stage, None));
            writer.set_unordered_access_views(stage, 0, core.unordered_access_views(stage, None));
        }
        if let Some(state) = core.rasterizer_state() {
            writer.set_rasterizer_state(Some(state));
        }
        if !core.viewports().is_empty() {
            writer.set_viewports(core.viewports());
        }
        if !core.scissor_rects().is_empty() {
            writer.set_scissor_rects(core.scissor_rects());
        }
        if core.blend_state() != BlendBinding::default() {
            writer.set_blend(core.blend_state());
        }
        if core.depth_stencil_state() != DepthStencilBinding::default() {
            writer.set_depth_stencil(core.depth_stencil_state());
        }
    }
}
