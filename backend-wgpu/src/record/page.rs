//! Pages, which are the driver's command buffers.
//!
//! A page starts with a preamble that sets the whole state, so it can be encoded without the pages before it.
//! Its commands refer to objects by their index in an [object table](crate::record::object_table), which
//! belongs to this page alone or is shared by the pages of a list.

use crate::services::sizes::COMMANDS_PER_DRAW;

use std::{ops::Range, sync::Arc};

use onze_ddi::{Format, Rect, STREAM_OUTPUT_SLOTS, Viewport};

use crate::{
    objects::{query::Query, shader::packed},
    record::{
        command::{Command, NO_OBJECT, ObjectIndex},
        encode_slot::EncodeSlot,
        min_lods::MinLods,
        object_table::PageObject,
        recycle::{Recycle, RecycleQueue},
    },
};

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoundTargets {
    pub(crate) color: [ObjectIndex; 8],
    pub(crate) depth_stencil: ObjectIndex,
}

/// A buffer that stream output writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundStreamTarget {
    /// The buffer, or [`NO_OBJECT`](crate::record::command::NO_OBJECT) for an empty slot.
    pub(crate) object: ObjectIndex,
    /// The storage of its filled size.
    pub(crate) filled: ObjectIndex,
    /// First byte in the wgpu buffer.
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

impl BoundStreamTarget {
    pub(crate) const NONE: Self = Self { object: NO_OBJECT, filled: NO_OBJECT, offset: 0, size: 0 };
}

/// Blend factor and sample mask, both set together with a blend state but rarely changed.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct BlendFactor {
    pub(crate) factor: [f32; 4],
    pub(crate) sample_mask: u32,
}

impl Default for BlendFactor {
    fn default() -> Self {
        Self { factor: [1.0; 4], sample_mask: u32::MAX }
    }
}

/// Arguments of a `Draw` call in a sequence of consecutive draws.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainDraw {
    pub(crate) count: u32,
    pub(crate) start: u32,
}

impl From<PlainDraw> for InstancedDraw {
    fn from(draw: PlainDraw) -> Self {
        let PlainDraw { count, start } = draw;
        Self { count, instance_count: 1, start, base_vertex: 0, start_instance: 0 }
    }
}

/// Arguments of a `DrawIndexed` call in a sequence of consecutive draws.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedDraw {
    pub(crate) count: u32,
    pub(crate) start: u32,
    pub(crate) base_vertex: i32,
}

impl From<IndexedDraw> for InstancedDraw {
    fn from(draw: IndexedDraw) -> Self {
        let IndexedDraw { count, start, base_vertex } = draw;
        Self { count, instance_count: 1, start, base_vertex, start_instance: 0 }
    }
}

/// Arguments of `DrawIndexedInstanced`, or of `DrawInstanced` with the first vertex in `start` and a
/// `base_vertex` of 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstancedDraw {
    pub(crate) count: u32,
    pub(crate) instance_count: u32,
    pub(crate) start: u32,
    pub(crate) base_vertex: i32,
    pub(crate) start_instance: u32,
}

impl InstancedDraw {
    /// The range of vertices or indices and the range of instances, or `None` if the end of a range
    /// overflows.
    #[inline]
    pub(crate) fn ranges(&self) -> Option<(Range<u32>, Range<u32>)> {
        let last = self.start.checked_add(self.count)?;
        let last_instance = self.start_instance.checked_add(self.instance_count)?;
        Some((self.start..last, self.start_instance..last_instance))
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferPlace {
    pub(crate) object: ObjectIndex,
    /// Offset in bytes, counted as in commands: from the start of the wgpu buffer or, for an import, from the
    /// start of the identity that the import resolves to.
    pub(crate) offset: u64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TexturePlace {
    /// Index of a `PageObject::Resource`, a `PageObject::Texture`, or an import that is a texture.
    pub(crate) object: ObjectIndex,
    pub(crate) mip: u32,
    pub(crate) origin: [u32; 3],
}

/// An element of a buffer, repeated to fill a word if it is shorter than a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FillElement {
    /// The element's bits, in 32-bit words, of which only the first `words` are valid.
    pub(crate) bits: [u32; 4],
    pub(crate) words: u8,
}

impl FillElement {
    pub(crate) const fn word(word: u32) -> Self {
        Self { bits: [word, 0, 0, 0], words: 1 }
    }

    /// Makes an element of a format from the lowest bits of each component.
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

/// An operation that moves or fills data between draws, recorded by [`Command::Copy`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum CopyCommand {
    /// Writes one value to all elements of a buffer range, which begins at a multiple of the element size.
    Fill {
        element: FillElement,
        dst: BufferPlace,
        /// Size in bytes, a multiple of the element's size.
        size: u64,
    },
    /// Writes one value to all texels that a texture view shows.
    FillTexture {
        /// The value in the format of `view`.
        element: FillElement,
        view: ObjectIndex,
    },
    /// Copies bytes with any offset and size. If both ranges are in one wgpu buffer, they must be equal or
    /// must not overlap.
    BufferToBuffer {
        src: BufferPlace,
        dst: BufferPlace,
        /// Number of bytes, which need not be aligned because the encoder handles unaligned ends.
        size: u64,
    },
    /// Copies texels from a buffer, at an offset that is a multiple of the block size.
    BufferToTexture {
        src: BufferPlace,
        /// Bytes from one row of blocks to the next, a multiple of 256.
        bytes_per_row: u32,
        dst: TexturePlace,
        /// Width and height in texels, and number of slices.
        extent: [u32; 3],
    },
    TextureToBuffer {
        src: TexturePlace,
        dst: BufferPlace,
        /// Bytes from one row of blocks to the next, a multiple of 256.
        bytes_per_row: u32,
        /// Width and height in texels, and number of slices.
        extent: [u32; 3],
    },
    /// Copies texels, possibly within one texture or between two formats of a typeless family.
    TextureToTexture {
        src: TexturePlace,
        dst: TexturePlace,
        /// Width and height in texels, and number of slices.
        extent: [u32; 3],
    },
    /// Averages the samples of a subresource into another subresource of the same size.
    Resolve {
        src: TexturePlace,
        dst: TexturePlace,
        /// The format that is used to read the samples, because the textures may be typeless.
        format: Format,
    },
    /// Copies a renamed buffer to its base storage, before the GPU writes a part of it, unless `from` is an
    /// import that is resolved to the base storage.
    ToBase {
        /// The current identity, which is an import or an upload slice.
        from: BufferPlace,
        base: BufferPlace,
        size: u64,
    },
}

/// A query that begins or ends in the page, or that has begun in an earlier page and continues.
#[derive(Clone, Debug)]
pub(crate) struct PageQuery {
    pub(crate) query: Arc<Query>,
    /// Whether the query began in an earlier page and only continues in this page.
    pub(crate) continues: bool,
}

/// The query that decides whether the commands of a page are executed.
#[derive(Clone, Debug)]
pub(crate) struct PagePredicate {
    pub(crate) query: Arc<Query>,
    /// The commands are skipped if the query has this result.
    pub(crate) value: bool,
    /// Whether the commands are skipped, which for a list's page is determined at each execution.
    pub(crate) skips: bool,
}

/// A command buffer of this driver; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) commands: Vec<Command>,
    pub(crate) viewports: Vec<Viewport>,
    pub(crate) rects: Vec<Rect>,
    pub(crate) targets: Vec<BoundTargets>,
    pub(crate) stream_targets: Vec<[BoundStreamTarget; STREAM_OUTPUT_SLOTS]>,
    pub(crate) blend_factors: Vec<BlendFactor>,
    pub(crate) plain_draws: Vec<PlainDraw>,
    pub(crate) indexed_draws: Vec<IndexedDraw>,
    pub(crate) instanced_draws: Vec<InstancedDraw>,
    pub(crate) colors: Vec<[f32; 4]>,
    pub(crate) copies: Vec<CopyCommand>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) queries: Vec<PageQuery>,
    pub(crate) predicate: Option<PagePredicate>,
    pub(crate) unconditional: Vec<u32>,
    pub(crate) draws: u32,
    /// Number of objects that this page added to its table.
    pub(crate) entered: u32,
    /// Index of the page's object table in its list, if the page belongs to a list.
    pub(crate) table: u32,
    /// Whether the page belongs to a list, so that it may be encoded more than once.
    pub(crate) is_listed: bool,
    /// The queue that receives the memory of a list's page after the page's last submission.
    pub(crate) recycle_to: Option<Arc<RecycleQueue<Self>>>,
    /// For a page of a list, the minimum mip levels that the recording has set before this page.
    pub(crate) min_lods: MinLods,
    /// Bundles and other data that the encoder stores to encode this page faster next time.
    pub(crate) encoding: EncodeSlot,
}

impl Page {
    /// Cost of encoding the page, in draws, at least 1.
    pub(crate) fn weight(&self) -> u64 {
        u64::from(self.draws).max((self.commands.len() / COMMANDS_PER_DRAW) as u64).max(1)
    }

    /// Total size of the commands and their arguments in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.commands)
            + self.entered as usize * size_of::<PageObject>()
            + size_of_val(&*self.viewports)
            + size_of_val(&*self.rects)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.stream_targets)
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

    /// If the last command is a single draw, replaces it with a sequence of that draw and a new one.
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

    /// If the last command is a single draw, replaces it with a sequence of that draw and a new one.
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
        self.stream_targets.clear();
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
