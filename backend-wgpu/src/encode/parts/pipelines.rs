//! Pipeline keys, compiled pipelines, and the cache of each encoding thread.

use std::hash::{Hash, Hasher};

use onze_ddi::{DsvFlags, PrimitiveTopology};

use crate::{
    encode::parts::{
        hash::{FastMap, Slab, SlabIndex},
        layouts::LayoutIds,
        pulled::{PulledBuffers, PulledFetch},
        ranges::{TARGETS, VERTEX_SLOTS},
        stored_pipelines::PipelineObjects,
    },
    services::{ids::unique_id, sizes::MOST_PIPELINES},
};

/// Everything that wgpu bakes into a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::encode) struct PipelineKey {
    pub(in crate::encode) vertex_shader: u64,
    /// 0 for none.
    pub(in crate::encode) pixel_shader: u64,
    pub(in crate::encode) blend: u64,
    pub(in crate::encode) depth_stencil: u64,
    pub(in crate::encode) rasterizer: u64,
    /// Of the bind group layouts.
    pub(in crate::encode) groups: LayoutIds,
    pub(in crate::encode) setting: PipelineSetting,
}

/// What of the key seldom changes from draw to draw. An encoding thread gives it a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::encode) struct PipelineSetting {
    pub(in crate::encode) layout: u64,
    /// Of the slots that the layout reads; [`EMPTY_SLOT`] for those that nothing is bound to.
    pub(in crate::encode) strides: [u16; VERTEX_SLOTS],
    pub(in crate::encode) topology: PrimitiveTopology,
    /// 32-bit indices; of strips only.
    pub(in crate::encode) wide_strip: bool,
    pub(in crate::encode) color_formats: [Option<wgpu::TextureFormat>; TARGETS],
    /// Of each target the components that must not be written, 4 bits.
    pub(in crate::encode) hidden: u32,
    /// The slot of the sample counter.
    pub(in crate::encode) counter: Option<u8>,
    pub(in crate::encode) depth_format: Option<wgpu::TextureFormat>,
    pub(in crate::encode) read_only: DsvFlags,
    pub(in crate::encode) samples: u32,
    pub(in crate::encode) sample_mask: u32,
    /// Positions move into a smaller viewport.
    pub(in crate::encode) is_fitted: bool,
    /// The vertex shader pulls its elements. The strides say nothing then but which slots are empty.
    pub(in crate::encode) pulled: Option<PulledBuffers>,
}

/// A [`PipelineKey`] with a number for its setting: short enough to be looked up for every draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::encode) struct ShortKey {
    /// Vertex and pixel shader.
    pub(in crate::encode) shaders: [u64; 2],
    /// Blend, depth-stencil and rasterizer.
    pub(in crate::encode) states: [u64; 3],
    pub(in crate::encode) groups: LayoutIds,
    pub(in crate::encode) setting: u64,
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
pub(in crate::encode) struct FetchSlot {
    /// D3D11's slot.
    pub(in crate::encode) slot: usize,
    pub(in crate::encode) per_instance: bool,
    /// Bytes from a vertex's start to the end of the last element that is read.
    pub(in crate::encode) end: u64,
}

/// A compiled pipeline.
#[derive(Clone, Debug)]
pub(in crate::encode) struct CompiledPipeline {
    pub(in crate::encode) pipeline: wgpu::RenderPipeline,
    pub(in crate::encode) fetches: Box<[FetchSlot]>,
    /// What the vertex shader pulls; nothing is fetched then.
    pub(in crate::encode) pulled: Option<PulledFetch>,
    /// Draws depend on the stencil reference.
    pub(in crate::encode) reads_stencil_ref: bool,
}

impl PipelineKey {
    /// The sample mask has no sample of the targets: none is written, but a shader that writes through views runs.
    pub(in crate::encode) const fn leaves_out_all_samples(&self) -> bool {
        self.setting.sample_mask == 0
    }

    /// The same with other bind group layouts.
    pub(in crate::encode) fn with_layout(&self, groups: LayoutIds) -> Self {
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
pub(in crate::encode) struct PipelineCache {
    pub(in crate::encode) pipelines: Slab<ShortKey, Option<CompiledPipeline>>,
    /// Their numbers are never used again.
    settings: FastMap<PipelineSetting, u64>,
}

impl PipelineCache {
    /// Drops those of shaders and states that were destroyed.
    pub(in crate::encode) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) {
        self.pipelines.drop_keys(|key| key.shaders.iter().chain(&key.states).any(|id| is_invalid(*id)));
    }

    /// Before a run: drops what no run since `oldest` has used.
    pub(in crate::encode) fn retire(&mut self, oldest: u64) {
        self.pipelines.retire(oldest, MOST_PIPELINES);
        self.settings.clear();
    }

    pub(in crate::encode) fn number(&mut self, setting: &PipelineSetting) -> u64 {
        *self.settings.entry(*setting).or_insert_with(unique_id)
    }
}

/// The pipeline that the next draw uses.
#[derive(Debug, Default)]
pub(in crate::encode) struct CurrentPipeline {
    /// What says how it reads vertex buffers: the vertex shader and the number of the setting.
    pub(in crate::encode) read_by: Option<(u64, u64)>,
    /// With its number; `None` if nothing can be drawn with it.
    pub(in crate::encode) setting: Option<(PipelineSetting, u64)>,
    /// Its place in the cache; `None` when there is nothing to draw with.
    pub(in crate::encode) pipeline: Option<SlabIndex>,
}
