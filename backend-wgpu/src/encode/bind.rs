//! Bind groups: two per stage, made from what is bound and kept by what they hold.
//!
//! Constant buffers have dynamic offsets, so a group's key has the wgpu buffers and the shader's block
//! sizes, never the offsets: all draws that take their constants from one upload page share a group.
//! What D3D11 lets be missing gets a typed stand-in; what does not fit the shader counts as missing.

use std::sync::Arc;

use onze_ddi::{ResourceKind, SampleKind, ShaderStage};

use crate::{
    identity::unique_id,
    shader::{SAMPLER_BASE, constant_group, resource_group},
    state::Sampler,
    view::View,
};

use super::{
    Encoder,
    clear::texture_id,
    hash::FastMap,
    layout::{ShaderLayout, bound_size, view_dimension},
    state::BufferRange,
};

/// Most bind groups that a worker keeps.
const MOST_GROUPS: usize = 4096;

/// A bind group with its number.
#[derive(Clone, Debug)]
struct CachedGroup {
    group: Arc<wgpu::BindGroup>,
    serial: u64,
    last_run: u64,
}

/// A worker's bind groups, by layout and contents.
#[derive(Debug, Default)]
pub(super) struct GroupCache(FastMap<Box<[u64]>, CachedGroup>);

impl GroupCache {
    /// Drops what no run since `oldest` has used.
    pub(super) fn retire(&mut self, oldest: u64) {
        self.0.retain(|_, cached| cached.last_run >= oldest);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) group: Option<Arc<wgpu::BindGroup>>,
    /// Number of the group, 0 for none.
    pub(super) serial: u64,
    /// Dynamic offsets, by binding.
    pub(super) offsets: Vec<u32>,
    key: Vec<u64>,
}

impl Group {
    fn unbind(&mut self) {
        self.group = None;
        self.serial = 0;
        self.offsets.clear();
        self.key.clear();
    }
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The layouts of the bound shaders.
    pub(super) layouts: [Option<Arc<ShaderLayout>>; ShaderStage::COUNT],
    pub(super) groups: [Group; 4],
    /// A bound constant buffer is a padded copy, which knows nothing of later writes to the original.
    padded: bool,
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
            return;
        };
        let reflection = &shader.code.reflection;
        if !self.clears.is_empty() {
            for resource in &reflection.resources {
                if let Some((view, _)) = self.readable(stage, resource.slot, &resource.kind) {
                    self.flush_clears(texture_id(view), Some(&view.desc.range));
                }
            }
        }
        let mut unfilterable = 0u128;
        for resource in &reflection.resources {
            if let Some((view, filterable)) = self.readable(stage, resource.slot, &resource.kind) {
                self.ahead.reads(texture_id(view));
                if !filterable {
                    unfilterable |= 1u128.checked_shl(resource.slot).unwrap_or(0);
                }
            }
        }
        let layout = match self.caches.layouts.get(&(shader.id, unfilterable)) {
            Some(layout) => layout.clone(),
            None => {
                let layout =
                    Arc::new(self.caches.shared.shader_layout(self.device, reflection, unfilterable));
                self.caches.layouts.insert((shader.id, unfilterable), layout.clone());
                layout
            }
        };
        self.set_layout(stage, Some(layout.clone()));
        let Some(group_layout) = &layout.resources.layout else {
            self.groups.groups[group_at].unbind();
            return;
        };
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        key.push(layout.resources.id.into());
        for resource in &reflection.resources {
            key.push(self.readable(stage, resource.slot, &resource.kind).map_or(0, |(view, _)| view.id));
        }
        for sampler in &reflection.samplers {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison);
            key.push(bound.map_or(0, |sampler| sampler.id));
        }
        self.take_group(group_at, key, |encoder| encoder.make_resource_group(stage, group_layout, &layout));
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
        let found = match self.caches.groups.0.get_mut(key.as_slice()) {
            Some(cached) => {
                cached.last_run = run;
                cached.clone()
            }
            None => {
                let cached = CachedGroup { group: Arc::new(make(self)), serial: unique_id(), last_run: run };
                self.stats.bind_group_misses += 1;
                if self.caches.groups.0.len() >= MOST_GROUPS {
                    self.caches.groups.0.clear();
                }
                self.caches.groups.0.insert(key.as_slice().into(), cached.clone());
                cached
            }
        };
        let group = &mut self.groups.groups[at];
        group.group = Some(found.group);
        group.serial = found.serial;
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
        let Some(shader) = self.state.stage(stage).shader else {
            self.groups.groups[group_at].unbind();
            return;
        };
        let Some(layout) = self.groups.layouts[stage.index()].clone() else {
            return;
        };
        let buffers = &shader.code.reflection.constant_buffers;
        let Some(group_layout) = &layout.constants.layout else {
            self.groups.groups[group_at].unbind();
            return;
        };
        let mut key = std::mem::take(&mut self.groups.key);
        let mut offsets = std::mem::take(&mut self.groups.groups[group_at].offsets);
        key.clear();
        offsets.clear();
        key.push(layout.constants.id.into());
        // Padded copies are rare, so this allocates nothing as a rule.
        let mut padded = Vec::new();
        for (at, (buffer, entry)) in buffers.iter().zip(&*layout.constants.entries).enumerate() {
            let bound =
                self.state.stages[stage.index()].constants.get(buffer.slot as usize).copied().flatten();
            let needed = bound_size(buffer.size);
            if let Some(range) = bound {
                self.ahead.reads(range.id);
            }
            let (id, offset) = match bound {
                Some(range) if range.size >= needed => (range.id, range.offset),
                Some(range) if range.size > 0 => {
                    let copy = self.padded_copy(range, 0, needed, wgpu::BufferUsages::UNIFORM);
                    padded.push((at, copy));
                    (unique_id(), 0)
                }
                _ => (self.device.nulls.uniform.buffer_id, self.device.nulls.uniform.offset),
            };
            key.push(id);
            if has_dynamic_offset(entry) {
                offsets.push(offset as u32);
            } else {
                key.push(offset);
            }
        }
        self.groups.padded |= !padded.is_empty();
        self.groups.groups[group_at].offsets = offsets;
        self.take_group(group_at, key, |encoder| {
            encoder.make_constant_group(stage, group_layout, &layout, &padded)
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
