//! Vertex buffers as a pipeline fetches them, their capacity, and the buffers that replace them.

use onze_ddi::Viewport;

use crate::encode::parts::{
    hash::SlabIndex, pipelines::FetchSlot, pulled::PulledDraw, ranges::BufferRange, state::DrawState,
};

#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct DrawArea {
    pub(crate) viewport: Viewport,
    /// x, y, width, height.
    pub(crate) scissor: [u32; 4],
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct VertexFetch<'r> {
    pub(crate) range: BufferRange<'r>,
    pub(crate) stride: u64,
    pub(crate) slot: FetchSlot,
    /// No buffer is bound, or nothing of it remains after the offset, so all vertices read zeros.
    pub(crate) is_null: bool,
}

/// The vertex buffers, and the numbers of vertices and instances that they contain.
#[derive(Debug, Default)]
pub(crate) struct VertexPlan<'r> {
    fetches: Vec<VertexFetch<'r>>,
    vertices: u64,
    instances: u64,
    /// All offsets are multiples of 4, so wgpu accepts them without changes.
    aligned: bool,
}

/// Returns the number of vertices or instances that a buffer contains.
pub(crate) fn capacity(size: u64, stride: u64, end: u64) -> u64 {
    match (size.checked_sub(end), stride) {
        (None, _) => 0,
        (Some(_), 0) => u64::MAX,
        (Some(rest), stride) => rest / stride + 1,
    }
}

impl<'r> VertexPlan<'r> {
    pub(crate) fn fetches(&self) -> &[VertexFetch<'r>] {
        &self.fetches
    }

    /// Returns the number of vertices that all per-vertex buffers contain.
    pub(crate) const fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Returns the number of instances that all per-instance buffers contain.
    pub(crate) const fn instances(&self) -> u64 {
        self.instances
    }

    /// Returns whether all offsets are multiples of 4, so that wgpu accepts them without changes.
    pub(crate) const fn is_aligned(&self) -> bool {
        self.aligned
    }

    pub(crate) fn reads_by_instance(&self) -> bool {
        self.fetches.iter().any(|fetch| fetch.slot.per_instance)
    }

    pub(crate) fn resolve(&mut self, state: &DrawState<'r>, slots: &[FetchSlot], null: BufferRange<'r>) {
        self.fetches.clear();
        self.vertices = u64::MAX;
        self.instances = u64::MAX;
        self.aligned = true;
        for slot in slots {
            let bound = state.vertex.get(slot.slot).copied().unwrap_or_default();
            let range = bound.range.filter(|range| range.size > 0);
            let fetch = VertexFetch {
                range: range.unwrap_or(null),
                stride: if range.is_some() { bound.stride.into() } else { 0 },
                slot: *slot,
                is_null: range.is_none(),
            };
            let holds = capacity(fetch.range.size, fetch.stride, slot.end);
            let limit = if slot.per_instance { &mut self.instances } else { &mut self.vertices };
            *limit = holds.min(*limit);
            self.aligned &= fetch.range.offset.is_multiple_of(4);
            self.fetches.push(fetch);
        }
    }
}

/// Buffers and offsets that a draw uses instead of those that are bound.
#[derive(Debug, Default)]
pub(crate) struct BufferSubstitutes {
    /// Number of vertices to add to the offsets of per-vertex buffers.
    pub(crate) vertex_shift: i64,
    /// Number of instances to add to the offsets of per-instance buffers.
    pub(crate) instance_shift: i64,
    /// Substitutes of vertex buffers, by index in [`VertexPlan::fetches`].
    pub(crate) vertex: Vec<(usize, Substitute)>,
    /// The index buffer, and whether its indices have 32 bits.
    pub(crate) index: Option<(wgpu::Buffer, bool)>,
    pub(crate) pulled: Option<SlabIndex>,
}

#[derive(Debug)]
pub(crate) enum Substitute {
    Copy(wgpu::Buffer),
    Zeros,
}

impl BufferSubstitutes {
    pub(crate) fn shift(&self, fetch: &VertexFetch<'_>) -> i64 {
        let count = if fetch.slot.per_instance { self.instance_shift } else { self.vertex_shift };
        count.saturating_mul(fetch.stride as i64)
    }

    /// Returns the numbers of the draw for a shader that pulls vertices.
    pub(crate) fn pulled_draw(&self) -> PulledDraw {
        // Truncated to 32 bits, because shaders compute addresses with 32 bits.
        PulledDraw { starts: [self.vertex_shift as u32, self.instance_shift as u32], ..PulledDraw::default() }
    }

    pub(crate) fn set_indices(&mut self, indices: wgpu::Buffer) {
        self.index = Some((indices, true));
    }

    /// Returns whether the draw uses other buffers instead of those that are bound.
    pub(crate) fn has_copies(&self) -> bool {
        !self.vertex.is_empty() || self.index.is_some()
    }

    /// Returns whether the draw uses the bound buffers at their offsets.
    pub(crate) fn is_empty(&self) -> bool {
        self.vertex_shift == 0 && self.instance_shift == 0 && !self.has_copies()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_counts_a_vertex_whose_last_element_fits() {
        for (size, stride, end, holds) in [
            (64, 16, 16, 4),
            (60, 16, 12, 4),
            (60, 16, 16, 3),
            (8, 16, 12, 0),
            (12, 0, 12, u64::MAX),
            (8, 0, 12, 0),
        ] {
            assert_eq!(capacity(size, stride, end), holds, "{size} bytes, stride {stride}, end {end}");
        }
    }
}
