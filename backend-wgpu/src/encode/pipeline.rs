//! Pipelines of draws, which are found by all the state that wgpu bakes into them.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        emulate_hooks::VertexPulling,
        encoder::Encoder,
        fast_hooks::{DrawsByIndex, PipelineReplicas},
        parts::{
            hash::SlabIndex,
            pipeline_plan::PipelinePlan,
            pipelines::{CompiledPipeline, PipelineKey, PipelineSetting, ShortKey},
            pulled::NO_BUFFER,
            ranges::{EMPTY_SLOT, VERTEX_SLOTS},
            stored_pipelines::PipelinePurpose,
        },
    },
    services::convert,
};

impl Encoder<'_> {
    /// Updates the pipeline, and the vertex buffers that it reads, if the state in its key has changed.
    pub(super) fn resolve_pipeline(&mut self) {
        if !std::mem::take(&mut self.state.pipeline_dirty) {
            return;
        }
        self.resolve_setting();
        let before = self.pipeline.take();
        let found = self.find_pipeline().filter(|(_, place)| self.compiled(Some(*place)).is_some());
        if self.pipeline.set(found) {
            let fetches = |place| self.compiled(place).map(|compiled| &*compiled.fetches);
            self.state.vertex_dirty |= fetches(before) != fetches(self.pipeline.place());
        }
    }

    /// Finds the pipeline for the bound state in the worker's cache, or takes it from the shared store.
    #[inline]
    fn find_pipeline(&mut self) -> Option<(ShortKey, SlabIndex)> {
        self.find_known_pipeline().or_else(|| self.take_pipeline(self.short_key()?))
    }

    /// Finds the pipeline for the bound state in the worker's cache.
    #[inline]
    pub(super) fn find_known_pipeline(&mut self) -> Option<(ShortKey, SlabIndex)> {
        let key = self.short_key()?;
        let place = self.caches.pipelines.pipelines.find(&key, self.caches.runs)?;
        Some((key, place))
    }

    /// Takes a pipeline from the shared store into the worker's cache, and waits for it if necessary.
    #[inline(never)]
    fn take_pipeline(&mut self, short: ShortKey) -> Option<(ShortKey, SlabIndex)> {
        let key = self.pipeline_key(&short)?;
        if self.groups.index.is_used() {
            let layout = self.draw_layout(PipelinePlan::Draw)?.clone();
            let Ok(pipeline) = self.pipeline_by_index(&key, &layout) else { return self.find_pipeline() };
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
            self.pipeline.set_setting(setting.map(|setting| (setting, pipelines.number(&setting))));
        }
    }

    /// Begins to compile the pipeline that a draw would need now, so that a later draw finds it.
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

    /// Begins to compile the pipeline of a draw that is encoded now and needs other pipelines as well.
    pub(super) fn begin_pipeline(&mut self) {
        self.resolve_setting();
        if let Some(key) = self.short_key()
            && !self.caches.pipelines.pipelines.has(&key)
            && self.replica().is_none()
            && let Some(key) = self.pipeline_key(&key)
            && let Some(layout) = self.draw_layout(self.draw_plan()).cloned()
        {
            self.find_or_begin(&key, &layout, PipelinePurpose::OneOfSeveral);
        }
    }

    pub(super) fn compiled(&self, place: Option<SlabIndex>) -> Option<&CompiledPipeline> {
        self.caches.pipelines.pipelines.get(place?)?.as_ref()
    }

    /// Returns the pipeline state other than shaders and state objects, or `None` if nothing can be drawn
    /// with it.
    fn setting(&mut self) -> Option<PipelineSetting> {
        let geometry = self.bindings.shader(ShaderStage::Geometry).and(self.state.geometry);
        let pulled = self.state.layout.and_then(|layout| self.pulled_buffers(layout));
        let is_pulled = geometry.is_some() || self.patches.is_some();
        let pulled = pulled.or_else(|| is_pulled.then_some([NO_BUFFER; VERTEX_SLOTS]));
        let state = &self.state;
        let topology = match geometry {
            Some(_) => state.topology,
            None => state.topology.without_adjacency(),
        };
        if geometry.is_none() {
            convert::topology(topology)?;
        }
        // Masks that keep the same samples have the same key, so they share a pipeline.
        let sample_mask =
            state.sample_mask & (u32::MAX >> 32u32.saturating_sub(self.targets.samples()).min(31));
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
        let rare = [ShaderStage::Hull, ShaderStage::Domain, ShaderStage::Geometry];
        Some(PipelineSetting {
            rare_shaders: rare.map(|stage| self.bindings.shader_id(stage)),
            geometry,
            patches: self.patches.as_ref().map(|patches| patches.numbers),
            layout: state.layout.map_or(0, |layout| layout.id.get()),
            strides,
            topology,
            // If the adjacent vertices were removed, the new indices have 32 bits.
            wide_strip: geometry.is_none()
                && topology.is_strip()
                && (state.index.wide || state.draws_have_own_indices()),
            color_formats: self.targets.color_formats(),
            hidden: self.targets.hidden(),
            counter: self.targets.counter().map(|(slot, _)| slot as u8),
            depth_format: self.targets.depth().map(|view| view.format),
            read_only: self.targets.read_only(),
            samples: self.targets.samples(),
            sample_mask,
            vertex_end: self.vertex_end.end(),
            pulled,
        })
    }

    /// Returns the plan of draws with the bound shaders.
    pub(super) fn draw_plan(&self) -> PipelinePlan {
        if self.patches.is_some() {
            return PipelinePlan::TessellatedDraw;
        }
        match self.bindings.shader(ShaderStage::Geometry) {
            Some(_) => PipelinePlan::GeometryDraw,
            None => PipelinePlan::Draw,
        }
    }

    /// Returns the key of the bound state, or `None` if nothing can be drawn with it.
    fn short_key(&self) -> Option<ShortKey> {
        let state = &self.state;
        let vertex = match &self.patches {
            None => {
                let vertex = self.bindings.shader(ShaderStage::Vertex)?;
                if state.layout.is_none() && !vertex.code.reflection.inputs.is_empty() {
                    return None;
                }
                vertex
            }
            Some(_) => self.bindings.shader(ShaderStage::Domain)?,
        };
        let setting = self.pipeline.setting()?;
        // Without samples the targets stay unwritten, so the shader runs only for its writes through views.
        if setting.0.sample_mask == 0 && !self.draw_writes() {
            return None;
        }
        Some(ShortKey {
            vertex_shader: vertex.id.get(),
            pixel_shader: self.bindings.shader_id(ShaderStage::Pixel),
            states: [
                state.blend.map_or(0, |blend| blend.id.get()),
                state.depth_stencil.map_or(0, |depth_stencil| depth_stencil.id.get()),
                state.rasterizer.map_or(0, |rasterizer| rasterizer.id.get()),
            ],
            groups: self.groups.layout_ids(),
            setting: setting.1,
        })
    }

    /// Expands a short key, which only this worker understands, to the key of the shared store.
    fn pipeline_key(&self, key: &ShortKey) -> Option<PipelineKey> {
        let (setting, _) = self.pipeline.setting()?;
        let [blend, depth_stencil, rasterizer] = key.states;
        Some(PipelineKey {
            vertex_shader: key.vertex_shader,
            pixel_shader: key.pixel_shader,
            blend,
            depth_stencil,
            rasterizer,
            groups: key.groups,
            setting: *setting,
        })
    }
}
