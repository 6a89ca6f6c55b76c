//! Bind groups: one for constant buffers and one for all other resources, which all stages of a pipeline
//! share.
//!
//! Constant buffers have dynamic offsets, and so do the structured and raw buffers that shaders read. The
//! cache key of a group contains the wgpu buffers and the sizes, but not those offsets. So all draws whose
//! constants are in one upload block share a bind group.
//!
//! An empty slot gets a null object of the right type. An object that does not fit the shader is treated as
//! missing.

mod buffer_offsets;
pub(crate) mod buffers;
mod constants;
mod counts;
mod resources;
mod sampling;

use std::sync::Arc;

use crate::{
    encode::{
        caches::WorkerCaches,
        encoder::Encoder,
        fast_hooks::DrawsByIndex,
        parts::{
            groups::{FoundLayout, PendingGroups},
            hash::SlabIndex,
            known_layouts::KnownLayout,
            layouts::{DrawLayout, DriverReads, SeenViews, Shaders, Unfilterable},
            ranges::BufferRange,
            state::Bindings,
        },
    },
    objects::view::View,
};

/// Access to the bindings of draws or of dispatches, for code that handles both.
pub(super) trait BindPoint {
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r>;
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r>;
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a PendingGroups;
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut PendingGroups;
    /// Returns whether shaders may read a view, because the targets of the draw do not write it.
    fn allows_reading(encoder: &Encoder<'_>, view: &View) -> bool;
    /// Returns the base vertex and the start instance of an indirect draw, if the vertex shader needs them.
    fn starts<'r>(encoder: &Encoder<'r>) -> Option<BufferRange<'r>>;
    /// Notes that the layouts of the bind groups have changed, so that draws look up their pipeline again.
    fn layout_changed(encoder: &mut Encoder<'_>);
    /// Returns the layout for binding constants by index, if the next draw can use it.
    fn layout_by_index<'a>(encoder: &'a mut Encoder<'_>) -> Option<&'a Arc<DrawLayout>>;
    /// Makes a plan without learning from draws, if the policy asks for it, and returns whether the resources
    /// must be bound again.
    fn plan_at_once(encoder: &mut Encoder<'_>) -> bool;
    /// Discards the plan, because two slots that share a field have different buffers.
    fn forget_plan(encoder: &mut Encoder<'_>);
}

pub(super) enum GraphicsBindPoint {}

impl BindPoint for GraphicsBindPoint {
    #[inline(always)]
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r> {
        &encoder.state.bindings
    }
    #[inline(always)]
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r> {
        &mut encoder.state.bindings
    }
    #[inline(always)]
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a PendingGroups {
        &encoder.groups
    }
    #[inline(always)]
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut PendingGroups {
        &mut encoder.groups
    }
    #[inline(always)]
    fn allows_reading(encoder: &Encoder<'_>, view: &View) -> bool {
        encoder.targets.allows_reading(view)
    }
    #[inline(always)]
    fn starts<'r>(encoder: &Encoder<'r>) -> Option<BufferRange<'r>> {
        encoder.starts
    }
    fn layout_changed(encoder: &mut Encoder<'_>) {
        encoder.state.pipeline_dirty = true;
    }
    #[inline(always)]
    fn layout_by_index<'a>(encoder: &'a mut Encoder<'_>) -> Option<&'a Arc<DrawLayout>> {
        encoder.layout_by_index()
    }
    #[inline(always)]
    fn plan_at_once(encoder: &mut Encoder<'_>) -> bool {
        encoder.plan_at_once()
    }
    fn forget_plan(encoder: &mut Encoder<'_>) {
        encoder.forget_plan();
    }
}

pub(super) enum ComputeBindPoint {}

impl BindPoint for ComputeBindPoint {
    fn bindings<'a, 'r>(encoder: &'a Encoder<'r>) -> &'a Bindings<'r> {
        &encoder.compute.bindings
    }
    fn bindings_mut<'a, 'r>(encoder: &'a mut Encoder<'r>) -> &'a mut Bindings<'r> {
        &mut encoder.compute.bindings
    }
    fn groups<'a>(encoder: &'a Encoder<'_>) -> &'a PendingGroups {
        &encoder.compute.groups
    }
    fn groups_mut<'a>(encoder: &'a mut Encoder<'_>) -> &'a mut PendingGroups {
        &mut encoder.compute.groups
    }
    fn allows_reading(_encoder: &Encoder<'_>, _view: &View) -> bool {
        true
    }
    fn starts<'r>(_encoder: &Encoder<'r>) -> Option<BufferRange<'r>> {
        None
    }
    fn layout_changed(_encoder: &mut Encoder<'_>) {
        // Nothing to note, because every dispatch finds its pipeline by the layouts.
    }
    fn layout_by_index<'a>(_encoder: &'a mut Encoder<'_>) -> Option<&'a Arc<DrawLayout>> {
        None
    }
    fn plan_at_once(_encoder: &mut Encoder<'_>) -> bool {
        false
    }
    fn forget_plan(_encoder: &mut Encoder<'_>) {
        // Nothing to discard, because dispatches have no plan.
    }
}

impl<'r> Encoder<'r> {
    /// Updates the bind groups whose bindings have changed, which may end the pass.
    #[inline]
    pub(super) fn resolve_groups<K: BindPoint>(&mut self) {
        if std::mem::take(&mut K::bindings_mut(self).resources_dirty) {
            self.resolve_resources::<K>();
        }
        if std::mem::take(&mut K::bindings_mut(self).constants_dirty) {
            self.resolve_constants::<K>();
        }
    }

    /// Makes the next draw or dispatch copy its padded buffers again, because a buffer was written.
    pub(super) fn padded_changed<K: BindPoint>(&mut self) {
        let PendingGroups { padded, padded_resources, .. } = *K::groups(self);
        let bindings = K::bindings_mut(self);
        bindings.constants_dirty |= padded;
        bindings.resources_dirty |= padded_resources;
    }

    fn find_layout(
        &mut self,
        shaders: &Shaders<'_>,
        unfilterable: Unfilterable,
        driver_reads: DriverReads,
        seen: SeenViews,
    ) -> FoundLayout {
        let WorkerCaches { layouts, shared, runs, .. } = &mut *self.caches;
        let ids = shaders.map(|shader| shader.map_or(0, |shader| shader.id.get()));
        let key = (ids, unfilterable, driver_reads, seen);
        let place = layouts.find(&key, *runs).unwrap_or_else(|| {
            let layout = shared.draw_layout(self.gpu, shaders, &unfilterable, driver_reads, &key.3);
            layouts.insert(key, KnownLayout::new(layout, *runs), *runs)
        });
        let ids = layouts.get(place).map(|known| known.now().ids());
        FoundLayout { place, ids: ids.unwrap_or_default() }
    }

    /// Returns the layout of a draw with the bound shaders, once their resources are resolved. This is the
    /// layout by index if the draw is made by index.
    pub(super) fn draw_layout<K: BindPoint>(&self) -> Option<&Arc<DrawLayout>> {
        let groups = K::groups(self);
        let known = self.caches.layouts.get(groups.layout?)?;
        known.learning.layout().filter(|_| groups.indexed).or(Some(known.now()))
    }

    /// Returns the cached group with `key`, or makes one and caches it.
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

    /// Makes a cached group the one for the next draw or dispatch.
    #[inline]
    fn set_group<K: BindPoint>(&mut self, at: usize, place: Option<SlabIndex>) {
        let groups = K::groups_mut(self);
        let group = &mut groups.groups[at];
        if group.place != place {
            group.place = place;
            groups.moved |= 1 << at;
            if place.is_none() {
                // If a pipeline layout lacks a group, Vulkan requires that the groups after it are bound
                // again. wgpu 30 does so only for groups that are set again
                // (`BoundBindGroupLayouts::update_expectations`). Remove this once wgpu binds them itself.
                groups.forget_bound();
                self.bound.pulled = None;
            }
        }
    }

    fn make_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
    }
}
