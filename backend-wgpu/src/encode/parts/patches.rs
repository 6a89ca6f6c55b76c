//! Tessellated patches: the control points, constants and divisions that dispatches have stored for a draw.

use onze_ddi::{HullProgram, PrimitiveTopology, TessellatorOutput, TessellatorPartitioning};

use crate::{
    encode::parts::{arena::ArenaRange, ranges::BufferRange},
    objects::shader::{DIVISION_WORDS, HeaderWord, NUMBERS_OF_PATCH, PointNumbers, Shader, header_words},
};

/// The patches of a draw, or of a part of it, in a range of the arena that other draws may share.
#[derive(Clone, Debug)]
pub(crate) struct StoredPatches<'r> {
    pub(crate) hull: &'r Shader,
    pub(crate) program: &'r HullProgram,
    pub(crate) range: ArenaRange,
    /// Identifies the range among the accesses of the run.
    pub(crate) id: u64,
    /// Number of the draw among those that share the range.
    pub(crate) draw: u32,
    /// Patches have indices as long as there is room.
    pub(crate) has_indices: bool,
    /// There may be patches without indices.
    pub(crate) has_tail: bool,
    /// The numbers of the vertices in the next draw of wgpu.
    pub(crate) numbers: PointNumbers,
}

impl StoredPatches<'_> {
    /// Returns the range with its identifier.
    pub(crate) const fn range(&self) -> BufferRange<'_> {
        self.range.with_id(self.id)
    }

    /// Returns the range of the arguments of a draw.
    pub(crate) const fn arguments(&self, of: HeaderWord) -> BufferRange<'_> {
        let range = self.range();
        BufferRange { offset: range.offset + of.offset(self.draw), size: 16, ..range }
    }
}

/// Alignment of the parts of stored patches, which are bound on their own. No adapter requires more.
const ALIGNMENT: u64 = 256;

/// Where the parts of stored patches are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchPlan {
    /// Maximum number of patches.
    pub(crate) patches: u32,
    /// Positions in bytes from the start of the range.
    pub(crate) points: u64,
    pub(crate) constants: u64,
    pub(crate) divisions: u64,
    pub(crate) indices: u64,
    /// Number of indices for which there is room, and whether they may not suffice.
    pub(crate) room: u32,
    pub(crate) has_tail: bool,
}

/// The sizes of the parts of one patch in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchSizes {
    pub(crate) points: u64,
    /// Number of output control points.
    pub(crate) points_of_patch: u32,
    pub(crate) constants: u64,
    /// Maximum number of corners.
    pub(crate) corners: u32,
}

impl PatchSizes {
    const DIVISION: u64 = 4 * DIVISION_WORDS as u64;

    /// Returns the bytes that a patch needs, without its indices.
    pub(crate) const fn fixed(&self) -> u64 {
        self.points + self.constants + Self::DIVISION
    }

    /// Returns the maximum number of patches that are stored together: their fixed parts take at most `bytes`, and the
    /// numbers of their points and corners fit into 31 bits.
    pub(crate) fn most_patches(&self, bytes: u64) -> u32 {
        let numbers = (1 << 31) / NUMBERS_OF_PATCH.max(self.corners);
        let of_bytes = u32::try_from(bytes / self.fixed()).unwrap_or(u32::MAX);
        numbers.min(of_bytes).max(1)
    }

    /// Divides a range among the patches of some draws. Their indices take at most `index_bytes`, and none if the draws
    /// need none.
    pub(crate) fn plan(&self, patches: u32, draws: u32, index_bytes: Option<u64>) -> PatchPlan {
        let count = u64::from(patches);
        let points = (4 * u64::from(header_words(draws))).next_multiple_of(ALIGNMENT);
        let constants = (points + count * self.points).next_multiple_of(ALIGNMENT);
        let divisions = (constants + count * self.constants).next_multiple_of(ALIGNMENT);
        // The tessellator stores the number of all corners after the last division.
        let indices = (divisions + (count + 1) * Self::DIVISION).next_multiple_of(ALIGNMENT);
        let most = count * u64::from(self.corners);
        let room = index_bytes.map_or(0, |bytes| most.min(bytes / 4));
        PatchPlan {
            patches,
            points,
            constants,
            divisions,
            indices,
            room: u32::try_from(room).unwrap_or(u32::MAX),
            has_tail: room < most,
        }
    }
}

impl PatchPlan {
    /// Returns the size of the range in bytes.
    pub(crate) const fn bytes(&self) -> u64 {
        self.indices + 4 * self.room as u64
    }
}

/// Returns the maximum number of corners of a patch.
pub(crate) fn most_corners(program: &HullProgram) -> u32 {
    // Fractional factors are rounded up to the next odd or even number.
    let most = program.max_tess_factor.ceil().clamp(1.0, 64.0) as u32;
    let segments = match program.partitioning {
        TessellatorPartitioning::Integer | TessellatorPartitioning::Pow2 => most,
        TessellatorPartitioning::FractionalOdd | TessellatorPartitioning::FractionalEven => {
            (most + 1).min(64)
        }
    };
    match program.output {
        TessellatorOutput::Point => (segments + 1) * (segments + 1),
        // A square has two triangles for each pair of segments, and a triangle fewer.
        _ => 6 * segments * segments,
    }
}

/// Returns the topology of the primitives that the tessellator generates.
pub(crate) const fn tessellated_topology(output: TessellatorOutput) -> PrimitiveTopology {
    match output {
        TessellatorOutput::Point => PrimitiveTopology::PointList,
        TessellatorOutput::Line => PrimitiveTopology::LineList,
        TessellatorOutput::TriangleCw | TessellatorOutput::TriangleCcw => PrimitiveTopology::TriangleList,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_patches_do_not_overlap() {
        let sizes = PatchSizes { points: 48, points_of_patch: 3, constants: 20, corners: 6 * 64 * 64 };
        for (patches, draws, bytes, has_tail) in
            [(1, 1, 1 << 20, false), (100, 20, 1 << 20, true), (3, 2, 6 * 64 * 64 * 4 * 3, false)]
        {
            let plan = sizes.plan(patches, draws, Some(bytes));
            let count = u64::from(patches);
            assert!(plan.points >= 4 * u64::from(8 + 16 * draws));
            assert!(plan.constants >= plan.points + 48 * count);
            assert!(plan.divisions >= plan.constants + 20 * count);
            assert!(plan.indices >= plan.divisions + 32 * (count + 1));
            assert_eq!(plan.has_tail, has_tail, "{patches} {bytes}");
            assert!(4 * u64::from(plan.room) <= bytes);
            for part in [plan.points, plan.constants, plan.divisions, plan.indices] {
                assert!(part.is_multiple_of(ALIGNMENT));
            }
        }
        assert_eq!(sizes.plan(5, 1, None).room, 0);
    }

    #[test]
    fn numbers_of_points_and_corners_have_31_bits() {
        let sizes = PatchSizes { points: 0, points_of_patch: 0, constants: 4, corners: 6 * 64 * 64 };
        assert_eq!(sizes.most_patches(u64::MAX), 87_381);
        assert_eq!(PatchSizes { corners: 6, ..sizes }.most_patches(u64::MAX), 1 << 18);
        assert_eq!(sizes.most_patches(72), 2);
        assert_eq!(sizes.most_patches(1), 1);
    }
}
