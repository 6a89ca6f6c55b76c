//! The tessellated patches that a domain shader reads, in wgpu's vertex stage or in a compute shader for stream output.
//!
//! Dispatches before the draw have stored the control points, the patch constants and the division of each patch in one
//! buffer, after a header of [`HeaderWord`]s. The *number* of a domain point combines the number of its patch with
//! its own number in the patch, so it takes the place of `SV_VertexID`.

use std::hash::{Hash, Hasher};

use naga::{Binding, FunctionResult};
use onze_ddi::{DomainProgram, HullProgram, OutputRegister, ShaderCode, ShaderProgram};

use super::streams::{StreamOutput, is_register};

/// Number of point numbers for each patch, because a patch has at most 4,225 points.
pub(crate) const NUMBERS_OF_PATCH: u32 = 8192;

/// Number of words of a patch's division: four factors of edges, two of the inside, the number of the corners of all
/// patches before it, and its own number in the instance of its draw.
pub(crate) const DIVISION_WORDS: u32 = 8;

/// Number of words in the header for the arguments of a draw.
const ARGUMENT_WORDS: u32 = 16;

/// Returns the number of words before the parts of stored patches.
pub(crate) const fn header_words(draws: u32) -> u32 {
    HeaderWord::IndexedArguments as u32 + draws * ARGUMENT_WORDS
}

/// The meaning of the words before the parts of stored patches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum HeaderWord {
    /// Number of patches.
    Patches = 0,
    /// Positions of the parts, in words from the header.
    Points = 1,
    Constants = 2,
    Divisions = 3,
    /// Arguments of an indexed draw of the patches whose indices are stored, for the first of the draws that share the
    /// header. Those of the others follow.
    IndexedArguments = 8,
    /// Arguments of a draw of the corners of all other patches.
    TailArguments = 16,
    /// Arguments of a draw of the corners of all patches.
    CornerArguments = 20,
}

impl HeaderWord {
    /// Returns the position in bytes of the word of a draw.
    pub(crate) const fn offset(self, draw: u32) -> u64 {
        4 * (self as u64 + draw as u64 * ARGUMENT_WORDS as u64)
    }
}

/// The source of the number of a domain point in the vertex stage.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PointNumbers {
    /// The index of the vertex is the number, which an index buffer or another function provides.
    Given,
    /// The index of the vertex is that of a corner, of all in the draw.
    OfCorner,
}

/// The tessellated patches as a part of a domain shader's key.
#[derive(Clone, Debug)]
pub(crate) struct DomainStage {
    /// Identifies the hull shader.
    pub(crate) hull: u64,
    pub(crate) program: HullProgram,
    /// The stored control points, if there are any, and the stored patch constants.
    pub(crate) points: Option<StreamOutput>,
    pub(crate) constants: StreamOutput,
    pub(crate) numbers: PointNumbers,
    /// A location for the number of the patch, if the pixel shader reads it directly from the domain shader.
    pub(crate) primitive_location: Option<u32>,
}

impl DomainStage {
    /// Returns everything that the module depends on.
    const fn parts(&self) -> (u64, PointNumbers, Option<u32>) {
        (self.hull, self.numbers, self.primitive_location)
    }
}

impl PartialEq for DomainStage {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for DomainStage {}

impl Hash for DomainStage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// Returns the program of a domain shader.
pub(crate) fn domain_program(code: &ShaderCode) -> Option<&DomainProgram> {
    match &code.program {
        ShaderProgram::Domain(program) => Some(program),
        _ => None,
    }
}

/// Returns the result of a vertex or domain shader.
pub(crate) fn returned(code: &ShaderCode) -> Option<&FunctionResult> {
    let function = match domain_program(code) {
        Some(program) => &code.module.functions[program.function],
        None => &code.module.entry_points.first()?.function,
    };
    function.result.as_ref()
}

/// Returns the word of a stored vertex that contains a component of a register.
pub(crate) fn word_of(output: &StreamOutput, binding: &Binding, component: u32) -> Option<u32> {
    let registers = output.entries.iter().map(|entry| entry.register);
    let register = registers.into_iter().find(|register: &OutputRegister| is_register(binding, *register))?;
    output.word(register, component)
}
