//! Vertex pulling: draws whose vertex shader reads the vertex buffers itself, as storage buffers.
//!
//! wgpu fetches vertices for most draws. A draw is pulled if its pipeline requires it, or if its own range
//! may not fit.
//!
//! * A pipeline requires it if the layout has a format or a step rate that wgpu lacks, or more slots than the
//!   adapter. It also requires it if strides or offsets are not multiples of 4, if strides are too large, or
//!   if elements end beyond the stride.
//! * The range may not fit if a direct draw reaches beyond a buffer. The same applies to an indirect draw if
//!   wgpu would compare its range with a buffer, because only the GPU knows that range.
//!
//! All slots of such a draw are pulled, each from a separate storage buffer, unless the adapter has so few
//! that slots with the same wgpu buffer must share one. The pipeline does not depend on strides and offsets,
//! because they are constants in the bind group ([`PULL_GROUP`](crate::objects::shader::PULL_GROUP)), which
//! is cached for one run. The shader code is in `objects/shader/passes/pull.rs`.

use onze_ddi::ShaderStage;
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate_hooks::VertexPulling,
        encoder::Encoder,
        parts::{
            accesses::AccessRange,
            bundle_spans::DrawSink,
            hash::SlabIndex,
            pulled::{ALIGNED, NO_BUFFER, PulledBuffers, PulledDraw, PulledFetch, PulledSource},
            ranges::{BufferRange, VERTEX_SLOTS, VertexSlot},
            skipped::Skipped,
        },
    },
    objects::{
        shader::PullConstants,
        state::{ElementLayout, ElementSlot},
    },
    services::{gpu::Gpu, ids::unique_id},
};

/// Returns whether wgpu can fetch a slot's elements from the bound buffer.
fn fits(gpu: &Gpu, slot: &ElementSlot, bound: &VertexSlot<'_>) -> bool {
    let Some(range) = bound.range.filter(|range| range.size > 0) else { return true };
    let stride = u64::from(bound.stride);
    range.offset.is_multiple_of(wgpu::VERTEX_ALIGNMENT)
        && stride.is_multiple_of(wgpu::VERTEX_ALIGNMENT)
        && (stride == 0 || slot.end <= stride)
        && stride <= u64::from(gpu.limits.max_vertex_buffer_array_stride)
}

/// A range of a wgpu buffer that is bound as a storage buffer.
#[derive(Copy, Clone, Debug)]
struct PulledRange<'r> {
    buffer: &'r wgpu::Buffer,
    id: u64,
    first: u64,
    end: u64,
}

impl<'r> VertexPulling for Encoder<'r> {
    fn pulled_buffers(&mut self, layout: &ElementLayout) -> Option<PulledBuffers> {
        self.state.pull_follows_buffers = false;
        if !self.gpu.pulls_vertices() {
            return None;
        }
        let state = &self.state;
        let bound = |slot: &ElementSlot| state.vertex.get(slot.slot as usize).copied().unwrap_or_default();
        let is_pulled =
            layout.is_pulled || state.pulls_vertices || self.bindings.shader(ShaderStage::Geometry).is_some();
        if !is_pulled && layout.slots.iter().all(|slot| fits(self.gpu, slot, &bound(slot))) {
            return None;
        }
        let geometry = self.bindings.shader(ShaderStage::Geometry).and(state.geometry);
        if geometry.is_some_and(|setting| setting.expansion.is_stored) {
            return Some([NO_BUFFER; VERTEX_SLOTS]);
        }
        let (buffers, is_shared) = self.storage_buffers(layout);
        self.state.pull_follows_buffers = is_shared;
        Some(buffers)
    }

    fn storage_buffers(&self, layout: &ElementLayout) -> (PulledBuffers, bool) {
        let bound =
            |slot: &ElementSlot| self.state.vertex.get(slot.slot as usize).copied().unwrap_or_default();
        // Half of the storage buffers are reserved for the shader itself, so slots share buffers if there are
        // more slots than the other half.
        let most = self.gpu.limits.max_storage_buffers_per_shader_stage as usize / 2;
        let is_shared = layout.slots.len() > most;
        let (mut buffers, mut known) = ([NO_BUFFER; VERTEX_SLOTS], Vec::new());
        for slot in &layout.slots {
            let Some(range) = bound(slot).range else { continue };
            let id = if range.size > 0 { range.id } else { 0 };
            let place = known.iter().position(|known| is_shared && *known == id);
            if place.is_none() {
                known.push(id);
            }
            let is_aligned = bound(slot).stride.is_multiple_of(4) && bound(slot).is_aligned();
            if let Some(buffer) = buffers.get_mut(slot.slot as usize) {
                *buffer = place.unwrap_or(known.len() - 1) as u8 | if is_aligned { ALIGNED } else { 0 };
            }
        }
        (buffers, is_shared)
    }

    fn pull_vertices(&mut self) -> bool {
        if !self.gpu.pulls_vertices() || self.state.layout.is_none() {
            return false;
        }
        if !std::mem::replace(&mut self.state.pulls_vertices, true) {
            self.state.dirty_setting();
        }
        true
    }

    fn fetch_vertices(&mut self) {
        if std::mem::take(&mut self.state.pulls_vertices) {
            self.state.dirty_setting();
        }
    }

    fn pulled(&self) -> Option<&PulledFetch> {
        self.compiled(self.pipeline.place())?.pulled.as_ref()
    }

    fn resolve_pulled(&mut self, draw: &PulledDraw) -> Result<Option<SlabIndex>, Skipped> {
        let Some(pulled) = self.pulled() else { return Ok(None) };
        let pulled = pulled.clone();
        self.find_pulled(&pulled, draw, None).map(Some).ok_or(Skipped)
    }

    fn bind_pulled(&mut self, place: SlabIndex) {
        if self.pass.changes_pulled(place)
            && let Some(group) = self.caches.pulled.get(place)
            && let Some(mut sink) = DrawSink::of(&mut self.pass, &mut self.recording)
        {
            sink.set_pulled(place, group);
        }
    }
}

impl<'r> Encoder<'r> {
    /// Returns the bind group of a draw, which draws with the same buffers and constants share.
    #[inline(never)]
    pub(in crate::encode) fn find_pulled(
        &mut self,
        pulled: &PulledFetch,
        draw: &PulledDraw,
        given: Option<BufferRange<'_>>,
    ) -> Option<SlabIndex> {
        let ranges = self.pulled_ranges(pulled, given);
        let bound = self.bound_buffers(pulled, &ranges)?;
        let words = self.pull_constants(pulled, draw, &ranges, &bound);
        self.find_pulled_group(pulled, &bound, Some(&words))
    }

    /// Returns the bind group of a dispatch with records, or `None` if it reads no buffers, and the constants of a draw
    /// in its record.
    pub(in crate::encode) fn pull_recorded(
        &mut self,
        pulled: &PulledFetch,
        draw: &PulledDraw,
        given: Option<BufferRange<'_>>,
    ) -> Option<(Option<SlabIndex>, Vec<u32>)> {
        let ranges = self.pulled_ranges(pulled, given);
        let bound = self.bound_buffers(pulled, &ranges)?;
        let words = self.pull_constants(pulled, draw, &ranges, &bound);
        let place = match pulled.layout.layout {
            Some(_) => Some(self.find_pulled_group(pulled, &bound, None)?),
            None => None,
        };
        Some((place, words))
    }

    /// Returns the bind group of buffers and, unless records contain them, of constants.
    fn find_pulled_group(
        &mut self,
        pulled: &PulledFetch,
        bound: &[PulledRange<'_>],
        words: Option<&[u32]>,
    ) -> Option<SlabIndex> {
        // In the key of the bind group, the layout determines which words are buffers. The bounds of a shared buffer are
        // part of the key, because they depend on the slots that share it.
        let mut key = vec![u64::from(pulled.layout.id)];
        key.extend(bound.iter().flat_map(|bound| [bound.id, bound.first, bound.end]));
        let pairs = words.unwrap_or_default().chunks(2);
        key.extend(pairs.map(|pair| pair.iter().fold(0, |all, word| all << 32 | u64::from(*word))));
        let run = self.caches.runs;
        if let Some(place) = self.caches.pulled.find_words(&key, run) {
            return Some(place);
        }
        let constants = words.map(|words| self.constants_buffer(words));
        let group = self.make_pulled(pulled, constants.as_ref(), bound)?;
        self.stats.bind_group_misses += 1;
        Some(self.caches.pulled.insert(key.into(), group, run))
    }

    /// Makes a bind group for a single draw, and also returns its constants, which a dispatch may write before
    /// the draw. The draw reads the list of indices that was gathered for it, or the vertices that were stored
    /// for it, if there are any.
    pub(in crate::encode) fn pull_alone(
        &mut self,
        pulled: &PulledFetch,
        draw: &PulledDraw,
        given: Option<BufferRange<'_>>,
    ) -> Option<(SlabIndex, wgpu::Buffer)> {
        let ranges = self.pulled_ranges(pulled, given);
        let bound = self.bound_buffers(pulled, &ranges)?;
        let constants = self.constants_buffer(&self.pull_constants(pulled, draw, &ranges, &bound));
        let group = self.make_pulled(pulled, Some(&constants), &bound)?;
        self.stats.bind_group_misses += 1;
        // The key is unique, because no other draw binds the group.
        Some((self.caches.pulled.insert([unique_id()].into(), group, self.caches.runs), constants))
    }

    fn pull_constants(
        &self,
        pulled: &PulledFetch,
        draw: &PulledDraw,
        ranges: &[Option<BufferRange<'_>>],
        bound: &[PulledRange<'_>],
    ) -> Vec<u32> {
        let slots = ranges.iter().zip(&*pulled.slots).map(|(range, (source, buffer))| {
            let stride = match source {
                PulledSource::Vertices(slot) => {
                    self.state.vertex.get(*slot).map_or(0, |slot| slot.stride.into())
                }
                PulledSource::Indices => draw.first_index,
                PulledSource::Stored => 0,
            };
            let first = buffer.and_then(|at| bound.get(at as usize)).map_or(0, |bound| bound.first);
            let (offset, size) = range.map_or((0, 0), |range| (range.offset - first, range.size));
            [offset as u32, u32::try_from(size).unwrap_or(u32::MAX), stride]
        });
        let ([vertex, instance], [primitives, first]) = (draw.starts, draw.primitives);
        PullConstants { starts: [vertex, instance, primitives, first], slots: slots.collect() }.words()
    }

    /// Returns the range in each slot, or `None` for empty slots. If nothing of a buffer remains after the
    /// offset, the slot gets an empty range in the null buffer instead. `given` is the range of the stored vertices,
    /// or replaces the index buffer.
    fn pulled_ranges<'a>(
        &self,
        pulled: &PulledFetch,
        given: Option<BufferRange<'a>>,
    ) -> Vec<Option<BufferRange<'a>>>
    where
        'r: 'a,
    {
        let null = &self.encoding.objects.nulls.storage;
        let null = BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: null.offset, size: 0 };
        let slots = pulled.slots.iter();
        let range = |(source, buffer): &(PulledSource, Option<u32>)| {
            let range = match source {
                PulledSource::Vertices(slot) => self.state.vertex.get(*slot)?.range?,
                PulledSource::Indices => given.or(self.state.index.range).unwrap_or(null),
                PulledSource::Stored => given.unwrap_or(null),
            };
            buffer.as_ref()?;
            Some(if range.size > 0 { range } else { null })
        };
        slots.map(range).collect()
    }

    /// Returns, for each storage buffer, the smallest aligned range that contains the ranges of its slots, or
    /// reports and skips the draw if the adapter cannot bind such a range.
    fn bound_buffers<'a>(
        &mut self,
        pulled: &PulledFetch,
        ranges: &[Option<BufferRange<'a>>],
    ) -> Option<Vec<PulledRange<'a>>> {
        let alignment = u64::from(self.gpu.limits.min_storage_buffer_offset_alignment);
        let mut bound: Vec<Option<PulledRange<'a>>> = vec![None; pulled.buffers() as usize];
        for (range, (_, buffer)) in ranges.iter().zip(&*pulled.slots) {
            let (Some(range), Some(place)) = (range, buffer.and_then(|at| bound.get_mut(at as usize))) else {
                continue;
            };
            let first = range.offset / alignment * alignment;
            let end = (range.offset + range.size.max(1)).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
            let new = PulledRange { buffer: range.buffer, id: range.id, first, end };
            let join = |old: PulledRange<'a>| PulledRange {
                first: old.first.min(first),
                end: old.end.max(end),
                ..old
            };
            *place = Some(place.map_or(new, join));
        }
        let bound: Vec<_> = bound.into_iter().collect::<Option<_>>()?;
        let most = self.gpu.limits.max_storage_buffer_binding_size;
        if bound.iter().any(|bound| bound.end - bound.first > most) {
            self.report(
                "a draw is skipped: its vertices lie in a buffer that is larger than what the adapter's shaders can read; use \
                 strides and offsets that are multiples of 4, and formats and step rates that wgpu has",
            );
            return None;
        }
        // Stored vertices have no identifier, because no other command uses them.
        for PulledRange { id, first, end, .. } in bound.iter().filter(|bound| bound.id != 0) {
            self.accesses.reads(AccessRange::bytes(*id, *first, end - first));
        }
        Some(bound)
    }

    fn constants_buffer(&self, words: &[u32]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("pulled vertices"),
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM,
        })
    }

    fn make_pulled(
        &self,
        pulled: &PulledFetch,
        constants: Option<&wgpu::Buffer>,
        bound: &[PulledRange<'_>],
    ) -> Option<wgpu::BindGroup> {
        let mut entries: Vec<_> = constants
            .iter()
            .map(|constants| wgpu::BindGroupEntry { binding: 0, resource: constants.as_entire_binding() })
            .collect();
        entries.extend((1..).zip(bound).map(|(binding, bound)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: bound.buffer,
                offset: bound.first,
                size: std::num::NonZeroU64::new(bound.end - bound.first),
            }),
        }));
        let layout = pulled.layout.layout.as_ref()?;
        Some(self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("pulled vertices"),
            layout,
            entries: &entries,
        }))
    }
}
