//! The open pass, its bindings, and the ranges that its draws may write.
//!
//! [`CurrentPass`] owns all three, so that nothing remains of a pass when the next one begins.

use onze_ddi::Viewport;

use crate::{
    encode::parts::{
        accesses::AccessRange,
        enlarged_targets::BorrowedTarget,
        hash::SlabIndex,
        merging::{MergePlan, WaitingDraw, merges},
        multi_draw::{MultiDraws, encode_draw},
        ranges::VERTEX_SLOTS,
        vertices::DrawArea,
    },
    objects::shader::VariableTouch,
    record::page::InstancedDraw,
};

pub(crate) struct OpenPass {
    pass: wgpu::RenderPass<'static>,
    /// The last draw, if others may be merged with it.
    waiting: Option<WaitingDraw>,
    /// The draws before `waiting`, if they may become one multi-draw.
    multi_draws: MultiDraws,
    /// Draws with indices may become multi-draws.
    allows_indexed: bool,
    has_query_set: bool,
    counts_samples: bool,
    /// The render targets that larger textures replace during the pass.
    borrowed: Vec<BorrowedTarget>,
}

impl OpenPass {
    pub(crate) fn new(
        pass: wgpu::RenderPass<'static>,
        multi_draws: MultiDraws,
        has_query_set: bool,
        counts_samples: bool,
        borrowed: Vec<BorrowedTarget>,
    ) -> Self {
        Self {
            pass,
            waiting: None,
            multi_draws,
            allows_indexed: true,
            has_query_set,
            counts_samples,
            borrowed,
        }
    }

    /// Returns whether the pass uses the last occlusion query set of the run.
    pub(crate) fn has_query_set(&self) -> bool {
        self.has_query_set
    }

    pub(crate) fn counts_samples(&self) -> bool {
        self.counts_samples
    }

    /// Returns the pass after the waiting draws, if there are any, were encoded.
    #[inline]
    pub(crate) fn pass(&mut self) -> &mut wgpu::RenderPass<'static> {
        // If other draws wait, so does the one that was added last.
        if self.waiting.is_some() {
            self.encode_waiting();
        }
        &mut self.pass
    }

    #[inline(never)]
    fn encode_waiting(&mut self) {
        if self.multi_draws.has_waiting() {
            self.end_merging();
            self.multi_draws.encode(&mut self.pass);
        } else if let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() {
            // A single draw needs no buffer of arguments.
            encode_draw(&mut self.pass, indexed, &args);
        }
    }

    /// Adds the draw that waits for merging, if there is one, to the next multi-draw.
    #[inline]
    fn end_merging(&mut self) {
        let Some(WaitingDraw { indexed, args, .. }) = self.waiting.take() else { return };
        if indexed && !self.allows_indexed {
            self.multi_draws.encode(&mut self.pass);
            encode_draw(&mut self.pass, indexed, &args);
        } else {
            self.multi_draws.add(&mut self.pass, indexed, &args);
        }
    }

    /// Sets whether the following draws with indices may become multi-draws.
    pub(crate) fn allow_indexed_multi_draws(&mut self, allows: bool) {
        self.allows_indexed = allows;
    }

    /// Adds a draw, and returns whether it became an instance of the draw before it.
    #[inline]
    pub(crate) fn draw(&mut self, indexed: bool, args: InstancedDraw, merging: Option<MergePlan>) -> bool {
        if self.merges(indexed, &args, merging) {
            return true;
        }
        self.draw_apart(indexed, args, merging);
        false
    }

    /// Returns whether a draw became an instance of the draw before it.
    #[inline(always)]
    pub(crate) fn merges(&mut self, indexed: bool, args: &InstancedDraw, merging: Option<MergePlan>) -> bool {
        merges(&mut self.waiting, indexed, args, merging)
    }

    /// Adds a draw that is not merged with the draw before it.
    #[inline(never)]
    pub(crate) fn draw_apart(&mut self, indexed: bool, args: InstancedDraw, merging: Option<MergePlan>) {
        match merging {
            None => encode_draw(self.pass(), indexed, &args),
            Some(merging) => {
                self.end_merging();
                self.waiting = Some(WaitingDraw::new(indexed, args, merging));
            }
        }
    }

    /// Ends wgpu's pass. Returns the multi-draws of the run so far, and the targets whose texels must be copied
    /// back.
    pub(crate) fn end(mut self) -> (MultiDraws, Vec<BorrowedTarget>) {
        self.pass();
        self.multi_draws.end_pass();
        (self.multi_draws, self.borrowed)
    }
}

#[derive(Default)]
#[allow(clippy::large_enum_variant, reason = "an encoder has one, and opening it must not allocate")]
enum PassState {
    /// No pass is open, so commands go to the encoder.
    #[default]
    None,
    Render(OpenPass),
    Compute(wgpu::ComputePass<'static>),
}

/// A vertex or index buffer in the pass: identifier, offset, size.
pub(crate) type PassBuffer = (u64, u64, u64);

/// The place of a buffer that only one draw uses. No buffer has this key, so the next draw binds its own.
const TEMPORARY: PassBuffer = (0, 0, 0);

/// The bindings of the open pass, so that nothing is bound twice, except for bind groups, which
/// [`PendingGroups`](super::groups::PendingGroups) tracks. While a bundle is recorded, its bindings replace
/// those of the pass.
#[derive(Debug, Default)]
struct PassBindings {
    pipeline: Option<SlabIndex>,
    pulled: Option<SlabIndex>,
    vertex: [PassBuffer; VERTEX_SLOTS],
    index: (PassBuffer, bool),
    viewport: Option<Viewport>,
    scissor: Option<[u32; 4]>,
    blend_factor: Option<[f32; 4]>,
    stencil_ref: Option<u8>,
}

impl PassBindings {
    fn forget_objects(&mut self) {
        (self.pipeline, self.pulled) = (None, None);
        self.vertex = [TEMPORARY; VERTEX_SLOTS];
        self.index = (TEMPORARY, false);
    }
}

/// The open pass of the encoder, if there is one.
///
/// The methods `changes_*` note a binding of the next draw and return whether the draw must set it, in the
/// pass or in the bundle that is being recorded.
#[derive(Default)]
pub(crate) struct CurrentPass {
    state: PassState,
    /// The ranges that draws of the pass may write through views, each with the kind of access.
    writes: Vec<(AccessRange, VariableTouch)>,
    bound: PassBindings,
}

impl CurrentPass {
    /// Begins a render pass, in which nothing is bound.
    pub(crate) fn begin_render(&mut self, open: OpenPass) {
        self.bound = PassBindings::default();
        self.state = PassState::Render(open);
    }

    pub(crate) fn begin_compute(&mut self, pass: wgpu::ComputePass<'static>) {
        self.state = PassState::Compute(pass);
    }

    /// Closes the pass. A compute pass ends at once, while a render pass is returned, because its queries and
    /// debug groups must end first.
    pub(crate) fn close(&mut self) -> Option<OpenPass> {
        self.writes.clear();
        match std::mem::take(&mut self.state) {
            PassState::Render(open) => Some(open),
            PassState::None | PassState::Compute(_) => None,
        }
    }

    #[inline]
    pub(crate) fn render(&mut self) -> Option<&mut OpenPass> {
        match &mut self.state {
            PassState::Render(open) => Some(open),
            PassState::None | PassState::Compute(_) => None,
        }
    }

    #[inline]
    pub(crate) fn compute(&mut self) -> Option<&mut wgpu::ComputePass<'static>> {
        match &mut self.state {
            PassState::Compute(pass) => Some(pass),
            PassState::None | PassState::Render(_) => None,
        }
    }

    #[inline]
    pub(crate) const fn is_render(&self) -> bool {
        matches!(self.state, PassState::Render(_))
    }

    #[inline]
    pub(crate) const fn is_compute(&self) -> bool {
        matches!(self.state, PassState::Compute(_))
    }

    #[inline]
    pub(crate) const fn is_open(&self) -> bool {
        !matches!(self.state, PassState::None)
    }

    /// Inserts a debug marker, or returns `false` if no pass is open.
    pub(crate) fn insert_marker(&mut self, name: &str) -> bool {
        match &mut self.state {
            PassState::Render(open) => open.pass().insert_debug_marker(name),
            PassState::Compute(pass) => pass.insert_debug_marker(name),
            PassState::None => return false,
        }
        true
    }

    /// Writes a timestamp, or returns `false` if no pass is open.
    pub(crate) fn write_timestamp(&mut self, queries: &wgpu::QuerySet, at: u32) -> bool {
        match &mut self.state {
            PassState::Render(open) => open.pass().write_timestamp(queries, at),
            PassState::Compute(pass) => pass.write_timestamp(queries, at),
            PassState::None => return false,
        }
        true
    }
}

/// Writes through views.
impl CurrentPass {
    /// Returns whether a draw of the pass may write through views.
    #[inline]
    pub(crate) fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Sets the ranges that draws of the pass may write, unless an earlier draw has set them.
    pub(crate) fn begin_writes(&mut self, writes: Vec<(AccessRange, VariableTouch)>) {
        if self.writes.is_empty() {
            self.writes = writes;
        }
    }

    /// Returns whether a draw with these accesses can join the pass that an earlier draw began.
    pub(crate) fn allows_writing(&self, writes: &[(AccessRange, VariableTouch)]) -> bool {
        let may = |(part, touch): &(AccessRange, VariableTouch)| {
            self.writes.iter().any(|(known, before)| known == part && before.commutes_with(*touch))
        };
        writes.iter().all(may)
    }

    /// Returns whether a draw that reads a range can join the pass.
    pub(crate) fn allows_reading(&self, part: &AccessRange) -> bool {
        !self.writes.iter().any(|(written, _)| written.overlaps(part))
    }
}

/// Bindings.
impl CurrentPass {
    /// Forgets the bound objects, because none is bound at the start of a bundle or after a bundle.
    pub(crate) fn forget_objects(&mut self) {
        self.bound.forget_objects();
    }

    #[inline]
    pub(crate) fn changes_pipeline(&mut self, place: SlabIndex) -> bool {
        let changes = self.bound.pipeline != Some(place);
        self.bound.pipeline = Some(place);
        changes
    }

    #[inline]
    pub(crate) fn changes_pulled(&mut self, place: SlabIndex) -> bool {
        let changes = self.bound.pulled != Some(place);
        self.bound.pulled = Some(place);
        changes
    }

    pub(crate) fn forget_pulled(&mut self) {
        self.bound.pulled = None;
    }

    #[inline]
    pub(crate) fn changes_vertex_buffer(&mut self, slot: usize, buffer: PassBuffer) -> bool {
        match self.bound.vertex.get_mut(slot) {
            Some(bound) if *bound != buffer => {
                *bound = buffer;
                true
            }
            Some(_) | None => false,
        }
    }

    #[inline]
    pub(crate) fn changes_indices(&mut self, buffer: PassBuffer, wide: bool) -> bool {
        let changes = self.bound.index != (buffer, wide);
        if changes {
            self.bound.index = (buffer, wide);
        }
        changes
    }

    /// Sets a vertex buffer that only the next draw uses, which is never in a bundle.
    pub(crate) fn set_vertex_copy(&mut self, slot: usize, copy: &wgpu::Buffer) {
        if let Some(open) = self.render() {
            open.pass().set_vertex_buffer(slot as u32, copy.slice(..));
        }
        if let Some(bound) = self.bound.vertex.get_mut(slot) {
            *bound = TEMPORARY;
        }
    }

    /// Sets an index buffer that only the next draw uses, which is never in a bundle.
    pub(crate) fn set_index_copy(&mut self, copy: &wgpu::Buffer, format: wgpu::IndexFormat) {
        if let Some(open) = self.render() {
            open.pass().set_index_buffer(copy.slice(..), format);
        }
        self.bound.index = (TEMPORARY, false);
    }

    /// Returns whether the pass has the viewport, scissor rectangle, blend factor and stencil reference.
    #[inline]
    pub(crate) fn has_dynamic_state(&self, area: &DrawArea, blend_factor: [f32; 4], stencil_ref: u8) -> bool {
        let bound = &self.bound;
        bound.viewport == Some(area.viewport)
            && bound.scissor == Some(area.scissor)
            && bound.blend_factor == Some(blend_factor)
            && bound.stencil_ref == Some(stencil_ref)
    }

    /// Sets the viewport, scissor rectangle, blend factor and stencil reference where the pass has other
    /// values.
    pub(crate) fn set_dynamic_state(&mut self, area: &DrawArea, blend_factor: [f32; 4], stencil_ref: u8) {
        let (PassState::Render(open), bound) = (&mut self.state, &mut self.bound) else { return };
        let pass = open.pass();
        if bound.viewport != Some(area.viewport) {
            let v = area.viewport;
            pass.set_viewport(v.top_left_x, v.top_left_y, v.width, v.height, v.min_depth, v.max_depth);
            bound.viewport = Some(v);
        }
        if bound.scissor != Some(area.scissor) {
            let [x, y, width, height] = area.scissor;
            pass.set_scissor_rect(x, y, width, height);
            bound.scissor = Some(area.scissor);
        }
        if bound.blend_factor != Some(blend_factor) {
            let [r, g, b, a] = blend_factor.map(f64::from);
            pass.set_blend_constant(wgpu::Color { r, g, b, a });
            bound.blend_factor = Some(blend_factor);
        }
        if bound.stencil_ref != Some(stencil_ref) {
            pass.set_stencil_reference(stencil_ref.into());
            bound.stencil_ref = Some(stencil_ref);
        }
    }
}
