//! The geometry shader of a draw, which runs in wgpu's vertex stage after the vertex shader.
//!
//! wgpu draws everything that the geometry shader may append, with the vertices that [`Expansion`] counts. Each
//! of them is an *expanded vertex*. Unless a dispatch has stored it, the vertex stage finds its input primitive, runs
//! the vertex shader for all vertices of that primitive, runs the geometry shader once, and keeps one of the vertices
//! that it appends.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use naga::{Block, Expression, Function, Handle, Statement};
use onze_ddi::{
    GeometryProgram, InputPrimitive, OutputValue, PrimitiveTopology, ShaderCode, ShaderProgram,
    ShaderReflection, StreamTopology, SystemOutput,
};

use super::Specialization;

/// A geometry shader as a part of the vertex shader's key.
#[derive(Clone, Debug)]
pub(crate) struct GeometryStage {
    /// Identifies the shader.
    pub(crate) id: u64,
    pub(crate) code: Arc<ShaderCode>,
    pub(crate) key: Specialization,
    pub(crate) assembly: Assembly,
    /// A location for the number of the primitive that the geometry shader writes, if the pixel shader reads
    /// it.
    pub(crate) primitive_location: Option<u32>,
    pub(crate) expansion: Expansion,
}

impl GeometryStage {
    /// Returns everything that the module depends on.
    fn parts(&self) -> (u64, &Specialization, Assembly, Option<u32>, Expansion) {
        (self.id, &self.key, self.assembly, self.primitive_location, self.expansion)
    }
}

impl PartialEq for GeometryStage {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for GeometryStage {}

impl Hash for GeometryStage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// The source of the vertices of an input primitive.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Assembly {
    pub(crate) topology: PrimitiveTopology,
    /// The indices of the draw, if it has any.
    pub(crate) indices: Option<PulledIndices>,
    /// The vertices are the corners of tessellated patches.
    pub(crate) is_tessellated: bool,
}

/// An index buffer that the vertex stage reads as a storage buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PulledIndices {
    /// Position of the index buffer in [`PullConstants::slots`](super::pull::PullConstants::slots). Its stride
    /// is the number of the draw's first index.
    pub(crate) slot: u32,
    /// Number of the storage buffer.
    pub(crate) buffer: u32,
    /// Whether indices have 32 bits instead of 16.
    pub(crate) wide: bool,
    /// Whether the driver has gathered the indices of strips into a list, in which an index of all ones marks
    /// a primitive that does not exist.
    pub(crate) are_gathered: bool,
}

/// How wgpu draws the primitives that a geometry shader may append.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExpansionForm {
    /// Each possible output primitive has its own expanded vertices.
    List,
    /// Each possible vertex of a triangle strip is one expanded vertex, and an index buffer, the *pattern*,
    /// forms the triangles. Vertices after the last appended one repeat it, so their triangles have no area.
    Pattern,
}

/// The number of expanded vertices for an input primitive.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expansion {
    pub(crate) form: ExpansionForm,
    /// Number of vertices of an output primitive.
    pub(crate) corners: u32,
    /// Maximum number of output primitives of an invocation.
    pub(crate) primitives: u32,
    /// Number of invocations for an input primitive.
    pub(crate) instances: u32,
    /// Whether a dispatch before the draw stores the expanded vertices, so that the vertex stage only loads them.
    pub(crate) is_stored: bool,
}

impl Expansion {
    /// Returns the expansion of the stream that is rasterized, which is the first one. `is_solid` states
    /// whether triangles without area are invisible.
    pub(crate) fn new(code: &ShaderCode, is_solid: bool) -> Option<Self> {
        let program = program(code)?;
        let stream = program.streams.first().filter(|stream| stream.append.is_some())?;
        let corners = match stream.topology {
            StreamTopology::Points => 1,
            StreamTopology::LineStrips => 2,
            StreamTopology::TriangleStrips => 3,
        };
        // A strip that is never cut consists of all its vertices, as long as all primitives are drawn.
        let needs_primitives = |output: &SystemOutput| {
            let value = output.value;
            matches!(value, OutputValue::CullDistance(_))
                || value == OutputValue::RenderTargetArrayIndex
                || value == OutputValue::ViewportArrayIndex
        };
        let is_one_strip = corners == 3 && stream.restart.is_none();
        let form =
            match is_one_strip && is_solid && !code.reflection.system_outputs.iter().any(needs_primitives) {
                true => ExpansionForm::Pattern,
                false => ExpansionForm::List,
            };
        let primitives = (program.max_vertex_count + 1).checked_sub(corners).filter(|count| *count > 0)?;
        Some(Self { form, corners, primitives, instances: program.instance_count, is_stored: false })
    }

    /// Returns the number of expanded vertices for an invocation.
    pub(crate) const fn invocation_vertices(self) -> u32 {
        match self.form {
            ExpansionForm::List => self.corners * self.primitives,
            ExpansionForm::Pattern => self.corners + self.primitives - 1,
        }
    }

    /// Returns the number of expanded vertices for an input primitive.
    pub(crate) const fn vertices(self) -> u32 {
        self.invocation_vertices() * self.instances
    }
}

/// Returns the program of a geometry shader.
pub(crate) fn program(code: &ShaderCode) -> Option<&GeometryProgram> {
    match &code.program {
        ShaderProgram::Geometry(program) => Some(program),
        ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => None,
    }
}

/// Returns the topology in which wgpu draws the expanded vertices.
pub(crate) fn list_topology(program: &GeometryProgram) -> PrimitiveTopology {
    match program.streams.first().map_or(StreamTopology::Points, |stream| stream.topology) {
        StreamTopology::Points => PrimitiveTopology::PointList,
        StreamTopology::LineStrips => PrimitiveTopology::LineList,
        StreamTopology::TriangleStrips => PrimitiveTopology::TriangleList,
    }
}

/// Returns the topology of the list that is gathered from strips, which contains all vertices that the geometry
/// shader reads.
pub(crate) const fn gathered_topology(input: InputPrimitive) -> PrimitiveTopology {
    match input {
        InputPrimitive::Line => PrimitiveTopology::LineList,
        InputPrimitive::Triangle => PrimitiveTopology::TriangleList,
        InputPrimitive::LineAdjacency => PrimitiveTopology::LineListAdj,
        InputPrimitive::TriangleAdjacency => PrimitiveTopology::TriangleListAdj,
        // Points and patches do not form strips.
        InputPrimitive::Point | InputPrimitive::Patch(_) => PrimitiveTopology::PointList,
    }
}

/// Returns whether a geometry shader selects slices of the targets or viewports.
pub(crate) fn selects(reflection: &ShaderReflection) -> bool {
    OutputValue::RenderTargetArrayIndex.is_in(reflection) || OutputValue::ViewportArrayIndex.is_in(reflection)
}

/// Returns whether a geometry shader reads `SV_PrimitiveID`.
pub(crate) fn reads_primitive_number(code: &ShaderCode) -> bool {
    program(code).is_some_and(|program| reads_argument(code, program.function, 0))
}

/// Returns whether a function uses an argument, other than to pass it to functions that do not use it.
fn reads_argument(code: &ShaderCode, of: Handle<Function>, argument: u32) -> bool {
    let function = &code.module.functions[of];
    let values = function.expressions.iter().filter(
        |(_, expression)| matches!(expression, Expression::FunctionArgument(number) if *number == argument),
    );
    values.into_iter().any(|(value, _)| {
        let mut passed = Vec::new();
        passes(&function.body, value, &mut passed);
        passed.sort_unstable();
        let references = code.info[of][value].ref_count;
        let is_only_passed = references <= passed.len();
        passed.dedup();
        !is_only_passed || passed.into_iter().any(|(callee, argument)| reads_argument(code, callee, argument))
    })
}

/// Adds the calls in a block that receive a value, each with the number of the argument.
fn passes(block: &Block, value: Handle<Expression>, calls: &mut Vec<(Handle<Function>, u32)>) {
    for statement in block {
        match statement {
            Statement::Block(block) => passes(block, value, calls),
            Statement::If { accept, reject, .. } => {
                [accept, reject].into_iter().for_each(|block| passes(block, value, calls));
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|case| passes(&case.body, value, calls));
            }
            Statement::Loop { body, continuing, .. } => {
                [body, continuing].into_iter().for_each(|block| passes(block, value, calls));
            }
            Statement::Call { function, arguments, .. } => {
                let of_value = (0..).zip(arguments).filter(|(_, argument)| **argument == value);
                calls.extend(of_value.map(|(number, _)| (*function, number)));
            }
            // No other statements contain blocks or calls.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze_ddi::ShaderStage;

    use super::*;
    use crate::testing::shader_code;

    #[test]
    fn an_argument_is_read_if_a_callee_reads_it() {
        let text = "
            var<private> sum: u32;
            fn reads(n: u32) { sum += n; }
            fn ignores(n: u32) { sum += 1u; }
            fn passes(n: u32, m: u32) { if sum > 2u { ignores(n); reads(m); } ignores(m); }
            fn both(n: u32) { ignores(n); sum += n; }
            @compute @workgroup_size(1) fn main() { passes(1u, 2u); both(3u); }";
        let code = shader_code(ShaderStage::Compute, text, Vec::new());
        for (name, argument, is_read) in [
            ("reads", 0, true),
            ("ignores", 0, false),
            ("passes", 0, false),
            ("passes", 1, true),
            ("both", 0, true),
        ] {
            let mut functions = code.module.functions.iter();
            let (handle, _) = functions.find(|(_, of)| of.name.as_deref() == Some(name)).unwrap();
            assert_eq!(reads_argument(&code, handle, argument), is_read, "{name} {argument}");
        }
    }
}
