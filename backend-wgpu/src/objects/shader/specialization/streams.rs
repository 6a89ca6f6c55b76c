//! Stream output: the vertices that a draw writes to buffers, in a compute shader before the draw.
//!
//! The compute shader runs the vertex shader, and the geometry shader if there is one, for each input primitive. For
//! stream output, it is dispatched twice: the first dispatch counts the output primitives of each thread, and the
//! second writes them. Between both, another dispatch adds the counts and limits them to the room in the buffers. A
//! single dispatch stores the vertices of a geometry shader for the draw itself, if that is cheaper than to run the
//! shaders for each vertex.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use naga::{Binding, BuiltIn, TypeInner};
use onze_ddi::{
    InputPrimitive, OutputRegister, PrimitiveTopology, STREAM_COUNT, STREAM_OUTPUT_SLOTS, ShaderCode,
    ShaderProgram, StreamOutputDesc, StreamOutputEntry, StreamTopology,
};

use super::{
    Specialization,
    geometry::{Assembly, Expansion, program},
};

/// The WGSL structure of the numbers of a draw.
pub(crate) const STREAM: &str = include_str!("stream.wgsl");

/// Number of threads of a workgroup.
pub(crate) const THREADS_OF_GROUP: u32 = 64;

/// The stream output of a shader, which is bound to the geometry stage.
#[derive(Clone, Debug)]
pub(crate) struct StreamOutput {
    /// The code of the shader. The stream that is rasterized is the first one.
    pub(crate) code: Arc<ShaderCode>,
    /// The entries, with the numbers of the streams in `code`.
    pub(crate) entries: Vec<StreamOutputEntry>,
    pub(crate) strides: [u32; STREAM_OUTPUT_SLOTS],
    /// The number in queries of each stream in `code`.
    pub(crate) query_streams: [u32; STREAM_COUNT],
    pub(crate) is_rasterized: bool,
    /// The stored output control points that the function of patch constants reads.
    pub(crate) points: Option<Arc<Self>>,
    /// Each invocation of a hull shader reads only the input control point with its own number.
    pub(crate) reads_own_point: bool,
}

impl StreamOutput {
    pub(crate) fn new(code: &Arc<ShaderCode>, desc: &StreamOutputDesc) -> Self {
        let rasterized =
            desc.rasterized_stream.filter(|stream| (*stream as usize) < STREAM_COUNT).unwrap_or(0);
        let mut query_streams = [0, 1, 2, 3];
        query_streams.swap(0, rasterized as usize);
        let mut entries = desc.entries.clone();
        // The exchange of two streams is its own inverse.
        let exchanged = |stream: u32| query_streams.get(stream as usize).copied().unwrap_or(stream);
        entries.iter_mut().for_each(|entry| entry.stream = exchanged(entry.stream));
        let code = if rasterized == 0 { code.clone() } else { Arc::new(with_first_stream(code, rasterized)) };
        let is_rasterized = desc.rasterized_stream.is_some();
        Self {
            code,
            entries,
            strides: desc.strides,
            query_streams,
            is_rasterized,
            points: None,
            reads_own_point: false,
        }
    }

    /// Returns an output that writes nothing, of a shader whose first stream is rasterized.
    pub(crate) fn without_entries(code: &Arc<ShaderCode>, is_rasterized: bool) -> Self {
        let query_streams = [0, 1, 2, 3];
        Self {
            code: code.clone(),
            entries: Vec::new(),
            strides: [0; _],
            query_streams,
            is_rasterized,
            points: None,
            reads_own_point: false,
        }
    }

    /// Returns an output that stores whole vertices of the first stream, or `None` if a value does not consist of
    /// 32-bit components.
    pub(crate) fn of_vertices(code: &Arc<ShaderCode>) -> Option<Self> {
        let module = &code.module;
        let append = program(code)?.streams.first()?.append?;
        let vertex = module.functions[append].arguments.first()?.ty;
        let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return None };
        let (mut entries, mut offset) = (Vec::with_capacity(members.len()), 0);
        for member in members {
            let (size, scalar) = module.types[member.ty].inner.vector_size_and_scalar()?;
            let register = match member.binding.as_ref()? {
                Binding::Location { location, .. } => OutputRegister::Location(*location),
                Binding::BuiltIn(BuiltIn::Position { .. }) => OutputRegister::Position,
                Binding::BuiltIn(_) => return None,
            };
            if scalar.width != size_of::<u32>() as u8 {
                return None;
            }
            let component_count = size.map_or(1, |size| size as u32);
            entries.push(StreamOutputEntry {
                stream: 0,
                slot: 0,
                register,
                first_component: 0,
                component_count,
                offset,
            });
            offset += 4 * component_count;
        }
        let mut strides = [0; STREAM_OUTPUT_SLOTS];
        strides[0] = offset;
        let query_streams = [0, 1, 2, 3];
        Some(Self {
            code: code.clone(),
            entries,
            strides,
            query_streams,
            is_rasterized: true,
            points: None,
            reads_own_point: false,
        })
    }

    /// Returns the number of words of a vertex in the first slot.
    pub(crate) fn vertex_words(&self) -> u32 {
        self.strides.first().map_or(0, |stride| stride / 4)
    }

    /// Returns the position of a component among the words of a vertex in the first slot.
    pub(crate) fn word(&self, register: OutputRegister, component: u32) -> Option<u32> {
        let entry = self.entries.iter().find(|entry| entry.register == register)?;
        (component < entry.component_count).then_some(entry.offset / 4 + component)
    }

    /// Returns the streams whose primitives are counted: those with entries or, for an output without entries, all.
    pub(crate) fn counted_streams(&self) -> impl Iterator<Item = usize> {
        let is_appended = |stream: usize| {
            program(&self.code).and_then(|program| program.streams.get(stream)?.append).is_some()
        };
        (0..STREAM_COUNT).filter(move |stream| match self.entries.is_empty() {
            true => is_appended(*stream),
            false => self.entries.iter().any(|entry| entry.stream as usize == *stream),
        })
    }

    /// Returns whether a slot receives vertices.
    pub(crate) fn uses_slot(&self, slot: usize) -> bool {
        self.entries.iter().any(|entry| entry.slot as usize == slot)
    }

    /// Returns the number of vertices of the primitives in a stream, which are lists. `input` is the primitive of the
    /// draw.
    pub(crate) fn corners(&self, stream: usize, input: InputPrimitive) -> u32 {
        match program(&self.code) {
            Some(program) => program.streams.get(stream).map_or(1, |stream| match stream.topology {
                StreamTopology::Points => 1,
                StreamTopology::LineStrips => 2,
                StreamTopology::TriangleStrips => 3,
            }),
            // The control points of a patch are written as points.
            None => match input {
                InputPrimitive::Patch(_) => 1,
                _ => input.vertex_count(),
            },
        }
    }

    /// Returns whether each input primitive has one output primitive, if none is missing.
    pub(crate) fn copies_primitives(&self, input: InputPrimitive) -> bool {
        program(&self.code).is_none() && !matches!(input, InputPrimitive::Patch(_))
    }
}

/// Returns a geometry shader with one of its streams exchanged for the first one.
fn with_first_stream(code: &ShaderCode, stream: u32) -> ShaderCode {
    let mut code = code.clone();
    if let ShaderProgram::Geometry(program) = &mut code.program
        && (stream as usize) < program.streams.len()
    {
        program.streams.swap(0, stream as usize);
        code.reflection.outputs =
            program.streams.first().map(|first| first.outputs.clone()).unwrap_or_default();
    }
    for output in &mut code.reflection.system_outputs {
        output.stream = match output.stream {
            0 => stream,
            other if other == stream => 0,
            other => other,
        };
    }
    code
}

/// Returns the primitive that a draw without a geometry shader writes, without adjacent vertices.
pub(crate) fn captured_primitive(topology: PrimitiveTopology) -> Option<InputPrimitive> {
    use PrimitiveTopology as T;
    Some(match topology {
        T::PointList => InputPrimitive::Point,
        T::LineList | T::LineStrip | T::LineListAdj | T::LineStripAdj => InputPrimitive::Line,
        T::TriangleList | T::TriangleStrip | T::TriangleListAdj | T::TriangleStripAdj => {
            InputPrimitive::Triangle
        }
        patches => InputPrimitive::Patch(patches.control_points()?),
    })
}

/// The purpose of a dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamDispatch {
    /// Counts the primitives that each thread would write to each stream.
    Count,
    /// Writes the primitives.
    Write {
        /// The primitives were counted. Otherwise each invocation has one.
        is_counted: bool,
    },
    /// Stores the expanded vertices of a draw, each at its own place.
    Store(Expansion),
}

/// A constant buffer that is copied for each draw of a dispatch.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GatheredConstants {
    pub(crate) binding: u32,
    /// Bytes from one copy to the next.
    pub(crate) stride: u32,
}

/// The stream output of a draw as a part of the vertex shader's key.
#[derive(Clone, Debug)]
pub(crate) struct StreamStage {
    /// Identifies the shader with the stream output.
    pub(crate) id: u64,
    pub(crate) output: StreamOutput,
    /// The key of the geometry shader, if there is one.
    pub(crate) key: Specialization,
    pub(crate) assembly: Assembly,
    /// The input of the geometry shader or, if there is none, the primitive of the topology.
    pub(crate) input: InputPrimitive,
    /// Whether the draw may have another number of instances than one.
    pub(crate) has_instances: bool,
    /// Whether a thread may have several invocations.
    pub(crate) has_loop: bool,
    pub(crate) dispatch: StreamDispatch,
    /// The constant buffers that are copied for each draw, if the draws of a dispatch have different ones.
    pub(crate) gathered: Vec<GatheredConstants>,
}

/// Everything that the module of a stage depends on.
type StageParts<'s> =
    (u64, [bool; 3], &'s Specialization, Assembly, InputPrimitive, StreamDispatch, &'s [GatheredConstants]);

impl StreamStage {
    fn parts(&self) -> StageParts<'_> {
        // An output without entries belongs to the same shader.
        let writes = !self.output.entries.is_empty();
        (
            self.id,
            [writes, self.has_instances, self.has_loop],
            &self.key,
            self.assembly,
            self.input,
            self.dispatch,
            &self.gathered,
        )
    }
}

impl PartialEq for StreamStage {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for StreamStage {}

impl Hash for StreamStage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// Returns whether a binding is a register of stream output.
pub(crate) fn is_register(binding: &Binding, register: OutputRegister) -> bool {
    match (binding, register) {
        (Binding::Location { location, .. }, OutputRegister::Location(wanted)) => *location == wanted,
        (Binding::BuiltIn(BuiltIn::Position { .. }), OutputRegister::Position) => true,
        (Binding::Location { .. } | Binding::BuiltIn(_), _) => false,
    }
}
