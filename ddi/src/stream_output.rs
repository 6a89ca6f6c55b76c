//! Stream output: which components of vertices a draw writes to buffers, and where.
//!
//! A draw with a stream-output shader writes its primitives, one after the other, to the buffers that
//! [`so_set_targets`](crate::ContextFuncs::so_set_targets) has bound. Every buffer that can be bound has a *filled
//! size*: the position in bytes at which the next primitive is written. It belongs to the buffer, is 0 at first, and
//! stays when the buffer is unbound.
//!
//! ```
//! use onze_ddi::{OutputRegister, StreamOutputDesc, StreamOutputEntry};
//!
//! // Positions and the first two components of location 3, in one buffer.
//! let entry = |register, count, offset| StreamOutputEntry {
//!     stream: 0,
//!     slot: 0,
//!     register,
//!     first_component: 0,
//!     component_count: count,
//!     offset,
//! };
//! let entries = vec![entry(OutputRegister::Position, 4, 0), entry(OutputRegister::Location(3), 2, 16)];
//! let desc = StreamOutputDesc { entries, strides: [24, 0, 0, 0], rasterized_stream: Some(0) };
//! assert_eq!(desc.slots_of(0), [true, false, false, false]);
//! ```

use crate::shader::{GeometryStream, ShaderCode, ShaderProgram};

/// Number of buffers that a draw can write vertices to (D3D11: `D3D11_SO_BUFFER_SLOT_COUNT`).
#[doc(alias = "D3D11_SO_BUFFER_SLOT_COUNT")]
pub const STREAM_OUTPUT_SLOTS: usize = 4;

/// Maximum number of streams of a geometry shader (D3D11: `D3D11_SO_STREAM_COUNT`).
#[doc(alias = "D3D11_SO_STREAM_COUNT")]
pub const STREAM_COUNT: usize = 4;

/// The vertices that a shader writes to buffers (D3D11: the arguments of `CreateGeometryShaderWithStreamOutput`, and
/// `D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT`).
#[doc(alias = "CreateGeometryShaderWithStreamOutput")]
#[doc(alias = "D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamOutputDesc {
    /// The components to write. Gaps between them are not listed, because their bytes stay unchanged.
    pub entries: Vec<StreamOutputEntry>,
    /// Bytes from one vertex to the next in the buffer of each slot: a multiple of 4, and 0 for slots without
    /// entries.
    pub strides: [u32; STREAM_OUTPUT_SLOTS],
    /// The stream whose primitives are rasterized, or `None` if nothing is rasterized (D3D11:
    /// `D3D11_SO_NO_RASTERIZED_STREAM`).
    #[doc(alias = "D3D11_SO_NO_RASTERIZED_STREAM")]
    pub rasterized_stream: Option<u32>,
}

impl StreamOutputDesc {
    /// Returns which slots receive the vertices of a stream.
    pub fn slots_of(&self, stream: u32) -> [bool; STREAM_OUTPUT_SLOTS] {
        let mut slots = [false; STREAM_OUTPUT_SLOTS];
        for entry in self.entries.iter().filter(|entry| entry.stream == stream) {
            if let Some(slot) = slots.get_mut(entry.slot as usize) {
                *slot = true;
            }
        }
        slots
    }

    /// Returns whether a shader has the captured components, and whether slots, streams and strides are valid.
    pub fn fits(&self, code: &ShaderCode) -> bool {
        let streams: &[GeometryStream] = match &code.program {
            ShaderProgram::Geometry(program) => &program.streams,
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => &[],
        };
        let count = streams.len().max(1) as u32;
        let fits = |entry: &StreamOutputEntry| {
            let components = match (entry.register, streams.get(entry.stream as usize)) {
                (OutputRegister::Position, Some(stream)) => {
                    if stream.has_position {
                        4
                    } else {
                        0
                    }
                }
                (OutputRegister::Position, None) => match &code.program {
                    ShaderProgram::Domain(program) if !program.has_position => 0,
                    _ => 4,
                },
                (OutputRegister::Location(location), stream) => {
                    let outputs = stream.map_or(&code.reflection.outputs, |stream| &stream.outputs);
                    let output = outputs.iter().find(|output| output.location == location);
                    output.map_or(0, |output| output.components.into())
                }
            };
            let stride = self.strides.get(entry.slot as usize).copied().unwrap_or_default();
            let others = self.entries.iter().filter(|other| other.slot == entry.slot);
            entry.stream < count
                && entry.component_count > 0
                && entry.first_component + entry.component_count <= components
                && entry.offset.is_multiple_of(4)
                && entry.offset + 4 * entry.component_count <= stride
                && stride.is_multiple_of(4)
                && stride <= 2048
                && others.into_iter().all(|other| other.stream == entry.stream)
        };
        self.entries.iter().all(fits) && self.rasterized_stream.is_none_or(|stream| stream < count)
    }
}

/// Components of one output that are written to a buffer (D3D11: `D3D11_SO_DECLARATION_ENTRY`, whose semantic the
/// runtime has replaced with a register).
#[doc(alias = "D3D11_SO_DECLARATION_ENTRY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamOutputEntry {
    /// The stream of the geometry shader, or 0 for a vertex or domain shader.
    pub stream: u32,
    /// The slot of the buffer, which receives a single stream.
    pub slot: u32,
    /// The output that contains the components.
    pub register: OutputRegister,
    /// The first component of the output to write, from 0 to 3.
    pub first_component: u32,
    /// Number of components to write, at least 1. All of them exist in the output.
    pub component_count: u32,
    /// Bytes from the start of a vertex in the buffer to the first component, a multiple of 4.
    pub offset: u32,
}

/// An output of a shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutputRegister {
    /// The position of the vertex: `SV_Position`, in WGSL `@builtin(position)`.
    Position,
    /// The output at a location: `@location` in WGSL.
    Location(u32),
}
