//! A draw with stream output, or one whose primitives are counted or stored by the same code.

use onze_ddi::{InputPrimitive, ShaderStage};

use crate::{
    encode::{
        encoder::Encoder,
        parts::{
            gathered_constants::MOST_GATHERED,
            layouts::DrawLayout,
            pipeline_plan::PipelinePlan,
            pulled::GeometryInput,
            streams::{MOST_THREADS, StreamArguments, StreamPurpose, StreamSize},
        },
    },
    objects::shader::{
        PullSpace, Shader, StageBindingCounts, StreamOutput, captured_primitive, geometry_program,
    },
};

/// The stream output of a draw, or the streams whose primitives are only counted or stored for the draw itself.
pub(super) struct StreamDraw<'r> {
    pub(super) shader: &'r Shader,
    pub(super) output: &'r StreamOutput,
    pub(super) purpose: StreamPurpose,
    pub(super) size: StreamSize,
    pub(super) plan: PipelinePlan,
    /// The first shader: the vertex shader, or the domain shader of stored patches.
    pub(super) vertex: &'r Shader,
    /// The primitive that the geometry shader reads or, if there is none, that of the topology.
    pub(super) input: InputPrimitive,
    pub(super) origin: GeometryInput,
    /// Number of invocations for a primitive.
    pub(super) invocations: u32,
    /// The stream at each place in the buffer of counts.
    pub(super) places: Vec<usize>,
    /// Other draws with other constants may share the dispatch.
    pub(super) gathers: bool,
    /// The invocations of a dispatch for a part of the draw: the first one, and their number or, if the draw is
    /// indirect, their maximum number.
    pub(super) part: Option<[u32; 2]>,
    /// No other part follows, so further invocations of an indirect draw are lost.
    pub(super) ends: bool,
}

/// Maximum number of storage buffers that a dispatch with records has besides those of the shaders and the vertex buffers:
/// the index buffer, the records, the counts and the stored vertices.
const DRIVER_BUFFERS: usize = 4;

impl StreamDraw<'_> {
    /// Returns whether the draw writes to buffers.
    pub(super) fn writes(&self) -> bool {
        self.purpose == StreamPurpose::Write
    }

    /// Returns the numbers of bindings of both shaders and of their driver constants.
    pub(super) fn bindings(&self, layout: &DrawLayout) -> StageBindingCounts {
        let mut own = self.vertex.bindings();
        if geometry_program(&self.output.code).is_some() {
            own = own.plus(&self.shader.bindings());
        }
        let driver = layout.driver_reads.iter().filter(|(_, block)| block.is_some()).count() as u32;
        StageBindingCounts { constants: own.constants + driver, driver_constants: 0, ..own }
    }

    /// Limits the draw to some of its invocations.
    pub(super) fn of_part(self, first: u32, count: u32) -> Self {
        let has_loop = count > MOST_THREADS || !self.size.is_known;
        Self { part: Some([first, count]), size: StreamSize { has_loop, ..self.size }, ..self }
    }

    /// States whether the part is the last one that is made for an indirect draw.
    pub(super) fn ending(self, ends: bool) -> Self {
        Self { ends, ..self }
    }

    /// Makes a dispatch that other draws with other constants may share.
    pub(super) fn gathering(self, gathers: bool) -> Self {
        Self { gathers, ..self }
    }

    /// Returns whether the constant buffers of a layout are copied for each draw, so that they become storage buffers.
    /// `slots` is the number of vertex buffers.
    pub(super) fn gathers(&self, limits: &wgpu::Limits, layout: &DrawLayout, slots: usize) -> bool {
        let bytes: u64 = layout.constants.iter().map(|constants| constants.needed).sum();
        let buffers =
            self.bindings(layout).buffers as usize + layout.constants.len() + slots + DRIVER_BUFFERS;
        self.gathers
            && bytes > 0
            && bytes <= MOST_GATHERED
            && layout.constants.iter().all(|constants| constants.open.is_none())
            && buffers <= limits.max_storage_buffers_per_shader_stage as usize
    }

    /// Returns the address space of the numbers of the pulled vertices and of those of the streams.
    pub(super) fn space(&self, layout: &DrawLayout) -> PullSpace {
        if matches!(self.purpose, StreamPurpose::Store(_)) && self.size.is_known {
            return PullSpace::Record;
        }
        PullSpace::of_draw(self.size.is_known, self.bindings(layout).constants)
    }

    /// Returns the name and the fate of the draws without the pipelines, or `None` if such draws are made in another way.
    pub(super) fn lost(&self) -> Option<[&'static str; 2]> {
        match (self.plan, self.purpose) {
            (PipelinePlan::Patches, _) => Some(["draws of patches", "draws of patches are skipped"]),
            // Without stored vertices, a draw runs its shaders for each vertex.
            (_, StreamPurpose::Store(_)) => None,
            _ => Some(["draws with stream output", "draws write no streams"]),
        }
    }

    /// Returns whether a dispatch counts the primitives.
    pub(super) fn is_counted(&self) -> bool {
        let is_known = matches!(self.purpose, StreamPurpose::Store(_))
            || (self.origin != GeometryInput::Gathered && self.output.copies_primitives(self.input));
        !is_known
    }
}

impl<'r> Encoder<'r> {
    /// Returns the stream output of the next draw, or `None` if it writes nothing.
    pub(super) fn stream_draw(
        &self,
        shader: &'r Shader,
        output: &'r StreamOutput,
        arguments: &StreamArguments<'_>,
        indexed: bool,
        purpose: StreamPurpose,
    ) -> Option<StreamDraw<'r>> {
        let plan = match (shader.code.reflection.stage, &self.patches) {
            (ShaderStage::Hull, _) => PipelinePlan::Patches,
            (_, Some(_)) => PipelinePlan::TessellatedStreams,
            (_, None) => PipelinePlan::Streams,
        };
        let vertex = self.bindings.shader(plan.first_stage())?;
        let topology = self.state.topology;
        let program = geometry_program(&output.code);
        let input = match program {
            // A hull shader that reads no input control points accepts patches of any size.
            Some(program) => Some(program.input).filter(|input| {
                let is_any = *input == InputPrimitive::Patch(0) && topology.control_points().is_some();
                is_any || input.accepts(topology)
            })?,
            None => captured_primitive(topology)?,
        };
        let invocations = program.map_or(1, |program| program.instance_count);
        Some(StreamDraw {
            shader,
            output,
            purpose,
            size: arguments.size(topology, invocations),
            plan,
            vertex,
            input,
            origin: self.geometry_input(indexed),
            invocations,
            places: output.counted_streams().collect(),
            gathers: false,
            part: None,
            ends: false,
        })
    }
}
