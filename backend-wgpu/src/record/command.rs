//! Commands: what a page is made of. One small plain value per call, 16 bytes each.
//!
//! A command names objects by their index in an object table ([`ObjectIndex`]). What does not
//! fit into 16 bytes stands in one of the page's side arrays, at the index that the command holds.

use std::fmt;

use onze_ddi::{PrimitiveTopology, ShaderStage};

/// Index into an object table; [`NO_OBJECT`] for none.
pub(crate) type ObjectIndex = u16;

/// Nothing is bound.
pub(crate) const NO_OBJECT: ObjectIndex = ObjectIndex::MAX;

/// One recorded call.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Up to three short binds, in the order of the calls.
    Binds(Binds),
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
    /// `size` is that of the part that the shader sees, cut to the buffer. `stages` has a bit for each
    /// stage whose slot it is; see [`stage_bit`].
    SetConstantBuffer {
        stages: u8,
        slot: u8,
        object: ObjectIndex,
        offset: u32,
        size: u32,
    },
    /// Index into `page.blend_factors`.
    SetBlendFactor(u32),
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
            Self::Binds(_)
                | Self::SetVertexBuffer { .. }
                | Self::SetIndexBuffer { .. }
                | Self::SetConstantBuffer { .. }
                | Self::SetBlendFactor(_)
                | Self::SetViewport(_)
                | Self::SetScissor(_)
                | Self::SetTargets(_)
        )
    }

    /// The buffer that it binds.
    pub(crate) const fn buffer(self) -> Option<ObjectIndex> {
        match self {
            Self::SetVertexBuffer { object, .. }
            | Self::SetIndexBuffer { object, .. }
            | Self::SetConstantBuffer { object, .. } => Some(object),
            _ => None,
        }
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

/// A bind that takes no more than four bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    /// [`crate::record::object_table::PageObject::ElementLayout`].
    InputLayout(ObjectIndex),
    Topology(PrimitiveTopology),
    Shader {
        stage: ShaderStage,
        object: ObjectIndex,
    },
    ShaderResource {
        at: StageSlot,
        object: ObjectIndex,
    },
    Sampler {
        at: StageSlot,
        object: ObjectIndex,
    },
    RasterizerState(ObjectIndex),
    BlendState(ObjectIndex),
    DepthStencilState {
        stencil_ref: u8,
        object: ObjectIndex,
    },
}

/// A slot of a stage, of the 128 that a stage may have.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) struct StageSlot(u8);

impl StageSlot {
    const PIXEL: u8 = 128;

    #[inline]
    pub(crate) const fn new(stage: ShaderStage, slot: u32) -> Self {
        let slot = slot as u8 & (Self::PIXEL - 1);
        match stage {
            ShaderStage::Vertex => Self(slot),
            ShaderStage::Pixel => Self(slot | Self::PIXEL),
        }
    }

    #[inline]
    pub(crate) const fn stage(self) -> ShaderStage {
        if self.0 < Self::PIXEL { ShaderStage::Vertex } else { ShaderStage::Pixel }
    }

    #[inline]
    pub(crate) const fn slot(self) -> usize {
        (self.0 & (Self::PIXEL - 1)) as usize
    }
}

impl fmt::Debug for StageSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.stage(), self.slot())
    }
}

/// What fits of [`Bind`]s into one command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binds {
    count: u8,
    /// Those beyond `count` mean nothing.
    binds: [Bind; 3],
}

impl Binds {
    #[inline]
    pub(crate) const fn new(bind: Bind) -> Self {
        Self { count: 1, binds: [bind; 3] }
    }

    /// Adds a bind; false if there is no room.
    #[inline]
    pub(crate) fn add(&mut self, bind: Bind) -> bool {
        let Some(place) = self.binds.get_mut(usize::from(self.count)) else { return false };
        *place = bind;
        self.count += 1;
        true
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Bind> {
        self.binds.get(..self.count.into()).unwrap_or_default().iter().copied()
    }
}

/// The bit of a stage in `Command::SetConstantBuffer`.
pub(crate) const fn stage_bit(stage: ShaderStage) -> u8 {
    1 << stage.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a draw costs in memory and in bandwidth rests on these.
    #[test]
    fn what_is_recorded_has_the_size_that_was_chosen() {
        use crate::record::object_table::PageObject;
        use crate::record::page::{BlendFactor, IndexedDraw, InstancedDraw, PlainDraw};
        let commands = [size_of::<Command>(), size_of::<Binds>(), size_of::<Bind>(), size_of::<StageSlot>()];
        assert_eq!(commands, [16, 14, 4, 1]);
        let draws = [size_of::<PlainDraw>(), size_of::<IndexedDraw>(), size_of::<InstancedDraw>()];
        assert_eq!(draws, [8, 12, 20]);
        assert_eq!([size_of::<PageObject>(), size_of::<BlendFactor>()], [16, 20]);
    }

    #[test]
    fn three_binds_fit_into_a_command_and_keep_their_order() {
        let all = [
            Bind::InputLayout(7),
            Bind::ShaderResource { at: StageSlot::new(ShaderStage::Pixel, 127), object: NO_OBJECT },
            Bind::Sampler { at: StageSlot::new(ShaderStage::Vertex, 15), object: 3 },
        ];
        let mut binds = Binds::new(all[0]);
        assert!(binds.add(all[1]) && binds.iter().eq(all[..2].iter().copied()));
        assert!(binds.add(all[2]) && binds.iter().eq(all));
        assert!(!binds.add(all[0]) && binds.iter().eq(all));
        let slots = [(ShaderStage::Pixel, 127), (ShaderStage::Pixel, 0), (ShaderStage::Vertex, 127)];
        for (stage, slot) in slots {
            let at = StageSlot::new(stage, slot);
            assert_eq!((at.stage(), at.slot()), (stage, slot as usize));
        }
    }
}
