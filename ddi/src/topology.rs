//! Primitive topologies, with their numbers in D3D11 and their primitive counts.
//!
//! ```
//! use onze_ddi::PrimitiveTopology;
//!
//! assert_eq!(PrimitiveTopology::LineStripAdj.primitive_count(5), 2);
//! assert_eq!(PrimitiveTopology::patch_list(3), Some(PrimitiveTopology::PatchList3));
//! ```

/// The primitive that a geometry shader processes (D3D11: `D3D_PRIMITIVE`).
#[doc(alias = "D3D_PRIMITIVE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputPrimitive {
    /// A point.
    Point,
    /// A line with two vertices.
    Line,
    /// A triangle with three vertices.
    Triangle,
    /// A line with its two adjacent vertices, four vertices in all.
    LineAdjacency,
    /// A triangle with its three adjacent vertices, six vertices in all.
    TriangleAdjacency,
    /// A patch with this number of control points, from 1 to 32.
    Patch(u32),
}

impl InputPrimitive {
    /// Number of vertices of the primitive.
    pub const fn vertex_count(self) -> u32 {
        match self {
            Self::Point => 1,
            Self::Line => 2,
            Self::Triangle => 3,
            Self::LineAdjacency => 4,
            Self::TriangleAdjacency => 6,
            Self::Patch(control_points) => control_points,
        }
    }

    /// Whether a topology consists of such primitives. Lines and triangles may have adjacent vertices, which the shader
    /// does not get if it processes plain lines or triangles (Direct3D 11.3 functional specification, 13.4 and 8.14).
    pub const fn accepts(self, topology: PrimitiveTopology) -> bool {
        use PrimitiveTopology as T;
        match self {
            Self::Point => matches!(topology, T::PointList),
            Self::Line => matches!(topology.without_adjacency(), T::LineList | T::LineStrip),
            Self::Triangle => matches!(topology.without_adjacency(), T::TriangleList | T::TriangleStrip),
            Self::LineAdjacency => matches!(topology, T::LineListAdj | T::LineStripAdj),
            Self::TriangleAdjacency => matches!(topology, T::TriangleListAdj | T::TriangleStripAdj),
            Self::Patch(control_points) => match topology.control_points() {
                Some(points) => points == control_points,
                None => false,
            },
        }
    }
}

/// The primitives that a stream of a geometry shader consists of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StreamTopology {
    /// Each vertex is a separate point.
    Points,
    /// Strips of lines.
    LineStrips,
    /// Strips of triangles.
    TriangleStrips,
}

/// How vertices form primitives (D3D11: `D3D11_PRIMITIVE_TOPOLOGY`, with all 42 values and their numbers).
///
/// Topologies with adjacency have additional vertices for a geometry shader, which are ignored without one.
/// Patches are the input of a hull shader, and a draw of patches without a hull shader is rejected.
#[doc(alias = "D3D11_PRIMITIVE_TOPOLOGY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum PrimitiveTopology {
    /// No topology has been set, so draws are rejected.
    #[default]
    Undefined = 0,
    /// Each vertex is a separate point.
    PointList = 1,
    /// Every two vertices form a separate line.
    LineList = 2,
    /// Each vertex after the first forms a line with the previous vertex.
    LineStrip = 3,
    /// Every three vertices form a separate triangle.
    TriangleList = 4,
    /// Each vertex after the second forms a triangle with the previous two vertices.
    TriangleStrip = 5,
    /// Every four vertices form a line from the second to the third, with the first and the fourth as
    /// adjacent vertices.
    LineListAdj = 10,
    /// A line strip without the first and the last vertex, which are only adjacent vertices.
    LineStripAdj = 11,
    /// Every six vertices form a triangle from the first, third and fifth, with the second, fourth and sixth
    /// as adjacent vertices.
    TriangleListAdj = 12,
    /// A triangle strip of every second vertex, starting with the first, with the vertices in between as
    /// adjacent vertices.
    TriangleStripAdj = 13,
    /// Every vertex is a patch with 1 control point for a hull shader.
    PatchList1 = 33,
    /// Every 2 vertices form a patch with 2 control points for a hull shader.
    PatchList2 = 34,
    /// Every 3 vertices form a patch with 3 control points for a hull shader.
    PatchList3 = 35,
    /// Every 4 vertices form a patch with 4 control points for a hull shader.
    PatchList4 = 36,
    /// Every 5 vertices form a patch with 5 control points for a hull shader.
    PatchList5 = 37,
    /// Every 6 vertices form a patch with 6 control points for a hull shader.
    PatchList6 = 38,
    /// Every 7 vertices form a patch with 7 control points for a hull shader.
    PatchList7 = 39,
    /// Every 8 vertices form a patch with 8 control points for a hull shader.
    PatchList8 = 40,
    /// Every 9 vertices form a patch with 9 control points for a hull shader.
    PatchList9 = 41,
    /// Every 10 vertices form a patch with 10 control points for a hull shader.
    PatchList10 = 42,
    /// Every 11 vertices form a patch with 11 control points for a hull shader.
    PatchList11 = 43,
    /// Every 12 vertices form a patch with 12 control points for a hull shader.
    PatchList12 = 44,
    /// Every 13 vertices form a patch with 13 control points for a hull shader.
    PatchList13 = 45,
    /// Every 14 vertices form a patch with 14 control points for a hull shader.
    PatchList14 = 46,
    /// Every 15 vertices form a patch with 15 control points for a hull shader.
    PatchList15 = 47,
    /// Every 16 vertices form a patch with 16 control points for a hull shader.
    PatchList16 = 48,
    /// Every 17 vertices form a patch with 17 control points for a hull shader.
    PatchList17 = 49,
    /// Every 18 vertices form a patch with 18 control points for a hull shader.
    PatchList18 = 50,
    /// Every 19 vertices form a patch with 19 control points for a hull shader.
    PatchList19 = 51,
    /// Every 20 vertices form a patch with 20 control points for a hull shader.
    PatchList20 = 52,
    /// Every 21 vertices form a patch with 21 control points for a hull shader.
    PatchList21 = 53,
    /// Every 22 vertices form a patch with 22 control points for a hull shader.
    PatchList22 = 54,
    /// Every 23 vertices form a patch with 23 control points for a hull shader.
    PatchList23 = 55,
    /// Every 24 vertices form a patch with 24 control points for a hull shader.
    PatchList24 = 56,
    /// Every 25 vertices form a patch with 25 control points for a hull shader.
    PatchList25 = 57,
    /// Every 26 vertices form a patch with 26 control points for a hull shader.
    PatchList26 = 58,
    /// Every 27 vertices form a patch with 27 control points for a hull shader.
    PatchList27 = 59,
    /// Every 28 vertices form a patch with 28 control points for a hull shader.
    PatchList28 = 60,
    /// Every 29 vertices form a patch with 29 control points for a hull shader.
    PatchList29 = 61,
    /// Every 30 vertices form a patch with 30 control points for a hull shader.
    PatchList30 = 62,
    /// Every 31 vertices form a patch with 31 control points for a hull shader.
    PatchList31 = 63,
    /// Every 32 vertices form a patch with 32 control points for a hull shader.
    PatchList32 = 64,
}

impl PrimitiveTopology {
    /// Returns the patch topology with the given number of control points, or `None` unless the number is 1
    /// to 32.
    pub const fn patch_list(control_points: u32) -> Option<Self> {
        match control_points {
            1..=32 => Self::from_u32(32 + control_points),
            _ => None,
        }
    }

    /// Returns the number of control points per patch, 1 to 32, or `None` if the primitives are not patches.
    pub const fn control_points(self) -> Option<u32> {
        match self as u32 {
            number @ 33..=64 => Some(number - 32),
            _ => None,
        }
    }

    /// Whether the topology has adjacent vertices, which only a geometry shader reads.
    #[inline]
    pub const fn has_adjacency(self) -> bool {
        matches!(
            self,
            Self::LineListAdj | Self::LineStripAdj | Self::TriangleListAdj | Self::TriangleStripAdj
        )
    }

    /// Returns the topology without adjacent vertices, or any other topology unchanged.
    pub const fn without_adjacency(self) -> Self {
        match self {
            Self::LineListAdj => Self::LineList,
            Self::LineStripAdj => Self::LineStrip,
            Self::TriangleListAdj => Self::TriangleList,
            Self::TriangleStripAdj => Self::TriangleStrip,
            other => other,
        }
    }

    /// Whether each primitive shares vertices with the previous primitive, so that an index of all ones
    /// starts a new strip.
    pub const fn is_strip(self) -> bool {
        matches!(self.without_adjacency(), Self::LineStrip | Self::TriangleStrip)
    }

    /// Number of complete primitives in one instance with the given number of vertices, if no index cuts a
    /// strip (Direct3D 11.3 functional specification, 8.10 to 8.13).
    pub const fn primitive_count(self, vertices: u32) -> u32 {
        match self {
            Self::Undefined => 0,
            Self::PointList => vertices,
            Self::LineList => vertices / 2,
            Self::LineStrip => vertices.saturating_sub(1),
            Self::TriangleList => vertices / 3,
            Self::TriangleStrip => vertices.saturating_sub(2),
            Self::LineListAdj => vertices / 4,
            Self::LineStripAdj => vertices.saturating_sub(3),
            Self::TriangleListAdj => vertices / 6,
            Self::TriangleStripAdj => vertices.saturating_sub(4) / 2,
            patches => match patches.control_points() {
                Some(points) => vertices / points,
                None => 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct3d_11_has_42_topologies() {
        let all: Vec<_> = (0..100).filter_map(PrimitiveTopology::from_u32).collect();
        assert_eq!(all.len(), 42);
        assert!(all.iter().all(|topology| topology.to_u32() == *topology as u32));
    }

    #[test]
    fn patches_have_1_to_32_control_points() {
        for points in 0..40 {
            let patches = PrimitiveTopology::patch_list(points);
            assert_eq!(patches.is_some(), (1..=32).contains(&points), "{points}");
            assert_eq!(patches.and_then(PrimitiveTopology::control_points), patches.map(|_| points));
            assert_eq!(patches.map(PrimitiveTopology::to_u32), patches.map(|_| 32 + points));
        }
        assert_eq!(PrimitiveTopology::TriangleStripAdj.control_points(), None);
    }

    #[test]
    fn primitive_count_counts_only_whole_primitives() {
        use PrimitiveTopology as T;
        for (topology, counts) in [
            (T::Undefined, [0; 8]),
            (T::PointList, [0, 1, 2, 3, 4, 5, 6, 7]),
            (T::LineList, [0, 0, 1, 1, 2, 2, 3, 3]),
            (T::LineStrip, [0, 0, 1, 2, 3, 4, 5, 6]),
            (T::TriangleList, [0, 0, 0, 1, 1, 1, 2, 2]),
            (T::TriangleStrip, [0, 0, 0, 1, 2, 3, 4, 5]),
            (T::LineListAdj, [0, 0, 0, 0, 1, 1, 1, 1]),
            (T::LineStripAdj, [0, 0, 0, 0, 1, 2, 3, 4]),
            (T::TriangleListAdj, [0, 0, 0, 0, 0, 0, 1, 1]),
            (T::TriangleStripAdj, [0, 0, 0, 0, 0, 0, 1, 1]),
            (T::PatchList1, [0, 1, 2, 3, 4, 5, 6, 7]),
            (T::PatchList4, [0, 0, 0, 0, 1, 1, 1, 1]),
        ] {
            let found: Vec<_> = (0..8).map(|vertices| topology.primitive_count(vertices)).collect();
            assert_eq!(found, counts, "{topology:?}");
        }
        assert_eq!(T::TriangleStripAdj.primitive_count(8), 2);
    }

    #[test]
    fn a_geometry_shader_accepts_the_topologies_of_its_primitive() {
        use PrimitiveTopology as T;
        let rows = [
            (InputPrimitive::Point, &[T::PointList][..], 1),
            (InputPrimitive::Line, &[T::LineList, T::LineStrip, T::LineListAdj, T::LineStripAdj], 2),
            (
                InputPrimitive::Triangle,
                &[T::TriangleList, T::TriangleStrip, T::TriangleListAdj, T::TriangleStripAdj],
                3,
            ),
            (InputPrimitive::LineAdjacency, &[T::LineListAdj, T::LineStripAdj], 4),
            (InputPrimitive::TriangleAdjacency, &[T::TriangleListAdj, T::TriangleStripAdj], 6),
            (InputPrimitive::Patch(3), &[T::PatchList3], 3),
            (InputPrimitive::Patch(32), &[T::PatchList32], 32),
        ];
        for (primitive, accepted, vertices) in rows {
            assert_eq!(primitive.vertex_count(), vertices);
            for topology in (0..=64).filter_map(T::from_u32) {
                assert_eq!(
                    primitive.accepts(topology),
                    accepted.contains(&topology),
                    "{primitive:?} {topology:?}"
                );
            }
        }
    }
}
