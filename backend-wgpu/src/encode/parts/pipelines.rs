//! Pipeline keys, compiled pipelines, and the cache of each encoding thread.

use std::{
    collections::HashSet,
    hash::{Hash, Hasher},
};

use onze_ddi::{DsvFlags, PrimitiveTopology};

use crate::{
    encode::parts::{
        hash::{FastMap, Slab, SlabIndex},
        layouts::LayoutIds,
        pulled::{GeometrySetting, PulledBuffers, PulledFetch},
        ranges::{TARGETS, VERTEX_SLOTS},
        stored_pipelines::PipelineObjects,
        vertex_end::VertexEnd,
    },
    objects::shader::PointNumbers,
    services::{ids::unique_id, sizes::MOST_PIPELINES},
};

/// The state that determines a wgpu pipeline, as the key of the device's shared store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub(crate) vertex_shader: u64,
    pub(crate) pixel_shader: u64,
    pub(crate) blend: u64,
    pub(crate) depth_stencil: u64,
    pub(crate) rasterizer: u64,
    pub(crate) groups: LayoutIds,
    pub(crate) setting: PipelineSetting,
}

/// The properties of the key that rarely change between draws, so that an encoding thread assigns a number to
/// each combination.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineSetting {
    /// The identifiers of the hull, domain and geometry shader, with 0 for none.
    pub(crate) rare_shaders: [u64; 3],
    /// If there is a geometry shader, how it is executed. The topology is then that of its input.
    pub(crate) geometry: Option<GeometrySetting>,
    /// If there are tessellated patches, the numbers of the vertices.
    pub(crate) patches: Option<PointNumbers>,
    pub(crate) layout: u64,
    /// Strides of the slots that the layout uses, or [`EMPTY_SLOT`](super::ranges::EMPTY_SLOT) for slots
    /// without a buffer.
    pub(crate) strides: [u16; VERTEX_SLOTS],
    pub(crate) topology: PrimitiveTopology,
    /// The index format has 32 bits, which is set only for strips.
    pub(crate) wide_strip: bool,
    pub(crate) color_formats: [Option<wgpu::TextureFormat>; TARGETS],
    /// The components that must not be written: 4 bits for each target.
    pub(crate) hidden: u32,
    pub(crate) counter: Option<u8>,
    pub(crate) depth_format: Option<wgpu::TextureFormat>,
    pub(crate) read_only: DsvFlags,
    pub(crate) samples: u32,
    pub(crate) sample_mask: u32,
    /// The numbers that change the results of the vertex stage.
    pub(crate) vertex_end: VertexEnd,
    /// The storage buffers that the vertex shader pulls from, if it does. The strides then only indicate
    /// which slots are empty.
    pub(crate) pulled: Option<PulledBuffers>,
}

impl PipelineSetting {
    /// Returns whether `is_one` is true for the input layout or one of the rare shaders.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        self.rare_shaders.into_iter().chain([self.layout]).any(is_one)
    }
}

/// A [`PipelineKey`] with a number instead of its setting, which is short enough to be looked up for every
/// draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShortKey {
    pub(crate) vertex_shader: u64,
    pub(crate) pixel_shader: u64,
    pub(crate) states: [u64; 3],
    pub(crate) groups: LayoutIds,
    pub(crate) setting: u64,
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Hashes a single word, made from the fields that differ between most pipelines, because every draw
        // that changes its pipeline computes this hash.
        let Self { vertex_shader, pixel_shader, setting, .. } = *self;
        let [blend, depth_stencil, rasterizer] = self.states;
        let pairs = [(vertex_shader, pixel_shader), (blend, depth_stencil), (rasterizer, setting)];
        let mix = |(a, b): (u64, u64)| (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let [shaders, states, rest] = pairs.map(mix);
        state.write_u64(shaders ^ states.rotate_left(21) ^ rest.rotate_left(42));
    }
}

/// A vertex buffer that a pipeline fetches from. Its index among the pipeline's fetches is its slot in wgpu,
/// which numbers slots without gaps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FetchSlot {
    /// The vertex-buffer slot of Direct3D 11.
    pub(crate) slot: usize,
    pub(crate) per_instance: bool,
    /// Bytes from the start of a vertex to the end of the last element that the pipeline reads.
    pub(crate) end: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct CompiledPipeline {
    pub(crate) pipeline: wgpu::RenderPipeline,
    pub(crate) fetches: Box<[FetchSlot]>,
    /// The vertex buffers that the vertex shader pulls, in which case wgpu fetches none.
    pub(crate) pulled: Option<PulledFetch>,
    /// The pipeline's draws depend on the stencil reference.
    pub(crate) reads_stencil_ref: bool,
}

impl PipelineKey {
    /// Returns whether the sample mask contains no sample of the targets, so that no sample is written, but a
    /// shader that writes through views still runs.
    pub(crate) const fn leaves_out_all_samples(&self) -> bool {
        self.setting.sample_mask == 0
    }

    pub(crate) fn with_layout(&self, groups: LayoutIds) -> Self {
        Self { groups, ..self.clone() }
    }
}

impl PipelineObjects for PipelineKey {
    /// Checks the shaders, the state objects and the input layout.
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        let Self { vertex_shader, pixel_shader, blend, depth_stencil, rasterizer, setting, .. } = self;
        setting.has(&is_one)
            || [*vertex_shader, *pixel_shader, *blend, *depth_stencil, *rasterizer].into_iter().any(is_one)
    }
}

/// The pipelines of an encoding thread, which are `None` if their compilation failed.
#[derive(Debug, Default)]
pub(crate) struct PipelineCache {
    pub(crate) pipelines: Slab<ShortKey, Option<CompiledPipeline>>,
    /// Numbers of settings, which are kept at least as long as their pipelines.
    settings: FastMap<PipelineSetting, u64>,
}

impl PipelineCache {
    /// Drops pipelines and settings of destroyed shaders, state objects and input layouts.
    pub(crate) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) {
        let dropped = self.settings.extract_if(|setting, _| setting.has(&is_invalid));
        let dropped: HashSet<_> = dropped.map(|(_, number)| number).collect();
        self.pipelines.drop_keys(|key| {
            let shaders = [key.vertex_shader, key.pixel_shader];
            dropped.contains(&key.setting) || shaders.iter().chain(&key.states).any(|id| is_invalid(*id))
        });
    }

    /// Drops pipelines that no run since `oldest` has used, and settings without a pipeline, before a run.
    pub(crate) fn retire(&mut self, oldest: u64) {
        self.pipelines.retire(oldest, MOST_PIPELINES);
        let used: HashSet<_> = self.pipelines.keys().map(|key| key.setting).collect();
        self.settings.retain(|_, number| used.contains(number));
    }

    pub(crate) fn number(&mut self, setting: &PipelineSetting) -> u64 {
        *self.settings.entry(*setting).or_insert_with(unique_id)
    }
}

#[derive(Debug, Default)]
pub(crate) struct CurrentPipeline {
    /// Determines how vertex buffers are read: the vertex shader and the number of the setting.
    read_by: Option<(u64, u64)>,
    /// The setting and its number, or `None` if nothing can be drawn with it.
    setting: Option<(PipelineSetting, u64)>,
    /// Index of the pipeline in the cache, or `None` if nothing can be drawn.
    place: Option<SlabIndex>,
}

impl CurrentPipeline {
    /// Returns the index of the pipeline in the cache, or `None` if nothing can be drawn.
    #[inline]
    pub(crate) const fn place(&self) -> Option<SlabIndex> {
        self.place
    }

    /// Removes the pipeline while another one is looked up.
    #[inline]
    pub(crate) const fn take(&mut self) -> Option<SlabIndex> {
        self.place.take()
    }

    /// Sets the pipeline that was found, and returns whether it may read vertex buffers in another way than
    /// the last one.
    #[inline]
    pub(crate) fn set(&mut self, found: Option<(ShortKey, SlabIndex)>) -> bool {
        self.place = found.map(|(_, place)| place);
        let read_by = found.map(|(key, _)| (key.vertex_shader, key.setting));
        std::mem::replace(&mut self.read_by, read_by) != read_by
    }

    /// Returns the setting and its number, or `None` if nothing can be drawn with it.
    #[inline]
    pub(crate) const fn setting(&self) -> Option<&(PipelineSetting, u64)> {
        self.setting.as_ref()
    }

    pub(crate) const fn set_setting(&mut self, setting: Option<(PipelineSetting, u64)>) {
        self.setting = setting;
    }
}
