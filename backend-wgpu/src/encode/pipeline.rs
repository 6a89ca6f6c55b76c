//! Pipelines: looked up by all the state that wgpu bakes into them.

use crate::services::sizes::MOST_PIPELINES;

use std::hash::{Hash, Hasher};

use onze_ddi::{DsvFlags, PrimitiveTopology};

use crate::services::{convert, ids::unique_id};

use super::{
    Encoder,
    bind::GraphicsBindPoint,
    emulate::pull::{PulledBuffers, PulledFetch},
    hash::{FastMap, Slab, SlabIndex},
    layout::LayoutIds,
    state::{TARGETS, VERTEX_SLOTS},
    stored_pipelines::PipelineObjects,
};

/// In place of a stride: nothing is bound to the slot. Real strides are at most 2048.
pub(super) const EMPTY_SLOT: u16 = u16::MAX;

/// Everything that wgpu bakes into a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    vertex_shader: u64,
    /// 0 for none.
    pixel_shader: u64,
    blend: u64,
    depth_stencil: u64,
    rasterizer: u64,
    /// Of the bind group layouts.
    groups: LayoutIds,
    pub(super) setting: PipelineSetting,
}

/// What of the key seldom changes from draw to draw. An encoding thread gives it a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineSetting {
    pub(super) layout: u64,
    /// Of the slots that the layout reads; [`EMPTY_SLOT`] for those that nothing is bound to.
    pub(super) strides: [u16; VERTEX_SLOTS],
    pub(super) topology: PrimitiveTopology,
    /// 32-bit indices; of strips only.
    pub(super) wide_strip: bool,
    pub(super) color_formats: [Option<wgpu::TextureFormat>; TARGETS],
    /// Of each target the components that must not be written, 4 bits.
    pub(super) hidden: u32,
    /// The slot of the sample counter.
    pub(super) counter: Option<u8>,
    pub(super) depth_format: Option<wgpu::TextureFormat>,
    pub(super) read_only: DsvFlags,
    pub(super) samples: u32,
    pub(super) sample_mask: u32,
    /// Positions move into a smaller viewport.
    pub(super) is_fitted: bool,
    /// The vertex shader pulls its elements. The strides say nothing then but which slots are empty.
    pub(super) pulled: Option<PulledBuffers>,
}

/// A [`PipelineKey`] with a number for its setting: short enough to be looked up for every draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct ShortKey {
    /// Vertex and pixel shader.
    shaders: [u64; 2],
    /// Blend, depth-stencil and rasterizer.
    states: [u64; 3],
    groups: LayoutIds,
    setting: u64,
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // One word, and of it only what differs between most pipelines: this is done for every draw that
        // changes its pipeline.
        let Self { shaders: [vertex, pixel], states: [blend, depth_stencil, rasterizer], setting, .. } =
            *self;
        let pairs = [(vertex, pixel), (blend, depth_stencil), (rasterizer, setting)];
        let mix = |(a, b): (u64, u64)| (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let [shaders, states, rest] = pairs.map(mix);
        state.write_u64(shaders ^ states.rotate_left(21) ^ rest.rotate_left(42));
    }
}

/// What a pipeline reads from one vertex buffer. wgpu's slots are numbered without gaps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct FetchSlot {
    /// D3D11's slot.
    pub(super) slot: usize,
    pub(super) per_instance: bool,
    /// Bytes from a vertex's start to the end of the last element that is read.
    pub(super) end: u64,
}

/// A compiled pipeline.
#[derive(Clone, Debug)]
pub(super) struct CompiledPipeline {
    pub(super) pipeline: wgpu::RenderPipeline,
    pub(super) fetches: Box<[FetchSlot]>,
    /// What the vertex shader pulls; nothing is fetched then.
    pub(super) pulled: Option<PulledFetch>,
    /// Draws depend on the stencil reference.
    pub(super) reads_stencil_ref: bool,
}

impl PipelineKey {
    /// The sample mask has no sample of the targets: none is written, but a shader that writes through views runs.
    pub(super) const fn leaves_out_all_samples(&self) -> bool {
        self.setting.sample_mask == 0
    }

    /// The same with other bind group layouts.
    pub(super) fn with_layout(&self, groups: LayoutIds) -> Self {
        Self { groups, ..self.clone() }
    }
}

impl PipelineObjects for PipelineKey {
    /// Shaders, states and the input layout.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        let Self { vertex_shader, pixel_shader, blend, depth_stencil, rasterizer, setting, .. } = self;
        [*vertex_shader, *pixel_shader, *blend, *depth_stencil, *rasterizer, setting.layout]
            .into_iter()
            .any(is_one)
    }
}

/// A worker's pipelines; `None` for what cannot be compiled.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    pub(super) pipelines: Slab<ShortKey, Option<CompiledPipeline>>,
    /// Their numbers are never used again.
    settings: FastMap<PipelineSetting, u64>,
}

impl PipelineCache {
    /// Drops those of shaders and states that were destroyed.
    pub(super) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) {
        self.pipelines.drop_keys(|key| key.shaders.iter().chain(&key.states).any(|id| is_invalid(*id)));
    }

    /// Before a run: drops what no run since `oldest` has used.
    pub(super) fn retire(&mut self, oldest: u64) {
        self.pipelines.retire(oldest, MOST_PIPELINES);
        self.settings.clear();
    }

    fn number(&mut self, setting: &PipelineSetting) -> u64 {
        *self.settings.entry(*setting).or_insert_with(unique_id)
    }
}

/// The pipeline that the next draw uses.
#[derive(Debug, Default)]
pub(super) struct CurrentPipeline {
    /// What says how it reads vertex buffers: the vertex shader and the number of the setting.
    read_by: Option<(u64, u64)>,
    /// With its number; `None` if nothing can be drawn with it.
    setting: Option<(PipelineSetting, u64)>,
    /// Its place in the cache; `None` when there is nothing to draw with.
    pub(super) pipeline: Option<SlabIndex>,
}

impl Encoder<'_> {
    /// Brings the pipeline up to date.
    pub(super) fn resolve_pipeline(&mut self) {
        if !std::mem::take(&mut self.state.pipeline_dirty) {
            return;
        }
        self.resolve_setting();
        let before = self.pipeline.pipeline.take();
        let mut read_by = None;
        if let Some((key, place)) = self.find_pipeline() {
            self.pipeline.pipeline = self.compiled(Some(place)).map(|_| place);
            read_by = self.pipeline.pipeline.map(|_| (key.shaders[0], key.setting));
        }
        if read_by != self.pipeline.read_by {
            self.pipeline.read_by = read_by;
            let fetches = |place| self.compiled(place).map(|compiled| &*compiled.fetches);
            self.state.vertex_dirty |= fetches(before) != fetches(self.pipeline.pipeline);
        }
    }

    /// The place of the pipeline for what is bound.
    #[inline]
    fn find_pipeline(&mut self) -> Option<(ShortKey, SlabIndex)> {
        let key = self.short_key()?;
        let place = self.caches.pipelines.pipelines.find(&key, self.caches.runs);
        place.map(|place| (key, place)).or_else(|| self.take_pipeline(key))
    }

    /// Takes a pipeline from the shared store.
    #[inline(never)]
    fn take_pipeline(&mut self, short: ShortKey) -> Option<(ShortKey, SlabIndex)> {
        let key = self.pipeline_key(&short)?;
        if self.groups.indexed {
            let layout = self.draw_layout::<GraphicsBindPoint>()?.clone();
            let Some(pipeline) = self.pipeline_by_index(&key, &layout) else { return self.find_pipeline() };
            let pipelines = &mut self.caches.pipelines.pipelines;
            return Some((short, pipelines.insert(short, pipeline, self.caches.runs)));
        }
        let pipeline = match self.replica() {
            None => self.pipeline_for_draw(&key),
            Some(layout) => match self.replica_pipeline(&key, &layout) {
                None => return self.find_pipeline(),
                found => found,
            },
        };
        Some((short, self.caches.pipelines.pipelines.insert(short, pipeline, self.caches.runs)))
    }

    fn resolve_setting(&mut self) {
        if std::mem::take(&mut self.state.setting_dirty) {
            let setting = self.setting();
            let pipelines = &mut self.caches.pipelines;
            self.pipeline.setting = setting.map(|setting| (setting, pipelines.number(&setting)));
        }
    }

    /// Compiles the pipeline that a draw would need now, without waiting. A later draw finds it.
    pub(super) fn resolve_pipeline_later(&mut self) {
        if !self.state.pipeline_dirty {
            return;
        }
        self.resolve_setting();
        if let Some(key) = self.short_key()
            && !self.caches.pipelines.pipelines.has(&key)
            && let Some(key) = self.pipeline_key(&key)
        {
            self.prepare_replicas(&key);
        }
    }

    /// The pipeline at a place.
    pub(super) fn compiled(&self, place: Option<SlabIndex>) -> Option<&CompiledPipeline> {
        self.caches.pipelines.pipelines.get(place?)?.as_ref()
    }

    /// What is set beside shaders and state objects; `None` if nothing can be drawn with it.
    fn setting(&mut self) -> Option<PipelineSetting> {
        let pulled = self.state.layout.and_then(|layout| self.pulled_buffers(layout));
        let state = &self.state;
        let topology = state.topology.without_adjacency();
        convert::topology(topology)?;
        // Of masks that keep the same samples, one.
        let sample_mask =
            state.sample_mask & (u32::MAX >> 32u32.saturating_sub(self.targets.samples).min(31));
        let mut strides = [0; VERTEX_SLOTS];
        for slot in state.layout.iter().flat_map(|layout| &layout.slots) {
            let slot = slot.slot as usize;
            if let (Some(to), Some(from)) = (strides.get_mut(slot), state.vertex.get(slot)) {
                *to = from.key_stride();
                if pulled.is_some() && *to != EMPTY_SLOT {
                    *to = 0;
                }
            }
        }
        Some(PipelineSetting {
            layout: state.layout.map_or(0, |layout| layout.id.get()),
            strides,
            topology,
            // The indices without those of adjacent vertices have 32 bits.
            wide_strip: topology.is_strip() && (state.index.wide || state.topology.has_adjacency()),
            color_formats: self.targets.color_formats(),
            hidden: self.targets.hidden(),
            counter: self.targets.counter.map(|(slot, _)| slot as u8),
            depth_format: self.targets.depth.map(|view| view.format),
            read_only: self.targets.read_only,
            samples: self.targets.samples,
            sample_mask,
            is_fitted: self.fit.is_some(),
            pulled,
        })
    }

    /// The key of what is bound; `None` if nothing can be drawn with it.
    fn short_key(&self) -> Option<ShortKey> {
        let state = &self.state;
        let [vertex, pixel] = state.bindings.shaders();
        let vertex = vertex?;
        if state.layout.is_none() && !vertex.code.reflection.inputs.is_empty() {
            return None;
        }
        let setting = self.pipeline.setting.as_ref()?;
        // Without any sample no target is written, but the shader runs.
        if setting.0.sample_mask == 0 && !self.draw_writes() {
            return None;
        }
        Some(ShortKey {
            shaders: [vertex.id.get(), pixel.map_or(0, |shader| shader.id.get())],
            states: [
                state.blend.map_or(0, |blend| blend.id.get()),
                state.depth_stencil.map_or(0, |depth_stencil| depth_stencil.id.get()),
                state.rasterizer.map_or(0, |rasterizer| rasterizer.id.get()),
            ],
            groups: self.groups.layout_ids,
            setting: setting.1,
        })
    }

    /// The whole key.
    fn pipeline_key(&self, key: &ShortKey) -> Option<PipelineKey> {
        let (setting, _) = self.pipeline.setting.as_ref()?;
        let ([vertex_shader, pixel_shader], [blend, depth_stencil, rasterizer]) = (key.shaders, key.states);
        Some(PipelineKey {
            vertex_shader,
            pixel_shader,
            blend,
            depth_stencil,
            rasterizer,
            groups: key.groups,
            setting: *setting,
        })
    }
}
