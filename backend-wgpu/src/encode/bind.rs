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
    Encoder,
    clear::texture_id,
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

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Its place in the cache.
    pub(super) place: Option<Place>,
    /// Dynamic offsets, by binding.
    offsets: [u32; CONSTANT_SLOTS],
    /// How many there are.
    dynamic: usize,
    key: Vec<u64>,
}

impl Group {
    fn unbind(&mut self) {
        self.place = None;
        self.dynamic = 0;
        self.key.clear();
    }

    pub(super) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The layouts of the bound shaders.
    pub(super) layouts: [Option<Arc<ShaderLayout>>; ShaderStage::COUNT],
    /// What they were found by.
    layout_keys: [Option<(u64, u128)>; ShaderStage::COUNT],
    pub(super) groups: [Group; 4],
    /// Bit n: the open pass has other offsets of group n.
    pub(super) moved: u8,
    /// A bound constant buffer is a padded copy, which knows nothing of later writes to the original.
    pub(super) padded: bool,
    key: Vec<u64>,
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
                    self.ready.forget();
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
        let view = (*self.state.stages.get(stage.index())?.resources.get(slot as usize)?)?;
        let filterable = fits(view, kind)?;
        self.targets.allows_reading(view).then_some((view, filterable))
    }

    fn resolve_resources(&mut self, stage: ShaderStage) {
        let group_at = resource_group(stage) as usize;
        let Some(shader) = self.state.stage(stage).shader else {
            self.groups.groups[group_at].unbind();
            self.set_layout(stage, None);
            self.groups.layout_keys[stage.index()] = None;
            return;
        };
        let reflection = &shader.code.reflection;
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        // The layout's number, which is known at the end.
        key.push(0);
        let mut unfilterable = 0u128;
        for resource in &reflection.resources {
            let found = self.readable(stage, resource.slot, &resource.kind);
            if let Some((view, filterable)) = found {
                let texture = texture_id(view);
                if !self.clears.is_empty() {
                    self.flush_clears(texture, Some(&view.desc.range));
                }
                self.ahead.reads(texture);
                if let Some(recording) = &mut self.recording {
                    recording.textures.push((texture, view.desc.range));
                }
                if !filterable {
                    unfilterable |= 1u128.checked_shl(resource.slot).unwrap_or(0);
                }
            }
            key.push(found.map_or(0, |(view, _)| view.id));
        }
        for sampler in &reflection.samplers {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            key.push(bound.map_or(0, |sampler| sampler.id));
        }
        let layout_key = Some((shader.id, unfilterable));
        if self.groups.layout_keys[stage.index()] != layout_key {
            let layout = self.find_layout(shader, unfilterable);
            self.set_layout(stage, Some(layout));
            self.groups.layout_keys[stage.index()] = layout_key;
        }
        let Some(layout) = self.groups.layouts[stage.index()].take() else { return };
        if let Some(group_layout) = &layout.resources.layout {
            if let Some(first) = key.first_mut() {
                *first = layout.resources.id.into();
            }
            self.take_group(group_at, key, |encoder| {
                encoder.make_resource_group(stage, group_layout, &layout)
            });
        } else {
            self.groups.groups[group_at].unbind();
            self.groups.key = key;
        }
        self.groups.layouts[stage.index()] = Some(layout);
    }

    fn find_layout(&mut self, shader: &Shader, unfilterable: u128) -> Arc<ShaderLayout> {
        if let Some(layout) = self.caches.layouts.get(&(shader.id, unfilterable)) {
            return layout.clone();
        }
        let shared = &self.caches.shared;
        let layout = Arc::new(shared.shader_layout(self.device, &shader.code.reflection, unfilterable));
        self.caches.layouts.insert((shader.id, unfilterable), layout.clone());
        layout
    }

    /// The sampler in a slot if it compares as the shader wants.
    fn bound_sampler(&self, stage: ShaderStage, slot: u32, comparison: bool) -> Option<&'r Sampler> {
        let sampler = (*self.state.stages.get(stage.index())?.samplers.get(slot as usize)?)?;
        (sampler.comparison == comparison).then_some(sampler)
    }

    fn set_layout(&mut self, stage: ShaderStage, layout: Option<Arc<ShaderLayout>>) {
        let ids = |layout: &Option<Arc<ShaderLayout>>| {
            layout.as_ref().map(|layout| (layout.constants.id, layout.resources.id))
        };
        let place = &mut self.groups.layouts[stage.index()];
        self.state.pipeline_dirty |= ids(place) != ids(&layout);
        *place = layout;
    }

    /// Makes the group with `key` the current one: it may be so already, be in the cache, or not exist.
    fn take_group(&mut self, at: usize, key: Vec<u64>, make: impl FnOnce(&Self) -> wgpu::BindGroup) {
        if self.groups.groups[at].key == key {
            self.groups.key = key;
            return;
        }
        let run = self.caches.runs;
        let found = self.caches.groups.0.find(key.as_slice(), run);
        let place = found.unwrap_or_else(|| {
            let group = make(self);
            self.stats.bind_group_misses += 1;
            self.caches.groups.0.insert(key.as_slice().into(), group, run)
        });
        let group = &mut self.groups.groups[at];
        group.place = Some(place);
        self.groups.key = std::mem::replace(&mut group.key, key);
    }

    fn make_resource_group(
        &self,
        stage: ShaderStage,
        group_layout: &wgpu::BindGroupLayout,
        layout: &ShaderLayout,
    ) -> wgpu::BindGroup {
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
        self.make_group(group_layout, &entries)
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
        let Some(layout) = self.groups.layouts[stage.index()].take() else {
            return;
        };
        if let Some(group_layout) = &layout.constants.layout {
            self.find_constants(stage, shader, &layout, group_layout);
        } else {
            self.groups.groups[group_at].unbind();
        }
        self.groups.layouts[stage.index()] = Some(layout);
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
        self.take_group(group_at, key, |encoder| {
            encoder.make_constant_group(stage, group_layout, layout, &padded)
        });
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
