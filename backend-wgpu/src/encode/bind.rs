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

use onze_ddi::PerStage;

use crate::{
    encode::{
        caches::WorkerCaches,
        encoder::Encoder,
        fast_hooks::DrawsByIndex,
        parts::{
            groups::{FoundLayout, PendingGroups},
            hash::SlabIndex,
            known_layouts::KnownLayout,
            layouts::{DrawLayout, DriverReads, LayoutKey, SeenViews, Unfilterable},
            pipeline_plan::{PipelinePlan, Shaders},
        },
    },
    objects::{
        shader::{CONSTANT_GROUP, RESOURCE_GROUP},
        view::View,
    },
};

impl<'r> Encoder<'r> {
    #[inline(always)]
    fn pending_groups(&self, plan: PipelinePlan) -> &PendingGroups {
        if plan.is_dispatch() { &self.compute.groups } else { &self.groups }
    }

    #[inline(always)]
    fn pending_groups_mut(&mut self, plan: PipelinePlan) -> &mut PendingGroups {
        if plan.is_dispatch() { &mut self.compute.groups } else { &mut self.groups }
    }

    /// Returns whether the shaders of a plan may read a view, because the targets of the draw do not write it.
    #[inline(always)]
    fn allows_reading(&self, plan: impl Into<PipelinePlan>, view: &View) -> bool {
        !plan.into().is_render() || self.targets.allows_reading(view)
    }

    /// Returns the layout for binding constants by index, if the next draw can use it.
    #[inline(always)]
    fn layout_by_index_of(&mut self, plan: PipelinePlan) -> Option<&Arc<DrawLayout>> {
        if plan == PipelinePlan::Draw { self.layout_by_index() } else { None }
    }

    /// Notes that the layouts of the bind groups have changed, so that draws look up their pipeline again.
    /// Dispatches always find their pipeline by the layouts.
    fn layout_changed(&mut self, plan: PipelinePlan) {
        self.state.pipeline_dirty |= plan != PipelinePlan::Dispatch;
    }

    /// Updates the bind groups whose bindings have changed, which may end the pass.
    #[inline(always)]
    pub(super) fn resolve_groups(&mut self, plan: PipelinePlan) {
        if self.bindings.of_mut(plan).take_resources_changed() {
            self.resolve_resources(plan);
        }
        if self.bindings.of_mut(plan).take_constants_changed() {
            self.resolve_constants(plan);
        }
    }

    /// Makes the next draw or dispatch copy its padded buffers again, because a buffer was written.
    pub(super) fn padded_changed(&mut self, plan: PipelinePlan) {
        let groups = self.pending_groups(plan);
        let (constants, resources) = (groups.is_padded(CONSTANT_GROUP), groups.is_padded(RESOURCE_GROUP));
        let bindings = self.bindings.of_mut(plan);
        if constants {
            bindings.change_constants();
        }
        if resources {
            bindings.change_resources();
        }
    }

    fn find_layout(
        &mut self,
        shaders: &Shaders<'_>,
        unfilterable: Unfilterable,
        driver_reads: DriverReads,
        seen: SeenViews,
    ) -> FoundLayout {
        let WorkerCaches { layouts, shared, runs, .. } = &mut *self.caches;
        let ids = PerStage::from_fn(|stage| shaders.get(stage).map_or(0, |shader| shader.id.get()));
        let key = LayoutKey { plan: shaders.plan, shaders: ids, unfilterable, driver_reads, seen };
        let place = layouts.find(&key, *runs).unwrap_or_else(|| {
            let layout = shared.draw_layout(self.gpu, shaders, &key);
            layouts.insert(key, KnownLayout::new(layout, *runs), *runs)
        });
        let ids = layouts.get(place).map(|known| known.now().ids());
        FoundLayout { place, ids: ids.unwrap_or_default() }
    }

    /// Returns the layout of a draw with the bound shaders, once their resources are resolved. This is the
    /// layout by index if the draw is made by index.
    pub(super) fn draw_layout(&self, plan: PipelinePlan) -> Option<&Arc<DrawLayout>> {
        let groups = self.pending_groups(plan);
        let known = self.caches.layouts.get(groups.layout()?)?;
        known.learning.layout().filter(|_| groups.index.is_used()).or(Some(known.now()))
    }

    /// Returns the cached group with `key`, or makes one and caches it.
    fn find_group(
        &mut self,
        key: &[u64],
        make: impl FnOnce(&Self) -> Option<wgpu::BindGroup>,
    ) -> Option<SlabIndex> {
        let run = self.caches.runs;
        if let Some(place) = self.caches.groups.find(key, run) {
            return Some(place);
        }
        let group = make(self)?;
        self.stats.bind_group_misses += 1;
        Some(self.caches.groups.insert(key, group, run))
    }

    /// Makes a cached group the one for the next draw or dispatch.
    #[inline]
    fn set_group(&mut self, plan: PipelinePlan, at: usize, place: Option<SlabIndex>) {
        let groups = self.pending_groups_mut(plan);
        if groups.set_group(at, place) {
            // If a pipeline layout lacks a group, Vulkan requires that the groups after it are bound again.
            // wgpu 30 does so only for groups that are set again
            // (`BoundBindGroupLayouts::update_expectations`). Remove this once wgpu binds them itself.
            groups.forget_bound();
            self.pass.forget_pulled();
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
