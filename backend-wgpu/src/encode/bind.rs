//! Bind groups: one of constant buffers and one of all other resources, each for all stages of a pipeline.
//!
//! Constant buffers have dynamic offsets. The cache key of a group holds the wgpu buffers and the shaders' block
//! sizes, never the offsets. So all draws that take their constants from one upload page share a bind group.
//!
//! An empty slot gets a null object of the right type. An object that does not fit the shader counts as missing.

use crate::services::sizes::MOST_GROUPS;

use std::{num::NonZeroU64, sync::Arc};

use onze_ddi::{ResourceKind, SampleKind, ShaderStage, UnorderedAccessKind};

use crate::{
    objects::{
        shader::{
            CONSTANT_GROUP, Counted, CountedResource, DriverConstants, GROUPS, RESOURCE_GROUP, Shader,
            binding, driver_binding, sampler_binding, unordered_binding,
        },
        stage::{LANES, RENDER_STAGES},
        state::Sampler,
        view::View,
    },
    record::command::stage_bit,
    services::ids::unique_id,
};

use super::{
    Encoder, WorkerCaches,
    accesses::Part,
    hash::{Slab, SlabIndex},
    layout::{
        ConstantBinding, DYNAMIC_OFFSETS, DrawLayout, ExactCounts, LayoutIds, Shaders, Unfilterable,
        view_dimension,
    },
    replica::KnownLayout,
    state::{Bindings, BufferPart, BufferRange, CONSTANT_SLOTS, ConstantSlot},
};

/// A worker's bind groups, by layout and contents.
#[derive(Debug, Default)]
pub(super) struct GroupCache(pub(super) Slab<Box<[u64]>, wgpu::BindGroup>);

impl GroupCache {
    /// Drops those with destroyed objects; whether there was one.
    pub(super) fn drop_invalidated(&mut self, is_invalid: impl Fn(u64) -> bool) -> bool {
        // The first word is the layout's number. Offsets that are taken for an object cost a bind group.
        self.0.drop_keys(|key| key.iter().skip(1).any(|id| is_invalid(*id)))
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
    group: Option<SlabIndex>,
    /// The run in which its textures were last said to be read.
    read_in: u64,
}

/// By the shaders and what is bound of what they read: views, and samplers. A bind group has another key, as
/// shaders with the same layout share it.
pub(super) type ResourceCache = Slab<Box<[u64]>, FoundResources>;

/// A bind group as the next draw wants it.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Its place in the cache.
    pub(super) place: Option<SlabIndex>,
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
    place: SlabIndex,
    ids: LayoutIds,
}

/// The bind groups as the next draw wants them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The layout of a draw with the bound shaders.
    pub(super) layout: Option<SlabIndex>,
    pub(super) layout_ids: LayoutIds,
    pub(super) groups: [Group; GROUPS],
    /// Bit n: the open pass has another group n, or other offsets of it.
    pub(super) moved: u8,
    /// A bound constant buffer is a padded copy, which knows nothing of later writes to the original.
    pub(super) padded: bool,
    /// So is a bound resource.
    pub(super) padded_resources: bool,
    key: Vec<u64>,
}

/// The two kinds of pipelines, for code that is the same for draws and for dispatches: where the encoder has
/// what each of them binds.
pub(super) trait Kind {
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r>;
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r>;
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a Groups;
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut Groups;
    /// Whether what a view sees can be read: it is no target of the open pass.
    fn allows_reading(encoder: &Encoder<'_>, view: &View) -> bool;
    /// The layouts of the groups have changed.
    fn layout_changed(encoder: &mut Encoder<'_>);
}

/// Draws.
pub(super) enum Draws {}

impl Kind for Draws {
    #[inline(always)]
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r> {
        &encoder.state.bindings
    }
    #[inline(always)]
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r> {
        &mut encoder.state.bindings
    }
    #[inline(always)]
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a Groups {
        &encoder.groups
    }
    #[inline(always)]
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut Groups {
        &mut encoder.groups
    }
    #[inline(always)]
    fn allows_reading(encoder: &Encoder<'_>, view: &View) -> bool {
        encoder.targets.allows_reading(view)
    }
    fn layout_changed(encoder: &mut Encoder<'_>) {
        encoder.state.pipeline_dirty = true;
    }
}

/// Dispatches.
pub(super) enum Dispatches {}

impl Kind for Dispatches {
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r> {
        &encoder.compute.bindings
    }
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r> {
        &mut encoder.compute.bindings
    }
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a Groups {
        &encoder.compute.groups
    }
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut Groups {
        &mut encoder.compute.groups
    }
    fn allows_reading(_encoder: &Encoder<'_>, _view: &View) -> bool {
        true
    }
    fn layout_changed(_encoder: &mut Encoder<'_>) {
        // A dispatch looks its pipeline up by the layouts.
    }
}

/// What a shader wants of a buffer in a slot, and what is there.
#[derive(Copy, Clone)]
struct BufferUse<'r> {
    binding: u32,
    part: Option<BufferPart<'r>>,
    /// Bytes that the shader wants at least.
    needed: u64,
    writes: bool,
}

/// A buffer that stands in a bind group for another one that wgpu would refuse there.
struct Replacement {
    binding: u32,
    buffer: wgpu::Buffer,
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
        (SampleKind::Float | SampleKind::Depth | SampleKind::Sint | SampleKind::Uint, _) => None,
    }
}

impl<'r> Encoder<'r> {
    /// Another constant buffer. As a rule it is another place in the same upload page, which only moves the
    /// offsets of a bind group.
    pub(super) fn set_constant_buffer(&mut self, stages: u8, slot: u8, range: Option<BufferRange<'r>>) {
        if stages & stage_bit(ShaderStage::Compute) != 0 {
            self.compute.set_constant_buffer(slot, range);
        }
        for (lane, stage) in RENDER_STAGES.into_iter().enumerate() {
            if stages & stage_bit(stage) == 0 {
                continue;
            }
            let state = &mut self.state.bindings.stages[lane];
            let at = usize::from(slot);
            let (Some(place), Some(known)) =
                (state.constants.get_mut(at), state.constant_slots.get(at).copied())
            else {
                continue;
            };
            *place = range;
            if self.state.bindings.constants_dirty {
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
                (ConstantSlot::Unknown | ConstantSlot::Dynamic { .. }, _) => {
                    self.state.bindings.constants_dirty = true;
                    self.ready.forget_bindings();
                }
            }
        }
    }

    /// Brings all bind groups up to date. May end the pass.
    #[inline]
    pub(super) fn resolve_groups<K: Kind>(&mut self) {
        if std::mem::take(&mut K::bindings_mut(self).resources_dirty) {
            self.resolve_resources::<K>();
        }
        if std::mem::take(&mut K::bindings_mut(self).constants_dirty) {
            self.resolve_constants::<K>();
        }
    }

    /// A buffer was written, of which a padded copy may be bound.
    pub(super) fn padded_changed<K: Kind>(&mut self) {
        let Groups { padded, padded_resources, .. } = *K::groups(self);
        let bindings = K::bindings_mut(self);
        bindings.constants_dirty |= padded;
        bindings.resources_dirty |= padded_resources;
    }

    /// The view in a slot if the shader can read it, and whether it can be filtered.
    fn readable<K: Kind>(&self, lane: usize, slot: u32, kind: &ResourceKind) -> Option<(&'r View, bool)> {
        let view = self.bound_view::<K>(lane, slot)?;
        Some((view, fits(view, kind)?))
    }

    /// The view in a slot unless the pass writes to what it sees.
    #[inline]
    fn bound_view<K: Kind>(&self, lane: usize, slot: u32) -> Option<&'r View> {
        let view = (*K::bindings(self).stages.get(lane)?.textures.get(slot as usize)?)?;
        K::allows_reading(self, view).then_some(view)
    }

    /// The buffers that a shader reads and writes through views, in the order of their slots: `t`, then `u`.
    fn buffer_uses<K: Kind>(
        &self,
        lane: usize,
        shader: &'r Shader,
    ) -> impl Iterator<Item = BufferUse<'r>> + use<'r, '_, K> {
        let bindings = K::bindings(self);
        let reflection = &shader.code.reflection;
        let read = reflection.resources.iter().filter_map(move |resource| {
            let ResourceKind::Buffer { size, .. } = resource.kind else { return None };
            let part = bindings.stages.get(lane)?.buffers.get(resource.slot);
            let binding = binding(lane, resource.slot);
            Some(BufferUse { binding, part, needed: size.into(), writes: false })
        });
        let written = reflection.unordered_access.iter().map(move |slot| {
            let UnorderedAccessKind::Buffer { size, .. } = slot.kind;
            let part = bindings.unordered.get(slot.slot);
            let binding = unordered_binding(lane, slot.slot);
            BufferUse { binding, part, needed: size.into(), writes: true }
        });
        read.chain(written)
    }

    /// Whether wgpu binds what is in a slot as it is. Nothing at all is bound as zeros, if they are only read
    /// and there are enough of them.
    fn binds_directly(&self, buffer: &BufferUse<'_>) -> bool {
        match buffer.part {
            Some(part) => {
                u64::from(part.size) >= buffer.needed
                    && part.offset.is_multiple_of(self.gpu.limits.min_storage_buffer_offset_alignment)
            }
            None => !buffer.writes && buffer.needed <= self.encoding.objects.nulls.storage.size,
        }
    }

    /// A buffer for a slot in which wgpu would refuse what is there: a copy at the start of a buffer, with
    /// zeros behind it, or zeros alone.
    fn replacement(&mut self, buffer: &BufferUse<'r>) -> Replacement {
        let usage = wgpu::BufferUsages::STORAGE;
        let copy = match buffer.part {
            Some(part) => {
                let range = part.range();
                let copy = self.padded_copy(range, 0, buffer.needed.max(range.size), usage);
                if buffer.writes {
                    self.compute.copies_back.push((range, copy.clone()));
                }
                copy
            }
            None => self.temporary(buffer.needed.max(4), usage),
        };
        Replacement { binding: buffer.binding, buffer: copy }
    }

    fn resolve_resources<K: Kind>(&mut self) {
        let shaders = K::bindings(self).shaders();
        let mut key = std::mem::take(&mut K::groups_mut(self).key);
        key.clear();
        let mut direct = true;
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
                direct &= self.add_buffers::<K>(lane, shader, &mut key);
            }
        }
        K::groups_mut(self).padded_resources = !direct;
        let run = self.caches.runs;
        let known = self.caches.resources.find_words(&key, run).filter(|_| direct);
        let known = known.and_then(|place| self.caches.resources.get_mut(place));
        let found = match known {
            Some(known) => {
                let before = std::mem::replace(&mut known.read_in, run);
                let found = *known;
                if before != run || !self.clears.is_empty() || self.recording.is_some() {
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
                let replacements = self.replacements::<K>(&shaders);
                Some(self.find_resources::<K>(&shaders, &replacements))
            }
        };
        K::groups_mut(self).key = key;
        let Some(FoundResources { layout, group, .. }) = found else { return };
        let groups = K::groups_mut(self);
        groups.layout = Some(layout.place);
        if groups.layout_ids != layout.ids {
            // Of shaders that declare the same constants, some may use replicas.
            let other_constants = groups.layout_ids[CONSTANT_GROUP] != layout.ids[CONSTANT_GROUP];
            groups.layout_ids = layout.ids;
            K::bindings_mut(self).constants_dirty |= other_constants;
            K::layout_changed(self);
        }
        self.set_group::<K>(RESOURCE_GROUP, group);
    }

    /// Says which textures shaders read.
    #[inline(never)]
    fn read_textures<K: Kind>(&mut self, shaders: &Shaders<'r>) {
        for (lane, shader) in shaders.iter().enumerate() {
            for resource in shader.iter().flat_map(|shader| &shader.code.reflection.resources) {
                if let Some(view) = self.bound_view::<K>(lane, resource.slot) {
                    self.reads(Part::seen(view));
                }
            }
        }
    }

    /// Adds the buffers of a shader to a key, and notes what they read and write. Whether wgpu binds them all.
    #[inline(never)]
    fn add_buffers<K: Kind>(&mut self, lane: usize, shader: &'r Shader, key: &mut Vec<u64>) -> bool {
        let (mut direct, first) = (true, key.len());
        for buffer in self.buffer_uses::<K>(lane, shader) {
            direct &= self.binds_directly(&buffer);
            let (id, offset, size) =
                buffer.part.map_or((0, 0, 0), |part| (part.storage.buffer_id, part.offset, part.size));
            key.extend([id, u64::from(offset) << 32 | u64::from(size), buffer.writes.into()]);
        }
        for buffer in key.get(first..).unwrap_or_default().chunks_exact(3) {
            let part = Part::bytes(buffer[0], buffer[1] >> 32, buffer[1] & u64::from(u32::MAX));
            if buffer[2] == 0 { self.reads(part) } else { self.writes(part) }
        }
        direct
    }

    fn replacements<K: Kind>(&mut self, shaders: &Shaders<'r>) -> Vec<Replacement> {
        let mut refused = Vec::new();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            refused.extend(self.buffer_uses::<K>(lane, shader).filter(|buffer| !self.binds_directly(buffer)));
        }
        refused.iter().map(|buffer| self.replacement(buffer)).collect()
    }

    /// The layout and the bind group of what is bound.
    #[inline(never)]
    fn find_resources<K: Kind>(
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
                self.add_buffers::<K>(lane, shader, &mut key);
            }
        }
        if !replacements.is_empty() {
            // No other draw or dispatch binds them.
            let id = unique_id();
            self.caches.spent.insert(id);
            key.push(id);
        }
        let exact_counts = self.exact_counts::<K>(shaders);
        let layout = self.find_layout(shaders, unfilterable, exact_counts);
        let id = layout.ids[RESOURCE_GROUP];
        if let Some(first) = key.first_mut() {
            *first = id.into();
        }
        let make = |encoder: &Self| encoder.make_resource_group::<K>(shaders, layout, replacements);
        let group = (id != 0).then(|| self.find_group(&key, make)).flatten();
        FoundResources { layout, group, read_in: self.caches.runs }
    }

    /// Which shaders ask for the size of what is bound otherwise than they see it: of nothing, or of less than they
    /// declare.
    fn exact_counts<K: Kind>(&mut self, shaders: &Shaders<'r>) -> ExactCounts {
        let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
        let mut exact_counts = ExactCounts::default();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            let declared = |slot: u32| shader.code.reflection.resource(slot).map(|resource| &resource.kind);
            let is_inexact = |counted: &Counted| match counted.of {
                CountedResource::Texture { slot } => {
                    declared(slot).is_none_or(|kind| self.readable::<K>(lane, slot, kind).is_none())
                }
                CountedResource::Buffer { .. } | CountedResource::WrittenBuffer { .. } => {
                    let binding = counted.binding(lane);
                    let used = self.buffer_uses::<K>(lane, shader).find(|used| used.binding == binding);
                    used.is_none_or(|used| used.part.is_none_or(|part| u64::from(part.size) < used.needed))
                }
            };
            exact_counts[lane] = shader.counted.iter().any(is_inexact);
            if exact_counts[lane] && shader.code.reflection.constant_buffers.len() >= most {
                exact_counts[lane] = false;
                self.report("a shader gets the size of a stand-in for what is not bound: the adapter has too few constant buffers");
            }
        }
        exact_counts
    }

    /// What the shader of a lane asks for.
    fn driver_constants<K: Kind>(&self, lane: usize, shader: &'r Shader) -> DriverConstants {
        let part = |counted: &Counted| {
            let binding = counted.binding(lane);
            self.buffer_uses::<K>(lane, shader).find(|used| used.binding == binding)?.part
        };
        DriverConstants::new(shader.counted.iter().map(|counted| {
            let count = match counted.of {
                CountedResource::Texture { slot } => {
                    let declared = shader.code.reflection.resource(slot);
                    let view = declared.and_then(|r| self.readable::<K>(lane, slot, &r.kind));
                    view.is_some().into()
                }
                CountedResource::Buffer { elements, .. }
                | CountedResource::WrittenBuffer { elements, .. } => {
                    part(counted).map_or(0, |part| elements.in_bytes(part.size))
                }
            };
            (counted.count, count)
        }))
    }

    fn find_layout(
        &mut self,
        shaders: &Shaders<'_>,
        unfilterable: Unfilterable,
        exact_counts: ExactCounts,
    ) -> FoundLayout {
        let WorkerCaches { layouts, shared, runs, .. } = &mut *self.caches;
        let key =
            (shaders.map(|shader| shader.map_or(0, |shader| shader.id.get())), unfilterable, exact_counts);
        let place = layouts.find(&key, *runs).unwrap_or_else(|| {
            let layout = shared.draw_layout(self.gpu, shaders, &unfilterable, exact_counts);
            layouts.insert(key, KnownLayout::new(layout, *runs), *runs)
        });
        let ids = layouts.get(place).map(|known| known.now().ids());
        FoundLayout { place, ids: ids.unwrap_or_default() }
    }

    /// The layout of a draw with the bound shaders, if their resources are resolved.
    pub(super) fn draw_layout<K: Kind>(&self) -> Option<&Arc<DrawLayout>> {
        Some(self.caches.layouts.get(K::groups(self).layout?)?.now())
    }

    /// The sampler in a slot if it compares as the shader wants.
    fn bound_sampler<K: Kind>(&self, lane: usize, slot: u32, comparison: bool) -> Option<&'r Sampler> {
        let sampler = (*K::bindings(self).stages.get(lane)?.samplers.get(slot as usize)?)?;
        (sampler.comparison == comparison).then_some(sampler)
    }

    /// The place of the group with `key`, which is in the cache or is made.
    fn find_group(
        &mut self,
        key: &[u64],
        make: impl FnOnce(&Self) -> Option<wgpu::BindGroup>,
    ) -> Option<SlabIndex> {
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
    fn set_group<K: Kind>(&mut self, at: usize, place: Option<SlabIndex>) {
        let groups = K::groups_mut(self);
        let group = &mut groups.groups[at];
        if group.place != place {
            group.place = place;
            groups.moved |= 1 << at;
        }
    }

    fn make_resource_group<K: Kind>(
        &self,
        shaders: &Shaders<'r>,
        layout: FoundLayout,
        replacements: &[Replacement],
    ) -> Option<wgpu::BindGroup> {
        let draw_layout = self.caches.layouts.get(layout.place)?.now();
        let layout = &draw_layout.groups[RESOURCE_GROUP];
        let mut driver_constants = [const { None }; LANES];
        for (lane, shader) in shaders.iter().enumerate() {
            driver_constants[lane] = shader.filter(|_| draw_layout.exact_counts[lane]).map(|shader| {
                let block = self.driver_constants::<K>(lane, shader);
                self.parameters(bytemuck::cast_slice(std::slice::from_ref(&block)))
            });
        }
        let nulls = &self.encoding.objects.nulls;
        let mut entries = Vec::with_capacity(layout.entries.len());
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            for resource in &shader.code.reflection.resources {
                if matches!(resource.kind, ResourceKind::Buffer { .. }) {
                    continue;
                }
                let view = self.readable::<K>(lane, resource.slot, &resource.kind);
                let view = view.map_or_else(|| nulls.texture(&resource.kind), |(view, _)| &view.texture_view);
                entries.push(wgpu::BindGroupEntry {
                    binding: binding(lane, resource.slot),
                    resource: wgpu::BindingResource::TextureView(view),
                });
            }
            for used in self.buffer_uses::<K>(lane, shader) {
                let replacement = replacements.iter().find(|replacement| replacement.binding == used.binding);
                let range = match (replacement, used.part) {
                    (Some(Replacement { buffer, .. }), _) => {
                        wgpu::BufferBinding { buffer, offset: 0, size: None }
                    }
                    (None, Some(part)) => wgpu::BufferBinding {
                        buffer: &part.storage.buffer,
                        offset: part.offset.into(),
                        size: NonZeroU64::new(part.size.into()),
                    },
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

    fn make_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
    }

    fn resolve_constants<K: Kind>(&mut self) {
        K::groups_mut(self).padded = false;
        // What no binding stands for is not read.
        for stage in &mut K::bindings_mut(self).stages {
            stage.constant_slots = [ConstantSlot::Unread; CONSTANT_SLOTS];
        }
        let Some(layout) = self.draw_layout::<K>().cloned() else { return };
        let mut key = std::mem::take(&mut K::groups_mut(self).key);
        key.clear();
        key.push(layout.groups[CONSTANT_GROUP].id.into());
        let (mut offsets, mut dynamic) = ([0; DYNAMIC_OFFSETS], 0);
        // Padded copies are rare, so this allocates nothing as a rule.
        let mut padded = Vec::new();
        for constants in &layout.constants {
            let ConstantBinding { lane, slot, needed, is_dynamic, .. } = *constants;
            let bound = self.bound_constants::<K>(constants);
            if let Some(range) = bound {
                // Another dynamic offset is no change of the bindings.
                self.accesses.reads(Part::buffer(range.id));
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
            if let Some(place) = K::bindings_mut(self).stages[lane].constant_slots.get_mut(slot) {
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
        let groups = K::groups_mut(self);
        groups.padded = !padded.is_empty();
        let group = &mut groups.groups[CONSTANT_GROUP];
        if group.offsets() != &offsets[..dynamic] {
            groups.moved |= 1 << CONSTANT_GROUP;
        }
        (group.offsets, group.dynamic) = (offsets, dynamic);
        let make = |encoder: &Self| encoder.make_constant_group::<K>(&layout, &padded);
        let place = (!layout.constants.is_empty()).then(|| self.find_group(&key, make)).flatten();
        self.set_group::<K>(CONSTANT_GROUP, place);
        K::groups_mut(self).key = key;
    }

    fn bound_constants<K: Kind>(&self, constants: &ConstantBinding) -> Option<BufferRange<'r>> {
        *K::bindings(self).stages[constants.lane].constants.get(constants.slot)?
    }

    /// `padded` has copies with the bindings that they are for.
    fn make_constant_group<K: Kind>(
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
                let bound = self.bound_constants::<K>(constants).filter(|range| range.size >= needed);
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
