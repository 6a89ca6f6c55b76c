//! Pages: the driver's command buffers.
//!
//! A page starts with a preamble that sets the whole state. So it can be encoded without its neighbours, and the state
//! before it does not matter. Its objects stand in an [object table](crate::record::object_table), its own or its
//! list's.

use crate::services::sizes::COMMANDS_PER_DRAW;

use std::{ops::Range, sync::Arc};

use onze_ddi::{Format, Rect, Viewport};

use crate::{
    objects::{query::Query, shader::packed},
    record::{
        command::{Command, ObjectIndex},
        encode_slot::EncodeSlot,
        min_lods::MinLods,
        object_table::PageObject,
        recycle::{Recycle, RecycleQueue},
    },
};

/// `SetTargets`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Targets {
    /// Colour targets; `NO_OBJECT` for empty slots.
    pub(crate) color: [ObjectIndex; 8],
    /// The depth-stencil target or `NO_OBJECT`.
    pub(crate) depth_stencil: ObjectIndex,
}

/// `SetBlendFactor`: what is set with a blend state and seldom changes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct BlendFactor {
    /// The blend factor.
    pub(crate) factor: [f32; 4],
    /// The sample mask.
    pub(crate) sample_mask: u32,
}

impl Default for BlendFactor {
    fn default() -> Self {
        Self { factor: [1.0; 4], sample_mask: u32::MAX }
    }
}

/// `Draw`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainDraw {
    /// Vertices.
    pub(crate) count: u32,
    /// First vertex.
    pub(crate) start: u32,
}

impl From<PlainDraw> for InstancedDraw {
    fn from(draw: PlainDraw) -> Self {
        let PlainDraw { count, start } = draw;
        Self { count, instance_count: 1, start, base_vertex: 0, start_instance: 0 }
    }
}

/// `DrawIndexed`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedDraw {
    /// Indices.
    pub(crate) count: u32,
    /// First index.
    pub(crate) start: u32,
    /// Added to each index.
    pub(crate) base_vertex: i32,
}

impl From<IndexedDraw> for InstancedDraw {
    fn from(draw: IndexedDraw) -> Self {
        let IndexedDraw { count, start, base_vertex } = draw;
        Self { count, instance_count: 1, start, base_vertex, start_instance: 0 }
    }
}

/// `DrawInstanced` (start is the first vertex, base is 0) and `DrawIndexedInstanced`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstancedDraw {
    /// Vertices or indices per instance.
    pub(crate) count: u32,
    /// Instances.
    pub(crate) instance_count: u32,
    /// First vertex or index.
    pub(crate) start: u32,
    /// Added to each index.
    pub(crate) base_vertex: i32,
    /// First instance.
    pub(crate) start_instance: u32,
}

impl InstancedDraw {
    /// Vertices or indices, and instances; `None` if they are more than numbers have.
    #[inline]
    pub(crate) fn ranges(&self) -> Option<(Range<u32>, Range<u32>)> {
        let last = self.start.checked_add(self.count)?;
        let last_instance = self.start_instance.checked_add(self.instance_count)?;
        Some((self.start..last, self.start_instance..last_instance))
    }
}

/// A place in a buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferPlace {
    /// `PageObject::Buffer` or `PageObject::Import`.
    pub(crate) object: ObjectIndex,
    /// As in commands: absolute for a buffer, relative for an import.
    pub(crate) offset: u64,
}

/// A place in a texture.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TexturePlace {
    /// `PageObject::Resource` or `PageObject::Texture`, or an import that is a texture.
    pub(crate) object: ObjectIndex,
    /// Mip level.
    pub(crate) mip: u32,
    /// x, y in texels, and the slice.
    pub(crate) origin: [u32; 3],
}

/// An element of a buffer. One that is shorter than a word is repeated in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The first `words` count.
    pub(crate) bits: [u32; 4],
    /// 1, 2 or 4.
    pub(crate) words: u8,
}

impl Element {
    /// One word.
    pub(crate) const fn word(word: u32) -> Self {
        Self { bits: [word, 0, 0, 0], words: 1 }
    }

    /// An element of a format, of the lowest bits of each component.
    pub(crate) fn of(format: Format, values: [u32; 4]) -> Self {
        let [word, rest @ ..] = packed(format, values);
        match format.bytes_per_block() {
            1 => Self::word(word * 0x0101_0101),
            2 => Self::word(word * 0x0001_0001),
            bytes => {
                let [second, third, fourth] = rest;
                Self {
                    bits: [word, second, third, fourth],
                    words: bytes.div_ceil(4).next_power_of_two() as u8,
                }
            }
        }
    }
}

/// Something that moves data between draws.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    /// One value for all elements of a part of a buffer, at a multiple of their size.
    Fill {
        /// The value.
        element: Element,
        /// Where to.
        dst: BufferPlace,
        /// Bytes, a multiple of the element's.
        size: u64,
    },
    /// One value for all texels that a view of a texture sees.
    FillTexture {
        /// The value.
        element: Element,
        /// `PageObject::View`.
        view: ObjectIndex,
    },
    /// Bytes; any offset and size, also within one wgpu buffer (the ranges do not overlap unless they
    /// are the same).
    BufferToBuffer {
        /// Where from.
        src: BufferPlace,
        /// Where to.
        dst: BufferPlace,
        /// Bytes.
        size: u64,
    },
    /// Texels from a buffer: `bytes_per_row` is a multiple of 256, the offset one of the block size.
    BufferToTexture {
        /// Where from.
        src: BufferPlace,
        /// Bytes from one row of blocks to the next.
        bytes_per_row: u32,
        /// Where to.
        dst: TexturePlace,
        /// Width and height in texels, and slices.
        extent: [u32; 3],
    },
    /// Texels to a buffer.
    TextureToBuffer {
        /// Where from.
        src: TexturePlace,
        /// Where to.
        dst: BufferPlace,
        /// Bytes from one row of blocks to the next, a multiple of 256.
        bytes_per_row: u32,
        /// Width and height in texels, and slices.
        extent: [u32; 3],
    },
    /// Texels; also within one texture, between formats of one typeless family.
    TextureToTexture {
        /// Where from.
        src: TexturePlace,
        /// Where to.
        dst: TexturePlace,
        /// Width and height in texels, and slices.
        extent: [u32; 3],
    },
    /// Averages the samples of a subresource into another one of the same size.
    Resolve {
        /// Where from.
        src: TexturePlace,
        /// Where to.
        dst: TexturePlace,
        /// As what the samples are seen.
        format: Format,
    },
    /// Copies a renamed buffer to its base storage, before the GPU writes a part of it. `from` is an import that
    /// may turn out to be the base storage already; then nothing is copied.
    ToBase {
        /// `PageObject::Import` or `PageObject::Buffer`, from `offset`.
        from: BufferPlace,
        /// `PageObject::Buffer` of the base storage, from `offset`.
        base: BufferPlace,
        /// Bytes.
        size: u64,
    },
}

/// `BeginQuery`, `EndQuery`.
#[derive(Clone, Debug)]
pub(crate) struct PageQuery {
    /// A query that measures something.
    pub(crate) query: Arc<Query>,
    /// It was begun in an earlier page.
    pub(crate) continues: bool,
}

/// The query on which the commands of a page depend.
#[derive(Clone, Debug)]
pub(crate) struct PagePredicate {
    pub(crate) query: Arc<Query>,
    /// Commands are skipped when this is the answer.
    pub(crate) value: bool,
    /// Whether they are; of a list's page that is known at each execution.
    pub(crate) skips: bool,
}

/// A command buffer of the driver; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) commands: Vec<Command>,
    pub(crate) viewports: Vec<Viewport>,
    pub(crate) rects: Vec<Rect>,
    pub(crate) targets: Vec<Targets>,
    pub(crate) blend_factors: Vec<BlendFactor>,
    pub(crate) plain_draws: Vec<PlainDraw>,
    pub(crate) indexed_draws: Vec<IndexedDraw>,
    pub(crate) instanced_draws: Vec<InstancedDraw>,
    pub(crate) colors: Vec<[f32; 4]>,
    pub(crate) copies: Vec<Copy>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) queries: Vec<PageQuery>,
    /// On which its commands depend.
    pub(crate) predicate: Option<PagePredicate>,
    /// Indices of the copies that do not depend on it.
    pub(crate) unconditional: Vec<u32>,
    /// Draws among the commands.
    pub(crate) draws: u32,
    /// Objects that it was the first of its table's pages to use.
    pub(crate) entered: u32,
    /// A list's page: which of the list's object tables its commands mean.
    pub(crate) table: u32,
    /// It belongs to a list, so it may be encoded again.
    pub(crate) is_listed: bool,
    /// A list's page: where its memory goes when it was submitted for the last time.
    pub(crate) recycle_to: Option<Arc<RecycleQueue<Self>>>,
    /// A list's page: the least levels of textures that its recording has set before it.
    pub(crate) min_lods: MinLods,
    /// What the encoder keeps of encoding it.
    pub(crate) encoding: EncodeSlot,
}

impl Page {
    /// What it costs to encode, in draws; at least 1.
    pub(crate) fn weight(&self) -> u64 {
        u64::from(self.draws).max((self.commands.len() / COMMANDS_PER_DRAW) as u64).max(1)
    }

    /// Bytes of the commands and of what they refer to.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.commands)
            + self.entered as usize * size_of::<PageObject>()
            + size_of_val(&*self.viewports)
            + size_of_val(&*self.rects)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.blend_factors)
            + size_of_val(&*self.plain_draws)
            + size_of_val(&*self.indexed_draws)
            + size_of_val(&*self.instanced_draws)
            + size_of_val(&*self.colors)
            + size_of_val(&*self.copies)
            + size_of_val(&*self.queries)
            + size_of_val(&*self.unconditional)
            + self.names.iter().map(|name| size_of_val(name) + name.len()).sum::<usize>()
    }

    /// Adds a draw to the one that the last command is.
    #[inline(never)]
    pub(crate) fn join_plain_draws(&mut self, count: u32, start: u32) {
        let first = self.plain_draws.len() as u32;
        if let Some(last) = self.commands.last_mut()
            && let Command::Draw { vertex_count, start_vertex } = *last
        {
            *last = Command::Draws { first, count: 2 };
            self.plain_draws.push(PlainDraw { count: vertex_count, start: start_vertex });
            self.plain_draws.push(PlainDraw { count, start });
        }
    }

    /// Adds a draw to the one that the last command is.
    #[inline(never)]
    pub(crate) fn join_indexed_draws(&mut self, count: u32, start: u32, base: i32) {
        let first = self.indexed_draws.len() as u32;
        if let Some(last) = self.commands.last_mut()
            && let Command::DrawIndexed { index_count, start_index, base_vertex } = *last
        {
            *last = Command::DrawsIndexed { first, count: 2 };
            self.indexed_draws.push(IndexedDraw { count: index_count, start: start_index, base_vertex });
            self.indexed_draws.push(IndexedDraw { count, start, base_vertex: base });
        }
    }
}

impl Recycle for Page {
    const RETURNED: usize = 64;

    fn clear(&mut self) {
        self.commands.clear();
        self.viewports.clear();
        self.rects.clear();
        self.targets.clear();
        self.blend_factors.clear();
        self.plain_draws.clear();
        self.indexed_draws.clear();
        self.instanced_draws.clear();
        self.colors.clear();
        self.copies.clear();
        self.names.clear();
        self.queries.clear();
        self.predicate = None;
        self.unconditional.clear();
        self.draws = 0;
        self.entered = 0;
        self.table = 0;
        self.is_listed = false;
        self.min_lods = MinLods::default();
        self.encoding = EncodeSlot::default();
    }

    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>> {
        &mut self.recycle_to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_costs_its_draws_or_its_commands_and_never_nothing() {
        let page =
            |draws, commands| Page { draws, commands: vec![Command::EndEvent; commands], ..Page::default() };
        for (draws, commands, cost) in [(0, 0, 1), (0, 15, 1), (0, 160, 10), (3, 160, 10), (30, 160, 30)] {
            assert_eq!(page(draws, commands).weight(), cost, "{draws} draws, {commands} commands");
        }
    }
}
