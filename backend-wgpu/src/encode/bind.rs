//! Bind groups: two per stage, made from what is bound and kept by what they hold.
//!
//! Constant buffers have dynamic offsets, so a group's key has the wgpu buffers and the shader's block
//! sizes, never the offsets: all draws that take their constants from one upload page share a group.
//! What D3D11 lets be missing gets a typed stand-in; what does not fit the shader counts as missing.

use std::sync::Arc;

use onze_ddi::{ResourceKind, SampleKind, ShaderStage};

use crate::{
    command::stage_bit,
    identity::unique_id,
    shader::{SAMPLER_BASE, Shader, constant_group, resource_group},
    state::Sampler,
    view::View,
};

use super::{
    Encoder, WorkerCaches,
    hash::{Place, Slab},
    layout::{ShaderLayout, bound_size, view_dimension},
    state::{BufferRange, CONSTANT_SLOTS, ConstantSlot},
};

/// Most bind groups that a worker keeps.
const MOST_GROUPS: usize = 4096;

/// A worker's bind groups, by layout and contents.
#[derive(Debug, Default)]
pub(super) struct GroupCache(pub(super) Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
    /// Before a run: drops what no run since `oldest` has used.
    pub(super) fn retire(&mut self, oldest: u64) {
        self.0.retire(oldest, MOST_GROUPS);
    }

    /// Whether something should be dropped.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() > MOST_GROUPS
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// What the resources of a stage come to.
#[derive(Copy, Clone, Debug)]
pub(super) struct FoundResources {
    layout: FoundLayout,
    /// The place of the bind group; `None` if the shader reads nothing.
    group: Option<Place>,
}

/// By the shader and what is bound of what it reads: views, and samplers. A bind group has another key, as
/// shaders with the same layout share it.
pub(super) type ResourceCache = Slab<Box<[u64]>, FoundResources>;

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Its place in the cache.
    pub(super) place: Option<Place>,
    /// Dynamic offsets, by binding.
    offsets: [u32; CONSTANT_SLOTS],
    /// How many there are.
    dynamic: usize,
}

impl Group {
    fn unbind(&mut self) {
        self.place = None;
        self.dynamic = 0;
    }

    pub(super) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }
}

/// A shader's layout, with the numbers of its groups' layouts.
#[derive(Copy, Clone, Debug)]
pub(super) struct FoundLayout {
    place: Place,
    constants: u32,
    resources: u32,
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The layouts of the bound shaders.
    layouts: [Option<FoundLayout>; ShaderStage::COUNT],
    /// The numbers of the groups' layouts; 0 for none.
    pub(super) layout_ids: [u32; 4],
    pub(super) groups: [Group; 4],
    /// Bit n: the open pass has another group n, or other offsets of it.
    pub(super) moved: u8,
    /// A bound constant buffer is a padded copy, which knows nothing of later writes to the original.
    pub(super) padded: bool,
    key: Vec<u64>,
}

impl Groups {
    /// No group is bound.
    pub(super) fn forget_bound(&mut self) {
        self.moved = (1 << self.groups.len()) - 1;
    }
}

/// Whether a view can be read as what a shader declares: then also whether it can be filtered.
fn fits(view: &View, kind: &ResourceKind) -> Option<bool> {
    let ResourceKind::Texture { dimension, multisampled, sample } = kind else {
        return None;
    };
    if view.dimension != view_dimension(*dimension) || (view.samples > 1) != *multisampled {
        return None;
    }
    match (sample, view.sample_type) {
        (SampleKind::Float, wgpu::TextureSampleType::Float { filterable }) => Some(filterable),
        (SampleKind::Float, wgpu::TextureSampleType::Depth) => Some(false),
        (SampleKind::Depth, wgpu::TextureSampleType::Depth)
        | (SampleKind::Sint, wgpu::TextureSampleType::Sint)
        | (SampleKind::Uint, wgpu::TextureSampleType::Uint) => Some(true),
        _ => None,
    }
}

impl<'r> Encoder<'r> {
    /// Another constant buffer. As a rule it is another place in the same upload page, which only moves the
    /// offsets of a bind group.
    pub(super) fn set_constant_buffer(&mut self, stages: u8, slot: u8, range: Option<BufferRange<'r>>) {
        for stage in ShaderStage::ALL.into_iter().filter(|stage| stages & stage_bit(*stage) != 0) {
            let state = self.state.stage(stage);
            let at = usize::from(slot);
            let (Some(place), Some(known)) =
                (state.constants.get_mut(at), state.constant_slots.get(at).copied())
            else {
                continue;
            };
            *place = range;
            if state.constants_dirty {
                continue;
            }
            let group = constant_group(stage);
            match (known, range) {
                (ConstantSlot::Unread, _) => {}
                (ConstantSlot::Dynamic { id, needed, at }, Some(range))
                    if range.id == id && range.size >= needed =>
                {
                    if let Some(offset) = self.groups.groups[group as usize].offsets.get_mut(usize::from(at))
                    {
                        *offset = range.offset as u32;
                        self.groups.moved |= 1 << group;
                    }
                }
                _ => {
                    state.constants_dirty = true;
                    self.ready.forget_bindings();
                }
            }
        }
    }

    /// Brings all bind groups up to date. May end the pass.
    pub(super) fn resolve_groups(&mut self) {
        for stage in ShaderStage::ALL {
            if std::mem::take(&mut self.state.stage(stage).resources_dirty) {
                self.resolve_resources(stage);
            }
        }
        let dirty = self.state.stages.iter().any(|stage| stage.constants_dirty);
        if dirty {
            if self.groups.padded {
                // The flag stands for both stages.
                self.groups.padded = false;
                self.state.dirty_constants();
            }
            for stage in ShaderStage::ALL {
                if std::mem::take(&mut self.state.stage(stage).constants_dirty) {
                    self.resolve_constants(stage);
                }
            }
        }
    }

    /// A buffer was written: padded copies of constant buffers must be made again.
    pub(super) fn buffers_changed(&mut self) {
        if self.groups.padded {
            self.state.dirty_constants();
        }
    }

    /// The view in a slot if the shader can read it, and whether it can be filtered.
    fn readable(&self, stage: ShaderStage, slot: u32, kind: &ResourceKind) -> Option<(&'r View, bool)> {
        let view = self.bound_view(stage, slot)?;
        Some((view, fits(view, kind)?))
    }

    /// The view in a slot unless the pass writes to what it sees.
    #[inline]
    fn bound_view(&self, stage: ShaderStage, slot: u32) -> Option<&'r View> {
        let view = (*self.state.stages.get(stage.index())?.resources.get(slot as usize)?)?;
        self.targets.allows_reading(view).then_some(view)
    }

    fn resolve_resources(&mut self, stage: ShaderStage) {
        let group_at = resource_group(stage) as usize;
        let Some(shader) = self.state.stage(stage).shader else {
            self.groups.groups[group_at].unbind();
            self.set_layout(stage, None);
            return;
        };
        let reflection = &shader.code.reflection;
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        key.push(shader.id);
        for resource in &reflection.resources {
            let view = self.bound_view(stage, resource.slot);
            if let Some(view) = view {
                self.note_read(view);
            }
            key.push(view.map_or(0, |view| view.id));
        }
        for sampler in &reflection.samplers {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            key.push(bound.map_or(0, |sampler| sampler.id));
        }
        let run = self.caches.runs;
        let found = match self.caches.resources.find_words(&key, run) {
            Some(place) => self.caches.resources.get(place).copied(),
            None => {
                let found = self.find_resources(stage, shader);
                self.caches.resources.insert(key.as_slice().into(), found, run);
                Some(found)
            }
        };
        self.groups.key = key;
        let Some(FoundResources { layout, group }) = found else { return };
        self.set_layout(stage, Some(layout));
        match group {
            Some(place) => self.set_group(group_at, place),
            None => self.groups.groups[group_at].unbind(),
        }
    }

    /// What a draw reads must have been cleared, and copies that go ahead must not write it.
    #[inline]
    fn note_read(&mut self, view: &'r View) {
        if !self.clears.is_empty() {
            self.flush_clears(view.texture, Some(&view.desc.range));
        }
        self.ahead.reads(view.texture);
        if let Some(recording) = &mut self.recording {
            recording.textures.push((view.texture, view.desc.range));
        }
    }

    /// The layout and the bind group of what is bound.
    #[inline(never)]
    fn find_resources(&mut self, stage: ShaderStage, shader: &Shader) -> FoundResources {
        let reflection = &shader.code.reflection;
        let (mut unfilterable, mut key) = (0u128, vec![0]);
        for resource in &reflection.resources {
            let found = self.readable(stage, resource.slot, &resource.kind);
            if let Some((_, false)) = found {
                unfilterable |= 1u128.checked_shl(resource.slot).unwrap_or(0);
            }
            key.push(found.map_or(0, |(view, _)| view.id));
        }
        for sampler in &reflection.samplers {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            key.push(bound.map_or(0, |sampler| sampler.id));
        }
        let layout = self.find_layout(shader, unfilterable);
        if let Some(first) = key.first_mut() {
            *first = layout.resources.into();
        }
        let make = |encoder: &Self| encoder.make_resource_group(stage, layout);
        let group = (layout.resources != 0).then(|| self.find_group(&key, make)).flatten();
        FoundResources { layout, group }
    }

    fn find_layout(&mut self, shader: &Shader, unfilterable: u128) -> FoundLayout {
        let WorkerCaches { layouts, shared, runs, .. } = &mut *self.caches;
        let key = (shader.id, unfilterable);
        let place = layouts.find(&key, *runs).unwrap_or_else(|| {
            let layout = shared.shader_layout(self.device, &shader.code.reflection, unfilterable);
            layouts.insert(key, Arc::new(layout), *runs)
        });
        let (constants, resources) =
            layouts.get(place).map_or((0, 0), |layout| (layout.constants.id, layout.resources.id));
        FoundLayout { place, constants, resources }
    }

    /// The layout of the bound shader, if it has resolved its resources.
    pub(super) fn shader_layout(&self, stage: ShaderStage) -> Option<&Arc<ShaderLayout>> {
        self.caches.layouts.get(self.groups.layouts[stage.index()]?.place)
    }

    /// The sampler in a slot if it compares as the shader wants.
    fn bound_sampler(&self, stage: ShaderStage, slot: u32, comparison: bool) -> Option<&'r Sampler> {
        let sampler = (*self.state.stages.get(stage.index())?.samplers.get(slot as usize)?)?;
        (sampler.comparison == comparison).then_some(sampler)
    }

    fn set_layout(&mut self, stage: ShaderStage, layout: Option<FoundLayout>) {
        let before = std::mem::replace(&mut self.groups.layouts[stage.index()], layout);
        if before.map(|layout| layout.place) == layout.map(|layout| layout.place) {
            return;
        }
        let (constants, resources) = layout.map_or((0, 0), |layout| (layout.constants, layout.resources));
        for (group, id) in [(constant_group(stage), constants), (resource_group(stage), resources)] {
            if let Some(place) = self.groups.layout_ids.get_mut(group as usize)
                && *place != id
            {
                *place = id;
                self.state.pipeline_dirty = true;
            }
        }
    }

    /// The place of the group with `key`, which is in the cache or is made.
    fn find_group(
        &mut self,
        key: &[u64],
        make: impl FnOnce(&Self) -> Option<wgpu::BindGroup>,
    ) -> Option<Place> {
        let run = self.caches.runs;
        if let Some(place) = self.caches.groups.0.find_words(key, run) {
            return Some(place);
        }
        let group = make(self)?;
        self.stats.bind_group_misses += 1;
        Some(self.caches.groups.0.insert(key.into(), group, run))
    }

    /// Makes a group the current one.
    #[inline]
    fn set_group(&mut self, at: usize, place: Place) {
        let group = &mut self.groups.groups[at];
        if group.place != Some(place) {
            group.place = Some(place);
            self.groups.moved |= 1 << at;
        }
    }

    fn make_resource_group(&self, stage: ShaderStage, layout: FoundLayout) -> Option<wgpu::BindGroup> {
        let layout = self.caches.layouts.get(layout.place)?;
        let nulls = &self.device.nulls;
        let reflection = self.state.stages[stage.index()].shader.map(|shader| &shader.code.reflection);
        let (resources, samplers) =
            reflection.map_or((&[][..], &[][..]), |reflection| (&reflection.resources, &reflection.samplers));
        // There are no views of buffers, so a structured buffer is always an empty slot.
        let null_buffer = resources.iter().find_map(|resource| match resource.kind {
            ResourceKind::Buffer { .. } => Some(self.null_storage(resources.iter().map(|r| &r.kind))),
            ResourceKind::Texture { .. } => None,
        });
        let mut entries = Vec::with_capacity(resources.len() + samplers.len());
        for resource in resources {
            let binding = match (&resource.kind, &null_buffer) {
                (ResourceKind::Buffer { .. }, Some(buffer)) => buffer.as_entire_binding(),
                (kind, _) => wgpu::BindingResource::TextureView(
                    self.readable(stage, resource.slot, kind)
                        .map_or_else(|| nulls.texture(kind), |(view, _)| &view.texture_view),
                ),
            };
            entries.push(wgpu::BindGroupEntry { binding: resource.slot, resource: binding });
        }
        for sampler in samplers {
            let binding = SAMPLER_BASE + sampler.slot;
            let ty =
                layout.resources.entries.iter().find(|entry| entry.binding == binding).map(|entry| entry.ty);
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            let sampler = match (ty, bound) {
                (Some(wgpu::BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering)), bound) => {
                    bound.map_or(&nulls.point_sampler, |sampler| &sampler.point_twin)
                }
                (_, Some(sampler)) => &sampler.sampler,
                (_, None) if sampler.comparison => &nulls.comparison_sampler,
                (_, None) => &nulls.sampler,
            };
            entries.push(wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Sampler(sampler) });
        }
        Some(self.make_group(layout.resources.layout.as_ref()?, &entries))
    }

    /// Zeros, as many as the largest of the declared buffers has.
    fn null_storage<'k>(&self, kinds: impl Iterator<Item = &'k ResourceKind>) -> wgpu::Buffer {
        let size =
            kinds.map(|kind| if let ResourceKind::Buffer { size, .. } = kind { *size } else { 0 }).max();
        self.device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("null buffer"),
            size: u64::from(size.unwrap_or(0)).next_multiple_of(16).max(16),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    }

    fn make_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        self.device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
    }

    fn resolve_constants(&mut self, stage: ShaderStage) {
        let group_at = constant_group(stage) as usize;
        // What no entry stands for is not read.
        self.state.stage(stage).constant_slots = [ConstantSlot::Unread; CONSTANT_SLOTS];
        let Some(shader) = self.state.stage(stage).shader else {
            self.groups.groups[group_at].unbind();
            return;
        };
        let Some(layout) = self.shader_layout(stage).cloned() else { return };
        if let Some(group_layout) = &layout.constants.layout {
            self.find_constants(stage, shader, &layout, group_layout);
        } else {
            self.groups.groups[group_at].unbind();
        }
    }

    fn find_constants(
        &mut self,
        stage: ShaderStage,
        shader: &Shader,
        layout: &ShaderLayout,
        group_layout: &wgpu::BindGroupLayout,
    ) {
        let group_at = constant_group(stage) as usize;
        let buffers = &shader.code.reflection.constant_buffers;
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        key.push(layout.constants.id.into());
        let (mut offsets, mut dynamic) = ([0; CONSTANT_SLOTS], 0);
        // Padded copies are rare, so this allocates nothing as a rule.
        let mut padded = Vec::new();
        for (at, (buffer, entry)) in buffers.iter().zip(&*layout.constants.entries).enumerate() {
            let slot = buffer.slot as usize;
            let bound = self.state.stages[stage.index()].constants.get(slot).copied().flatten();
            let needed = bound_size(buffer.size);
            if let Some(range) = bound {
                self.ahead.reads(range.id);
            }
            let mut known = ConstantSlot::Unknown;
            let (id, offset) = match bound {
                Some(range) if range.size >= needed => {
                    if has_dynamic_offset(entry) {
                        known = ConstantSlot::Dynamic { id: range.id, needed, at: dynamic as u8 };
                    }
                    (range.id, range.offset)
                }
                Some(range) if range.size > 0 => {
                    let copy = self.padded_copy(range, 0, needed, wgpu::BufferUsages::UNIFORM);
                    padded.push((at, copy));
                    (unique_id(), 0)
                }
                _ => (self.device.nulls.uniform.buffer_id, self.device.nulls.uniform.offset),
            };
            if let Some(place) = self.state.stage(stage).constant_slots.get_mut(slot) {
                *place = known;
            }
            key.push(id);
            match offsets.get_mut(dynamic) {
                Some(place) if has_dynamic_offset(entry) => {
                    *place = offset as u32;
                    dynamic += 1;
                }
                _ => key.push(offset),
            }
        }
        self.groups.padded |= !padded.is_empty();
        let group = &mut self.groups.groups[group_at];
        if group.offsets() != &offsets[..dynamic] {
            self.groups.moved |= 1 << group_at;
        }
        (group.offsets, group.dynamic) = (offsets, dynamic);
        let make = |encoder: &Self| Some(encoder.make_constant_group(stage, group_layout, layout, &padded));
        if let Some(place) = self.find_group(&key, make) {
            self.set_group(group_at, place);
        }
        self.groups.key = key;
    }

    fn make_constant_group(
        &self,
        stage: ShaderStage,
        group_layout: &wgpu::BindGroupLayout,
        layout: &ShaderLayout,
        padded: &[(usize, wgpu::Buffer)],
    ) -> wgpu::BindGroup {
        let null = &self.device.nulls.uniform;
        let null =
            BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: null.offset, size: null.size };
        let state = &self.state.stages[stage.index()];
        let buffers = state.shader.map_or(&[][..], |shader| &shader.code.reflection.constant_buffers);
        let mut entries = Vec::with_capacity(buffers.len());
        for (at, (buffer, entry)) in buffers.iter().zip(&*layout.constants.entries).enumerate() {
            let needed = bound_size(buffer.size);
            let copy = padded.iter().find(|(index, _)| *index == at).map(|(_, copy)| copy);
            let bound = state.constants.get(buffer.slot as usize).copied().flatten();
            let bound = bound.filter(|range| range.size >= needed).unwrap_or(null);
            let (buffer, offset) = match copy {
                Some(copy) => (copy, 0),
                None if has_dynamic_offset(entry) => (bound.buffer, 0),
                None => (bound.buffer, bound.offset),
            };
            let size = std::num::NonZeroU64::new(needed);
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
            entries.push(wgpu::BindGroupEntry { binding: entry.binding, resource });
        }
        self.make_group(group_layout, &entries)
    }
}

fn has_dynamic_offset(entry: &wgpu::BindGroupLayoutEntry) -> bool {
    matches!(entry.ty, wgpu::BindingType::Buffer { has_dynamic_offset: true, .. })
}
