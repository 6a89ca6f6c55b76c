//! Commands: what a page is made of. One small plain value per call, 16 bytes each.
//!
//! A command names objects by their index in its page's object table ([`ObjectIndex`]). What does not
//! fit into 16 bytes stands in one of the page's side arrays, at the index that the command holds.

use onze_ddi::{PrimitiveTopology, ShaderStage};

/// Index into a page's object table; [`NO_OBJECT`] for none.
pub(crate) type ObjectIndex = u16;

/// Nothing is bound.
pub(crate) const NO_OBJECT: ObjectIndex = ObjectIndex::MAX;

/// One recorded call.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// [`crate::page::PageObject::ElementLayout`].
    SetInputLayout(ObjectIndex),
    /// Offsets are absolute for a buffer, relative for an import; `size` is what is left from there to
    /// the buffer's end.
    SetVertexBuffer {
        slot: u8,
        object: ObjectIndex,
        stride: u16,
        offset: u32,
        size: u32,
    },
    /// `wide`: 32-bit indices.
    SetIndexBuffer {
        wide: bool,
        object: ObjectIndex,
        offset: u32,
        size: u32,
    },
    SetTopology(PrimitiveTopology),
    SetShader {
        stage: ShaderStage,
        object: ObjectIndex,
    },
    /// `size` is that of the part that the shader sees, cut to the buffer. `stages` has a bit for each
    /// stage whose slot it is; see [`stage_bit`].
    SetConstantBuffer {
        stages: u8,
        slot: u8,
        object: ObjectIndex,
        offset: u32,
        size: u32,
    },
    SetShaderResource {
        stage: ShaderStage,
        slot: u8,
        object: ObjectIndex,
    },
    SetSampler {
        stage: ShaderStage,
        slot: u8,
        object: ObjectIndex,
    },
    SetRasterizerState(ObjectIndex),
    /// Index into `page.blends`.
    SetBlend(u32),
    SetDepthStencilState {
        stencil_ref: u8,
        object: ObjectIndex,
    },
    /// Index into `page.viewports` of the first viewport; `None` for none.
    SetViewport(Option<u32>),
    /// Index into `page.rects` of the first rectangle; `None` for none.
    SetScissor(Option<u32>),
    /// Index into `page.targets`.
    SetTargets(u32),
    /// A draw alone.
    Draw {
        vertex_count: u32,
        start_vertex: u32,
    },
    /// Draws with nothing between them: `count` of `page.plain_draws`.
    Draws {
        first: u32,
        count: u32,
    },
    /// A draw alone.
    DrawIndexed {
        index_count: u32,
        start_index: u32,
        base_vertex: i32,
    },
    /// Draws with nothing between them: `count` of `page.indexed_draws`.
    DrawsIndexed {
        first: u32,
        count: u32,
    },
    /// Draws with nothing between them, or one: `count` of `page.instanced_draws`.
    DrawsInstanced {
        first: u32,
        count: u32,
    },
    /// Draws with nothing between them, or one: `count` of `page.instanced_draws`.
    DrawsIndexedInstanced {
        first: u32,
        count: u32,
    },
    /// `color` is an index into `page.colors`.
    ClearRenderTarget {
        object: ObjectIndex,
        color: u32,
    },
    /// `flags` are [`onze_ddi::ClearFlags`].
    ClearDepthStencil {
        object: ObjectIndex,
        flags: u8,
        stencil: u8,
        depth: f32,
    },
    /// Index into `page.copies`.
    Copy(u32),
    /// A shader-resource view.
    GenerateMips(ObjectIndex),
    /// Index into `page.queries`.
    BeginQuery(u32),
    /// Index into `page.queries`.
    EndQuery(u32),
    /// Index into `page.names`.
    BeginEvent(u32),
    EndEvent,
    /// Index into `page.names`.
    SetMarker(u32),
    /// Compiles what a draw would need.
    PrepareDraw,
}

impl Command {
    /// It changes what is bound, and nothing else.
    pub(crate) const fn is_setter(self) -> bool {
        matches!(
            self,
            Self::SetInputLayout(_)
                | Self::SetVertexBuffer { .. }
                | Self::SetIndexBuffer { .. }
                | Self::SetTopology(_)
                | Self::SetShader { .. }
                | Self::SetConstantBuffer { .. }
                | Self::SetShaderResource { .. }
                | Self::SetSampler { .. }
                | Self::SetRasterizerState(_)
                | Self::SetBlend(_)
                | Self::SetDepthStencilState { .. }
                | Self::SetViewport(_)
                | Self::SetScissor(_)
                | Self::SetTargets(_)
        )
    }

    /// It draws.
    pub(crate) const fn is_draw(self) -> bool {
        matches!(
            self,
            Self::Draw { .. }
                | Self::Draws { .. }
                | Self::DrawIndexed { .. }
                | Self::DrawsIndexed { .. }
                | Self::DrawsInstanced { .. }
                | Self::DrawsIndexedInstanced { .. }
        )
    }
}

/// The bit of a stage in `Command::SetConstantBuffer`.
pub(crate) const fn stage_bit(stage: ShaderStage) -> u8 {
    1 << stage.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_sixteen_bytes() {
        assert_eq!(size_of::<Command>(), 16);
    }
}
