//! Primitive topologies, with their numbers in D3D11 and the counts of primitives that they form.
//!
//! ```
//! use onze_ddi::PrimitiveTopology;
//!
//! assert_eq!(PrimitiveTopology::LineStripAdj.primitive_count(5), 2);
//! assert_eq!(PrimitiveTopology::patch_list(3), Some(PrimitiveTopology::PatchList3));
//! ```

/// How vertices form primitives (D3D11: `D3D11_PRIMITIVE_TOPOLOGY`, with all 42 values and their numbers).
///
/// Topologies with adjacency have additional vertices that a geometry shader reads and that are left out
/// without one. Patches are the input of a hull shader, and a draw of patches without one is refused.
#[doc(alias = "D3D11_PRIMITIVE_TOPOLOGY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum PrimitiveTopology {
    /// Nothing is drawn, because no topology has been set.
    #[default]
    Undefined = 0,
    /// Each vertex is a point of its own.
    PointList = 1,
    /// Every two vertices are a line of their own.
    LineList = 2,
    /// Each vertex forms a line with the previous one.
    LineStrip = 3,
    /// Every three vertices are a triangle of their own.
    TriangleList = 4,
    /// Each vertex forms a triangle with the previous two.
    TriangleStrip = 5,
    /// Every four vertices are a line, from the second to the third.
    LineListAdj = 10,
    /// A line strip whose first and last vertices are adjacent vertices only.
    LineStripAdj = 11,
    /// Every six vertices are a triangle, formed by the first, third and fifth.
    TriangleListAdj = 12,
    /// Every other vertex, from the first on, belongs to a triangle strip.
    TriangleStripAdj = 13,
    /// Every vertex is a patch of 1 control point, which a hull shader reads.
    PatchList1 = 33,
    /// Every 2 vertices are a patch, whose control points a hull shader reads.
    PatchList2 = 34,
    /// Every 3 vertices are a patch, whose control points a hull shader reads.
    PatchList3 = 35,
    /// Every 4 vertices are a patch, whose control points a hull shader reads.
    PatchList4 = 36,
    /// Every 5 vertices are a patch, whose control points a hull shader reads.
    PatchList5 = 37,
    /// Every 6 vertices are a patch, whose control points a hull shader reads.
    PatchList6 = 38,
    /// Every 7 vertices are a patch, whose control points a hull shader reads.
    PatchList7 = 39,
    /// Every 8 vertices are a patch, whose control points a hull shader reads.
    PatchList8 = 40,
    /// Every 9 vertices are a patch, whose control points a hull shader reads.
    PatchList9 = 41,
    /// Every 10 vertices are a patch, whose control points a hull shader reads.
    PatchList10 = 42,
    /// Every 11 vertices are a patch, whose control points a hull shader reads.
    PatchList11 = 43,
    /// Every 12 vertices are a patch, whose control points a hull shader reads.
    PatchList12 = 44,
    /// Every 13 vertices are a patch, whose control points a hull shader reads.
    PatchList13 = 45,
    /// Every 14 vertices are a patch, whose control points a hull shader reads.
    PatchList14 = 46,
    /// Every 15 vertices are a patch, whose control points a hull shader reads.
    PatchList15 = 47,
    /// Every 16 vertices are a patch, whose control points a hull shader reads.
    PatchList16 = 48,
    /// Every 17 vertices are a patch, whose control points a hull shader reads.
    PatchList17 = 49,
    /// Every 18 vertices are a patch, whose control points a hull shader reads.
    PatchList18 = 50,
    /// Every 19 vertices are a patch, whose control points a hull shader reads.
    PatchList19 = 51,
    /// Every 20 vertices are a patch, whose control points a hull shader reads.
    PatchList20 = 52,
    /// Every 21 vertices are a patch, whose control points a hull shader reads.
    PatchList21 = 53,
    /// Every 22 vertices are a patch, whose control points a hull shader reads.
    PatchList22 = 54,
    /// Every 23 vertices are a patch, whose control points a hull shader reads.
    PatchList23 = 55,
    /// Every 24 vertices are a patch, whose control points a hull shader reads.
    PatchList24 = 56,
    /// Every 25 vertices are a patch, whose control points a hull shader reads.
    PatchList25 = 57,
    /// Every 26 vertices are a patch, whose control points a hull shader reads.
    PatchList26 = 58,
    /// Every 27 vertices are a patch, whose control points a hull shader reads.
    PatchList27 = 59,
    /// Every 28 vertices are a patch, whose control points a hull shader reads.
    PatchList28 = 60,
    /// Every 29 vertices are a patch, whose control points a hull shader reads.
    PatchList29 = 61,
    /// Every 30 vertices are a patch, whose control points a hull shader reads.
    PatchList30 = 62,
    /// Every 31 vertices are a patch, whose control points a hull shader reads.
    PatchList31 = 63,
    /// Every 32 vertices are a patch, whose control points a hull shader reads.
    PatchList32 = 64,
}

impl PrimitiveTopology {
    /// Returns patches with a number of control points, or `None` unless the number is 1 to 32.
    pub const fn patch_list(control_points: u32) -> Option<Self> {
        match control_points {
            1..=32 => Self::from_u32(32 + control_points),
            _ => None,
        }
    }

    /// Returns the control points per patch, 1 to 32, or `None` if the primitives are not patches.
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

    /// Whether primitives share vertices with the previous one, so that an index of all ones cuts the strip.
    pub const fn is_strip(self) -> bool {
        matches!(self.without_adjacency(), Self::LineStrip | Self::TriangleStrip)
    }

    /// Number of whole primitives formed by the vertices of one instance, if no index cuts them (Direct3D
    /// 11.3 functional specification, 8.10 to 8.13).
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
}
