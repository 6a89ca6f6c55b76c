//! Resources: the bind group of textures, samplers, and buffers that are not constant buffers.

use std::num::NonZeroU64;

use onze_ddi::{
    PerStage, ResourceKind, SampleKind, ScalarKind, ShaderStage, TextureDimension, ViewDimension,
};

use crate::{
    encode::{
        bind::{
            buffer_offsets::BufferOffsets,
            buffers::{BufferUse, Replacement},
        },
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        fast_hooks::DrawsByIndex,
        parts::{
            groups::{FoundLayout, FoundResources},
            layouts::{Unfilterable, view_dimension},
            pipeline_plan::{PipelinePlan, Shaders},
            resource_key::ResourceKey,
        },
    },
    objects::{
        shader::{
            CONSTANT_GROUP, OtherKind, OtherKinds, RESOURCE_GROUP, Shader, binding, driver_binding,
            sampler_binding,
        },
        state::Sampler,
        view::View,
    },
    services::ids::unique_id,
};

/// A successful match between a view and a shader's declaration.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ViewFit {
    /// The declaration matches, so the shader gets the components as they are.
    Same {
        /// Whether samplers can filter the texels of the view.
        filters: bool,
    },
    /// The components are of another kind than declared, and the shader gets their bits.
    OtherKind(ScalarKind),
}

/// Returns how a declaration reads a view, or `None` if it cannot.
fn fit(view: &View, kind: &ResourceKind) -> Option<ViewFit> {
    let ResourceKind::Texture { dimension, multisampled, sample } = kind else {
        return None;
    };
    // 1D textures are 2D textures in wgpu, so the view's own dimension decides.
    let has_dimension = match dimension {
        TextureDimension::D1 => view.desc.dimension == ViewDimension::Texture1d,
        dimension => view.dimension == view_dimension(*dimension),
    };
    // A view with a multisampled dimension may see a texture with one sample.
    let has_samples =
        view.samples > 1 || (*multisampled && view.desc.dimension == ViewDimension::Texture2dMs);
    if !has_dimension || has_samples != *multisampled {
        return None;
    }
    match (sample, view.sample_type) {
        (SampleKind::Float, wgpu::TextureSampleType::Float { filterable }) => {
            Some(ViewFit::Same { filters: filterable })
        }
        (SampleKind::Float, wgpu::TextureSampleType::Depth) => Some(ViewFit::Same { filters: false }),
        (SampleKind::Depth, wgpu::TextureSampleType::Depth)
        | (SampleKind::Sint, wgpu::TextureSampleType::Sint)
        | (SampleKind::Uint, wgpu::TextureSampleType::Uint) => Some(ViewFit::Same { filters: true }),
        (SampleKind::Depth, _) | (_, wgpu::TextureSampleType::Depth) => None,
        // Shaders can only sample cube maps, but the bits of another kind must be loaded.
        _ if matches!(dimension, TextureDimension::Cube | TextureDimension::CubeArray) => None,
        (_, wgpu::TextureSampleType::Float { .. }) => Some(ViewFit::OtherKind(ScalarKind::Float)),
        (_, wgpu::TextureSampleType::Sint) => Some(ViewFit::OtherKind(ScalarKind::Sint)),
        (_, wgpu::TextureSampleType::Uint) => Some(ViewFit::OtherKind(ScalarKind::Uint)),
    }
}

impl<'r> Encoder<'r> {
    /// Returns the view in a slot if the shader can read it, and whether it can be filtered.
    pub(super) fn readable(
        &self,
        stage: ShaderStage,
        slot: u32,
        kind: &ResourceKind,
    ) -> Option<(&'r View, bool)> {
        let view = self.bound_view(stage, slot)?;
        match fit(view, kind)? {
            ViewFit::Same { filters } => Some((view, filters)),
            ViewFit::OtherKind(_) => self.is_only_loaded(stage, slot).then_some((view, false)),
        }
    }

    /// Returns whether the shader only loads from the texture in a slot, and never samples it.
    fn is_only_loaded(&self, stage: ShaderStage, slot: u32) -> bool {
        self.bindings.shader(stage).is_some_and(|shader| {
            shader.code.reflection.sampled_pairs.iter().all(|pair| pair.resource != slot)
        })
    }

    /// Returns the textures of a shader whose components are of another kind than declared.
    pub(super) fn other_kinds(&self, stage: ShaderStage, shader: &Shader) -> OtherKinds {
        let fixed = shader.code.reflection.resources.iter();
        let others = fixed.filter(|resource| resource.kind.typed_buffer().is_none()).filter_map(|resource| {
            let (view, _) = self.readable(stage, resource.slot, &resource.kind)?;
            match fit(view, &resource.kind)? {
                ViewFit::OtherKind(kind) => Some(OtherKind { slot: resource.slot, kind }),
                ViewFit::Same { .. } => None,
            }
        });
        let others: Vec<_> = others.collect();
        (!others.is_empty()).then(|| others.into())
    }

    /// Returns the view in a slot, unless the pass writes its texels. If the pass writes only the stencil of
    /// a depth texture, returns the view that replaces its depth.
    #[inline]
    pub(super) fn bound_view(&self, stage: ShaderStage, slot: u32) -> Option<&'r View> {
        let view = self.bindings.stage(stage).texture(slot)?;
        if self.allows_reading(stage, view) { Some(view) } else { self.depth_apart(view) }
    }

    pub(super) fn resolve_resources(&mut self, plan: PipelinePlan) {
        let shaders = self.bindings.shaders(plan);
        let mut key = std::mem::take(&mut self.pending_groups_mut(plan).resource_key);
        key.clear();
        let (mut direct, mut offsets) = (true, None);
        for (stage, shader) in shaders.iter() {
            self.add_views(stage, shader, &mut key);
            if shader.uses_buffers {
                direct &= self.add_buffers(stage, shader, key.other_words(), offsets.get_or_insert_default());
            }
        }
        if !self.min_lods.is_empty() {
            self.add_min_lods(&shaders, key.other_words());
        }
        if !plan.is_render() && !plan.is_dispatch() {
            // A draw with the same shaders has layouts for other stages.
            key.other_words().push(u64::MAX);
        }
        let starts = self.starts;
        direct &= starts.is_none();
        self.pending_groups_mut(plan).set_padded(RESOURCE_GROUP, !direct);
        let (run, section) = (self.caches.runs, self.caches.sections);
        let known = self.caches.resources.find_words(key.words(), run).filter(|_| direct);
        let known = known.and_then(|place| self.caches.resources.get_mut(place));
        let found = match known {
            Some(known) => {
                let before = std::mem::replace(&mut known.read_in, section);
                let found = *known;
                let has_news = !self.clears.is_empty() || !self.casts.is_empty();
                if before != section || has_news || self.accesses.notes_reads() {
                    self.read_textures(&shaders);
                }
                Some(found)
            }
            None if direct => {
                self.read_textures(&shaders);
                let found = self.find_resources(&shaders, &[]);
                self.caches.resources.insert(key.words().into(), found, run);
                Some(found)
            }
            None => {
                self.read_textures(&shaders);
                let mut replacements = self.replacements(&shaders);
                if let Some((starts, vertex)) = starts.zip(shaders.get(ShaderStage::Vertex)) {
                    replacements.push(self.driver_constants_at(vertex, starts));
                }
                Some(self.find_resources(&shaders, &replacements))
            }
        };
        self.pending_groups_mut(plan).resource_key = key;
        let Some(FoundResources { layout, group, .. }) = found else { return };
        self.pending_groups_mut(plan).set_layout(layout.place);
        if plan == PipelinePlan::Draw && self.plan_at_once() {
            return self.resolve_resources(plan);
        }
        let ids = self.layout_by_index_of(plan).map_or(layout.ids, |by_index| by_index.ids());
        if let Some(before) = self.pending_groups_mut(plan).replace_layout_ids(ids) {
            // Two shaders with the same constants can differ in the use of replicas or of draws by index.
            let other_constants = before[CONSTANT_GROUP] != ids[CONSTANT_GROUP];
            if other_constants {
                self.bindings.of_mut(plan).change_constants();
            }
            self.layout_changed(plan);
        }
        self.set_group(plan, RESOURCE_GROUP, group);
        if offsets.is_some() || self.pending_groups(plan).has_offsets(RESOURCE_GROUP) {
            self.set_buffer_offsets(plan, &offsets.unwrap_or_default(), direct);
        }
    }

    /// Adds a shader, and the views and samplers in the slots that it uses, to the key of the bound resources.
    #[inline(always)]
    pub(in crate::encode) fn add_views(&self, stage: ShaderStage, shader: &Shader, key: &mut ResourceKey) {
        let reflection = &shader.code.reflection;
        let views = reflection.resources.iter().map(|resource| {
            let view = self.bound_view(stage, resource.slot);
            view.map_or(0, |view| view.id.get())
        });
        let samplers = reflection.samplers.iter().map(|sampler| {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            bound.map_or(0, |sampler| sampler.id.get())
        });
        key.add_stage((stage, shader), views, samplers);
    }

    /// Declares the accesses of shaders to the textures that they read and write.
    #[inline(never)]
    pub(in crate::encode) fn read_textures(&mut self, shaders: &Shaders<'r>) {
        for (stage, shader) in shaders.iter() {
            for resource in &shader.code.reflection.resources {
                if let Some(view) = self.bound_view(stage, resource.slot) {
                    self.reads_view(view);
                }
            }
            for slot in &shader.view_slots {
                if let Some(view) = self.written_texture(stage, slot) {
                    self.writes_view(view);
                }
            }
        }
    }

    /// Finds or makes the layout and the bind group for the bound resources.
    #[inline(never)]
    pub(super) fn find_resources(
        &mut self,
        shaders: &Shaders<'r>,
        replacements: &[Replacement],
    ) -> FoundResources {
        let (mut unfilterable, mut key) = (Unfilterable::default(), vec![0]);
        for (stage, shader) in shaders.iter() {
            for resource in &shader.code.reflection.resources {
                let found = self.readable(stage, resource.slot, &resource.kind);
                if let Some((_, false)) = found {
                    unfilterable[stage] |= 1u128.checked_shl(resource.slot).unwrap_or(0);
                }
                key.push(found.map_or(0, |(view, _)| view.id.get()));
            }
            for sampler in &shader.code.reflection.samplers {
                let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
                key.push(bound.map_or(0, |sampler| sampler.id.get()));
            }
            if shader.uses_buffers {
                self.add_buffers(stage, shader, &mut key, &mut BufferOffsets::default());
            }
        }
        if !self.min_lods.is_empty() {
            self.add_min_lods(shaders, &mut key);
        }
        if !replacements.is_empty() {
            // The key gets a unique number, because no other draw or dispatch binds the replacements.
            let id = unique_id();
            self.caches.spent.insert(id);
            key.push(id);
        }
        let mut seen = self.seen_views(shaders);
        let driver_reads = self.driver_reads(shaders, &mut seen);
        // Other shaders with the same layout may need other driver constants.
        let told = shaders.iter().filter(|(stage, _)| driver_reads[*stage].is_some());
        key.extend(told.map(|(_, shader)| shader.id.get()));
        let layout = self.find_layout(shaders, unfilterable, driver_reads, seen);
        let id = layout.ids[RESOURCE_GROUP];
        if let Some(first) = key.first_mut() {
            *first = id.into();
        }
        let make = |encoder: &Self| encoder.make_resource_group(shaders, layout, replacements);
        let group = (id != 0).then(|| self.find_group(&key, make)).flatten();
        FoundResources { layout, group, read_in: self.caches.sections }
    }

    /// Returns the sampler in a slot, if it is of the kind that the shader declares: with or without a
    /// comparison.
    pub(super) fn bound_sampler(
        &self,
        stage: ShaderStage,
        slot: u32,
        comparison: bool,
    ) -> Option<&'r Sampler> {
        let sampler = self.bindings.stage(stage).sampler(slot)?;
        (sampler.comparison == comparison).then_some(sampler)
    }

    pub(super) fn make_resource_group(
        &self,
        shaders: &Shaders<'r>,
        layout: FoundLayout,
        replacements: &[Replacement],
    ) -> Option<wgpu::BindGroup> {
        let draw_layout = self.caches.layouts.get(layout.place)?.now();
        let layout = &draw_layout.groups[RESOURCE_GROUP];
        let mut driver_constants = PerStage::<Option<wgpu::Buffer>>::default();
        for (stage, shader) in shaders.iter() {
            let made = replacements.iter().find(|made| made.binding == driver_binding(stage));
            driver_constants[stage] = match made {
                Some(Replacement { buffer, .. }) => Some(buffer.clone()),
                None => draw_layout.driver_reads[stage]
                    .map(|block| self.parameters(self.driver_constants(stage, shader).part(block))),
            };
        }
        let nulls = &self.encoding.objects.nulls;
        let mut entries = Vec::with_capacity(layout.entries.len());
        for (stage, shader) in shaders.iter() {
            for resource in &shader.code.reflection.resources {
                let is_buffer = matches!(resource.kind, ResourceKind::Buffer { .. });
                if is_buffer || resource.kind.typed_buffer().is_some() {
                    continue;
                }
                let view = self.readable(stage, resource.slot, &resource.kind);
                let view = view.map_or_else(|| nulls.texture(&resource.kind), |(view, _)| &view.texture_view);
                entries.push(wgpu::BindGroupEntry {
                    binding: binding(stage, resource.slot),
                    resource: wgpu::BindingResource::TextureView(view),
                });
            }
            for slot in &shader.view_slots {
                let row = self.read_row(stage, slot).map(|(view, _)| view);
                if let Some(view) = self.written_texture(stage, slot).or(row) {
                    let resource = wgpu::BindingResource::TextureView(&view.texture_view);
                    entries.push(wgpu::BindGroupEntry { binding: slot.binding(stage), resource });
                }
            }
            for used in self.buffer_uses(stage, shader).filter(BufferUse::has_binding) {
                let replacement = replacements.iter().find(|replacement| replacement.binding == used.binding);
                let range = match (replacement, used.part) {
                    (Some(Replacement { buffer, .. }), _) => {
                        wgpu::BufferBinding { buffer, offset: 0, size: None }
                    }
                    (None, Some(part)) => {
                        let bound = if used.typed { self.typed_binding(part) } else { part.range() };
                        wgpu::BufferBinding {
                            buffer: bound.buffer,
                            offset: if used.dynamic { 0 } else { bound.offset },
                            size: NonZeroU64::new(bound.size),
                        }
                    }
                    (None, None) => wgpu::BufferBinding {
                        buffer: &nulls.storage.buffer,
                        offset: 0,
                        size: NonZeroU64::new(used.needed),
                    },
                };
                let resource = wgpu::BindingResource::Buffer(range);
                entries.push(wgpu::BindGroupEntry { binding: used.binding, resource });
            }
            entries.extend(driver_constants[stage].as_ref().map(|buffer| wgpu::BindGroupEntry {
                binding: driver_binding(stage),
                resource: buffer.as_entire_binding(),
            }));
            for sampler in &shader.code.reflection.samplers {
                let binding = sampler_binding(stage, sampler.slot);
                let ty = layout.entries.iter().find(|entry| entry.binding == binding).map(|entry| entry.ty);
                let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
                let sampler = match (ty, bound) {
                    (Some(wgpu::BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering)), bound) => {
                        bound.map_or(&nulls.point_sampler, |sampler| &sampler.point_twin)
                    }
                    (_, Some(sampler)) => &sampler.sampler,
                    (_, None) if sampler.comparison => &nulls.comparison_sampler,
                    (_, None) => &nulls.sampler,
                };
                let resource = wgpu::BindingResource::Sampler(sampler);
                entries.push(wgpu::BindGroupEntry { binding, resource });
            }
        }
        Some(self.make_group(layout.layout.as_ref()?, &entries))
    }
}
