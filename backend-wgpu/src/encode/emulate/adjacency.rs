//! Topologies with adjacency, which are drawn without the adjacent vertices, because no geometry shader reads
//! them.
//!
//! Such a draw becomes a draw of the topology without adjacency, with other indices of 32 bits. SV_VertexID
//! then has the correct value, because it is the index.
//!
//! * For a draw without indices, the new indices follow from the number of vertices. Each encoding thread
//!   keeps index buffers for such draws.
//! * For a draw with indices, a compute shader gathers the new indices before the pass, from a copy of the
//!   index buffer. A list stays a list. In a line strip, the first and the last index become cuts. In a
//!   triangle strip, each triangle becomes a separate strip. Primitives therefore keep their numbers. An
//!   indirect draw also gets new arguments.
//!
//! The Direct3D 11.3 functional specification, 8.10 to 8.15, defines the adjacent vertices. Primitives that
//! lack a vertex are left out, even if only an adjacent vertex is missing.

use onze_ddi::PrimitiveTopology;
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::gather::{Gathering, INDEX_BYTES, IndexSource},
        emulate_hooks::{AdjacencyRemoval, PaddedCopies},
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{adjacent_sequences::AdjacentSequence, ranges::BufferRange},
    },
    record::page::InstancedDraw,
};

/// Returns the slot of a topology in
/// [`AdjacentSequences`](crate::encode::parts::adjacent_sequences::AdjacentSequences).
const fn place(topology: PrimitiveTopology) -> usize {
    match topology {
        PrimitiveTopology::LineListAdj => 0,
        PrimitiveTopology::LineStripAdj => 1,
        PrimitiveTopology::TriangleListAdj => 2,
        _ => 3,
    }
}

/// Returns the number of vertices in whole primitives, without adjacent vertices. The vertices of a shorter
/// draw are a prefix of those of a longer draw.
const fn own_vertices(topology: PrimitiveTopology, vertices: u32) -> u32 {
    let primitives = topology.primitive_count(vertices);
    match topology {
        _ if primitives == 0 => 0,
        PrimitiveTopology::LineListAdj => primitives * 2,
        PrimitiveTopology::LineStripAdj => primitives + 1,
        PrimitiveTopology::TriangleListAdj => primitives * 3,
        _ => primitives + 2,
    }
}

/// Returns the index of a draw's `n`th vertex, not counting adjacent vertices.
const fn own_vertex(topology: PrimitiveTopology, n: u32) -> u32 {
    match topology {
        PrimitiveTopology::LineListAdj => n / 2 * 4 + 1 + n % 2,
        PrimitiveTopology::LineStripAdj => n + 1,
        PrimitiveTopology::TriangleListAdj => n / 3 * 6 + n % 3 * 2,
        _ => n * 2,
    }
}

impl<'r> AdjacencyRemoval<'r> for Encoder<'r> {
    fn adjacent_sequence(&mut self, vertices: u32) -> Option<(wgpu::Buffer, u32)> {
        let topology = self.state.topology;
        let count = own_vertices(topology, vertices);
        if u64::from(count) * INDEX_BYTES > self.largest_copy() {
            self.report(
                "a draw is skipped: it has too many vertices for a topology with adjacency; draw them in parts",
            );
            return None;
        }
        let known = self.caches.sequences.0.get(place(topology)).and_then(Option::as_ref);
        let indices = match known.filter(|known| count <= known.count) {
            Some(known) => known.indices.clone(),
            None => {
                let all = count.next_power_of_two().max(256);
                let indices: Vec<_> = (0..all).map(|n| own_vertex(topology, n)).collect();
                let indices = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some("indices without adjacent vertices"),
                    contents: bytemuck::cast_slice(&indices),
                    usage: wgpu::BufferUsages::INDEX,
                });
                if let Some(known) = self.caches.sequences.0.get_mut(place(topology)) {
                    *known = Some(AdjacentSequence { indices: indices.clone(), count: all });
                }
                indices
            }
        };
        (count > 0).then_some((indices, count))
    }

    fn gather_indices(&mut self, args: &InstancedDraw) -> Option<(wgpu::Buffer, u32)> {
        let topology = self.state.topology;
        if topology.primitive_count(args.count) == 0 {
            return None;
        }
        let (indices, _) = self.gather_without_adjacent(&self.indices_of(args))?;
        let count = match topology {
            PrimitiveTopology::LineStripAdj => args.count,
            PrimitiveTopology::TriangleStripAdj => args.count.div_ceil(2) * 4,
            _ => own_vertices(topology, args.count),
        };
        Some((indices, count))
    }

    fn gather_indirect(&mut self, arguments: BufferRange<'r>) -> Option<(wgpu::Buffer, wgpu::Buffer)> {
        self.gather_without_adjacent(&self.indices_of_indirect(arguments))
    }
}

impl<'r> Encoder<'r> {
    /// Gathers indices without those of adjacent vertices, and writes the arguments of the draw that uses
    /// them.
    fn gather_without_adjacent(&mut self, source: &IndexSource<'r>) -> Option<(wgpu::Buffer, wgpu::Buffer)> {
        let topology = self.state.topology;
        let is_triangle_strip = topology == PrimitiveTopology::TriangleStripAdj;
        let words = if is_triangle_strip { source.most.div_ceil(2) * 4 } else { source.most };
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT;
        let written = self.temporary(size_of::<[u32; 5]>() as u64, usage);
        let gathering = Gathering {
            shader: match is_triangle_strip {
                true => OwnCompute::GatherTriangleStrip,
                false => OwnCompute::GatherIndices,
            },
            params: &[place(topology) as u32],
            groups: if is_triangle_strip { 1 } else { words.div_ceil(64).min(1024) as u32 },
            words,
            also_writes: Some(&written),
            lost: "draws with indices and a topology with adjacency are skipped: the adapter has no compute shaders; draw \
                   without indices, or use a topology without adjacency",
            too_many: "a draw is skipped: it has too many indices for a topology with adjacency; draw them in parts, from a \
                       smaller index buffer",
        };
        Some((self.gather(source, &gathering)?, written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PrimitiveTopology::{LineListAdj, LineStripAdj, TriangleListAdj, TriangleStripAdj};

    #[test]
    fn adjacent_vertices_are_left_out() {
        let own = |topology, vertices| -> Vec<u32> {
            (0..own_vertices(topology, vertices)).map(|n| own_vertex(topology, n)).collect()
        };
        for (topology, vertices, expected) in [
            (LineListAdj, 3, &[][..]),
            (LineListAdj, 11, &[1, 2, 5, 6]),
            (LineStripAdj, 3, &[]),
            (LineStripAdj, 4, &[1, 2]),
            (LineStripAdj, 6, &[1, 2, 3, 4]),
            (TriangleListAdj, 5, &[]),
            (TriangleListAdj, 17, &[0, 2, 4, 6, 8, 10]),
            (TriangleStripAdj, 5, &[]),
            (TriangleStripAdj, 6, &[0, 2, 4]),
            (TriangleStripAdj, 7, &[0, 2, 4]),
            (TriangleStripAdj, 8, &[0, 2, 4, 6]),
        ] {
            assert_eq!(own(topology, vertices), expected, "{topology:?} of {vertices}");
        }
    }
}
