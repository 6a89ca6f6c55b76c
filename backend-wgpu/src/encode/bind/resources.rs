//! Resources: the bind group of textures, samplers, and buffers that are not constant buffers.

use std::num::NonZeroU64;

use onze_ddi::{ResourceKind, SampleKind, ScalarKind, TextureDimension, ViewDimension};

use crate::{
    encode::{
        bind::{
            BindPoint,
            buffer_offsets::BufferOffsets,
            buffers::{BufferUse, Replacement},
        },
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        parts::{
            groups::{FoundLayout, FoundResources},
            layouts::{Shaders, Unfilterable, view_dimension},
        },
    },
    objects::{
        shader::{
            CONSTANT_GROUP, OtherKind, OtherKinds, RESOURCE_GROUP, Shader, binding, driver_binding,
            sampler_binding,
        },
        stage::{LANES, VERTEX},
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
    pub(super) fn readable<K: BindPoint>(
        &self,
        lane: usize,
        slot: u32,
        kind: &ResourceKind,
    ) -> Option<(&'r View, bool)> {
        let view = self.bound_view::<K>(lane, slot)?;
        match fit(view, kind)? {
            ViewFit::Same { filters } => Some((view, filters)),
            ViewFit::OtherKind(_) => self.is_only_loaded::<K>(lane, slot).then_some((view, false)),
        }
    }

    /// Returns whether the shader only loads from the texture in a slot, and never samples it.
    fn is_only_loaded<K: BindPoint>(&self, lane: usize, slot: u32) -> bool {
        let shader = K::bindings(self).shaders().get(lane).copied().flatten();
        shader.is_some_and(|shader| {
            shader.code.reflection.sampled_pairs.iter().all(|pair| pair.resource != slot)
        })
    }

    /// Returns the textures of a shader whose components are of another kind than declared.
    pub(super) fn other_kinds<K: BindPoint>(&self, lane: usize, shader: &Shader) -> OtherKinds {
        let fixed = shader.code.reflection.resources.iter();
        let others = fixed.filter(|resource| resource.kind.typed_buffer().is_none()).filter_map(|resource| {
            let (view, _) = self.readable::<K>(lane, resource.slot, &resource.kind)?;
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
    pub(super) fn bound_view<K: BindPoint>(&self, lane: usize, slot: u32) -> Option<&'r View> {
        let view = (*K::bindings(self).stages.get(lane)?.textures.get(slot as usize)?)?;
        if K::allows_reading(self, view) { Some(view) } else { self.depth_apart(view) }
    }

    pub(super) fn resolve_resources<K: BindPoint>(&mut self) {
        let shaders = K::bindings(self).shaders();
        let mut key = std::mem::take(&mut K::groups_mut(self).key);
        key.clear();
        let (mut direct, mut offsets) = (true, None);
        for (lane, shader) in shaders.iter().enumerate() {
            key.push(shader.map_or(0, |shader| shader.id.get()));
            let Some(shader) = *shader else { continue };
            let reflection = &shader.code.reflection;
            for resource in &reflection.resources {
                let view = self.bound_view::<K>(lane, resource.slot);
                key.push(view.map_or(0, |view| view.id.get()));
            }
            for sampler in &reflection.samplers {
                let bound = self.bound_sampler::<K>(lane, sampler.slot, sampler.comparison);
                key.push(bound.map_or(0, |sampler| sampler.id.get()));
            }
            if shader.uses_buffers {
                direct &= self.add_buffers::<K>(lane, shader, &mut key, offsets.get_or_insert_default());
            }
        }
        if !self.min_lods.is_empty() {
            self.add_min_lods::<K>(&shaders, &mut key);
        }
        let starts = K::starts(self);
        direct &= starts.is_none();
        K::groups_mut(self).padded_resources = !direct;
        let (run, section) = (self.caches.runs, self.caches.sections);
        let known = self.caches.resources.find_words(&key, run).filter(|_| direct);
        let known = known.and_then(|place| self.caches.resources.get_mut(place));
        let found = match known {
            Some(known) => {
                let before = std::mem::replace(&mut known.read_in, section);
                let found = *known;
                let has_news = !self.clears.is_empty() || !self.casts.is_empty();
                if before != section || has_news || self.recording.is_some() {
                    self.read_textures::<K>(&shaders);
                }
                Some(found)
            }
            None if direct => {
                self.read_textures::<K>(&shaders);
                let found = self.find_resources::<K>(&shaders, &[]);
                self.caches.resources.insert(key.as_slice().into(), found, run);
                Some(found)
            }
            None => {
                self.read_textures::<K>(&shaders);
                let mut replacements = self.replacements::<K>(&shaders);
                if let Some((starts, vertex)) = starts.zip(shaders[VERTEX]) {
                    replacements.push(self.driver_constants_at::<K>(vertex, starts));
                }
                Some(self.find_resources::<K>(&shaders, &replacements))
            }
        };
        K::groups_mut(self).key = key;
        let Some(FoundResources { layout, group, .. }) = found else { return };
        K::groups_mut(self).layout = Some(layout.place);
        if K::plan_at_once(self) {
            return self.resolve_resources::<K>();
        }
        let ids = K::layout_by_index(self).map_or(layout.ids, |by_index| by_index.ids());
        let groups = K::groups_mut(self);
        if groups.layout_ids != ids {
            // Two shaders with the same constants can differ in the use of replicas or of draws by index.
            let other_constants = groups.layout_ids[CONSTANT_GROUP] != ids[CONSTANT_GROUP];
            groups.layout_ids = ids;
            K::bindings_mut(self).constants_dirty |= other_constants;
            K::layout_changed(self);
        }
        self.set_group::<K>(RESOURCE_GROUP, group);
        if offsets.is_some() || !K::groups(self).groups[RESOURCE_GROUP].offsets().is_empty() {
            self.set_buffer_offsets::<K>(&offsets.unwrap_or_default(), direct);
        }
    }

    /// Declares the accesses of shaders to the textures that they read and write.
    #[inline(never)]
    pub(super) fn read_textures<K: BindPoint>(&mut self, shaders: &Shaders<'r>) {
        for (lane, shader) in shaders.iter().enumerate() {
            for resource in shader.iter().flat_map(|shader| &shader.code.reflection.resources) {
                if let Some(view) = self.bound_view::<K>(lane, resource.slot) {
                    self.reads_view(view);
                }
            }
            for slot in shader.iter().flat_map(|shader| &shader.view_slots) {
                if let Some(view) = self.written_texture::<K>(slot) {
                    self.writes_view(view);
                }
            }
        }
    }

    /// Finds or makes the layout and the bind group for the bound resources.
    #[inline(never)]
    pub(super) fn find_resources<K: BindPoint>(
        &mut self,
        shaders: &Shaders<'r>,
        replacements: &[Replacement],
    ) -> FoundResources {
        let (mut unfilterable, mut key) = (Unfilterable::default(), vec![0]);
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            for resource in &shader.code.reflection.resources {
                let found = self.readable::<K>(lane, resource.slot, &resource.kind);
                if let Some((_, false)) = found {
                    unfilterable[lane] |= 1u128.checked_shl(resource.slot).unwrap_or(0);
                }
                key.push(found.map_or(0, |(view, _)| view.id.get()));
            }
            for sampler in &shader.code.reflection.samplers {
                let bound = self.bound_sampler::<K>(lane, sampler.slot, sampler.comparison);
                key.push(bound.map_or(0, |sampler| sampler.id.get()));
            }
            if shader.uses_buffers {
                self.add_buffers::<K>(lane, shader, &mut key, &mut BufferOffsets::default());
            }
        }
        if !self.min_lods.is_empty() {
            self.add_min_lods::<K>(shaders, &mut key);
        }
        if !replacements.is_empty() {
            // The key gets a unique number, because no other draw or dispatch binds the replacements.
            let id = unique_id();
            self.caches.spent.insert(id);
            key.push(id);
        }
        let mut seen = self.seen_views::<K>(shaders);
        let driver_reads = self.driver_reads::<K>(shaders, &mut seen);
        let layout = self.find_layout(shaders, unfilterable, driver_reads, seen);
        let id = layout.ids[RESOURCE_GROUP];
        if let Some(first) = key.first_mut() {
            *first = id.into();
        }
        let make = |encoder: &Self| encoder.make_resource_group::<K>(shaders, layout, replacements);
        let group = (id != 0).then(|| self.find_group(&key, make)).flatten();
        FoundResources { layout, group, read_in: self.caches.sections }
    }

    /// Returns the sampler in a slot, if it is of the kind that the shader declares: with or without a
    /// comparison.
    pub(super) fn bound_sampler<K: BindPoint>(
        &self,
        lane: usize,
        slot: u32,
        comparison: bool,
    ) -> Option<&'r Sampler> {
        let sampler = (*K::bindings(self).stages.get(lane)?.samplers.get(slot as usize)?)?;
        (sampler.comparison == comparison).then_some(sampler)
    }

    pub(super) fn make_resource_group<K: BindPoint>(
        &self,
        shaders: &Shaders<'r>,
        layout: FoundLayout,
        replacements: &[Replacement],
    ) -> Option<wgpu::BindGroup> {
        let draw_layout = self.caches.layouts.get(layout.place)?.now();
        let layout = &draw_layout.groups[RESOURCE_GROUP];
        let mut driver_constants = [const { None }; LANES];
        for (lane, shader) in shaders.iter().enumerate() {
            let made = replacements.iter().find(|made| made.binding == driver_binding(lane));
            driver_constants[lane] = match made {
                Some(Replacement { buffer, .. }) => Some(buffer.clone()),
                None => shader.zip(draw_layout.driver_reads[lane]).map(|(shader, block)| {
                    self.parameters(self.driver_constants::<K>(lane, shader).part(block))
                }),
            };
        }
        let nulls = &self.encoding.objects.nulls;
        let mut entries = Vec::with_capacity(layout.entries.len());
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            for resource in &shader.code.reflection.resources {
                let is_buffer = matches!(resource.kind, ResourceKind::Buffer { .. });
                if is_buffer || resource.kind.typed_buffer().is_some() {
                    continue;
                }
                let view = self.readable::<K>(lane, resource.slot, &resource.kind);
                let view = view.map_or_else(|| nulls.texture(&resource.kind), |(view, _)| &view.texture_view);
                entries.push(wgpu::BindGroupEntry {
                    binding: binding(lane, resource.slot),
                    resource: wgpu::BindingResource::TextureView(view),
                });
            }
            for slot in &shader.view_slots {
                let row = self.read_row::<K>(lane, slot).map(|(view, _)| view);
                if let Some(view) = self.written_texture::<K>(slot).or(row) {
                    let resource = wgpu::BindingResource::TextureView(&view.texture_view);
                    entries.push(wgpu::BindGroupEntry { binding: slot.binding(lane), resource });
                }
            }
            for used in self.buffer_uses::<K>(lane, shader).filter(BufferUse::has_binding) {
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
            entries.extend(driver_constants[lane].as_ref().map(|buffer| wgpu::BindGroupEntry {
                binding: driver_binding(lane),
                resource: buffer.as_entire_binding(),
            }));
            for sampler in &shader.code.reflection.samplers {
                let binding = sampler_binding(lane, sampler.slot);
                let ty = layout.entries.iter().find(|entry| entry.binding == binding).map(|entry| entry.ty);
                let bound = self.bound_sampler::<K>(lane, sampler.slot, sampler.comparison);
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
