//! Draws by index: draws that differ in their constant buffers only set no bind group.
//!
//! wgpu's price for such a draw is the bind group that is set to move a dynamic offset. In the second form of the
//! shaders (`objects/shader/by_index.rs`) a constant buffer is an element of a window of 64 KiB, and a draw names its
//! elements by `first_instance`. Draws with the same arguments, whose elements follow each other evenly, become one
//! instanced draw ([`WaitingDraw`]); the instances are drawn in order, so nothing else changes.
//!
//! Which slots change is *learned* for each layout, while its draws are made in the first form. Then a [`ByIndexPlan`] says
//! which slots become windows, and the pipelines are compiled when nothing else is to be compiled; until they are there,
//! draws go on in the first form. A draw for which a condition does not hold is made in the first form: [`DrawPath`] has the
//! reasons.

use std::sync::Arc;

use crate::{
    objects::{
        shader::{ByIndex, CONSTANT_GROUP, FIELD_BITS, FIELDS, IndexedSlot, WINDOW, stride},
        stage::{LANES, PIXEL, VERTEX},
    },
    record::page::InstancedDraw,
    services::{gpu::Gpu, policy::ByIndexPolicy},
};

use crate::encode::{
    Encoder,
    bind::GraphicsBindPoint,
    compile::{PipelinePurpose, PipelineRefusal, StoredPipeline},
    fast::replica::KnownLayout,
    layout::{ConstantBinding, DYNAMIC_OFFSETS, DrawLayout, GroupLayout, Shaders, SharedStore},
    pipeline::CompiledPipeline,
    state::BufferRange,
};

/// How a draw is made, and why not by index.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DrawPath {
    /// In the first form: its constants do not change from draw to draw, or that is not known yet.
    #[default]
    Alone,
    /// By index.
    ByIndex,
    /// It has several instances, or none.
    Instanced,
    /// It reads a per-instance vertex buffer.
    PerInstanceData,
    /// Its pixel shader writes through views.
    Writes,
    /// Its arguments lie in a buffer.
    Indirect,
    /// More slots change than an index has fields.
    TooManySlots,
    /// The shaders have no location left to hand the index to the pixel shader.
    NoLocation,
    /// Its constants lie where no window has them.
    NoWindow,
    /// The device does not want it, or the adapter cannot.
    SwitchedOff,
}

/// Ways of draws.
pub(crate) const WAYS: usize = DrawPath::SwitchedOff as usize + 1;

impl DrawPath {
    /// What an application can do about it, for the debug layer.
    const fn hint(self) -> Option<&'static str> {
        match self {
            Self::Alone | Self::ByIndex | Self::Instanced | Self::Indirect | Self::SwitchedOff => None,
            Self::PerInstanceData => Some(
                "draws that differ in their constants are not made by index, as they read a vertex buffer by instance",
            ),
            Self::Writes => Some(
                "draws that differ in their constants are not made by index, as the pixel shader writes through \
                 unordered-access views",
            ),
            Self::TooManySlots => Some(
                "draws that differ in their constants are not made by index, as more than three constant buffers change; \
                 put what changes together into fewer buffers",
            ),
            Self::NoLocation => Some(
                "draws that differ in their constants are not made by index, as the shaders use all registers between \
                 them; pack what the vertex shader gives",
            ),
            Self::NoWindow => Some(
                "draws that differ in their constants are not made by index, as a constant buffer is shorter than the \
                 shader's, or a large one has offsets that are no multiples of its size in the shader",
            ),
        }
    }
}

/// Which slots of a layout are chosen by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::encode) struct ByIndexPlan {
    /// By lane.
    stages: [ByIndex; LANES],
}

impl ByIndexPlan {
    pub(in crate::encode) fn stage(&self, lane: usize) -> Option<ByIndex> {
        let stage = self.stages.get(lane)?;
        let is_first_form = stage.slots.is_empty() && self.location().is_none();
        (!is_first_form).then(|| stage.clone())
    }

    fn location(&self) -> Option<u32> {
        self.stages[PIXEL].location
    }

    /// How a slot is chosen.
    pub(in crate::encode) fn slot(&self, lane: usize, slot: usize) -> Option<IndexedSlot> {
        self.stages.get(lane)?.slots.iter().find(|indexed| indexed.slot as usize == slot).copied()
    }

    /// From a draw to the next that is merged with it, the index rises by this.
    fn delta(&self) -> u32 {
        let slots = self.stages.iter().flat_map(|stage| &stage.slots);
        slots.fold(0, |delta, slot| delta | put(slot.field, slot.step.into()))
    }
}

/// A value in its field of an index.
const fn put(field: u8, value: u32) -> u32 {
    value << (FIELD_BITS * (field as u32 + 1))
}

/// A slot that is bound as a window.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct WindowSlot {
    /// The wgpu buffer.
    pub(in crate::encode) id: u64,
    /// Bytes that the shader reads.
    pub(in crate::encode) needed: u64,
    /// Where the window begins.
    pub(in crate::encode) base: u64,
    stride: u64,
    field: u8,
}

impl WindowSlot {
    /// The window of a buffer; `None` if no window has it as an element.
    pub(in crate::encode) fn new(needed: u64, slot: IndexedSlot, range: &BufferRange<'_>) -> Option<Self> {
        let window = u64::from(WINDOW);
        let stride = u64::from(stride(u32::try_from(needed).ok()?));
        let (offset, end) = (range.offset, range.buffer.size());
        let is_whole = range.size >= needed && offset.is_multiple_of(256) && end >= window;
        if !is_whole {
            return None;
        }
        let start = offset / window * window;
        let mut base = start + (offset - start) % stride;
        base = base.checked_sub((base + window).saturating_sub(end).next_multiple_of(stride))?;
        let this = Self { id: range.id, needed, base, stride, field: slot.field };
        this.place(range).map(|_| this)
    }

    /// The window of another buffer for the same slot.
    pub(in crate::encode) fn moved(&self, range: &BufferRange<'_>) -> Option<Self> {
        let slot = IndexedSlot { slot: 0, field: self.field, step: 0 };
        Self::new(self.needed, slot, range)
    }

    /// The index of a buffer in its field; `None` if the window does not have it as an element.
    #[inline]
    pub(in crate::encode) fn place(&self, range: &BufferRange<'_>) -> Option<u32> {
        let from = range.offset.wrapping_sub(self.base);
        let is_in = range.id == self.id
            && range.size >= self.needed
            && from <= u64::from(WINDOW) - self.stride
            && from & (self.stride - 1) == 0;
        is_in.then(|| put(self.field, (from >> self.stride.trailing_zeros()) as u32))
    }

    /// The bits of an index that are not this slot's.
    #[inline]
    pub(in crate::encode) const fn others(&self) -> u32 {
        !put(self.field, (1 << FIELD_BITS) - 1)
    }
}

/// What is known of a layout's draws.
#[derive(Debug, Default)]
pub(in crate::encode) struct LayoutHistory {
    /// Which dynamic offsets have changed between two draws, bit by place.
    moved: u32,
    /// The wgpu buffers of the last draw.
    buffers: [u64; DYNAMIC_OFFSETS],
    /// Its offsets, and by how much they differed from those before.
    last: [u32; DYNAMIC_OFFSETS],
    deltas: [u32; DYNAMIC_OFFSETS],
    /// Draws that changed offsets; those at the end of which the differences were the same.
    draws: u32,
    even: u32,
    /// What was learned: the layout of the second form, or why there is none.
    pub(in crate::encode) learned: Option<Result<Arc<DrawLayout>, DrawPath>>,
    /// Plans that turned out wrong.
    plans: u8,
    /// The pipeline that was missing when it was tried.
    missing: Option<Arc<StoredPipeline<CompiledPipeline>>>,
}

impl LayoutHistory {
    /// Which offsets differ from those of the last draw, in the same buffers.
    fn moves(&mut self, buffers: &[u64], offsets: &[u32]) -> u32 {
        let mut moved = 0;
        let before = self.buffers.iter_mut().zip(&mut self.last);
        for (at, ((buffer, last), (now, offset))) in before.zip(buffers.iter().zip(offsets)).enumerate() {
            if *buffer == *now {
                moved |= u32::from(*last != *offset) << at;
            } else {
                (*buffer, *last) = (*now, *offset);
            }
        }
        moved
    }

    /// Notes a draw whose constants lie elsewhere than those of the draw before; `follows` says that no other shaders came
    /// between the two. True if that is enough to know.
    fn note(&mut self, moved: u32, offsets: &[u32], follows: bool, policy: &ByIndexPolicy) -> bool {
        let mut deltas = [0; DYNAMIC_OFFSETS];
        for (at, (delta, (now, last))) in
            deltas.iter_mut().zip(offsets.iter().zip(&mut self.last)).enumerate()
        {
            if moved & 1 << at != 0 {
                *delta = now.wrapping_sub(*last);
            }
            *last = *now;
        }
        self.even = if follows && deltas == self.deltas { self.even + 1 } else { 0 };
        self.deltas = deltas;
        self.moved |= moved;
        self.draws += 1;
        let is_even = self.even >= policy.draws / 2;
        self.draws >= if is_even { policy.draws } else { 8 * policy.draws }
    }

    /// The layout of the second form, if its pipelines may be there.
    fn ready(&mut self) -> Option<&Arc<DrawLayout>> {
        match self.missing.as_ref().map(|missing| missing.get()) {
            None => {}
            Some(None) => return None,
            Some(Some(Ok(_))) => self.missing = None,
            Some(Some(Err(_))) => {
                self.missing = None;
                self.learned = Some(Err(DrawPath::SwitchedOff));
            }
        }
        self.learned.as_ref()?.as_ref().ok()
    }

    /// The layout of the second form.
    pub(in crate::encode) fn layout(&self) -> Option<&Arc<DrawLayout>> {
        self.learned.as_ref()?.as_ref().ok()
    }

    /// How draws in the first form are counted.
    fn way(&self) -> DrawPath {
        match self.learned {
            Some(Err(way)) => way,
            Some(Ok(_)) | None => DrawPath::Alone,
        }
    }
}

/// A draw that waits for others like it. Whatever else is to be done in the pass comes after it.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct WaitingDraw {
    pub(in crate::encode) indexed: bool,
    pub(in crate::encode) args: InstancedDraw,
    /// The index of a draw that can be merged.
    next: u32,
}

/// How a draw may be merged.
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::encode) struct MergePlan {
    /// Its index. 0 for draws in the first form, of which those are merged that change nothing.
    pub(in crate::encode) index: u32,
    /// How much the index of the next one differs.
    pub(in crate::encode) delta: u32,
}

/// A slot that changes from draw to draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct ChangingSlot {
    slot: usize,
    /// The wgpu buffer in it now, and where there.
    place: Option<(u64, u64)>,
    stride: u32,
    /// By how many bytes.
    delta: Option<u32>,
}

/// Most plans for a layout.
const MOST_PLANS: u8 = 4;

/// Most draws that are merged: the field for them has no more numbers.
const MOST_MERGED: u32 = (1 << FIELD_BITS) - 1;

impl WaitingDraw {
    #[inline]
    pub(in crate::encode) fn new(indexed: bool, args: InstancedDraw, merging: MergePlan) -> Self {
        Self { indexed, args, next: merging.index.wrapping_add(merging.delta) }
    }

    /// Merges a draw with those before; false if it differs in more than its index.
    #[inline]
    pub(in crate::encode) fn merge(
        &mut self,
        indexed: bool,
        args: &InstancedDraw,
        merging: MergePlan,
    ) -> bool {
        let MergePlan { index, delta } = merging;
        let before = &self.args;
        let is_alike = (indexed, args.count, args.start, args.base_vertex)
            == (self.indexed, before.count, before.start, before.base_vertex)
            && index == self.next
            && before.instance_count < MOST_MERGED;
        if !is_alike || carries(index.wrapping_sub(delta), delta) {
            return false;
        }
        self.args.instance_count += 1;
        self.next = index.wrapping_add(delta);
        true
    }
}

/// Whether a field of the sum of two indices overflows.
#[inline]
const fn carries(a: u32, b: u32) -> bool {
    const HIGH: u32 = 0x8080_8080;
    let apart = ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH);
    let (sum, overflows) = a.overflowing_add(b);
    overflows || apart != sum
}

impl SharedStore {
    /// The layout of the second form.
    fn layout_by_index(&self, gpu: &Gpu, primary: &DrawLayout, plan: ByIndexPlan) -> DrawLayout {
        let mut constants = primary.constants.clone();
        for constants in &mut constants {
            constants.indexed = plan.slot(constants.lane, constants.slot);
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

/// The lowest location that neither shader uses between the stages.
fn free_location(gpu: &Gpu, shaders: &Shaders<'_>) -> Option<u32> {
    /// What wgpu counts among the variables, too: the position and others that pixel shaders take.
    const BUILTINS: usize = 4;
    let [vertex, pixel] = shaders.map(|shader| shader.map(|shader| &shader.code.reflection));
    let (outputs, inputs) = (&vertex?.outputs, &pixel?.inputs);
    let most = gpu.limits.max_inter_stage_shader_variables;
    let is_used = |at: &u32| {
        outputs.iter().any(|output| output.location == *at)
            || inputs.iter().any(|input| input.location == *at)
    };
    let has_room = outputs.len().max(inputs.len()) + 1 + BUILTINS <= most as usize;
    (0..most).filter(|_| has_room).find(|at| !is_used(at))
}

impl<'r> Encoder<'r> {
    fn learning(&mut self) -> Option<&mut LayoutHistory> {
        let known: &mut KnownLayout = self.caches.layouts.get_mut(self.groups.layout?)?;
        Some(&mut known.learning)
    }

    /// The layout of the second form, if the next draw is made in it unless its constants forbid that.
    pub(in crate::encode) fn layout_by_index(&mut self) -> Option<&Arc<DrawLayout>> {
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
        self.groups.learns = learns && way == DrawPath::Alone && !knows;
        self.go(way);
        if way == DrawPath::ByIndex { self.learning()?.layout() } else { None }
    }

    /// Draws go this way from now on.
    pub(in crate::encode) fn go(&mut self, way: DrawPath) {
        self.groups.way = way;
        if self.gpu.debug
            && let Some(hint) = way.hint()
        {
            self.hint(hint);
        }
    }

    /// Why the next draw cannot be made by index, whatever its constants are.
    fn forced_way(&self) -> Option<DrawPath> {
        if let Some(way) = self.groups.kept_alone {
            return Some(way);
        }
        if self.state.layout.is_some_and(|layout| layout.reads_by_instance) {
            return Some(DrawPath::PerInstanceData);
        }
        self.draw_writes().then_some(DrawPath::Writes)
    }

    /// Makes draws in the first form, until other shaders are bound or the page ends.
    pub(in crate::encode) fn keep_alone(&mut self, way: DrawPath) {
        if self.groups.kept_alone.is_none() {
            self.groups.kept_alone = Some(way);
            if self.groups.indexed {
                self.state.bindings.resources_dirty = true;
            }
        }
        self.groups.way = way;
    }

    /// Two slots for which the plan has one field have different buffers: what changes is learned anew, as often as that
    /// is worth its pipelines.
    pub(in crate::encode) fn forget_plan(&mut self) {
        if let Some(learning) = self.learning() {
            let plans = learning.plans + 1;
            let learned = (plans >= MOST_PLANS).then_some(Err(DrawPath::NoWindow));
            *learning = LayoutHistory { learned, plans, ..LayoutHistory::default() };
        }
    }

    /// Which constants lie elsewhere than at the last draw with these shaders, if something is to be learned from that.
    /// Other draws may have come between.
    #[inline(never)]
    pub(in crate::encode) fn moves(&mut self, layout: &DrawLayout, offsets: &[u32; DYNAMIC_OFFSETS]) -> u32 {
        let mut buffers = [0; DYNAMIC_OFFSETS];
        let dynamic = layout.constants.iter().filter(|constants| constants.is_dynamic);
        for (buffer, constants) in buffers.iter_mut().zip(dynamic) {
            *buffer = self.bound_constants::<GraphicsBindPoint>(constants).map_or(0, |range| range.id);
        }
        self.learning().map_or(0, |learning| learning.moves(&buffers, offsets))
    }

    /// Constants lie elsewhere than at the draw before, in the first form: learns from it.
    #[inline(never)]
    pub(in crate::encode) fn learn(&mut self) {
        let moved = std::mem::take(&mut self.groups.moved_offsets);
        let offsets = *self.groups.groups[CONSTANT_GROUP].all_offsets();
        let Some(policy) = self.gpu.policy.by_index.clone() else { return };
        let follows = self.groups.learned_from == self.groups.layout;
        self.groups.learned_from = self.groups.layout;
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
        self.groups.learns = false;
        self.ready.forget_bindings();
        self.take_learned(learned);
        self.state.bindings.resources_dirty = true;
    }

    /// Takes what was learned; whether the layout used its replica until then: so the resources are to be bound anew.
    fn take_learned(&mut self, learned: Result<Arc<DrawLayout>, DrawPath>) -> bool {
        let known = self.groups.layout.and_then(|place| self.caches.layouts.get_mut(place));
        let was_replica = known.is_some_and(|known| known.learned(learned));
        if was_replica {
            // It has bind groups of the replica's layouts.
            self.caches.resources.clear();
        }
        was_replica
    }

    /// Where draws are made by index from the first on: supposes that each changes every constant buffer. Says whether the
    /// resources are to be bound anew.
    pub(in crate::encode) fn plan_at_once(&mut self) -> bool {
        if !self.gpu.policy.by_index.as_ref().is_some_and(|policy| policy.waits)
            || self.learning().is_none_or(|learning| learning.learned.is_some())
            || self.forced_way().is_some()
        {
            return false;
        }
        let learned = self.make_plan(u32::MAX, None);
        learned.is_some_and(|learned| self.take_learned(learned))
    }

    /// The layout for constants by index, where these dynamic offsets change, always by these differences if they are
    /// known.
    fn make_plan(
        &mut self,
        moved: u32,
        deltas: Option<&[u32; DYNAMIC_OFFSETS]>,
    ) -> Option<Result<Arc<DrawLayout>, DrawPath>> {
        let primary = self.caches.layouts.get(self.groups.layout?)?.primary.clone();
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
            let bound = self.bound_constants::<GraphicsBindPoint>(constants);
            let stride = stride(u32::try_from(constants.needed).unwrap_or(WINDOW));
            let changing = ChangingSlot {
                slot: constants.slot,
                place: bound.map(|range| (range.id, range.offset)),
                stride,
                delta: deltas.and_then(|deltas| deltas.get(at)).copied(),
            };
            // Both stages have the same buffer in a slot, as a rule: then they share a field.
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
            plan.stages[constants.lane].slots.push(slot);
        }
        // Where it is not known, each draw takes one new place for each of its buffers, as a rule. Shaders that take turns
        // then have one plan, and share their windows.
        let all: u32 = fields.iter().map(|field| field.stride).sum();
        for slot in plan.stages.iter_mut().flat_map(|stage| &mut stage.slots) {
            let Some(ChangingSlot { stride, delta, .. }) = fields.get(usize::from(slot.field)) else {
                continue;
            };
            let delta = delta.unwrap_or(all);
            let step = Some(delta / stride).filter(|_| delta.is_multiple_of(*stride));
            slot.step = step.and_then(|step| u8::try_from(step).ok()).unwrap_or(0);
        }
        if !plan.stages[PIXEL].slots.is_empty() {
            if !policy.pixels {
                return Err(DrawPath::SwitchedOff);
            }
            let shaders = self.state.bindings.shaders();
            let location = free_location(self.gpu, &shaders).ok_or(DrawPath::NoLocation)?;
            plan.stages[VERTEX].location = Some(location);
            plan.stages[PIXEL].location = Some(location);
        }
        if fields.is_empty() { Err(DrawPath::Alone) } else { Ok(plan) }
    }

    /// The pipeline of the second form, if such draws can be made at all; `None` if it is not there yet: then draws go on
    /// in the first form.
    pub(in crate::encode) fn pipeline_by_index(
        &mut self,
        key: &crate::encode::pipeline::PipelineKey,
        layout: &DrawLayout,
    ) -> Option<Option<CompiledPipeline>> {
        let waits = self.gpu.policy.by_index.as_ref().is_some_and(|policy| policy.waits);
        let purpose = if waits { PipelinePurpose::Draw } else { PipelinePurpose::ByIndex };
        let stored = self.find_or_begin(key, layout, purpose);
        let compiled = if waits { self.wait_for(&stored) } else { stored.compiled().cloned() };
        let is_known = compiled.is_some() || matches!(stored.get(), Some(Err(PipelineRefusal::Limit(_))));
        if !is_known {
            if let Some(learning) = self.learning() {
                learning.missing = Some(stored);
            }
            self.state.bindings.resources_dirty = true;
            self.resolve_groups::<GraphicsBindPoint>();
        }
        is_known.then_some(compiled)
    }

    /// The difference between the indices of draws that are merged.
    pub(in crate::encode) fn delta(layout: &DrawLayout) -> u32 {
        layout.plan.as_ref().map_or(0, |plan| plan.delta())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn args(count: u32) -> InstancedDraw {
        InstancedDraw { count, instance_count: 1, start: 5, base_vertex: -3, start_instance: 0 }
    }

    /// Merges draws with these indices; how many became instances of the first.
    fn merged(delta: u32, indices: impl IntoIterator<Item = u32>) -> u32 {
        let mut indices = indices.into_iter();
        let first = MergePlan { index: indices.next().unwrap(), delta };
        let mut waiting = WaitingDraw::new(true, args(3), first);
        let merges = |index: &u32| waiting.merge(true, &args(3), MergePlan { index: *index, delta });
        indices.take_while(merges).count() as u32
    }

    #[test]
    fn draws_are_merged_while_every_field_rises_by_its_step() {
        let index = |fields: [u32; 3]| fields[0] << 8 | fields[1] << 16 | fields[2] << 24;
        let delta = index([2, 1, 0]);
        let row = |n: u32| index([2 * n, 7 + n, 9]);
        assert_eq!(merged(delta, (0..100).map(row)), 99);
        assert_eq!(merged(delta, (0..5).chain(6..9).map(row)), 4, "one is missing");
        assert_eq!(merged(delta, [row(0), row(1), index([4, 9, 8])]), 1, "the third field changed");
        assert_eq!(merged(0, [row(1); 300]), 254, "as many as the field for them has");
    }

    #[test]
    fn a_field_that_is_full_is_not_carried_into_the_next() {
        let delta = put(0, 1);
        let last = put(0, 255) | put(1, 4);
        assert_eq!(merged(delta, [last - delta, last, last + delta]), 1);
        let delta = put(2, 128);
        assert_eq!(merged(delta, [put(2, 0), put(2, 128), 0]), 1);
    }

    #[test]
    fn draws_with_other_arguments_are_not_merged() {
        let merging = MergePlan::default();
        let mut waiting = WaitingDraw::new(false, args(3), merging);
        let InstancedDraw { count, instance_count, start, base_vertex, start_instance } = args(3);
        for other in [
            InstancedDraw { count: count + 1, ..args(3) },
            InstancedDraw { start: start + 1, ..args(3) },
            InstancedDraw { base_vertex: base_vertex + 1, ..args(3) },
        ] {
            assert!(!waiting.merge(false, &other, merging), "{other:?}");
        }
        assert!(!waiting.merge(true, &args(3), merging), "with indices");
        assert!(waiting.merge(false, &args(3), merging));
        assert_eq!((waiting.args.instance_count, instance_count, start_instance), (2, 1, 0));
    }
}
