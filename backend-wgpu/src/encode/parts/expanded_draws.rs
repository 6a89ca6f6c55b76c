//! Draws with a geometry shader: how their arguments become those of the expanded vertices.

use onze_ddi::PrimitiveTopology;

use crate::{
    encode::parts::{
        hash::SlabIndex,
        pulled::{GeometryInput, GeometrySetting, PulledDraw},
    },
    record::page::InstancedDraw,
};

/// The numbers that the shaders read. They determine whether a draw may begin at a later vertex of wgpu's draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedNumbers {
    /// The vertex shader reads `SV_VertexID`.
    pub(crate) vertex: bool,
    /// The vertex shader reads `SV_InstanceID`, or elements with a step rate.
    pub(crate) instance: bool,
    /// The geometry shader reads `SV_PrimitiveID`.
    pub(crate) primitive: bool,
}

/// How the arguments of a draw become those of its expanded vertices.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawExpansion {
    pub(crate) topology: PrimitiveTopology,
    pub(crate) setting: GeometrySetting,
    pub(crate) counts: CountedNumbers,
}

/// The input primitives of a draw that wgpu makes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpandedArguments {
    /// Number of the first primitive.
    pub(crate) first: u32,
    pub(crate) primitives: u32,
    pub(crate) instance_count: u32,
    pub(crate) start_instance: u32,
}

impl DrawExpansion {
    /// Returns the number of the first vertex in each primitive of the topology minus that in the primitive
    /// before it, and `None` if primitives depend on more than their number.
    const fn step(&self) -> Option<u32> {
        use PrimitiveTopology as T;
        match self.topology {
            // The last primitive differs from the others.
            T::TriangleStripAdj => None,
            T::LineStrip | T::LineStripAdj => Some(1),
            // Every second triangle is reversed.
            T::TriangleStrip => Some(2),
            T::PointList => Some(1),
            T::LineList => Some(2),
            T::TriangleList => Some(3),
            T::LineListAdj => Some(4),
            T::TriangleListAdj => Some(6),
            patches => patches.control_points(),
        }
    }

    /// Returns the primitives of a draw and the numbers that the vertex stage reads. If possible, the draw begins
    /// at a later primitive and instance, so that many draws read the same numbers. Returns `None` if wgpu
    /// cannot make a single draw.
    pub(crate) fn expand(&self, args: &InstancedDraw) -> Option<(ExpandedArguments, PulledDraw)> {
        let (indexed, counts) = (self.is_indexed(), self.counts);
        let primitives = self.topology.primitive_count(args.count);
        let mut draw = self.whole(args);
        let mut first = 0;
        let depends = counts.primitive || self.gathers() || (counts.vertex && !indexed);
        if let Some(step) = self.step().filter(|step| !depends && args.start.is_multiple_of(*step)) {
            // A triangle strip has a primitive at each vertex.
            let is_strip = self.topology.is_strip();
            first = if is_strip { args.start } else { args.start / step };
            // The vertex stage does not compare the number of a primitive with any other.
            draw.primitives = [u32::MAX, 0];
            match indexed {
                true => draw.first_index = 0,
                false => draw.starts[0] = 0,
            }
        }
        let mut start_instance = 0;
        if !counts.instance {
            start_instance = args.start_instance;
            draw.starts[1] = 0;
        }
        // The base vertex of an indexed draw is signed.
        let end = first.checked_add(primitives)?.checked_mul(self.setting.expansion.vertices())?;
        i32::try_from(end).ok()?;
        let instance_count = args.instance_count;
        Some((ExpandedArguments { first, primitives, instance_count, start_instance }, draw))
    }

    pub(crate) fn is_indexed(&self) -> bool {
        self.setting.input != GeometryInput::Vertices
    }

    /// Returns whether the indices are gathered into a list that begins with the first index of the draw.
    fn gathers(&self) -> bool {
        self.setting.input == GeometryInput::Gathered
    }

    /// Returns the numbers of a draw that begins at the first expanded vertex.
    pub(crate) fn whole(&self, args: &InstancedDraw) -> PulledDraw {
        self.setting.input.whole(args, self.topology.primitive_count(args.count))
    }
}

/// The draws with a geometry shader that need nothing that the open pass lacks.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ReadyExpansion {
    pub(crate) expansion: DrawExpansion,
    /// The pipeline, and the bind group of the pulled vertices.
    pub(crate) pipeline: SlabIndex,
    pub(crate) pulled: SlabIndex,
    /// The numbers in the bind group.
    pub(crate) draw: PulledDraw,
    /// Maximum number of primitives for which the bound index buffer is large enough.
    pub(crate) primitives: u32,
    /// Minimum number of primitives, in all instances, of draws whose vertices are stored.
    pub(crate) least_stored: u64,
    /// The batch that stores the vertices of the draws, if they are stored.
    pub(crate) batch: Option<ReadyBatch>,
}

impl ReadyExpansion {
    /// Returns the arguments of a draw that is not stored, or `None` if it needs something else.
    pub(crate) fn expand(&self, args: &InstancedDraw, indexed: bool) -> Option<ExpandedArguments> {
        let (args, draw) = self.expansion.expand(args)?;
        let all = u64::from(args.primitives) * u64::from(args.instance_count);
        let is_same = self.expansion.is_indexed() == indexed && draw == self.draw;
        (is_same && args.primitives <= self.primitives && all < self.least_stored).then_some(args)
    }
}

/// A batch for draws that differ only in their arguments.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ReadyBatch {
    pub(crate) id: u64,
    pub(crate) input: GeometryInput,
    pub(crate) instance_count: u32,
}

/// An index buffer that forms the triangles of strips, which consist of all vertices of an invocation.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Number of triangles of an invocation.
    pub(crate) primitives: u32,
    pub(crate) invocations: u32,
    pub(crate) indices: wgpu::Buffer,
}
