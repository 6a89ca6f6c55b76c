//! Draws whose geometry shader selects a slice of the targets or a viewport for each primitive.
//!
//! wgpu has no such outputs, so the draw is repeated for each slice, in a pass of its own, and for each viewport. Each
//! repetition keeps the primitives of its slice and viewport.

use crate::encode::{encoder::Encoder, parts::vertex_end::PrimitiveSelection};

/// The selections that a geometry shader makes for each primitive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct SelectedParts {
    pub(super) slices: bool,
    pub(super) viewports: bool,
}

impl Encoder<'_> {
    /// Makes a draw for each slice of the targets and for each viewport, if the geometry shader selects them.
    /// Returns `None` if all draws return `None`.
    pub(super) fn for_each_selection(
        &mut self,
        selects: SelectedParts,
        mut draw: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if selects == (SelectedParts { slices: false, viewports: false }) {
            return draw(self);
        }
        self.resolve_targets();
        let slices = if selects.slices { self.targets.slices() } else { 1 };
        let selected = match self.one_slice.filter(|_| selects.slices) {
            Some(slice) => slice..slice + 1,
            None => 0..slices,
        };
        let viewports = if selects.viewports { self.state.viewports.len().max(1) as u32 } else { 1 };
        if viewports > 1 && self.has_overlapping_viewports() {
            self.report(
                "a geometry shader draws to viewports that overlap: where primitives of several viewports meet, those of \
                 a viewport with a higher index are drawn later; use viewports or scissor rectangles that do not overlap",
            );
        }
        let mut drawn = None;
        for slice in selected.clone() {
            for viewport in 0..viewports {
                self.select(Some(PrimitiveSelection { slice, slices, viewport }));
                drawn = draw(self).or(drawn);
            }
        }
        // Statistics and streams receive the input of each draw once, and writes keep their order.
        let writes = self.draw_writes() || self.state.stream_shader.is_some();
        if selected.len() > 1 && !self.queries.has_statistics() && !writes {
            self.ready.expect_slices();
        }
        if self.one_slice.is_none() || !selects.slices {
            self.select(None);
        }
        drawn
    }

    /// Sets the slice and the viewport of the next draws.
    pub(super) fn select(&mut self, selection: Option<PrimitiveSelection>) {
        self.select_slice(selection.map_or(0, |selection| selection.slice));
        let before = std::mem::replace(&mut self.vertex_end.selection, selection);
        let viewport = |selection: Option<PrimitiveSelection>| selection.map_or(0, |of| of.viewport);
        self.state.area_dirty |= viewport(before) != viewport(selection);
        if before.is_some() != selection.is_some() {
            self.state.dirty_setting();
        }
    }

    /// Returns whether a pixel is in several of the viewports and their scissor rectangles.
    fn has_overlapping_viewports(&self) -> bool {
        let scissors = self.state.rasterizer.is_some_and(|state| state.desc.scissor_enable);
        let areas: Vec<_> = self
            .state
            .viewports
            .iter()
            .enumerate()
            .map(|(at, viewport)| {
                let whole = [
                    viewport.top_left_x,
                    viewport.top_left_y,
                    viewport.top_left_x + viewport.width,
                    viewport.top_left_y + viewport.height,
                ];
                match self.state.scissors.get(at).filter(|_| scissors) {
                    None => whole,
                    Some(rect) => [
                        whole[0].max(rect.left as f32),
                        whole[1].max(rect.top as f32),
                        whole[2].min(rect.right as f32),
                        whole[3].min(rect.bottom as f32),
                    ],
                }
            })
            .collect();
        let overlap =
            |a: &[f32; 4], b: &[f32; 4]| a[0].max(b[0]) < a[2].min(b[2]) && a[1].max(b[1]) < a[3].min(b[3]);
        areas.iter().enumerate().any(|(at, a)| areas.iter().skip(at + 1).any(|b| overlap(a, b)))
    }
}
