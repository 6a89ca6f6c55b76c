//! Draws by index: draws that differ only in their constant buffers set no bind group.
//!
//! The main cost of such a draw in wgpu is setting the bind group to change a dynamic offset. With the layout
//! by index (`objects/shader/passes/by_index.rs`), a constant buffer is an element of a window of 64 KiB, and
//! `first_instance` selects the elements of a draw. Draws with the same arguments are merged into one
//! instanced draw if their elements follow each other at constant distances
//! ([`merging`](crate::encode::parts::merging)). Instances are drawn in order, so the result is the same.
//!
//! The draws of a layout use its primary layout first, and the encoder observes which slots change. A
//! [`ByIndexPlan`] then states which slots become windows. The new pipelines are compiled as spare jobs, and
//! draws use the primary layout until they are ready. A draw that fails one of the conditions uses the
//! primary layout, and [`DrawPath`] gives the reason.

use std::sync::Arc;

use onze_ddi::{ShaderStage, upload_page::slice_alignment};

use crate::{
    encode::{
        encoder::Encoder,
        fast_hooks::{DrawsByIndex, NotCompiled},
        parts::{
            draw_path::DrawPath,
            known_layouts::{KnownLayout, LayoutHistory},
            layouts::{ConstantBinding, DYNAMIC_OFFSETS, DrawLayout, GroupLayout, SharedStore},
            pipeline_plan::PipelinePlan,
            pipelines::{CompiledPipeline, PipelineKey},
            plans::ByIndexPlan,
            stored_pipelines::{PipelinePurpose, PipelineRefusal},
        },
    },
    objects::shader::{CONSTANT_GROUP, FIELDS, IndexedSlot, WINDOW, free_register, stride},
    services::gpu::Gpu,
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct ChangingSlot {
    slot: usize,
    /// Identifier of its current wgpu buffer, and the offset.
    place: Option<(u64, u64)>,
    /// Bytes of its current buffer that shaders see.
    size: u32,
    stride: u32,
    /// Difference of the offset between draws in bytes, if it is known to be constant.
    delta: Option<u32>,
}

/// Maximum number of wrong plans for a layout, after which it has none, because each plan compiles pipelines.
const MOST_PLANS: u8 = 4;

impl SharedStore {
    fn layout_by_index(&self, gpu: &Gpu, primary: &DrawLayout, plan: ByIndexPlan) -> DrawLayout {
        let mut constants = primary.constants.clone();
        for constants in &mut constants {
            constants.indexed = plan.slot(constants.stage, constants.slot);
        }
        let entries = constants.iter().map(ConstantBinding::entry).collect();
        let plan = Arc::new(plan);
        let mut groups: [GroupLayout; _] = primary.groups.clone();
        let seen = primary.groups[CONSTANT_GROUP].seen.clone();
        groups[CONSTANT_GROUP] = self.group(gpu, entries, seen, Some(plan.clone()));
        let (driver_reads, seen) = (primary.driver_reads, primary.seen.clone());
        DrawLayout { groups, constants, driver_reads, seen, plan: Some(plan) }
    }
}

/// Returns the distance between the slices of a buffer, if a draw writes one slice for each of its buffers.
fn distance(sizes: impl Iterator<Item = u32> + Clone, alignment: u32) -> u32 {
    let of_a_draw = |start: u32| {
        sizes.clone().fold(start, |end, size| {
            let room = size.max(1).next_multiple_of(alignment);
            end.next_multiple_of(slice_alignment(room)) + room
        })
    };
    let first = of_a_draw(0);
    of_a_draw(first) - first
}

impl<'r> DrawsByIndex for Encoder<'r> {
    fn layout_by_index(&mut self) -> Option<&Arc<DrawLayout>> {
        let way = self.forced_way();
        let learning = self.learning()?;
        let is_ready = learning.ready().is_some();
        let knows = learning.learned.is_some();
        let way = match way {
            Some(way) if is_ready => way,
            None if is_ready => DrawPath::ByIndex,
            Some(_) | None => learning.way(),
        };
        let learns = self.gpu.policy.by_index.is_some();
        self.path.set_learns(learns && way == DrawPath::Alone && !knows);
        self.go(way);
        if way == DrawPath::ByIndex { self.learning()?.layout() } else { None }
    }

    fn go(&mut self, way: DrawPath) {
        self.path.set_path(way);
        if self.gpu.debug
            && let Some(hint) = way.hint()
        {
            self.hint(hint);
        }
    }

    fn keep_alone(&mut self, way: DrawPath) {
        if self.path.keep_alone(way) && self.groups.index.is_used() {
            self.bindings.of_mut(PipelinePlan::Draw).change_resources();
        }
    }

    fn forget_plan(&mut self) {
        if let Some(learning) = self.learning() {
            let plans = learning.plans + 1;
            let learned = (plans >= MOST_PLANS).then_some(Err(DrawPath::NoWindow));
            *learning = LayoutHistory { learned, plans, ..LayoutHistory::default() };
        }
    }

    #[inline]
    fn constants_bound(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32 {
        self.path.forget_observed();
        if self.path.learns() && layout.plan.is_none() { self.moves(layout, offsets) } else { 0 }
    }

    #[inline(never)]
    fn learn(&mut self) {
        let moved = self.groups.take_moved_constants();
        let offsets = *self.groups.constant_offsets();
        let Some(policy) = self.gpu.policy.by_index.clone() else { return };
        let follows = self.path.observe(self.groups.layout());
        let Some(learning) = self.learning() else { return };
        if learning.learned.is_some() || !learning.note(moved, &offsets, follows, &policy) {
            return;
        }
        let (moved, deltas) = (learning.moved, learning.deltas);
        let is_even = learning.even >= policy.draws / 2;
        let Some(learned) = self.make_plan(moved, is_even.then_some(&deltas)) else { return };
        if let Err(way) = &learned {
            self.go(*way);
        }
        self.path.set_learns(false);
        self.ready.forget_bindings();
        self.take_learned(learned);
        self.bindings.of_mut(PipelinePlan::Draw).change_resources();
    }

    fn plan_at_once(&mut self) -> bool {
        if !self.gpu.policy.by_index.as_ref().is_some_and(|policy| policy.waits)
            || self.learning().is_none_or(|learning| learning.learned.is_some())
            || self.forced_way().is_some()
        {
            return false;
        }
        let learned = self.make_plan(u32::MAX, None);
        learned.is_some_and(|learned| self.take_learned(learned))
    }

    fn pipeline_by_index(
        &mut self,
        key: &PipelineKey,
        layout: &DrawLayout,
    ) -> Result<Option<CompiledPipeline>, NotCompiled> {
        let waits = self.gpu.policy.by_index.as_ref().is_some_and(|policy| policy.waits);
        let purpose = if waits { PipelinePurpose::Draw } else { PipelinePurpose::ByIndex };
        let stored = self.find_or_begin(key, layout, purpose);
        let compiled = if waits { self.wait_for(&stored) } else { stored.compiled().cloned() };
        let is_known = compiled.is_some() || matches!(stored.get(), Some(Err(PipelineRefusal::Limit(_))));
        if is_known {
            return Ok(compiled);
        }
        if let Some(learning) = self.learning() {
            learning.missing = Some(stored);
        }
        self.bindings.of_mut(PipelinePlan::Draw).change_resources();
        self.resolve_groups(PipelinePlan::Draw);
        Err(NotCompiled)
    }
}

impl<'r> Encoder<'r> {
    fn learning(&mut self) -> Option<&mut LayoutHistory> {
        let known: &mut KnownLayout = self.caches.layouts.get_mut(self.groups.layout()?)?;
        Some(&mut known.learning)
    }

    /// Returns the dynamic offsets, one bit each, that differ from those of the last draw with this layout.
    #[inline(never)]
    fn moves(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32 {
        let mut buffers = [0; DYNAMIC_OFFSETS];
        let dynamic = layout.constants.iter().filter(|constants| constants.is_dynamic);
        for (buffer, constants) in buffers.iter_mut().zip(dynamic) {
            *buffer = self.bound_constants(constants).map_or(0, |range| range.id);
        }
        self.learning().map_or(0, |learning| learning.moves(&buffers, offsets))
    }

    /// Returns the reason why the next draw cannot be made by index, regardless of its constants.
    fn forced_way(&self) -> Option<DrawPath> {
        if let Some(way) = self.path.kept_alone() {
            return Some(way);
        }
        if self.state.layout.is_some_and(|layout| layout.reads_by_instance) {
            return Some(DrawPath::PerInstanceData);
        }
        self.draw_writes().then_some(DrawPath::Writes)
    }

    /// Stores the result of a plan. Returns whether the layout used its replica until now, so that the
    /// resources must be bound again.
    fn take_learned(&mut self, learned: Result<Arc<DrawLayout>, DrawPath>) -> bool {
        let known = self.groups.layout().and_then(|place| self.caches.layouts.get_mut(place));
        let was_replica = known.is_some_and(|known| known.learned(learned));
        if was_replica {
            // The cache contains bind groups of the replica's layouts.
            self.caches.resources.clear();
        }
        was_replica
    }

    /// Makes a layout by index for the dynamic offsets in `moved`, whose constant differences between draws
    /// are in `deltas`, if known.
    fn make_plan(
        &mut self,
        moved: u32,
        deltas: Option<&[u32; DYNAMIC_OFFSETS]>,
    ) -> Option<Result<Arc<DrawLayout>, DrawPath>> {
        let primary = self.caches.layouts.get(self.groups.layout()?)?.primary.clone();
        let plan = self.plan(&primary, moved, deltas);
        Some(plan.map(|plan| Arc::new(self.caches.shared.layout_by_index(self.gpu, &primary, plan))))
    }

    fn plan(
        &self,
        primary: &DrawLayout,
        moved: u32,
        deltas: Option<&[u32; DYNAMIC_OFFSETS]>,
    ) -> Result<ByIndexPlan, DrawPath> {
        let policy = self.gpu.policy.by_index.as_ref().ok_or(DrawPath::SwitchedOff)?;
        let mut plan = ByIndexPlan::default();
        let mut fields: Vec<ChangingSlot> = Vec::new();
        let dynamic = primary.constants.iter().filter(|constants| constants.is_dynamic);
        for (at, constants) in dynamic.enumerate().filter(|(at, _)| moved & 1 << at != 0) {
            let bound = self.bound_constants(constants);
            let stride = stride(u32::try_from(constants.needed).unwrap_or(WINDOW));
            let changing = ChangingSlot {
                slot: constants.slot,
                place: bound.map(|range| (range.id, range.offset)),
                size: bound.map_or(0, |range| u32::try_from(range.size).unwrap_or(WINDOW)),
                stride,
                delta: deltas.and_then(|deltas| deltas.get(at)).copied(),
            };
            // Both stages usually have the same buffer in a slot, and then they share a field.
            let known = fields.iter().position(|field| *field == changing && changing.place.is_some());
            let field = known.unwrap_or(fields.len());
            if field >= FIELDS {
                if policy.waits {
                    continue;
                }
                return Err(DrawPath::TooManySlots);
            }
            if known.is_none() {
                fields.push(changing);
            }
            let slot = IndexedSlot { slot: constants.slot as u32, field: field as u8, step: 0 };
            plan.stages[constants.stage].slots.push(slot);
        }
        // If the differences are unknown, each draw is assumed to take one new element for each of its
        // buffers. Shaders that alternate then have the same plan and share their windows.
        let sizes = fields.iter().map(|field| field.size);
        let all = self.caches.shared.distance(&plan, || distance(sizes, self.gpu.slice_alignment()));
        for slot in plan.stages.iter_mut().flat_map(|(_, by_index)| &mut by_index.slots) {
            let Some(ChangingSlot { stride, delta, .. }) = fields.get(usize::from(slot.field)) else {
                continue;
            };
            let delta = delta.unwrap_or(all);
            let step = Some(delta / stride).filter(|_| delta.is_multiple_of(*stride));
            slot.step = step.and_then(|step| u8::try_from(step).ok()).unwrap_or(0);
        }
        if !plan.stages[ShaderStage::Pixel].slots.is_empty() {
            if !policy.pixels {
                return Err(DrawPath::SwitchedOff);
            }
            let shaders = self.bindings.shaders(PipelinePlan::Draw);
            let reflection = |stage| shaders.get(stage).map(|shader| &shader.code.reflection);
            let location = reflection(ShaderStage::Vertex)
                .zip(reflection(ShaderStage::Pixel))
                .and_then(|(vertex, pixel)| free_register(&self.gpu.limits, vertex, pixel))
                .ok_or(DrawPath::NoLocation)?;
            plan.stages[ShaderStage::Vertex].location = Some(location);
            plan.stages[ShaderStage::Pixel].location = Some(location);
        }
        if fields.is_empty() { Err(DrawPath::Alone) } else { Ok(plan) }
    }

    /// Returns the index difference of two draws that can be merged.
    pub(crate) fn delta(layout: &DrawLayout) -> u32 {
        layout.plan.as_ref().map_or(0, |plan| plan.delta())
    }
}
