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

/// The state that determines a wgpu pipeline, as the key of the device's shared store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::encode) struct PipelineKey {
    pub(in crate::encode) vertex_shader: u64,
    pub(in crate::encode) pixel_shader: u64,
    pub(in crate::encode) blend: u64,
    pub(in crate::encode) depth_stencil: u64,
    pub(in crate::encode) rasterizer: u64,
    pub(in crate::encode) groups: LayoutIds,
    pub(in crate::encode) setting: PipelineSetting,
}

/// The properties of the key that rarely change between draws, so that an encoding thread assigns a number to
/// each combination.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::encode) struct PipelineSetting {
    pub(in crate::encode) layout: u64,
    /// Strides of the slots that the layout uses, or [`EMPTY_SLOT`](super::ranges::EMPTY_SLOT) for slots
    /// without a buffer.
    pub(in crate::encode) strides: [u16; VERTEX_SLOTS],
    pub(in crate::encode) topology: PrimitiveTopology,
    /// The index format has 32 bits, which is set only for strips.
    pub(in crate::encode) wide_strip: bool,
    pub(in crate::encode) color_formats: [Option<wgpu::TextureFormat>; TARGETS],
    /// The components that must not be written: 4 bits for each target.
    pub(in crate::encode) hidden: u32,
    pub(in crate::encode) counter: Option<u8>,
    pub(in crate::encode) depth_format: Option<wgpu::TextureFormat>,
    pub(in crate::encode) read_only: DsvFlags,
    pub(in crate::encode) samples: u32,
    pub(in crate::encode) sample_mask: u32,
    /// The vertex shader moves positions into a replacement viewport.
    pub(in crate::encode) is_fitted: bool,
    /// The storage buffers that the vertex shader pulls from, if it does. The strides then only indicate
    /// which slots are empty.
    pub(in crate::encode) pulled: Option<PulledBuffers>,
}

/// A [`PipelineKey`] with a number instead of its setting, which is short enough to be looked up for every
/// draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::encode) struct ShortKey {
    pub(in crate::encode) shaders: [u64; 2],
    pub(in crate::encode) states: [u64; 3],
    pub(in crate::encode) groups: LayoutIds,
    pub(in crate::encode) setting: u64,
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Hashes a single word, made from the fields that differ between most pipelines, because every draw
        // that changes its pipeline computes this hash.
        let Self { shaders: [vertex, pixel], states: [blend, depth_stencil, rasterizer], setting, .. } =
            *self;
        let pairs = [(vertex, pixel), (blend, depth_stencil), (rasterizer, setting)];
        let mix = |(a, b): (u64, u64)| (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let [shaders, states, rest] = pairs.map(mix);
        state.write_u64(shaders ^ states.rotate_left(21) ^ rest.rotate_left(42));
    }
}

/// A vertex buffer that a pipeline fetches from. Its index among the pipeline's fetches is its slot in wgpu,
/// which numbers slots without gaps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::encode) struct FetchSlot {
    /// The vertex-buffer slot of Direct3D 11.
    pub(in crate::encode) slot: usize,
    pub(in crate::encode) per_instance: bool,
    /// Bytes from the start of a vertex to the end of the last element that the pipeline reads.
    pub(in crate::encode) end: u64,
}

#[derive(Clone, Debug)]
pub(in crate::encode) struct CompiledPipeline {
    pub(in crate::encode) pipeline: wgpu::RenderPipeline,
    pub(in crate::encode) fetches: Box<[FetchSlot]>,
    /// The vertex buffers that the vertex shader pulls, in which case wgpu fetches none.
    pub(in crate::encode) pulled: Option<PulledFetch>,
    /// The pipeline's draws depend on the stencil reference.
    pub(in crate::encode) reads_stencil_ref: bool,
}

impl PipelineKey {
    /// Returns whether the sample mask contains no sample of the targets, so that no sample is written, but a
    /// shader that writes through views still runs.
    pub(in crate::encode) const fn leaves_out_all_samples(&self) -> bool {
        self.setting.sample_mask == 0
    }

    pub(in crate::encode) fn with_layout(&self, groups: LayoutIds) -> Self {
        Self { groups, ..self.clone() }
    }
}

impl PipelineObjects for PipelineKey {
    /// Checks the shaders, the state objects and the input layout.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        let Self { vertex_shader, pixel_shader, blend, depth_stencil, rasterizer, setting, .. } = self;
        [*vertex_shader, *pixel_shader, *blend, *depth_stencil, *rasterizer, setting.layout]
            .into_iter()
            .any(is_one)
    }
}

/// The pipelines of an encoding thread, which are `None` if their compilation failed.
#[derive(Debug, Default)]
pub(in crate::encode) struct PipelineCache {
    pub(in crate::encode) pipelines: Slab<ShortKey, Option<CompiledPipeline>>,
    /// Numbers of settings, which are never reused, because pipelines may keep them after the settings were
    /// dropped.
    settings: FastMap<PipelineSetting, u64>,
}

impl PipelineCache {
    /// Drops pipelines of destroyed shaders and state objects.
    pub(in crate::encode) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) {
        self.pipelines.drop_keys(|key| key.shaders.iter().chain(&key.states).any(|id| is_invalid(*id)));
    }

    /// Drops pipelines that no run since `oldest` has used, before a run.
    pub(in crate::encode) fn retire(&mut self, oldest: u64) {
        self.pipelines.retire(oldest, MOST_PIPELINES);
        self.settings.clear();
    }

    pub(in crate::encode) fn number(&mut self, setting: &PipelineSetting) -> u64 {
        *self.settings.entry(*setting).or_insert_with(unique_id)
    }
}

#[derive(Debug, Default)]
pub(in crate::encode) struct CurrentPipeline {
    /// Determines how vertex buffers are read: the vertex shader and the number of the setting.
    pub(in crate::encode) read_by: Option<(u64, u64)>,
    /// The setting and its number, or `None` if nothing can be drawn with it.
    pub(in crate::encode) setting: Option<(PipelineSetting, u64)>,
    /// Index of the pipeline in the cache, or `None` if nothing can be drawn.
    pub(in crate::encode) pipeline: Option<SlabIndex>,
}
