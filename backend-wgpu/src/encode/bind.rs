//! Bind groups: one of constant buffers and one of all else, made from what is bound to all stages and kept by
//! what they hold.
//!
//! Constant buffers have dynamic offsets, so a group's key has the wgpu buffers and the shaders' block
//! sizes, never the offsets: all draws that take their constants from one upload page share a group.
//! What D3D11 lets be missing gets a typed stand-in; what does not fit the shader counts as missing.

use std::{num::NonZeroU64, sync::Arc};

use onze_ddi::{ResourceKind, SampleKind};

use crate::{
    objects::{
        shader::{CONSTANT_GROUP, GROUPS, RESOURCE_GROUP, binding, sampler_binding},
        stage::RENDER_STAGES,
        state::Sampler,
        view::View,
    },
    record::command::stage_bit,
    services::ids::unique_id,
};

use super::{
    Encoder, WorkerCaches,
    family::KnownLayout,
    hash::{Place, Slab},
    layout::{
        ConstantBinding, DYNAMIC_OFFSETS, DrawLayout, LayoutIds, Shaders, Unfilterable, view_dimension,
    },
    state::{BufferRange, CONSTANT_SLOTS, ConstantSlot},
};

/// Most bind groups that a worker keeps.
const MOST_GROUPS: usize = 16_384;

/// A worker's bind groups, by layout and contents.
#[derive(Debug, Default)]
pub(super) struct GroupCache(pub(super) Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
    /// Drops those with objects that are gone; whether there was one.
    pub(super) fn drop_gone(&mut self, is_gone: impl Fn(u64) -> bool) -> bool {
        // The first word is the layout's number. Offsets that are taken for an object cost a bind group.
        self.0.drop_keys(|key| key.iter().skip(1).any(|id| is_gone(*id)))
    }

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

/// What the resources of a draw come to.
#[derive(Copy, Clone, Debug)]
pub(super) struct FoundResources {
    layout: FoundLayout,
    /// The place of the bind group; `None` if the shaders read nothing.
    group: Option<Place>,
}

/// By the shaders and what is bound of what they read: views, and samplers. A bind group has another key, as
/// shaders with the same layout share it.
pub(super) type ResourceCache = Slab<Box<[u64]>, FoundResources>;

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Its place in the cache.
    pub(super) place: Option<Place>,
    /// Dynamic offsets, by binding.
    offsets: [u32; DYNAMIC_OFFSETS],
    /// How many there are.
    dynamic: usize,
}

impl Group {
    pub(super) fn offsets(&self) -> &[u32] {
        self.offsets.get(..self.dynamic).unwrap_or_default()
    }
}

/// A draw's layout, with the numbers of its groups' layouts.
#[derive(Copy, Clone, Debug)]
pub(super) struct FoundLayout {
    place: Place,
    ids: LayoutIds,
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The layout of a draw with the bound shaders.
    pub(super) layout: Option<Place>,
    pub(super) layout_ids: LayoutIds,
    pub(super) groups: [Group; GROUPS],
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
        for (lane, stage) in RENDER_STAGES.into_iter().enumerate() {
            if stages & stage_bit(stage) == 0 {
                continue;
            }
            let state = &mut self.state.stages[lane];
            let at = usize::from(slot);
            let (Some(place), Some(known)) =
                (state.constants.get_mut(at), state.constant_slots.get(at).copied())
            else {
                continue;
            };
            *place = range;
            if self.state.constants_dirty {
                continue;
            }
            match (known, range) {
                (ConstantSlot::Unread, _) => {}
                (ConstantSlot::Dynamic { id, needed, at }, Some(range))
                    if range.id == id && range.size >= needed =>
                {
                    let group = &mut self.groups.groups[CONSTANT_GROUP];
                    if let Some(offset) = group.offsets.get_mut(usize::from(at)) {
                        *offset = range.offset as u32;
                        self.groups.moved |= 1 << CONSTANT_GROUP;
                    }
                }
                _ => {
                    self.state.constants_dirty = true;
                    self.ready.forget_bindings();
                }
            }
        }
    }

    /// Brings all bind groups up to date. May end the pass.
    pub(super) fn resolve_groups(&mut self) {
        if std::mem::take(&mut self.state.resources_dirty) {
            self.resolve_resources();
        }
        if std::mem::take(&mut self.state.constants_dirty) {
            self.resolve_constants();
        }
    }

    /// A buffer was written: padded copies of constant buffers must be made again.
    pub(super) fn buffers_changed(&mut self) {
        self.state.constants_dirty |= self.groups.padded;
    }

    /// The view in a slot if the shader can read it, and whether it can be filtered.
    fn readable(&self, lane: usize, slot: u32, kind: &ResourceKind) -> Option<(&'r View, bool)> {
        let view = self.bound_view(lane, slot)?;
        Some((view, fits(view, kind)?))
    }

    /// The view in a slot unless the pass writes to what it sees.
    #[inline]
    fn bound_view(&self, lane: usize, slot: u32) -> Option<&'r View> {
        let view = (*self.state.stages.get(lane)?.resources.get(slot as usize)?)?;
        self.targets.allows_reading(view).then_some(view)
    }

    fn resolve_resources(&mut self) {
        let shaders = self.state.shaders();
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        for (lane, shader) in shaders.iter().enumerate() {
            key.push(shader.map_or(0, |shader| shader.id.get()));
            let Some(shader) = shader else { continue };
            let reflection = &shader.code.reflection;
            for resource in &reflection.resources {
                let view = self.bound_view(lane, resource.slot);
                if let Some(view) = view {
                    self.note_read(view);
                }
                key.push(view.map_or(0, |view| view.id.get()));
            }
            for sampler in &reflection.samplers {
                let bound = self.bound_sampler(lane, sampler.slot, sampler.comparison);
                key.push(bound.map_or(0, |sampler| sampler.id.get()));
            }
        }
        let run = self.caches.runs;
        let found = match self.caches.resources.find_words(&key, run) {
            Some(place) => self.caches.resources.get(place).copied(),
            None => {
                let found = self.find_resources(&shaders);
                self.caches.resources.insert(key.as_slice().into(), found, run);
                Some(found)
            }
        };
        self.groups.key = key;
        let Some(FoundResources { layout, group }) = found else { return };
        self.groups.layout = Some(layout.place);
        if self.groups.layout_ids != layout.ids {
            // Shaders that declare the same constants may be of two families.
            self.state.constants_dirty |=
                self.groups.layout_ids[CONSTANT_GROUP] != layout.ids[CONSTANT_GROUP];
            self.groups.layout_ids = layout.ids;
            self.state.pipeline_dirty = true;
        }
        self.set_group(RESOURCE_GROUP, group);
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
    fn find_resources(&mut self, shaders: &Shaders<'r>) -> FoundResources {
        let (mut unfilterable, mut key) = (Unfilterable::default(), vec![0]);
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = shader else { continue };
            for resource in &shader.code.reflection.resources {
                let found = self.readable(lane, resource.slot, &resource.kind);
                if let Some((_, false)) = found {
                    unfilterable[lane] |= 1u128.checked_shl(resource.slot).unwrap_or(0);
                }
                key.push(found.map_or(0, |(view, _)| view.id.get()));
            }
            for sampler in &shader.code.reflection.samplers {
                let bound = self.bound_sampler(lane, sampler.slot, sampler.comparison);
                key.push(bound.map_or(0, |sampler| sampler.id.get()));
            }
        }
        let layout = self.find_layout(shaders, unfilterable);
        let id = layout.ids[RESOURCE_GROUP];
        if let Some(first) = key.first_mut() {
            *first = id.into();
        }
        let make = |encoder: &Self| encoder.make_resource_group(shaders, layout);
        let group = (id != 0).then(|| self.find_group(&key, make)).flatten();
        FoundResources { layout, group }
    }

    fn find_layout(&mut self, shaders: &Shaders<'_>, unfilterable: Unfilterable) -> FoundLayout {
        let WorkerCaches { layouts, shared, runs, .. } = &mut *self.caches;
        let key = (shaders.map(|shader| shader.map_or(0, |shader| shader.id.get())), unfilterable);
        let place = layouts.find(&key, *runs).unwrap_or_else(|| {
            let layout = shared.draw_layout(self.gpu, shaders, &unfilterable);
            layouts.insert(key, KnownLayout::new(layout, *runs), *runs)
        });
        let ids = layouts.get(place).map(|known| known.now().ids());
        FoundLayout { place, ids: ids.unwrap_or_default() }
    }

    /// The layout of a draw with the bound shaders, if their resources are resolved.
    pub(super) fn draw_layout(&self) -> Option<&Arc<DrawLayout>> {
        Some(self.caches.layouts.get(self.groups.layout?)?.now())
    }

    /// The sampler in a slot if it compares as the shader wants.
    fn bound_sampler(&self, lane: usize, slot: u32, comparison: bool) -> Option<&'r Sampler> {
        let sampler = (*self.state.stages.get(lane)?.samplers.get(slot as usize)?)?;
        (sampler.comparison == comparison).then_some(sampler)
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
    fn set_group(&mut self, at: usize, place: Option<Place>) {
        let group = &mut self.groups.groups[at];
        if group.place != place {
            group.place = place;
            self.groups.moved |= 1 << at;
        }
    }

    fn make_resource_group(&self, shaders: &Shaders<'r>, layout: FoundLayout) -> Option<wgpu::BindGroup> {
        let layout = &self.caches.layouts.get(layout.place)?.now().groups[RESOURCE_GROUP];
        let nulls = &self.encoding.objects.nulls;
        let mut entries = Vec::with_capacity(layout.entries.len());
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = shader else { continue };
            for resource in &shader.code.reflection.resources {
                let view = self.readable(lane, resource.slot, &resource.kind);
                let view = view.map_or_else(|| nulls.texture(&resource.kind), |(view, _)| &view.texture_view);
                entries.push(wgpu::BindGroupEntry {
                    binding: binding(lane, resource.slot),
                    resource: wgpu::BindingResource::TextureView(view),
                });
            }
            for sampler in &shader.code.reflection.samplers {
                let binding = sampler_binding(lane, sampler.slot);
                let ty = layout.entries.iter().find(|entry| entry.binding == binding).map(|entry| entry.ty);
                let bound = self.bound_sampler(lane, sampler.slot, sampler.comparison);
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

    fn make_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
    }

    fn resolve_constants(&mut self) {
        self.groups.padded = false;
        // What no binding stands for is not read.
        for stage in &mut self.state.stages {
            stage.constant_slots = [ConstantSlot::Unread; CONSTANT_SLOTS];
        }
        let Some(layout) = self.draw_layout().cloned() else { return };
        let mut key = std::mem::take(&mut self.groups.key);
        key.clear();
        key.push(layout.groups[CONSTANT_GROUP].id.into());
        let (mut offsets, mut dynamic) = ([0; DYNAMIC_OFFSETS], 0);
        // Padded copies are rare, so this allocates nothing as a rule.
        let mut padded = Vec::new();
        for constants in &layout.constants {
            let ConstantBinding { lane, slot, needed, is_dynamic, .. } = *constants;
            let bound = self.bound_constants(constants);
            if let Some(range) = bound {
                self.ahead.reads(range.id);
            }
            let mut known = ConstantSlot::Unknown;
            let (id, offset) = match bound {
                Some(range) if range.size >= needed => {
                    if is_dynamic {
                        known = ConstantSlot::Dynamic { id: range.id, needed, at: dynamic as u8 };
                    }
                    (range.id, range.offset)
                }
                Some(range) if range.size > 0 => {
                    let copy = self.padded_copy(range, 0, needed, wgpu::BufferUsages::UNIFORM);
                    padded.push((constants.binding, copy));
                    let id = unique_id();
                    // No draw binds it again.
                    self.caches.spent.insert(id);
                    (id, 0)
                }
                _ => (
                    self.encoding.objects.nulls.uniform.buffer_id,
                    self.encoding.objects.nulls.uniform.offset,
                ),
            };
            if let Some(place) = self.state.stages[lane].constant_slots.get_mut(slot) {
                *place = known;
            }
            key.push(id);
            match offsets.get_mut(dynamic) {
                Some(place) if is_dynamic => {
                    *place = offset as u32;
                    dynamic += 1;
                }
                _ => key.push(offset),
            }
        }
        self.groups.padded = !padded.is_empty();
        let group = &mut self.groups.groups[CONSTANT_GROUP];
        if group.offsets() != &offsets[..dynamic] {
            self.groups.moved |= 1 << CONSTANT_GROUP;
        }
        (group.offsets, group.dynamic) = (offsets, dynamic);
        let make = |encoder: &Self| encoder.make_constant_group(&layout, &padded);
        let place = (!layout.constants.is_empty()).then(|| self.find_group(&key, make)).flatten();
        self.set_group(CONSTANT_GROUP, place);
        self.groups.key = key;
    }

    fn bound_constants(&self, constants: &ConstantBinding) -> Option<BufferRange<'r>> {
        *self.state.stages[constants.lane].constants.get(constants.slot)?
    }

    /// `padded` has copies with the bindings that they are for.
    fn make_constant_group(
        &self,
        layout: &DrawLayout,
        padded: &[(u32, wgpu::Buffer)],
    ) -> Option<wgpu::BindGroup> {
        let null = &self.encoding.objects.nulls.uniform;
        let null =
            BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: null.offset, size: null.size };
        let entries: Vec<_> = layout
            .constants
            .iter()
            .map(|constants| {
                let ConstantBinding { binding, needed, is_dynamic, .. } = *constants;
                let copy = padded.iter().find(|(at, _)| *at == binding).map(|(_, copy)| copy);
                let bound = self.bound_constants(constants).filter(|range| range.size >= needed);
                let bound = bound.unwrap_or(null);
                let (buffer, offset) = match copy {
                    Some(copy) => (copy, 0),
                    None if is_dynamic => (bound.buffer, 0),
                    None => (bound.buffer, bound.offset),
                };
                let range = wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(needed) };
                wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(range) }
            })
            .collect();
        Some(self.make_group(layout.groups[CONSTANT_GROUP].layout.as_ref()?, &entries))
    }
}
